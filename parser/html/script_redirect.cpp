// Implements script_target() of page_redirect.h. The tokenizer knows just enough JavaScript to be sure that a short
// script does nothing but one assignment to `location`. It gives up at anything that it does not know.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "parser/ascii.h"
#include "parser/html/page_redirect.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_script_bytes = 4096;
constexpr int max_script_delay = 5000;  // milliseconds

// Words that make the redirect conditional. `cookie` and the storages are used by bot walls. `navigator` and
// `userAgent` are used by sites with an edition for each device or language.
constexpr std::array<std::string_view, 37> conditional_words{"if",
                                                             "else",
                                                             "switch",
                                                             "for",
                                                             "while",
                                                             "do",
                                                             "try",
                                                             "catch",
                                                             "finally",
                                                             "return",
                                                             "throw",
                                                             "import",
                                                             "class",
                                                             "async",
                                                             "await",
                                                             "new",
                                                             "cookie",
                                                             "navigator",
                                                             "userAgent",
                                                             "fetch",
                                                             "XMLHttpRequest",
                                                             "confirm",
                                                             "prompt",
                                                             "localStorage",
                                                             "sessionStorage",
                                                             "setInterval",
                                                             "eval",
                                                             "atob",
                                                             "Math",
                                                             "Date",
                                                             "click",
                                                             "submit",
                                                             "unescape",
                                                             "history",
                                                             "then",
                                                             "with",
                                                             "requestAnimationFrame"};

struct ScriptToken {
  enum class Kind : std::uint8_t { word, number, string, sign };
  Kind kind = Kind::sign;
  std::string text;  // for strings: decoded

  bool is(std::string_view sign) const { return kind != Kind::string && text == sign; }
};

bool is_word_character(char c) { return is_ascii_alphanumeric(c) || c == '_' || c == '$' || !is_ascii(c); }

class ScriptReader {
 public:
  explicit ScriptReader(std::string_view script) : script_(script) {}

  // Returns nullopt if the script has a construct that this tokenizer does not support.
  std::optional<std::vector<ScriptToken>> read() {
    std::vector<ScriptToken> tokens;
    while (skip_to_token()) {
      const char c = script_[at_];
      if (c == '"' || c == '\'' || c == '`') {
        std::optional<std::string> text = read_string();
        if (!text) return std::nullopt;
        tokens.push_back({ScriptToken::Kind::string, std::move(*text)});
      } else if (is_word_character(c)) {
        const std::size_t begin = at_;
        while (at_ < script_.size() && is_word_character(script_[at_])) ++at_;
        tokens.push_back({is_ascii_digit(c) ? ScriptToken::Kind::number : ScriptToken::Kind::word,
                          std::string(script_.substr(begin, at_ - begin))});
      } else {
        tokens.push_back({ScriptToken::Kind::sign, std::string(1, c)});
        ++at_;
      }
    }
    return tokens;
  }

