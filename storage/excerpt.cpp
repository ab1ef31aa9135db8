#include "storage/excerpt.h"

#include <charconv>

#include "parser/metadata/text_values.h"
#include "storage/link_id.h"

namespace linkherd::storage {
namespace {

std::optional<std::string> declared_canonical(const parser::Metadata& metadata) {
  const auto& canonical = metadata.canonical;
  if (!canonical || (canonical->source != "link:canonical" && canonical->source != "http:link")) return std::nullopt;
  return canonical->value;
}

// Stored: DO NOT CHANGE.
std::uint32_t hash_of_letters(std::string_view title) {
  const LinkId hash = LinkId::of_text(parser::extract_letters(title));
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < sizeof first; ++i) first = first << 8U | hash.bytes[i];
  return first;
}

}  // namespace

std::optional<std::uint32_t> hash_digest(std::string_view hex_digest) {
  constexpr std::size_t digits = 8;
  if (hex_digest.size() < digits) return std::nullopt;
  std::uint32_t hash = 0;
  const char* const end = hex_digest.data() + digits;
  return std::from_chars(hex_digest.data(), end, hash, 16).ptr == end ? std::optional(hash) : std::nullopt;
}

Excerpt make_excerpt(const Snapshot& snapshot) {
  const parser::Metadata& metadata = snapshot.metadata;
  Excerpt excerpt;
  excerpt.reason = snapshot.verdict.reason;
  excerpt.final_url = snapshot.final_url;
  excerpt.canonical = declared_canonical(metadata);
  excerpt.main_text = snapshot.main_text;
  if (metadata.title && snapshot.main_text.is_comparable()) excerpt.title_hash = hash_of_letters(metadata.title->value);
  excerpt.body_hash = hash_digest(snapshot.body_digest);
  if (snapshot.certificate) {
    excerpt.certificate_expires = snapshot.certificate->expires;
    excerpt.is_chain_incomplete = snapshot.certificate->is_chain_incomplete;
  }
  excerpt.has_title = metadata.title.has_value();
  excerpt.has_authors = metadata.authors.has_value();
  excerpt.has_published = metadata.published.has_value();
  excerpt.has_facts = !snapshot.facts.empty();
  excerpt.vantage = snapshot.vantage;
  return excerpt;
}

}  // namespace linkherd::storage
