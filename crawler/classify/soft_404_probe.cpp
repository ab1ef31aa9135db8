#include "crawler/classify/soft_404_probe.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crawler/classify/page_rules.h"
#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/html/text_signature.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

namespace {

using storage::Health;
using storage::PageFeatures;
using storage::ProbeResult;
using storage::Verdict;
namespace reason = storage::reason;

constexpr std::size_t thin_text = 800;  // code points; a shorter page may be a message
// A page with less text is a shell that scripts fill, so it proves nothing.
constexpr std::size_t min_text_length = 20;
constexpr std::size_t max_compared_title_bytes = 200;  // of the title, compared and stored
constexpr int max_differing_bits = 8;                  // between the hashes of texts that count as equal
// Confidence of a sign that stands even if the host answers unknown paths with 404.
constexpr double strong_mark = 0.87;
constexpr double same_page = 0.85;  // confidence
constexpr double same_message = 0.89;

bool is_missing(int status) { return status == 404 || status == 410; }
bool is_page(int status) { return status >= 200 && status <= 299; }
bool is_weak_mark(const Verdict& verdict) {
  return verdict.health == Health::suspect && (verdict.reason == reason::soft_404 || verdict.reason == reason::parked);
}
bool is_weak_wall(const Verdict& verdict) {
  return verdict.health == Health::blocked && verdict.confidence < sure_of_wall;
}

// Removes `part` unless it is inside a longer word ("inge" in "eingestellt").
std::string without(const std::string& text, std::string_view part) {
  constexpr std::size_t min_bytes = 4;  // shorter parts may be words of any text
  if (part.size() < min_bytes) return text;
  const auto goes_on = [&](std::size_t at) { return at < text.size() && parser::is_ascii_alphanumeric(text[at]); };
  std::string rest;
  std::size_t kept = 0;  // bytes of the text that have been processed
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    const std::size_t end = at + part.size();
    const bool is_piece = (goes_on(at) && at > 0 && goes_on(at - 1)) || (goes_on(end - 1) && goes_on(end));
    if (!is_piece) {
      rest.append(text, kept, at - kept);
      kept = end;
    }
    at = end;
  }
  return rest.append(text, kept);
}

std::string_view last_segment(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

std::string without_address(std::string text, const parser::Url& url) {
  const std::string path(url.path());
  const std::string readable = to_valid_utf8(parser::percent_decode(path));
  for (const std::string& part : {path, readable}) {
    text = without(text, part);
    text = without(text, last_segment(part));
  }
  return text;
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) segments.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

// Returns true for path segments of home pages: empty, a language ("en", "pt-br"), or "index.html".
bool is_home_segment(std::string_view segment) {
  constexpr std::array<std::string_view, 6> names{"index", "home", "default", "main", "start", "homepage"};
  const std::string lower = parser::to_ascii_lower(segment.substr(0, segment.find('.')));
  const auto letters = static_cast<std::size_t>(std::ranges::count_if(lower, parser::is_ascii_letter));
  const bool is_language = (lower.size() == 2 && letters == 2) ||
                           (lower.size() == 5 && letters == 4 && (lower[2] == '-' || lower[2] == '_'));
  return is_language || std::ranges::find(names, lower) != names.end();
}

bool is_home(const parser::Url& url) {
  return std::ranges::all_of(segments_of(url.path()), is_home_segment) && url.query().empty();
}

bool is_search(const parser::Url& url) {
  constexpr std::array<std::string_view, 5> names{"search", "suche", "recherche", "buscar", "busca"};
  const std::string segment = parser::to_ascii_lower(last_segment(url.path()));
  return std::ranges::find(names, segment.substr(0, segment.find('.'))) != names.end();
}

// Returns the file name without extension, which usually stays the same when a page moves.
std::string_view slug(const parser::Url& url) {
  const std::string_view last = last_segment(url.path());
  return last.substr(0, last.rfind('.'));
}

// Returns true for names that say nothing about a page. If another URL contains one too ("/page" and "/error-page"),
// that is chance.
bool is_general_name(std::string_view name) {
  constexpr std::array<std::string_view, 30> names{
      "page",  "pages", "article", "articles", "file",  "files", "document", "documents", "doc",   "post",
      "posts", "item",  "items",   "view",     "show",  "entry", "story",    "content",   "topic", "thread",
      "index", "home",  "default", "main",     "start", "error", "404",      "link",      "site",  "url"};
  return std::ranges::find(names, name) != names.end();
}

bool has_lost_path(const parser::Url& requested, const parser::Url& found) {
  if (requested.path() == found.path() && requested.query() == found.query()) return false;
  const std::string name = parser::to_ascii_lower(slug(requested));
  const std::string found_href = parser::to_ascii_lower(found.href());
  return is_general_name(name) || found_href.find(name) == std::string::npos;
}

bool was_sent_home(const parser::Url& requested, const parser::Url& found) {
  return (is_home(found) && !is_home(requested)) || (is_search(found) && !is_search(requested));
}

bool is_generic(std::string_view title, std::string_view host) {
  constexpr std::array<std::string_view, 12> names{"home",    "homepage", "index", "untitled", "document", "welcome",
                                                   "loading", "error",    "app",   "message",  "notice",   "info"};
  const std::string lower = parser::to_ascii_lower(parser::trim_ascii(title));
  return lower.empty() || lower == host || "www." + lower == host || std::ranges::find(names, lower) != names.end();
}

bool are_alike(const PageFeatures& one, const PageFeatures& other, std::size_t min_length = min_text_length) {
  return one.title == other.title && std::min(one.text_length, other.text_length) >= min_length &&
         parser::simhash_distance(one.text_hash, other.text_hash) <= max_differing_bits;
}

// The page of the probe is compared without its URL, which is never a word of a page. The page of the link is compared
// with and without its URL.
bool resembles_probe(const UncertainPage& page, const ProbeResult& probe, std::size_t min_length = min_text_length) {
  return are_alike(page.features, probe.page, min_length) || are_alike(page.features_with_url, probe.page, min_length);
}

Verdict soft_404(double confidence, std::string evidence) {
  return {.health = Health::suspect,
          .reason = std::string(reason::soft_404),
          .rule = "calibration",
          .evidence = std::move(evidence),
          .confidence = confidence};
}

constexpr std::string_view same_everywhere = " The soft-404 probe (a path that cannot exist) returned the same page.";

// A script that gets an unknown argument (`topic.php?t=7`) is not called for unknown paths, so the probe does not test
// it.
bool knows_missing_pages(const ProbeResult& probe, const parser::Url& requested) {
  return is_missing(probe.status) && requested.query().empty();
}

Verdict evaluate_weak_mark(const UncertainPage& page, const ProbeResult& probe) {
  Verdict verdict = page.found.verdict;
  if (is_page(probe.status) && resembles_probe(page, probe)) {
    verdict.confidence = std::max(verdict.confidence, same_message);
    verdict.evidence += same_everywhere;
  } else if (knows_missing_pages(probe, page.url) && verdict.confidence < strong_mark) {
    return page.by_status;
  }
  return verdict;
}

// Articles and forms may also contain words of a refusal, but a wall answers every path.
Verdict evaluate_refusal(const UncertainPage& page, const ProbeResult* probe) {
  constexpr std::size_t min_length = 5;  // not a shell: it contains the words of the refusal
  const bool is_same = probe != nullptr && is_page(probe->status) && resembles_probe(page, *probe, min_length);
  if (!is_same) return page.by_status;
  Verdict verdict = page.found.verdict;
  verdict.confidence = same_page;
  verdict.evidence += same_everywhere;
  return verdict;
}

}  // namespace

