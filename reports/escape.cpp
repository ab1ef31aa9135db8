#include "reports/escape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/credentials.h"
#include "parser/utf8.h"

namespace linkherd::reports {
namespace {

bool breaks_the_line(char32_t c) {
  return (c >= U'\t' && c <= U'\r') || c == U'\u0085' || c == U'\u2028' || c == U'\u2029';
}

// Returns true for characters that a terminal interprets or that are invisible: C0, DEL, C1, bidirectional controls and
// marks, zero-width characters and tags. The joiners U+200C and U+200D are allowed, because scripts and emoji need
// them.
bool is_interpreted(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool direction =
      (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x061C || c == 0x200E || c == 0x200F;
  const bool invisible = c == 0x200B || c == 0x2060 || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || c == 0xE0001 ||
                         (c >= 0xE0020 && c <= 0xE007F);
  return control || direction || invisible;
}

// Returns true for Unicode white space that CI systems trim.
bool is_blank(char32_t c) {
  return c == 0x20 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// Returns true if the text begins with a command of Azure Pipelines, GitHub Actions or TeamCity: "##[", "##vso[",
// "##teamcity[". They work anywhere in a line.
bool starts_command(std::string_view text) {
  if (!text.starts_with("##")) return false;
  const auto word_end = std::ranges::find_if_not(text.substr(2), parser::is_ascii_letter);
  return word_end != text.end() && *word_end == '[';
}

// Returns the length of the longest prefix of printable ASCII without "#".
std::size_t plain_length(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '#'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

// Returns the position of the first non-blank character.
std::size_t first_letter(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_blank(point.value)) break;
    at += point.length;
  }
  return at;
}

// Appends the escaped character at `at` and returns its length in `text`.
std::size_t append_escaped(std::string& out, std::string_view text, std::size_t at) {
  if (starts_command(text.substr(at))) {
    out += "#\\u{23}";
    return 2;
  }
  const CodePoint point = decode_utf8(text, at);
  if (breaks_the_line(point.value)) {
    out += ' ';
    return text.substr(at, 2) == "\r\n" ? 2 : point.length;
  }
  if (is_interpreted(point.value)) {
    out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point.value));
  } else {
    append_utf8(out, point.value);
  }
  return point.length;
}

// JSON escapes have four digits, so characters above U+FFFF need two surrogates.
void append_json_escape(std::string& out, char32_t c) {
  const auto append = [&out](std::uint32_t unit) { out += fmt::format("\\u{:04x}", unit); };
  const auto value = static_cast<std::uint32_t>(c);
  if (value <= 0xFFFF) return append(value);
  append(0xD800 + ((value - 0x10000) >> 10U));
  append(0xDC00 + ((value - 0x10000) & 0x3FFU));
}

// Breaks commands of CI systems in text that is otherwise unchanged.
std::string without_commands(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_command = starts_command(text.substr(at));
    out += is_command ? "#\\u{23}" : text.substr(at, 1);
    at += is_command ? 1 : 0;
  }
  return out;
}

// Returns true if a spreadsheet takes a cell that begins like this for a formula. The last four are full-width forms,
// which some spreadsheets accept as well.
bool starts_formula(std::string_view text) {
  constexpr std::array<std::string_view, 8> starts{"=", "+", "-", "@", "＝", "＋", "－", "＠"};
  return std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

// Returns true if a new cell begins after `c` in a spreadsheet that does not separate cells by commas. Such a
// spreadsheet ignores the quotes of a cell, unless they follow its own separator.
bool separates_cells(char c) { return c == ';' || c == '\t' || c == '\r' || c == '\n'; }

// Puts an apostrophe before each formula, including formulas that begin within the text if other separators than commas
// are used.
std::string without_formulas(std::string_view text) {
  std::string out;
  bool is_start = true;  // only white space, and quotes after a separator, since the cell began
  bool is_after_separator = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (is_start && starts_formula(text.substr(at))) out += '\'';
    if (separates_cells(text[at])) {
      is_start = is_after_separator = true;
    } else if (!is_blank(point.value) && !(is_after_separator && text[at] == '"')) {
      is_start = false;
    }
    out += text.substr(at, point.length);
    at += point.length;
  }
  return out;
}

// An HTML comment, which is invisible, splits text that GitHub would turn into a link or a mention.
constexpr std::string_view markdown_gap = "<!-- -->";

