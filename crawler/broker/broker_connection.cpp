#include "crawler/broker/broker_connection.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/time.h>

#include "crawler/broker/amqp_headers.h"
#include "crawler/fetch/net/ca_file.h"

namespace linkherd::crawler {
namespace {

constexpr timeval connect_timeout{10, 0};
constexpr std::chrono::seconds reply_timeout{30};
// Memory is released only above this size, because the library then scans all channels and their queued frames.
constexpr std::size_t max_unreleased_bytes = std::size_t{1} << 20;
constexpr int max_channels = 2047;  // RabbitMQ's default
constexpr std::uint16_t publishing = 1;
constexpr std::uint16_t query_channel =
    2;  // a separate channel, because a query for a missing queue closes its channel

amqp_bytes_t bytes_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is read
}

std::string_view text_of(const amqp_bytes_t& bytes) { return {static_cast<const char*>(bytes.bytes), bytes.len}; }

timeval timeval_of(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {seconds.count(), std::chrono::microseconds(time - seconds).count()};
}

// Returns the broker's text for closing a channel or the connection, or nullopt for other methods.
std::optional<std::string> describe_closing(amqp_method_number_t method, const void* decoded) {
  if (method == AMQP_CHANNEL_CLOSE_METHOD) {
    return std::string(text_of(static_cast<const amqp_channel_close_t*>(decoded)->reply_text));
  }
  if (method == AMQP_CONNECTION_CLOSE_METHOD) {
    return std::string(text_of(static_cast<const amqp_connection_close_t*>(decoded)->reply_text));
  }
  return std::nullopt;
}

std::string describe_reply(const amqp_rpc_reply_t& reply) {
  if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION) {
    return describe_closing(reply.reply.id, reply.reply.decoded).value_or("unexpected response from the broker");
  }
  return amqp_error_string2(reply.library_error);
}

// Returns true if the broker closed the channel with this code.
bool is_closed_with(const amqp_rpc_reply_t& reply, int code) {
  return reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION && reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD &&
         static_cast<const amqp_channel_close_t*>(reply.reply.decoded)->reply_code == code;
}

// Returns an empty string if the header is missing or not a text.
std::string header_of(const amqp_message_t& message, std::string_view name) {
  if ((message.properties._flags & AMQP_BASIC_HEADERS_FLAG) == 0) return {};
  const std::span entries(message.properties.headers.entries,
                          static_cast<std::size_t>(message.properties.headers.num_entries));
  const auto found = std::ranges::find(entries, name, [](const auto& entry) { return text_of(entry.key); });
  if (found == entries.end() || found->value.kind != AMQP_FIELD_KIND_UTF8) return {};
  return std::string(text_of(found->value.value.bytes));
}

// A table of arguments with room for all arguments of a queue.
class Arguments {
 public:
  void add(const char* key, const char* text) {
    amqp_table_entry_t& entry = next(key);
    entry.value.kind = AMQP_FIELD_KIND_UTF8;
    entry.value.value.bytes = amqp_cstring_bytes(text);
  }
  void add(const char* key, std::int64_t number) {
    amqp_table_entry_t& entry = next(key);
    entry.value.kind = AMQP_FIELD_KIND_I64;
    entry.value.value.i64 = number;
  }
  amqp_table_t table() { return {static_cast<int>(count_), entries_.data()}; }

 private:
  amqp_table_entry_t& next(const char* key) {
    amqp_table_entry_t& entry = entries_.at(count_++);
    entry.key = amqp_cstring_bytes(key);
    return entry;
  }

  std::array<amqp_table_entry_t, 8> entries_{};
  std::size_t count_ = 0;
};

}  // namespace

BrokerConnection::BrokerConnection(const BrokerAddress& address)
    : state_(amqp_new_connection()), name_(fmt::format("{}:{}", address.host, address.port)) {
  if (state_ == nullptr) throw BrokerError("not enough memory for a connection to the broker");
  try {
    connect(address);
  } catch (...) {
    amqp_destroy_connection(state_);
    throw;
  }
}

BrokerConnection::~BrokerConnection() {
  // Skips the closing handshake, which would wait for the broker. Unacknowledged messages return to their queues
  // anyway.
  amqp_destroy_connection(state_);
}

