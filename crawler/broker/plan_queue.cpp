#include "crawler/broker/plan_queue.h"

#include <chrono>
#include <cstddef>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/broker/queue_names.h"
#include "storage/run.h"

namespace linkherd::crawler {
namespace {

// Another process is writing a plan.
class PlanIsLocked : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;
constexpr std::uint64_t pieces_unconfirmed = 16;
constexpr auto pause_between_tries = std::chrono::seconds(2);
constexpr auto poll_interval = std::chrono::seconds(1);
constexpr auto report_interval = std::chrono::seconds(30);
constexpr auto header_timeout = std::chrono::seconds(2);  // another process may be reading it at the moment

bool is_stopped(const std::atomic<StopSignal>& stop) { return stop.load() != StopSignal::none; }

void pause(std::chrono::milliseconds time, const std::atomic<StopSignal>& stop) {
  const auto end = steady_clock::now() + time;
  while (steady_clock::now() < end && !is_stopped(stop)) std::this_thread::sleep_for(milliseconds(100));
}

bool is_same(const PlanHeader& one, const PlanHeader& other) {
  return one.inputs == other.inputs && one.settings == other.settings && one.shard == other.shard;
}

std::optional<PlanHeader> read_header(BrokerPublisher& out, const BrokerAddress& address) {
  const std::optional<BrokerPublisher::QueueState> state = out.state_of(queues::plan);
  if (!state) return std::nullopt;
  BrokerConsumer in(address);  // unacknowledged messages return to the queue when it ends
  if (!in.consume(queues::plan, 1)) return std::nullopt;
  while (const std::optional<BrokerConsumer::Delivery> delivery = in.next(header_timeout)) {
    if (delivery->is_cancelled) return std::nullopt;
    Result<PlanHeader> plan = decode_plan(delivery->message);
    if (plan) return std::move(*plan);
    spdlog::warn(fmt::format("dropped a plan: {}", plan.error().message));
    in.acknowledge(*delivery);
  }
  return std::nullopt;
}

void remove_queues_of_plan(BrokerPublisher& out) {
  out.remove(queues::plan);
  out.remove(queues::plan_pieces);
}

void require_room(const std::optional<PlanHeader>& known, const PlanHeader& plan, bool replaces) {
  if (!known || replaces || is_same(*known, plan)) return;
  throw std::runtime_error(
      fmt::format("the broker already holds a plan of {} links with other inputs or settings: collect it with "
                  "`linkherd broker collect`, or discard it with --replace",
                  known->links));
}

// Writes one plan over one connection.
class PlanWriter {
 public:
  PlanWriter(const BrokerAddress& address, const PlanHeader& plan, bool replaces) : out_(address) {
    if (!out_.lock(queues::plan_lock))
      throw PlanIsLocked(fmt::format("another process is writing a plan to the virtual host {}", address.virtual_host));
    require_room(read_header(out_, address), plan, replaces);
    remove_queues_of_plan(out_);
    out_.declare({.name = queues::plan, .max_length = 1});
    out_.declare({.name = queues::plan_pieces});
    std::random_device random;
    name_ = fmt::format("{:08x}{:08x}", random(), random());
  }

  void add(const LinkPart& link) {
    append_planned_link(links_, link);
    if (links_.size() >= piece_bytes) send();
  }

  void finish(PlanHeader& plan) {
    if (!links_.empty()) send();
    confirm();
    plan.plan = name_;
    plan.pieces = pieces_;
    out_.publish(queues::plan, encode_plan(plan));
    confirm();
  }

 private:
  void send() {
    if (pieces_ == max_pieces) throw std::runtime_error("the plan is too long: divide it with --shard");
    out_.publish(queues::plan_pieces, encode_piece(name_, pieces_++, links_));
    links_.clear();
    if (pieces_ % pieces_unconfirmed == 0) confirm();
  }
  void confirm() {
    if (!out_.confirm().empty()) throw BrokerError("the queues of the plan have been deleted from the broker");
  }

  BrokerPublisher out_;
  std::string name_;
  std::string links_;  // of the next piece
  std::uint32_t pieces_ = 0;
};

struct Stopped {};

// Reads a plan from the broker while no other run can.
class PlanReading {
 public:
  explicit PlanReading(const BrokerAddress& address) : address_(address), out_(address) {}

  bool lock() { return out_.lock(queues::lock); }
  std::optional<PlanHeader> header() { return read_header(out_, address_); }

