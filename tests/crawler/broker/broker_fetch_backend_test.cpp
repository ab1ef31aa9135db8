// Tests what a run and a worker at a real broker do with unusable messages. The test plays the other side.
#include "crawler/broker/broker_fetch_backend.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "crawler/broker/queue_names.h"
#include "crawler/broker/run_status.h"
#include "crawler/broker/worker.h"
#include "crawler/run/crawl.h"
#include "storage/verdict.h"
#include "tests/support/rabbitmq.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 2min;
const std::string no_message = "\xff no message";

FetchRequest link_request(const std::string& href) {
  return {storage::LinkId::of(parser::Url::parse(href).value()), href};
}

BrokerConsumer::Delivery next_delivery(BrokerConsumer& in) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < end) {
    if (auto delivery = in.next(100ms)) return std::move(*delivery);
  }
  throw std::runtime_error("no message came");
}

AnalyzedPage next_page(BrokerFetchBackend& backend) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < end) {
    if (auto page = backend.pop_for(100ms)) return std::move(*page);
  }
  throw std::runtime_error("no page came");
}

// Runs work() on a thread. The destructor ends it.
class WorkerThread {
 public:
  explicit WorkerThread(const WorkerOptions& options) : thread_([this, options] { work(options, clock_, stop_); }) {}
  ~WorkerThread() {
    stop_ = StopSignal::terminate;
    thread_.join();
  }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

 private:
  const Clock clock_;
  std::atomic<StopSignal> stop_{StopSignal::none};
  std::thread thread_;
};

void check_worker(const BrokerAddress& address) {
  BrokerPublisher out(address);
  const std::string dead = queues::dead_letters;
  out.declare({.name = dead});
  out.declare({.name = queues::pages("run")});
  out.declare({.name = queues::links(0), .dead_letters = dead});
  out.declare({.name = queues::leases});
  BrokerConsumer in(address);
  const auto pages = in.consume(queues::pages("run"), 10);
  const auto dead_letters = in.consume(dead, 10);
  REQUIRE(pages);
  REQUIRE(dead_letters);

  std::string batch;
  append_request(batch, link_request("http://127.0.0.1:1/"), std::nullopt);
  out.publish(queues::links(0), no_message);
  out.publish(queues::links(0), batch);
  out.publish(queues::leases, no_message);
  out.publish(queues::leases, encode_lease({"run", 0, 1, {}}));
  CHECK(out.confirm().empty());

  const WorkerThread worker({.broker = address, .crawl = {}});  // this worker may not connect to private addresses
  std::optional<std::string> dead_letter;
  std::optional<WorkerPage> page;
  while (!dead_letter || !page) {
    const BrokerConsumer::Delivery delivery = next_delivery(in);
    in.acknowledge(delivery);
    if (delivery.subscription == *dead_letters) {
      dead_letter = delivery.message;
      continue;
    }
    WorkerPages found = decode_pages(delivery.message).value();
    if (!found.pages.empty()) page = std::move(found.pages.front());
  }
  CHECK(*dead_letter == no_message);
  CHECK(page->key == RequestKey::of(link_request("http://127.0.0.1:1/")));
  CHECK(page->analysis.snapshot.verdict.reason == storage::reason::private_address);
  for (const std::string& queue : {dead, queues::pages("run"), queues::links(0)}) out.remove(queue);
}

// Waits until the broker has `count` dead letters.
RunStatus status_with_dead_letters(BrokerFetchBackend& backend, const BrokerAddress& address, std::size_t count) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < end) {
    CHECK_FALSE(backend.pop_for(0ms));
    std::optional<RunStatus> status = read_run_status(address);
    if (status && status->all_dead_letters == count && status->progress.planned > 0) return std::move(*status);
  }
  throw std::runtime_error("there are no dead letters");
}

// Takes the place of a worker and rejects every message.
struct RejectingWorker {
  BrokerPublisher out;
  BrokerConsumer in;
  BucketLease lease;
  std::string links;

  explicit RejectingWorker(const BrokerAddress& address) : out(address), in(address) {
    REQUIRE(in.consume(queues::leases, 1));
    lease = decode_lease(next_delivery(in).message).value();
    links = queues::links(0);
    REQUIRE(in.consume(links, 10));
    out.publish(queues::pages(lease.run), no_message);
    out.publish(links, no_message);
    CHECK(out.confirm().empty());
    for (int i = 0; i < 2; ++i) in.reject(next_delivery(in));
  }
};

// Submits two links. Waits until the run offers their bucket.
void submit_two(BrokerFetchBackend& backend, const BrokerAddress& address) {
  backend.submit(link_request("https://me:secret@a.example/"), std::nullopt);
  backend.submit(link_request("https://b.example/"), std::nullopt);
  BrokerPublisher broker(address);
  const auto end = std::chrono::steady_clock::now() + timeout;
  do {
    CHECK_FALSE(backend.pop_for(10ms));
  } while (broker.state_of(queues::leases).value().messages == 0 && std::chrono::steady_clock::now() < end);
}

