#include "parser/lists/heading_slugs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// GitHub keeps the word characters of its regular expression: letters, marks, decimal digits and connectors such as
// "_".
bool is_word(char32_t c) {
  switch (u_charType(static_cast<UChar32>(c))) {
    case U_UPPERCASE_LETTER:
    case U_LOWERCASE_LETTER:
    case U_TITLECASE_LETTER:
    case U_MODIFIER_LETTER:
    case U_OTHER_LETTER:
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_COMBINING_SPACING_MARK:
    case U_DECIMAL_DIGIT_NUMBER:
    case U_CONNECTOR_PUNCTUATION: return true;
    default: return false;
  }
}

void append_lower(std::string& out, char32_t c) {
  append_utf8(out, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
}

template <class Visit>
void for_each_code_point(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    visit(point.value);
  }
}

// Returns true for characters that match Python's "\w": no marks, but all numbers.
bool is_letter_or_number(char32_t c) {
  constexpr std::uint32_t numbers = U_GC_N_MASK | U_GC_L_MASK;
  return c == U'_' || (U_MASK(u_charType(static_cast<UChar32>(c))) & numbers) != 0;
}

// Returns true for "_" and for characters accepted by Go's unicode.IsLetter or IsDigit, which reject other numbers.
bool is_hugo_word(char32_t c) {
  constexpr std::uint32_t kept = U_GC_ND_MASK | U_GC_L_MASK;
  return c == U'_' || (U_MASK(u_charType(static_cast<UChar32>(c))) & kept) != 0;
}

bool is_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0; }
bool is_blank_or_dash(char32_t c) { return c == U'-' || is_space(c); }

// Returns the text in NFKD or NFD, where accents are separate characters.
using GetNormalizer = const icu::Normalizer2* (*)(UErrorCode& status);
std::string decomposed(std::string_view text, GetNormalizer form = icu::Normalizer2::getNFKDInstance) {
  if (is_ascii(text)) return std::string(text);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const decompose = form(status);
  if (U_FAILURE(status) != 0) return {};
  const icu::UnicodeString source = icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  std::string out;
  decompose->normalize(source, status).toUTF8String(out);
  return out;
}

// Returns the text without accents and without all other non-ASCII characters.
std::string ascii_of(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out = decomposed(text);
  std::erase_if(out, is_not_ascii);
  return out;
}

// Does the same in the way of docutils, which replaces some non-ASCII letters by ASCII letters.
std::string docutils_ascii(std::string_view text) {
  constexpr std::array<std::pair<char32_t, std::string_view>, 9> letters{{{U'ß', "sz"},
                                                                          {U'æ', "ae"},
                                                                          {U'œ', "oe"},
                                                                          {U'ø', "o"},
                                                                          {U'đ', "d"},
                                                                          {U'ħ', "h"},
                                                                          {U'ı', "i"},
                                                                          {U'ł', "l"},
                                                                          {U'ŧ', "t"}}};
  if (is_ascii(text)) return std::string(text);
  std::string out;
  for_each_code_point(to_lower_case(text), [&](char32_t c) {
    const auto letter = std::ranges::find(letters, c, &std::pair<char32_t, std::string_view>::first);
    letter == letters.end() ? append_utf8(out, c) : static_cast<void>(out.append(letter->second));
  });
  return ascii_of(out);
}

// Removes the characters that are not kept. A run of them that contains a gap becomes one dash.
template <class Keeps, class Gaps>
std::string dashed(std::string_view text, const Keeps& keeps, const Gaps& gaps) {
  std::string out;
  for_each_code_point(text, [&](char32_t c) {
    if (gaps(c)) {
      if (!out.ends_with('-')) out.push_back('-');
    } else if (keeps(c)) {
      append_lower(out, c);
    }
  });
  return out;
}

std::string without_outer_dashes(std::string_view slug) {
  const std::size_t first = std::min(slug.find_first_not_of('-'), slug.size());
  return std::string(slug.substr(first, slug.find_last_not_of('-') + 1 - first));
}

// Replaces each space by a dash and removes the other characters that are not kept.
template <class Keeps>
std::string spaced(std::string_view text, const Keeps& keeps) {
  std::string out;
  for_each_code_point(text, [&](char32_t c) {
    if (is_space(c)) {
      out.push_back('-');
    } else if (c == U'-' || keeps(c)) {
      append_lower(out, c);
    }
  });
  return out;
}

