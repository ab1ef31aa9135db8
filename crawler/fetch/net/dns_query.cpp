#include "crawler/fetch/net/dns_query.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>

#include <arpa/nameser.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "crawler/fetch/net/address_policy.h"
#include "parser/ascii.h"
#include "storage/file_descriptor.h"

namespace linkherd::crawler {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t max_addresses_of_family = 8;
constexpr std::uint16_t type_a = 1;
constexpr std::uint16_t type_aaaa = 28;

std::string two_bytes(unsigned value) {
  return {static_cast<char>(value >> 8U & 0xFFU), static_cast<char>(value & 0xFFU)};
}

// Returns the name as a sequence of labels, or nullopt if no zone can contain it.
std::optional<std::string> encode_name(std::string_view host) {
  constexpr std::size_t max_label = 63;
  constexpr std::size_t max_name = 255;
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string labels;
  while (true) {
    const std::string_view label = host.substr(0, host.find('.'));
    if (label.empty() || label.size() > max_label) return std::nullopt;
    labels += static_cast<char>(label.size());
    labels += label;
    if (label.size() == host.size()) break;
    host.remove_prefix(label.size() + 1);
  }
  labels += '\0';
  return labels.size() > max_name ? std::nullopt : std::optional(labels);
}

// One question of a query: the addresses of one family.
struct AddressQuestion {
  std::uint16_t type;
  std::string id{};
  bool is_answered = false;
  int response_code = ns_r_noerror;
  bool is_truncated = false;
  std::vector<IpAddress> addresses{};
};

std::optional<IpAddress> address_in(const ns_rr& record) {
  IpAddress address;
  address.v6 = ns_rr_type(record) == ns_t_aaaa;
  const std::size_t size = address.v6 ? 16 : 4;
  const bool is_address = ns_rr_class(record) == ns_c_in && (address.v6 || ns_rr_type(record) == ns_t_a);
  if (!is_address || ns_rr_rdlen(record) != size) return std::nullopt;
  std::memcpy(address.bytes.data(), ns_rr_rdata(record), size);
  return address;
}

// Fills the question that the message answers, if it answers one of them.
void take_message(std::vector<AddressQuestion>& questions, std::string_view name, std::string_view bytes) {
  constexpr std::size_t header = 12;
  if (bytes.size() < header) return;
  const auto question = std::ranges::find(questions, bytes.substr(0, 2), &AddressQuestion::id);
  if (question == questions.end() || question->is_answered) return;
  question->response_code = ns_r_formerr;
  ns_msg message{};
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::string section = std::string(name) + two_bytes(question->type) + two_bytes(ns_c_in);
  if (ns_initparse(data, static_cast<int>(bytes.size()), &message) != 0) {
    question->is_answered = true;
    return;
  }
  if (ns_msg_getflag(message, ns_f_qr) == 0 || bytes.substr(header, section.size()) != section) return;
  question->is_answered = true;
  question->is_truncated = ns_msg_getflag(message, ns_f_tc) != 0;
  for (int i = 0; i < ns_msg_count(message, ns_s_an); ++i) {
    ns_rr record{};
    if (ns_parserr(&message, ns_s_an, i, &record) != 0) return;
    const std::optional<IpAddress> address = address_in(record);
    if (address && question->addresses.size() < max_addresses_of_family) question->addresses.push_back(*address);
  }
  question->response_code = ns_msg_getflag(message, ns_f_rcode);
}

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

// `server`: "IP:PORT", IPv6 in brackets.
std::optional<SocketAddress> socket_address_of(std::string_view server) {
  const std::size_t colon = server.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint16_t port = 0;
  const std::string_view digits = server.substr(colon + 1);
  if (std::from_chars(digits.data(), digits.data() + digits.size(), port).ec != std::errc()) return std::nullopt;
  const std::optional<IpAddress> ip = IpAddress::parse(server.substr(0, colon));
  if (!ip) return std::nullopt;
  SocketAddress address;
  if (ip->v6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, ip->bytes.data(), sizeof v6.sin6_addr);
    std::memcpy(&address.bytes, &v6, address.size = sizeof v6);
  } else {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, ip->bytes.data(), sizeof v4.sin_addr);
    std::memcpy(&address.bytes, &v4, address.size = sizeof v4);
  }
  return address;
}

