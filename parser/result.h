// The return type of functions that parse untrusted text: a value, or an Error with a one-line description of the
// problem. Machine failures (disk full, corrupt store) are exceptions instead. Server responses, including failures,
// are ordinary data.
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

// Boost calls this hook from Result::value() if the result holds an Error. Calling value() without a check is a
// programming error.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location& /*where*/) {
  throw std::logic_error("no value: " + error.message);
}

}  // namespace linkherd