// Joins words by dashes.
std::string pandoc_slug(std::string_view text) {
  std::string out;
  bool is_after_space = false;
  for_each_code_point(text, [&](char32_t c) {
    if (is_space(c)) {
      is_after_space = true;
    } else if (is_letter_or_number(c) || c == U'.' || c == U'-') {
      if (std::exchange(is_after_space, false) && !out.empty()) out.push_back('-');
      append_lower(out, c);
    }
  });
  return out;
}

// Replaces ASCII punctuation and quotes by dashes and keeps everything else.
std::string vitepress_slug(std::string_view text) {
  constexpr std::u32string_view quotes = U"“”‘’";
  const auto is_gap = [quotes](char32_t c) {
    const bool is_punctuation = c < 0x80 && !is_ascii_alphanumeric(static_cast<char>(c));
    return is_punctuation || is_space(c) || quotes.find(c) != std::u32string_view::npos;
  };
  const auto is_no_accent = [](char32_t c) { return c < 0x300 || c > 0x36F; };
  return without_outer_dashes(dashed(decomposed(text), is_no_accent, is_gap));
}

// Removes "--" and "---", which kramdown replaces by typographic dashes before it generates a slug. "----" keeps one.
std::string without_long_dashes(std::string_view text) {
  constexpr std::size_t max_dashes = 3;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of('-', at), text.size());
    std::size_t left = end - at;
    while (left > 1) left -= std::min(left, max_dashes);
    out.append(left, '-');
    const std::size_t next = std::min(text.find('-', end), text.size());
    out.append(text.substr(end, next - end));
    at = next;
  }
  return out;
}

// Returns the slug of kramdown's GFM parser, which is also mdBook's slug for ASCII headings. A tab counts as a space.
std::string kramdown_gfm_slug(std::string_view text) {
  std::string typeset = without_long_dashes(text);
  std::ranges::replace(typeset, '\t', ' ');
  return github_slug(typeset);
}

std::string from_first_letter(std::string slug) {
  const auto letter = std::ranges::find_if(slug, [](char c) { return is_ascii_letter(c) || is_not_ascii(c); });
  slug.erase(slug.begin(), letter);
  return slug;
}

// Returns the name in an attribute list such as "{#id .class key=value}". `inside` is the text between the braces.
// Empty if the list has no name; nullopt if the text is not an attribute list.
std::optional<std::string> name_in(std::string_view inside) {
  const bool may_have_words = inside.starts_with(':');  // "{: #id toc }"; without ":", words mean it is not a list
  if (may_have_words) inside.remove_prefix(1);
  std::optional<std::string> name;
  for (inside = trim_ascii(inside); !inside.empty(); inside = trim_ascii(inside)) {
    const auto end = std::ranges::find_if(inside, is_ascii_space);
    const std::string_view word = inside.substr(0, static_cast<std::size_t>(end - inside.begin()));
    const bool has_name = word.starts_with('#') && word.size() > 1;
    const bool is_attribute =
        may_have_words || has_name || word == "-" || word.starts_with('.') || word.find('=') != std::string_view::npos;
    if (!is_attribute) return std::nullopt;
    if (!name) name.emplace();
    if (has_name && name->empty()) name = word.substr(1);
    inside.remove_prefix(word.size());
  }
  return name;
}

// Returns the range of the next "{…}" at or after `from`, including the braces, or nullopt.
std::optional<std::pair<std::size_t, std::size_t>> braces_in(std::string_view text, std::size_t from) {
  const std::size_t open = text.find('{', from);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t length = text.substr(open, max_attribute_list_bytes).find('}');
  return std::pair(open, length == std::string_view::npos ? 1 : length + 1);
}

}  // namespace

std::string github_slug(std::string_view heading) {
  std::string slug;
  for_each_code_point(heading, [&slug](char32_t c) {
    if (c == U' ') {
      slug.push_back('-');
    } else if (c == U'-' || is_word(c)) {
      append_lower(slug, c);
    }
  });
  return slug;
}

