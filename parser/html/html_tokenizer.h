// Splits HTML or XML into tags, texts and comments with their positions, by the tokenization rules of the HTML
// standard. Builds no tree, reads the text in one pass even if it has unclosed constructs, and allocates nothing per
// token.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gumbo.h>

namespace linkherd::parser {

// Views, most of them into the text. Character references are not decoded.
struct HtmlAttribute {
  std::string_view name;
  std::string_view value;  // without quotes
};

struct HtmlToken {
  enum class Kind : std::uint8_t { text, start_tag, end_tag, comment, cdata, doctype };
  Kind kind = Kind::text;
  std::string_view source;  // the whole token, unchanged
  // For tags only:
  std::string_view name;  // lower case, without NULs; in XML with its prefix
  GumboTag id = GUMBO_TAG_UNKNOWN;
  std::vector<HtmlAttribute> attributes;
  std::uint32_t name_lengths = 0;  // of the attributes: a bit for each length, the highest for all longer ones
  bool is_self_closing = false;
  bool has_dropped_attributes = false;  // true if the tag had more than max_attributes

  // Returns the first attribute of that name, which must be in lower case, or null.
  const HtmlAttribute* attribute(std::string_view lower_case) const {
    return (name_lengths & bit_of_length(lower_case)) != 0 ? find_attribute(lower_case) : nullptr;
  }

  static std::uint32_t bit_of_length(std::string_view name) {
    return std::uint32_t{1} << std::min<std::size_t>(name.size(), 31);
  }

 private:
  const HtmlAttribute* find_attribute(std::string_view lower_case) const;
};

// The elements that came last, by name: to compare a name takes less time than gumbo's search for it.
class KnownElements {
 public:
  // `name`: in lower case. `letters`: its last eight bytes, the last one in the lowest bits. GUMBO_TAG_UNKNOWN if gumbo
  // does not know it.
  GumboTag id_of(std::string_view name, std::uint64_t letters);

 private:
  struct Element {
    std::uint64_t letters = 0;  // of its name, which has no more than eight
    GumboTag id = GUMBO_TAG_UNKNOWN;
  };
  std::array<Element, 128> elements_;
};

class HtmlTokenizer {
 public:
  // How to treat a comment or raw text without an end.
  enum class Unclosed : std::uint8_t {
    to_end_of_text,  // the rest of the text belongs to it, as in browsers
    as_markup,       // its content is parsed as markup
  };

  // XML has CDATA sections, names in any script and "<!DOCTYPE […]>". It has no "<" inside a tag, so a tag without an
  // end stops there and an error is limited to that tag.
  enum class Syntax : std::uint8_t { html, xml };

  HtmlTokenizer(std::string_view text, Unclosed unclosed, std::size_t max_attributes, Syntax syntax = Syntax::html)
      : text_(text),
        unclosed_(unclosed),
        max_attributes_(max_attributes),
        xml_(syntax == Syntax::xml),
        foreign_(xml_) {}

  // Returns the next token, or null at the end of the text. The next call overwrites the token. A "<" that does not
  // begin a tag begins a text. Bogus comments ("<?…>", "</ …>") and an incomplete tag at the end of the text produce
  // no token.
  const HtmlToken* next();

  // Call it right after the start tag of a raw text element (script, title, …). Returns its content up to the end tag,
  // which is then the next token. Returns nullopt and consumes nothing if the end tag is missing and `unclosed` is
  // as_markup.
  std::optional<std::string_view> raw_text();

  // Makes next() return the last token again.
  void put_back() { at_ = static_cast<std::size_t>(token_.source.data() - text_.data()); }

  // In foreign content (<svg>, <math>), "<![CDATA[" begins a section.
  void set_foreign(bool foreign) { foreign_ = foreign; }

 private:
  bool read();
  bool read_tag(bool closing);
  std::uint64_t read_name();
  bool read_attribute(HtmlAttribute& attribute);
  // substr() without its check of the bounds, which is called for each token and attribute.
  std::string_view part(std::size_t begin, std::size_t end) const { return {text_.data() + begin, end - begin}; }
  bool read_declaration();
  bool take_section(HtmlToken::Kind kind, std::size_t opening, std::size_t end);
  std::size_t behind_comment(std::size_t from) const;
  bool has_name_at(std::size_t at) const;
  std::size_t end_of_raw_text();
  std::size_t end_of_escaped_script() const;
  void skip_spaces();

  std::string_view text_;
  Unclosed unclosed_;
  std::size_t max_attributes_;
  bool xml_;
  bool foreign_;
  std::size_t at_ = 0;
  HtmlToken token_;
  std::string name_;  // of the token, where it stands otherwise in the text
  KnownElements known_elements_;
  // Set when a search for the end of such a construct failed. It is not repeated, so the whole text is read in linear
  // time.
  bool comment_end_gone_ = false;
  bool cdata_end_gone_ = false;
  bool script_escape_gone_ = false;
  std::bitset<GUMBO_TAG_LAST + 1> end_tag_gone_;
};

}  // namespace linkherd::parser
