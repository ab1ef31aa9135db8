#include "storage/store.h"

#include <thread>

#include <doctest/doctest.h>

#include "tests/storage/samples.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

std::vector<CheckedLink> links_of(const Store& store, const Run& run) {
  std::vector<CheckedLink> links;
  store.for_each_link(run, [&](CheckedLink link) {
    links.push_back(std::move(link));
    return true;
  });
  return links;
}

TEST_CASE("written data is there after reopening") {
  const TempDir dir;
  const CheckedLink link = sample_link(1);
  Run run;
  {
    const auto store = Store::open(dir / "a" / "b" / "store");
    run = store->begin_run("identity", {"list.md"}, sample_time(0));
    store->put_link(run, link, sample_body(1));
    store->put_hosts({{"https://b.example", sample_time(5), 2.5}, {"https://a.example", std::nullopt, 1.0}});
    store->sync();
  }
  const auto store = Store::open(dir / "a" / "b" / "store");
  CHECK(store->link(link.entry.id) == link.record);
  CHECK(store->result(run, link.entry.id) == link.entry);
  CHECK(store->body(link.record.snapshot.body_digest) == sample_body(1));
  CHECK(store->history(link.entry.id, 10) == std::vector{link.record.snapshot});
  CHECK(store->hosts() ==
        std::vector<HostState>{{"https://a.example", std::nullopt, 1.0}, {"https://b.example", sample_time(5), 2.5}});
  CHECK(store->latest_run() == run);
}

TEST_CASE("links written in a batch equal links written alone and share one body") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {"list.md"}, sample_time(0));
  std::vector<CheckedLink> links;
  for (std::uint64_t number = 1; number <= 3; ++number) links.push_back(sample_link(number));
  for (CheckedLink& link : links) {
    link.record.snapshot.body_digest = content_digest(sample_body(1));
    complete(link, link.entry.occurrences);
  }
  LinkWriter writer(*store, run);
  writer.add(links[0], sample_body(1));
  writer.add(links[1], sample_body(1), true);
  writer.add(links[2], {});
  CHECK_FALSE(store->link(links[0].entry.id).has_value());
  CHECK(writer.bytes() > 0);
  writer.write();
  CHECK(writer.bytes() == 0);
  for (const CheckedLink& link : links) {
    CHECK(store->link(link.entry.id) == link.record);
    CHECK(store->result(run, link.entry.id) == link.entry);
  }
  CHECK(store->body(content_digest(sample_body(1))) == sample_body(1));
  CHECK(store->verify().problems.empty());
  store->publish();  // the number of bodies is exact without memtables
  for (const FamilyUse& family : store->use().families) {
    if (family.name == "body") CHECK(family.rows == 1);
  }
  links[0].record.snapshot.body_digest = content_digest("yet another");
  CHECK_THROWS_AS(writer.add(links[0], "another"), std::logic_error);
}