void BrokerConnection::connect(const BrokerAddress& address) {
  amqp_socket_t* const socket = address.tls ? amqp_ssl_socket_new(state_) : amqp_tcp_socket_new(state_);
  if (socket == nullptr) fail("cannot connect", "no memory");
  if (address.tls) {
    auto* const context = static_cast<SSL_CTX*>(amqp_ssl_socket_get_context(socket));
    if (address.ca_file.empty()) {
      // OpenSSL knows the places of the system that it was built for; the program may run on another one.
      SSL_CTX_set_default_verify_paths(context);
      const std::string file = find_system_ca_file();
      if (!file.empty()) SSL_CTX_load_verify_locations(context, file.c_str(), nullptr);
    } else {
      check(amqp_ssl_socket_set_cacert(socket, address.ca_file.c_str()), "cannot read the CA certificates");
    }
    if (!address.certificate.empty()) {
      const std::string& key = address.key.empty() ? address.certificate : address.key;
      check(amqp_ssl_socket_set_key(socket, address.certificate.c_str(), key.c_str()),
            "cannot read the client certificate");
    }
    amqp_ssl_socket_set_verify_peer(socket, 1);
    amqp_ssl_socket_set_verify_hostname(socket, 1);
    amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST);
  }
  timeval timeout = connect_timeout;
  check(amqp_socket_open_noblock(socket, address.host.c_str(), address.port, &timeout), "cannot connect");
  amqp_set_handshake_timeout(state_, &timeout);
  timeout = timeval_of(reply_timeout);
  amqp_set_rpc_timeout(state_, &timeout);
  const amqp_rpc_reply_t reply =
      amqp_login(state_, address.virtual_host.c_str(), max_channels, AMQP_DEFAULT_FRAME_SIZE, heartbeat_seconds,
                 AMQP_SASL_METHOD_PLAIN, address.user.c_str(), address.password.c_str());
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("cannot log in", describe_reply(reply));
}

void BrokerConnection::open_channel(std::uint16_t channel) {
  amqp_channel_open(state_, channel);
  check_reply("cannot open a channel");
}

void BrokerConnection::check_reply(std::string_view action) const {
  const amqp_rpc_reply_t reply = amqp_get_rpc_reply(state_);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail(action, describe_reply(reply));
}

void BrokerConnection::check(int status, std::string_view action) const {
  if (status != AMQP_STATUS_OK) fail(action, amqp_error_string2(status));
}

void BrokerConnection::fail(std::string_view action, std::string_view why) const {
  throw BrokerError(fmt::format("broker {}: {}: {}", name_, action, why));
}

BrokerPublisher::BrokerPublisher(const BrokerAddress& address) : BrokerConnection(address) {
  open_channel(publishing);
  amqp_confirm_select(state(), publishing);
  check_reply("cannot enable publisher confirms");
  open_channel(query_channel);
}

void BrokerPublisher::declare(const BrokerQueue& queue) {
  Arguments arguments;
  arguments.add("x-queue-type", "quorum");
  if (!queue.dead_letters.empty()) {
    arguments.add("x-dead-letter-exchange", "");
    arguments.add("x-dead-letter-routing-key", queue.dead_letters.c_str());
    // Prevents losses if a node of the broker fails during the transfer.
    arguments.add("x-dead-letter-strategy", "at-least-once");
    arguments.add("x-overflow", "reject-publish");  // required by at-least-once
  }
  if (queue.delivery_limit > 0) arguments.add("x-delivery-limit", queue.delivery_limit);
  if (queue.max_length > 0) arguments.add("x-max-length", queue.max_length);
  if (queue.expires) arguments.add("x-expires", queue.expires->count());
  amqp_queue_declare(state(), query_channel, bytes_of(queue.name), 0, 1, 0, 0, arguments.table());
  check_reply("cannot declare a queue");
}

