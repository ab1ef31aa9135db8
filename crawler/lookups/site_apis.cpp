#include "crawler/lookups/site_apis.h"

#include <algorithm>
#include <cstddef>

#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/html/selector.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/text_values.h"
#include "parser/search.h"
#include "parser/url/credentials.h"
#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

namespace json = boost::json;
using parser::Field;
using storage::Health;

// Below the confidence of title and authors on the page itself.
constexpr double text_confidence = 0.7;
constexpr std::size_t max_question_bytes = 4096;
constexpr std::size_t max_html_value_bytes = std::size_t{64} << 10;  // of a value
constexpr std::size_t max_excerpt_length = 140;  // code points; serves as the title of a post without one

// Replaces the placeholders in `text` with the captures, converted by `write`.
template <class Write>
std::string fill_in(std::string_view text, const std::vector<std::string>& captures, Write write) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    filled.append(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::string_view path = text.substr(1, std::min(text.find('}'), text.size()) - 1);
    const bool is_url = path == "url";
    const auto number = static_cast<std::size_t>(is_url || path.empty() ? 0 : path.front() - '0');
    if (number < captures.size()) write(filled, captures[number]);
    text.remove_prefix(std::min(path.size() + 2, text.size()));
  }
  return filled;
}

std::string fill_in_url(std::string_view text, const std::vector<std::string>& captures) {
  return fill_in(text, captures, [](std::string& url, const std::string& capture) {
    parser::append_percent_encoded(url, capture, parser::component_encode_set);
  });
}

std::string fill_in_text(std::string_view text, const std::vector<std::string>& captures) {
  return fill_in(text, captures, [](std::string& filled, const std::string& capture) { filled += capture; });
}

// Returns {url} and the groups of the pattern, or nullopt if it does not match.
std::optional<std::vector<std::string>> match(const SiteApi& site_api, const parser::Url& link) {
  if (!site_api.site.empty() && !parser::is_within_domain(link.host(), site_api.site)) return std::nullopt;
  const parser::Url plain = parser::without_credentials(link);
  const std::string_view text = plain.href_without_fragment();
  if (text.size() > max_question_bytes) return std::nullopt;
  const re2::RE2& expression = site_api.expression->compiled();
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
  if (!expression.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, groups.data(),
                        static_cast<int>(groups.size()))) {
    return std::nullopt;
  }
  if (site_api.exception != nullptr && site_api.exception->matches(text)) return std::nullopt;
  std::vector<std::string> captures{std::string(text)};
  for (std::size_t i = 1; i < groups.size(); ++i)
    captures.push_back(parser::percent_decode({groups[i].data(), groups[i].size()}));
  return captures;
}

std::optional<SiteApiRequest> request_about(const std::shared_ptr<const SiteApi>& site_api, const parser::Url& link) {
  auto captures = match(*site_api, link);
  if (!captures) return std::nullopt;
  const auto url = parser::Url::parse(fill_in_url(site_api->url, *captures));
  if (url.has_error() || !url->is_http()) return std::nullopt;
  std::string subject = captures->front();
  return SiteApiRequest{site_api, std::move(*captures), std::string(url->href()), std::move(subject)};
}

// Accepts an oEmbed URL only if it is about this very page, and uses https or the page's own site.
std::optional<SiteApiRequest> make_oembed_request(const std::shared_ptr<const SiteApi>& site_api,
                                                  const parser::Url& link, std::string_view oembed) {
  if (oembed.size() > max_question_bytes) return std::nullopt;
  const auto url = parser::Url::parse(oembed);
  if (url.has_error() || !url->is_http()) return std::nullopt;
  const bool is_own_site = parser::registrable_domain(url->host()) == parser::registrable_domain(link.host());
  const std::string page = std::string(link.host()) + parser::percent_decode(link.path());
  if ((url->scheme() != "https" && !is_own_site) ||
      parser::percent_decode(url->query()).find(page) == std::string::npos)
    return std::nullopt;
  std::string subject(parser::without_credentials(link).href_without_fragment());
  return SiteApiRequest{site_api, {subject}, std::string(parser::without_credentials(*url).href()), subject};
}

// Returns the value in the notation of conditions, or nullopt if it is an object or a non-empty array.
std::optional<std::string> scalar_text(const json::value& value) {
  if (value.is_null()) return "null";
  if (const bool* flag = value.if_bool()) return *flag ? "true" : "false";
  if (const json::array* list = value.if_array(); list != nullptr && list->empty()) return "[]";
  std::string text = parser::text_of(&value);
  if (text.empty() && !value.is_string()) return std::nullopt;
  return text;
}

const json::value* find(const json::value& root, std::string_view pointer) {
  boost::system::error_code error;
  return root.find_pointer({pointer.data(), pointer.size()}, error);
}

