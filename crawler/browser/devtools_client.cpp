#include "crawler/browser/devtools_client.h"

#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace linkherd::crawler {

namespace asio = boost::asio;
namespace json = boost::json;
using boost::system::error_code;

// A call that waits. Its timer is cancelled when the answer arrives.
struct DevToolsClient::Call {
  asio::steady_timer timer;
  std::optional<Result<json::object>> answer{};
};

std::string_view text_member(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(name);
  const json::string* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

int number_member(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(name);
  if (value == nullptr) return 0;
  error_code error;
  const int number = value->to_number<int>(error);
  return error ? 0 : number;
}

const json::object& object_member(const json::object& object, std::string_view name) {
  static const json::object none;
  const json::value* const value = object.if_contains(name);
  const json::object* const member = value == nullptr ? nullptr : value->if_object();
  return member == nullptr ? none : *member;
}

namespace {

// Returns the number that the escape "\uXXXX" at this position has, or nullopt if there is none.
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  constexpr std::size_t length = 6;
  if (text.substr(at, 2) != "\\u" || at + length > text.size()) return std::nullopt;
  unsigned unit = 0;
  const auto [end, error] = std::from_chars(text.data() + at + 2, text.data() + at + length, unit, 16);
  if (error != std::errc() || end != text.data() + at + length) return std::nullopt;
  return unit;
}

// A script may cut a text inside an emoji. Boost.JSON refuses a half of a surrogate pair, so U+FFFD takes its place.
void replace_lone_surrogates(std::string& json) {
  constexpr std::size_t length = 6;
  const auto is_high = [](unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; };
  const auto is_low = [](unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; };
  for (std::size_t at = json.find('\\'); at != std::string::npos; at = json.find('\\', at)) {
    const std::optional<unsigned> unit = escaped_unit(json, at);
    if (!unit) {
      at += 2;  // the escaped character may be a backslash
    } else if (is_high(*unit) && is_low(escaped_unit(json, at + length).value_or(0))) {
      at += 2 * length;
    } else {
      if (is_high(*unit) || is_low(*unit)) json.replace(at, length, "\\ufffd");
      at += length;
    }
  }
}

}  // namespace

DevToolsClient::DevToolsClient(asio::io_context& io, storage::FileDescriptor socket)
    : io_(io), socket_(io, asio::local::stream_protocol(), socket.release()), written_(io) {
  written_.expires_at(asio::steady_timer::time_point::max());
}

asio::awaitable<void> DevToolsClient::run() {
  std::string chunk(std::size_t{64} << 10, '\0');
  while (is_open()) {
    error_code error;
    const std::size_t length =
        co_await socket_.async_read_some(asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
    if (error) {
      close("the browser ended");
    } else {
      take_bytes(std::string_view(chunk).substr(0, length));
    }
  }
  while (is_writing_) {
    error_code ignored;
    co_await written_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

// No coroutine, so that no temporary of the caller lives while it waits (see CONTRIBUTING.md).
asio::awaitable<Result<json::object>> DevToolsClient::call(std::string_view method, json::object&& params,
                                                           std::string_view session,
                                                           std::chrono::steady_clock::duration timeout) {
  const std::int64_t id = is_open() ? enqueue(method, std::move(params), session) : 0;
  return wait_for_answer(id, std::string(method), timeout);
}

asio::awaitable<Result<json::object>> DevToolsClient::wait_for_answer(std::int64_t id, std::string method,
                                                                      std::chrono::steady_clock::duration timeout) {
  Call call{asio::steady_timer(io_)};
  call.timer.expires_after(timeout);
  calls_.emplace(id, &call);
  error_code ignored;
  if (is_open()) co_await call.timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  calls_.erase(id);
  if (call.answer) co_return std::move(*call.answer);
  if (!is_open()) co_return Error{failure_};
  co_return Error{fmt::format("the browser did not answer {} in time", method)};
}

void DevToolsClient::send(std::string_view method, json::object params, std::string_view session) {
  if (is_open()) enqueue(method, std::move(params), session);
}

int DevToolsClient::listen(Handler handler) {
  handlers_.emplace(++last_listener_, std::move(handler));
  return last_listener_;
}

void DevToolsClient::forget(int listener) { handlers_.erase(listener); }

void DevToolsClient::close(std::string_view reason) {
  if (!is_open()) return;
  failure_ = reason;
  error_code ignored;
  socket_.close(ignored);
  for (const auto& [id, call] : calls_) call->timer.cancel();
}

std::int64_t DevToolsClient::enqueue(std::string_view method, json::object params, std::string_view session) {
  json::object message;
  message["id"] = ++last_id_;
  message["method"] = method;
  message["params"] = std::move(params);
  if (!session.empty()) message["sessionId"] = session;
  outgoing_.push_back(json::serialize(message));
  outgoing_.back().push_back('\0');
  unsent_bytes_ += outgoing_.back().size();
  if (unsent_bytes_ > max_unsent_bytes) {
    close("the browser does not read its commands");
  } else if (!is_writing_) {
    write_next();
  }
  return last_id_;
}

void DevToolsClient::write_next() {
  is_writing_ = is_open() && !outgoing_.empty();
  if (!is_writing_) {
    written_.cancel();
    return;
  }
  asio::async_write(socket_, asio::buffer(outgoing_.front()), [this](error_code error, std::size_t /*length*/) {
    unsent_bytes_ -= outgoing_.front().size();
    outgoing_.pop_front();
    if (error) close("the browser ended");
    write_next();
  });
}

void DevToolsClient::take_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    const std::string_view part = bytes.substr(0, end);
    if (incoming_.size() + part.size() > max_message_bytes)
      return close("the browser sent a message that is too large");
    incoming_ += part;
    if (end == std::string_view::npos) return;
    std::string message = std::exchange(incoming_, {});
    if (!take_message(message)) return;
    bytes.remove_prefix(end + 1);
  }
}

bool DevToolsClient::take_message(std::string& text) {
  json::parse_options options;
  options.max_depth = max_message_depth;
  options.allow_invalid_utf8 = true;  // headers of servers
  error_code error;
  replace_lone_surrogates(text);
  const json::value value = json::parse(text, error, {}, options);
  const json::object* const message = error ? nullptr : value.if_object();
  if (message == nullptr) {
    close("the program does not speak the DevTools protocol");
    return false;
  }
  const json::value* const id = message->if_contains("id");
  if (id == nullptr) {
    const DevToolsEvent event{text_member(*message, "sessionId"), text_member(*message, "method"),
                              object_member(*message, "params")};
    // A handler may close the connection, but it changes no listener.
    for (const auto& [listener, handler] : handlers_) handler(event);
    return is_open();
  }
  const auto found = calls_.find(id->is_int64() ? id->get_int64() : 0);
  if (found == calls_.end() || found->second->answer) return true;  // the call has timed out, or nobody waits for it
  if (const json::object& failed = object_member(*message, "error"); !failed.empty()) {
    found->second->answer = Error{std::string(text_member(failed, "message"))};
  } else {
    found->second->answer = object_member(*message, "result");
  }
  found->second->timer.cancel();
  return true;
}

}  // namespace linkherd::crawler
