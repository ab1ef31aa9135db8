// Tests content mismatches: the real program checks lists with a sold domain, whose pages have status 200 but do not
// match their entries.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

Page page_of(const std::string& title, const std::string& text) {
  return html_page("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>" + title + "</title></head><body><h1>" +
                   title + "</h1><p>" + text + "</p></body></html>");
}

const std::string about_slots =
    "Play slots, roulette and blackjack with the biggest bonus in town. Deposit today and get 200 free spins on your "
    "favourite machines. Our dealers are waiting for you at the tables day and night, with fast payouts, jackpots and "
    "loyalty rewards for every player. Register now, claim your welcome offer and win big. You must be 18 or older. "
    "Sports betting, poker "
    "rooms and live baccarat are on offer as well, and a lottery is held every Sunday evening at nine.";
const std::string about_compilers =
    "This page describes how a compiler turns the syntax tree into machine instructions. We begin with parsing, go on "
    "to type inference, and end with register allocation. Each chapter has exercises, and the solutions are at the "
    "end of the book. You need to know a little about assembly, linkers and loaders to follow the later chapters. "
    "All examples are written in a small functional language with a generational collector.";

void plant(SmallInternet& internet) {
  const Page compilers = page_of("Compilers, chapter by chapter", about_compilers);
  const Page casino = page_of("Lucky Spins Casino", about_slots);
  internet.host("sold.herd").page("/garbage-collection", casino).page("/escape-analysis", casino).page("/", casino);
  for (const char* path : {"/german", "/chinese", "/generic", "/here", "/bare", "/agreeing", "/twice"}) {
    internet.host("compilers.herd").page(path, compilers);
  }
  internet.host("doi.herd").page("/10.7/7", redirect_page(302, "http://library.herd/7"));
  internet.host("library.herd").page("/7", page_of("Odds of roulette: a survey", about_slots));
}

const std::string list =
    "- [Shorter pauses with generational garbage collectors](http://sold.herd/garbage-collection)\n"
    "- [Escape analysis in three steps](http://sold.herd/escape-analysis)\n"
    "- [Register allocation by puzzle solving](http://doi.herd/10.7/7)\n"
    "- [Wie man einen Übersetzer mit Typherleitung schreibt](http://compilers.herd/german)\n"
    "- [从零开始写一个带类型推导的编译器](http://compilers.herd/chinese)\n"
    "- [Official website](http://compilers.herd/generic)\n"
    "- [here](http://compilers.herd/here) and <http://compilers.herd/bare>\n"
    "- [Parsing and register allocation](http://compilers.herd/agreeing)\n"
    "- [Something else entirely, about gardening roses](http://compilers.herd/twice)\n"
    "- [Type inference and parsing](http://compilers.herd/twice)\n"
    "- [Sold](http://sold.herd/) - Garbage collectors and escape analysis, explained with pictures\n";

}  // namespace

TEST_CASE("a page that does not match its entry is suspect") {
  SmallInternet internet;
  plant(internet);
  const TempDir folder;
  folder.write("list.md", list);
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  std::vector<std::string> suspects;
  for (const CheckedLine& line : lines) {
    CAPTURE(line.url);
    CAPTURE(line.evidence);
    CHECK((line.health == "suspect") == (line.reason == "other_content"));
    if (line.health == "suspect") {
      suspects.push_back(line.url);
    } else {
      CHECK(line.health == "alive");
    }
  }
  std::ranges::sort(suspects);
  CHECK(suspects == std::vector<std::string>{"http://doi.herd/10.7/7", "http://sold.herd/",
                                             "http://sold.herd/escape-analysis",
                                             "http://sold.herd/garbage-collection"});
  const std::string& evidence = line_of(lines, "http://sold.herd/garbage-collection").evidence;
  CHECK(evidence.find("\"Shorter pauses with generational garbage collectors\"") != std::string::npos);
  CHECK(evidence.find("\"Lucky Spins Casino\"") != std::string::npos);
  CHECK(line_of(lines, "http://doi.herd/10.7/7").evidence.find("after 1 redirect") != std::string::npos);
}