TEST_CASE("a partial run is the latest and the complete run before it keeps its results") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  CheckedLink link = sample_link(1);
  Run whole = store->begin_run("identity", {"list.md"}, sample_time(0));
  store->put_link(whole, link, sample_body(1));
  whole.state = RunState::complete;
  whole.finished_at = link.record.snapshot.fetched_at;
  store->put_run(whole);
  const Verdict first = link.entry.verdict;

  Run partial = store->begin_run("another identity", {"list.md"}, sample_time(100'000), true);
  CHECK(partial.number == 2);
  link.record.snapshot.fetched_at = sample_time(100'001);
  link.record.snapshot.status = 404;
  link.record.snapshot.verdict = {.health = Health::dead, .reason = "http_404", .rule = "status", .evidence = "gone"};
  link.entry.verdict = link.record.snapshot.verdict;
  store->put_link(partial, link, sample_body(1));
  partial.state = RunState::complete;
  partial.finished_at = sample_time(100'002);
  store->put_run(partial);

  CHECK(store->latest_run() == partial);
  CHECK(store->latest_whole_run() == whole);
  const auto then = store->outcome(whole, link.entry.id);
  REQUIRE(then);
  CHECK(then->entry.verdict == first);
  CHECK(then->record.snapshot.status == 200);
  CHECK(links_of(*store, whole).front().entry.verdict == first);
  CHECK(store->outcome(partial, link.entry.id)->entry.verdict == link.entry.verdict);
  CHECK(store->link(link.entry.id)->snapshot.status == 404);
}

TEST_CASE("a missing item is empty and no error") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const LinkId id = LinkId::of_text("nobody");
  CHECK_FALSE(store->latest_run().has_value());
  CHECK_FALSE(store->link(id).has_value());
  CHECK(store->history(id, 5).empty());
  CHECK(store->hosts().empty());
  CHECK(links_of(*store, Run{}).empty());
  for (const std::string_view digest : {"", "abc", "not hexadecimal"}) CHECK_FALSE(store->body(digest).has_value());
  CHECK_FALSE(store->body(content_digest("nothing")).has_value());
}

TEST_CASE("a random link of every kind survives the store") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  RandomSamples random(7);
  for (int i = 0; i < 200; ++i) {
    CheckedLink link{random.entry(), random.record()};
    link.record.id = link.entry.id;
    complete(link, link.entry.occurrences);
    store->put_link(run, link, {});
    CHECK(store->link(link.entry.id) == link.record);
    CHECK(store->result(run, link.entry.id) == link.entry);
  }
}

TEST_CASE("history is newest first and bounded and only of one link") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink link = sample_link(1);
  CheckedLink other = sample_link(2);
  for (const std::int64_t second : {30, 10, 50, 20, 40}) {
    link.record.snapshot.fetched_at = sample_time(second);
    link.record.snapshot.status = static_cast<int>(second);
    store->put_link(run, link, {});
    other.record.snapshot.fetched_at = sample_time(second + 1);
    store->put_link(run, other, {});
  }
  link.record.snapshot.fetched_at = sample_time(50) + Duration(1);
  store->put_link(run, link, {});
  store->put_link(run, link, {});  // the same snapshot again: no second entry

  const auto seconds = [&](std::size_t limit) {
    std::vector<std::int64_t> result;
    for (const Snapshot& snapshot : store->history(link.entry.id, limit)) {
      result.push_back((snapshot.fetched_at - sample_time(0)).count() / 1'000'000);
    }
    return result;
  };
  CHECK(seconds(100) == std::vector<std::int64_t>{50, 50, 40, 30, 20, 10});
  CHECK(seconds(2) == std::vector<std::int64_t>{50, 50});
  CHECK(seconds(0).empty());
  CHECK(store->history(link.entry.id, 1).front().fetched_at == sample_time(50) + Duration(1));
}

TEST_CASE("a replaced snapshot keeps its findings and loses the fields of the latest one") {
  const tests::TempDir folder;
  const auto store = Store::open(folder / "store");
  const Run run = store->begin_run("checks", {}, sample_time(0));
  CheckedLink link = sample_link(1);
  const auto look = [&](std::int64_t at, std::string_view title, std::string_view body) {
    Snapshot& snapshot = link.record.snapshot;
    snapshot.fetched_at = sample_time(at);
    snapshot.metadata.title = {std::string(title), "title", 0.8};
    snapshot.body_digest = content_digest(body.empty() ? title : body);
    snapshot.main_text = {.digest = 7, .simhash = 8, .length = 9, .minhash = {1, 2, 3, 4}};
    snapshot.attempts = {{sample_time(at), link.record.url, 200, "", 5}};
    snapshot.headers = {{"server", "nginx"}};
    if (!link.record.first_reading_at) link.record.first_reading_at = snapshot.fetched_at;
    store->put_link(run, link, body);
    return snapshot;
  };
  const Snapshot first = look(10, "first", "");
  Snapshot without_body = look(20, "second", "");
  Snapshot with_body = look(30, "third", "the page");
  const Snapshot latest = look(40, "fourth", "");
  // Content drift is measured against the first reading.
  CHECK(store->snapshot_at(link.entry.id, sample_time(10)) == first);
  for (Snapshot* replaced : {&without_body, &with_body}) {
    replaced->main_text = {};
    replaced->attempts.clear();
  }
  without_body.body_digest.clear();
  CHECK(store->snapshot_at(link.entry.id, sample_time(20)) == without_body);
  CHECK(store->snapshot_at(link.entry.id, sample_time(30)) == with_body);
  CHECK(store->link(link.entry.id)->snapshot == latest);

  SUBCASE("a failed snapshot keeps its attempts") {
    link.record.snapshot.verdict = {Health::dead, std::string(reason::not_found), "status", "HTTP 404", 1.0};
    const Snapshot failed = look(50, "", "");
    look(60, "sixth", "");
    CHECK(store->snapshot_at(link.entry.id, sample_time(50))->attempts == failed.attempts);
  }
}

