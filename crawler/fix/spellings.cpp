#include "crawler/fix/spellings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {
namespace {

using parser::DocumentFormat;
using parser::LinkElement;

std::string with_backslashes(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string replaced(std::string_view text, char from, std::string_view to) {
  std::string result;
  for (const char c : text) c == from ? result.append(to) : result.append(1, c);
  return result;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

char last_of(std::string_view text) { return text.empty() ? '\n' : text.back(); }
char first_of(std::string_view text) { return text.empty() ? '\n' : text.front(); }

std::string for_markup(std::string_view text) {
  const std::string without_tags = replaced(replaced(replaced(text, '&', "&amp;"), '<', "&lt;"), '>', "&gt;");
  return replaced(replaced(without_tags, '"', "&quot;"), '\'', "&#39;");
}

// Most HTML has unescaped "&". Documents that escape it keep doing so.
std::string for_html_attribute(std::string_view url, std::string_view written) {
  const bool has_plain = has(written, "&") && !has(written, "&amp;") && !has(written, "&#");
  std::string escaped = has_plain ? std::string(url) : replaced(url, '&', "&amp;");
  return replaced(replaced(escaped, '"', "&quot;"), '\'', "&#39;");
}

bool has_balanced_parentheses(std::string_view url) {
  int depth = 0;
  for (const char c : url) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

// Returns true for "&copy;", for example, which would be read as a character.
bool has_character_reference(std::string_view url) {
  const std::size_t ampersand = url.find('&');
  return ampersand != std::string_view::npos && url.find(';', ampersand) != std::string_view::npos;
}

std::string for_markdown(std::string_view url, const WrittenUrl& original) {
  const char before = last_of(original.before);
  if (before == '"' || before == '\'' || before == '=') return for_html_attribute(url, original.written);
  const bool has_destination = original.element == LinkElement::link || original.element == LinkElement::image ||
                               original.element == LinkElement::definition;
  if (!has_destination) return std::string(url);
  std::string special = before == '<' ? "\\<>|" : "\\|";
  if (before != '<' && !has_balanced_parentheses(url)) special += "()";
  std::string escaped = with_backslashes(url, special);
  return has_character_reference(escaped) ? replaced(escaped, '&', "&amp;") : escaped;
}

std::string for_json(std::string_view text, std::string_view written) {
  std::string escaped = with_backslashes(text, "\\\"");
  return has(written, "\\/") ? replaced(escaped, '/', "\\/") : escaped;
}

std::string for_bibtex(std::string_view url, std::string_view written) {
  constexpr std::string_view special = "_%&#";
  for (const char c : special) {
    if (has(written, {std::array{'\\', c}.data(), 2})) return with_backslashes(url, special);
  }
  return std::string(url);
}

std::string in_syntax(std::string_view url, const WrittenUrl& original) {
  switch (original.format) {
    case DocumentFormat::markdown:
    case DocumentFormat::mdx: return for_markdown(url, original);
    case DocumentFormat::notebook: return for_json(for_markdown(url, original), original.written);
    case DocumentFormat::html:
    case DocumentFormat::bookmarks: return for_html_attribute(url, original.written);
    case DocumentFormat::xml: return for_markup(url);
    case DocumentFormat::json:
    case DocumentFormat::json_lines: return for_json(url, original.written);
    case DocumentFormat::yaml:
    case DocumentFormat::toml:
      if (last_of(original.before) == '"') return for_json(url, {});
      if (last_of(original.before) == '\'' && original.format == DocumentFormat::yaml) return replaced(url, '\'', "''");
      break;
    case DocumentFormat::csv:
      if (last_of(original.before) == '"') return replaced(url, '"', "\"\"");
      break;
    case DocumentFormat::bibtex: return for_bibtex(url, original.written);
    case DocumentFormat::restructured_text:
      if (url.ends_with('_')) return std::string(url.substr(0, url.size() - 1)) + "\\_";
      break;
    case DocumentFormat::css:
    case DocumentFormat::ris:
    case DocumentFormat::org:
    case DocumentFormat::asciidoc:
    case DocumentFormat::plain_text: break;
  }
  return std::string(url);
}

// Changes only the part of the written text in which the two URLs differ. Characters stay unescaped that a serialized
// URL would escape. Empty if the differing part is written in another way.
std::string with_difference(std::string_view written, std::string_view old_href, std::string_view new_href) {
  const auto same_begin = static_cast<std::size_t>(std::ranges::mismatch(old_href, new_href).in1 - old_href.begin());
  std::size_t same_end = 0;
  const std::size_t max_length = std::min(old_href.size(), new_href.size()) - same_begin;
  while (same_end < max_length && old_href[old_href.size() - 1 - same_end] == new_href[new_href.size() - 1 - same_end])
    ++same_end;
  const std::string_view old_begin = old_href.substr(0, old_href.size() - same_end);
  if (written.starts_with(old_begin))
    return std::string(new_href.substr(0, new_href.size() - same_end)).append(written.substr(old_begin.size()));
  const std::string_view old_end = old_href.substr(same_begin);
  if (same_begin > 0 && written.ends_with(old_end))
    return std::string(written.substr(0, written.size() - old_end.size())).append(new_href.substr(same_begin));
  return {};
}

class Spellings {
 public:
  void add(std::string text, std::size_t around = 0) {
    if (text.size() <= 2 * around) return;
    const auto is_same = [&text](const Spelling& known) { return known.text == text; };
    if (std::ranges::any_of(all_, is_same)) return;
    const std::size_t size = text.size() - 2 * around;
    all_.push_back({std::move(text), around, size});
  }
  std::vector<Spelling> take() && { return std::move(all_); }

 private:
  std::vector<Spelling> all_;
};

// Returns true for an unquoted field whose new value may need quotes.
bool can_be_quoted(const WrittenUrl& original) {
  constexpr std::string_view around = ",;|\t\r\n";
  if (original.format == DocumentFormat::csv)
    return has(around, {std::array{last_of(original.before)}.data(), 1}) &&
           has(around, {std::array{first_of(original.after)}.data(), 1});
  return original.format == DocumentFormat::yaml && last_of(original.before) == ' ' &&
         (first_of(original.after) == '\n' || first_of(original.after) == '\r');
}

}  // namespace

std::vector<Spelling> list_url_spellings(const WrittenUrl& original, std::string_view old_href,
                                         std::string_view new_href) {
  Spellings spellings;
  const bool is_escaped = has(original.written, "\\") || has_character_reference(original.written);
  const bool has_scheme = parser::starts_ignoring_case(original.written, "http");
  if (original.written != old_href && has_scheme && !is_escaped)
    spellings.add(with_difference(original.written, old_href, new_href));
  spellings.add(in_syntax(new_href, original));
  // The required syntax also depends on the context, such as an attribute embedded in another format, or literal text.
  spellings.add(std::string(new_href));
  if (can_be_quoted(original)) spellings.add('"' + std::string(new_href) + '"', 1);
  if (original.format == DocumentFormat::org) spellings.add(with_backslashes(new_href, "[]"));
  return std::move(spellings).take();
}

std::string escape_fragment(std::string_view fragment, bool only_ascii) {
  constexpr parser::ByteSet special_ascii = parser::unreserved_characters.with_range(0x80, 0xFF).complement();
  std::string escaped;
  parser::append_percent_encoded(escaped, fragment, only_ascii ? parser::component_encode_set : special_ascii);
  return escaped;
}

std::vector<Spelling> list_fragment_spellings(const WrittenUrl& original, std::string_view fragment, bool only_ascii) {
  const std::size_t hash = original.written.find('#');
  if (hash == std::string_view::npos) return {};
  const bool is_escaped = has(original.written.substr(hash), "%");
  Spellings spellings;
  spellings.add(std::string(original.written.substr(0, hash + 1)) +
                escape_fragment(fragment, only_ascii || is_escaped));
  return std::move(spellings).take();
}

parser::TextRange find_text_span(std::string_view list, const WrittenUrl& original, std::size_t url_offset,
                                 std::string_view text) {
  const std::string_view before = list.substr(0, url_offset);
  const std::size_t end = url_offset + original.written.size();
  const std::string_view after = list.substr(end);
  const auto ends_with_all = [&before, &text](std::string_view open, std::string_view close) {
    if (before.size() < open.size() + text.size() + close.size() || !before.ends_with(close)) return false;
    const std::string_view rest = before.substr(0, before.size() - close.size());
    return rest.ends_with(text) && rest.substr(0, rest.size() - text.size()).ends_with(open);
  };
  switch (original.format) {
    case DocumentFormat::markdown:
    case DocumentFormat::mdx:
      for (const std::string_view close : {"](", "](<"}) {
        if (ends_with_all("[", close)) return {url_offset - close.size() - text.size(), text.size()};
      }
      return {};
    case DocumentFormat::html:
    case DocumentFormat::bookmarks: {
      const std::size_t tag_end = after.find_first_of("<>");
      if (tag_end == std::string_view::npos || after[tag_end] != '>') return {};
      const std::string_view content = after.substr(tag_end + 1);
      const bool is_all =
          content.starts_with(text) && parser::starts_ignoring_case(content.substr(text.size()), "</a>");
      return is_all ? parser::TextRange{end + tag_end + 1, text.size()} : parser::TextRange{};
    }
    case DocumentFormat::org: {
      const bool is_all = after.starts_with("][") && after.substr(2).starts_with(text) &&
                          after.substr(2 + text.size()).starts_with("]]");
      return is_all ? parser::TextRange{end + 2, text.size()} : parser::TextRange{};
    }
    case DocumentFormat::asciidoc: {
      const bool is_all =
          after.starts_with("[") && after.substr(1).starts_with(text) && after.substr(1 + text.size()).starts_with("]");
      return is_all ? parser::TextRange{end + 1, text.size()} : parser::TextRange{};
    }
    case DocumentFormat::restructured_text: {
      const bool is_all = ends_with_all("`", " <");
      return is_all ? parser::TextRange{url_offset - 2 - text.size(), text.size()} : parser::TextRange{};
    }
    default: return {};
  }
}

std::string spelling_of_text(DocumentFormat format, std::string_view text) {
  switch (format) {
    case DocumentFormat::markdown: return with_backslashes(text, "\\`*_[]<|&~");
    case DocumentFormat::mdx: return with_backslashes(text, "\\`*_[]<|&~{");
    case DocumentFormat::html:
    case DocumentFormat::bookmarks: return for_markup(text);
    case DocumentFormat::restructured_text: return with_backslashes(text, "\\`*_|<>");
    default: return std::string(text);
  }
}

}  // namespace linkherd::crawler
