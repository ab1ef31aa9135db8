#include "parser/html/text_signature.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("the stored hash of a text never changes between versions") {
  CHECK(simhash("") == 0);
  CHECK(simhash(" .,;-") == 0);
  CHECK(simhash("The page you are looking for") == 0x801DE9000B533000U);
  CHECK(simhash("您访问的页面不存在") == 0x86B58C497B34E50EU);
}

TEST_CASE("case and punctuation and spaces make no difference to the hash") {
  CHECK(simhash("The Page, not found.") == simhash("the   page not\nfound"));
  CHECK(simhash("ÄRGER mit Straßen") == simhash("ärger mit straßen"));
}

TEST_CASE("texts that differ in a word are near and others are far") {
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

TEST_CASE("bad UTF-8 and long texts without a space are hashed") {
  CHECK(simhash("\xFF\xFE\x80 abc") != 0);
  CHECK(simhash(std::string(1 << 20, 'x')) != 0);
}

namespace {

// Returns `words` words made from numbers. Texts with different starts have no run of words in common.
std::string numbered_text(int first, int words) {
  std::string text;
  for (int i = first; i < first + words; ++i) text += "word" + std::to_string(i) + (i % 9 == 0 ? ". " : " ");
  return text;
}

}  // namespace

TEST_CASE("the stored signature of a text never changes between versions") {
  const TextSignature signature = compute_signature(numbered_text(0, 100));
  CHECK(signature.digest == 6077308256060577230U);
  CHECK(signature.length == 702);
  CHECK(signature.minhash[0] == 6401018531611316317U);
  CHECK(signature.minhash[3] == 2233871823892765822U);
}

TEST_CASE("a text without enough words has a digest but no signature") {
  CHECK_FALSE(TextSignature{}.was_read());
  CHECK(compute_signature("").was_read());
  CHECK_FALSE(compute_signature("").is_comparable());
  CHECK_FALSE(compute_signature(numbered_text(0, 51)).is_comparable());
  CHECK(compute_signature(numbered_text(0, 52)).is_comparable());
  std::string repeated;
  for (int i = 0; i < 1000; ++i) repeated += "again and ";
  CHECK_FALSE(compute_signature(repeated).is_comparable());
  CHECK(compute_signature("\xFF\xFE " + numbered_text(0, 52)).is_comparable());
}

TEST_CASE("numbers and case and punctuation make no difference to digest and MinHash") {
  const std::string text = numbered_text(0, 60);
  const TextSignature one = compute_signature(text + "12 comments");
  const TextSignature other = compute_signature("2026-03-05 " + text + "COMMENTS!");
  CHECK(one.digest == other.digest);
  CHECK(one.minhash == other.minhash);
  CHECK(one.digest != compute_signature(text).digest);
}

TEST_CASE("the similarity estimate has an error of a few standard deviations") {
  struct Row {
    int words, common;
  };
  for (const Row& row : {Row{60, 30}, {100, 90}, {400, 380}, {3000, 1500}, {3000, 2900}, {3000, 0}, {20'000, 19'000}}) {
    CAPTURE(row.words);
    CAPTURE(row.common);
    const MinHash one = compute_signature(numbered_text(0, row.words)).minhash;
    const MinHash other = compute_signature(numbered_text(row.words - row.common, row.words)).minhash;
    const double runs = row.words - 2;
    const double common = row.common > 2 ? row.common - 2 : 0;
    const double exact = common / (2 * runs - common);
    CHECK(std::abs(similarity(one, other) - exact) < 0.2);
    CHECK(similarity(one, one) == 1.0);
    const std::vector<std::uint64_t> runs_of_one = word_runs(numbered_text(0, row.words));
    const std::vector<std::uint64_t> runs_of_other = word_runs(numbered_text(row.words - row.common, row.words));
    CHECK(similarity(runs_of_one, runs_of_other) == exact);
  }
}

TEST_CASE("Chinese texts are compared by their characters") {
  const std::string text =
      "今天天气很好，我们一起去公园散步，看见许多花开了，孩子们在草地上放风筝，老人坐在长椅上下棋，湖边有人钓鱼，远处传"
      "来悠扬的"
      "笛声，大家都觉得春天真的来了。";
  std::string edited = text;
  edited.replace(edited.find("老人"), std::string("老人").size(), "大爷");
  CHECK(similarity(compute_signature(text).minhash, compute_signature(edited).minhash) > 0.7);
  const std::string other =
      "本店新到一批登山装备，帐篷、睡袋、绳索一应俱全，欢迎各位前来选购，凡购物满五百元者，赠送地图一份，另有专业教练每"
      "周六免费"
      "讲解野外求生知识，名额有限请提前预约。";
  CHECK(similarity(compute_signature(text).minhash, compute_signature(other).minhash) < 0.2);
}
