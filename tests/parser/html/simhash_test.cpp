#include "parser/html/simhash.h"

#include <string>

#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("the hash of a text does not change from version to version: it is stored") {
  CHECK(simhash("") == 0);
  CHECK(simhash(" .,;-") == 0);
  CHECK(simhash("The page you are looking for") == 0x801DE9000B533000U);
  CHECK(simhash("您访问的页面不存在") == 0x86B58C497B34E50EU);
}

TEST_CASE("case, punctuation and spaces make no difference") {
  CHECK(simhash("The Page, not found.") == simhash("the   page not\nfound"));
  CHECK(simhash("ÄRGER mit Straßen") == simhash("ärger mit straßen"));
}

TEST_CASE("texts that differ in a word are near, others are far") {
  const std::string text =
      "Our shop sells tents, ropes and boots for walkers of all ages, and the staff has walked every trail of the "
      "region "
      "at least once. Come and ask us about maps, weather and huts; on Saturdays there is coffee for everyone.";
  std::string other = text;
  other.replace(other.find("Saturdays"), 9, "Sundays");
  CHECK(simhash_distance(simhash(text), simhash(other)) <= 8);
  CHECK(simhash_distance(simhash(text), simhash("A recipe for bread with seeds, slow and easy, from an old book of "
                                                "the bakers of the valley, as they wrote it down")) > 15);

  const std::string chinese =
      "抱歉，您访问的页面不存在，可能已被删除或者移动到了其他位置，请返回首页继续浏览本站的其他内容。";
  std::string changed = chinese;
  changed.replace(changed.find("首页"), std::string("首页").size(), "主页");
  CHECK(simhash_distance(simhash(chinese), simhash(changed)) <= 12);
  CHECK(simhash_distance(simhash(chinese), simhash("本店出售帐篷绳索和登山靴，欢迎各位前来咨询天气与路线")) > 15);
}

TEST_CASE("bad UTF-8 and long texts without a space are hashed all the same") {
  CHECK(simhash("\xFF\xFE\x80 abc") != 0);
  CHECK(simhash(std::string(1 << 20, 'x')) != 0);
}
