#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/line_index.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t tag_length = 2;
constexpr std::string_view after_tag = "  -";

// Returns true for a line with a tag, such as "UR  - https://…". Other lines continue the previous field.
bool has_tag(std::string_view line) {
  const auto may_be_in_tag = [](char c) { return (c >= 'A' && c <= 'Z') || is_ascii_digit(c); };
  return line.size() >= tag_length + after_tag.size() && may_be_in_tag(line[0]) && may_be_in_tag(line[1]) &&
         line.substr(tag_length).starts_with(after_tag);
}

ValueRole find_tag_role(std::string_view tag) {
  if (tag == "UR") return ValueRole::page;
  const bool is_url = tag == "LK" || (tag.starts_with('L') && tag[1] >= '1' && tag[1] <= '4');
  return is_url ? ValueRole::url : ValueRole::any;
}

// Reads RIS records, which begin with TY and end with ER.
class RisReader {
 public:
  explicit RisReader(std::string_view text) : text_(text), records_(found_) {}

  FoundLinks read() {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = find_line_break(text_, start);
      read_line(start, end);
      start = after_line_break(text_, end);
    }
    close();
    records_.finish();
    return std::move(found_);
  }

 private:
  void read_line(std::size_t start, std::size_t end) {
    const std::string_view line = text_.substr(start, end - start);
    const bool tagged = has_tag(line);
    const std::string_view tag = tagged ? line.substr(0, tag_length) : std::string_view();
    if (tag == "TY") {
      close();
      return records_.open();
    }
    if (tag == "ER") return close();
    if (tagged) start += tag_length + after_tag.size();
    value_.clear();
    value_.copy(text_, {start, end - start});
    const bool is_title = tag == "TI" || tag == "T1";
    if (is_title && records_.any_open()) records_.set_title(trim_ascii(value_.text()));
    const std::size_t before = found_.links.size();
    add_value_links(value_, find_tag_role(tag), found_);
    if (tag == "DO" && found_.links.size() == before) add_doi_link(value_, found_);
  }

  void close() {
    if (records_.any_open()) records_.close();
  }

  std::string_view text_;
  FoundLinks found_;
  DataRecords records_;
  MappedText value_;
};

}  // namespace

FoundLinks read_ris_links(std::string_view text) { return RisReader(text).read(); }

}  // namespace linkherd::parser
