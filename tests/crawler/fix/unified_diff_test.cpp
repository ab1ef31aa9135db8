#include "crawler/fix/unified_diff.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::crawler;

TEST_CASE("a diff has context around each change and one hunk for near changes") {
  const std::string text = "1\n2\n3\n4\nfive\n6\n7\n8\nnine\n10\n11\n12\n13\n14\n15\n16\n17\nend";
  const std::vector<TextEdit> edits{
      {text.find("five"), 4, "5"}, {text.find("nine"), 4, "9"}, {text.find("end"), 3, "e"}};
  CHECK(unified_diff("a b.md", text, edits) ==
        "--- a/a b.md\t\n+++ b/a b.md\t\n"
        "@@ -2,11 +2,11 @@\n 2\n 3\n 4\n-five\n+5\n 6\n 7\n 8\n-nine\n+9\n 10\n 11\n 12\n"
        "@@ -15,4 +15,4 @@\n 15\n 16\n 17\n-end\n\\ No newline at end of file\n+e\n\\ No newline at end of file\n");
}

TEST_CASE("line ends are kept and names are quoted as git does") {
  CHECK(unified_diff("\xFF\t\n\x01 \"b\\.md", "a", {{0, 1, "b"}}).starts_with(R"(--- "a/\377\t\n\001 \"b\\.md")"));
  CHECK(unified_diff("中.md", "a b\r\n", {{0, 1, "c"}, {2, 1, "d"}}) ==
        "--- \"a/\\344\\270\\255.md\"\n+++ \"b/\\344\\270\\255.md\"\n@@ -1,1 +1,1 @@\n-a b\r\n+c d\r\n");
}