// Returns the position of the character that begins a heading or a list at the start of a block, or npos. Includes
// "::", which GitHub Actions would read as a command there.
std::size_t block_mark(std::string_view text) {
  const std::size_t start = first_letter(text);
  const std::string_view line = text.substr(start);
  if (line.starts_with('#') || line.starts_with('+') || line.starts_with('-') || line.starts_with("::")) return start;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const std::string_view rest = line.substr(digits);
  const bool is_numbered =
      digits > 0 && (rest.starts_with('.') || rest.starts_with(')')) && (rest.size() == 1 || rest[1] == ' ');
  return is_numbered ? start + digits : std::string_view::npos;
}

// Returns true if a git commit is named at this position: 40 hexadecimal digits that are not part of a longer word.
bool starts_commit(std::string_view text, std::size_t at) {
  constexpr std::size_t digits = 40;
  if (at > 0 && parser::is_ascii_alphanumeric(text[at - 1])) return false;
  const std::string_view word = text.substr(at);
  const std::string_view name = word.substr(0, digits);
  return name.size() == digits && name.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos &&
         (word.size() == digits || !parser::is_ascii_alphanumeric(word[digits]));
}

// Returns true if GitHub would turn the text after `c`, which is at `at`, into a mention, a mail address or a cross
// reference.
bool begins_reference(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1);
  if (rest.empty()) return false;
  const bool is_mention = text[at] == '@' && rest[0] != ' ';
  const bool is_gh = text[at] == '-' && at >= 2 && parser::equals_ignoring_case(text.substr(at - 2, 2), "gh") &&
                     (at == 2 || !parser::is_ascii_alphanumeric(text[at - 3]));
  const bool is_issue = text[at] == '#' || is_gh;
  return is_mention || (is_issue && parser::is_ascii_digit(rest[0]));
}

// `in_link`: the text is inside a link, where GFM does not turn URLs into links.
std::string markdown_text(std::string_view text, bool in_link) {
  constexpr std::string_view escaped = R"(\`*_[]<>~$)";
  constexpr std::size_t part_of_commit = 6;  // GitHub turns seven digits into links
  const std::size_t mark = block_mark(text);
  std::size_t gap = std::string_view::npos;  // a gap is inserted before this position
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const std::string_view rest = text.substr(at + 1);
    // GFM turns URLs, names that begin with "www." and mail addresses into links. A backslash does not prevent this for
    // mail addresses.
    const bool in_url =
        !in_link && ((c == ':' && rest.starts_with("//")) ||
                     (c == '.' && at >= 3 && parser::equals_ignoring_case(text.substr(at - 3, 3), "www")));
    const bool starts_entity = c == '&' && !rest.empty() && (rest[0] == '#' || parser::is_ascii_letter(rest[0]));
    const bool closes_heading = c == '#' && rest.empty();
    if (starts_commit(text, at)) gap = at + part_of_commit;
    if (at == gap) out += markdown_gap;
    if (at == mark || in_url || starts_entity || closes_heading || escaped.find(c) != std::string_view::npos)
      out += '\\';
    out += c;
    if (begins_reference(text, at)) out += markdown_gap;
  }
  return out;
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = plain_length(text.substr(at));
    out.append(text, at, plain);
    at += plain;
    if (at < text.size()) at += append_escaped(out, text, at);
  }
  if (begins_command(out)) out.replace(first_letter(out), 1, "\\u{3a}");
  return out;
}

bool begins_command(std::string_view text) { return text.substr(first_letter(text)).starts_with("::"); }

std::string escape_message(std::string_view text) { return escape_for_terminal(parser::mask_passwords_in(text)); }

std::string escape_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  append_escaped_json(out, json);
  return out;
}

void append_escaped_json(std::string& out, std::string_view json) {
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t plain = plain_length(json.substr(at));
    out.append(json, at, plain);
    at += plain;
    if (at == json.size()) break;
    const CodePoint point = decode_utf8(json, at);
    const char32_t c = point.value;
    // Below U+0020, JSON has only the white space between values.
    if (starts_command(json.substr(at))) {
      out += "#\\u0023";
      at += 1;
    } else if (c >= 0x20 && (is_interpreted(c) || breaks_the_line(c))) {
      append_json_escape(out, c);
    } else {
      out.append(json, at, point.length);
    }
    at += point.length;
  }
}

