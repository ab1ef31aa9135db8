// Tests links that workers fetch through a real broker: the report must equal that of a single machine, whatever
// happens to the workers.
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/end_to_end/same_report.h"
#include "tests/support/rabbitmq.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace json = boost::json;

namespace {

struct Cluster {
  TempDir folder;
  SmallInternet internet;
  RabbitMq broker;

  RunningProgram worker(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--broker", broker.url()});
    std::vector<std::string> words = check_arguments(internet, more);
    words.front() = "broker";
    words.insert(words.begin() + 1, "worker");
    return start_linkherd(folder.path(), words);
  }
  std::vector<std::string> words(std::vector<std::string> more) const {
    more.insert(more.end(), {"--format", "json"});
    return check_arguments(internet, more);
  }
  json::value check(const std::vector<std::string>& more) const {
    const ProgramResult result = run_linkherd(folder.path(), words(more));
    CAPTURE(result.err);
    REQUIRE((result.exit_code == 0 || result.exit_code == 2));
    return json::parse(result.out);
  }
};

// A site whose pages link to hosts of other buckets, one of them through a redirect. Its robots.txt excludes some
// pages.
void check_crawl(Cluster& cluster) {
  HostScript& site = cluster.internet.host("site.herd");
  site.page("/robots.txt", html_page("User-agent: *\nDisallow: /private/\n", "text/plain"));
  site.page("/", html_page("<title>Start</title><a href='/guide/'>guide</a> <a href='/private/x'>private</a>\n"
                           "<a href='https://far.herd/page#here'>far</a> <a href='/moved'>moved</a>"));
  // Long enough to be stored in a file, with the links at its end.
  std::string guide = "<title>Guide</title>\n<p>";
  for (int i = 0; i < 1000; ++i) guide += "This is sentence " + std::to_string(i) + " of the guide.\n";
  guide += "<a href='gone'>gone</a> <a href='/'>start</a>";
  site.page("/guide/", html_page(guide));
  site.page("/moved", redirect_page(301, "https://far.herd/page"));
  cluster.internet.host("far.herd").page("/page", html_page("<title>Far</title><a href='/never'>never</a>"));
  const std::vector<std::string> words{"--recursive", "--include-fragments=web", "https://site.herd/"};
  const auto crawl = [&](std::vector<std::string> more) {
    more.insert(more.end(), words.begin(), words.end());
    return cluster.check(more);
  };
  const json::value alone = crawl({"--store", "crawled"});
  CHECK(alone.at("links").as_array().size() == 6);
  const std::filesystem::path files = cluster.folder / "bodies";
  std::filesystem::create_directory(files);
  const RunningProgram worker = cluster.worker({"--warc-dir", "bodies"});
  check_same_report(alone, crawl({"--store", "passed-crawl", "--broker", cluster.broker.url()}));
  CHECK(std::filesystem::is_empty(files));  // the run did not announce that it can read them
  check_same_report(alone,
                    crawl({"--store", "spread-crawl", "--broker", cluster.broker.url(), "--warc-dir", "bodies"}));
  CHECK_FALSE(std::filesystem::is_empty(files));
  for (const char* const store : {"passed-crawl", "spread-crawl"}) {
    const ProgramResult shown =
        run_linkherd(cluster.folder.path(), {"history", "--store", store, "--body", "https://site.herd/guide/"});
    CAPTURE(store);
    CAPTURE(shown.err);
    CHECK(shown.out == html_page(guide).body);
  }
  CHECK(cluster.internet.count("far.herd", "/never") == 0);
  CHECK(cluster.internet.count("site.herd", "/private/x") == 0);
}

// Runs the example of docs/distributed.md that begins with `first`, with the options for the broker and the small
// internet.
ProgramResult run_example(const Cluster& cluster, const std::string& first) {
  const std::string readme = read_file(std::filesystem::path(LINKHERD_SOURCE_DIR) / "docs/distributed.md");
  const std::string fence = "```sh\n";
  const std::size_t at = readme.find(fence + first);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + fence.size();
  const std::string address = "amqps://me:secret@broker.example/links";
  const std::vector<std::string> words = check_arguments(cluster.internet, {});
  std::string way;
  for (std::size_t i = 1; i < words.size(); ++i) way += " '" + words[i] + "'";
  std::istringstream lines(readme.substr(begin, readme.find("```\n", begin) - begin));
  std::string script;
  for (std::string line; std::getline(lines, line);) {
    const bool fetches = !line.starts_with("linkherd broker plan") && !line.starts_with("linkherd broker status");
    line.replace(line.find(address), address.size(), cluster.broker.url() + (fetches ? way : ""));
    script += line + "\n";
    if (line.ends_with('&')) script += "workers=\"$workers $!\"\n";
  }
  ProgramOptions options =
      linkherd_options(cluster.folder.path(), {"-c", script + "code=$?; kill $workers; exit $code\n"});
  options.environment["PATH"] = std::filesystem::path(LINKHERD_PROGRAM).parent_path().string() + ":/usr/bin:/bin";
  return run_program("/bin/sh", options);
}

// Checks the status of a run without workers, while it waits for them and after it has ended.
void check_status(const Cluster& cluster) {
  const auto status = [&cluster](std::vector<std::string> more) {
    more.insert(more.begin(), {"broker", "status", "--broker", cluster.broker.url()});
    return run_linkherd(cluster.folder.path(), more);
  };
  CHECK(status({}).exit_code == 1);
  CHECK(holds(status({}).err, "the broker has no run"));
  cluster.folder.write("waiting.md", "[one](https://one.herd/) [two](https://two.herd/)\n");
  RunningProgram run = start_linkherd(cluster.folder.path(),
                                      cluster.words({"--no-store", "--broker", cluster.broker.url(), "waiting.md"}));
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  json::value seen;
  while (std::chrono::steady_clock::now() < end) {
    const ProgramResult result = status({"--format", "json"});
    if (result.exit_code == 0) seen = json::parse(result.out);
    if (seen.is_object() && seen.at("under_way") == 2) break;
  }
  REQUIRE(seen.is_object());
  CHECK(seen.at("alive") == true);
  CHECK(seen.at("planned") == 2);
  CHECK(seen.at("done") == 0);
  CHECK(seen.at("workers") == 0);
  CHECK(seen.at("buckets_held") == 0);
  CHECK(seen.at("dead_letters") == 0);
  const ProgramResult example = run_example(cluster, "linkherd broker status");
  CHECK(example.exit_code == 0);
  CHECK(holds(example.out, "0 of 2 links done"));
  const ProgramResult text = status({"--requeue"});
  CHECK(holds(text.out, "0 of 2 links done, 2 in progress"));
  CHECK(holds(text.out, "0 buckets held by 0 workers, 64 waiting for a worker"));
  CHECK(holds(text.err, "0 dead letters put back"));
  const ProgramResult metrics = status({"--metrics", "-"});
  CHECK(holds(metrics.out, "linkherd_broker_links_planned{broker=\"127.0.0.1:"));
  CHECK(holds(metrics.out, "/\"} 2\n"));
  CHECK_FALSE(holds(metrics.out, "guest"));
  run.signal(SIGTERM);
  CHECK(run.wait().exit_code == 143);
  CHECK(status({}).exit_code == 1);
}

}  // namespace

