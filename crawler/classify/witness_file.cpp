// Witnesses as text: the [[witness]] tables of witnesses.toml and of users, read and checked.
#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "crawler/classify/table_reader.h"
#include "crawler/classify/witnesses.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

constexpr std::array<std::string_view, 19> witness_keys{
    "name", "site",  "pattern", "except",    "url",      "oembed",    "headers", "variable",        "there", "gone",
    "same", "title", "authors", "published", "modified", "site_name", "dates",   "date_confidence", "pause"};
// What an API may want to know of a client; never who it is.
constexpr std::array<std::string_view, 4> known_headers{"Accept", "Accept-Language", "Referer", "X-Requested-With"};
constexpr std::size_t longest_text = 500;
constexpr std::size_t most_parts = 20;  // of a table in a table

class WitnessReader : private TableReader {
 public:
  WitnessReader(const toml::table& table, bool built_in) : TableReader(table, "witness", built_in) {
    witness_.built_in = built_in;
  }

  Witness read() {
    refuse_other_keys(witness_keys);
    witness_.name = name("name", "_");
    witness_.site = parser::to_ascii_lower(text("site"));
    read_links();
    read_headers();
    witness_.variable = bounded(text("variable"), "variable");
    witness_.there = signs("there");
    witness_.gone = signs("gone");
    if (witness_.there.empty()) refuse("there is missing: what an answer shows where the page is there");
    read_same();
    read_harvest();
    return std::move(witness_);
  }

 private:
  std::string bounded(std::string value, std::string_view key) const {
    if (value.size() > longest_text) refuse(fmt::format("{} has more than {} bytes", key, longest_text));
    if (parser::has_ascii_control(value)) refuse(fmt::format("{} has a control character", key));
    return value;
  }

  // By the link's URL, or by what its page names.
  void read_links() {
    const bool oembed = has("oembed");
    if (oembed && node("oembed")->value_exact<bool>() != true) refuse("oembed wants true, or is left out");
    if (has("pattern") == oembed || has("url") == oembed) refuse("wants either pattern and url, or oembed = true");
    if (oembed) return;
    witness_.pattern = bounded(text("pattern"), "pattern");
    witness_.expression = pattern(witness_.pattern);
    if (!is_built_in() && witness_.expression->matches("")) refuse("its pattern fits any URL");
    if (has("except")) {
      witness_.except = bounded(text("except"), "except");
      witness_.exception = pattern(witness_.except);
    }
    witness_.url = bounded(text("url"), "url");
    if (!witness_.url.starts_with("https://") && !witness_.url.starts_with("http://"))
      refuse("url wants to begin with https:// or http://");
    check_places(witness_.url, "url");
    std::string sample = witness_.url;
    for (std::size_t at = sample.find('{'); at != std::string::npos; at = sample.find('{'))
      sample.replace(at, sample.find('}', at) - at + 1, "x");
    if (parser::Url::parse(sample).has_error()) refuse("url is no URL");
  }

