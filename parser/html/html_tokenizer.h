// Splits HTML or XML into tags, texts and comments with their positions, by the tokenization rules of the HTML
// standard. Builds no tree and allocates nothing per token. Time is linear in the size of the text, even if it has
// unclosed constructs.
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

// The views usually point into the text; see HtmlToken::name for the exception. Character references are not decoded.
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
  // lengths of the attribute names: bit N is set for length N, the highest bit for 31 and more
  std::uint32_t name_lengths = 0;
  bool is_self_closing = false;
  bool has_dropped_attributes = false;  // true if the tag had more than max_attributes

  // Returns the first attribute of that name, or null. The name must be in lower case.
  const HtmlAttribute* attribute(std::string_view lower_case) const {
    return (name_lengths & bit_of_length(lower_case)) != 0 ? find_attribute(lower_case) : nullptr;
  }

  static std::uint32_t bit_of_length(std::string_view name) {
    return std::uint32_t{1} << std::min<std::size_t>(name.size(), 31);
  }

 private:
  const HtmlAttribute* find_attribute(std::string_view lower_case) const;
};

// A cache of the elements that were seen last, by name. Comparing a name takes less time than gumbo's search for it.
class ElementCache {
 public:
  // Returns the tag, or GUMBO_TAG_UNKNOWN if gumbo does not know the name. `name` is in lower case. `letters` holds its
  // last eight bytes, the last one in the lowest bits.
  GumboTag find_tag(std::string_view name, std::uint64_t letters);

 private:
  struct Element {
    std::uint64_t letters = 0;  // the whole name, which has at most eight bytes
    GumboTag id = GUMBO_TAG_UNKNOWN;
  };
  std::array<Element, 128> elements_;
};

class HtmlTokenizer {
 public:
  // Decides how a comment or raw text without an end is read.
  enum class Unclosed : std::uint8_t {
    to_end_of_text,  // it extends to the end of the text, as in browsers
    as_markup,       // its content is parsed as markup
  };

  // XML has CDATA sections, names in any script and "<!DOCTYPE […]>". A tag in XML has no "<" inside. So an unclosed
  // tag ends at the next "<", and the error is limited to that tag.
  enum class Syntax : std::uint8_t { html, xml };

  HtmlTokenizer(std::string_view text, Unclosed unclosed, std::size_t max_attributes, Syntax syntax = Syntax::html)
      : text_(text),
        unclosed_(unclosed),
        max_attributes_(max_attributes),
        xml_(syntax == Syntax::xml),
        foreign_(xml_) {}

  // Returns the next token, or null at the end of the text. The next call overwrites the token. A "<" that does not
  // begin a tag is the first character of a text token. Bogus comments ("<?…>", "</ …>") and an incomplete tag at the
  // end of the text produce no token.
  const HtmlToken* next();

  // Returns the content of a raw text element (script, title, …) up to the end tag, which is then the next token. Call
  // it right after the start tag. Returns nullopt and consumes nothing if the end tag is missing and `unclosed` is
  // as_markup.
  std::optional<std::string_view> raw_text();

  // Makes next() return the last token again.
  void put_back() { at_ = static_cast<std::size_t>(token_.source.data() - text_.data()); }

  // Sets whether the text is foreign content (<svg>, <math>), where "<![CDATA[" begins a section.
  void set_foreign(bool foreign) { foreign_ = foreign; }

 private:
  bool read();
  bool read_tag(bool closing);
  std::uint64_t read_name();
  bool read_attribute(HtmlAttribute& attribute);
  // Like substr(), but without the bounds check: it is called for each token and attribute.
  std::string_view part(std::size_t begin, std::size_t end) const { return {text_.data() + begin, end - begin}; }
  bool read_declaration();
  bool take_section(HtmlToken::Kind kind, std::size_t opening, std::size_t end);
  std::size_t end_of_comment(std::size_t from) const;
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
  std::string name_;  // lower-case name of the token, if the text has it in another form
  ElementCache element_cache_;
  // Each flag is set when a search for the end of such a construct fails. The search is not repeated, so the whole text
  // is read in linear time.
  bool is_comment_end_missing_ = false;
  bool is_cdata_end_missing_ = false;
  bool is_script_escape_missing_ = false;
  std::bitset<GUMBO_TAG_LAST + 1> is_end_tag_missing_;
};

}  // namespace linkherd::parser
