#include "parser/html/sanitizer_output.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>

#include "parser/html/sanitizer_tags.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_all_attributes = 300'000;  // an attribute needs about 50 bytes, or 150 if gumbo reads it

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && !is_ascii_space(c); }

// Appends the text without control characters. NULs are removed, because gumbo's strings end at them. Other control
// characters would become U+FFFD and are replaced by spaces.
void append_clean(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out += text;
  bool any = false;  // no early exit: control characters are rare, and the plain loop is faster
  for (const char c : text) any |= is_control(c);
  if (!any) return;
  const auto added = out.begin() + static_cast<std::ptrdiff_t>(begin);
  out.erase(std::remove(added, out.end(), '\0'), out.end());
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_control, ' ');
}

void detach(std::size_t known, std::string_view value, SanitizedHtml& out) {
  const std::size_t before = out.detached_values.size();
  append_clean(out.detached_values, value);
  out.attributes.push_back({.name = static_cast<std::uint32_t>(known),
                            .value = static_cast<std::uint32_t>(before),
                            .size = static_cast<std::uint32_t>(out.detached_values.size() - before)});
  out.detached_values += '\0';
}

// Writes an attribute into the HTML. Always uses double quotes: after NULs are removed, the original quoting could end
// elsewhere.
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

// Returns true if gumbo must read the attribute. It merges the attributes of a second <html> or <body> into the first,
// and decodes character references.
bool is_for_gumbo(const HtmlToken& tag, std::size_t known, std::string_view value) {
  return known == kept_attributes.size() || is_document_structure(tag.id) || value.find('&') != std::string_view::npos;
}

}  // namespace

bool write_kept_attributes(const HtmlToken& tag, std::size_t at, SanitizedHtml& out, std::size_t& written) {
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
      detach(known, attribute.value, out);
    }
  }
  if (out.attributes.size() > first) {
    out.tags.push_back({.at = static_cast<std::uint32_t>(at),
                        .first_attribute = static_cast<std::uint32_t>(first),
                        .attribute_count = static_cast<std::uint32_t>(out.attributes.size() - first)});
  }
  return fits;
}

namespace {

// in bytes; a shorter text takes as much space in `html` as a placeholder and its entry
constexpr std::size_t min_detached = 3;

// The character references that nearly all texts with references use.
struct Reference {
  std::string_view source;
  std::string_view meaning;
};
constexpr std::array<Reference, 6> usual_references{
    {{"&nbsp;", "\u00A0"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&#39;", "'"}}};

// Decodes the text into `decoded`. Returns false if the text has a reference that is not in the table; gumbo must then
// decode it.
bool decode_usual(std::string_view text, std::string& decoded) {
  decoded.clear();
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&')) {
    decoded += text.substr(0, at);
    text.remove_prefix(at);
    const auto* const known = std::ranges::find_if(
        usual_references, [text](const Reference& reference) { return text.starts_with(reference.source); });
    if (known == usual_references.end()) return false;
    decoded += known->meaning;
    text.remove_prefix(known->source.size());
  }
  decoded += text;
  return true;
}

constexpr bool is_space_or_control(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// Skips white space and control characters from `at` on. Returns true if any of them is rendered, which is the case for
// all but NUL.
bool skip_space(std::string_view text, std::size_t& at) {
  bool seen = false;
  for (; at < text.size() && is_space_or_control(text[at]); ++at) seen = seen || text[at] != '\0';
  return seen;
}

}  // namespace

// `text` must begin with a visible character.
void SanitizedText::append(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  ends_with_space_ = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !is_space_or_control(text[at])) ++at;
    out += text.substr(begin, at - begin);
    ends_with_space_ = skip_space(text, at);
    if (ends_with_space_) out += ' ';
  }
  if (size() <= limits_.max_bytes) return;
  const std::size_t over = std::min(size() - limits_.max_bytes, out.size() - before);
  out.resize(truncate_utf8(out, out.size() - over).size());
  out_.truncated = true;
  full_ = true;
}

// Writes a text to the side table. A leading space is also written to `html`, because gumbo checks in some states
// whether a text begins with one.
void SanitizedText::detach(std::string_view text, bool space) {
  std::string& values = out_.detached_values;
  const bool goes_on = !out_.texts.empty() && out_.texts.back().at + text_placeholder.size() == out_.html.size();
  if (goes_on) values.pop_back();
  if (space) values += ' ';
  if (!goes_on) {
    if (space) out_.html += ' ';
    out_.texts.push_back(
        {.at = static_cast<std::uint32_t>(out_.html.size()), .value = static_cast<std::uint32_t>(values.size())});
    out_.html += text_placeholder;
  }
  append(values, text);
  values += '\0';
}

std::string_view SanitizedText::bounded(std::string_view text) {
  if (text.size() <= limits_.max_text) return text;
  out_.truncated = true;
  return truncate_utf8(text, limits_.max_text);
}

bool SanitizedText::write(std::string_view text) {
  text = bounded(text);
  std::size_t at = 0;
  const bool after_space = ends_with_space_ && end_ == out_.html.size();
  const bool space = skip_space(text, at) && !at_boundary_ && !after_space;
  text.remove_prefix(at);
  if (text.empty() && !space) return false;
  const bool has_references = text.find('&') != std::string_view::npos;
  if (text.size() >= min_detached && (!has_references || decode_usual(text, decoded_))) {
    detach(has_references ? decoded_ : text, space);
  } else {
    if (space) out_.html += ' ';
    ends_with_space_ = space;
    if (!text.empty()) append(out_.html, text);
  }
  if (!text.empty()) at_boundary_ = false;
  end_ = out_.html.size();
  return true;
}

// Every "<" is detached: NULs are dropped, and without them another "<" could begin the end tag of the element.
bool SanitizedText::write_raw(std::string_view text) {
  text = bounded(text);
  bool seen = false;
  for (std::size_t less = text.find('<'); less != std::string_view::npos && !full_; less = text.find('<')) {
    seen = true;
    write(text.substr(0, less));
    if (!full_) write_less_than();
    text.remove_prefix(less + 1);
  }
  return (!full_ && write(text)) || seen;
}

void SanitizedText::write_less_than() {
  detach("<", false);
  at_boundary_ = false;
  end_ = out_.html.size();
}

void SanitizedText::write_markup(std::string_view text) {
  append(out_.html, text);
  at_boundary_ = false;
  end_ = out_.html.size();
}

}  // namespace linkherd::parser
