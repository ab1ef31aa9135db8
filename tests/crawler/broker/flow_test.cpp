// A run and a worker at a real broker, each opposite the test: what they do with messages that nobody can use.
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "crawler/broker/broker_flow.h"
#include "crawler/broker/topology.h"
#include "crawler/broker/worker.h"
#include "storage/verdict.h"
#include "tests/support/rabbitmq.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 2min;
const std::string no_message = "\xff no message";

FetchRequest link_request(const std::string& href) {
  return {storage::LinkId::of(parser::Url::parse(href).value()), href};
}

BrokerConsumer::Delivery next_delivery(BrokerConsumer& in) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    if (auto delivery = in.next(100ms)) return std::move(*delivery);
  }
  throw std::runtime_error("no message came");
}

AnalyzedPage next_page(BrokerFlow& flow) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    if (auto page = flow.pop_for(100ms)) return std::move(*page);
  }
  throw std::runtime_error("no page came");
}

// work() on a thread, until the end of the object.
class WorkerThread {
 public:
  explicit WorkerThread(WorkerOptions options) : thread_([this, options] { work(options, clock_, stop_); }) {}
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
  const std::string dead = queues::dead_letters("run");
  out.declare({.name = dead});
  out.declare({.name = queues::pages("run")});
  out.declare({.name = queues::links("run", 0), .dead_letters = dead});
  out.declare({.name = queues::leases});
  BrokerConsumer in(address);
  const auto pages = in.consume(queues::pages("run"), 10);
  const auto dead_letters = in.consume(dead, 10);
  REQUIRE(pages);
  REQUIRE(dead_letters);

  std::string batch;
  append_request(batch, link_request("http://127.0.0.1:1/"), std::nullopt);
  out.publish(queues::links("run", 0), no_message);
  out.publish(queues::links("run", 0), batch);
  out.publish(queues::leases, no_message);
  out.publish(queues::leases, encode_lease({"run", 0, 1, {}}));
  CHECK(out.confirm().empty());

  const WorkerThread worker({.broker = address, .crawl = {}});  // which does not ask private addresses
  std::optional<std::string> dead_letter;
  std::optional<FoundPage> page;
  while (!dead_letter || !page) {
    const BrokerConsumer::Delivery delivery = next_delivery(in);
    in.acknowledge(delivery);
    if (delivery.subscription == *dead_letters) {
      dead_letter = delivery.message;
      continue;
    }
    FoundPages found = decode_pages(delivery.message).value();
    if (!found.pages.empty()) page = std::move(found.pages.front());
  }
  CHECK(*dead_letter == no_message);
  CHECK(page->key == RequestKey::of(link_request("http://127.0.0.1:1/")));
  CHECK(page->snapshot.verdict.reason == storage::reason::private_address);
  for (const std::string& queue : {dead, queues::pages("run"), queues::links("run", 0)}) out.remove(queue);
}

void check_run(const BrokerAddress& address) {
  const Clock clock;
  BrokerFlow flow(address, 1, clock);
  CHECK_THROWS_AS(BrokerFlow(address, 1, clock), BrokerError);  // two runs in a virtual host
  flow.submit(link_request("https://a.example/"), std::nullopt);
  flow.submit(link_request("https://b.example/"), std::nullopt);
  CHECK_FALSE(flow.pop_for(0ms));  // they are sent

  BrokerConsumer in(address);
  BrokerPublisher out(address);
  const auto leases = in.consume(queues::leases, 1);
  REQUIRE(leases);
  const BucketLease lease = decode_lease(next_delivery(in).message).value();
  out.publish(queues::pages(lease.run), no_message);
  CHECK(out.confirm().empty());
  REQUIRE(in.consume(queues::links(lease.run, 0), 1));
  in.reject(next_delivery(in));

  for (int i = 0; i < 2; ++i) {
    const AnalyzedPage page = next_page(flow);
    CHECK(page.snapshot.verdict.reason == storage::reason::interrupted);
  }
  CHECK(flow.status().pending == 0);
}

}  // namespace

TEST_CASE("messages that cannot be used are put aside, and the run goes on") {
  if (!tests::RabbitMq::is_installed()) {
    MESSAGE("skipped: there is no rabbitmq-server");
    return;
  }
  const tests::RabbitMq broker;
  const BrokerAddress address = BrokerAddress::parse(broker.url()).value();
  check_worker(address);
  check_run(address);
}
