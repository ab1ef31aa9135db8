#include "crawler/cli/options/toml_text.h"

#include <cstddef>

#include <fmt/format.h>

#include "crawler/cli/options/configuration.h"
#include "crawler/sources/file_bytes.h"

namespace linkherd::crawler {
namespace {

// toml++ stores each part of a dotted key in a nested table and frees the tables recursively. A key with thousands of
// parts would therefore overflow the stack. The limit also bounds such keys in nested tables, whose number toml++
// limits.
constexpr std::size_t max_key_parts = 64;

// Counts consecutive dots in keys, outside of strings and comments. Any character that ends a key resets the count.
void refuse_deep_keys(const std::string& file, std::string_view text) {
  std::size_t line = 1;
  std::size_t dots = 0;
  char quote = '\0';
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = '\0';
      comment = false;
    } else if (comment) {
      continue;
    } else if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      comment = true;
    } else if (c == '.' && ++dots > max_key_parts) {
      throw ConfigurationErrors({fmt::format("{}:{}: a key has more than {} parts", file, line, max_key_parts)});
    } else if (std::string_view("=,[]{}").find(c) != std::string_view::npos) {
      dots = 0;
    }
  }
}

}  // namespace

toml::table read_toml(const std::string& name, const std::filesystem::path& inside) {
  const Result<std::string> text = read_file_bytes(name, max_configuration_bytes, inside);
  if (text.has_error()) {
    throw ConfigurationErrors({fmt::format("the configuration \"{}\" {}", name, text.error().message)});
  }
  refuse_deep_keys(name, *text);
  try {
    return toml::parse(*text, name);
  } catch (const toml::parse_error& error) {
    throw ConfigurationErrors({fmt::format("{}:{}: {}", name, error.source().begin.line, error.description())});
  }
}

std::optional<std::string> plain_text_of(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* flag = value.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = value.as_integer()) return std::to_string(number->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  return std::nullopt;
}

}  // namespace linkherd::crawler
