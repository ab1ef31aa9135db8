// Reads and writes the few forms of DNS messages (RFC 1035) that the scripted name server needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::tests {

enum class DnsKind {
  answer,
  no_data,
  not_found,
  server_failure,
  refused,
  silence,
  cname_loop,  // a CNAME record that points to its own name
  garbage,     // a valid header followed by meaningless bytes
  wrong_id,    // an answer with the ID of another query
};

// How the name server treats one name.
struct DnsBehaviour {
  DnsKind kind = DnsKind::answer;
  std::vector<std::string> addresses{"127.0.0.1"};  // IPv4 or IPv6; a query gets the ones of its type (A or AAAA)
  std::uint32_t ttl = 60;                           // seconds
  bool truncated = false;                           // over UDP, answer without records and with the TC bit set
  std::chrono::milliseconds delay{0};
};

inline DnsBehaviour dns_addresses(std::vector<std::string> addresses) {
  return {DnsKind::answer, std::move(addresses), 60, false, {}};
}
inline DnsBehaviour dns_failure(DnsKind kind) { return {kind, {}, 60, false, {}}; }

namespace dns_type {
inline constexpr std::uint16_t a = 1;
inline constexpr std::uint16_t ns = 2;
inline constexpr std::uint16_t aaaa = 28;
}  // namespace dns_type

struct DnsQuestion {
  std::string name;  // lower case, without the trailing dot
  std::uint16_t type = 0;
  std::string id_and_flags;  // the first four bytes of the message, as received
  std::string section;       // the question section, as received
};

// Parses a query. Returns nullopt unless `message` is a query with exactly one question.
std::optional<DnsQuestion> read_question(std::string_view message);

// Returns the answer to `question` as a message. `behaviour.kind` must not be `silence`.
std::string write_answer(const DnsQuestion& question, const DnsBehaviour& behaviour, bool over_udp);

}  // namespace linkherd::tests
