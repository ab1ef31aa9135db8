// Tests what moves of a host explain, and that coincidences explain nothing.
#include "crawler/lookups/learned_moves.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "parser/url/url.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

using Moves = std::vector<std::pair<std::string, std::string>>;

parser::Url parse(std::string_view text) {
  CAPTURE(text);
  auto url = parser::Url::parse(text);
  REQUIRE(url.has_value());
  return *url;
}

std::vector<std::string> explain(const Moves& moves, std::string_view dead) {
  LearnedMoves learned;
  for (const auto& [from, to] : moves) learned.add(parse(from), parse(to));
  std::vector<std::string> urls;
  for (const ExplainedAddress& address : learned.explain(parse(dead))) urls.emplace_back(address.url.href());
  return urls;
}

struct Case {
  std::string kind;
  Moves moves;
  std::string dead;
  std::vector<std::string> expected;
};

const std::vector<Case> cases{
    {"a prefix is added",
     {{"https://a.example/oak", "https://a.example/trees/oak"},
      {"https://a.example/elm", "https://a.example/trees/elm"}},
     "https://a.example/ash",
     {"https://a.example/trees/ash"}},
    {"a prefix is removed",
     {{"https://a.example/blog/oak/", "https://a.example/oak/"},
      {"https://a.example/blog/elm/", "https://a.example/elm/"}},
     "https://a.example/blog/ash/",
     {"https://a.example/ash/"}},
    {"a prefix is replaced, at any depth",
     {{"https://a.example/v1/trees/oak", "https://a.example/v2/trees/oak"},
      {"https://a.example/v1/elm", "https://a.example/v2/elm"}},
     "https://a.example/v1/trees/old/ash",
     {"https://a.example/v2/trees/old/ash"}},
    {"dates are dropped, and the extension",
     {{"https://a.example/2014/05/oak.html", "https://a.example/trees/oak"},
      {"https://a.example/2016/11/elm.html", "https://a.example/trees/elm"}},
     "https://a.example/2015/01/ash.html",
     {"https://a.example/trees/ash"}},
    {"folders by subject become one",
     {{"https://a.example/broad/oak", "https://a.example/trees/oak"},
      {"https://a.example/tall/elm", "https://a.example/trees/elm"}},
     "https://a.example/grey/ash",
     {"https://a.example/trees/ash"}},
    {"letters become lower case and underscores hyphens",
     {{"https://a.example/Red_Oak.aspx", "https://a.example/red-oak"},
      {"https://a.example/White_Elm.aspx", "https://a.example/white-elm"}},
     "https://a.example/Grey_Ash.aspx",
     {"https://a.example/grey-ash"}},
    {"one move of a whole host is enough",
     {{"https://a.example/trees/oak?leaf=1", "https://b.example/trees/oak?leaf=1"}},
     "https://www.a.example/trees/ash/?x=y",
     {"https://b.example/trees/ash/?x=y"}},
    {"a slash is added",
     {{"https://a.example/t/oak", "https://a.example/trees/oak/"},
      {"https://a.example/t/elm", "https://a.example/trees/elm/"}},
     "https://a.example/t/ash",
     {"https://a.example/trees/ash/"}},
    {"one move of other kinds is not enough",
     {{"https://a.example/oak", "https://a.example/trees/oak"}},
     "https://a.example/ash",
     {}},
    {"a move counts once",
     {{"https://a.example/oak", "https://a.example/trees/oak"},
      {"https://a.example/oak#top", "https://a.example/trees/oak#top"}},
     "https://a.example/ash",
     {}},
    {"redirects to the home page explain nothing",
     {{"https://a.example/oak", "https://a.example/"}, {"https://a.example/elm", "https://a.example/"}},
     "https://a.example/ash",
     {}},
    {"redirects to one page explain nothing",
     {{"https://a.example/oak", "https://a.example/gone"}, {"https://a.example/elm", "https://a.example/gone"}},
     "https://a.example/ash",
     {}},
    {"spellings of one address are no moves",
     {{"http://a.example/oak/", "https://www.a.example/oak"}, {"http://a.example/elm/", "https://www.a.example/elm"}},
     "http://a.example/ash/",
     {}},
    {"another host is not concerned",
     {{"https://a.example/oak", "https://a.example/trees/oak"},
      {"https://a.example/elm", "https://a.example/trees/elm"}},
     "https://b.example/ash",
     {}},
    {"another extension is not concerned",
     {{"https://a.example/oak.html", "https://a.example/oak"}, {"https://a.example/elm.html", "https://a.example/elm"}},
     "https://a.example/ash.pdf",
     {}},
};

}  // namespace

TEST_CASE("learned moves: what moves explain") {
  for (const Case& item : cases) {
    CAPTURE(item.kind);
    CHECK(explain(item.moves, item.dead) == item.expected);
  }
}

TEST_CASE("learned moves: the explanation of most moves is first") {
  const Moves moves{{"https://a.example/oak", "https://a.example/old/oak"},
                    {"https://a.example/elm", "https://a.example/old/elm"},
                    {"https://a.example/fir", "https://a.example/new/fir"},
                    {"https://a.example/yew", "https://a.example/new/yew"},
                    {"https://a.example/pine", "https://a.example/new/pine"}};
  CHECK(explain(moves, "https://a.example/ash") ==
        std::vector<std::string>{"https://a.example/new/ash", "https://a.example/old/ash"});
}

TEST_CASE("learned moves: hostile moves are bounded") {
  LearnedMoves learned;
  const std::string deep(100'000, '/');
  std::string many_segments;
  for (int i = 0; i < 10'000; ++i) many_segments += "/s";
  learned.add(parse("https://a.example" + deep + "x.html"), parse("https://a.example/x"));
  learned.add(parse("https://a.example" + many_segments), parse("https://b.example" + many_segments));
  for (int i = 0; i < 20'000; ++i) {
    learned.add(parse(fmt::format("https://a.example/from{0}/page{0}", i)),
                parse(fmt::format("https://a.example/to{0}/page{0}", i)));
  }
  CHECK(learned.explain(parse("https://a.example/from7/other")).size() <= 3);
  CHECK(learned.explain(parse("https://a.example" + many_segments)).empty());
}