std::optional<BrokerPublisher::QueueState> BrokerPublisher::state_of(const std::string& queue) {
  const amqp_queue_declare_ok_t* const ok =
      amqp_queue_declare(state(), query_channel, bytes_of(queue), 1, 1, 0, 0, amqp_empty_table);
  if (ok != nullptr) return QueueState{ok->message_count, ok->consumer_count};
  if (!is_closed_with(amqp_get_rpc_reply(state()), AMQP_NOT_FOUND)) check_reply("cannot query a queue");
  reopen_query_channel();
  return std::nullopt;
}

bool BrokerPublisher::lock(const std::string& queue) {
  const amqp_queue_declare_ok_t* const ok =
      amqp_queue_declare(state(), query_channel, bytes_of(queue), 0, 0, 1, 0, amqp_empty_table);
  if (ok != nullptr) return true;
  if (!is_closed_with(amqp_get_rpc_reply(state()), AMQP_RESOURCE_LOCKED)) check_reply("cannot declare a queue");
  reopen_query_channel();
  return false;
}

void BrokerPublisher::reopen_query_channel() {
  amqp_channel_close_ok_t closed{};
  check(amqp_send_method(state(), query_channel, AMQP_CHANNEL_CLOSE_OK_METHOD, &closed), "cannot close a channel");
  open_channel(query_channel);
}

void BrokerPublisher::remove(const std::string& queue) {
  amqp_queue_delete(state(), query_channel, bytes_of(queue), 0, 0);
  check_reply("cannot delete a queue");
}

void BrokerPublisher::publish(const std::string& queue, std::string_view message) {
  if (message.size() > max_message_bytes) fail("cannot publish", "the message is too long");
  amqp_basic_properties_t properties{};
  properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
  properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
  constexpr amqp_boolean_t mandatory = 1;  // the broker returns the message if the queue does not exist
  check(amqp_basic_publish(state(), publishing, amqp_empty_bytes, bytes_of(queue), mandatory, 0, &properties,
                           bytes_of(message)),
        "cannot publish");
  ++published_;
}

std::vector<std::string> BrokerPublisher::confirm() {
  while (confirmed_ < published_) {
    if (!take_frame(reply_timeout)) fail("cannot publish", "the broker did not confirm a message in time");
  }
  return std::exchange(unroutable_, {});
}

void BrokerPublisher::stay_connected() {
  while (take_frame(std::chrono::milliseconds(0))) {
  }
}

// Returns false if no frame arrives in time.
bool BrokerPublisher::take_frame(std::chrono::milliseconds timeout) {
  amqp_maybe_release_buffers(state());
  amqp_frame_t frame{};
  const timeval time = timeval_of(timeout);
  const int status = amqp_simple_wait_frame_noblock(state(), &frame, &time);
  if (status == AMQP_STATUS_TIMEOUT) return false;
  check(status, "the connection was lost");
  if (frame.frame_type == AMQP_FRAME_METHOD) take_method(frame.payload.method.id, frame.payload.method.decoded);
  return true;
}

void BrokerPublisher::take_method(std::uint32_t method, const void* decoded) {
  switch (method) {
    case AMQP_BASIC_ACK_METHOD: {
      const auto* const ack = static_cast<const amqp_basic_ack_t*>(decoded);
      if (ack->multiple != 0) {
        confirmed_ = std::max(confirmed_, ack->delivery_tag);
      } else {
        out_of_order_[ack->delivery_tag] = true;
      }
      out_of_order_.erase(out_of_order_.begin(), out_of_order_.upper_bound(confirmed_));
      while (!out_of_order_.empty() && out_of_order_.begin()->first == confirmed_ + 1) {
        ++confirmed_;
        out_of_order_.erase(out_of_order_.begin());
      }
      return;
    }
    case AMQP_BASIC_NACK_METHOD: fail("cannot publish", "the broker refused a message");
    case AMQP_BASIC_RETURN_METHOD: {
      unroutable_.emplace_back(text_of(static_cast<const amqp_basic_return_t*>(decoded)->routing_key));
      amqp_message_t message{};
      const amqp_rpc_reply_t reply = amqp_read_message(state(), publishing, &message, 0);
      if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("cannot publish", describe_reply(reply));
      amqp_destroy_message(&message);
      return;
    }
    default:
      if (const auto words = describe_closing(method, decoded)) fail("the connection was lost", *words);
  }
}

