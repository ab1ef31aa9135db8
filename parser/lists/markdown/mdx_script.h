// Finds the ends of JavaScript and JSX in an MDX file, and the constants in them that may be links. No code is
// executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// An attribute of a JSX tag.
struct JsxAttribute {
  enum class Value : std::uint8_t { none, text, constant, other };  // "text", {'constant'}, {other}

  TextRange element;  // the name of the tag
  TextRange name;
  TextRange value;            // without quotes and braces; empty if unknown
  std::size_t end = 0;        // end of the attribute, including quotes and braces
  Value kind = Value::none;   // a text may contain character references, and a constant may contain escapes
  bool is_in_script = false;  // the tag is inside an expression
};

// A tag, an expression or a module.
struct ScriptPart {
  std::size_t end = 0;
  TextRange name{};  // name of a tag; empty for a fragment ("<>")
  bool is_closing = false;
  bool is_self_closing = false;
};

// Reads the JavaScript and JSX of one text. Memory and time are linear in its length, because unclosed parts are read
// only a limited number of times. The text must outlive this object.
class MdxScript {
 public:
  explicit MdxScript(std::string_view text);
  ~MdxScript();
  MdxScript(const MdxScript&) = delete;
  MdxScript& operator=(const MdxScript&) = delete;

  // Read the tag or expression at the offset of its "<" or "{". Return nullopt if the syntax is invalid or the part is
  // not closed. The lines of a tag in a block quote may begin with ">".
  std::optional<ScriptPart> tag(std::size_t at, bool is_in_quote = false);
  std::optional<ScriptPart> expression(std::size_t at);
  // Returns the end of the import and export statements that begin at `at`. They end at a blank line outside brackets.
  std::size_t module_end(std::size_t at);

  // The contents of all parts read so far, in the order of the text.
  const std::vector<JsxAttribute>& attributes() const { return attributes_; }
  const std::vector<TextRange>& files() const { return files_; }  // files in import, export … from and require()
  const std::vector<TextRange>& comments() const { return comments_; }  // including delimiters

 private:
  struct Frame;  // an unclosed part
  static constexpr std::size_t no_attribute = static_cast<std::size_t>(-1);
  static constexpr std::size_t failed = std::string_view::npos;

  std::optional<ScriptPart> read(std::size_t at, Frame first);
  std::size_t step(std::size_t at);
  std::size_t step_script(std::size_t at);
  std::size_t step_template(std::size_t at);
  std::size_t step_tag(std::size_t at);
  std::size_t step_attribute(std::size_t at);
  std::size_t step_children(std::size_t at);
  std::size_t line_end_in_script(std::size_t at);
  std::size_t after_string(std::size_t at);
  std::size_t after_slash(std::size_t at);
  std::size_t after_regular_expression(std::size_t at);
  std::size_t after_word(std::size_t at);
  std::size_t open_tag(std::size_t at);
  std::size_t close_script(std::size_t at);
  void end_tag(bool has_children);
  std::size_t skip_space(std::size_t at) const;
  std::size_t name_end(std::size_t at) const;
  bool may_begin_value() const;
  void note_string(TextRange inside);
  bool is_after_call_of(std::string_view name) const;

  std::string_view text_;
  std::vector<Frame> frames_;
  std::vector<JsxAttribute> attributes_;
  std::vector<TextRange> files_;
  std::vector<TextRange> comments_;
  std::size_t steps_left_;             // remaining steps for unclosed parts
  std::size_t open_comment_ = failed;  // offset of the first unclosed "/*"; no later one is closed
  bool is_in_quote_ = false;
  char before_ = 0;        // the last non-blank character of the script; 'a' for words, ')' for values
  std::string_view word_;  // the last word
  std::string_view call_;  // the word before the last "("
};

}  // namespace linkherd::parser
