// Tests the scripted name server with plain sockets.
#include "tests/support/dns_server.h"

#include <array>
#include <optional>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace linkherd::tests {
namespace {

std::string query(const std::string& name, std::uint16_t type) {
  std::string message{'\x12', '\x34', '\x01', '\0', '\0', '\x01', '\0', '\0', '\0', '\0', '\0', '\0'};
  std::size_t start = 0;
  while (start < name.size()) {
    const std::size_t end = std::min(name.find('.', start), name.size());
    message += static_cast<char>(end - start);
    message += name.substr(start, end - start);
    start = end + 1;
  }
  message += '\0';
  message += '\0';
  message += static_cast<char>(type);
  message += '\0';
  message += '\x01';
  return message;
}

class Socket {
 public:
  Socket(int type, std::uint16_t port) : descriptor_(socket(AF_INET, type, 0)) {
    const timeval timeout{type == SOCK_DGRAM ? 1 : 10, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  std::optional<std::string> ask(const std::string& message) const {
    REQUIRE(send(descriptor_, message.data(), message.size(), 0) == static_cast<ssize_t>(message.size()));
    std::array<char, 4096> bytes{};
    const ssize_t length = recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (length < 0) return std::nullopt;
    return std::string(bytes.data(), static_cast<std::size_t>(length));
  }

 private:
  int descriptor_;
};

int response_code(const std::string& answer) { return answer.at(3) & 0x0F; }
bool truncated(const std::string& answer) { return (answer.at(2) & 0x02) != 0; }
int answers(const std::string& answer) { return answer.at(7); }

DnsBehaviour behaviour_of(const DnsQuestion& question) {
  const std::string& name = question.name;
  if (name == "two.test") return dns_addresses({"127.0.0.2", "127.0.0.3", "::1"});
  if (name == "gone.test") return dns_failure(DnsKind::not_found);
  if (name == "broken.test") return dns_failure(DnsKind::server_failure);
  if (name == "closed.test") return dns_failure(DnsKind::refused);
  if (name == "silent.test") return dns_failure(DnsKind::silence);
  if (name == "nothing.test") return dns_failure(DnsKind::no_data);
  DnsBehaviour behaviour;
  behaviour.truncated = name == "long.test";
  return behaviour;
}

}  // namespace

TEST_CASE("the name server answers each name by its script") {
  struct Row {
    std::string name;
    std::uint16_t type;
    int code;
    int count;
  };
  const std::vector<Row> rows{
      {"one.test", dns_type::a, 0, 1},    {"one.test", dns_type::aaaa, 0, 0},  {"two.test", dns_type::a, 0, 2},
      {"two.test", dns_type::aaaa, 0, 1}, {"gone.test", dns_type::a, 3, 0},    {"broken.test", dns_type::a, 2, 0},
      {"closed.test", dns_type::a, 5, 0}, {"nothing.test", dns_type::a, 0, 0}, {"ONE.Test", dns_type::a, 0, 1},
  };
  DnsServer server(behaviour_of);
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::optional<std::string> answer = Socket(SOCK_DGRAM, server.port()).ask(query(row.name, row.type));
    REQUIRE(answer);
    CHECK(answer->substr(0, 2) == "\x12\x34");
    CHECK(response_code(*answer) == row.code);
    CHECK(answers(*answer) == row.count);
  }
  CHECK(server.queries().size() == rows.size());
}

TEST_CASE("an address in the answer has the right bytes") {
  DnsServer server(behaviour_of);
  const std::optional<std::string> answer = Socket(SOCK_DGRAM, server.port()).ask(query("one.test", dns_type::a));
  REQUIRE(answer);
  const std::string end{'\0', '\x04', '\x7f', '\0', '\0', '\x01'};
  CHECK(answer->ends_with(end));
}

TEST_CASE("a silent name gets no answer") {
  DnsServer server(behaviour_of);
  CHECK_FALSE(Socket(SOCK_DGRAM, server.port()).ask(query("silent.test", dns_type::a)));
}

TEST_CASE("a truncated answer is complete over TCP") {
  DnsServer server(behaviour_of);
  const std::string question = query("long.test", dns_type::a);
  const std::optional<std::string> over_udp = Socket(SOCK_DGRAM, server.port()).ask(question);
  REQUIRE(over_udp);
  CHECK(truncated(*over_udp));
  CHECK(answers(*over_udp) == 0);
  const std::string framed = std::string{'\0', static_cast<char>(question.size())} + question;
  const std::optional<std::string> over_tcp = Socket(SOCK_STREAM, server.port()).ask(framed);
  REQUIRE(over_tcp);
  CHECK_FALSE(truncated(over_tcp->substr(2)));
  CHECK(answers(over_tcp->substr(2)) == 1);
  CHECK(server.queries().back().tcp);
}

TEST_CASE("bytes that are no DNS query are ignored") {
  DnsServer server(behaviour_of);
  const Socket socket(SOCK_DGRAM, server.port());
  CHECK_FALSE(socket.ask("hello"));
  CHECK(socket.ask(query("one.test", dns_type::a)));
}

}  // namespace linkherd::tests
