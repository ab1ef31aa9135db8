// The one compiled copy of Boost.JSON: Debian's libboost1.81-dev has its headers only. Whoever links the room `parser`
// may use it.
#include <boost/json/src.hpp>
