#include "storage/stored_values.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/value_format.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

template <class T>
T require(Result<T> read) {
  REQUIRE_MESSAGE(read.has_value(), read.error().message);
  return std::move(*read);
}

TEST_CASE("a value of no version or of a newer one is refused") {
  CHECK(after_version("").has_error());
  CHECK(after_version(std::string(100, '\0')).has_error());
  CHECK(after_version(std::string(1, value_version) + "payload").value() == "payload");
  CHECK(after_version("\x02payload")
            .error()
            .message.find(
                "value version 2 is not supported: this linkherd supports version 1; use the newer linkherd") == 0);
}

TEST_CASE("every type survives its stored value") {
  RandomSamples random(20260302);
  for (int i = 0; i < 300; ++i) {
    Snapshot snapshot = random.snapshot();
    CHECK(require(decode_snapshot(encode_snapshot(snapshot))) == snapshot);
    const Run run = random.run();
    CHECK(require(decode_run(encode_run(run))) == run);
    const HostState host = random.host();
    CHECK(require(decode_host(encode_host(host), host.origin)) == host);
    LinkResult entry = random.result();
    CHECK(require(decode_occurrences(encode_occurrences(entry.occurrences))) == entry.occurrences);
    entry.occurrences.clear();
    CHECK(require(decode_result(encode_result(entry), entry.id)) == entry);
    CheckedLink link{entry, random.state()};
    link.state.id = entry.id;
    if (i % 2 == 0) link.state.archived_copy = {"https://archive.example/x", sample_time(i), sample_time(2 * i)};
    if (i % 3 == 0) link.state.relocation = random.relocation();
    CHECK(require(decode_checked_link(encode_checked_link(link), entry.id)) == link);
    if (link.state.snapshot.fetched_at == Timestamp{}) continue;
    const LinkRows rows = encode_link({}, link.state);
    const StoredLink read = require(decode_link(rows.link, entry.id));
    REQUIRE(rows.history.has_value());
    CHECK(read.snapshot_at == link.state.snapshot.fetched_at);
    CHECK(read.state.archived_copy == link.state.archived_copy);
    CHECK(read.state.relocation == link.state.relocation);
    CHECK(require(latest_snapshot(read, *rows.history)) == link.state.snapshot);
  }
}

TEST_CASE("headings of occurrences are stored once") {
  parser::LinkOccurrence occurrence;
  occurrence.file = "list.md";
  occurrence.headings = {std::string(150, 'a'), std::string(150, 'b')};
  occurrence.role = parser::LinkRole::prose;
  const std::vector<parser::LinkOccurrence> many(100, occurrence);
  const std::string row = encode_occurrences(many);
  CHECK(row.size() < 100 * 30 + 400);
  CHECK(require(decode_occurrences(row)) == many);

  // Fields 6 (url), 8 (element), 13 (headings) and 15 (role) of an Occurrence.
  const auto decode = [](const std::string& more) {
    const std::string url = "https://a.test/";
    const std::string one = std::string("\x32") + static_cast<char>(url.size()) + url + more;
    return decode_occurrences(encode_occurrences({}) + "\x0A" + static_cast<char>(one.size()) + one);
  };
  const std::vector<parser::LinkOccurrence> read = require(decode("\x40\x01\x78\x01"));
  REQUIRE(read.size() == 1);
  CHECK(read[0].url == "https://a.test/");
  CHECK(read[0].role == parser::LinkRole::main);
  CHECK(read[0].entry == 0);
  CHECK(read[0].headings.empty());
  CHECK(decode("\x40\x01").has_error());                  // no role
  CHECK(decode("\x78\x01").has_error());                  // no element
  CHECK(decode("\x40\x01\x78\x01\x68\x01").has_error());  // missing headings
  CHECK(decode("\x40\x01\x78\x63").has_error());          // an unknown role
}

