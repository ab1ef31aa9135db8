// Finds where the JavaScript and JSX in an MDX file end, and the constants in them that may be links. No code is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// An attribute of a tag.
struct JsxAttribute {
  enum class Value : std::uint8_t { none, text, constant, other };  // "text", {'constant'}, {other}

  TextRange element;  // the name of its tag
  TextRange name;
  TextRange value;            // without quotes and braces; empty where it is not known
  std::size_t end = 0;        // of the attribute, with quotes and braces
  Value kind = Value::none;   // a text has character references, a constant has escapes
  bool is_in_script = false;  // of a tag inside an expression
};

// The tag, expression or module at a place.
struct ScriptPart {
  std::size_t end = 0;
  TextRange name{};  // of a tag; empty: a fragment
  bool is_closing = false;
  bool is_self_closing = false;
};

// Memory and time are linear in the text: a part that never ends is read again only a few times.
class MdxScript {
 public:
  explicit MdxScript(std::string_view text);

  // `at` is the offset of "<" or "{". Return nullopt if the syntax is wrong or has no end. The lines of a tag in a
  // block quote may begin with ">".
  std::optional<ScriptPart> tag(std::size_t at, bool is_in_quote = false);
  std::optional<ScriptPart> expression(std::size_t at);
  // Returns the end of the import and export statements that begin at `at`: a blank line that is not in brackets.
  std::size_t module_end(std::size_t at);

  // The contents of the parts, in the order of the text.
  const std::vector<JsxAttribute>& attributes() const { return attributes_; }
  const std::vector<TextRange>& files() const { return files_; }        // in import, export … from and require()
  const std::vector<TextRange>& comments() const { return comments_; }  // with their delimiters

 private:
  enum class Mode : std::uint8_t { script, module, template_text, tag, children };
  struct Frame {
    Mode mode = Mode::script;
    std::size_t start = 0;
    TextRange element{};                   // of a tag
    std::size_t attribute = no_attribute;  // whose value the script is
    std::size_t brackets = 0;              // that are open in a script: "(" and "["
  };
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
  std::size_t steps_left_;             // for parts that turn out to have no end
  std::size_t open_comment_ = failed;  // the first "/*" that has no end: no later one has
  bool is_in_quote_ = false;
  char before_ = 0;        // the last character of the script that is not blank; 'a' for words, ')' for values
  std::string_view word_;  // the last word
  std::string_view call_;  // the word before the last "("
};

}  // namespace linkherd::parser
