#include "parser/html/kept_attributes.h"

#include <bitset>
#include <cstdint>
#include <string>

#include "parser/html/guarded_tags.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_all_attributes = 300'000;  // each costs some 50 bytes, and 150 where gumbo reads it

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && !is_ascii_space(c); }

// gumbo's strings end at a NUL, so none may pass; other controls would become U+FFFD and are spaces instead.
void append_clean(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out += text;
  bool any = false;  // to the end, as that is quicker than to stop at the first, which is rare
  for (const char c : text) any |= is_control(c);
  if (!any) return;
  const auto added = out.begin() + static_cast<std::ptrdiff_t>(begin);
  out.erase(std::remove(added, out.end(), '\0'), out.end());
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_control, ' ');
}

void put_aside(std::size_t known, std::string_view value, GuardedHtml& out) {
  const std::size_t before = out.values.size();
  append_clean(out.values, value);
  out.attributes.push_back({.name = static_cast<std::uint32_t>(known),
                            .value = static_cast<std::uint32_t>(before),
                            .size = static_cast<std::uint32_t>(out.values.size() - before)});
  out.values += '\0';
}

// In one way, whatever the page's: without its NULs and controls, its own quotes could end elsewhere.
void write_for_gumbo(const HtmlAttribute& attribute, std::string& out) {
  out += ' ';
  append_clean(out, attribute.name);
  out += "=\"";
  std::string_view value = attribute.value;
  for (std::size_t at = value.find_first_of("\"<"); at != std::string_view::npos; at = value.find_first_of("\"<")) {
    append_clean(out, value.substr(0, at));
    out += value[at] == '<' ? "&lt;" : "&quot;";
    value.remove_prefix(at + 1);
  }
  append_clean(out, value);
  out += '"';
}

// gumbo gives the attributes of a second <html> or <body> to the first, and decodes character references.
bool is_for_gumbo(const HtmlTag& tag, std::size_t known, std::string_view value) {
  return known == kept_attributes.size() || is_frame_of_document(tag.id) || value.find('&') != std::string_view::npos;
}

}  // namespace

bool write_kept_attributes(const HtmlTag& tag, std::size_t at, GuardedHtml& out, std::size_t& written) {
  const std::size_t first = out.attributes.size();
  bool fits = true;
  std::bitset<kept_attributes.size()> seen;
  for (const HtmlAttribute& attribute : tag.attributes) {
    const std::size_t known = kept_attribute(attribute.name);
    if (known == kept_attributes.size() ? !is_kept_namespace(attribute.name) : seen.test(known)) continue;
    if (known != kept_attributes.size()) seen.set(known);
    fits = ++written <= max_all_attributes;
    if (!fits) break;
    if (is_for_gumbo(tag, known, attribute.value)) {
      write_for_gumbo(attribute, out.html);
    } else {
      put_aside(known, attribute.value, out);
    }
  }
  if (out.attributes.size() > first) {
    out.tags.push_back({.at = static_cast<std::uint32_t>(at),
                        .first_attribute = static_cast<std::uint32_t>(first),
                        .attributes = static_cast<std::uint32_t>(out.attributes.size() - first)});
  }
  return fits;
}

}  // namespace linkherd::parser
