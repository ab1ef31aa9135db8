// Tests attacks by anyone who can write to the broker, and by servers that pretend to be a broker.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"
#include "crawler/broker/queue_names.h"
#include "tests/end_to_end/attacks/attack_family.h"
#include "tests/support/rabbitmq.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace crawler = linkherd::crawler;
namespace storage = linkherd::storage;

namespace {

using BrokerWords = std::vector<std::string>;

constexpr std::uint32_t buckets = 4;

crawler::FetchRequest request_to(const std::string& href, crawler::Validators validators) {
  return {storage::LinkId::of(linkherd::parser::Url::parse(href).value()), href, std::move(validators)};
}

// A run that the test controls: its queues, a lease for each bucket, and requests.
class HostileRun {
 public:
  HostileRun(const RabbitMq& broker, std::string name)
      : name_(std::move(name)),
        out_(crawler::BrokerAddress::parse(broker.url()).value()),
        in_(crawler::BrokerAddress::parse(broker.url()).value()) {
    out_.declare({.name = crawler::queues::dead_letters});
    out_.declare({.name = crawler::queues::pages(name_)});
    out_.declare({.name = crawler::queues::leases});
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket)
      out_.declare(
          {.name = crawler::queues::links(bucket), .dead_letters = crawler::queues::dead_letters, .delivery_limit = 3});
    pages_ = in_.consume(crawler::queues::pages(name_), 100).value();
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
      crawler::BucketLease lease;
      lease.run = name_;
      lease.bucket = bucket;
      lease.buckets = buckets;
      lease.reads_files = true;
      publish(crawler::queues::leases, crawler::encode_lease(lease));
    }
  }
  ~HostileRun() {
    out_.remove(crawler::queues::leases);
    out_.remove(crawler::queues::pages(name_));
    out_.remove(crawler::queues::dead_letters);
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) out_.remove(crawler::queues::links(bucket));
  }
  HostileRun(const HostileRun&) = delete;
  HostileRun& operator=(const HostileRun&) = delete;

  void publish(const std::string& queue, const std::string& message) {
    out_.publish(queue, message);
    static_cast<void>(out_.confirm());
  }
  void ask_for(const std::string& href, crawler::Validators validators = {}) {
    std::string batch;
    append_request(batch, request_to(href, std::move(validators)), std::nullopt);
    publish(crawler::queues::links(crawler::bucket_of(linkherd::parser::Url::parse(href).value(), buckets)), batch);
  }
  bool has_page() { return in_.next(std::chrono::milliseconds(100)).has_value(); }
  std::uint32_t messages_in(const std::string& queue) {
    const auto state = out_.state_of(queue);
    return state ? state->messages : 0;
  }

 private:
  std::string name_;
  crawler::BrokerPublisher out_;
  crawler::BrokerConsumer in_;
  crawler::BrokerConsumer::Subscription pages_ = 0;
};

bool wait_for(const std::function<bool()>& is_reached) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

std::size_t files_in(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) count += entry.is_regular_file();
  return count;
}

}  // namespace