// A reply with its JSON, parsed once.
class Answer {
 public:
  Answer(const SiteApiRequest& request, int status, std::string_view body)
      : request_(request), status_(status), body_(body) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    std::string_view text = parser::trim_ascii(body);
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    const std::string& variable = request.site_api->variable;
    if (!variable.empty()) text = parser::find_assigned_value(text, variable);
    has_json_ = !text.empty() && parser::parse_embedded_json(text, json_);
  }

  bool shows_any(const std::vector<SiteApiSign>& signs) const {
    return std::ranges::any_of(signs, [this](const SiteApiSign& sign) { return shows(sign); });
  }

  // Returns true unless a value that identifies the page differs from the link.
  bool is_about_the_link() const {
    return std::ranges::all_of(request_.site_api->same, [this](const auto& same) {
      const json::value* value = has_json_ ? find(json_, same.first) : nullptr;
      if (value == nullptr) return true;
      const std::optional<std::string> text = scalar_text(*value);
      return text &&
             parser::to_ascii_lower(*text) == parser::to_ascii_lower(fill_in_text(same.second, request_.captures));
    });
  }

  Duration pause() const {
    constexpr std::int64_t max_seconds = 600;
    const std::string& pointer = request_.site_api->pause;
    const json::value* value = !pointer.empty() && has_json_ ? find(json_, pointer) : nullptr;
    if (value == nullptr || !value->is_int64()) return {};
    return std::chrono::seconds(std::clamp(value->get_int64(), std::int64_t{0}, max_seconds));
  }

  std::vector<std::string> texts(const std::optional<ValuePath>& path) const {
    const json::value* value = path && has_json_ ? find(json_, path->pointer) : nullptr;
    if (value == nullptr) return {};
    if (!path->selector.empty()) return selected(*value, path->selector);
    std::vector<std::string> found;
    if (const json::array* list = value->if_array()) {
      for (const json::value& item : *list) {
        if (found.size() == parser::max_authors) break;
        found.push_back(parser::text_of(item.is_object() ? item.get_object().if_contains("name") : &item));
      }
    } else {
      found.push_back(parser::text_of(value));
    }
    std::erase(found, std::string());
    return found;
  }

 private:
  bool shows(const SiteApiSign& sign) const {
    if (std::ranges::find(sign.statuses, status_) == sign.statuses.end()) return false;
    if (!sign.text.empty() && parser::find_linear(body_, sign.text) == std::string_view::npos) return false;
    return std::ranges::all_of(sign.values, [this](const SiteApiSign::Value& value) { return has(value); });
  }

  bool has(const SiteApiSign::Value& wanted) const {
    const json::value* value = has_json_ ? find(json_, wanted.first) : nullptr;
    if (value == nullptr) return false;
    const std::optional<std::string> text = scalar_text(*value);
    return std::ranges::any_of(wanted.second, [&](const std::string& one) {
      if (one == "*") return !value->is_null() && text != "";
      return text && *text == fill_in_text(one, request_.captures);
    });
  }

  static std::vector<std::string> selected(const json::value& value, std::string_view selector) {
    const std::string html = parser::text_of(&value);
    const auto document = parser::HtmlDocument::parse(truncate_utf8(html, max_html_value_bytes));
    std::vector<std::string> found;
    for (const parser::HtmlElement element : parser::select(document.elements(), selector)) {
      if (std::string text = element.text(); !text.empty()) found.push_back(std::move(text));
    }
    return found;
  }

  const SiteApiRequest& request_;
  int status_;
  std::string_view body_;
  json::value json_;
  bool has_json_ = false;
};

std::optional<parser::WrittenDate> read_date(const std::string& text, DateForm form) {
  constexpr std::int16_t china = 8 * 60;
  switch (form) {
    case DateForm::unix_utc: return parser::date_from_unix_time(text, 0);
    case DateForm::unix_china: return parser::date_from_unix_time(text, china);
    case DateForm::written: break;
  }
  return parser::parse_written_date(text);
}

class Harvester {
 public:
  Harvester(const SiteApi& site_api, const Answer& answer, Timestamp now)
      : site_api_(site_api), answer_(answer), now_(now), source_("site_api:" + site_api.name) {}

  parser::Metadata harvest() const {
    parser::Metadata metadata;
    metadata.title = words(site_api_.title);
    metadata.site_name = words(site_api_.site_name);
    metadata.published = date(site_api_.published);
    metadata.modified = date(site_api_.modified);
    std::vector<std::string> names;
    for (const std::string& text : answer_.texts(site_api_.authors)) {
      if (std::string name = parser::clean_name(text); !name.empty()) parser::add_names(names, {std::move(name)});
    }
    if (!names.empty()) metadata.authors = Field<std::vector<std::string>>{std::move(names), source_, text_confidence};
    return metadata;
  }

 private:
  std::optional<Field<std::string>> words(const std::optional<ValuePath>& path) const {
    const std::vector<std::string> texts = answer_.texts(path);
    if (texts.empty()) return std::nullopt;
    const std::size_t max_length = path->selector.empty() ? parser::max_title : max_excerpt_length;
    std::string text = parser::clean_value(texts.front(), max_length);
    if (text.empty()) return std::nullopt;
    return Field<std::string>{std::move(text), source_, text_confidence};
  }

