// Compares two reports except for times.
#pragma once

#include <boost/json/value.hpp>

namespace linkherd::tests {

// Checks that the links, duplicates, certificates and counts of two JSON reports are the same. What differs from run to
// run does not count: times, durations, attempts, run numbers and the name of the store.
void check_same_report(boost::json::value expected, boost::json::value found);

}  // namespace linkherd::tests