  // Returns nullopt if the plan no longer exists or if `stop` is set.
  std::optional<LinkTable> read(const PlanHeader& header, const std::atomic<StopSignal>& stop) {
    BrokerConsumer in(address_);
    if (!in.consume(queues::plan_pieces, max_pieces)) return std::nullopt;
    std::vector<bool> is_received(header.pieces);
    std::uint32_t missing = header.pieces;
    LinkJoiner joiner;
    auto last = steady_clock::now();
    while (missing > 0 && !is_stopped(stop)) {
      out_.stay_connected();
      const std::optional<BrokerConsumer::Delivery> delivery = in.next(milliseconds(100));
      if (!delivery) {
        if (steady_clock::now() - last < report_interval) continue;
        last = steady_clock::now();
        spdlog::warn(fmt::format("{} of {} parts of the plan have not arrived", missing, header.pieces));
        if (const auto now = this->header(); !now || now->plan != header.plan) return std::nullopt;
        continue;
      }
      if (delivery->is_cancelled) return std::nullopt;
      if (take(*delivery, in, header, joiner, is_received)) {
        --missing;
        last = steady_clock::now();
      }
    }
    if (missing > 0) return std::nullopt;
    return joiner.finish();
  }

 private:
  static bool take(const BrokerConsumer::Delivery& delivery, BrokerConsumer& in, const PlanHeader& header,
                   LinkJoiner& joiner, std::vector<bool>& is_received) {
    const Result<PlanPiece> piece = decode_piece(delivery.message);
    if (!piece || piece->plan != header.plan || piece->number >= header.pieces) {
      spdlog::warn(
          fmt::format("dropped a part of a plan: {}", piece ? "it belongs to another plan" : piece.error().message));
      in.acknowledge(delivery);
      return false;
    }
    if (is_received[piece->number]) return false;
    is_received[piece->number] = true;
    for (const LinkPart& link : piece->links) {
      const Result<void> added = joiner.add(link);
      if (added.has_error()) spdlog::warn(fmt::format("dropped a link of the plan: {}", added.error().message));
    }
    return true;
  }

  const BrokerAddress& address_;
  BrokerPublisher out_;
};

}  // namespace

std::optional<PlanHeader> waiting_plan(const BrokerAddress& address) {
  BrokerPublisher out(address);
  return read_header(out, address);
}

void require_room(const BrokerAddress& address, const PlanHeader& plan, bool replaces) {
  require_room(waiting_plan(address), plan, replaces);
}

bool publish_plan(const BrokerAddress& address, PlanHeader& plan, LinkSorter& links, bool replaces,
                  const std::atomic<StopSignal>& stop) {
  for (bool was_connected = false; !is_stopped(stop); pause(pause_between_tries, stop)) {
    try {
      PlanWriter writer(address, plan, replaces);
      was_connected = true;
      const LinkSorter::Count count = links.for_each([&](const LinkPart& link) {
        if (is_stopped(stop)) throw Stopped();
        writer.add(link);
      });
      plan.links = count.in_shard;
      plan.all_links = count.all;
      writer.finish(plan);
      return true;
    } catch (const BrokerError& error) {
      if (!was_connected) throw;
      spdlog::warn(fmt::format("{}; writing the plan again", error.what()));
    } catch (const PlanIsLocked& error) {
      if (!was_connected) throw;
      // the broker has not noticed yet that the previous connection of this process is lost
      spdlog::warn(error.what());
    } catch (const Stopped&) {
      return false;
    }
  }
  return false;
}

std::optional<CollectedPlan> collect_plan(const BrokerAddress& address,
                                          const std::function<void(const std::string& reason)>& on_wait,
                                          const std::atomic<StopSignal>& stop) {
  std::string last_reason;
  const auto report_wait = [&](const char* reason) {
    if (std::exchange(last_reason, reason) != reason) on_wait(reason);
  };
  for (bool was_connected = false; !is_stopped(stop); pause(poll_interval, stop)) {
    try {
      PlanReading reading(address);
      was_connected = true;
      if (!reading.lock()) {
        report_wait("another run is using the virtual host of the broker");
        continue;
      }
      std::optional<PlanHeader> header = reading.header();
      if (!header) {
        report_wait("the broker has no complete plan: run `linkherd broker plan`");
        continue;
      }
      if (std::optional<LinkTable> plan = reading.read(*header, stop))
        return CollectedPlan{std::move(*header), std::move(*plan)};
    } catch (const BrokerError& error) {
      if (!was_connected) throw;
      spdlog::warn(fmt::format("{}; connecting again", error.what()));
    }
  }
  return std::nullopt;
}

void remove_plan(const BrokerAddress& address, const std::string& name) {
  BrokerPublisher out(address);
  if (!out.lock(queues::plan_lock)) return;  // the owner of the lock is writing another plan
  const std::optional<PlanHeader> known = read_header(out, address);
  if (known && known->plan == name) remove_queues_of_plan(out);
}

}  // namespace linkherd::crawler
