// The one compiled copy of Boost.JSON: Debian's libboost1.81-dev has its headers only. Targets that link the
// module `parser` use it.
#include <boost/json/src.hpp>