TEST_CASE("a link that was never fetched has a link state and no history") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink link = sample_link(1);
  link.record.snapshot = Snapshot{};
  link.entry.verdict = {Health::skipped, "placeholder", "placeholder", "", 1.0};
  store->put_link(run, link, {});
  CHECK(store->link(link.entry.id) == link.record);
  CHECK(store->history(link.entry.id, 5).empty());
}

TEST_CASE("a body is stored once per digest and never under a wrong one") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  const std::string body(100'000, 'x');
  for (std::uint64_t number = 0; number < 3; ++number) {
    CheckedLink link = sample_link(number);
    link.record.snapshot.body_digest = content_digest(body);
    store->put_link(run, link, body);
  }
  CHECK(store->body(content_digest(body)) == body);
  CheckedLink small = sample_link(4);
  small.record.snapshot.body_digest = content_digest("tiny");
  store->put_link(run, small, "tiny");
  CHECK(store->body(content_digest("tiny")) == "tiny");

  CheckedLink wrong = sample_link(5);
  wrong.record.snapshot.body_digest = content_digest("something else");
  CHECK_THROWS_AS(store->put_link(run, wrong, body), std::logic_error);
  CHECK_FALSE(store->link(wrong.entry.id).has_value());  // all or nothing is stored
}

TEST_CASE("bodies with any bytes survive the store") {
  const TempDir dir;
  std::string body = "\xFF\xFE";
  for (int i = 0; i < 10'000; ++i) body.push_back(static_cast<char>(i * 7 % 256));
  {
    const auto store = Store::open(dir / "store");
    const Run run = store->begin_run("identity", {}, sample_time(0));
    CheckedLink link = sample_link(1);
    link.record.snapshot.body_digest = content_digest(body);
    store->put_link(run, link, body);
    store->publish();  // moves the body to a blob file
    CHECK(store->body(content_digest(body)) == body);
  }
  CHECK(Store::open_for_reading(dir / "store")->body(content_digest(body)) == body);
}

TEST_CASE("a run is resumed only if it is the latest and unfinished and has the same identity") {
  struct Row {
    RunState state;
    std::string_view identity;
    bool resumed;
  };
  for (const Row& row : {Row{RunState::open, "same", true}, Row{RunState::interrupted, "same", true},
                         Row{RunState::outage, "same", true}, Row{RunState::complete, "same", false},
                         Row{RunState::open, "other", false}, Row{RunState::interrupted, "other", false}}) {
    const TempDir dir;
    CAPTURE(enum_name(run_state_names, row.state));
    CAPTURE(row.identity);
    Run first;
    {
      const auto store = Store::open(dir / "store");
      first = store->begin_run("same", {"a.md", "b.md"}, sample_time(0));
      CHECK(first.number == 1);
      CHECK(first.state == RunState::open);
      first.state = row.state;
      first.finished_at = sample_time(9);
      store->put_run(first);
    }
    const auto store = Store::open(dir / "store");
    const Run second = store->begin_run(row.identity, {"c.md"}, sample_time(10));
    CHECK(second.state == RunState::open);
    CHECK_FALSE(second.finished_at.has_value());
    CHECK(second.number == (row.resumed ? 1U : 2U));
    CHECK(second.started_at == (row.resumed ? sample_time(0) : sample_time(10)));
    CHECK(second.inputs == (row.resumed ? first.inputs : std::vector<std::string>{"c.md"}));
    CHECK(store->latest_run() == second);
  }
}

TEST_CASE("an unfinished run before a later one is never resumed") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  CHECK(store->begin_run("a", {}, sample_time(0)).number == 1);
  CHECK(store->begin_run("b", {}, sample_time(1)).number == 2);
  CHECK(store->begin_run("a", {}, sample_time(2)).number == 3);
}

TEST_CASE("unwanted entries are removed from their run and no other") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run earlier = store->begin_run("earlier", {}, sample_time(0));
  store->put_link(earlier, sample_link(0), {});
  const Run run = store->begin_run("identity", {}, sample_time(1));
  for (std::uint64_t number = 0; number < 10; ++number) store->put_link(run, sample_link(number), {});
  const LinkId wanted = sample_link(3).entry.id;
  store->keep_results(run, [&wanted](const LinkId& id) { return id == wanted; });
  const std::vector<CheckedLink> left = links_of(*store, run);
  REQUIRE(left.size() == 1);
  CHECK(left[0] == sample_link(3));
  CHECK(store->latest_run() == run);
  CHECK(store->result(earlier, sample_link(0).entry.id).has_value());
  CHECK(store->link(sample_link(9).entry.id).has_value());
}

