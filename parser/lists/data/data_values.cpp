#include "parser/lists/data/data_values.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/entry_tracker.h"
#include "parser/lists/host_names.h"
#include "parser/lists/text/bare_url_end.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/link_text.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// If a record has more links than this, its title is like a heading and does not distinguish them.
constexpr std::size_t max_links_of_a_title = 8;

constexpr std::array<std::string_view, 16> page_names{"url",  "uri",  "href", "link",   "homepage", "website",
                                                      "web",  "site", "loc",  "xmlurl", "链接",     "网址",
                                                      "地址", "連結", "鏈接", "網址"};
constexpr std::array<std::string_view, 4> url_names{"links", "src", "repo", "repository"};
constexpr std::array<std::string_view, 12> title_names{"title", "name", "text", "label", "headline", "caption",
                                                       "标题",  "題目", "题目", "名称",  "名字",     "標題"};

bool all_can_stand_in_a_url(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_ascii(c)) {
      if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
          std::string_view("\"<>`").find(c) != std::string_view::npos)
        return false;
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    const bool replaced = point.value == 0xFFFD;  // decoded from an unpaired surrogate
    if (!point.valid) return false;
    if (classify_url_character(point.value) == UrlCharacter::end && !is_emoji(point.value) && !replaced) return false;
    at += point.length;
  }
  return true;
}

// Returns true for "newsletter.example.com/p/x", "/docs/a" and "../b.md". Such values are links only if the key
// indicates it, as "url" does.
bool is_url_by_name(std::string_view text) {
  if (!all_can_stand_in_a_url(text)) return false;
  return starts_with_host_name(text) || text.starts_with('/') || text.starts_with("./") || text.starts_with("../");
}

}  // namespace

ValueRole find_value_role(std::string_view name) {
  if (name.size() > 64) return ValueRole::any;
  const std::string lower = to_ascii_lower(trim_ascii(name));
  if (is_one_of(title_names, lower)) return ValueRole::title;
  if (is_one_of(page_names, lower)) return ValueRole::page;
  const bool url = is_one_of(url_names, lower) || lower.ends_with("url") || lower.ends_with("uri") ||
                   lower.ends_with("_link") || lower.ends_with("-link");
  return url ? ValueRole::url : ValueRole::any;
}

void add_value_links(const MappedText& value, ValueRole role, FoundLinks& found) {
  const std::string_view text = value.text();
  const std::string_view inside = trim_ascii(text);
  if (inside.empty()) return;
  const auto inside_at = static_cast<std::size_t>(inside.data() - text.data());
  const bool by_name = role == ValueRole::url || role == ValueRole::page;
  const auto add = [&](TextRange range, LinkElement element, const std::string& title, bool unbalanced) {
    const TextRange written_range = value.source_range(range);
    found.links.emplace_back(written_range.offset, written_range.length, element,
                             unwrap_url(text.substr(range.offset, range.length)), title, unbalanced);
    found.links.back().context.is_named = role == ValueRole::page && element == LinkElement::data;
  };
  BareUrlScanner scanner(text, BareUrlContext::plain);
  std::optional<BareUrl> url = scanner.next();
  if (!url) {
    if (by_name && is_url_by_name(inside)) add({inside_at, inside.size()}, LinkElement::data, {}, false);
    return;
  }
  std::optional<BareUrl> second = scanner.next();
  if (!second && url->offset == inside_at && all_can_stand_in_a_url(inside)) {
    add({inside_at, inside.size()}, LinkElement::data, {}, false);
    return;
  }
  for (std::size_t from = 0; url; url = std::exchange(second, std::nullopt)) {
    add({url->offset, url->length}, LinkElement::bare, title_before_url(text.substr(from, url->offset - from)),
        url->unbalanced_bracket);
    if (!second) second = scanner.next();
    const std::string_view before = text.substr(from, url->offset - from);
    from = url->offset + url->length;
    found.links.back().context =
        context_between(before, text.substr(from, (second ? second->offset : text.size()) - from));
  }
}

void add_doi_link(const MappedText& value, FoundLinks& found) {
  std::string_view doi = trim_ascii(value.text());
  if (starts_ignoring_case(doi, "doi:")) doi = trim_ascii(doi.substr(4));
  if (!doi.starts_with("10.") || doi.find_first_of(" \t\r\n") != std::string_view::npos) return;
  const TextRange written_range =
      value.source_range({static_cast<std::size_t>(doi.data() - value.text().data()), doi.size()});
  std::string target = "https://doi.org/";
  for (const char c : doi) {  // escapes characters that would end the path, and "%"
    if (c == '#' || c == '?' || c == '%') {
      target += c == '#' ? "%23" : c == '?' ? "%3F" : "%25";
    } else {
      target.push_back(c);
    }
  }
  found.links.emplace_back(written_range.offset, written_range.length, LinkElement::data, target, FoundText(), false);
}

struct DataRecords::Level {
  std::size_t first;  // index in `pending_` of the first link of the record
  std::string title;  // empty until it is known
  std::uint32_t record;
};

