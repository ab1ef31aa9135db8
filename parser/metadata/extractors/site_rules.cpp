// Applies the table of site rules to a page.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "parser/ascii.h"
#include "parser/html/selector.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/extractors/site_rule_table.h"
#include "parser/metadata/page.h"
#include "parser/metadata/text_values.h"
#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::parser {
namespace {

namespace json = boost::json;
using Captures = std::vector<std::string_view>;

std::string_view take_segment(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

// Returns the segments that each "*" of the pattern matches, or nullopt if the path does not match.
std::optional<Captures> match_path(std::string_view path, std::string_view pattern) {
  const bool whole = pattern.ends_with('$');
  if (whole) pattern.remove_suffix(1);
  Captures captures;
  while (!pattern.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view segment = take_segment(path);
    if (wanted == "*" ? segment.empty() : segment != wanted) return std::nullopt;
    if (wanted == "*") captures.push_back(segment);
  }
  if (whole && !path.empty() && path != "/") return std::nullopt;
  return captures;
}

std::string fill_in(std::string_view location, const Captures& captures) {
  std::string filled(location);
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const std::string mark = "{" + std::to_string(i + 1) + "}";
    for (std::size_t at = filled.find(mark); at != std::string::npos; at = filled.find(mark, at + captures[i].size())) {
      filled.replace(at, mark.size(), captures[i]);
    }
  }
  return filled;
}

// Returns the values at a path. One "*" in it means every element of an array.
std::vector<std::string> values_at(const json::value& root, std::string_view path) {
  std::vector<std::string> values;
  const std::size_t star = path.find(".*.");
  if (star == std::string_view::npos) {
    if (std::string text = text_of(at_path(root, path)); !text.empty()) values.push_back(std::move(text));
    return values;
  }
  const json::value* list = at_path(root, path.substr(0, star));
  if (list == nullptr || !list->is_array()) return values;
  for (const json::value& item : list->get_array()) {
    if (values.size() >= max_authors) break;
    if (std::string text = text_of(at_path(item, path.substr(star + 3))); !text.empty())
      values.push_back(std::move(text));
  }
  return values;
}

// Skips a function call around a literal: htmlDecode("…"), JSON.parse("…").
std::string_view inside_call(std::string_view value) {
  const std::size_t parenthesis = value.substr(0, 32).find('(');
  if (value.empty() || !is_ascii_letter(value.front()) || parenthesis == std::string_view::npos) return value;
  return trim_ascii(value.substr(parenthesis + 1));
}

class RuleReader {
 public:
  RuleReader(const Page& page, Captures captures) : page_(page), captures_(std::move(captures)) {}

  std::vector<std::string> values(const SiteRule& rule) {
    const std::string location = fill_in(rule.location, captures_);
    switch (rule.where) {
      case ValueSource::state: return values_in_state(rule.container, location);
      case ValueSource::variable: return values_in_variable(location);
      case ValueSource::element: return values_in_elements(location, rule.container);
      case ValueSource::address:
      case ValueSource::constant: return {location};
    }
    return {};
  }

 private:
  std::vector<std::string> values_in_state(std::string_view container, std::string_view path) {
    auto known = states_.find(container);
    if (known == states_.end()) known = states_.emplace(container, read_state(container)).first;
    return values_at(known->second, path);
  }

  json::value read_state(std::string_view container) const {
    json::value state;
    for (const EmbeddedScript& script : page_.document.scripts()) {
      if (container == "ld+json") {
        if (script.type == "application/ld+json" && parse_embedded_json(script.text, state)) return state;
        continue;
      }
      if (container.starts_with('#')) {
        if (script.id != container.substr(1)) continue;
        const bool escaped = trim_ascii(script.text).starts_with('%');
        if (parse_embedded_json(escaped ? percent_decode(trim_ascii(script.text)) : script.text, state)) return state;
        continue;
      }
      const std::string_view assigned = find_assigned_value(script.text, container);
      if (assigned.starts_with("JSON.parse")) {
        if (parse_embedded_json(parse_string_literal(inside_call(assigned)), state)) return state;
      } else if (!assigned.empty() && parse_embedded_json(assigned, state)) {
        return state;
      }
    }
    return {};
  }

