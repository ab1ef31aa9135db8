#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "parser/ascii.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/data/json_scanner.h"
#include "parser/lists/data/quoted_strings.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {
namespace {

constexpr std::array<std::string_view, 6> linking_properties{"sameas",           "image",     "logo",
                                                             "mainentityofpage", "isbasedon", "license"};

// Whether JSON-LD's property holds addresses of pages and files, and no vocabulary.
bool links_by_json_ld(std::string_view key) {
  if (key.size() > 64) return false;
  const std::string lower = to_ascii_lower(key);
  return lower.ends_with("url") || lower == "coderepository" ||
         std::ranges::find(linking_properties, lower) != linking_properties.end();
}

class JsonReader {
 public:
  JsonReader(std::string_view list, TextRange range, bool json_ld, FoundLinks& found)
      : list_(list), scanner_(list, range), json_ld_(json_ld), found_(found), titles_(found) {}

  void read() {
    using Kind = JsonToken::Kind;
    while (const std::optional<JsonToken> token = scanner_.next()) {
      switch (token->kind) {
        case Kind::open_object:
          titles_.open();
          key_ = {};
          break;
        case Kind::close_object:
          titles_.close();
          key_ = {};
          break;
        case Kind::key: key_ = list_.substr(token->range.offset, token->range.length); break;
        case Kind::string: read_value(token->range); break;
        case Kind::comment: note_comment(list_, token->range, found_); break;
        default: break;  // an array's values belong to its key
      }
    }
    while (titles_.any_open()) titles_.close();
  }

 private:
  void read_value(TextRange range) {
    const ValueRole role = role_of(key_);
    value_.clear();
    unescape_quoted(list_, range, QuoteStyle::json, value_);
    if (role == ValueRole::title) titles_.set_title(value_.text());
    if (json_ld_ && !links_by_json_ld(key_)) return;
    add_value_links(value_, json_ld_ ? ValueRole::url : role, found_);
  }

  std::string_view list_;
  JsonScanner scanner_;
  bool json_ld_;
  FoundLinks& found_;
  EntryTitles titles_;
  std::string_view key_;  // the last one
  MappedText value_;
};

}  // namespace

FoundLinks read_json_list(std::string_view text) {
  FoundLinks found;
  JsonReader(text, {0, text.size()}, false, found).read();
  return found;
}

void add_json_ld_links(std::string_view list, TextRange block, FoundLinks& found) {
  JsonReader(list, block, true, found).read();
}

}  // namespace linkherd::parser