struct DataRecords::Record {
  std::uint32_t parent = 0;  // index of the enclosing record; 0 for none
  bool owns_links = false;
  bool is_marked = false;
  bool is_element = false;
  bool has_urls = false;   // some values are URLs
  bool has_other = false;  // some values are not URLs, or are marked by their key

  // A map has URLs as values, and no key marks one as the page.
  bool is_map() const { return has_urls && !has_other && !is_element; }
};

DataRecords::DataRecords(FoundLinks& found)
    : found_(found), first_(found.links.size()), assigned_(first_), records_(1) {}

DataRecords::~DataRecords() = default;

bool DataRecords::any_open() const { return !levels_.empty(); }

std::uint32_t DataRecords::innermost() const { return levels_.empty() ? 0 : levels_.back().record; }

void DataRecords::assign_new_links() { assign_new_links(innermost()); }

void DataRecords::assign_new_links(std::uint32_t record) {
  if (assigned_ < found_.links.size()) records_[record].owns_links = true;
  for (; assigned_ < found_.links.size(); ++assigned_) {
    record_by_link_.push_back(record);
    if (found_.links[assigned_].text.empty()) pending_.push_back(assigned_);
  }
}

void DataRecords::open(bool is_element) {
  assign_new_links();
  records_[innermost()].has_other = true;
  records_.push_back({innermost()});
  records_.back().is_element = is_element;
  levels_.push_back({pending_.size(), {}, static_cast<std::uint32_t>(records_.size() - 1)});
}

void DataRecords::add_non_text(std::string_view key, std::string_view value) {
  records_[innermost()].has_other = true;
  add_bookmark_field(key, value);
}

void DataRecords::add_bookmark_field(std::string_view key, std::string_view value) {
  const BookmarkField field = find_bookmark_field(key);
  if (field != BookmarkField::none && innermost() != 0)
    parser::add_bookmark_field(info_by_record_[innermost()], field, value);
}

const BookmarkInfo* DataRecords::bookmark_info_of(std::uint32_t record) const {
  for (; record != 0; record = records_[record].parent) {
    if (const auto info = info_by_record_.find(record); info != info_by_record_.end()) return &info->second;
    if (records_[record].is_element) break;
  }
  return nullptr;
}

void DataRecords::mark_as_element() { records_[innermost()].is_element = true; }

void DataRecords::add_value(std::string_view key, const MappedText& value, bool is_element) {
  const ValueRole role = find_value_role(key);
  if (role == ValueRole::title) set_title(value.text());
  add_bookmark_field(key, value.text());
  if (is_element) open();
  const std::size_t before = found_.links.size();
  add_value_links(value, role, found_);
  const bool is_url = found_.links.size() == before + 1 && found_.links.back().element == LinkElement::data;
  Record& record = records_[innermost()];
  (is_url && role == ValueRole::any ? record.has_urls : record.has_other) = true;
  if (is_element) close();
}

void DataRecords::set_title(std::string_view title) {
  if (levels_.empty() || !levels_.back().title.empty()) return;
  levels_.back().title = collapse_space(title.substr(0, 2 * max_link_text_bytes), max_link_text_bytes);
}

void DataRecords::close() {
  assign_new_links();
  if (levels_.empty()) return;
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  if (records_[level.record].is_element && level.title.empty()) pending_.resize(level.first);
  if (level.title.empty()) return;
  const bool few = pending_.size() - level.first <= max_links_of_a_title;
  for (std::size_t i = level.first; few && i < pending_.size(); ++i) found_.links[pending_[i]].text = level.title;
  pending_.resize(level.first);
}

void DataRecords::assign_new_links_to_parent() {
  assign_new_links(levels_.empty() ? 0 : records_[levels_.back().record].parent);
}

void DataRecords::mark_as_entry() { records_[innermost()].is_marked = true; }

void DataRecords::finish() {
  assign_new_links();
  records_.front().owns_links = false;
  records_.front().has_other = true;
  std::vector<std::uint32_t> entries(records_.size(), 0);
  for (std::size_t i = 1; i < records_.size(); ++i) {  // enclosing records precede the records in them
    const Record& record = records_[i];
    entries[i] = record.is_element ? 0 : entries[record.parent];
    if (entries[i] != 0) continue;
    if (record.is_marked || (record.owns_links && !only_marked_)) entries[i] = ++found_.entries;
  }
  for (std::size_t i = 0; i < record_by_link_.size(); ++i) {
    const std::uint32_t record = record_by_link_[i];
    const bool is_own = records_[record].is_map() && entries[records_[record].parent] == 0;
    FoundLink& link = found_.links[first_ + i];
    link.entry = is_own ? ++found_.entries : entries[record];
    const BookmarkInfo* const info = info_by_record_.empty() ? nullptr : bookmark_info_of(record);
    if (info != nullptr && !info->empty()) found_.bookmarks.push_back({link.offset, *info});
  }
}

}  // namespace linkherd::parser
