#include "parser/html/main_text.h"

#include <doctest/doctest.h>

using namespace linkherd::parser;

namespace {

MainText read(std::string_view html) { return main_text(HtmlDocument::parse(html), 1000); }

}  // namespace

TEST_CASE("each block of the main text is one line") {
  const MainText text =
      read("<nav><a href=/>Home</a></nav><h1>One</h1><p>two\nthree <b>four</b>\n</p><ul><li>a</li><li>b</li></ul>");
  CHECK(text.text == "One\ntwo three four\na\nb");
  CHECK(text.length == 22);
}

TEST_CASE("an article has one date or byline and a list of articles has many") {
  CHECK(read("<h1>x</h1><time datetime=2020-01-02>2 January</time><p>y</p>").is_article);
  CHECK(read("<h1>x</h1><p class=byline>By <span class=author>A. Writer</span></p>").is_article);
  CHECK(read("<h1>x</h1><a rel=author href=/w>A. Writer</a>").is_article);
  CHECK_FALSE(read("<h1>x</h1><p>y</p>").is_article);
  CHECK_FALSE(read("<li><time>1</time><li><time>2</time><li><time>3</time><li><time>4</time>").is_article);
  CHECK_FALSE(read("<h1>x</h1><footer><time>2020</time></footer>").is_article);
}