TEST_CASE("workers with a broker find what one machine finds even if some are killed") {
  if (!RabbitMq::is_installed()) {
    MESSAGE("skipped: there is no rabbitmq-server");
    return;
  }
  Cluster cluster;
  check_status(cluster);
  check_crawl(cluster);
  {
    cluster.folder.write("planted.md", planted_list());
    plant_sites(cluster.internet);
    const json::value alone = cluster.check({"--store", "alone", "planted.md", seeds_folder});
    plant_sites(cluster.internet);  // restarts the pages that are served in turn
    const RunningProgram worker = cluster.worker();
    const json::value spread =
        cluster.check({"--broker", cluster.broker.url(), "--store", "spread", "planted.md", seeds_folder});
    check_same_report(alone, spread);
  }

  {
    cluster.folder.write("docs/links.md", "[one](https://readme.herd/one)\n");
    cluster.internet.host("readme.herd").page("/one", html_page("<title>One</title><h1>One page</h1>"));
    for (const char* const first : {"linkherd broker worker", "linkherd broker plan"}) {
      CAPTURE(first);
      const ProgramResult result = run_example(cluster, first);
      CAPTURE(result.err);
      CHECK(result.exit_code == 0);
      CHECK(holds(result.err, "nothing broken"));
    }
  }

  std::string list;
  constexpr int hosts = 40;
  constexpr int pages = 10;
  for (int host = 0; host < hosts; ++host) {
    const std::string name = "many" + std::to_string(host) + ".herd";
    for (int page = 0; page < pages; ++page) {
      list += "- [page](https://" + name + "/" + std::to_string(page) + ")\n";
      cluster.internet.host(name).page("/" + std::to_string(page), html_page("<title>Page</title><h1>A page</h1>"));
    }
  }
  cluster.folder.write("many.md", list);
  const json::value alone = cluster.check({"--no-store", "--host-request-interval", "100ms", "many.md"});
  cluster.internet.clear_requests();
  std::deque<RunningProgram> workers;
  workers.push_back(cluster.worker());
  workers.push_back(cluster.worker());
  RunningProgram run = start_linkherd(
      cluster.folder.path(),
      cluster.words({"--no-store", "--host-request-interval", "100ms", "--broker", cluster.broker.url(), "many.md"}));
  for (std::size_t requests : {50U, 150U}) {
    REQUIRE(cluster.internet.wait_for_requests(requests, std::chrono::minutes(2)));
    workers.front().signal(SIGKILL);
    workers.pop_front();
    workers.push_back(cluster.worker());
  }
  const ProgramResult result = run.wait();
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const json::value spread = json::parse(result.out);
  CHECK(spread.at("summary") == alone.at("summary"));
  CHECK(spread.at("links").as_array().size() == hosts * pages);
}