std::vector<std::string> hugo_slugs(std::string_view source) {
  const auto or_heading = [](const std::string& slug) { return slug.empty() ? "heading" : slug; };
  const auto github = [](std::string_view text) {
    std::string slug;
    for_each_code_point(text, [&slug](char32_t c) {
      if (c == U'-' || c == U' ' || c == U'\t') {
        slug.push_back('-');
      } else if (is_hugo_word(c)) {
        append_lower(slug, c);
      }
    });
    return slug;
  };
  source = trim_ascii(source);
  const auto is_gap = [](char32_t c) { return c == U'_' || !is_letter_or_number(c); };
  std::string without_accents = decomposed(source, icu::Normalizer2::getNFDInstance);
  std::erase_if(without_accents, is_not_ascii);
  return {or_heading(github(source)), or_heading(github(without_accents)),
          or_heading(without_outer_dashes(dashed(source, is_letter_or_number, is_gap)))};
}

std::string kramdown_slug(std::string_view source) {
  std::string slug;
  for (const char c : source) {
    if (c == ' ' || c == '-') {
      slug.push_back('-');
    } else if (is_ascii_alphanumeric(c)) {
      slug.push_back(ascii_lower(c));
    }
  }
  slug = from_first_letter(std::move(slug));
  return slug.empty() ? "section" : slug;
}

std::vector<std::string> site_generator_slugs(std::string_view plain, std::string_view with_images) {
  constexpr auto is_no_word = [](char32_t c) { return !is_word(c) || c == U'_'; };
  const std::string ascii = ascii_of(plain);
  const std::string mkdocs = dashed(trim_ascii(ascii), is_word, is_blank_or_dash);
  const auto with_digits = [](const std::string& slug) {
    return !slug.empty() && is_ascii_digit(slug.front()) ? "_" + slug : slug;
  };
  const auto or_section = [](const std::string& slug) { return slug.empty() ? "section" : slug; };
  const std::string words = without_outer_dashes(dashed(plain, is_word, is_no_word));
  std::vector<std::string> slugs{
      github_slug(with_images),
      without_outer_dashes(dashed(plain, is_word, is_blank_or_dash)),  // GitLab
      without_outer_dashes(mkdocs),
      mkdocs,                                                                       // MkDocs
      dashed(trim_ascii(plain), is_letter_or_number, is_blank_or_dash),             // MkDocs with Unicode slugs
      with_digits(words),                                                           // VuePress, Zola
      words,                                                                        // Blackfriday
      from_first_letter(without_outer_dashes(dashed(ascii, is_word, is_no_word))),  // docutils
      or_section(from_first_letter(pandoc_slug(plain))),                            // Pandoc
      from_first_letter(github_slug(ascii)),
      kramdown_slug(plain),      // kramdown
      kramdown_gfm_slug(plain),  // kramdown with GFM
      github_slug(trim_ascii(plain))};
  if (!is_ascii(plain)) {
    slugs.push_back(with_digits(vitepress_slug(plain)));
    slugs.push_back(from_first_letter(without_outer_dashes(dashed(docutils_ascii(plain), is_word, is_no_word))));
    slugs.push_back(spaced(trim_ascii(plain), is_letter_or_number));  // MyST, pymdownx
    slugs.push_back(std::move(hugo_slugs(plain).front()));
    slugs.push_back(spaced(trim_ascii(plain), [](char32_t c) {  // mdBook
      return is_letter_or_number(c) || u_isUAlphabetic(static_cast<UChar32>(c)) != 0;
    }));
  }
  std::erase_if(slugs, [&mkdocs](const std::string& slug) { return slug.empty() && !mkdocs.empty(); });
  std::ranges::sort(slugs);
  slugs.erase(std::unique(slugs.begin(), slugs.end()), slugs.end());
  return slugs;
}

