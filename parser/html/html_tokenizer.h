// Tags, texts and comments of HTML, or of XML, with their places in the text, by the tokenization rules of the HTML
// standard. No tree: nesting costs nothing. One pass over the text, whatever is unclosed in it, and no allocation per
// token.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gumbo.h>

namespace linkherd::parser {

// Views of the text. Character references are as written.
struct HtmlAttribute {
  std::string_view name;
  std::string_view value;  // without quotes
};

struct HtmlToken {
  enum class Kind : std::uint8_t { text, start_tag, end_tag, comment, cdata, doctype };
  Kind kind = Kind::text;
  std::string_view source;  // the whole token as written
  // Of tags:
  std::string name;  // lower case, without NULs; of XML with its prefix
  GumboTag id = GUMBO_TAG_UNKNOWN;
  std::vector<HtmlAttribute> attributes;
  bool self_closing = false;
  bool attributes_dropped = false;  // there were more than asked for

  // The first of that name, which is in lower case; null where there is none.
  const HtmlAttribute* attribute(std::string_view lower_case) const;
};

class HtmlTokenizer {
 public:
  // What a comment or raw text without an end is.
  enum class Unclosed : std::uint8_t {
    takes_the_rest,  // of the text, as in browsers
    is_no_markup,    // its content is read as any other
  };

  // XML has CDATA sections, names in any script, "<!DOCTYPE […]>", and no "<" in a tag: there a tag that has no end
  // stops, so that a mistake costs only the tag it stands in.
  enum class Syntax : std::uint8_t { html, xml };

  HtmlTokenizer(std::string_view text, Unclosed unclosed, std::size_t max_attributes, Syntax syntax = Syntax::html)
      : text_(text),
        unclosed_(unclosed),
        max_attributes_(max_attributes),
        xml_(syntax == Syntax::xml),
        foreign_(xml_) {}

  // The next token; null at the end of the text. It is overwritten by the next call. A "<" that begins no tag begins a
  // text. Bogus comments ("<?…>", "</ …>") and a tag that the end of the text cuts are none.
  const HtmlToken* next();

  // Right behind the start tag of an element that holds no tags (script, title, …): its content, up to its end tag,
  // which is the next token. Nothing, and nothing is taken, where the end tag is missing and that is no markup.
  std::optional<std::string_view> raw_text();

  // The last token comes once more.
  void put_back() { at_ = static_cast<std::size_t>(token_.source.data() - text_.data()); }

  // Whether "<![CDATA[" begins a section, as inside <svg> and <math>.
  void set_foreign(bool foreign) { foreign_ = foreign; }

 private:
  bool read();
  bool read_tag(bool closing);
  std::optional<HtmlAttribute> read_attribute();
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
  // What is known not to be ended any more: looked for once, so that a text full of beginnings is read in linear time.
  bool comment_end_gone_ = false;
  bool cdata_end_gone_ = false;
  bool script_escape_gone_ = false;
  std::bitset<GUMBO_TAG_LAST + 1> end_tag_gone_;
};

}  // namespace linkherd::parser
