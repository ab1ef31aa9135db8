// Reads and validates the [[site_api]] tables of site_apis.toml and of users.
#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <re2/re2.h>

#include "crawler/classify/table_reader.h"
#include "crawler/lookups/site_apis.h"
#include "parser/ascii.h"
#include "parser/join.h"

namespace linkherd::crawler {

extern const char* const built_in_site_apis;  // site_apis.toml

namespace {

constexpr std::array<std::string_view, 19> site_api_keys{
    "name", "site",  "pattern", "except",    "url",      "oembed",    "headers", "variable",        "there", "gone",
    "same", "title", "authors", "published", "modified", "site_name", "dates",   "date_confidence", "pause"};
// Headers that describe what an API may need to know, but never the identity of the client.
constexpr std::array<std::string_view, 4> known_headers{"Accept", "Accept-Language", "Referer", "X-Requested-With"};
constexpr std::size_t max_text_bytes = 500;
constexpr std::size_t max_parts = 20;  // of a nested table

class SiteApiReader : private TableReader {
 public:
  SiteApiReader(const toml::table& table, bool built_in) : TableReader(table, "site_api", built_in) {
    site_api_.built_in = built_in;
  }

  SiteApi read() {
    refuse_other_keys(site_api_keys);
    site_api_.name = name("name", "_");
    site_api_.site = parser::to_ascii_lower(text("site"));
    read_links();
    read_headers();
    site_api_.variable = bounded(text("variable"), "variable");
    site_api_.exists = signs("there");
    site_api_.missing = signs("gone");
    if (site_api_.exists.empty()) refuse("the key there is missing: it describes the response for a page that exists");
    read_same();
    read_harvest();
    return std::move(site_api_);
  }

 private:
  std::string bounded(std::string value, std::string_view key) const {
    if (value.size() > max_text_bytes) refuse(fmt::format("{} is longer than {} bytes", key, max_text_bytes));
    if (parser::has_ascii_control(value)) refuse(fmt::format("{} has a control character", key));
    return value;
  }

  // Reads how links are selected: by their URL, or by the oEmbed URL of their page.
  void read_links() {
    const bool oembed = has("oembed");
    if (oembed && node("oembed")->value_exact<bool>() != true) refuse("oembed must be true or be omitted");
    if (has("pattern") == oembed || has("url") == oembed) refuse("requires either pattern and url, or oembed = true");
    if (oembed) return;
    site_api_.pattern = bounded(text("pattern"), "pattern");
    site_api_.expression = pattern(site_api_.pattern);
    if (!is_built_in() && site_api_.expression->matches("")) refuse("its pattern matches every URL");
    if (has("except")) {
      site_api_.except = bounded(text("except"), "except");
      site_api_.exception = pattern(site_api_.except);
    }
    site_api_.url = bounded(text("url"), "url");
    if (!site_api_.url.starts_with("https://") && !site_api_.url.starts_with("http://"))
      refuse("url must begin with https:// or http://");
    check_placeholders(site_api_.url, "url");
    std::string sample = site_api_.url;
    for (std::size_t at = sample.find('{'); at != std::string::npos; at = sample.find('{'))
      sample.replace(at, sample.find('}', at) - at + 1, "x");
    if (parser::Url::parse(sample).has_error()) refuse("url is not a valid URL");
  }

  // Placeholders such as {1} must be groups of the pattern.
  void check_placeholders(std::string_view text, std::string_view key) const {
    if (is_built_in()) return;  // counting groups would compile the pattern; a test checks built-in ones
    const int groups = site_api_.expression == nullptr ? 0 : site_api_.expression->compiled().NumberOfCapturingGroups();
    for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) refuse(fmt::format("{} has a {{ without a matching }}", key));
      const std::string_view path = text.substr(at + 1, end - at - 1);
      const bool is_group = path.size() == 1 && path[0] >= '1' && path[0] <= '9' && path[0] - '0' <= groups;
      if (path != "url" && !is_group)
        refuse(fmt::format("{} uses {{{}}}; only {{url}} and the pattern's groups can be used, and the pattern has {}",
                           key, path, groups));
    }
  }

  void read_headers() {
    if (!has("headers")) return;
    const toml::table* table = node("headers")->as_table();
    if (table == nullptr) refuse("headers must be a table: { Referer = \"https://…\" }");
    for (const auto& [key, value] : *table) {
      const std::string_view name = key.str();
      const auto* known = std::ranges::find_if(known_headers, [name](std::string_view one) {
        return parser::equals_ignoring_case(name, parser::to_ascii_lower(one));
      });
      if (known == known_headers.end())
        refuse(fmt::format("headers takes {}, not {}", join(known_headers, ", "), name));
      const auto text = value.value_exact<std::string>();
      if (!text) refuse(fmt::format("{} must be a string", name));
      site_api_.headers.emplace_back(*known, bounded(*text, name));
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
      refuse(fmt::format("{} must be a string, a number, true or false", key));
    }
    return text;
  }

  std::vector<std::string> scalars(const toml::node& node, std::string_view key) const {
    std::vector<std::string> all;
    if (const toml::array* list = node.as_array()) {
      if (list->empty() || list->size() > max_parts) refuse(fmt::format("{} must have 1 to {} values", key, max_parts));
      for (const toml::node& item : *list) all.push_back(scalar(item, key));
    } else {
      all.push_back(scalar(node, key));
    }
    return all;
  }

  bool is_pointer(std::string_view text) const { return text.empty() || text.starts_with('/'); }