TEST_CASE("attacks: hostile broker messages write no file outside and reach no other host") {
  if (!RabbitMq::is_installed()) {
    MESSAGE("skipped: there is no rabbitmq-server");
    return;
  }
  AttackFamily family("hostile messages at a broker");
  const TempDir folder;
  SmallInternet internet;
  const RabbitMq broker;
  internet.host("long.herd").default_page(html_page("<title>Long</title>" + std::string(100'000, 'x')));
  std::filesystem::create_directories(folder / "worker/bodies");
  std::filesystem::create_directories(folder / "outside");
  BrokerWords words = check_arguments(internet, {"-v", "--broker", broker.url(), "--warc-dir", "bodies"});
  words.front() = "broker";
  words.insert(words.begin() + 1, "worker");
  for (const std::string& name : {std::string("../../outside/pwn"), std::string("/tmp/linkherd-pwn"),
                                  std::string("-option"), std::string("a\x1b[2Jb"), std::string("0123456789abcdef")}) {
    CAPTURE(name);
    const bool is_good = name == "0123456789abcdef";
    internet.clear_requests();
    HostileRun run(broker, name);
    run.ask_for("https://long.herd/");
    RunningProgram worker = start_linkherd(folder / "worker", words);
    if (is_good) {  // so that only the name can be the reason for a refusal
      family.expect(wait_for([&] { return run.has_page(); }), "a worker gave no page for a good name");
      family.expect(wait_for([&] { return files_in(folder / "worker/bodies") == 1; }), "no file of bodies");
    } else {
      family.expect(wait_for([&] { return holds(worker.stderr_so_far(), "dropped a lease"); }), "a lease was taken");
      family.expect(internet.requests().empty(), "a link was asked for");
      family.expect(files_in(folder / "worker/bodies") == 0, "a file was written");
    }
    worker.signal(SIGTERM);
    const ProgramResult result = worker.wait();
    family.note(result, buckets);
    family.expect(result.err.find('\x1b') == std::string::npos, "a control character was printed");
    family.expect(files_in(folder / "outside") == 0, "a file outside was written");
  }
  {
    HostileRun run(broker, "run");
    RunningProgram worker = start_linkherd(folder / "worker", words);
    run.ask_for("https://long.herd/", {.url = "https://long.herd/",
                                       .etag = "\"1\"\r\nHost: evil.example",
                                       .last_modified = {},
                                       .lines = {"Host: evil.example"}});
    run.publish(crawler::queues::links(1), "garbage");
    run.publish(crawler::queues::links(2), std::string("\x01\x0a\xff\xff\xff\xff\x0f", 7));
    run.publish(crawler::queues::links(3), "\x01" + std::string(std::size_t{20} << 20, '\n'));
    family.expect(wait_for([&] { return run.messages_in(crawler::queues::dead_letters) == 4; }),
                  "a hostile batch was taken");
    for (const ReceivedRequest& request : internet.requests())
      family.expect(request.host != "evil.example", "a request went to another host");
    family.note(run_linkherd(folder.path(), {"broker", "status", "--broker", broker.url()}));
    worker.signal(SIGTERM);
    family.note(worker.wait(), 4);
  }
  {  // the commands collect and status
    crawler::BrokerPublisher out(crawler::BrokerAddress::parse(broker.url()).value());
    out.declare({.name = crawler::queues::progress, .max_length = 1});
    crawler::RunProgress progress;
    progress.run = "../../\x1b[2J";
    out.publish(crawler::queues::progress, crawler::encode_progress(progress));
    static_cast<void>(out.confirm());
    const ProgramResult status = family.run(folder.path(), {"broker", "status", "--broker", broker.url()});
    family.expect((status.out + status.err).find('\x1b') == std::string::npos, "a control character was printed");
    out.remove(crawler::queues::progress);
  }
}

// Takes all links and responds to each batch with an unreadable message.
class GarblingWorker {
 public:
  explicit GarblingWorker(const RabbitMq& broker)
      : out_(crawler::BrokerAddress::parse(broker.url()).value()),
        in_(crawler::BrokerAddress::parse(broker.url()).value()) {}
  void work() {
    out_.stay_connected();
    if (!leases_) {  // a new run deletes the queues of earlier runs
      const auto state = out_.state_of(crawler::queues::leases);
      if (!state || state->messages == 0) return std::this_thread::sleep_for(std::chrono::milliseconds(100));
      leases_ = in_.consume(crawler::queues::leases, 100).value();
    }
    const auto delivery = in_.next(std::chrono::milliseconds(100));
    if (!delivery) return;
    if (delivery->subscription != *leases_) {
      ++batches_;
      out_.publish(crawler::queues::pages(run_), "\xff no message");
      static_cast<void>(out_.confirm());
      return in_.acknowledge(*delivery);
    }
    const crawler::BucketLease lease = crawler::decode_lease(delivery->message).value();
    run_ = lease.run;
    REQUIRE(in_.consume(crawler::queues::links(lease.bucket), 10));
  }
  int batches() const { return batches_; }

 private:
  crawler::BrokerPublisher out_;
  crawler::BrokerConsumer in_;
  std::optional<crawler::BrokerConsumer::Subscription> leases_;
  std::string run_;
  int batches_ = 0;
};

TEST_CASE("attacks: unreadable pages of a worker do not keep a run from ending") {
  if (!RabbitMq::is_installed()) {
    MESSAGE("skipped: there is no rabbitmq-server");
    return;
  }
  AttackFamily family("garbled pages of workers");
  const TempDir folder;
  folder.write("list.md", "[a](https://a.herd/) [b](https://b.herd/) [c](https://b.herd/c)\n");
  const SmallInternet internet;
  const RabbitMq broker;
  constexpr auto timeout = std::chrono::minutes(6);
  ProgramOptions options = linkherd_options(
      folder.path(),
      check_arguments(internet, {"--no-store", "--format", "json", "--broker", broker.url(), "list.md"}));
  options.deadline = timeout;
  RunningProgram run(LINKHERD_PROGRAM, options);
  GarblingWorker worker(broker);
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (run.running() && std::chrono::steady_clock::now() < end) worker.work();
  family.expect(!run.running(), "the run did not end");
  if (run.running()) run.signal(SIGKILL);
  const ProgramResult result = run.wait();
  family.note(result, 3);
  family.expect(worker.batches() >= 3, "links were not given out again");
  family.expect(result.exit_code == 4, fmt::format("exit code {}", result.exit_code));
  family.expect(holds(result.err, "links have no usable result, although"), "nobody is told");
  family.expect(holds(result.out, "\"reason\":\"interrupted\""), "the links have another reason");
}

TEST_CASE("attacks: a hostile broker is an error and prints no control character") {
  AttackFamily family("hostile brokers");
  const TempDir folder;
  folder.write("list.md", "[a](https://a.herd/)\n");
  const SmallInternet internet;
  using namespace std::string_literals;
  // connection.start of AMQP 0-9-1, then connection.close with a text for terminals
  const std::string start = "\x01\0\0\0\0\0\x1d\0\x0a\0\x0a\0\x09\0\0\0\0\0\0\0\x05PLAIN\0\0\0\x05"s + "en_US\xce"s;
  const std::string words = "\x1b[2J\x1b]0;owned\x07"s;
  const std::string close = "\x01\0\0\0\0\0"s + static_cast<char>(11 + words.size()) + "\0\x0a\0\x32\x01\x93"s +
                            static_cast<char>(words.size()) + words + "\0\0\0\0\xce"s;
  const std::vector<RawServer::Script> scripts{
      [](ServerConnection& client) { client.reset(); },
      [](ServerConnection& client) { client.send("HTTP/1.1 400 Bad Request\r\n\r\n"); },
      [](ServerConnection& client) { client.send("AMQP\0\0\x09\x01"s); },
      [](ServerConnection& client) { client.send("\x01\0\0\xff\xff\xff\xff"s + std::string(1 << 20, 'x')); },
      [](ServerConnection& client) {
        while (client.send(std::string(1 << 16, '\x01'))) {
        }
      },
      [](ServerConnection& client) {
        while (client.send("\x08\0\0\0\0\0\0\xce"s)) {  // heartbeats
        }
      },
      [start](ServerConnection& client) {
        client.read_some();
        client.send(start.substr(0, 20));
        client.wait_for_end();
      },
      [start, close](ServerConnection& client) {
        client.read_some();
        client.send(start);
        client.read_some();
        client.send(close);
        client.wait_for_end();
      },
  };
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    CAPTURE(i);
    const RawServer server(scripts[i]);
    const std::string address = fmt::format("amqp://me:x@127.0.0.1:{}", server.port());
    for (BrokerWords one : {check_arguments(internet, {"--no-store", "list.md"}), BrokerWords{"broker", "status"},
                            BrokerWords{"broker", "plan", "list.md"}, BrokerWords{"broker", "collect", "--no-store"}}) {
      one.insert(one.end(), {"--broker", address});
      const ProgramResult result = family.run(folder.path(), one);
      family.expect(result.exit_code == 1, fmt::format("{}: exit code {}", one.front(), result.exit_code));
      family.expect((result.out + result.err).find('\x1b') == std::string::npos, "a control character was printed");
    }
  }
}