// Waits until poll() reports `events` or the time is over.
bool wait_for(const storage::FileDescriptor& socket, short events, SteadyTime until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd one{.fd = socket.number(), .events = events, .revents = 0};
    const int ready = poll(&one, 1, static_cast<int>(std::max<long>(0, left)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

std::string message_of(const AddressQuestion& question, std::string_view name) {
  constexpr unsigned recursion_desired = 0x0100;
  return question.id + two_bytes(recursion_desired) + two_bytes(1) + std::string(6, '\0') + std::string(name) +
         two_bytes(question.type) + two_bytes(ns_c_in);
}

// Over TCP, a length of two bytes precedes every message. Returns the answer, or an empty string if none arrives in
// time.
std::string exchange_over_tcp(const SocketAddress& server, const std::string& message, SteadyTime until) {
  const storage::FileDescriptor socket(
      ::socket(server.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return {};
  if (::connect(socket.number(), server.get(), server.size) != 0 && errno != EINPROGRESS) return {};
  const std::string query = two_bytes(static_cast<unsigned>(message.size())) + message;
  // The buffer of a new connection is larger than any query.
  if (!wait_for(socket, POLLOUT, until) ||
      ::send(socket.number(), query.data(), query.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(query.size()))
    return {};
  std::string received;
  std::array<char, 4096> bytes{};
  const auto byte = [&received](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(received[i]));
  };
  while (wait_for(socket, POLLIN, until)) {
    const ssize_t size = ::recv(socket.number(), bytes.data(), bytes.size(), 0);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return {};
    received.append(bytes.data(), static_cast<std::size_t>(size));
    if (received.size() < 2) continue;
    const std::size_t length = byte(0) << 8U | byte(1);
    if (received.size() >= 2 + length) return received.substr(2, length);
  }
  return {};
}

// Sends the questions to one server and takes its answers until all have arrived or the time is over. Asks again over
// TCP if an answer was too large for UDP. Returns false if this machine has no socket or no random number left.
bool query_server(const SocketAddress& server, std::string_view name, std::vector<AddressQuestion>& questions,
                  SteadyTime until) {
  const storage::FileDescriptor socket(::socket(server.get()->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return false;
  // Only packets of this server arrive at a connected socket.
  if (::connect(socket.number(), server.get(), server.size) != 0) return true;
  for (AddressQuestion& question : questions) {
    std::uint16_t id = 0;
    if (::getrandom(&id, sizeof id, 0) != sizeof id) return false;
    question = AddressQuestion{.type = question.type, .id = two_bytes(id)};
    const std::string message = message_of(question, name);
    if (::send(socket.number(), message.data(), message.size(), MSG_NOSIGNAL) < 0) return true;
  }
  std::array<char, 4096> bytes{};
  while (!std::ranges::all_of(questions, &AddressQuestion::is_answered) && wait_for(socket, POLLIN, until)) {
    const ssize_t size = ::recv(socket.number(), bytes.data(), bytes.size(), 0);
    if (size < 0 && errno != EINTR) return true;  // no server listens there
    if (size > 0) take_message(questions, name, {bytes.data(), static_cast<std::size_t>(size)});
  }
  for (AddressQuestion& question : questions) {
    if (!question.is_truncated) continue;
    std::vector<AddressQuestion> one{AddressQuestion{.type = question.type, .id = question.id}};
    take_message(one, name, exchange_over_tcp(server, message_of(question, name), until));
    if (one.front().is_answered) question = one.front();
  }
  return true;
}

// Returns the result of the answers of one server, or nullopt if another server has to be asked.
std::optional<Resolution> conclude(const std::vector<AddressQuestion>& questions, bool has_ipv6_route) {
  Resolution answer;
  std::vector<IpAddress> v6;
  for (const AddressQuestion& question : questions)
    (question.type == type_aaaa ? v6 : answer.addresses) = question.addresses;
  if (has_ipv6_route || answer.addresses.empty())
    answer.addresses.insert(answer.addresses.begin(), v6.begin(), v6.end());
  if (!answer.addresses.empty()) return answer;
  const auto all_have = [&](int code) {
    return std::ranges::all_of(questions, [code](const AddressQuestion& question) {
      return question.is_answered && question.response_code == code && !question.is_truncated;
    });
  };
  answer.failure = all_have(ns_r_nxdomain)  ? FailureKind::dns_not_found
                   : all_have(ns_r_noerror) ? FailureKind::dns_no_address
                                            : FailureKind::dns_failed;
  return answer.failure == FailureKind::dns_failed ? std::nullopt : std::optional(answer);
}

}  // namespace

bool is_plain_host_name(std::string_view host) {
  return !host.starts_with('-') && std::ranges::all_of(host, [](char c) {
    return parser::is_ascii_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
}

Resolution query_name_servers(const DnsQuery& query) {
  const std::optional<std::string> name = encode_name(query.host);
  if (!name) return {.failure = FailureKind::dns_not_found};
  std::vector<AddressQuestion> questions;
  if (query.family != IpFamily::v6) questions.push_back({.type = type_a});
  if (query.family != IpFamily::v4) questions.push_back({.type = type_aaaa});
  constexpr std::size_t rounds = 2;  // the second has twice the time
  const auto part = std::chrono::duration_cast<std::chrono::steady_clock::duration>(query.timeout) /
                    static_cast<int>(std::max<std::size_t>(1, query.servers.size()) * 3);
  Resolution failure{.failure = FailureKind::dns_timeout};
  for (std::size_t round = 1; round <= rounds; ++round) {
    for (const std::string& server : query.servers) {
      const std::optional<SocketAddress> address = socket_address_of(server);
      if (!address) continue;
      const SteadyTime until = std::chrono::steady_clock::now() + part * round;
      if (!query_server(*address, *name, questions, until))
        return {.failure = FailureKind::dns_timeout, .is_local_exhaustion = true};
      if (std::optional<Resolution> answer = conclude(questions, query.has_ipv6_route)) return *answer;
      if (std::ranges::any_of(questions, &AddressQuestion::is_answered)) failure.failure = FailureKind::dns_failed;
    }
  }
  return failure;
}

}  // namespace linkherd::crawler
