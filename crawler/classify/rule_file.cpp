// Reads and validates the [[rule]] tables of rules.toml and of users.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "crawler/classify/page_rules.h"
#include "crawler/classify/table_reader.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

extern const char* const built_in_rules;  // rules.toml

namespace {

using storage::Health;

constexpr std::size_t max_mark_bytes = 1000;  // of a mark, a pattern or a phrase, as written
constexpr std::size_t max_phrases = 100;
constexpr std::size_t max_pattern_bytes = 4000;  // with its phrases and word lists
constexpr std::size_t visible_in_html = 800;
constexpr std::size_t visible_in_text = 400;
constexpr std::size_t max_visible_length = 4000;  // code points of the main text that are searched

constexpr std::array<std::string_view, 12> rule_keys{"id",      "site",    "where",      "mark",
                                                     "pattern", "phrases", "status",     "max_visible",
                                                     "health",  "reason",  "confidence", "example"};

// Returns the end of the character class that starts at `at`: the last bracket of "[^\n\]]" belongs to it.
std::size_t end_of_class(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end < text.size() && text[end] == '^') ++end;
  if (end < text.size() && text[end] == ']') ++end;
  for (; end < text.size() && text[end] != ']'; ++end) {
    if (text[end] == '\\') ++end;
  }
  return std::min(end + 1, text.size());
}

// Turns a phrase into a pattern. A blank stands for any white space, and ' for both apostrophes; everything else is
// RE2: "doesn't (?:exist|work)" becomes "doesn['’]t\s+(?:exist|work)".
std::string make_phrase_pattern(std::string_view phrase) {
  std::string pattern;
  for (std::size_t at = 0; at < phrase.size();) {
    std::size_t end = at + 1;
    if (phrase[at] == '\\') end = std::min(at + 2, phrase.size());
    if (phrase[at] == '[') end = end_of_class(phrase, at);
    if (phrase[at] == ' ') {
      pattern.append(R"(\s+)");
    } else if (phrase[at] == '\'') {
      pattern.append("['’]");
    } else {
      pattern.append(phrase, at, end - at);
    }
    at = end;
  }
  return pattern;
}

std::string make_phrases_pattern(const std::vector<std::string>& phrases) {
  std::string pattern = "(?:";
  for (const std::string& phrase : phrases) pattern.append(make_phrase_pattern(phrase)).append(1, '|');
  pattern.back() = ')';
  return pattern;
}

// Returns the strings of an array, and none if the node is not an array of strings.
std::vector<std::string> strings_of(const toml::node* node) {
  std::vector<std::string> strings;
  const toml::array* array = node == nullptr ? nullptr : node->as_array();
  if (array == nullptr) return strings;
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text || text->empty()) return {};
    strings.push_back(*text);
  }
  return strings;
}

bool is_list_name(std::string_view text) {
  return text.find('.') != std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '.'; });
}

// The [words] tables of rules.toml. The list `en` of [words.thing] is named {thing.en} in patterns, phrases and other
// lists, and stands for any of its phrases. Users' rules may name these lists as well.
class WordLists {
 public:
  explicit WordLists(const toml::table& document) {
    const toml::table* families = document["words"].as_table();
    if (families == nullptr) return;
    for (const auto& [family, lists] : *families) {
      for (const auto& [name, list] : *lists.as_table())
        lists_.emplace(fmt::format("{}.{}", family.str(), name.str()), make_phrases_pattern(strings_of(&list)));
    }
  }

  // Replaces the names of lists: "no {thing.en}" becomes "no (?:page|site)". Throws std::invalid_argument if a list
  // does not exist, or if the result is too long: a list may name itself.
  std::string expand(std::string text) const {
    for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
      const std::size_t end = std::min(text.find('}', at), text.size());
      const std::string_view name = std::string_view(text).substr(at + 1, end - at - 1);
      if (!is_list_name(name)) {
        ++at;
        continue;
      }
      const auto list = lists_.find(name);
      if (list == lists_.end()) throw std::invalid_argument(fmt::format("unknown word list {{{}}}", name));
      text.replace(at, end + 1 - at, list->second);
      if (text.size() > max_pattern_bytes)
        throw std::invalid_argument(
            fmt::format("with its word lists, its pattern is longer than {} bytes", max_pattern_bytes));
    }
    return text;
  }

 private:
  std::map<std::string, std::string, std::less<>> lists_;  // pattern by name
};

class RuleReader : private TableReader {
 public:
  RuleReader(const toml::table& table, const WordLists& words, bool built_in)
      : TableReader(table, "rule", built_in), words_(words) {
    rule_.built_in = built_in;
  }

  PageRule read() {
    refuse_other_keys(rule_keys);
    rule_.id = name("id", "_:.-");
    rule_.site = parser::to_ascii_lower(text("site"));
    read_where();
    read_mark();
    read_limits();
    read_verdict();
    return std::move(rule_);
  }

 private:
  void read_where() {
    const auto where = enum_value(where_names, text("where"));
    if (!where) refuse("where must be header, redirect_url, title, title_start, title_whole, html, text, lead or page");
    rule_.where = *where;
  }

