#include "crawler/run/page_doubts.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/classify/content_drift.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

namespace {

const Timestamp doubt_time = parse_timestamp("2026-03-05T10:00:00Z").value();

LinkTable table_of_entry(const std::string& url, const std::string& text) {
  LinkTable table;
  const parser::Url parsed = parser::Url::parse(url).value();
  const std::size_t link = table.find_or_add(storage::LinkId::of(parsed), parsed.href(), std::nullopt);
  parser::LinkOccurrence occurrence;
  occurrence.file = "list.md";
  occurrence.url = occurrence.href = url;
  occurrence.text = text;
  table.add_occurrence(link, occurrence);
  return table;
}

AnalyzedPage page_with(const std::string& url, int status, const std::string& title, const std::string& text) {
  const parser::Url parsed = parser::Url::parse(url).value();
  AnalyzedPage page{{.visible = {title, text}}, FetchRequest(storage::LinkId::of(parsed), parsed.href()), parsed};
  page.snapshot.fetched_at = doubt_time;
  page.snapshot.status = status;
  page.snapshot.final_url = url;
  page.snapshot.verdict = status == 200 ? storage::Verdict{Health::alive, "ok", "status", "HTTP 200", 1.0}
                                        : storage::Verdict{Health::dead, "http_404", "status", "HTTP 404", 1.0};
  return page;
}

constexpr const char* quill_url = "https://quarryquill.cn/";
constexpr const char* quill_entry = "Quarry Quill letterpress supplies";
// Long enough to be compared with an entry.
constexpr const char* casino_text =
    "Play slots, roulette and blackjack with the biggest bonus in town. Deposit today and get 200 free spins on your "
    "favourite machines. Our dealers are waiting for you at the tables day and night, with fast payouts, jackpots and "
    "loyalty rewards for every player. Register now, claim your welcome offer and win big. Responsible gambling: you "
    "must be 18 or older to bet. Sports betting, poker rooms and live baccarat are on offer as well. The best online "
    "casino pays out within a day, and its guests may watch every table before they sit down and place their first "
    "bet with the dealer of their choice. Free drinks are served to the winners of the evening by our friendly team.";

}  // namespace

TEST_CASE("an alive page is suspect if it does not match its entry") {
  const RunLinks links(table_of_entry(quill_url, quill_entry), nullptr);
  PageDoubts doubts(links, nullptr);
  AnalyzedPage other = page_with(quill_url, 200, "Best online casino", casino_text);
  CHECK(doubts.needs_text(other));
  doubts.compare_with_list(0, other);
  CHECK(other.snapshot.verdict.health == Health::suspect);

  AnalyzedPage same = page_with(quill_url, 200, "Quarry Quill", "Letterpress supplies by Quarry Quill");
  doubts.compare_with_list(0, same);
  CHECK(same.snapshot.verdict.health == Health::alive);

  AnalyzedPage unread = page_with(quill_url, 200, "", "");
  doubts.compare_with_list(0, unread);
  CHECK(unread.snapshot.verdict.health == Health::alive);
}

TEST_CASE("a missing page is doubted if it shows its entry or was alive earlier in the run") {
  LinkTable table = table_of_entry(quill_url, quill_entry);
  const std::size_t second = table.find_or_add(storage::LinkId::of_text("second"), "https://b.cn/", std::nullopt);
  const RunLinks links(std::move(table), nullptr);
  PageDoubts doubts(links, nullptr);
  AnalyzedPage gone = page_with(quill_url, 404, "Not found", "This page is gone");
  doubts.compare_with_list(0, gone);
  CHECK(gone.snapshot.verdict.health == Health::dead);

  AnalyzedPage shown = page_with(quill_url, 404, quill_entry, "Quarry Quill sells letterpress supplies");
  doubts.compare_with_list(0, shown);
  CHECK(shown.snapshot.verdict.health == Health::suspect);

  AnalyzedPage redirected = page_with("https://b.cn/", 200, "", "");
  redirected.snapshot.redirects = {{"https://b.cn/", 301, quill_url}};
  redirected.snapshot.final_url = quill_url;
  doubts.compare_with_list(second, redirected);
  AnalyzedPage again = page_with(quill_url, 404, "Not found", "This page is gone");
  doubts.compare_with_list(0, again);
  CHECK(again.snapshot.verdict.health == Health::suspect);
  CHECK(again.snapshot.verdict.evidence.find("alive earlier in this run") != std::string::npos);
}

TEST_CASE("only a host that had pages in an earlier run and has none now has lost a page") {
  const tests::TempDir folder;
  const std::unique_ptr<storage::Store> store = storage::Store::open(folder / "store");
  const RunLinks links(table_of_entry(quill_url, quill_entry), store.get());
  const AnalyzedPage gone = page_with(quill_url, 404, "", "");
  PageDoubts doubts(links, store.get());
  CHECK_FALSE(doubts.has_host_lost_it(gone));
  CHECK_FALSE(doubts.has_answered_before(links.id(0), quill_url));

  storage::LinkState earlier;
  earlier.url = quill_url;
  earlier.last_alive = doubt_time - std::chrono::hours(24);
  earlier.snapshot = page_with(quill_url, 200, "", "").snapshot;
  doubts.note_earlier(earlier);
  CHECK(doubts.has_host_lost_it(gone));
  CHECK(doubts.has_answered_before(links.id(0), quill_url));
  CHECK_FALSE(doubts.has_host_lost_it(page_with(quill_url, 200, "", "")));
  CHECK_FALSE(PageDoubts(links, nullptr).has_host_lost_it(gone));

  doubts.note_reused(earlier.snapshot);
  CHECK_FALSE(doubts.has_host_lost_it(gone));
}

TEST_CASE("a first version that the store has lost is forgotten") {
  const tests::TempDir folder;
  const std::unique_ptr<storage::Store> store = storage::Store::open(folder / "store");
  const RunLinks links(table_of_entry(quill_url, quill_entry), store.get());
  const PageDoubts doubts(links, store.get());
  AnalyzedPage page = page_with(quill_url, 200, "Quarry Quill", casino_text);
  storage::LinkState state;
  state.id = links.id(0);
  state.first_version_at = doubt_time - std::chrono::hours(24);
  doubts.compare_with_first_version(state, page, page.snapshot);
  CHECK_FALSE(state.first_version_at);
  CHECK(page.snapshot.verdict.health == Health::alive);
}
