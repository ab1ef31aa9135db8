#include "storage/link_result.h"

#include <charconv>
#include <utility>

#include "parser/metadata/text_values.h"

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

PageSummary summarize_page(const Snapshot& snapshot) {
  const parser::Metadata& metadata = snapshot.metadata;
  PageSummary page;
  page.final_url = snapshot.final_url;
  page.canonical = declared_canonical(metadata);
  page.main_text = snapshot.main_text;
  if (metadata.title && snapshot.main_text.is_comparable()) page.title_hash = hash_of_letters(metadata.title->value);
  page.body_hash = hash_digest(snapshot.body_digest);
  if (snapshot.certificate) {
    page.certificate_expires = snapshot.certificate->expires;
    page.is_chain_incomplete = snapshot.certificate->is_chain_incomplete;
  }
  page.has_title = metadata.title.has_value();
  page.has_authors = metadata.authors.has_value();
  page.has_published = metadata.published.has_value();
  page.has_facts = !snapshot.facts.empty();
  page.is_from_browser = snapshot.plain.has_value();
  return page;
}

void set_state(LinkResult& result, const LinkState& state) {
  if (result.url.empty()) result.url = state.url;
  result.moved_at = state.moved_at;
  const Snapshot& snapshot = state.snapshot;
  const bool was_fetched = snapshot.fetched_at != Timestamp{};
  result.check = was_fetched ? std::optional(CheckKey{snapshot.fetched_at, snapshot.vantage}) : std::nullopt;
  result.page = was_fetched ? summarize_page(snapshot) : PageSummary();
}

void set_occurrences(LinkResult& result, std::vector<parser::LinkOccurrence> occurrences) {
  result.occurrences = std::move(occurrences);
  result.occurrence_count = result.occurrences.size();
  if (result.occurrences.empty()) return;
  const parser::LinkOccurrence& first = result.occurrences.front();
  result.first = {first.file,    first.line, first.column,
                  first.element, first.role, first.has(parser::LinkNote::placeholder)};
  if (!result.url.empty()) return;
  result.url = first.href.empty() ? first.url : first.href.substr(0, first.href.find('#'));
}

void complete(CheckedLink& link, std::vector<parser::LinkOccurrence> occurrences) {
  link.result.url = link.state.url;
  set_state(link.result, link.state);
  set_occurrences(link.result, std::move(occurrences));
}

}  // namespace linkherd::storage
