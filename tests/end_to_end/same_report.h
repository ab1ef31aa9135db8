// Compares two JSON reports, ignoring times.
#pragma once

#include <boost/json/value.hpp>

namespace linkherd::tests {

// Checks that two JSON reports have the same links, duplicates, certificates and counts. Ignores what differs between
// runs: times, durations, attempts, run numbers and the name of the store.
void check_same_report(boost::json::value expected, boost::json::value found);

}  // namespace linkherd::tests