  std::vector<std::string> values_in_variable(std::string_view name) const {
    for (const EmbeddedScript& script : page_.document.scripts()) {
      const std::string_view assigned = inside_call(find_assigned_value(script.text, name));
      if (std::string text = parse_string_literal(assigned); !text.empty()) return {text};
    }
    return {};
  }

  std::vector<std::string> values_in_elements(std::string_view location, std::string_view json_path) const {
    const std::size_t at = location.find('@');
    std::vector<std::string> values;
    for (const HtmlElement element : select(page_.searched_elements(), location.substr(0, at), max_authors)) {
      std::string text = at == std::string_view::npos
                             ? element.text()
                             : std::string(element.attribute(location.substr(at + 1)).value_or(""));
      json::value root;
      if (!json_path.empty()) {
        if (parse_embedded_json(text, root)) return values_at(root, json_path);
      } else if (!text.empty()) {
        values.push_back(std::move(text));
      }
    }
    return values;
  }

  const Page& page_;
  Captures captures_;
  std::map<std::string_view, json::value> states_;
};

// Implements Reading::between. Returns the text between `suffix` and the last `prefix` in front of it. If `prefix` is
// empty, returns the text up to `suffix`.
std::string_view part_between(std::string_view text, const SiteRule& rule) {
  if (!rule.suffix.empty()) text = text.substr(0, text.find(rule.suffix));
  if (rule.prefix.empty()) return text;
  const std::size_t at = text.rfind(rule.prefix);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + rule.prefix.size());
}

std::optional<WrittenDate> read_date(std::string_view text, const SiteRule& rule, const Page& page) {
  constexpr std::int16_t china = 8 * 60;
  if (rule.conversion == Conversion::between) text = part_between(text, rule);
  std::optional<WrittenDate> date;
  if (rule.conversion == Conversion::unix_china)
    date = date_from_unix_time(text, china);
  else if (rule.conversion == Conversion::unix_utc)
    date = date_from_unix_time(text, 0);
  else
    date = parse_written_date(text, page.day_order);
  if (date && rule.conversion == Conversion::in_china && date->has_time() && date->offset == 0)
    date =
        date_from_unix_time(std::to_string(start_of_date(*date).time_since_epoch() / std::chrono::seconds(1)), china);
  if (!date && rule.where == ValueSource::element && page.fetched) date = parse_relative_date(text, *page.fetched);
  return date && is_plausible(*date, page.now) ? date : std::nullopt;
}

std::string read_text(std::string_view text, const SiteRule& rule) {
  return clean_value(rule.conversion == Conversion::between ? part_between(text, rule) : text, max_title);
}

void add_values(const std::vector<std::string>& values, const SiteRule& rule, double trust, const Page& page,
                Candidates& candidates) {
  const std::string source = "site:" + std::string(rule.site);
  if (rule.field == SiteField::author) {
    std::vector<std::string> names;
    for (const std::string& value : values) {
      const std::string text = read_text(value, rule);
      const std::string name = rule.conversion == Conversion::last_first ? swap_last_first(text) : clean_name(text);
      if (!name.empty()) add_names(names, {name});
    }
    if (!names.empty()) add(candidates.authors, std::move(names), source, trust);
    return;
  }
  if (values.empty()) return;
  if (rule.field == SiteField::title || rule.field == SiteField::site_name) {
    auto& list = rule.field == SiteField::title ? candidates.titles : candidates.site_name;
    if (std::string text = read_text(values.front(), rule); !text.empty()) add(list, std::move(text), source, trust);
  } else if (const auto date = read_date(values.front(), rule, page)) {
    add(rule.field == SiteField::published ? candidates.published : candidates.modified, *date, source, trust);
  }
}

}  // namespace

void extract_site_rules(const Page& page, Candidates& candidates) {
  const auto rules = site_rules();
  const auto first = std::ranges::find_if(rules, [&](const SiteRule& rule) {
    return is_within_domain(page.host(), rule.host) && match_path(page.path(), rule.path).has_value();
  });
  if (first == rules.end()) return;
  RuleReader reader(page, *match_path(page.path(), first->path));
  double trust = 1.0;
  for (const SiteRule& rule : rules) {
    if (rule.host != first->host || rule.path != first->path) continue;
    add_values(reader.values(rule), rule, trust, page, candidates);
    trust -= 0.001;
  }
}

}  // namespace linkherd::parser