TEST_CASE("Non-UTF-8 bytes survive") {
  Snapshot snapshot = sample_link(1).state.snapshot;
  snapshot.etag = "\"\xFF\xFE\"";
  snapshot.content_type = std::string("text/\0html", 10);
  CHECK(require(decode_snapshot(encode_snapshot(snapshot))) == snapshot);
}

// Returns the next check of a link, with the same result.
CheckedLink checked_again(CheckedLink link, std::int64_t seconds) {
  Snapshot& snapshot = link.state.snapshot;
  snapshot.fetched_at = sample_time(seconds);
  snapshot.attempts = {{sample_time(seconds), snapshot.final_url, 200, "", 7}};
  snapshot.remote_address = "127.0.0.9:80";
  snapshot.verdict.evidence = "seen again";
  link.state.last_alive = sample_time(seconds);
  link.result.verdict = snapshot.verdict;
  complete(link, link.result.occurrences);
  return link;
}

std::size_t history_rows(const std::filesystem::path& path, const LinkId& id) {
  std::size_t rows = 0;
  const auto store = KeyValueStore::open_for_reading(path, path / "db");
  store->scan(Family::history, link_key(id), [&rows](std::string_view, std::string_view) {
    ++rows;
    return true;
  });
  return rows;
}

TEST_CASE("an unchanged check adds no history row and is still reported") {
  const TempDir dir;
  const CheckedLink first = sample_link(1);
  const LinkId id = first.result.id;
  CheckedLink last;
  {
    const auto store = Store::open(dir / "store");
    put_link(*store, store->begin_run("identity", {}, sample_time(0)), first, sample_body(1));
    for (std::int64_t day = 1; day <= 40; ++day) {
      const Run run = store->begin_run("run " + std::to_string(day), {}, sample_time(day * 86'400));
      last = checked_again(first, day * 86'400);
      put_link(*store, run, last, {});
      CHECK(LinkHistory(*store).state(id) == last.state);
      CHECK(RunResults(*store, run).link(id) == last);
    }
    const std::vector<Snapshot> looks = LinkHistory(*store).snapshots(id, 100);
    REQUIRE(looks.size() == 33);  // the last 32 and the first
    CHECK(looks.front() == last.state.snapshot);
    CHECK(looks[1].fetched_at == sample_time(39 * 86'400));
    CHECK(looks[1].metadata == first.state.snapshot.metadata);
    CHECK(looks[1].attempts.empty());
    CHECK(looks.back() == first.state.snapshot);
    CHECK(LinkHistory(*store).snapshots(id, 3).size() == 3);
  }
  CHECK(history_rows(dir / "store", id) == 1);
  // Any difference creates a new row.
  last.state.snapshot.metadata.title = {"Another title", "title", 0.5};
  last.state.snapshot.fetched_at = sample_time(41 * 86'400);
  {
    const auto store = Store::open(dir / "store");
    put_link(*store, store->begin_run("changed", {}, sample_time(41 * 86'400)), last, {});
    CHECK(LinkHistory(*store).state(id) == last.state);
    CHECK(LinkHistory(*store).snapshots(id, 1).front() == last.state.snapshot);
  }
  CHECK(history_rows(dir / "store", id) == 2);
}

TEST_CASE("an unmodified page is the stored page") {
  LinkState state = sample_link(1).state;
  const LinkRows first = encode_link({}, state);
  state.snapshot.fetched_at = sample_time(86'400);
  state.snapshot.status = 304;
  state.snapshot.verdict.reason = reason::not_modified;
  const LinkRows second = encode_link(first.link, state);
  CHECK_FALSE(second.history.has_value());
  const StoredLink read = require(decode_link(second.link, state.id));
  CHECK(require(latest_snapshot(read, first.history.value())) == state.snapshot);
}

TEST_CASE("the text signature of a page is stored with the findings of the check") {
  LinkState state = sample_link(1).state;
  state.snapshot.main_text = {.digest = UINT64_MAX, .simhash = 1, .length = 70'000, .minhash = {1, 2, 3, UINT64_MAX}};
  const LinkRows first = encode_link({}, state);
  CHECK(require(decode_snapshot(first.history.value())) == state.snapshot);
  LinkState without = state;
  without.snapshot.main_text = {};
  CHECK(first.history->size() - encode_link({}, without).history->size() <= 64);
  state.snapshot.fetched_at = sample_time(86'400);
  const LinkRows same = encode_link(first.link, state);
  CHECK_FALSE(same.history.has_value());
  without.snapshot.fetched_at = state.snapshot.fetched_at;
  const std::string plain = encode_link(encode_link({}, sample_link(1).state).link, without).link;
  CHECK(same.link.size() - plain.size() <= 64);
  CHECK(require(latest_snapshot(require(decode_link(same.link, state.id)), *first.history)) == state.snapshot);
  state.snapshot.main_text.minhash = {};  // a short text
  CHECK(require(decode_snapshot(encode_snapshot(state.snapshot))) == state.snapshot);
}

TEST_CASE("a text signature without a digest is empty") {
  const std::string_view length_alone = "\x01\x12\x02\x08\x01\xa2\x01\x02\x18\x05";
  CHECK(require(decode_snapshot(length_alone)).main_text == parser::TextSignature());
}

TEST_CASE("only rows that may be the first reading of a page have its text signature") {
  LinkState state = sample_link(1).state;
  state.snapshot.main_text = {.digest = 1, .simhash = 1, .length = 7000, .minhash = {1, 2, 3, 4}};
  state.first_version_at = state.snapshot.fetched_at;
  const LinkRows first = encode_link({}, state);
  CHECK(require(decode_snapshot(*first.history)) == state.snapshot);
  const parser::TextSignature edited{.digest = 2, .simhash = 1, .length = 7001, .minhash = {1, 2, 3, 5}};
  state.snapshot.main_text = edited;
  state.snapshot.fetched_at = sample_time(86'400);
  const LinkRows second = encode_link(first.link, state);
  CHECK_FALSE(require(decode_snapshot(second.history.value())).main_text.was_read());
  const StoredLink link = require(decode_link(second.link, state.id));
  CHECK(require(latest_snapshot(link, *second.history)) == state.snapshot);
  CHECK(require(decode_snapshot(require(latest_row(link, *second.history)))) == state.snapshot);

  state.snapshot.fetched_at = sample_time(2 * 86'400);  // the same again
  const LinkRows third = encode_link(second.link, state);
  CHECK_FALSE(third.history);
  CHECK(require(latest_snapshot(require(decode_link(third.link, state.id)), *second.history)).main_text == edited);
}

TEST_CASE("a result has what reports need of the page and of the first occurrence") {
  RandomSamples random(7);
  for (std::size_t i = 0; i < 20; ++i) {
    CheckedLink link{random.result(), random.state()};
    link.state.snapshot.metadata.canonical = {.value = link.state.url + "?canonical", .source = "link:canonical"};
    complete(link, link.result.occurrences);
    const parser::LinkOccurrence& first = link.result.occurrences.front();
    const std::string row = encode_result(link.result);
    const LinkResult read = require(decode_result(row, link.result.id));
    CHECK(read.url == link.result.url);
    CHECK(read.check == CheckKey{link.state.snapshot.fetched_at, link.state.snapshot.vantage});
    CHECK(read.page == summarize_page(link.state.snapshot));
    CHECK(read.occurrence_count == link.result.occurrences.size());
    CHECK(read.first.file == first.file);
    CHECK(read.first.line == first.line);
    CHECK(read.first.is_placeholder == first.has(parser::LinkNote::placeholder));
    CHECK(require(decode_health(row)) == link.result.verdict.health);
  }
}

TEST_CASE("a result keeps everything else if its verdict or its notification state is replaced") {
  LinkResult result = sample_link(1).result;
  result.occurrences.clear();
  const std::string row = encode_result(result);
  NotificationState notified;
  notified.repeats = 3;
  const Verdict doubt = without_request(Health::suspect, reason::vantage, "vantage", "they disagree");
  const std::string changed = require(with_result_verdict(require(with_notification_state(row, notified)), doubt));
  CHECK(require(read_notification_state(changed)) == notified);
  CHECK_FALSE(require(read_notification_state(row)));
  result.verdict = doubt;
  CHECK(require(decode_result(changed, result.id)) == result);

  const std::string only_finished = row.substr(0, 1) + "\x08\x01";  // the version and field 1
  CHECK(decode_result(only_finished, result.id).has_error());
  CHECK(decode_health(only_finished).has_error());
}

TEST_CASE("the first reading of a page is a history row") {
  const TempDir dir;
  CheckedLink link = sample_link(1);
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  put_link(*store, run, link, {});
  const Timestamp written = link.state.snapshot.fetched_at;
  // The time of a later check with the same result is in no row.
  link.state.snapshot.fetched_at = sample_time(86'400);
  link.state.first_version_at = sample_time(86'400);
  put_link(*store, run, link, {});
  CHECK(LinkHistory(*store).state(link.state.id)->first_version_at == written);
  REQUIRE(LinkHistory(*store).snapshot_at(link.state.id, written).has_value());
  CHECK(LinkHistory(*store).snapshot_at(link.state.id, written)->final_url == link.state.snapshot.final_url);
  CHECK_FALSE(LinkHistory(*store).snapshot_at(link.state.id, sample_time(86'400)).has_value());
  link.state = *LinkHistory(*store).state(link.state.id);
  link.state.snapshot.fetched_at = sample_time(2 * 86'400);
  link.state.snapshot.metadata.title = {"Another title", "title", 0.5};
  put_link(*store, run, link, {});
  CHECK(LinkHistory(*store).state(link.state.id)->first_version_at == written);
}

TEST_CASE("unchanged checks keep the first response headers") {
  LinkState state = sample_link(1).state;
  state.snapshot.headers = {{"date", "today"}, {"x-binary", "\xFF\xFE"}};
  const LinkRows first = encode_link({}, state);
  CHECK(require(decode_snapshot(first.history.value())).headers == state.snapshot.headers);
  LinkState again = state;
  again.snapshot.fetched_at = sample_time(86'400);
  again.snapshot.headers = {{"date", "tomorrow"}};
  const LinkRows second = encode_link(first.link, again);
  CHECK_FALSE(second.history.has_value());
  CHECK(second.link.find("tomorrow") == std::string::npos);
  const StoredLink read = require(decode_link(second.link, state.id));
  CHECK(require(latest_snapshot(read, first.history.value())).headers == state.snapshot.headers);
}

TEST_CASE("a row says whether its body is stored") {
  LinkState state = sample_link(1).state;
  const std::string row = encode_link({}, state).history.value();
  for (const bool stored : {false, true}) {
    const std::string marked = row + encode_body_mark(!stored) + encode_body_mark(stored);  // the last mark counts
    const BodyReference reference = require(body_reference(marked));
    CHECK(reference.digest == state.snapshot.body_digest);
    CHECK(reference.page_existed);
    CHECK(reference.is_stored == stored);
    CHECK(require(decode_snapshot(marked)) == state.snapshot);
  }
  CHECK(body_reference("").has_error());
}

TEST_CASE("a run keeps its health counts and whether it was pruned") {
  Run run{1, "identity", {}, sample_time(0), {}, RunState::complete, 3};
  run.by_health = {{Health::alive, 3}, {Health::suspect, 1'000'000}};
  CHECK(require(decode_run(encode_run(run))) == run);
  CHECK_FALSE(is_pruned_run(encode_run(run)));
  CHECK(is_pruned_run(encode_pruned_run(run)));
  CHECK(require(decode_run(encode_pruned_run(run))) == run);
  run.vantage = "home";
  run.shard = {2, 4, "whole", 100};
  run.parts = {{"one", sample_time(1)}, {"two", sample_time(2)}};
  run.is_merged = true;
  run.subscriber_digest = "them";
  CHECK(require(decode_run(encode_run(run))) == run);
}

TEST_CASE("a link state keeps the snapshots of its vantage points and the time of its move") {
  LinkState state = sample_link(1).state;
  state.moved_at = sample_time(7);
  state.snapshot.vantage = "ci";
  state.vantages = {{"", sample_time(1), {Health::dead, "http_404", "status", "HTTP 404", 0.5}},
                    {"ci", sample_time(60), state.snapshot.verdict}};
  const LinkRows rows = encode_link({}, state);
  LinkState read = require(decode_link(rows.link, state.id)).state;
  read.snapshot = require(decode_snapshot(*rows.history));
  CHECK(read == state);
  state.snapshot.vantage = "home";
  state.snapshot.fetched_at += std::chrono::hours(1);
  CHECK(encode_link(rows.link, state).history);  // a check of another vantage point has its own row
}

TEST_CASE("a link state loses its relocation if a later one has none") {
  LinkState state = sample_link(1).state;
  state.relocation = Relocation{
      "https://example.org/new", RelocationLevel::sure, RelocationSource::sitemap, 0.97, "same title", sample_time(1)};
  const LinkRows rows = encode_link({}, state);
  CHECK(require(decode_link(rows.link, state.id)).state.relocation == state.relocation);
  state.relocation->url.clear();  // a search that found none
  CHECK(require(decode_link(encode_link(rows.link, state).link, state.id)).state.relocation == state.relocation);
  state.relocation.reset();
  CHECK_FALSE(require(decode_link(encode_link(rows.link, state).link, state.id)).state.relocation);
}

TEST_CASE("a relocation of a foreign row is bounded or ignored") {
  const LinkState state = sample_link(1).state;
  // Appends field 17 of a Link: fields 2 (level), 3 (source) and 4 (similarity) of a Relocation, and `more`.
  const auto decode = [&state](const std::string& relocation) {
    std::string row = encode_link({}, state).link + "\x8A\x01" + static_cast<char>(relocation.size()) + relocation;
    return require(decode_link(row, state.id)).state.relocation;
  };
  const std::string sure_by_feed("\x10\x05\x18\x0A");
  REQUIRE(decode(sure_by_feed));
  CHECK(decode(sure_by_feed)->level == RelocationLevel::sure);
  CHECK(decode(sure_by_feed)->source == RelocationSource::feed);
  CHECK_FALSE(decode(sure_by_feed)->similarity);
  CHECK(decode(sure_by_feed)->searched_at == Timestamp{});
  CHECK(decode(sure_by_feed + std::string("\x20\x00", 2))->similarity == 0.0);
  CHECK(decode(sure_by_feed + "\x20\xFF\xFF\xFF\xFF\x0F")->similarity == 1.0);
  CHECK(decode(sure_by_feed + "\x30\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")->searched_at == Timestamp{});
  CHECK_FALSE(decode(""));
  CHECK_FALSE(decode("\x10\x06\x18\x0A"));  // an unknown level
  CHECK_FALSE(decode("\x10\x05\x18\x0C"));  // an unknown source
  CHECK_FALSE(decode("\x10\x05"));          // no source

  LinkState hostile = state;
  hostile.relocation =
      Relocation{"\x1b[1m", RelocationLevel::sure, RelocationSource::feed, 7.0, std::string(100'000, 'x'), {}};
  for (const double similarity : {std::nan(""), -1.0, 2.0}) {
    hostile.relocation->similarity = similarity;
    const std::optional<Relocation> read =
        require(decode_link(encode_link({}, hostile).link, state.id)).state.relocation;
    REQUIRE(read);
    CHECK(read->similarity == (similarity > 1 ? 1.0 : 0.0));
    CHECK(read->url == hostile.relocation->url);  // reports escape it
  }
}

TEST_CASE("an unchanged link is written in few bytes") {
  CheckedLink link = sample_link(1);
  LinkRows rows = encode_link({}, link.state);
  for (std::int64_t day = 1; day <= 40; ++day) {
    link = checked_again(link, day * 86'400);
    rows = encode_link(rows.link, link.state);
    REQUIRE_FALSE(rows.history.has_value());
  }
  link.result.finished = true;
  CHECK(rows.link.size() + encode_result(link.result).size() < 420);  // before compression
}

TEST_CASE("occurrences are stored once for all runs of the same inputs") {
  const TempDir dir;
  const CheckedLink link = sample_link(1);
  const auto store = Store::open(dir / "store");
  Run run = store->begin_run("identity", {}, sample_time(0));
  put_link(*store, run, link, {});
  run.state = RunState::complete;
  store->put_run(run);
  const Run second = store->begin_run("identity", {}, sample_time(86'400));
  REQUIRE(second.number == 2);
  RunResults(*store, second).put(std::vector<LinkResult>{link.result});
  CHECK(RunResults(*store, second).occurrences(link.result.id) == link.result.occurrences);
  CHECK(RunResults(*store, run).occurrences(link.result.id) == link.result.occurrences);
  const Run other = store->begin_run("another", {}, sample_time(86'400));
  LinkResult moved = link.result;
  moved.occurrences.front().line += 10;
  RunResults(*store, other).put(std::vector<LinkResult>{moved});
  CHECK(RunResults(*store, other).occurrences(link.result.id) == moved.occurrences);
  CHECK(RunResults(*store, second).occurrences(link.result.id) == link.result.occurrences);
}

template <class Decode>
void decode_damaged(const std::string& value, std::mt19937& random, Decode decode) {
  std::string damaged = value;
  const auto below = [&random](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (std::size_t count = 1 + below(4); count > 0; --count)
    damaged[below(damaged.size())] = static_cast<char>(random());
  if (below(3) == 0) damaged.resize(1 + below(damaged.size()));
  decode(damaged);  // returns an Error or a value, without an exception or a crash
  decode(damaged.substr(0, 1) + damaged);
}

TEST_CASE("damaged values give errors or other values but do not crash") {
  RandomSamples nouns(7);
  std::mt19937 random(11);
  for (int i = 0; i < 2'000; ++i) {
    const LinkResult entry = nouns.result();
    LinkState state = nouns.state();
    if (i % 2 == 0) state.relocation = nouns.relocation();
    const LinkRows rows = encode_link({}, state);
    const std::string history = rows.history.value_or(encode_snapshot(state.snapshot));
    decode_damaged(rows.link, random, [&](const std::string& value) {
      const Result<StoredLink> link = decode_link(value, state.id);
      if (link.has_value()) static_cast<void>(latest_snapshot(*link, history));
      static_cast<void>(encode_link(value, state));
    });
    decode_damaged(history, random, [](const std::string& value) { static_cast<void>(decode_snapshot(value)); });
    decode_damaged(encode_result(entry), random,
                   [&](const std::string& value) { static_cast<void>(decode_result(value, entry.id)); });
    decode_damaged(encode_occurrences(entry.occurrences), random,
                   [](const std::string& value) { static_cast<void>(decode_occurrences(value)); });
    decode_damaged(encode_run(nouns.run()), random,
                   [](const std::string& value) { static_cast<void>(decode_run(value)); });
    decode_damaged(encode_host(nouns.host()), random,
                   [](const std::string& value) { static_cast<void>(decode_host(value, "https://example.org")); });
  }
}

}  // namespace
}  // namespace linkherd::storage
