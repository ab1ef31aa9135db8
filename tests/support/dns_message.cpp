#include "tests/support/dns_message.h"

#include <array>
#include <cstddef>

#include <arpa/inet.h>

#include "parser/ascii.h"

namespace linkherd::tests {
namespace {

constexpr std::size_t header_size = 12;

unsigned byte_at(std::string_view bytes, std::size_t offset) { return static_cast<unsigned char>(bytes[offset]); }

std::uint16_t read_u16(std::string_view bytes, std::size_t offset) {
  return static_cast<std::uint16_t>(byte_at(bytes, offset) << 8U | byte_at(bytes, offset + 1));
}

void append_u16(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8U & 0xFFU);
  out += static_cast<char>(value & 0xFFU);
}

// Returns the four or sixteen bytes of an address, or nullopt if it is invalid or does not have the queried type.
std::optional<std::string> address_bytes(const std::string& address, std::uint16_t type) {
  const bool is_ipv6 = address.find(':') != std::string::npos;
  if (is_ipv6 != (type == dns_type::aaaa)) return std::nullopt;
  if (!is_ipv6 && type != dns_type::a) return std::nullopt;
  std::array<char, 16> bytes{};
  if (inet_pton(is_ipv6 ? AF_INET6 : AF_INET, address.c_str(), bytes.data()) != 1) return std::nullopt;
  return std::string(bytes.data(), is_ipv6 ? 16U : 4U);
}

unsigned response_code(DnsKind kind) {
  switch (kind) {
    case DnsKind::server_failure: return 2;
    case DnsKind::not_found: return 3;
    case DnsKind::refused: return 5;
    default: return 0;
  }
}

}  // namespace

std::optional<DnsQuestion> read_question(std::string_view message) {
  if (message.size() < header_size || read_u16(message, 4) != 1) return std::nullopt;
  DnsQuestion question;
  question.id_and_flags = message.substr(0, 4);
  std::size_t at = header_size;
  while (at < message.size() && message[at] != '\0') {
    const std::size_t length = byte_at(message, at);
    if (length > 63 || at + 1 + length >= message.size()) return std::nullopt;  // a question never uses compression
    if (!question.name.empty()) question.name += '.';
    for (const char c : message.substr(at + 1, length)) question.name += parser::ascii_lower(c);
    at += 1 + length;
  }
  if (at + 5 > message.size()) return std::nullopt;
  question.type = read_u16(message, at + 1);
  question.section = message.substr(header_size, at + 5 - header_size);
  return question;
}

std::string write_answer(const DnsQuestion& question, const DnsBehaviour& behaviour, bool over_udp) {
  const bool truncated = behaviour.truncated && over_udp;
  std::string records;
  unsigned count = 0;
  if (behaviour.kind == DnsKind::answer && !truncated) {
    for (const std::string& address : behaviour.addresses) {
      const std::optional<std::string> bytes = address_bytes(address, question.type);
      if (!bytes) continue;
      append_u16(records, 0xC000U | header_size);  // a pointer to the name in the question
      append_u16(records, question.type);
      append_u16(records, 1);
      append_u16(records, behaviour.ttl >> 16U);
      append_u16(records, behaviour.ttl & 0xFFFFU);
      append_u16(records, static_cast<unsigned>(bytes->size()));
      records += *bytes;
      ++count;
    }
  }
  if (behaviour.kind == DnsKind::cname_loop) {
    constexpr unsigned cname = 5;
    append_u16(records, 0xC000U | header_size);
    append_u16(records, cname);
    append_u16(records, 1);
    append_u16(records, 0);
    append_u16(records, 60);
    append_u16(records, 2);
    append_u16(records, 0xC000U | header_size);
    count = 1;
  } else if (behaviour.kind == DnsKind::garbage) {
    records = std::string(100, '\xff');
    count = 7;
  }
  constexpr unsigned response_authoritative_recursive = 0x8580;
  constexpr unsigned truncation = 0x0200;
  std::string message = question.id_and_flags.substr(0, 2);
  if (behaviour.kind == DnsKind::wrong_id) message.front() = static_cast<char>(message.front() ^ 1);
  append_u16(message, response_authoritative_recursive | (truncated ? truncation : 0U) | response_code(behaviour.kind));
  append_u16(message, 1);
  append_u16(message, count);
  append_u16(message, 0);
  append_u16(message, 0);
  return message + question.section + records;
}

}  // namespace linkherd::tests
