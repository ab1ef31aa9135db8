// Tests faults of workers, of the broker and of the run during a check. The report must equal that of a single machine,
// and each link must have one verdict. With LINKHERD_BROKER_NODES=3 the broker is a cluster, and the faults that take a
// minute are tested too.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <list>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"
#include "crawler/broker/plan_queue.h"
#include "crawler/broker/queue_names.h"
#include "crawler/broker/run_status.h"
#include "parser/timestamp.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/same_report.h"
#include "tests/support/rabbitmq.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
using namespace std::chrono_literals;
namespace json = boost::json;
namespace crawler = linkherd::crawler;

namespace {

constexpr auto timeout = 20min;
constexpr std::size_t hosts = 20;

std::size_t broker_nodes() {
  const char* const text = std::getenv("LINKHERD_BROKER_NODES");
  return text == nullptr ? 1 : static_cast<std::size_t>(std::stoul(text));
}

std::string name_of_host(std::size_t host) { return fmt::format("host{}.herd", host % hosts); }

// Creates pages that exist, are gone, or are redirected to a host of another bucket. With `hangs`, adds a host that
// never responds.
std::string plant_hosts(SmallInternet& internet, std::size_t pages, bool hangs) {
  std::string list = "[nowhere](https://nowhere.herd/)\n";
  if (hangs) list += "[hangs](https://hangs.herd/)\n";
  Page silence;
  silence.delivery = Delivery::silence;
  internet.host("hangs.herd").default_page(silence);
  for (std::size_t host = 0; host < hosts; ++host) {
    HostScript& script = internet.host(name_of_host(host));
    for (std::size_t page = 0; page < pages; ++page) {
      const std::string target = fmt::format("/{}", page);
      const std::string title = fmt::format("Page {} of host {}", page, host);
      list += fmt::format("- [{}](https://{}{})\n", title, name_of_host(host), target);
      if (page % 5 == 3) {
        script.page(target, redirect_page(301, fmt::format("https://{}/0", name_of_host(host + 1))));
      } else if (page % 5 == 4) {
        script.page(target, status_page(404));
      } else {
        script.page(target, html_page(fmt::format("<title>{}</title><h1>{}</h1>", title, title)));
      }
    }
  }
  return list;
}

class Faults {
 public:
  explicit Faults(std::size_t nodes)
      : broker(nodes), way_of_run(broker.port(0)), way_of_workers(broker.port(nodes - 1)), is_cluster_(nodes > 1) {
    folder.write("list.md", plant_hosts(internet, is_cluster_ ? 60 : 10, is_cluster_));
    alone_ = report_of(start({"check", "--no-store"}).wait());
    gaps_alone_ = gaps();
  }

  bool is_cluster() const { return is_cluster_; }

  RunningProgram start_run(std::vector<std::string> more = {"--no-store"}) {
    std::vector<std::string> words{"check", "--broker", url_of(way_of_run)};
    words.insert(words.end(), more.begin(), more.end());
    return start(words);
  }
  RunningProgram start_collector(const std::vector<std::string>& more = {}, const std::string& limits = {}) {
    std::vector<std::string> words{"broker", "collect", "--broker", url_of(way_of_run), "--store", "collected"};
    words.insert(words.end(), more.begin(), more.end());
    return start(words, limits);
  }
  RunningProgram start_plan(const std::string& list = "list.md") {
    ProgramOptions options = linkherd_options(folder.path(), {"broker", "plan", "--broker", url_of(way_of_run), list});
    options.deadline = timeout;
    return {LINKHERD_PROGRAM, options};
  }
  void start_worker(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"broker", "worker", "--broker", url_of(way_of_workers)};
    words.insert(words.end(), more.begin(), more.end());
    workers.push_back(start(words));
  }
  // Waits until workers have made `more` further requests.
  void wait_for_requests(std::size_t more) {
    CHECK(internet.wait_for_requests(internet.requests().size() + more, timeout));
  }