PageFeatures page_features(const PageEvidence& page) {
  return {.title = std::string(truncate_utf8(parser::collapse_spaces(page.title), max_compared_title_bytes)),
          .text_hash = parser::simhash(page.text),
          .text_length = page.main_length};
}

PageFeatures features_without_url(const PageEvidence& page, const parser::Url& url) {
  PageEvidence others = page;
  const std::string title = without_address(std::string(page.title), url);
  const std::string text = without_address(std::string(page.text), url);
  others.title = title;
  others.text = text;
  return page_features(others);
}

std::optional<Verdict> uncertain(const FetchResult& result, const Verdict& verdict, const PageFeatures& features) {
  if (is_weak_wall(verdict)) return by_status(result);
  // A home page exists, but a whole domain may be parked.
  if (!is_page(result.response.status) || (is_home(result.link_url) && verdict.reason != reason::parked))
    return std::nullopt;
  const bool alive = verdict.health == Health::alive || verdict.health == Health::redirected;
  const bool elsewhere = was_moved(result) && (has_lost_path(result.link_url, result.final_url) ||
                                               was_sent_home(result.link_url, result.final_url));
  const bool says_little = features.text_length < thin_text || is_generic(features.title, result.final_url.host());
  if (!is_weak_mark(verdict) && !(alive && (elsewhere || says_little))) return std::nullopt;
  return by_status(result);
}

std::string probe_href(const parser::Url& url, Timestamp now) {
  const std::string_view path = url.path();
  const std::string_view folder = path.substr(0, path.rfind('/') + 1);
  const auto day = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  const std::string name = storage::content_digest(fmt::format("{} {}", url.origin(), day)).substr(0, 16);
  return fmt::format("{}{}linkherd-control-{}", url.origin(), folder, name);
}

Verdict apply_probe(const UncertainPage& page, const ProbeResult* probe, const PageFeatures* home) {
  const Verdict& verdict = page.found.verdict;
  const auto found = parser::Url::parse(page.found.final_url);
  if (is_weak_wall(verdict)) return evaluate_refusal(page, probe);
  if (is_weak_mark(verdict)) return probe == nullptr ? verdict : evaluate_weak_mark(page, *probe);
  const bool moved = !page.found.redirects.empty() && found.has_value();
  if (probe != nullptr && is_page(probe->status)) {
    if (moved && probe->final_url == page.found.final_url)
      return soft_404(same_message,
                      fmt::format("Redirected to {}, like a path that cannot exist.", page.found.final_url));
    const bool is_shell = home != nullptr && are_alike(*home, probe->page);
    if (resembles_probe(page, *probe) && !is_shell)
      return soft_404(
          same_page,
          fmt::format(R"(The same page as for the soft-404 probe (a path that cannot exist): "{}" and "{}" (HTTP {}).)",
                      page.features.title, probe->page.title, probe->status));
  }
  const bool deliberate = probe != nullptr && knows_missing_pages(*probe, page.url);
  if (moved && was_sent_home(page.url, *found) && !deliberate && page.can_probe)
    return soft_404(0.7, fmt::format("Redirected to a home or search page: {}.", page.found.final_url));
  return verdict;
}

}  // namespace linkherd::crawler
