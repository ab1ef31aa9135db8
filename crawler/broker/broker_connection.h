// Connections to a message broker that speaks AMQP 0-9-1 with RabbitMQ's extensions (quorum queues, publisher
// confirms). Uses librabbitmq. A connection is used by one thread. Errors of the network or the broker throw
// BrokerError; the connection cannot be used afterwards.
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

struct amqp_connection_state_t_;  // type of librabbitmq

namespace linkherd::crawler {

class BrokerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BrokerQueue {
  std::string name;
  // queue that receives rejected messages, and messages delivered too often; empty: none
  std::string dead_letters = {};
  int delivery_limit = 0;                                 // 0: no limit
  int max_length = 0;                                     // the oldest messages above it are dropped; 0: no limit
  std::optional<std::chrono::milliseconds> expires = {};  // the queue is deleted after this time without a consumer
};

// The connection and its channels, as used for publishing and consuming.
class BrokerConnection {
 public:
  explicit BrokerConnection(const BrokerAddress& address);
  ~BrokerConnection();
  BrokerConnection(const BrokerConnection&) = delete;
  BrokerConnection& operator=(const BrokerConnection&) = delete;

 protected:
  // Maximum size of a message that is sent or received.
  static constexpr std::size_t max_message_bytes = std::size_t{64} << 20;
  // Either side regards the connection as lost after this time without traffic.
  static constexpr int heartbeat_seconds = 15;

  amqp_connection_state_t_* state() const { return state_; }
  void open_channel(std::uint16_t channel);
  void check_reply(std::string_view action) const;  // of the last call that waited for a reply
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
    std::uint32_t messages = 0;  // not delivered to a consumer
    std::uint32_t consumers = 0;
  };
  std::optional<QueueState> state_of(const std::string& queue);  // nullopt if the queue does not exist
  // Declares a queue that only this connection can use and that ends with it. Returns false if another connection has
  // it.
  bool lock(const std::string& queue);
  void remove(const std::string& queue);

  // Sends a message that survives a restart of the broker. It is safe once confirm() has returned.
  void publish(const std::string& queue, std::string_view message);
  // Call every few seconds while nothing is published, because the broker closes a silent connection.
  void stay_connected();
  // Waits until the broker has confirmed all published messages. Returns the queues that do not exist; messages sent
  // there are lost.
  std::vector<std::string> confirm();

 private:
  bool take_frame(std::chrono::milliseconds timeout);
  void take_method(std::uint32_t method, const void* decoded);
  void reopen_query_channel();

  std::uint64_t published_ = 0;
  std::uint64_t confirmed_ = 0;
  std::map<std::uint64_t, bool> out_of_order_;  // confirmed tags that follow an unconfirmed one
  std::vector<std::string> unroutable_;
};

class BrokerConsumer : public BrokerConnection {
 public:
  explicit BrokerConsumer(const BrokerAddress& address) : BrokerConnection(address) {}

  // A source of messages. It has its own channel and therefore its own prefetch count. Numbers are never reused,
  // because messages that were in transit when a channel was closed still arrive.
  using Subscription = std::uint16_t;
  // Returns false if so many subscriptions were made that a new connection is needed.
  bool can_consume_more() const;
  // Returns nullopt if the queue does not exist.
  std::optional<Subscription> consume(const std::string& queue, std::uint16_t prefetch);
  void cancel(Subscription subscription);  // no more messages are sent; received ones can still be acknowledged
  void end(Subscription subscription);     // unacknowledged messages return to the queue

  struct Delivery {
    Subscription subscription = 0;
    std::uint64_t tag = 0;
    std::string message;
    bool is_cancelled = false;   // the queue was deleted, with all messages received from it; `message` is empty
    std::string dead_from = {};  // of a dead letter: the queue it was in first
    std::string died_by = {};    // of a dead letter: the broker's reason, such as "rejected" or "delivery_limit"
  };
  std::optional<Delivery> next(std::chrono::milliseconds timeout);

  void acknowledge(const Delivery& delivery) { acknowledge(delivery.subscription, delivery.tag); }
  void acknowledge(Subscription subscription, std::uint64_t tag, bool all_before = false);
  void reject(const Delivery& delivery);  // moves the message to the dead letters

 private:
  std::optional<Delivery> take_other_frame();

  Subscription last_ = 0;
  std::set<Subscription> channels_;  // open channels
  std::size_t unreleased_ = 0;       // approximate bytes that the library may hold although they are no longer needed
};

}  // namespace linkherd::crawler
