#include "storage/store.h"

#include <thread>

#include <doctest/doctest.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "storage/verification.h"
#include "tests/storage/samples.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

std::vector<CheckedLink> links_of(const Store& store, const Run& run) {
  std::vector<CheckedLink> links;
  RunResults(store, run).for_each_link([&](CheckedLink link) {
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
    put_link(*store, run, link, sample_body(1));
    store->put_hosts({{"https://b.example", sample_time(5), 2.5}, {"https://a.example", std::nullopt, 1.0}});
    store->sync();
  }
  const auto store = Store::open(dir / "a" / "b" / "store");
  CHECK(LinkHistory(*store).state(link.result.id) == link.state);
  CHECK(RunResults(*store, run).find(link.result.id) == link.result);
  CHECK(LinkHistory(*store).body(link.state.snapshot.body_digest) == sample_body(1));
  CHECK(LinkHistory(*store).snapshots(link.result.id, 10) == std::vector{link.state.snapshot});
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
    link.state.snapshot.body_digest = content_digest(sample_body(1));
    complete(link, link.result.occurrences);
  }
  LinkWriter writer(*store, run);
  writer.add(links[0], sample_body(1));
  writer.add(links[1], sample_body(1), true);
  writer.add(links[2], {});
  CHECK_FALSE(LinkHistory(*store).state(links[0].result.id).has_value());
  CHECK(writer.bytes() > 0);
  writer.write();
  CHECK(writer.bytes() == 0);
  for (const CheckedLink& link : links) {
    CHECK(LinkHistory(*store).state(link.result.id) == link.state);
    CHECK(RunResults(*store, run).find(link.result.id) == link.result);
  }
  CHECK(LinkHistory(*store).body(content_digest(sample_body(1))) == sample_body(1));
  CHECK(verify(*store).problems.empty());
  store->publish();  // the number of bodies is exact without memtables
  CHECK(store->rows().row_count(Family::body) == 1);
  links[0].state.snapshot.body_digest = content_digest("yet another");
  CHECK_THROWS_AS(writer.add(links[0], "another"), std::logic_error);
}

TEST_CASE("a partial run is the latest and the complete run before it keeps its results") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  CheckedLink link = sample_link(1);
  Run whole = store->begin_run("identity", {"list.md"}, sample_time(0));
  put_link(*store, whole, link, sample_body(1));
  whole.state = RunState::complete;
  whole.finished_at = link.state.snapshot.fetched_at;
  store->put_run(whole);
  const Verdict first = link.result.verdict;

  Run partial = store->begin_run("another identity", {"list.md"}, sample_time(100'000), true);
  CHECK(partial.number == 2);
  link.state.snapshot.fetched_at = sample_time(100'001);
  link.state.snapshot.status = 404;
  link.state.snapshot.verdict = {.health = Health::dead, .reason = "http_404", .rule = "status", .evidence = "gone"};
  link.result.verdict = link.state.snapshot.verdict;
  put_link(*store, partial, link, sample_body(1));
  partial.state = RunState::complete;
  partial.finished_at = sample_time(100'002);
  store->put_run(partial);

  CHECK(store->latest_run() == partial);
  CHECK(store->latest_whole_run() == whole);
  const auto then = RunResults(*store, whole).link_without_occurrences(link.result.id);
  REQUIRE(then);
  CHECK(then->result.verdict == first);
  CHECK(then->state.snapshot.status == 200);
  CHECK(links_of(*store, whole).front().result.verdict == first);
  CHECK(RunResults(*store, partial).link_without_occurrences(link.result.id)->result.verdict == link.result.verdict);
  CHECK(LinkHistory(*store).state(link.result.id)->snapshot.status == 404);
}

TEST_CASE("a missing item is empty and no error") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const LinkId id = LinkId::of_text("nobody");
  CHECK_FALSE(store->latest_run().has_value());
  CHECK_FALSE(LinkHistory(*store).state(id).has_value());
  CHECK(LinkHistory(*store).snapshots(id, 5).empty());
  CHECK(store->hosts().empty());
  CHECK(links_of(*store, Run{}).empty());
  for (const std::string_view digest : {"", "abc", "not hexadecimal"})
    CHECK_FALSE(LinkHistory(*store).body(digest).has_value());
  CHECK_FALSE(LinkHistory(*store).body(content_digest("nothing")).has_value());
}

TEST_CASE("a random link of every kind survives the store") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  RandomSamples random(7);
  for (int i = 0; i < 200; ++i) {
    CheckedLink link{random.result(), random.state()};
    link.state.id = link.result.id;
    complete(link, link.result.occurrences);
    put_link(*store, run, link, {});
    CHECK(LinkHistory(*store).state(link.result.id) == link.state);
    CHECK(RunResults(*store, run).find(link.result.id) == link.result);
  }
}

TEST_CASE("history is newest first and bounded and only of one link") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink link = sample_link(1);
  CheckedLink other = sample_link(2);
  for (const std::int64_t second : {30, 10, 50, 20, 40}) {
    link.state.snapshot.fetched_at = sample_time(second);
    link.state.snapshot.status = static_cast<int>(second);
    put_link(*store, run, link, {});
    other.state.snapshot.fetched_at = sample_time(second + 1);
    put_link(*store, run, other, {});
  }
  link.state.snapshot.fetched_at = sample_time(50) + Duration(1);
  put_link(*store, run, link, {});
  put_link(*store, run, link, {});  // the same snapshot again: no second entry

  const auto seconds = [&](std::size_t limit) {
    std::vector<std::int64_t> result;
    for (const Snapshot& snapshot : LinkHistory(*store).snapshots(link.result.id, limit)) {
      result.push_back((snapshot.fetched_at - sample_time(0)).count() / 1'000'000);
    }
    return result;
  };
  CHECK(seconds(100) == std::vector<std::int64_t>{50, 50, 40, 30, 20, 10});
  CHECK(seconds(2) == std::vector<std::int64_t>{50, 50});
  CHECK(seconds(0).empty());
  CHECK(LinkHistory(*store).snapshots(link.result.id, 1).front().fetched_at == sample_time(50) + Duration(1));
}

