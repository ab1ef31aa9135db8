// Tests which links a change touches. changed_since_test.cpp tests reading the repository with the real program.
#include "crawler/sources/git_changes.h"

#include <cstdint>

#include <doctest/doctest.h>

using namespace linkherd::crawler;

TEST_CASE("a link is changed if one of its bytes is in an added line") {
  const ListChange change{{{10, 10}, {30, 1}}};
  struct Case {
    std::uint64_t offset;
    std::uint64_t length;
    bool touched;
  };
  for (const Case& link : {Case{0, 10, false}, Case{0, 11, true}, Case{19, 1, true}, Case{20, 10, false},
                           Case{20, 11, true}, Case{30, 0, true}, Case{31, 5, false}, Case{0, 100, true}}) {
    CAPTURE(link.offset);
    CAPTURE(link.length);
    CHECK(change.touches(link.offset, link.length) == link.touched);
  }
  CHECK_FALSE(ListChange{}.touches(0, 100));
}
