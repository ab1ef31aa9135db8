// XML's tags and texts with their places; no tree, no external entities, no entities of its own but the five and the
// numeric ones, so that nothing in it grows. Linear, and lenient: what is wrong costs nothing but itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

struct XmlAttribute {
  std::string_view name;  // as written, with its prefix
  TextRange value;        // without quotes
};

struct XmlToken {
  enum class Kind : std::uint8_t { start_tag, end_tag, text, cdata, comment };
  Kind kind = Kind::text;
  TextRange range;                       // of the whole; of CDATA only what is inside
  std::string_view name;                 // of a tag, as written, with its prefix
  std::vector<XmlAttribute> attributes;  // of a start tag; no more than 64
  bool empty_element = false;            // "<a/>"
};

class XmlTokenizer {
 public:
  explicit XmlTokenizer(std::string_view text) : text_(text) {}

  // The next token; declarations and instructions are none. The reference is good until the next call.
  const XmlToken* next();

 private:
  bool read_markup();
  bool read_tag(bool end_tag);
  void read_attribute();
  void skip_declaration();
  bool read_until(std::string_view opening, std::string_view closing, XmlToken::Kind kind, bool& gone);

  std::string_view text_;
  std::size_t at_ = 0;
  XmlToken token_;
  bool comment_end_gone_ = false;
  bool cdata_end_gone_ = false;
};

// The range of the list with character references undone, added to `text`.
void unescape_xml(std::string_view list, TextRange range, MappedText& text);

}  // namespace linkherd::parser
