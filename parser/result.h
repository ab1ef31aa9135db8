// What a function returns that reads text it did not write: a value, or an Error that says in one line what is wrong
// with the text. The state of the machine (disk full, store broken) is not a Result but an exception; the state of the
// web is data.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

namespace linkherd {

struct Error {
  std::string message;

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = boost::system::result<T, Error>;

// Boost's hook: what Result::value() throws when there is none. Calling value() without looking first is a bug of ours.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location& /*where*/) {
  throw std::logic_error("no value: " + error.message);
}

}  // namespace linkherd
