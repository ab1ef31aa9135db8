#include "crawler/browser/devtools_client.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crawler/browser/coroutine_end.h"

namespace linkherd::tests {

namespace asio = boost::asio;
using crawler::DevToolsClient;
using crawler::DevToolsEvent;
using storage::FileDescriptor;

namespace {

// Both ends of the pipe. A test writes the bytes of the browser.
struct DevToolsPipe {
  FileDescriptor client;
  FileDescriptor browser;

  DevToolsPipe() {
    std::array<int, 2> ends{};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    client = FileDescriptor(ends[0]);
    browser = FileDescriptor(ends[1]);
  }
  void write(std::string_view bytes) const {
    REQUIRE(::write(browser.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  std::string read() const {
    std::string bytes(4096, '\0');
    const ssize_t length = ::read(browser.number(), bytes.data(), bytes.size());
    bytes.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return bytes;
  }
};

using CallResult = Result<boost::json::object>;

asio::awaitable<void> call_once(DevToolsClient& client, std::chrono::milliseconds timeout, CallResult& result) {
  boost::json::object params;
  params["a"] = 1;
  result = co_await client.call("Test.do", std::move(params), "s1", timeout);
  client.close("finished");
}

CallResult call_with(DevToolsPipe& pipe, std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
  asio::io_context io;
  DevToolsClient client(io, std::move(pipe.client));
  CallResult result = Error{"no result"};
  asio::co_spawn(io, client.run(), crawler::rethrow_failure);
  asio::co_spawn(io, call_once(client, timeout, result), crawler::rethrow_failure);
  io.run();
  return result;
}

std::string message(std::string_view json) { return std::string(json) + '\0'; }

}  // namespace

TEST_CASE("half a surrogate pair and bytes that are no UTF-8 do not end the connection") {
  struct Case {
    std::string_view json;
    std::string_view value;
  };
  for (const Case& one :
       {Case{R"(cut \ud83d)", "cut \xEF\xBF\xBD"}, Case{R"(\udc00 \uD800)", "\xEF\xBF\xBD \xEF\xBF\xBD"},
        Case{R"(\ud83d\ude00)", "\xF0\x9F\x98\x80"}, Case{R"(\\ud83d)", R"(\ud83d)"},
        Case{R"(\ud83d\ud83d\ude00)", "\xEF\xBF\xBD\xF0\x9F\x98\x80"}, Case{"\xED\xA0\x80", "\xED\xA0\x80"},
        Case{R"(\ud83d\\)", "\xEF\xBF\xBD\\"}}) {
    CAPTURE(one.json);
    DevToolsPipe pipe;
    pipe.write(message(R"({"id":1,"result":{"value":")" + std::string(one.json) + R"("}})"));
    const CallResult result = call_with(pipe);
    REQUIRE(result.has_value());
    CHECK(crawler::text_member(*result, "value") == one.value);
  }
}

TEST_CASE("a call sends a command and returns its result") {
  DevToolsPipe pipe;
  // Other answers, notices and a message in two parts do not disturb it.
  pipe.write(message(R"({"id":99,"result":{"other":true}})") + message(R"({"method":"E","params":{}})") +
             message(R"({"id":1,"result":{"value":"ü"},"sessionId":"s1"})"));
  const CallResult result = call_with(pipe);
  REQUIRE(result.has_value());
  CHECK(crawler::text_member(*result, "value") == "ü");
  CHECK(pipe.read() == message(R"({"id":1,"method":"Test.do","params":{"a":1},"sessionId":"s1"})"));
}

TEST_CASE("a call ends with the error of the browser, at its timeout, or with the connection") {
  const auto error_after = [](std::string_view bytes, bool closes) {
    DevToolsPipe pipe;
    pipe.write(bytes);
    if (closes) pipe.browser.close();
    const CallResult result = call_with(pipe, closes ? std::chrono::minutes(1) : std::chrono::milliseconds(100));
    return result ? std::string("a result") : result.error().message;
  };
  CHECK(error_after(message(R"({"id":1,"error":{"code":-1,"message":"No such thing"}})"), false) == "No such thing");
  CHECK(error_after("", false) == "the browser did not answer Test.do in time");
  CHECK(error_after(R"({"id":1,"resu)", true) == "the browser ended");
  CHECK(error_after("", true) == "the browser ended");
  const std::string no_protocol = "the program does not speak the DevTools protocol";
  CHECK(error_after(message("rubbish"), false) == no_protocol);
  CHECK(error_after(message("[1]"), false) == no_protocol);
  CHECK(error_after(message(""), false) == no_protocol);
  CHECK(error_after(message(std::string(5000, '[') + std::string(5000, ']')), false) == no_protocol);
  // Wrong types are no reason to end a connection, but they are no result either.
  CHECK(error_after(message(R"({"id":"1","result":{}})") + message(R"({"id":1.5})"), false) ==
        "the browser did not answer Test.do in time");
}

TEST_CASE("listeners receive the events of all sessions") {
  DevToolsPipe pipe;
  pipe.write(message(R"({"method":"A.b","params":{"n":5,"t":"x"},"sessionId":"s2"})") +
             message(R"({"method":7,"params":[]})"));
  pipe.browser.close();
  asio::io_context io;
  DevToolsClient client(io, std::move(pipe.client));
  std::vector<std::string> events;
  client.listen([&events](const DevToolsEvent& event) {
    events.push_back(std::string(event.session) + "/" + std::string(event.method) + "/" +
                     std::string(crawler::text_member(event.params, "t")) + "/" +
                     std::to_string(crawler::number_member(event.params, "n")));
  });
  const int forgotten = client.listen([&events](const DevToolsEvent& /*event*/) { events.emplace_back("forgotten"); });
  client.forget(forgotten);
  asio::co_spawn(io, client.run(), crawler::rethrow_failure);
  io.run();
  CHECK(events == std::vector<std::string>{"s2/A.b/x/5", "///0"});
  CHECK(client.failure() == "the browser ended");
}

TEST_CASE("a browser that does not read its commands loses the connection") {
  DevToolsPipe pipe;
  asio::io_context io;
  DevToolsClient client(io, std::move(pipe.client));
  asio::co_spawn(io, client.run(), crawler::rethrow_failure);
  for (int i = 0; i < 40 && client.is_open(); ++i) {
    boost::json::object params;
    params["text"] = std::string(1 << 20, 'x');
    client.send("Test.do", std::move(params), {});
  }
  CHECK(client.failure() == "the browser does not read its commands");
  io.run();
}

}  // namespace linkherd::tests
