#include "storage/link_id.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>

namespace linkherd::storage {
namespace {

using Sha256 = std::array<std::uint8_t, 32>;

// Fetched once. EVP_sha256() would search OpenSSL's providers on every use, which takes longer than hashing a short
// text.
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method;
}

Sha256 sha256(std::string_view text) {
  // Kept, because creating a context takes longer than hashing a short text.
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  Sha256 digest{};
  unsigned length = 0;
  if (context == nullptr || EVP_DigestInit_ex2(context.get(), sha256_method(), nullptr) != 1 ||
      EVP_DigestUpdate(context.get(), text.data(), text.size()) != 1 ||
      EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1 || length != digest.size()) {
    throw std::runtime_error("OpenSSL cannot compute SHA-256 on this machine");
  }
  return digest;
}

template <std::size_t N>
std::string hexadecimal(const std::array<std::uint8_t, N>& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * N);
  for (const std::uint8_t byte : bytes) {
    hex.push_back(digits[byte >> 4]);
    hex.push_back(digits[byte & 0xF]);
  }
  return hex;
}

// Returns the value of a hexadecimal digit, or 16 for other characters.
unsigned digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
  return 16;
}

}  // namespace

LinkId LinkId::of(const parser::Url& url) { return of_text(url.href_without_fragment()); }

LinkId LinkId::of_text(std::string_view text) {
  const Sha256 digest = sha256(text);
  LinkId id;
  std::copy_n(digest.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

std::string LinkId::to_hex() const { return hexadecimal(bytes); }

std::optional<LinkId> LinkId::from_hex(std::string_view hex) {
  LinkId id;
  if (hex.size() != 2 * id.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const unsigned high = digit_value(hex[2 * i]);
    const unsigned low = digit_value(hex[2 * i + 1]);
    if (high > 15 || low > 15) return std::nullopt;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

std::string content_digest(std::string_view payload) { return hexadecimal(sha256(payload)); }

std::vector<IdRange> split_ids(std::size_t parts) {
  constexpr std::size_t first_bytes = 256;
  std::vector<IdRange> ranges(std::clamp<std::size_t>(parts, 1, first_bytes));
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    ranges[i].first.bytes[0] = static_cast<std::uint8_t>(first_bytes * i / ranges.size());
    ranges[i - 1].end = ranges[i].first;
  }
  return ranges;
}

// Uses linear probing. Ids are cryptographic hashes, so nobody can construct collisions.
std::size_t LinkIdTable::slot_of(const LinkId& id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = home_of(id);
  while (slots_[slot] != none && ids_[slots_[slot]] != id) slot = (slot + 1) & mask;
  return slot;
}

void LinkIdTable::grow() {
  constexpr std::size_t min_slots = 64;
  slots_.assign(std::max(min_slots, slots_.size() * 2), none);
  replaced_ = 0;
  const std::size_t mask = slots_.size() - 1;
  constexpr std::size_t ahead = 16;
  for (std::uint32_t i = 0; i < ids_.size(); ++i) {  // all ids differ, so any free slot is correct
    if (i + ahead < ids_.size()) prefetch_slot(ids_[i + ahead]);
    std::size_t slot = home_of(ids_[i]);
    while (slots_[slot] != none) slot = (slot + 1) & mask;
    slots_[slot] = i;
  }
}

std::optional<std::size_t> LinkIdTable::find(const LinkId& id) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t number = slots_[slot_of(id)];
  if (number == none) return std::nullopt;
  return number;
}

LinkIdTable::Added LinkIdTable::add(const LinkId& id) {
  if (is_full()) grow();
  std::uint32_t& slot = slots_[slot_of(id)];
  if (slot != none) return {slot, false};
  if (ids_.size() >= none) throw std::length_error("more than four billion links");
  slot = static_cast<std::uint32_t>(ids_.size());
  ids_.push_back(id);
  return {slot, true};
}

// The slot of the former id stays. Lookups skip it, because its number now has another id.
void LinkIdTable::replace(std::size_t number, const LinkId& id) {
  if (is_full()) grow();
  ids_[number] = id;
  slots_[slot_of(id)] = static_cast<std::uint32_t>(number);
  ++replaced_;
}

}  // namespace linkherd::storage