  std::vector<SiteApiSign> signs(std::string_view key) const {
    std::vector<SiteApiSign> all;
    if (!has(key)) return all;
    if (const toml::table* one = node(key)->as_table()) return {sign(*one, key)};
    const toml::array* list = node(key)->as_array();
    if (list == nullptr || list->empty() || list->size() > max_parts)
      refuse(fmt::format(R"({0} must be an array of tables: {0} = [{{ status = [200], "/pointer" = "value" }}])", key));
    for (const toml::node& item : *list) {
      if (!item.is_table()) refuse(fmt::format("{0} must be an array of tables: {{ status = [200] }}", key));
      all.push_back(sign(*item.as_table(), key));
    }
    return all;
  }

  SiteApiSign sign(const toml::table& table, std::string_view key) const {
    SiteApiSign sign;
    if (table.size() > max_parts) refuse(fmt::format("{} has more than {} conditions", key, max_parts));
    for (const auto& [name, value] : table) {
      if (name.str() == "status") {
        sign.statuses = statuses(value);
      } else if (name.str() == "text") {
        sign.text = scalar(value, "text");
      } else if (is_pointer(name.str())) {
        sign.values.emplace_back(bounded(std::string(name.str()), key), scalars(value, name.str()));
        for (const std::string& one : sign.values.back().second) check_placeholders(one, name.str());
      } else {
        refuse(fmt::format("{} takes status, text and JSON pointers, which begin with \"/\", not {}", key, name.str()));
      }
    }
    if (sign.statuses.empty()) refuse(fmt::format("{} needs a status", key));
    // A path that is no longer an API also returns 404, and any page returns 200.
    const bool says_little = key == "gone" || std::ranges::any_of(sign.statuses, [](int s) { return s / 100 == 2; });
    if (says_little && sign.text.empty() && sign.values.empty())
      refuse(fmt::format("{} needs a JSON pointer or text in addition to status", key));
    return sign;
  }

  std::vector<int> statuses(const toml::node& node) const {
    std::vector<int> all;
    const auto add = [&](const toml::node& item) {
      const auto status = item.value_exact<std::int64_t>();
      if (!status || *status < 100 || *status > 999) refuse("status must contain numbers from 100 to 999");
      all.push_back(static_cast<int>(*status));
    };
    if (const toml::array* list = node.as_array()) {
      if (list->size() > max_parts) refuse(fmt::format("status must contain at most {} numbers", max_parts));
      for (const toml::node& item : *list) add(item);
    } else {
      add(node);
    }
    return all;
  }

  void read_same() {
    if (!has("same")) return;
    const toml::table* table = node("same")->as_table();
    if (table == nullptr || table->size() > max_parts) refuse(R"(same must be a table: { "/pointer" = "{1}" })");
    for (const auto& [key, value] : *table) {
      if (!is_pointer(key.str())) refuse("same takes JSON pointers, which begin with \"/\"");
      site_api_.same.emplace_back(bounded(std::string(key.str()), "same"), scalar(value, "same"));
      check_placeholders(site_api_.same.back().second, "same");
    }
  }

  std::optional<ValuePath> path(std::string_view key) const {
    constexpr std::string_view separator = " :: ";
    if (!has(key)) return std::nullopt;
    const std::string value = bounded(text(key), key);
    const std::size_t at = value.find(separator);
    ValuePath path{value.substr(0, at), at == std::string::npos ? "" : value.substr(at + separator.size())};
    if (!is_pointer(path.pointer))
      refuse(fmt::format(R"({} must be a JSON pointer, which begins with "/", optionally followed by " :: selector")",
                         key));
    return path;
  }

  void read_harvest() {
    site_api_.title = path("title");
    site_api_.authors = path("authors");
    site_api_.published = path("published");
    site_api_.modified = path("modified");
    site_api_.site_name = path("site_name");
    if (has("dates")) {
      const auto form = enum_value(date_form_names, text("dates"));
      if (!form) refuse("dates must be written, unix or unix_china");
      site_api_.dates = *form;
    }
    site_api_.pause = bounded(text("pause"), "pause");
    if (!is_pointer(site_api_.pause)) refuse("pause must be a JSON pointer, which begins with \"/\"");
    constexpr double max_confidence = 0.7;  // below that of dates on the page itself
    site_api_.date_confidence = share("date_confidence").value_or(site_api_.date_confidence);
    if (site_api_.date_confidence > max_confidence)
      refuse(fmt::format("date_confidence must be at most {}", max_confidence));
  }

  SiteApi site_api_;
};

std::vector<std::shared_ptr<const SiteApi>> read_site_apis(std::string_view text, bool built_in) {
  return read_tables<std::shared_ptr<const SiteApi>>(toml::parse(text), "site_api",
                                                     [built_in](const toml::table& table) {
                                                       SiteApi site_api = SiteApiReader(table, built_in).read();
                                                       std::ostringstream definition;
                                                       definition << table;
                                                       site_api.definition = std::move(definition).str();
                                                       return std::make_shared<const SiteApi>(std::move(site_api));
                                                     });
}

}  // namespace

Result<SiteApiSet> SiteApiSet::read(std::string_view toml) {
  return as_result<SiteApiSet>([toml] {
    SiteApiSet set;
    set.site_apis_ = read_site_apis(toml, false);
    return set;
  });
}

const SiteApiSet& SiteApiSet::built_in() {
  static const SiteApiSet set = [] {
    SiteApiSet made;
    made.site_apis_ = read_site_apis(built_in_site_apis, true);
    return made;
  }();
  return set;
}

}  // namespace linkherd::crawler
