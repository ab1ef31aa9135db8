// The return type of functions that parse foreign text: a value, or an Error that says in one line what is wrong with
// the text. A failure of the machine (disk full, store corrupt) is an exception instead; what servers answer is data.
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

// Hook of Boost: called by Result::value() if there is no value. Calling value() without a check is a programming
// error.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location& /*where*/) {
  throw std::logic_error("no value: " + error.message);
}

}  // namespace linkherd