  // Runs a check. Calls `act` as soon as the first links are fetched.
  void check(const std::string& what, const std::function<void(RunningProgram& run)>& act) {
    CAPTURE(what);
    internet.clear_requests();
    while (workers.size() < 2) start_worker();
    RunningProgram run = start_run();
    CHECK(internet.wait_for_requests(20, timeout));
    act(run);
    check_report(run.wait());
    const Gaps now = gaps();
    MESSAGE(what, ": ", internet.requests().size(), " requests, report as of one machine; ", now.median.count(),
            " ms between those to a host (alone: ", gaps_alone_.median.count(), "), at least ", now.min.count(), " (",
            gaps_alone_.min.count(), ")");
  }
  // Checks the gaps between requests of the latest run, as the servers measured them.
  void check_gaps() const { CHECK(gaps().median >= interval() * 9 / 10); }
  std::chrono::milliseconds interval() const { return is_cluster_ ? 500ms : 200ms; }
  void check_report(const ProgramResult& result) const { check_same_report(alone_, report_of(result)); }

  TempDir folder;
  SmallInternet internet;
  RabbitMq broker;
  TcpProxy way_of_run, way_of_workers;
  std::list<RunningProgram> workers;

 private:
  struct Gaps {
    std::chrono::milliseconds median{}, min{};
  };
  Gaps gaps() const {
    std::vector<std::chrono::milliseconds> all;
    for (std::size_t host = 0; host < hosts; ++host) {
      const std::vector<ReceivedRequest> requests = internet.requests(name_of_host(host));
      for (std::size_t i = 1; i < requests.size(); ++i)
        all.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(requests[i].time - requests[i - 1].time));
    }
    std::ranges::sort(all);
    return all.empty() ? Gaps() : Gaps{all[all.size() / 2], all.front()};
  }
  static std::string url_of(const TcpProxy& way) {
    return fmt::format("amqp://guest:guest@127.0.0.1:{}/%2f", way.port());
  }
  // `limits` is a script that sets limits and runs the program.
  RunningProgram start(std::vector<std::string> words, const std::string& limits = {}) const {
    const bool is_check = words.front() == "check";
    const bool is_worker = words.size() > 1 && words[1] == "worker";
    const auto first_option = words.begin() + (is_check ? 1 : 2);
    const std::vector<std::string> command(words.begin(), first_option);
    words.erase(words.begin(), first_option);
    words.insert(words.end(), {"--host-request-interval", std::to_string(interval().count()) + "ms"});
    if (!is_worker) words.insert(words.end(), {"--format", "json"});
    if (is_check) words.emplace_back("list.md");
    std::vector<std::string> all = check_arguments(internet, words);
    all.erase(all.begin());
    all.insert(all.begin(), command.begin(), command.end());
    ProgramOptions options = linkherd_options(folder.path(), all);
    options.deadline = timeout;
    if (limits.empty()) return {LINKHERD_PROGRAM, options};
    options.arguments.insert(options.arguments.begin(), {"-c", limits, LINKHERD_PROGRAM});
    return {"/bin/sh", options};
  }
  static json::value report_of(const ProgramResult& result) {
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 2);  // some links are dead
    return json::parse(result.out);
  }

  bool is_cluster_;
  json::value alone_;
  Gaps gaps_alone_;
};

void kill_workers(Faults& faults, RunningProgram& run, std::size_t kills) {
  std::mt19937 random(kills);
  for (; kills > 0 && run.running(); --kills) {
    const auto killed = std::next(faults.workers.begin(), static_cast<std::ptrdiff_t>(random() % 2));
    killed->signal(SIGKILL);
    faults.workers.erase(killed);
    faults.start_worker();
    if (!faults.is_cluster()) {
      faults.wait_for_requests(20);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1000 + random() % 4000));
    }
  }
  CHECK(kills == 0);
}

// Waits until the run that uses the broker reports its progress. Returns its name.
std::string name_of_run(const crawler::BrokerAddress& address) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < end) {
    if (const auto status = crawler::read_run_status(address)) return status->progress.run;
    std::this_thread::sleep_for(100ms);
  }
  FAIL("the run does not say how far it is");
  return {};
}