std::optional<BrokerConsumer::Subscription> BrokerConsumer::consume(const std::string& queue, std::uint16_t prefetch) {
  const Subscription subscription = ++last_;
  open_channel(subscription);
  channels_.insert(subscription);
  amqp_basic_qos(state(), subscription, 0, prefetch, 0);
  check_reply("cannot set the prefetch count");
  const amqp_basic_consume_ok_t* const ok =
      amqp_basic_consume(state(), subscription, bytes_of(queue), bytes_of("linkherd"), 0, 0, 0, amqp_empty_table);
  if (ok != nullptr) return subscription;
  if (!is_closed_with(amqp_get_rpc_reply(state()), AMQP_NOT_FOUND)) check_reply("cannot consume");
  amqp_channel_close_ok_t closed{};
  check(amqp_send_method(state(), subscription, AMQP_CHANNEL_CLOSE_OK_METHOD, &closed), "cannot close a channel");
  channels_.erase(subscription);
  return std::nullopt;
}

bool BrokerConsumer::can_consume_more() const { return last_ < max_channels / 2; }

void BrokerConsumer::cancel(Subscription subscription) {
  amqp_basic_cancel(state(), subscription, bytes_of("linkherd"));
  check_reply("cannot stop consuming");
}

void BrokerConsumer::end(Subscription subscription) {
  const amqp_rpc_reply_t reply = amqp_channel_close(state(), subscription, AMQP_REPLY_SUCCESS);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("cannot close a channel", describe_reply(reply));
  channels_.erase(subscription);
}

std::optional<BrokerConsumer::Delivery> BrokerConsumer::next(std::chrono::milliseconds timeout) {
  constexpr std::size_t bytes_a_call = 100;
  unreleased_ += bytes_a_call;
  if (unreleased_ >= max_unreleased_bytes) {
    amqp_maybe_release_buffers(state());
    unreleased_ = 0;
  }
  const timeval limit = timeval_of(timeout);
  amqp_envelope_t envelope{};
  const amqp_rpc_reply_t reply = amqp_consume_message(state(), &envelope, &limit, 0);
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) {
    Delivery delivery{envelope.channel, envelope.delivery_tag, std::string(text_of(envelope.message.body))};
    delivery.dead_from = header_of(envelope.message, "x-first-death-queue");
    delivery.died_by = header_of(envelope.message, "x-first-death-reason");
    amqp_destroy_envelope(&envelope);
    unreleased_ += delivery.message.size();
    // its channel was closed, so the message belongs to another consumer
    if (!channels_.contains(delivery.subscription)) return std::nullopt;
    return delivery;
  }
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) {
    if (reply.library_error == AMQP_STATUS_TIMEOUT) return std::nullopt;
    if (reply.library_error == AMQP_STATUS_UNEXPECTED_STATE) return take_other_frame();
  }
  fail("the connection was lost", describe_reply(reply));
}

std::optional<BrokerConsumer::Delivery> BrokerConsumer::take_other_frame() {
  amqp_frame_t frame{};
  const timeval timeout = timeval_of(reply_timeout);
  check(amqp_simple_wait_frame_noblock(state(), &frame, &timeout), "the connection was lost");
  if (frame.frame_type != AMQP_FRAME_METHOD) return std::nullopt;
  if (frame.payload.method.id == AMQP_BASIC_CANCEL_METHOD) {
    if (!channels_.contains(frame.channel)) return std::nullopt;
    return Delivery{.subscription = frame.channel, .tag = 0, .message = {}, .is_cancelled = true};
  }
  const auto words = describe_closing(frame.payload.method.id, frame.payload.method.decoded);
  if (words) fail("the connection was lost", *words);
  return std::nullopt;
}

void BrokerConsumer::acknowledge(Subscription subscription, std::uint64_t tag, bool all_before) {
  check(amqp_basic_ack(state(), subscription, tag, all_before ? 1 : 0), "cannot acknowledge");
}

void BrokerConsumer::reject(const Delivery& delivery) {
  check(amqp_basic_reject(state(), delivery.subscription, delivery.tag, 0), "cannot reject");
}

}  // namespace linkherd::crawler
