#include "parser/html/kept_attributes.h"

#include <bitset>
#include <string>

namespace linkherd::parser {
namespace {

constexpr std::size_t max_all_attributes = 300'000;  // each costs gumbo some 150 bytes

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && !is_ascii_space(c); }

// gumbo's strings end at a NUL, so none may pass; other controls would become U+FFFD and are spaces instead.
void append_clean(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out += text;
  const auto added = out.begin() + static_cast<std::ptrdiff_t>(begin);
  if (std::find_if(added, out.end(), is_control) == out.end()) return;
  out.erase(std::remove(added, out.end(), '\0'), out.end());
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_control, ' ');
}

void put_aside(std::size_t known, std::string_view value, GuardedHtml& out) {
  out.html += put_aside_name(known);
  out.html += '=';
  out.html += std::to_string(out.values.size());
  append_clean(out.values, value);
  out.values += '\0';
}

}  // namespace

bool write_kept_attributes(const HtmlTag& tag, GuardedHtml& out, std::size_t& written) {
  std::bitset<kept_attributes.size()> seen;
  for (const HtmlAttribute& attribute : tag.attributes) {
    const std::size_t known = kept_attribute(attribute.name);
    if (known == kept_attributes.size() ? !is_kept_namespace(attribute.name) : seen.test(known)) continue;
    if (known != kept_attributes.size()) seen.set(known);
    if (++written > max_all_attributes) return false;
    out.html += ' ';
    // Character references are for gumbo to decode.
    const bool is_plain =
        attribute.value.size() >= min_put_aside && attribute.value.find('&') == std::string_view::npos;
    if (known != kept_attributes.size() && is_plain) {
      put_aside(known, attribute.value, out);
    } else {
      append_clean(out.html, attribute.text);
    }
  }
  return true;
}

}  // namespace linkherd::parser