// Anyone with write access to the broker can send any message. Neither its requests nor its statements may be trusted.
void poison(const crawler::BrokerAddress& address, const std::string& run) {
  std::string foreign;
  const linkherd::parser::Url url = linkherd::parser::Url::parse("https://foreign.herd/").value();
  crawler::append_request(foreign, crawler::FetchRequest(linkherd::storage::LinkId::of(url), url.href()), std::nullopt);
  std::vector<std::string> queues{crawler::queues::leases, crawler::queues::progress, crawler::queues::dead_letters,
                                  crawler::queues::pages(run)};
  for (std::uint32_t bucket = 0; bucket < crawler::default_buckets; ++bucket)
    queues.push_back(crawler::queues::links(bucket));
  std::mt19937 random(1);
  crawler::BrokerPublisher out(address);
  for (const std::string& queue : queues) {
    for (int i = 0; i < 5; ++i) {
      std::string message = random() % 2 == 0 ? foreign : std::string(random() % 200, 'x');
      for (std::size_t n = random() % 3; n > 0 && !message.empty(); --n)
        message[random() % message.size()] = static_cast<char>(random());
      out.publish(queue, message);
    }
  }
  static_cast<void>(out.confirm());
}

// Waits until a plan can be left at the broker, which may notice late that a client has disconnected.
void leave_plan(Faults& faults) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  ProgramResult result = faults.start_plan().wait();
  while (result.exit_code != 0 && std::chrono::steady_clock::now() < end) result = faults.start_plan().wait();
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
}

// Waits until a plan is refused with this message. A busy broker may respond too late before that.
void check_refused(Faults& faults, const std::string& list, std::string_view words) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  ProgramResult result = faults.start_plan(list).wait();
  while (result.exit_code == 1 && !holds(result.err, words) && std::chrono::steady_clock::now() < end)
    result = faults.start_plan(list).wait();
  CAPTURE(result.err);
  CHECK(result.exit_code == 1);
  CHECK(holds(result.err, words));
}

// Plans are interrupted, made by two programs at once, blocked by each other, and made again.
void check_plan(Faults& faults, const crawler::BrokerAddress& address) {
  std::mt19937 random(7);
  for (int i = 0; i < 3; ++i) {
    RunningProgram cut = faults.start_plan();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
    cut.signal(SIGKILL);
    static_cast<void>(cut.wait());
  }
  {
    crawler::BrokerPublisher other(address);
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!other.lock(crawler::queues::plan_lock) && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(100ms);
    check_refused(faults, "list.md", "another process is writing a plan");
  }
  leave_plan(faults);
  leave_plan(faults);
  faults.folder.write("other.md", "[other](https://other.herd/)\n");
  check_refused(faults, "other.md", "--replace");
}

// The collector has a full disk, is killed, and finishes.
void check_collector(Faults& faults, const crawler::BrokerAddress& address) {
  while (faults.workers.size() < 2) faults.start_worker();
  // Blocks of 512 bytes; writing fails as on a full disk. The report goes through a pipe.
  const std::string small_disk =
      R"(mkfifo out && { cat out & } && (ulimit -f 100; "$0" "$@" >out); code=$?; wait; exit $code)";
  const ProgramResult full = faults.start_collector({}, small_disk).wait();
  CAPTURE(full.err);
  CHECK(full.exit_code == 1);
  CHECK(holds(full.err, "store"));
  faults.internet.clear_requests();
  RunningProgram killed = faults.start_collector();
  CHECK(faults.internet.wait_for_requests(40, timeout));
  killed.signal(SIGKILL);
  static_cast<void>(killed.wait());
  REQUIRE(crawler::waiting_plan(address));
  faults.check_report(faults.start_collector().wait());
  CHECK_FALSE(crawler::waiting_plan(address));
}

// Times in messages come from the clocks of their senders.
void check_clocks(Faults& faults) {
  faults.workers.clear();
  const auto now = std::chrono::time_point_cast<linkherd::Duration>(std::chrono::system_clock::now());
  for (const auto difference : {std::chrono::hours(-1), std::chrono::hours(1)})
    faults.start_worker({"--now", linkherd::format_timestamp(now + difference)});
  faults.check("the clocks of two workers differ by two hours", [](RunningProgram&) {});
  faults.workers.clear();
}

