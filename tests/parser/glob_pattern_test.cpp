#include "parser/glob_pattern.h"

#include <optional>
#include <string>

#include <doctest/doctest.h>

using linkherd::parser::regex_for_glob;

TEST_CASE("a glob is recognised and gets an equivalent regular expression") {
  struct Row {
    std::string glob, regex;
  };
  for (const Row& row : {Row{"*.example.com", "\\.example\\.com"},
                         {"*.md", "\\.md"},
                         {"**/*.md", "\\.md"},
                         {"docs/*.md", "docs/[^/]*\\.md"},
                         {"docs/**/old/*", "docs/(.*/)?old/"},
                         {"https://*.example.com/*", "https://[^/]*\\.example\\.com/"},
                         {"https://a.example/*/edit", "https://a\\.example/[^/]*/edit"},
                         {"foo*.md", "foo[^/]*\\.md"},
                         {"*.{md,rst}", "\\.(md|rst)"},
                         {"*/[!a]?.md", "[^a].\\.md"},
                         {"*", "."}}) {
    CAPTURE(row.glob);
    CHECK(regex_for_glob(row.glob) == std::optional(row.regex));
  }
}

TEST_CASE("a pattern that may be a regular expression is no glob") {
  for (const char* const pattern :
       {"example.com", ".*\\.example\\.com", "^https://a.example/", "https://a.example/*", "a+b*", "docs/.*", "[a-z]*",
        "(a|b)*/c", "https?://a.example", "", "colou?r", "x*y", "https://a.example/page?id=1", "localhost:*"}) {
    CAPTURE(pattern);
    CHECK_FALSE(regex_for_glob(pattern).has_value());
  }
}