 private:
  // Skips white space and comments.
  bool skip_to_token() {
    while (at_ < script_.size()) {
      const std::string_view rest = script_.substr(at_);
      if (is_ascii_space(rest.front())) {
        ++at_;
      } else if (rest.starts_with("//") || rest.starts_with("<!--") || rest.starts_with("-->")) {
        at_ = std::min(script_.find_first_of("\r\n", at_), script_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = script_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? script_.size() : end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  std::optional<std::string> read_string() {
    const char quote = script_[at_++];
    std::string text;
    while (at_ < script_.size()) {
      const char c = script_[at_++];
      if (c == quote) return text;
      if (c == '\n' || (quote == '`' && c == '$')) return std::nullopt;
      if (c != '\\') {
        text += c;
      } else if (!read_escape(text)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool read_escape(std::string& text) {
    if (at_ == script_.size()) return false;
    const char c = script_[at_++];
    if (c != 'x' && c != 'u') {
      text += c;
      return c == '/' || c == '\\' || is_ascii_punctuation(c);
    }
    const std::size_t digits = c == 'x' ? 2 : 4;
    const std::string_view hex = script_.substr(at_, digits);
    unsigned code = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (error != std::errc() || hex.size() != digits || end != hex.data() + digits) return false;
    at_ += digits;
    append_utf8(text, code);
    return true;
  }

  std::string_view script_;
  std::size_t at_ = 0;
};

// Finds assignments to `location` and calls of its methods.
class LocationFinder {
 public:
  explicit LocationFinder(const std::vector<ScriptToken>& tokens) : tokens_(tokens) {}

  std::optional<std::string> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!take(i)) return std::nullopt;
    }
    if (!target_) return std::nullopt;
    const auto is_started = [this](const std::string& name) {
      for (std::size_t i = 1; i < tokens_.size(); ++i) {
        const bool is_call = has(i + 1, "(") && !tokens_[i - 1].is("function") && is_at_statement(i);
        if (tokens_[i].kind == Kind::word && tokens_[i].text == name && (is_call || runs_by_itself(i))) return true;
      }
      return false;
    };
    return std::ranges::all_of(functions_, is_started) ? target_ : std::nullopt;
  }

 private:
  using Kind = ScriptToken::Kind;

  bool has(std::size_t i, std::string_view sign) const { return i < tokens_.size() && tokens_[i].is(sign); }
  bool has_kind(std::size_t i, Kind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }

  // Returns false if the script does more than set `location`.
  bool take(std::size_t i) {
    const ScriptToken& token = tokens_[i];
    if (token.kind == Kind::sign) {
      if (token.text == "=" && has(i + 1, ">")) return is_arrow_run_at_once(i);
      if (token.text == "{" && i > 0 && tokens_[i - 1].is(")")) return is_body_of_function(i);
      return token.text != "?" && token.text != "&" && token.text != "|";
    }
    if (token.kind != Kind::word) return true;
    if (is_one_of(conditional_words, token.text)) return false;
    if (token.text.starts_with("on") && (token.text != "onload" || !is_of_window(i))) return false;
    if (token.text == "addEventListener" && !is_load_listener(i)) return false;
    if (token.text == "setTimeout") {
      if (!is_short_wait(i + 1)) return false;
      if (has_kind(i + 2, Kind::string)) return take_code(i + 2);
    }
    if (token.text == "function") return take_function(i);
    if (token.text == "var" || token.text == "let" || token.text == "const") {
      if (has(i + 1, "location")) return false;
      if (has_kind(i + 1, Kind::word) && has(i + 2, "=") && has_kind(i + 3, Kind::string) && !has(i + 4, "+") &&
          !has(i + 4, "."))
        variables_[tokens_[i + 1].text] = tokens_[i + 3].text;
    }
    if (token.text != "location" || !is_of_window(i)) return true;
    return take_location(i + 1);
  }

  // Reads code in a string, as in setTimeout("location = '/new'", 0).
  bool take_code(std::size_t i) {
    const std::optional<std::string> target = find_script_redirect(tokens_[i].text);
    return !target || keep(*target);
  }

  bool keep(const std::string& target) {
    if (target_ && *target_ != target) return false;
    target_ = target;
    return true;
  }

  // Accepts a function without parameters that the script runs, at once or when the page is loaded.
  bool take_function(std::size_t i) {
    const bool has_name = has_kind(i + 1, Kind::word);
    const std::size_t parameters = has_name ? i + 2 : i + 1;
    if (!has(parameters, "(") || !has(parameters + 1, ")")) return false;
    if (has_name) functions_.push_back(tokens_[i + 1].text);
    return has_name ? is_at_statement(i) : runs_by_itself(i) || is_called_at_once(i);
  }

  // `i` is the index of the "=" of "() => …".
  bool is_arrow_run_at_once(std::size_t i) const {
    if (i < 2 || !tokens_[i - 1].is(")") || !tokens_[i - 2].is("(")) return false;
    return runs_by_itself(i - 2) || is_called_at_once(i - 2);
  }

  // Returns true if the "{" at `i` follows "function go()". Methods do not have the word "function", and something else
  // must call them.
  bool is_body_of_function(std::size_t i) const {
    return (i >= 3 && tokens_[i - 3].is("function")) || (i >= 4 && tokens_[i - 4].is("function"));
  }

  bool is_at_statement(std::size_t i) const {
    return i == 0 || tokens_[i - 1].is(";") || tokens_[i - 1].is("}") || tokens_[i - 1].is("{");
  }

  // Returns true for "(function …" at the beginning of a statement. Scripts always call such a function.
  bool is_called_at_once(std::size_t i) const {
    return i > 0 && tokens_[i - 1].is("(") && (is_at_statement(i - 1) || tokens_[i - 2].is("!"));
  }

  // Returns true if the text before `i` makes the browser run the function that begins at `i`: a timer, or the end of
  // loading.
  bool runs_by_itself(std::size_t i) const {
    if (i < 2) return false;
    if (tokens_[i - 1].is("=")) return tokens_[i - 2].is("onload");
    if (tokens_[i - 1].is("(")) return tokens_[i - 2].is("setTimeout");
    return i >= 4 && tokens_[i - 1].is(",") && tokens_[i - 3].is("(") && is_load_listener(i - 4);
  }

  // Returns true for addEventListener("load", …).
  bool is_load_listener(std::size_t i) const {
    return has(i, "addEventListener") && is_of_window(i) && has(i + 1, "(") && has_kind(i + 2, Kind::string) &&
           has(i + 3, ",") && (tokens_[i + 2].text == "load" || tokens_[i + 2].text == "DOMContentLoaded");
  }

  // Returns true if the call that opens at `i` has no delay, or a short delay as a plain number of milliseconds.
  bool is_short_wait(std::size_t i) const {
    if (!has(i, "(")) return false;
    std::size_t comma = 0;
    int depth = 0;
    for (std::size_t at = i; at < tokens_.size(); ++at) {
      if (has(at, "(") || has(at, "{") || has(at, "[")) ++depth;
      if (has(at, ")") || has(at, "}") || has(at, "]")) --depth;
      if (depth == 0) return comma == 0 || (comma + 2 == at && is_short(tokens_[comma + 1]));
      if (depth != 1 || !has(at, ",")) continue;
      if (comma != 0) return false;
      comma = at;
    }
    return false;
  }

  static bool is_short(const ScriptToken& token) {
    int milliseconds = 0;
    const char* const end = token.text.data() + token.text.size();
    return token.kind == Kind::number && std::from_chars(token.text.data(), end, milliseconds).ptr == end &&
           milliseconds <= max_script_delay;
  }

  // Returns true for `location` itself or that of the window, and false if it is a property of another object.
  bool is_of_window(std::size_t i) const {
    constexpr std::array<std::string_view, 6> owners{"window", "document", "self", "top", "parent", "globalThis"};
    while (i >= 2 && tokens_[i - 1].is(".")) {
      if (!is_one_of(owners, tokens_[i - 2].text)) return false;
      i -= 2;
    }
    return true;
  }

  // `i` is the index after "location".
  bool take_location(std::size_t i) {
    if (has(i, ".") && has(i + 1, "href")) i += 2;
    if (has(i, "=") && !has(i + 1, "=")) return take_value(i + 1);
    const bool is_call = has(i, ".") && (has(i + 1, "replace") || has(i + 1, "assign")) && has(i + 2, "(");
    return !is_call || take_value(i + 3);
  }

  bool take_value(std::size_t i) {
    if (i >= tokens_.size()) return false;
    const ScriptToken& token = tokens_[i];
    std::string value = token.text;
    if (token.kind == Kind::word) {
      const auto variable = variables_.find(token.text);
      if (variable == variables_.end()) return false;
      value = variable->second;
    } else if (token.kind != Kind::string) {
      return false;
    }
    for (++i; has(i, "+");) {
      if (!skip_part_of_address(++i)) return false;
    }
    return !has(i, ".") && !has(i, "[") && keep(value);
  }

  // Skips "window.location.search", "location.hash" and the like.
  bool skip_part_of_address(std::size_t& i) const {
    std::string_view last;
    while (has_kind(i, Kind::word)) {
      last = tokens_[i].text;
      ++i;
      if (!has(i, ".")) break;
      ++i;
    }
    return last == "search" || last == "hash";
  }

  const std::vector<ScriptToken>& tokens_;
  std::map<std::string, std::string, std::less<>> variables_;
  std::vector<std::string> functions_;  // named functions; a function that is never called has no effect
  std::optional<std::string> target_;
};

}  // namespace

std::optional<std::string> find_script_redirect(std::string_view script) {
  if (script.size() > max_script_bytes) return std::nullopt;
  const std::optional<std::vector<ScriptToken>> tokens = ScriptReader(script).read();
  return tokens ? LocationFinder(*tokens).run() : std::nullopt;
}

}  // namespace linkherd::parser