TEST_CASE("a replaced snapshot keeps its findings and loses the fields of the latest one") {
  const tests::TempDir folder;
  const auto store = Store::open(folder / "store");
  const Run run = store->begin_run("checks", {}, sample_time(0));
  CheckedLink link = sample_link(1);
  const auto look = [&](std::int64_t at, std::string_view title, std::string_view body) {
    Snapshot& snapshot = link.state.snapshot;
    snapshot.fetched_at = sample_time(at);
    snapshot.metadata.title = {std::string(title), "title", 0.8};
    snapshot.body_digest = content_digest(body.empty() ? title : body);
    snapshot.main_text = {.digest = 7, .simhash = 8, .length = 9, .minhash = {1, 2, 3, 4}};
    snapshot.attempts = {{sample_time(at), link.state.url, 200, "", 5}};
    snapshot.headers = {{"server", "nginx"}};
    if (!link.state.first_version_at) link.state.first_version_at = snapshot.fetched_at;
    put_link(*store, run, link, body);
    return snapshot;
  };
  const Snapshot first = look(10, "first", "");
  Snapshot without_body = look(20, "second", "");
  Snapshot with_body = look(30, "third", "the page");
  const Snapshot latest = look(40, "fourth", "");
  // Content drift is measured against the first reading.
  CHECK(LinkHistory(*store).snapshot_at(link.result.id, sample_time(10)) == first);
  for (Snapshot* replaced : {&without_body, &with_body}) {
    replaced->main_text = {};
    replaced->attempts.clear();
  }
  without_body.body_digest.clear();
  CHECK(LinkHistory(*store).snapshot_at(link.result.id, sample_time(20)) == without_body);
  CHECK(LinkHistory(*store).snapshot_at(link.result.id, sample_time(30)) == with_body);
  CHECK(LinkHistory(*store).state(link.result.id)->snapshot == latest);

  SUBCASE("a failed snapshot keeps its attempts") {
    link.state.snapshot.verdict = {Health::dead, std::string(reason::not_found), "status", "HTTP 404", 1.0};
    const Snapshot failed = look(50, "", "");
    look(60, "sixth", "");
    CHECK(LinkHistory(*store).snapshot_at(link.result.id, sample_time(50))->attempts == failed.attempts);
  }
}

TEST_CASE("a link that was never fetched has a link state and no history") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink link = sample_link(1);
  link.state.snapshot = Snapshot{};
  link.result.verdict = {Health::skipped, "placeholder", "placeholder", "", 1.0};
  put_link(*store, run, link, {});
  CHECK(LinkHistory(*store).state(link.result.id) == link.state);
  CHECK(LinkHistory(*store).snapshots(link.result.id, 5).empty());
}

TEST_CASE("a body is stored once per digest and never under a wrong one") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  const std::string body(100'000, 'x');
  for (std::uint64_t number = 0; number < 3; ++number) {
    CheckedLink link = sample_link(number);
    link.state.snapshot.body_digest = content_digest(body);
    put_link(*store, run, link, body);
  }
  CHECK(LinkHistory(*store).body(content_digest(body)) == body);
  CheckedLink small = sample_link(4);
  small.state.snapshot.body_digest = content_digest("tiny");
  put_link(*store, run, small, "tiny");
  CHECK(LinkHistory(*store).body(content_digest("tiny")) == "tiny");

  CheckedLink wrong = sample_link(5);
  wrong.state.snapshot.body_digest = content_digest("something else");
  CHECK_THROWS_AS(put_link(*store, run, wrong, body), std::logic_error);
  CHECK_FALSE(LinkHistory(*store).state(wrong.result.id).has_value());  // all or nothing is stored
}