void check_status(const BrokerAddress& address) {
  const Clock clock;
  CHECK_FALSE(read_run_status(address));
  BrokerFetchBackend backend({.broker = address, .buckets = 1, .dead_letter_wait = 1h}, clock);
  CHECK_THROWS_AS(BrokerFetchBackend({.broker = address}, clock), BrokerError);  // a virtual host can have only one run
  submit_two(backend, address);
  RejectingWorker worker(address);

  CrawlProgress progress;
  progress.total = 3;
  progress.done = 1;
  backend.show(progress);
  const RunStatus status = status_with_dead_letters(backend, address, 2);
  CHECK(status.is_alive);
  CHECK(status.progress.run == worker.lease.run);
  CHECK(status.progress.planned == 3);
  CHECK(status.progress.done == 1);
  CHECK(status.progress.pending_requests == 2);
  CHECK(status.held == 1);
  CHECK(status.workers == 1);
  REQUIRE(status.dead_letters.size() == 2);
  CHECK(status.dead_letters[0].queue == worker.links);
  CHECK(status.dead_letters[0].requests == 2);
  CHECK(status.dead_letters[0].urls == std::vector<std::string>{"https://me:***@a.example/", "https://b.example/"});
  CHECK(status.dead_letters[0].fault.empty());
  CHECK(status.dead_letters[0].why.find("no worker can read it") != std::string::npos);
  CHECK_FALSE(status.dead_letters[1].fault.empty());

  // A readable dead letter goes to a worker again, which rejects it again.
  CHECK(requeue_dead_letters(address) == 1);
  const BrokerConsumer::Delivery again = next_delivery(worker.in);
  CHECK(decode_requests(again.message).value().size() == 2);
  worker.in.reject(again);
  status_with_dead_letters(backend, address, 2);
}

void check_run(const BrokerAddress& address) {
  const Clock clock;
  BrokerFetchBackend backend({.broker = address, .buckets = 1, .dead_letter_wait = 0s}, clock);
  submit_two(backend, address);
  const RejectingWorker worker(address);
  std::ostringstream log;
  const auto usual = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(log, true)));
  for (int i = 0; i < 2; ++i) {
    const AnalyzedPage page = next_page(backend);
    CHECK(page.snapshot.verdict.reason == storage::reason::interrupted);
  }
  spdlog::set_default_logger(usual);
  CHECK(log.str().find("secret") == std::string::npos);
  CHECK(log.str().find("no worker could process a batch of 2 links with https://") != std::string::npos);
  CHECK(backend.status().pending == 0);
}

enum class FaultyWorker {
  unreadable,      // sends unreadable messages
  readable_later,  // responds to the second delivery
  silent,          // acknowledges links and sends no results
};

// Links that a worker takes without a result are offered again, and finally have no answer. A result for the second
// delivery is accepted.
void check_faulty_worker(const BrokerAddress& address, FaultyWorker fault) {
  const Clock clock;
  const bool is_silent = fault == FaultyWorker::silent;
  const bool mends_itself = fault == FaultyWorker::readable_later;
  BrokerFetchBackend backend(
      {.broker = address, .buckets = 1, .dead_letter_wait = 0s, .max_silence = is_silent ? 0s : 1h}, clock);
  submit_two(backend, address);
  BrokerPublisher out(address);
  BrokerConsumer in(address);
  REQUIRE(in.consume(queues::leases, 1));
  const BucketLease lease = decode_lease(next_delivery(in).message).value();
  REQUIRE(in.consume(queues::links(0), 10));
  int batches = 0;
  std::vector<AnalyzedPage> pages;
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (pages.size() < 2 && std::chrono::steady_clock::now() < end) {
    if (auto page = backend.pop_for(10ms)) pages.push_back(std::move(*page));
    const auto delivery = in.next(10ms);
    if (!delivery) continue;
    const auto fetches = decode_requests(delivery->message).value();
    CHECK(fetches.size() == 2);
    std::string answer = no_message;
    if (++batches == 2 && mends_itself) {
      answer.clear();
      for (const auto& fetch : fetches) {
        FetchResult result(std::move(fetch->request));
        result.response.status = 404;
        const AnalyzedPage page = analyze(std::move(result), {}, clock.now());
        append_page(answer, RequestKey::of(page.request), page);
      }
    }
    if (!is_silent) out.publish(queues::pages(lease.run), answer);
    CHECK(out.confirm().empty());
    in.acknowledge(*delivery);
  }
  if (!is_silent) CHECK(batches == (mends_itself ? 2 : 3));
  REQUIRE(pages.size() == 2);
  for (const AnalyzedPage& page : pages) {
    CHECK(page.snapshot.verdict.reason == (mends_itself ? "http_404" : storage::reason::interrupted));
    if (!mends_itself) CHECK(page.snapshot.verdict.evidence == "No worker returned a usable result.");
  }
  CHECK(backend.status().pending == 0);
}

}  // namespace

TEST_CASE("undecodable messages are set aside and the run continues") {
  if (!tests::RabbitMq::is_installed()) {
    MESSAGE("skipped: there is no rabbitmq-server");
    return;
  }
  const tests::RabbitMq broker;
  const BrokerAddress address = BrokerAddress::parse(broker.url()).value();
  check_worker(address);
  check_status(address);
  check_run(address);
  check_faulty_worker(address, FaultyWorker::unreadable);
  check_faulty_worker(address, FaultyWorker::readable_later);
  check_faulty_worker(address, FaultyWorker::silent);
}
