// Connections to a message broker that speaks AMQP 0-9-1 with RabbitMQ's extensions (quorum queues, publisher
// confirms), by librabbitmq. A connection is used by one thread. What the network or the broker does to it is a
// BrokerError: then it is of no more use.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/broker/broker_address.h"

struct amqp_connection_state_t_;  // of librabbitmq

namespace linkherd::crawler {

class BrokerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BrokerQueue {
  std::string name;
  std::string dead_letters = {};  // the queue that has what was rejected, or delivered too often; empty: none
  int delivery_limit = 0;         // 0: none
  int max_length = 0;             // the oldest messages beyond it are dropped; 0: none
  std::optional<std::chrono::milliseconds> expires = {};  // deleted when it had no consumer for so long
};

// What publishing and consuming have in common: the connection and its channels.
class BrokerConnection {
 public:
  explicit BrokerConnection(const BrokerAddress& address);
  ~BrokerConnection();
  BrokerConnection(const BrokerConnection&) = delete;
  BrokerConnection& operator=(const BrokerConnection&) = delete;

 protected:
  // The longest message that is sent or taken.
  static constexpr std::size_t max_message_bytes = std::size_t{64} << 20;
  // Without a sign of life for so long the connection counts as lost, by either side.
  static constexpr int heartbeat_seconds = 15;

  amqp_connection_state_t_* state() const { return state_; }
  void open_channel(std::uint16_t channel);
  void check_reply(std::string_view action) const;  // of the last call that waited for one
  void check(int status, std::string_view action) const;
  [[noreturn]] void fail(std::string_view action, std::string_view why) const;

 private:
  void connect(const BrokerAddress& address);

  amqp_connection_state_t_* state_;
  std::string name_;
};

class BrokerPublisher : public BrokerConnection {
 public:
  explicit BrokerPublisher(const BrokerAddress& address);

  void declare(const BrokerQueue& queue);
  struct QueueState {
    std::uint32_t messages = 0;  // that nobody has taken
    std::uint32_t consumers = 0;
  };
  std::optional<QueueState> state_of(const std::string& queue);  // nullopt: there is no such queue
  // Declares a queue that only this connection can use, and that ends with it. False: another one has it.
  bool lock(const std::string& queue);
  void remove(const std::string& queue);

  // Sends a message that outlives the broker. It is safe when confirm() has returned.
  void publish(const std::string& queue, std::string_view message);
  // To be called every few seconds while nothing is published: the broker gives up a connection that is silent.
  void stay_connected();
  // Waits until the broker has all that was published. Returns the queues that do not exist: what went there is lost.
  std::vector<std::string> confirm();

 private:
  bool take_frame(std::chrono::milliseconds timeout);
  void take_method(std::uint32_t method, const void* decoded);
  void reopen_asking();

  std::uint64_t published_ = 0;
  std::uint64_t confirmed_ = 0;
  std::map<std::uint64_t, bool> out_of_order_;  // confirmed, behind one that is not yet
  std::vector<std::string> unroutable_;
};

class BrokerConsumer : public BrokerConnection {
 public:
  explicit BrokerConsumer(const BrokerAddress& address) : BrokerConnection(address) {}

  // Where messages come from: a channel of its own, so that each has its own prefetch count. Numbers are used once:
  // messages that were on their way when a channel was closed still come.
  using Subscription = std::uint16_t;
  // False when so many have been made that a new connection is needed.
  bool can_consume_more() const;
  // nullopt: there is no such queue.
  std::optional<Subscription> consume(const std::string& queue, std::uint16_t prefetch);
  void cancel(Subscription subscription);  // nothing more comes; what came can still be acknowledged
  void end(Subscription subscription);     // what came and was not acknowledged goes back to the queue

  struct Delivery {
    Subscription subscription = 0;
    std::uint64_t tag = 0;
    std::string message;
    bool is_cancelled = false;   // no message: the queue is gone, and all that came from it with it
    std::string dead_from = {};  // of a dead letter: the queue that it was in first …
    std::string died_by = {};    // … and the broker's word for why it no longer is: "rejected", "delivery_limit"
  };
  std::optional<Delivery> next(std::chrono::milliseconds timeout);

  void acknowledge(const Delivery& delivery) { acknowledge(delivery.subscription, delivery.tag); }
  void acknowledge(Subscription subscription, std::uint64_t tag, bool all_before = false);
  void reject(const Delivery& delivery);  // to the dead letters

 private:
  std::optional<Delivery> take_other_frame();

  Subscription last_ = 0;
  std::set<Subscription> channels_;  // that are open
  std::size_t unreleased_ = 0;       // bytes that the library may hold though they are no longer needed, about
};

}  // namespace linkherd::crawler
