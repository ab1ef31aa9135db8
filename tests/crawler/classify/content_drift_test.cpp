#include "crawler/classify/content_drift.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

namespace {

struct DriftPage {
  std::string title;
  std::string text;
  std::string language = "";
  std::string site = "";
};

storage::Snapshot snapshot_of_page(const DriftPage& page) {
  storage::Snapshot snapshot;
  snapshot.fetched_at = parse_timestamp("2026-03-05T10:00:00Z").value();
  snapshot.verdict = {Health::alive, std::string(storage::reason::ok), "status", "HTTP 200.", 1.0};
  snapshot.final_url = "https://alder.herd/compilers";
  if (!page.title.empty()) snapshot.metadata.title = {page.title, "title", 0.9};
  if (!page.language.empty()) snapshot.metadata.language = {page.language, "html", 0.9};
  if (!page.site.empty()) snapshot.metadata.site_name = {page.site, "og", 0.9};
  snapshot.main_text = parser::compute_signature(page.text);
  return snapshot;
}

std::optional<storage::Verdict> drift_of(const storage::Snapshot& first, const DriftPage& later) {
  const parser::Url requested = parser::Url::parse("https://alder.herd/compilers").value();
  const storage::Snapshot now = snapshot_of_page(later);
  return find_content_drift(first, {requested, now, {later.title, later.text}});
}

const std::string compiler_book =
    "This page describes how a compiler turns the syntax tree into machine instructions. We begin with parsing, go on "
    "to type inference, and end with register allocation. Each chapter has exercises, and the solutions are at the end "
    "of the book. You need to know a little about assembly, linkers and loaders to follow the later chapters. All "
    "examples are written in a small functional language with a generational collector.";
const std::string slot_ads =
    "Play slots, roulette and blackjack with the biggest bonus in town. Deposit today and get two hundred free spins "
    "on "
    "your favourite machines. Our dealers are waiting for you at the tables day and night, with fast payouts, jackpots "
    "and loyalty rewards for every player. Register now, claim your welcome offer and win big. You must be eighteen or "
    "older. Sports betting, poker rooms and live baccarat are on offer as well.";
const std::string chinese_book =
    "本页介绍编译器如何把语法树变成机器指令。我们从语法分析开始，接着讲类型推导，最后讲寄存器分配。每一章都有练习，答案"
    "在书的"
    "末尾。阅读后面的章节需要了解一点汇编、链接器和加载器。所有例子都用一种小型函数式语言写成，带有分代垃圾收集器。";
const DriftPage page_at_first{"Compilers, chapter by chapter | Alder", compiler_book, "en", "Alder"};

}  // namespace

TEST_CASE("a page has drifted if neither its title nor its text is left") {
  struct Change {
    const char* what;
    DriftPage later;
    bool is_drift;
  };
  const std::vector<Change> rows{
      {"the same", page_at_first, false},
      {"a casino", {"Lucky Spins Casino", slot_ads, "en", ""}, true},
      {"a casino in the frame of the site", {"Lucky Spins Casino | Alder", slot_ads, "en", "Alder"}, true},
      {"another title alone", {"Lucky Spins Casino", compiler_book, "en", "Alder"}, false},
      {"another text alone", {"Compilers, chapter by chapter | Alder", slot_ads, "en", "Alder"}, false},
      {"a word of the title is left", {"All about compilers", slot_ads, "en", ""}, false},
      {"the text has the words of the title",
       {"Translating programs", slot_ads + " compilers, chapter by chapter", "en", ""},
       false},
      {"a translation that names the site", {"编译器，逐章讲解", chinese_book, "zh", "Alder"}, false},
      {"another language and nothing of the site", {"澳门在线娱乐城", chinese_book, "zh", ""}, true},
      {"no text", {"Loading", "Please wait", "en", ""}, false},
      {"no title", {"", slot_ads, "en", ""}, false},
      {"a title that says nothing", {"Home", slot_ads, "en", ""}, false},
  };
  const storage::Snapshot first = snapshot_of_page(page_at_first);
  for (const Change& row : rows) {
    CAPTURE(row.what);
    CHECK(drift_of(first, row.later).has_value() == row.is_drift);
  }
}

TEST_CASE("the drift verdict has both titles and the distance") {
  const storage::Verdict verdict =
      drift_of(snapshot_of_page(page_at_first), {"Lucky Spins \x1B[1m Casino", slot_ads}).value();
  CHECK(verdict.health == Health::suspect);
  CHECK(verdict.reason == "content_changed");
  CHECK(verdict.rule == "drift");
  CHECK(verdict.confidence < storage::sure_of_death);
  CHECK(
      verdict.evidence.starts_with("HTTP 200, but it was a different page when first read on 2026-03-05: "
                                   "titled \"Compilers, chapter by "
                                   "chapter | Alder\", now \"Lucky Spins \x1B[1m Casino\"; "));
  CHECK(verdict.evidence.find("% of its text is the same, and ") != std::string::npos);
}

TEST_CASE("only alive pages with a title and a text are compared for drift") {
  const storage::Snapshot good = snapshot_of_page(page_at_first);
  CHECK(is_comparable(good));
  std::vector<storage::Snapshot> others(4, good);
  others[0].verdict.health = Health::blocked;
  others[1].metadata.title.reset();
  others[2].main_text = parser::compute_signature("too few words");
  others[3].verdict.health = Health::suspect;
  for (const storage::Snapshot& other : others) {
    CHECK_FALSE(is_comparable(other));
    CHECK_FALSE(drift_of(other, {"Lucky Spins Casino", slot_ads}).has_value());
  }
  const parser::Url requested = parser::Url::parse("https://alder.herd/compilers").value();
  storage::Snapshot login = snapshot_of_page({"Lucky Spins Casino", slot_ads});
  login.final_url = "https://accounts.herd/login?back=1";
  CHECK_FALSE(find_content_drift(good, {requested, login, {"Lucky Spins Casino", slot_ads}}).has_value());
}
