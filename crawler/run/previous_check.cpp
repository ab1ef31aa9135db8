#include "crawler/run/previous_check.h"

#include <string_view>

#include "crawler/classify/classify.h"
#include "parser/ascii.h"
#include "parser/metadata/page_headers.h"
#include "parser/url/url.h"

namespace linkherd::crawler {
namespace {

using storage::Snapshot;

bool is_field_value(std::string_view text) { return !parser::has_ascii_control(text); }

}  // namespace

std::optional<Validators> validators_of(const Snapshot& previous) {
  if (!page_exists(previous.verdict) || (previous.etag.empty() && previous.last_modified.empty())) return std::nullopt;
  // The text of a page is unknown if the page could not be read, or if a site API vouched for it. Only a full response
  // can change that.
  if (parser::is_html_type(previous.content_type) && !previous.main_text.was_read()) return std::nullopt;
  if (!is_field_value(previous.etag) || !is_field_value(previous.last_modified)) return std::nullopt;
  const auto url = parser::Url::parse(previous.final_url);
  if (url.has_error()) return std::nullopt;
  Validators validators;
  validators.url = url->href_without_fragment();
  validators.etag = previous.etag;
  validators.last_modified = previous.last_modified;
  return validators;
}

void carry_over_previous(const Snapshot& previous, Snapshot& now, parser::Harvest harvest) {
  if (now.status == 304) {
    now.body_digest = previous.body_digest;
    now.body_bytes = previous.body_bytes;
    now.charset = previous.charset;
    now.is_body_complete = previous.is_body_complete;
    if (now.content_type.empty()) now.content_type = previous.content_type;
    if (now.etag.empty()) now.etag = previous.etag;
    if (now.last_modified.empty()) now.last_modified = previous.last_modified;
    now.facts = previous.facts;
    now.plain = previous.plain;
  }
  if (now.status != 304 && page_exists(now.verdict)) {
    if (harvest != parser::Harvest::full) fill_gaps(now.metadata, previous.metadata);  // it was not harvested
    return;
  }
  now.metadata = previous.metadata;
  now.main_text = previous.main_text;
}

void doubt_unchanged_page(const Snapshot& previous, Snapshot& now) {
  if (now.status != 404 || now.verdict.health != storage::Health::dead || !now.main_text.was_read()) return;
  if (now.main_text.digest == previous.main_text.digest)
    now.verdict = doubt_404("HTTP 404, but the text of the page is the same as when it was alive.");
}

}  // namespace linkherd::crawler