TEST_CASE("broker credentials never appear in output or reports") {
  const TempDir folder;
  folder.write("list.md", "[one](https://one.herd/)\n");
  folder.write("s3cret.pem", "hunter2\n");
  const SmallInternet internet;
  for (const char* const command : {"check", "worker", "status", "plan", "collect"}) {
    CAPTURE(command);
    std::vector<std::string> words = check_arguments(internet, {"--no-store", "list.md"});
    if (std::string_view(command) == "worker") words = check_arguments(internet, {});
    if (std::string_view(command) == "collect") words = check_arguments(internet, {"--no-store"});
    if (std::string_view(command) == "status") words = {""};
    if (std::string_view(command) == "plan") words = {"", "list.md"};
    words.front() = command;
    if (std::string_view(command) != "check") words.insert(words.begin(), "broker");
    words.insert(words.end(), {"-v", "-v", "--log-file", "log", "--broker", "amqps://me:s3cret@127.0.0.1:1",
                               "--broker-ca-file", "s3cret.pem", "--broker-cert", "s3cret.pem"});
    RunningProgram program = start_linkherd(folder.path(), words);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (program.running() && !holds(program.stderr_so_far(), "broker 127.0.0.1:1") &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    program.signal(SIGTERM);
    const ProgramResult result = program.wait();
    const std::string log = read_file(folder.path() / "log");
    CHECK(holds(result.err, "broker 127.0.0.1:1"));
    for (const std::string& text : {result.out, result.err, log}) {
      CHECK_FALSE(holds(text, "s3cret"));
      CHECK_FALSE(holds(text, "hunter2"));
    }
  }
}

TEST_CASE("a missing broker and a broker with another run are reported") {
  if (!RabbitMq::is_installed()) {
    MESSAGE("skipped: RabbitMQ is not installed");
    return;
  }
  TempDir folder;
  folder.write("list.md", "[one](https://one.herd/)\n");
  const SmallInternet internet;
  const ProgramResult result = run_linkherd(
      folder.path(), check_arguments(internet, {"--no-store", "--broker", "amqp://me:secret@127.0.0.1:1", "list.md"}));
  CHECK(result.exit_code == 1);
  CHECK(holds(result.err, "broker 127.0.0.1:1: cannot connect"));
  CHECK_FALSE(holds(result.err, "secret"));
}