TEST_CASE("the text report quotes entry and page of a content mismatch and the next run rechecks it") {
  SmallInternet internet;
  plant(internet);
  const TempDir folder;
  folder.write("list.md", list);
  const std::vector<std::string> words =
      check_arguments(internet, {"--store", "store", "--now", "2026-03-05T10:00:00Z", "list.md"});
  const ProgramResult first = run_linkherd(folder.path(), words);
  CAPTURE(first.out);
  CHECK(first.exit_code == 0);
  CHECK(first.out.find("Probably not the page that the entry describes (") != std::string::npos);
  CHECK(first.out.find("\"Escape analysis in three steps\"") != std::string::npos);
  CHECK(first.out.find("\"Lucky Spins Casino\"") != std::string::npos);
  CHECK(internet.count("sold.herd", "/escape-analysis") == 1);

  internet.host("sold.herd").page("/escape-analysis", page_of("Escape analysis", about_compilers));
  const ProgramResult second =
      run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--now", "2026-03-05T10:30:00Z",
                                                             "--format", "jsonl", "--fail-on", "suspect", "list.md"}));
  CAPTURE(second.err);
  CHECK(second.exit_code == 2);
  const std::vector<CheckedLine> lines = checked_lines(second.out);
  CHECK(line_of(lines, "http://sold.herd/escape-analysis").health == "alive");
  CHECK(line_of(lines, "http://sold.herd/garbage-collection").health == "suspect");
  CHECK(line_of(lines, "http://compilers.herd/agreeing").is_from_store);
}

TEST_CASE("a drifted page is suspect until it is back or accepted") {
  SmallInternet internet;
  const Page compilers = page_of("Compilers, chapter by chapter", about_compilers);
  internet.host("book.herd").page("/", compilers).page("/edited", compilers);
  const TempDir folder;
  folder.write("list.md", "- http://book.herd/\n- http://book.herd/edited\n");
  const auto check_on = [&](const std::string& day) {
    return run_linkherd(folder.path(),
                        check_arguments(internet, {"--store", "store", "--now", "2026-03-" + day + "T10:00:00Z",
                                                   "--format", "jsonl", "--fail-on", "suspect", "list.md"}));
  };
  CHECK(check_on("05").exit_code == 0);

  internet.host("book.herd").page("/edited", page_of("Compilers, explained", about_compilers + " " + about_slots));
  for (const char* day : {"07", "09"}) {
    internet.host("book.herd").page("/", page_of("Lucky Spins Casino", about_slots + " Bonus of the day: " + day));
    const ProgramResult result = check_on(day);
    CAPTURE(result.out);
    CHECK(result.exit_code == 2);
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    const CheckedLine& sold = line_of(lines, "http://book.herd/");
    CHECK(sold.health == "suspect");
    CHECK(sold.reason == "content_changed");
    CHECK(sold.evidence.find("first read on 2026-03-05: titled \"Compilers, chapter by chapter\", now "
                             "\"Lucky Spins Casino\"") != std::string::npos);
    CHECK(line_of(lines, "http://book.herd/edited").health == "alive");
  }
  const ProgramResult report = run_linkherd(folder.path(), {"report", "--store", "store"});
  CHECK(report.out.find("Probably another page than before (1)") != std::string::npos);
  CHECK(report.out.find("\"Lucky Spins Casino\"") != std::string::npos);
  folder.write("linkherd.toml",
               "[[accepted]]\nurl = \"http://book.herd/\"\nreason = \"new owner\"\nuntil = 2026-03-31\n");
  CHECK(check_on("11").exit_code == 0);
  CHECK(std::filesystem::remove(folder / "linkherd.toml"));

  internet.host("book.herd").page("/", compilers);
  const ProgramResult back = check_on("13");
  CHECK(back.exit_code == 0);
  CHECK(line_of(checked_lines(back.out), "http://book.herd/").health == "alive");
}