namespace {

// Returns the length of a character reference such as "&amp;" or "&#8217;" at the start of the text, or 0.
std::size_t character_reference(std::string_view text) {
  constexpr std::size_t max_reference = 12;
  const std::size_t end = text.substr(0, max_reference).find(';');
  if (end == std::string_view::npos || end < 2) return 0;
  const std::string_view name = text.substr(1, end - 1);
  const bool is_name =
      std::ranges::all_of(name, [](char c) { return is_ascii_alphanumeric(c) || c == '#'; }) && name != "#";
  return is_name ? end + 1 : 0;
}

// Returns the length of the text at `at` that Asciidoctor replaces by typographic characters, or 0. Ids do not contain
// such characters.
std::size_t replaced_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with(" -- ")) return 4;
  if (rest == " --" || (at == 0 && rest.starts_with("-- "))) return 3;
  if (rest.starts_with("...") || rest.starts_with("(C)") || rest.starts_with("(R)")) return 3;
  if (rest.starts_with("(TM)")) return 4;
  if (rest.starts_with("->") || rest.starts_with("=>") || rest.starts_with("<-") || rest.starts_with("<=")) return 2;
  if (rest.starts_with("--") && at > 0 && !is_ascii_space(text[at - 1]) && rest.size() > 2 && rest[2] != ' ') return 2;
  return rest.starts_with('&') ? character_reference(rest) : 0;
}

}  // namespace

std::string asciidoctor_id(std::string_view title, std::string_view prefix, std::string_view separator) {
  const std::string_view mark = separator.substr(0, 1);
  std::string id(prefix);
  for (std::size_t at = 0; at < title.size();) {
    // The common case: no replaced text begins with an alphanumeric character.
    if (is_ascii_alphanumeric(title[at]) && title.substr(at, 1) != mark) {
      id.push_back(ascii_lower(title[at++]));
      continue;
    }
    if (const std::size_t length = replaced_at(title, at); length > 0) {
      at += length;
      continue;
    }
    const CodePoint point = decode_utf8(title, at);
    at += point.length;
    const char32_t c = point.value;
    const bool is_gap = c == U' ' || c == U'-' || c == U'.' || (!mark.empty() && c == static_cast<char32_t>(mark[0]));
    if (is_gap && mark.empty() && c != U' ') {
      append_utf8(id, c);
    } else if (is_gap) {
      if (!mark.empty() && !id.ends_with(mark)) id.append(mark);
    } else if (is_word(c)) {
      append_lower(id, c);
    }
  }
  if (!mark.empty() && id.ends_with(mark)) id.pop_back();
  if (!mark.empty() && prefix.empty() && id.starts_with(mark)) id.erase(0, 1);
  return id;
}

std::vector<std::string> find_named_anchors(std::string_view text) {
  std::vector<std::string> names;
  for (auto braces = braces_in(text, 0); braces; braces = braces_in(text, braces->first + braces->second)) {
    const auto [open, length] = *braces;
    if (length < 2) continue;
    std::optional<std::string> name = name_in(text.substr(open + 1, length - 2));
    if (name && !name->empty()) names.push_back(std::move(*name));
  }
  const std::string_view whole = trim_ascii(text);
  const bool is_label = whole.size() > 3 && whole.size() < max_attribute_list_bytes && whole.starts_with('(') &&
                        whole.ends_with(")=") && whole.find(')') == whole.size() - 2;
  if (is_label) names.emplace_back(whole.substr(1, whole.size() - 3));
  return names;
}

std::string_view strip_attributes(std::string_view heading) {
  const std::string_view whole = heading.substr(0, heading.find_last_not_of(" \t") + 1);
  const std::size_t open = whole.ends_with('}') ? whole.rfind('{') : std::string_view::npos;
  // GitHub also turns the blank before an image at the end into a dash.
  if (open == std::string_view::npos || whole.size() - open > max_attribute_list_bytes) return heading;
  if (!name_in(whole.substr(open + 1, whole.size() - open - 2))) return heading;
  const std::string_view words = whole.substr(0, open);
  return words.substr(0, words.find_last_not_of(" \t") + 1);
}

std::string normalise_file_name(std::string_view name) {
  if (is_ascii(name)) return to_ascii_lower(name);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const composer = icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status) != 0) return to_lower_case(name);
  const icu::UnicodeString source = icu::UnicodeString::fromUTF8({name.data(), static_cast<std::int32_t>(name.size())});
  std::string composed;
  composer->normalize(source, status).toUTF8String(composed);
  return to_lower_case(composed);
}

std::string to_lower_case(std::string_view text) {
  std::string lower;
  for_each_code_point(text, [&lower](char32_t c) { append_lower(lower, c); });
  return lower;
}

}  // namespace linkherd::parser
