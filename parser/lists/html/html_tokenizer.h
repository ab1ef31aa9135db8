// HTML's tags and texts with their places in the text, as the standard's tokenizer sees them; no tree, so that
// nesting costs nothing. Linear, whatever the text. (gumbo cannot say where an attribute stands once its text has
// passed the guard. For links a list of tags is enough, and a test compares the two.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linkherd::parser {

struct HtmlAttributeValue {
  std::string name;        // lower case
  std::size_t offset = 0;  // of the value as written, without quotes
  std::size_t length = 0;
};

struct HtmlToken {
  enum class Kind : std::uint8_t { text, raw_text, start_tag, end_tag, comment };
  Kind kind = Kind::text;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string name;                            // of a tag, lower case
  std::vector<HtmlAttributeValue> attributes;  // of a start tag: those that links and names stand in, once each

  const HtmlAttributeValue* attribute(std::string_view attribute_name) const;
};

class HtmlTokenizer {
 public:
  explicit HtmlTokenizer(std::string_view text) : text_(text) {}

  // The next token; declarations are none. The pointer is valid until the next call.
  const HtmlToken* next();

 private:
  // A text that ends something open, and whether it is known not to follow any more.
  struct Terminator {
    std::string text;
    bool gone = false;
  };

  bool read_markup();
  bool read_tag(bool end_tag);
  void read_attributes();
  void read_attribute();
  std::pair<std::size_t, std::size_t> read_value();
  bool read_declaration();
  void read_text();
  bool read_raw_text();
  std::size_t find_terminator(Terminator& terminator, std::size_t from) const;
  void skip_spaces();
  bool done() const { return at_ >= text_.size(); }

  std::string_view text_;
  std::size_t at_ = 0;
  HtmlToken token_;
  std::string raw_element_;  // whose content comes next, as text; empty for none
  std::vector<Terminator> terminators_;
  bool comment_end_gone_ = false;
};

}  // namespace linkherd::parser
