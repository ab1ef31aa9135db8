// Compiles the only copy of Boost.JSON, because Debian's libboost1.81-dev contains only its headers. Targets that link
// the `parser` library use this copy.
#include <boost/json/src.hpp>