TEST_CASE("bodies with any bytes survive the store") {
  const TempDir dir;
  std::string body = "\xFF\xFE";
  for (int i = 0; i < 10'000; ++i) body.push_back(static_cast<char>(i * 7 % 256));
  {
    const auto store = Store::open(dir / "store");
    const Run run = store->begin_run("identity", {}, sample_time(0));
    CheckedLink link = sample_link(1);
    link.state.snapshot.body_digest = content_digest(body);
    put_link(*store, run, link, body);
    store->publish();  // moves the body to a blob file
    CHECK(LinkHistory(*store).body(content_digest(body)) == body);
  }
  CHECK(LinkHistory(*Store::open_for_reading(dir / "store")).body(content_digest(body)) == body);
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
  put_link(*store, earlier, sample_link(0), {});
  const Run run = store->begin_run("identity", {}, sample_time(1));
  for (std::uint64_t number = 0; number < 10; ++number) put_link(*store, run, sample_link(number), {});
  const LinkId wanted = sample_link(3).result.id;
  RunResults(*store, run).keep([&wanted](const LinkId& id) { return id == wanted; });
  const std::vector<CheckedLink> left = links_of(*store, run);
  REQUIRE(left.size() == 1);
  CHECK(left[0] == sample_link(3));
  CHECK(store->latest_run() == run);
  CHECK(RunResults(*store, earlier).find(sample_link(0).result.id).has_value());
  CHECK(LinkHistory(*store).state(sample_link(9).result.id).has_value());
}

TEST_CASE("entries are joined with their link states in the order of ids") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run earlier = store->begin_run("earlier", {}, sample_time(0));
  put_link(*store, earlier, sample_link(99), {});
  const Run run = store->begin_run("identity", {}, sample_time(1));
  std::vector<LinkResult> plan;
  for (std::uint64_t number = 0; number < 50; ++number) {
    plan.push_back(sample_link(number).result);
    plan.back().finished = false;
  }
  RunResults(*store, run).put(plan);
  for (std::uint64_t number = 0; number < 50; number += 2) put_link(*store, run, sample_link(number), {});
  const Run later = store->begin_run("later", {}, sample_time(2));
  RunResults(*store, later).put(plan);

  const std::vector<CheckedLink> links = links_of(*store, run);
  REQUIRE(links.size() == 50);
  CHECK(std::ranges::is_sorted(links, {}, [](const CheckedLink& link) { return link.result.id; }));
  for (const CheckedLink& link : links) {
    const CheckedLink expected = sample_link(link.result.occurrences.at(0).line - 1);
    CHECK(link.state.id == expected.result.id);
    CHECK(link.state.url == expected.state.url);  // for a link that was not fetched: the href without the fragment
    CHECK(link.result.finished == (link.state == expected.state));
  }
  std::size_t visited = 0;
  RunResults(*store, run).for_each_link([&](const CheckedLink& /*link*/) { return ++visited < 3; });
  CHECK(visited == 3);
}

TEST_CASE("the notification state is stored beside the entries and changes nothing else") {
  const TempDir folder;
  const auto store = Store::open(folder / "store");
  Run run = store->begin_run("lists", {"a.md"}, sample_time(0));
  put_link(*store, run, sample_link(1), sample_body(1));
  CheckedLink blocked = sample_link(2);
  blocked.result.verdict = without_request(Health::deferred, reason::interrupted, "run", "");
  put_link(*store, run, blocked, sample_body(2));
  const LinkId first = sample_link(1).result.id;
  const LinkId second = blocked.result.id;

  const NotificationState ends{{}, sample_time(day), 0};
  RunResults(*store, run)
      .put_notification_states({{first, NotificationState{{}, {}, 7}},
                                {second, NotificationState{Health::dead, {}, 0}},
                                {sample_link(3).result.id, ends}});
  RunResults(*store, run).put_notification_states({{first, ends}});
  std::map<LinkId, NotificationState> states;
  RunResults(*store, run).for_each_notification_state([&states](const LinkId& id, const NotificationState& one) {
    states.emplace(id, one);
  });
  CHECK(states == std::map<LinkId, NotificationState>{{first, ends}, {second, NotificationState{Health::dead, {}, 0}}});
  CHECK(RunResults(*store, run).link_without_occurrences(first)->result.verdict == sample_link(1).result.verdict);
  CHECK(RunResults(*store, run).link_without_occurrences(second)->result.verdict == blocked.result.verdict);

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
    plan.push_back(sample_link(number).result);
    plan.back().occurrences.front().text = std::string(100'000, 'x');
  }
  RunResults(*store, run).put(plan);
  CHECK(links_of(*store, run).size() == 400);
  RunResults(*store, run).put(std::vector<LinkResult>{});
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
          put_link(*store, run, sample_link(thread * 100 + i), sample_body(thread * 100 + i));
      });
    }
    threads.emplace_back([&store] {
      for (int i = 0; i < 3; ++i) store->publish();
    });
    threads.emplace_back([&store, &run] {
      for (int i = 0; i < 10; ++i)
        RunResults(*store, run).for_each_link([](const CheckedLink& link) { return link.state.id == link.result.id; });
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
