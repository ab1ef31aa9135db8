// Reads and writes the few forms of DNS message (RFC 1035) that a scripted name server needs.
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
  cname_loop,  // the name is another name for itself
  garbage,     // the right header, then nothing that means anything
  wrong_id,    // an answer to another question
};

// How the name server treats one name.
struct DnsBehaviour {
  DnsKind kind = DnsKind::answer;
  std::vector<std::string> addresses{"127.0.0.1"};  // IPv4 and IPv6: each goes to the questions of its own type
  std::uint32_t ttl = 60;                           // seconds
  bool truncated = false;                           // over UDP an empty answer that says "ask again over TCP"
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
  std::string id_and_flags;  // as received: the first four bytes of the message
  std::string section;       // as received: the question section
};

// The question of a query; nothing where the bytes are no query with exactly one question.
std::optional<DnsQuestion> read_question(std::string_view message);

// The answer to it. `kind` must not be `silence`.
std::string write_answer(const DnsQuestion& question, const DnsBehaviour& behaviour, bool over_udp);

}  // namespace linkherd::tests