TEST_CASE("entries are joined with their link states in the order of ids") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run earlier = store->begin_run("earlier", {}, sample_time(0));
  store->put_link(earlier, sample_link(99), {});
  const Run run = store->begin_run("identity", {}, sample_time(1));
  std::vector<LinkResult> plan;
  for (std::uint64_t number = 0; number < 50; ++number) {
    plan.push_back(sample_link(number).entry);
    plan.back().finished = false;
  }
  store->put_results(run, plan);
  for (std::uint64_t number = 0; number < 50; number += 2) store->put_link(run, sample_link(number), {});
  const Run later = store->begin_run("later", {}, sample_time(2));
  store->put_results(later, plan);

  const std::vector<CheckedLink> links = links_of(*store, run);
  REQUIRE(links.size() == 50);
  CHECK(std::ranges::is_sorted(links, {}, [](const CheckedLink& link) { return link.entry.id; }));
  for (const CheckedLink& link : links) {
    const CheckedLink expected = sample_link(link.entry.occurrences.at(0).line - 1);
    CHECK(link.record.id == expected.entry.id);
    CHECK(link.record.url == expected.record.url);  // for a link that was not fetched: the href without the fragment
    CHECK(link.entry.finished == (link.record == expected.record));
  }
  std::size_t visited = 0;
  store->for_each_link(run, [&](const CheckedLink& /*link*/) { return ++visited < 3; });
  CHECK(visited == 3);
}

TEST_CASE("the notification state is stored beside the entries and changes nothing else") {
  const TempDir folder;
  const auto store = Store::open(folder / "store");
  Run run = store->begin_run("lists", {"a.md"}, sample_time(0));
  store->put_link(run, sample_link(1), sample_body(1));
  CheckedLink blocked = sample_link(2);
  blocked.entry.verdict = without_request(Health::deferred, reason::interrupted, "run", "");
  store->put_link(run, blocked, sample_body(2));
  const LinkId first = sample_link(1).entry.id;
  const LinkId second = blocked.entry.id;

  const NotificationState ends{{}, sample_time(day), 0};
  store->put_notification_states(run, {{first, NotificationState{{}, {}, 7}},
                                       {second, NotificationState{Health::dead, {}, 0}},
                                       {sample_link(3).entry.id, ends}});
  store->put_notification_states(run, {{first, ends}});
  std::map<LinkId, NotificationState> states;
  store->for_each_notification_state(
      run, [&states](const LinkId& id, const NotificationState& one) { states.emplace(id, one); });
  CHECK(states == std::map<LinkId, NotificationState>{{first, ends}, {second, NotificationState{Health::dead, {}, 0}}});
  CHECK(store->outcome(run, first)->entry.verdict == sample_link(1).entry.verdict);
  CHECK(store->outcome(run, second)->entry.verdict == blocked.entry.verdict);

  run.subscriber_digest = "them";
  store->put_run(run);
  CHECK(store->latest_run()->subscriber_digest == "them");
}

TEST_CASE("a link table larger than one batch is stored whole") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  std::vector<LinkResult> plan;
  for (std::uint64_t number = 0; number < 400; ++number) {
    plan.push_back(sample_link(number).entry);
    plan.back().occurrences.front().text = std::string(100'000, 'x');
  }
  store->put_results(run, plan);
  CHECK(links_of(*store, run).size() == 400);
  store->put_results(run, {});
  CHECK(links_of(*store, run).size() == 400);
}

TEST_CASE("threads may write and read at the same time") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&store, &run, thread] {
        for (std::uint64_t i = 0; i < 100; ++i)
          store->put_link(run, sample_link(thread * 100 + i), sample_body(thread * 100 + i));
      });
    }
    threads.emplace_back([&store] {
      for (int i = 0; i < 3; ++i) store->publish();
    });
    threads.emplace_back([&store, &run] {
      for (int i = 0; i < 10; ++i)
        store->for_each_link(run, [](const CheckedLink& link) { return link.record.id == link.entry.id; });
    });
  }
  CHECK(links_of(*store, run).size() == 400);
}

TEST_CASE("the store ignores itself in git") {
  const TempDir dir;
  Store::open(dir / "store");
  CHECK(tests::read_file(dir / "store" / ".gitignore") == "*\n");
}

}  // namespace
}  // namespace linkherd::storage
