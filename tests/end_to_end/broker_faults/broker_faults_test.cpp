// What may happen to workers, to the broker and to the run, in the middle of a check: the report is that of one
// machine, and each link has one verdict. With LINKHERD_BROKER_NODES=3 the broker is a cluster, and what takes a minute
// happens as well.
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
#include "crawler/broker/run_status.h"
#include "crawler/broker/topology.h"
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

constexpr auto patience = 20min;
constexpr std::size_t hosts = 20;

std::size_t broker_nodes() {
  const char* const text = std::getenv("LINKHERD_BROKER_NODES");
  return text == nullptr ? 1 : static_cast<std::size_t>(std::stoul(text));
}

std::string name_of_host(std::size_t host) { return fmt::format("host{}.herd", host % hosts); }

// Pages that are there, gone, and redirected to a host of another bucket; `hangs`: and a host that never answers.
std::string plant_hosts(SmallInternet& internet, std::size_t pages, bool hangs) {
  std::string list = "[nowhere](https://nowhere.herd/)\n";
  if (hangs) list += "[hangs](https://hangs.herd/)\n";
  Page silence;
  silence.delivery = Delivery::silence;
  internet.host("hangs.herd").otherwise(silence);
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
    alone_ = report_of(start({"check"}).wait());
  }

  bool is_cluster() const { return is_cluster_; }

  RunningProgram start_run(std::vector<std::string> more = {"--no-store"}) {
    std::vector<std::string> words{"check", "--broker", url_of(way_of_run)};
    words.insert(words.end(), more.begin(), more.end());
    return start(words);
  }
  void start_worker() { workers.push_back(start({"worker", "--broker", url_of(way_of_workers)})); }
  // Until workers have asked for so many links more.
  void wait_for_requests(std::size_t more) {
    CHECK(internet.wait_for_requests(internet.requests().size() + more, patience));
  }

  // `act` begins when the first links are fetched.
  void check(const std::string& what, const std::function<void(RunningProgram& run)>& act) {
    CAPTURE(what);
    internet.forget_requests();
    while (workers.size() < 2) start_worker();
    RunningProgram run = start_run();
    CHECK(internet.wait_for_requests(20, patience));
    act(run);
    check_report(run.wait());
    MESSAGE(what, ": ", internet.requests().size(), " requests, report as of one machine");
  }
  void check_report(const ProgramResult& result) const { check_same_report(alone_, report_of(result)); }

  TempDir folder;
  SmallInternet internet;
  RabbitMq broker;
  TcpProxy way_of_run, way_of_workers;
  std::list<RunningProgram> workers;

 private:
  static std::string url_of(const TcpProxy& way) {
    return fmt::format("amqp://guest:guest@127.0.0.1:{}/%2f", way.port());
  }
  RunningProgram start(std::vector<std::string> words) const {
    const std::string command = words.front();
    words.erase(words.begin());
    words.insert(words.end(), {"--host-request-interval", is_cluster_ ? "500ms" : "200ms"});
    if (command == "check") words.insert(words.end(), {"--format", "json", "list.md"});
    std::vector<std::string> all = check_words(internet, words);
    all.front() = command;
    ProgramOptions options = linkherd_options(folder.path(), all);
    options.deadline = patience;
    return {LINKHERD_PROGRAM, options};
  }
  static json::value report_of(const ProgramResult& result) {
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 2);  // some links are dead
    return json::parse(result.out);
  }

  bool is_cluster_;
  json::value alone_;
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

// The name of the run that uses the broker, once it has said how far it is.
std::string name_of_run(const crawler::BrokerAddress& address) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    if (const auto status = crawler::read_run_status(address)) return status->progress.run;
    std::this_thread::sleep_for(100ms);
  }
  FAIL("the run does not say how far it is");
  return {};
}

// Whoever can write to the broker can send anything, and what it asks for counts no more than what it says.
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

void check_quick_faults(Faults& faults) {
  faults.check("no fault", [](RunningProgram&) {});
  faults.check("workers are killed",
               [&](RunningProgram& run) { kill_workers(faults, run, faults.is_cluster() ? 50 : 3); });
  faults.check("connections are cut", [&](RunningProgram&) {
    faults.way_of_workers.cut();
    faults.wait_for_requests(20);
    faults.way_of_run.cut();
  });
  faults.check("messages are poisoned, and there is a second run", [&](RunningProgram& run) {
    const crawler::BrokerAddress address = crawler::BrokerAddress::parse(faults.broker.url()).value();
    const std::string name = name_of_run(address);
    run.signal(SIGSTOP);  // so that it does not end before the second one begins
    poison(address, name);
    const ProgramResult second = faults.start_run().wait();
    run.signal(SIGCONT);
    CHECK(second.exit_code == 1);
    CHECK(holds(second.err, "another run uses the virtual host"));
  });
  {
    INFO("the run is killed and called again");
    faults.internet.forget_requests();
    RunningProgram run = faults.start_run({"--store", "store"});
    CHECK(faults.internet.wait_for_requests(40, patience));
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
    faults.way_of_run.lead_to(faults.broker.port(1));
    faults.wait_for_requests(100);
    faults.broker.start(0);
  });
}

void check_slow_faults(Faults& faults) {
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

TEST_CASE("whatever happens to workers, broker and run, the report is that of one machine") {
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