  void read_mark() {
    if (has("mark") == has("pattern")) refuse("requires either mark or pattern");
    const bool is_pattern = has("pattern");
    rule_.mark = text(is_pattern ? "pattern" : "mark");
    if (rule_.mark.empty()) refuse("its mark is empty");
    refuse_if_long(rule_.mark);
    if (!is_pattern && has("phrases")) refuse("phrases need a pattern");
    if (rule_.where == Where::header && rule_.mark.find(": ") == std::string::npos)
      refuse("a mark in headers must have the form \"name: text\"");
    if (!is_pattern) return;
    if (rule_.where == Where::header || rule_.where == Where::title_start || rule_.where == Where::title_whole)
      refuse(fmt::format("{} takes a mark, not a pattern", enum_name(where_names, rule_.where)));
    rule_.mark = expanded(std::move(rule_.mark));
    rule_.pattern = pattern(rule_.mark);
    rule_.example = text("example");
    if (is_built_in()) return;  // compiled when it is needed; a test checks the examples
    if (rule_.pattern->matches("")) refuse("its pattern matches every page");
    if (!rule_.example.empty() && !rule_.pattern->matches(rule_.example))
      refuse("its pattern does not match its example");
  }

  void refuse_if_long(std::string_view written) const {
    if (written.size() > max_mark_bytes) refuse(fmt::format("its mark is longer than {} bytes", max_mark_bytes));
  }

  // The pattern with its phrases and word lists.
  std::string expanded(std::string written) const {
    constexpr std::string_view place = "{phrases}";
    const std::size_t at = written.find(place);
    if (has("phrases") != (at != std::string::npos)) refuse("phrases and {phrases} in its pattern need each other");
    if (has("phrases")) {
      const std::vector<std::string> phrases = strings_of(node("phrases"));
      if (phrases.empty() || phrases.size() > max_phrases)
        refuse(fmt::format("phrases must be an array of 1 to {} strings that are not empty", max_phrases));
      for (const std::string& phrase : phrases) refuse_if_long(phrase);
      written.replace(at, place.size(), make_phrases_pattern(phrases));
    }
    try {
      return words_.expand(std::move(written));
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }

  void read_limits() {
    const std::size_t usual = rule_.where == Where::html ? visible_in_html : visible_in_text;
    rule_.max_visible =
        static_cast<std::size_t>(number("max_visible", max_visible_length).value_or(static_cast<std::int64_t>(usual)));
    rule_.status = static_cast<int>(number("status", 999).value_or(0));
  }

  void read_verdict() {
    const auto health = enum_value(storage::health_names, has("health") ? text("health") : "blocked");
    if (health != Health::blocked && health != Health::suspect && health != Health::dead)
      refuse("health must be blocked, suspect or dead");
    rule_.health = *health;
    rule_.reason = name("reason", "_");
    read_confidence();
    if (rule_.health == Health::blocked && rule_.confidence < sure_of_wall) {
      rule_.kind = RuleKind::weak_wall;
    } else if (rule_.health == Health::blocked && rule_.reason != storage::reason::login_required) {
      rule_.kind = RuleKind::wall;
    }
  }

  void read_confidence() {
    const bool outside = rule_.where == Where::header || rule_.where == Where::redirect_url;
    rule_.confidence = outside ? 1.0 : 0.95;
    if (rule_.health == Health::dead) rule_.confidence = storage::sure_of_death;
    if (rule_.health == Health::suspect) rule_.confidence = 0.85;
    const std::optional<double> confidence = share("confidence");
    if (!confidence) return;
    rule_.confidence = *confidence;
    if (rule_.health == Health::dead && *confidence < storage::sure_of_death)
      refuse(fmt::format("confidence must be at least {} for dead; with a lower value, the link is suspect",
                         storage::sure_of_death));
    if (rule_.health == Health::suspect && *confidence >= storage::sure_of_death)
      refuse(fmt::format("confidence must be less than {} for suspect; with a higher value, the link is dead",
                         storage::sure_of_death));
  }

  const WordLists& words_;
  PageRule rule_;
};

std::vector<PageRule> read_rules(const toml::table& document, const WordLists& words, bool built_in) {
  return read_tables<PageRule>(document, "rule",
                               [&](const toml::table& table) { return RuleReader(table, words, built_in).read(); });
}

// rules.toml. The parsed document takes megabytes and is not kept.
struct BuiltIn {
  WordLists words;
  std::vector<PageRule> rules;
};
const BuiltIn& read_built_in() {
  static const BuiltIn built_in = [] {
    const toml::table document = toml::parse(built_in_rules);
    WordLists words(document);
    std::vector<PageRule> rules = read_rules(document, words, true);
    return BuiltIn{std::move(words), std::move(rules)};
  }();
  return built_in;
}

}  // namespace

Result<RuleSet> RuleSet::read(std::string_view toml) {
  return as_result<RuleSet>([toml] {
    RuleSet set;
    set.rules_ = read_rules(toml::parse(toml), read_built_in().words, false);
    return set;
  });
}

const RuleSet& RuleSet::built_in() {
  static const RuleSet set = [] {
    RuleSet made;
    made.rules_ = read_built_in().rules;
    return made;
  }();
  return set;
}

}  // namespace linkherd::crawler
