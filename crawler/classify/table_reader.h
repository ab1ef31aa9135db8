// Reads and validates the tables of rules.toml, site_apis.toml and the user's configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "crawler/classify/lazy_pattern.h"
#include "parser/result.h"

namespace linkherd::crawler {

// One table. All problems are thrown as std::invalid_argument, with the name of the table first.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string_view kind, bool built_in)
      : table_(table), kind_(kind), built_in_(built_in) {}

  [[noreturn]] void refuse(const std::string& problem) const;
  void refuse_other_keys(std::span<const std::string_view> known) const;
  bool has(std::string_view key) const { return table_.contains(key); }
  const toml::node* node(std::string_view key) const { return table_.get(key); }

  // Returns a name of at most 64 lower-case letters, digits and characters of `more`. The first name that is read
  // identifies the table in later messages.
  std::string name(std::string_view key, std::string_view more);
  // Returns an empty string if the key is missing.
  std::string text(std::string_view key) const;
  std::optional<std::int64_t> number(std::string_view key, std::int64_t max) const;
  std::optional<double> share(std::string_view key) const;  // in [0, 1]
  // A user's pattern is compiled at once, to reject invalid ones; a built-in pattern on first use.
  std::shared_ptr<const LazyPattern> pattern(const std::string& text) const;
  bool is_built_in() const { return built_in_; }

 private:
  const toml::table& table_;
  std::string_view kind_;
  bool built_in_;
  std::string called_;
};

// All tables of that name in a document. Throws what `read` throws.
template <class T, class Read>
std::vector<T> read_tables(const toml::table& document, std::string_view section, Read read) {
  constexpr std::size_t max_tables = 1000;
  const std::string wanted = fmt::format("{0} must be an array of tables: [[{0}]]", section);
  const toml::array* tables = document[section].as_array();
  if (tables == nullptr) throw std::invalid_argument(wanted);
  if (tables->size() > max_tables) throw std::invalid_argument(fmt::format("more than {} tables", max_tables));
  std::vector<T> all;
  for (const toml::node& item : *tables) {
    const toml::table* table = item.as_table();
    if (table == nullptr) throw std::invalid_argument(wanted);
    all.push_back(read(*table));
  }
  return all;
}

// Returns the result of `read`. Exceptions about the text become errors.
template <class T, class Read>
Result<T> as_result(Read read) {
  try {
    return read();
  } catch (const toml::parse_error& error) {
    return Error{std::string(error.description())};
  } catch (const std::invalid_argument& error) {
    return Error{error.what()};
  }
}

}  // namespace linkherd::crawler