  // The last text that is a date counts, because quotations come before the date of the post itself.
  std::optional<Field<std::string>> date(const std::optional<ValuePath>& path) const {
    std::vector<std::string> texts = answer_.texts(path);
    std::ranges::reverse(texts);
    for (const std::string& text : texts) {
      const auto date = read_date(text, site_api_.dates);
      if (date && parser::is_plausible(*date, now_))
        return Field<std::string>{parser::to_iso8601(*date), source_, site_api_.date_confidence};
    }
    return std::nullopt;
  }

  const SiteApi& site_api_;
  const Answer& answer_;
  Timestamp now_;
  std::string source_;
};

// Only HTML can be a shell without content. A PDF that was sent exists.
bool is_html(const storage::Snapshot& page) { return !page.charset.empty(); }

storage::Verdict verdict_of(const SiteApiRequest& request, Health health, std::string_view reason, double confidence,
                            std::string_view says, const storage::Verdict& page, std::string_view remark) {
  return {.health = health,
          .reason = std::string(reason),
          .rule = "site_api:" + request.site_api->name,
          .evidence = fmt::format("{} {}. The page itself: {}{}", request.href, says, page.evidence, remark),
          .confidence = confidence};
}

}  // namespace

void SiteApiSet::append(const SiteApiSet& others) {
  const auto first = std::ranges::find_if(site_apis_, [](const auto& site_api) { return site_api->built_in; });
  site_apis_.insert(first, others.site_apis_.begin(), others.site_apis_.end());
}

std::optional<SiteApiRequest> SiteApiSet::make_request(const parser::Url& link,
                                                       const std::vector<storage::Redirect>& redirects,
                                                       std::string_view oembed) const {
  std::vector<parser::Url> forms{link};
  for (const storage::Redirect& hop : redirects) {
    auto url = parser::Url::parse(hop.to);
    if (url && url->is_http()) forms.push_back(std::move(*url));
  }
  for (const parser::Url& form : forms) {
    for (const auto& site_api : site_apis_) {
      if (site_api->expression == nullptr) continue;
      if (auto request = request_about(site_api, form)) return request;
    }
  }
  if (oembed.empty()) return std::nullopt;
  const auto generic = std::ranges::find_if(site_apis_, [](const auto& one) { return one->expression == nullptr; });
  return generic == site_apis_.end() ? std::nullopt : make_oembed_request(*generic, forms.back(), oembed);
}

bool is_worth_a_site_api(const storage::Snapshot& page, parser::Harvest harvest) {
  const storage::Verdict& verdict = page.verdict;
  if (page_exists(verdict)) {
    const bool may_change = harvest != parser::Harvest::none || is_html(page);
    return may_change && !page.metadata.title && page.status != 304;
  }
  return verdict.health == Health::blocked || verdict.health == Health::suspect;
}

SiteApiResult read_site_api_reply(const SiteApiRequest& request, int status, std::string_view body, Timestamp now) {
  const SiteApi& site_api = *request.site_api;
  const Answer answer(request, status, body);
  SiteApiResult result{.pause = answer.pause()};
  if (!answer.is_about_the_link()) return result;
  if (answer.shows_any(site_api.missing)) {
    result.kind = SiteApiResult::Kind::missing;
  } else if (answer.shows_any(site_api.exists)) {
    result.kind = SiteApiResult::Kind::exists;
    result.metadata = Harvester(site_api, answer, now).harvest();
  }
  return result;
}

bool apply_result(const SiteApiRequest& request, const SiteApiResult& result, std::string_view remark,
                  storage::Snapshot& page) {
  constexpr double sure = 0.95;
  constexpr double doubt = 0.85;  // the page itself shows something else
  const bool alive = page_exists(page.verdict);
  if (result.kind == SiteApiResult::Kind::unknown) return false;
  if (result.kind == SiteApiResult::Kind::missing) {
    if (alive && !is_html(page)) return false;
    page.verdict = verdict_of(request, alive ? Health::suspect : Health::dead, storage::reason::not_found,
                              alive ? doubt : sure, "says that the page does not exist", page.verdict, remark);
    page.metadata = {};
    return false;
  }
  fill_gaps(page.metadata, result.metadata);  // the metadata of the page has priority
  if (alive) return false;
  page.verdict =
      verdict_of(request, Health::alive, storage::reason::ok, sure, "says that the page exists", page.verdict, remark);
  // These fields describe the refusal, not the page.
  page.final_url = request.link;
  page.etag.clear();
  page.last_modified.clear();
  page.content_type.clear();
  page.charset.clear();
  page.body_digest.clear();
  page.body_bytes = 0;
  return true;
}

}  // namespace linkherd::crawler
