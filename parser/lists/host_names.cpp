#include "parser/lists/host_names.h"

#include <algorithm>
#include <array>
#include <string>

#include <libpsl.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Endings that are both public suffixes and common file extensions.
constexpr std::array<std::string_view, 19> file_endings{"md", "py", "rs", "sh", "pl",  "ps", "cc", "so", "zip", "mov",
                                                        "pm", "mk", "tf", "do", "pub", "la", "st", "bz", "as"};

bool is_host_character(char c) { return is_ascii_alphanumeric(c) || c == '-' || c == '_' || !is_ascii(c); }

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, is_host_character);
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, is_ascii_digit);
}

}  // namespace

bool is_public_host_name(std::string_view text) {
  if (text.size() > 253) return false;
  std::size_t labels = 0;
  std::string_view last;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t dot = rest.find('.');
    last = rest.substr(0, dot);
    if (!is_label(last)) return false;
    ++labels;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
    if (rest.empty()) return false;  // a trailing dot belongs to the sentence
  }
  if (labels < 2) return false;
  const psl_ctx_t* list = psl_builtin();
  // The default rule "*" is excluded, because it accepts any last label as a suffix.
  return list != nullptr &&
         psl_is_public_suffix2(list, to_ascii_lower(last).c_str(), PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE) != 0;
}

std::string add_https_scheme(std::string_view target) {
  constexpr std::size_t max_shown_bytes = 500;
  target = trim_ascii(target);
  return std::string("https://").append(truncate_utf8(target, max_shown_bytes));
}

bool starts_with_host_name(std::string_view target) {
  const auto ends_host = [](char c) { return c == '/' || c == '?' || c == '#'; };
  const auto end = static_cast<std::size_t>(std::ranges::find_if(target, ends_host) - target.begin());
  std::string_view host = target.substr(0, end);
  bool port = false;
  if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = is_port(host.substr(colon + 1));
    if (!port) return false;
    host = host.substr(0, colon);
    if (equals_ignoring_case(host, "localhost")) return true;
  }
  if (!is_public_host_name(host)) return false;
  const bool path = end < target.size() && target[end] == '/';
  if (port || path || starts_ignoring_case(host, "www.")) return true;
  return std::ranges::find(file_endings, to_ascii_lower(host.substr(host.rfind('.') + 1))) == file_endings.end();
}

}  // namespace linkherd::parser