  // {1} and its like must be groups of the pattern.
  void check_places(std::string_view text, std::string_view key) const {
    if (is_built_in()) return;  // counting groups would compile the pattern; a test does it
    const int groups = witness_.expression == nullptr ? 0 : witness_.expression->compiled().NumberOfCapturingGroups();
    for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) refuse(fmt::format("{} has a {{ without its }}", key));
      const std::string_view place = text.substr(at + 1, end - at - 1);
      const bool is_group = place.size() == 1 && place[0] >= '1' && place[0] <= '9' && place[0] - '0' <= groups;
      if (place != "url" && !is_group)
        refuse(fmt::format("{} names {{{}}}; there are {{url}} and the pattern's groups, of which it has {}", key,
                           place, groups));
    }
  }

  void read_headers() {
    if (!has("headers")) return;
    const toml::table* table = node("headers")->as_table();
    if (table == nullptr) refuse("headers wants a table: { Referer = \"https://…\" }");
    for (const auto& [key, value] : *table) {
      const std::string_view name = key.str();
      const auto* known = std::ranges::find_if(known_headers, [name](std::string_view one) {
        return parser::equals_ignoring_case(name, parser::to_ascii_lower(one));
      });
      if (known == known_headers.end())
        refuse(fmt::format("headers takes {}, not {}", fmt::join(known_headers, ", "), name));
      const auto text = value.value_exact<std::string>();
      if (!text) refuse(fmt::format("{} wants a string", name));
      witness_.headers.emplace_back(*known, bounded(*text, name));
    }
  }

  std::string scalar(const toml::node& node, std::string_view key) const {
    std::string text;
    if (const auto* string = node.as_string()) {
      text = bounded(string->get(), key);
    } else if (const auto* number = node.as_integer()) {
      text = std::to_string(number->get());
    } else if (const auto* flag = node.as_boolean()) {
      text = flag->get() ? "true" : "false";
    } else {
      refuse(fmt::format("{} wants a string, a number, true or false", key));
    }
    return text;
  }

  std::vector<std::string> scalars(const toml::node& node, std::string_view key) const {
    std::vector<std::string> all;
    if (const toml::array* list = node.as_array()) {
      if (list->empty() || list->size() > most_parts) refuse(fmt::format("{} wants 1 to {} values", key, most_parts));
      for (const toml::node& item : *list) all.push_back(scalar(item, key));
    } else {
      all.push_back(scalar(node, key));
    }
    return all;
  }

  bool is_pointer(std::string_view text) const { return text.empty() || text.starts_with('/'); }

  std::vector<WitnessSign> signs(std::string_view key) const {
    std::vector<WitnessSign> all;
    if (!has(key)) return all;
    if (const toml::table* one = node(key)->as_table()) return {sign(*one, key)};
    const toml::array* list = node(key)->as_array();
    if (list == nullptr || list->empty() || list->size() > most_parts)
      refuse(fmt::format(R"({0} wants tables: {0} = [{{ status = [200], "/pointer" = "value" }}])", key));
    for (const toml::node& item : *list) {
      if (!item.is_table()) refuse(fmt::format("{0} wants tables: {{ status = [200] }}", key));
      all.push_back(sign(*item.as_table(), key));
    }
    return all;
  }

  WitnessSign sign(const toml::table& table, std::string_view key) const {
    WitnessSign sign;
    if (table.size() > most_parts) refuse(fmt::format("{} has more than {} conditions", key, most_parts));
    for (const auto& [name, value] : table) {
      if (name.str() == "status") {
        sign.statuses = statuses(value);
      } else if (name.str() == "text") {
        sign.text = scalar(value, "text");
      } else if (is_pointer(name.str())) {
        sign.values.emplace_back(bounded(std::string(name.str()), key), scalars(value, name.str()));
        for (const std::string& one : sign.values.back().second) check_places(one, name.str());
      } else {
        refuse(fmt::format("{} takes status, text and JSON pointers, which begin with \"/\", not {}", key, name.str()));
      }
    }
    if (sign.statuses.empty()) refuse(fmt::format("{} wants a status", key));
    // A path that is no witness's any more gets 404 as well, and any page gets 200.
    const bool says_little = key == "gone" || std::ranges::any_of(sign.statuses, [](int s) { return s / 100 == 2; });
    if (says_little && sign.text.empty() && sign.values.empty())
      refuse(fmt::format("{} wants a JSON pointer or a text beside its status", key));
    return sign;
  }

  std::vector<int> statuses(const toml::node& node) const {
    std::vector<int> all;
    const auto add = [&](const toml::node& item) {
      const auto status = item.value_exact<std::int64_t>();
      if (!status || *status < 100 || *status > 999) refuse("status wants numbers from 100 to 999");
      all.push_back(static_cast<int>(*status));
    };
    if (const toml::array* list = node.as_array()) {
      if (list->size() > most_parts) refuse(fmt::format("status wants at most {} numbers", most_parts));
      for (const toml::node& item : *list) add(item);
    } else {
      add(node);
    }
    return all;
  }

  void read_same() {
    if (!has("same")) return;
    const toml::table* table = node("same")->as_table();
    if (table == nullptr || table->size() > most_parts) refuse(R"(same wants a table: { "/pointer" = "{1}" })");
    for (const auto& [key, value] : *table) {
      if (!is_pointer(key.str())) refuse("same takes JSON pointers, which begin with \"/\"");
      witness_.same.emplace_back(bounded(std::string(key.str()), "same"), scalar(value, "same"));
      check_places(witness_.same.back().second, "same");
    }
  }

  std::optional<WitnessPlace> place(std::string_view key) const {
    constexpr std::string_view separator = " :: ";
    if (!has(key)) return std::nullopt;
    const std::string value = bounded(text(key), key);
    const std::size_t at = value.find(separator);
    WitnessPlace place{value.substr(0, at), at == std::string::npos ? "" : value.substr(at + separator.size())};
    if (!is_pointer(place.pointer))
      refuse(fmt::format(R"({} wants a JSON pointer, which begins with "/", and maybe " :: selector" behind it)", key));
    return place;
  }

  void read_harvest() {
    witness_.title = place("title");
    witness_.authors = place("authors");
    witness_.published = place("published");
    witness_.modified = place("modified");
    witness_.site_name = place("site_name");
    if (has("dates")) {
      const auto form = enum_value(date_form_names, text("dates"));
      if (!form) refuse("dates wants written, unix or unix_china");
      witness_.dates = *form;
    }
    witness_.pause = bounded(text("pause"), "pause");
    if (!is_pointer(witness_.pause)) refuse("pause wants a JSON pointer, which begins with \"/\"");
    constexpr double most = 0.7;  // the page's own word counts more
    witness_.date_confidence = share("date_confidence").value_or(witness_.date_confidence);
    if (witness_.date_confidence > most) refuse(fmt::format("date_confidence wants at most {}", most));
  }

  Witness witness_;
};

std::vector<std::shared_ptr<const Witness>> read_witnesses(std::string_view text, bool built_in) {
  return read_tables<std::shared_ptr<const Witness>>(text, "witness", [built_in](const toml::table& table) {
    Witness witness = WitnessReader(table, built_in).read();
    std::ostringstream definition;
    definition << table;
    witness.definition = std::move(definition).str();
    return std::make_shared<const Witness>(std::move(witness));
  });
}

}  // namespace

Result<WitnessSet> WitnessSet::read(std::string_view toml) {
  return as_result<WitnessSet>([toml] {
    WitnessSet set;
    set.witnesses_ = read_witnesses(toml, false);
    return set;
  });
}

const WitnessSet& WitnessSet::built_in() {
  static const WitnessSet set = [] {
    WitnessSet made;
    made.witnesses_ = read_witnesses(built_in_witnesses, true);
    return made;
  }();
  return set;
}

}  // namespace linkherd::crawler