void check_quick_faults(Faults& faults) {
  const crawler::BrokerAddress address = crawler::BrokerAddress::parse(faults.broker.url()).value();
  check_plan(faults, address);
  check_collector(faults, address);
  check_clocks(faults);
  faults.check("the disk of the broker is full", [&](RunningProgram&) {
    faults.broker.set_disk_alarm(true);
    if (faults.is_cluster()) std::this_thread::sleep_for(40s);  // longer than a client waits for a confirmation
    faults.broker.set_disk_alarm(false);
  });
  faults.check("no fault", [](RunningProgram&) {});
  faults.check("workers are killed",
               [&](RunningProgram& run) { kill_workers(faults, run, faults.is_cluster() ? 50 : 3); });
  faults.check("connections are cut", [&](RunningProgram&) {
    faults.way_of_workers.cut();
    faults.wait_for_requests(20);
    faults.way_of_run.cut();
  });
  faults.check("messages are poisoned, and there is a second run", [&](RunningProgram& run) {
    const std::string name = name_of_run(address);
    run.signal(SIGSTOP);  // keeps it running until the second one starts
    poison(address, name);
    const ProgramResult second = faults.start_run().wait();
    run.signal(SIGCONT);
    CHECK(second.exit_code == 1);
    CHECK(holds(second.err, "another run is using the virtual host"));
  });
  {
    INFO("the run is killed and called again");
    faults.internet.clear_requests();
    RunningProgram run = faults.start_run({"--store", "store"});
    CHECK(faults.internet.wait_for_requests(40, timeout));
    run.signal(SIGKILL);
    static_cast<void>(run.wait());
    faults.check_report(faults.start_run({"--store", "store"}).wait());
  }
}

void check_cluster(Faults& faults) {
  faults.check("a node that leads queues is killed and comes back", [&](RunningProgram&) {
    faults.broker.kill(1);
    faults.wait_for_requests(100);
    faults.broker.start(1);
  });
  faults.check("the node that the run is connected to is killed and comes back", [&](RunningProgram&) {
    faults.broker.kill(0);
    faults.way_of_run.set_target(faults.broker.port(1));
    faults.wait_for_requests(100);
    faults.broker.start(0);
  });
}

// One worker needs as much time as two workers with half of its slots each.
void check_half_slots(Faults& faults) {
  std::vector<std::chrono::duration<double>> times;
  for (const std::size_t workers : {1U, 2U}) {
    faults.workers.clear();
    for (std::size_t i = 0; i < workers; ++i) faults.start_worker({"--max-concurrency", std::to_string(16 / workers)});
    faults.internet.clear_requests();
    const auto began = std::chrono::steady_clock::now();
    faults.check_report(faults.start_run().wait());
    times.emplace_back(std::chrono::steady_clock::now() - began);
    faults.check_gaps();
  }
  MESSAGE("one worker: ", times[0].count(), " s; two with half the slots: ", times[1].count(), " s");
  CHECK(times[1] < times[0] * 1.5);
  faults.workers.clear();
}

void check_slow_faults(Faults& faults) {
  check_half_slots(faults);
  faults.check("a worker is stopped for a minute", [&](RunningProgram&) {
    faults.workers.front().signal(SIGSTOP);
    std::this_thread::sleep_for(1min);
    faults.workers.front().signal(SIGCONT);
  });
  faults.check("the network between workers and broker is lost for a minute", [&](RunningProgram&) {
    faults.way_of_workers.set_silent(true);
    std::this_thread::sleep_for(1min);
    faults.way_of_workers.set_silent(false);
  });
}

}  // namespace

TEST_CASE("faults of workers and broker and run leave the report of one machine") {
  if (!RabbitMq::is_installed()) {
    MESSAGE("skipped: there is no rabbitmq-server");
    return;
  }
  Faults faults(broker_nodes());
  check_quick_faults(faults);
  if (!faults.is_cluster()) return;
  check_cluster(faults);
  check_slow_faults(faults);
}
