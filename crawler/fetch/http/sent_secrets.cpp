#include "crawler/fetch/http/sent_secrets.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {
namespace {

// Shorter secrets would match by chance.
constexpr std::size_t min_length_in_headers = 4;
constexpr std::size_t min_length_in_pages = 8;

constexpr std::string_view masked_secret = "***";

// Returns true for a header that also goes to other hosts.
bool is_no_secret(const HeaderRule& header, const parser::Url& anywhere) {
  return header.pattern.empty() && !ExtraHeaders({header}).for_hop(anywhere, false).empty();
}

}  // namespace

SentSecrets::SentSecrets(const std::vector<HeaderRule>& headers, const std::vector<const parser::Url*>& urls) {
  for (const HeaderRule& header : headers) {
    if (is_no_secret(header, *urls.front())) continue;
    names_.push_back(parser::to_ascii_lower(header.name));
    add(header.value);
    add(std::string_view(header.value).substr(header.value.find(' ') + 1));  // for "Bearer TOKEN"
  }
  for (const parser::Url* url : urls) add(url->password().empty() ? url->username() : url->password());
  std::ranges::sort(values_, std::greater<>(), &std::string::size);
}

void SentSecrets::add(std::string_view secret) {
  if (secret.size() < min_length_in_headers) return;
  const std::string decoded = parser::percent_decode(secret);
  for (const std::string& form : {std::string(secret), decoded, parser::percent_encode_component(decoded)}) {
    if (std::ranges::find(values_, form) == values_.end()) values_.push_back(form);
  }
}

bool SentSecrets::appear_in(std::string_view text) const {
  return std::ranges::any_of(values_, [text](const std::string& value) {
    return value.size() >= min_length_in_pages && text.find(value) != std::string_view::npos;
  });
}

bool SentSecrets::appear_in_header(const storage::ResponseHeader& header) const {
  return std::ranges::find(names_, header.name) != names_.end() ||
         std::ranges::any_of(
             values_, [&header](const std::string& value) { return header.value.find(value) != std::string::npos; });
}

void SentSecrets::mask(std::string& text, std::size_t min_length) const {
  for (const std::string& value : values_) {
    if (value.size() < min_length) continue;
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + masked_secret.size())) {
      text.replace(at, value.size(), masked_secret);
    }
  }
}

void SentSecrets::mask_texts(storage::Snapshot& snapshot) const {
  parser::Metadata& metadata = snapshot.metadata;
  for (std::optional<parser::Field<std::string>>* field :
       {&metadata.title, &metadata.published, &metadata.modified, &metadata.language, &metadata.site_name,
        &metadata.description, &metadata.canonical, &metadata.doi, &metadata.arxiv, &metadata.isbn}) {
    if (*field) mask((*field)->value, min_length_in_pages);
  }
  if (metadata.authors) {
    for (std::string& author : metadata.authors->value) mask(author, min_length_in_pages);
  }
  for (storage::Fact& fact : snapshot.facts) mask(fact.text, min_length_in_pages);
  mask(snapshot.verdict.evidence, min_length_in_pages);
}

void SentSecrets::mask_in(storage::Snapshot& snapshot) const {
  for (storage::ResponseHeader& header : snapshot.headers) {
    if (appear_in_header(header)) header.value = masked_secret;
  }
  if (values_.empty()) return;
  mask(snapshot.final_url, min_length_in_pages);
  for (storage::Redirect& hop : snapshot.redirects) {
    mask(hop.from, min_length_in_pages);
    mask(hop.to, min_length_in_pages);
  }
  for (storage::Attempt& attempt : snapshot.attempts) mask(attempt.url, min_length_in_pages);
  for (std::string* text : {&snapshot.content_type, &snapshot.etag, &snapshot.last_modified}) {
    mask(*text, min_length_in_pages);
  }
  mask_texts(snapshot);
}

}  // namespace linkherd::crawler