std::string one_line(std::string_view text) {
  std::string out;
  bool blank = false;
  const auto is_plain = [](char c) { return c > 0x20 && c < 0x7F; };
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {  // true for most characters
      if (std::exchange(blank, false)) out += ' ';
      const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_plain);
      const auto length = static_cast<std::size_t>(end - text.begin()) - at;
      out.append(text, at, length);
      at += length;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (point.value == U' ' || breaks_the_line(point.value)) {
      blank = !out.empty();
    } else if (!is_interpreted(point.value)) {
      if (std::exchange(blank, false)) out += ' ';
      append_utf8(out, point.value);
    }
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  constexpr std::string_view quoted = "\",\r\n\t;";
  std::string cell = without_formulas(without_commands(text));
  const bool has_blank_at_end = !cell.empty() && (cell.front() == ' ' || cell.back() == ' ');
  if (!has_blank_at_end && cell.find_first_of(quoted) == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string csv_file_cell(std::string_view name) {
  if (!name.starts_with('"') && one_line(name) == name && without_formulas(without_commands(name)) == name)
    return csv_cell(name);
  std::string quoted = "\"";
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint point = decode_utf8(name, at);
    const std::string_view bytes = name.substr(at, point.length);
    at += point.length;
    const bool is_special = point.value < 0x80
                                ? std::string_view("=+-@;#").find(bytes) != std::string_view::npos
                                : std::u32string_view(U"＝＋－＠").find(point.value) != std::u32string_view::npos;
    if (!point.valid || is_special || is_interpreted(point.value) || breaks_the_line(point.value)) {
      for (const char byte : bytes)
        quoted += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    } else {
      if (bytes == "\"" || bytes == "\\") quoted += '\\';
      quoted += bytes;
    }
  }
  return csv_cell(quoted + '"');
}

std::string escape_for_command(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : one_line(text)) {
    const bool is_special = c == '%' || (is_property && (c == ':' || c == ','));
    out += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

std::string escape_for_xml(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    const char32_t c = point.value;
    if (c == U'&') {
      out += "&amp;";
    } else if (c == U'<') {
      out += "&lt;";
    } else if (c == U'>') {
      out += "&gt;";
    } else if (c == U'"') {
      out += "&quot;";
    } else if (c == U'#' && out.ends_with('#')) {
      out += "&#35;";  // prevents "##[", a command of CI systems
    } else if (breaks_the_line(c)) {
      out += ' ';
    } else if (!is_interpreted(c) && c != 0xFFFE && c != 0xFFFF) {
      append_utf8(out, c);
    }
  }
  return out;
}

std::string escape_for_markdown(std::string_view text) { return markdown_text(text, false); }

std::string markdown_link(std::string_view text, std::string_view url) {
  return fmt::format("[{}]({})", markdown_text(text, true), markdown_destination(url));
}

std::string markdown_destination(std::string_view url) {
  std::string out;
  for (const char c : url) {
    switch (c) {
      case ' ': out += "%20"; break;
      case '<': out += "%3C"; break;
      case '>': out += "%3E"; break;
      case '`': out += "%60"; break;  // two of them would be code for some readers
      case '(':
      case ')':
      case '[':  // "##[" is a command of CI systems
      case ']':
      case '\\': out.append(1, '\\').append(1, c); break;
      case '&': out += url.find(';') == std::string_view::npos ? "&" : "&amp;"; break;  // "&copy;" is an entity
      default: out += c;
    }
  }
  return out;
}

std::string escape_for_bibtex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "{\\textbackslash}"; break;
      case '-':
      case '`':
      case '\'':  // BibTeX would join two of them into one character
        if (!out.empty() && out.back() == c) out += "{}";
        out += c;
        break;
      case '~': out += "{\\textasciitilde}"; break;
      case '^': out += "{\\textasciicircum}"; break;
      case '{': out += "{\\textbraceleft}"; break;  // BibTeX also counts braces after a backslash
      case '}': out += "{\\textbraceright}"; break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_': out.append(1, '\\').append(1, c); break;
      default: out += c;
    }
  }
  return out;
}

std::string bibtex_url(std::string_view url) {
  std::string out;
  for (const char c : url) {
    if (c == '{' || c == '}' || c == '\\' || c == ' ') {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace linkherd::reports
