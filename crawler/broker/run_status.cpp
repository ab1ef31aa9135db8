#include "crawler/broker/run_status.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "crawler/broker/queue_names.h"
#include "parser/url/credentials.h"

namespace linkherd::crawler {
namespace {

constexpr std::uint16_t max_dead_letters_shown = 100;
constexpr std::uint16_t max_put_back = 1000;  // at a time
constexpr std::size_t max_urls_shown = 3;
constexpr auto messages_timeout = std::chrono::seconds(2);  // another process may be reading them at the moment
constexpr int max_tries = 5;

// Returns the first messages of a queue. They return to the queue when `in` ends, except those that it acknowledges.
std::vector<BrokerConsumer::Delivery> messages_of(BrokerPublisher& out, BrokerConsumer& in, const std::string& queue,
                                                  std::uint16_t max_count) {
  std::vector<BrokerConsumer::Delivery> messages;
  const std::optional<BrokerPublisher::QueueState> state = out.state_of(queue);
  if (!state || state->messages == 0 || !in.consume(queue, max_count)) return messages;
  while (messages.size() < std::min<std::size_t>(state->messages, max_count)) {
    std::optional<BrokerConsumer::Delivery> message = in.next(messages_timeout);
    if (!message || message->is_cancelled) break;
    messages.push_back(std::move(*message));
  }
  return messages;
}

std::string describe(const std::string& died_by) {
  if (died_by == "rejected") return "no worker can read it, or it contains hosts from another bucket";
  if (died_by == "delivery_limit") return "several workers stopped or lost their connection while processing it";
  return "the broker says: " + died_by;
}

DeadLetter dead_letter_of(const BrokerConsumer::Delivery& message) {
  DeadLetter letter{.queue = message.dead_from, .why = describe(message.died_by), .urls = {}};
  const auto fetches = decode_requests(message.message);
  if (!fetches) {
    letter.fault = fetches.error().message;
    return letter;
  }
  letter.requests = fetches->size();
  for (std::size_t i = 0; i < std::min(fetches->size(), max_urls_shown); ++i)
    letter.urls.push_back(parser::mask_password((*fetches)[i]->request.href()));
  if (!letter.queue.starts_with(queues::links_prefix)) letter.fault = "it did not come from a request queue";
  return letter;
}

std::optional<RunProgress> progress_of(BrokerPublisher& out, const BrokerAddress& address) {
  for (int i = 0; i < max_tries && out.state_of(queues::progress); ++i) {
    BrokerConsumer in(address);
    const auto messages = messages_of(out, in, queues::progress, 10);
    for (const BrokerConsumer::Delivery& message : messages) {
      Result<RunProgress> progress = decode_progress(message.message);
      if (progress) return std::move(*progress);
    }
    if (messages.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  return std::nullopt;
}

}  // namespace

std::optional<RunStatus> read_run_status(const BrokerAddress& address) {
  BrokerPublisher out(address);
  std::optional<RunProgress> progress = progress_of(out, address);
  if (!progress) return std::nullopt;
  RunStatus status{.progress = std::move(*progress), .dead_letters = {}};
  status.is_alive = is_alive(out, status.progress.run);
  if (const auto leases = out.state_of(queues::leases)) status.workers = leases->consumers;
  for (std::uint32_t bucket = 0; bucket < status.progress.buckets; ++bucket) {
    const auto links = out.state_of(queues::links(bucket));
    if (!links) continue;
    status.batches += links->messages;
    if (links->consumers > 0) ++status.held;
  }
  if (const auto dead = out.state_of(queues::dead_letters)) status.all_dead_letters = dead->messages;
  BrokerConsumer in(address);
  for (const auto& message : messages_of(out, in, queues::dead_letters, max_dead_letters_shown))
    status.dead_letters.push_back(dead_letter_of(message));
  return status;
}

std::size_t requeue_dead_letters(const BrokerAddress& address) {
  BrokerPublisher out(address);
  BrokerConsumer in(address);
  std::size_t requeued = 0;
  for (const auto& message : messages_of(out, in, queues::dead_letters, max_put_back)) {
    if (!dead_letter_of(message).fault.empty()) continue;
    out.publish(message.dead_from, message.message);
    if (!out.confirm().empty()) continue;  // the queue belonged to a run that has ended
    in.acknowledge(message);
    ++requeued;
  }
  return requeued;
}

}  // namespace linkherd::crawler
