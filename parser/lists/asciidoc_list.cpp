#include "parser/lists/asciidoc_list.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/asciidoc_inline.h"
#include "parser/lists/data_values.h"
#include "parser/lists/html_list.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/list_text.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/prose_lines.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_attribute_bytes = 2048;

// "----", "....", "////", "++++" and "```": what lies between two of them is not running text.
bool is_fence(std::string_view line) {
  if (line.starts_with("```")) return true;
  return line.size() >= 4 && std::string_view("-./+").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

// "====", "****", "|===": the bounds of blocks of running text.
bool is_boundary(std::string_view line) {
  return line == "--" ||
         (line.size() >= 4 && std::string_view("=*_|!,:").find(line[0]) != std::string_view::npos &&
          line.find_first_not_of(line[1]) >= 1 && line.substr(1).find_first_not_of(line[1]) == std::string_view::npos &&
          !is_ascii_letter(line[1]));
}

class AsciidocReader {
 public:
  AsciidocReader(std::string_view list, bool include_verbatim) : list_(list), include_verbatim_(include_verbatim) {}

  FoundLinks read() {
    while (at_ < list_.size()) read_block();
    for (const auto& [name, attribute] : attributes_) {
      if (attribute.used || attribute.value.find("://") == std::string::npos) continue;
      found_.links.push_back(
          {attribute.range.offset, attribute.range.length, LinkElement::definition, attribute.value, name, false});
    }
    return std::move(found_);
  }

 private:
  std::string_view slice(const ProseLine& line) const { return list_.substr(line.start, line.end - line.start); }

  void read_block() {
    const ProseLine line = prose_line(list_, at_);
    const std::string_view words = slice(line);
    at_ = line.next;
    if (line.blank() || is_boundary(words)) {
      verbatim_next_ = verbatim_next_ && !line.blank();
    } else if (is_fence(words)) {
      read_fenced(words);
    } else if (words.starts_with("//")) {
      note_comment(list_, line.range(), found_);
    } else if (words.starts_with("[") && words.ends_with("]") && !words.starts_with("[[") && words.size() < 500) {
      read_block_attributes(words);
    } else if (!read_attribute(line) && !read_heading(line)) {
      read_paragraph(line);
    }
  }

  void read_block_attributes(std::string_view words) {
    for (const std::string_view style : {"[source", "[listing", "[literal", "[,"}) {
      verbatim_next_ = verbatim_next_ || words.starts_with(style);
    }
  }

  void read_fenced(std::string_view fence) {
    const std::size_t start = at_;
    std::size_t end = list_.size();
    const std::string_view closing = fence.starts_with("```") ? fence.substr(0, 3) : fence;
    while (at_ < list_.size()) {
      const ProseLine line = prose_line(list_, at_);
      if (slice(line) == closing) {
        end = at_;
        at_ = line.next;
        break;
      }
      at_ = line.next;
    }
    verbatim_next_ = false;
    const TextRange inside{start, end - start};
    if (fence[0] == '/') return note_comment(list_, inside, found_);
    if (fence[0] == '+') {
      MappedText html;
      html.copy(list_, inside);
      add_mapped(found_, read_html_list(html.text(), include_verbatim_), html);
    } else if (include_verbatim_) {
      add_prose_links(list_, inside, found_);
    }
  }

  // ":name: value"
  bool read_attribute(const ProseLine& line) {
    const std::string_view words = slice(line);
    const std::size_t colon = words.starts_with(':') && line.indent == 0 ? words.find(':', 1) : std::string_view::npos;
    if (colon == std::string_view::npos || colon == 1 || words.substr(0, colon).find(' ') != std::string_view::npos) {
      return false;
    }
    const std::string_view value = trim_ascii(words.substr(colon + 1));
    if (value.size() > max_attribute_bytes) return true;
    AsciidocAttribute attribute;
    attribute.range = {static_cast<std::size_t>(value.data() - list_.data()), value.size()};
    attribute.value = value;
    // A value may name earlier ones.
    for (std::size_t open = value.find('{'); open != std::string_view::npos; open = std::string_view::npos) {
      const std::size_t close = value.find('}', open);
      const auto earlier = close == std::string_view::npos
                               ? attributes_.end()
                               : attributes_.find(std::string(value.substr(open + 1, close - open - 1)));
      if (earlier == attributes_.end()) continue;
      attribute.value =
          std::string(value.substr(0, open)) + earlier->second.value + std::string(value.substr(close + 1));
      attribute.value.resize(std::min(attribute.value.size(), max_attribute_bytes));
    }
    attributes_.insert_or_assign(std::string(words.substr(1, colon - 1)), std::move(attribute));
    return true;
  }

  bool read_heading(const ProseLine& line) {
    const std::string_view words = slice(line);
    const std::size_t marks = words.find_first_not_of(words[0]);
    if ((words[0] != '=' && words[0] != '#') || marks == std::string_view::npos || marks > 6 || words[marks] != ' ') {
      return false;
    }
    found_.headings.push_back({line.start, collapse_space(words.substr(marks), max_heading_bytes)});
    read_asciidoc_inline(list_, line.range(), include_verbatim_, attributes_, found_);
    return true;
  }

  void read_paragraph(const ProseLine& first) {
    ProseLine last = first;
    while (last.next < list_.size()) {
      const ProseLine line = prose_line(list_, last.next);
      const std::string_view words = slice(line);
      if (line.blank() || is_fence(words) || is_boundary(words) || words.starts_with("//")) break;
      last = line;
    }
    at_ = last.next;
    if (std::exchange(verbatim_next_, false)) {
      if (include_verbatim_) add_prose_links(list_, {first.start, last.end - first.start}, found_);
      return;
    }
    read_asciidoc_inline(list_, {first.start, last.end - first.start}, include_verbatim_, attributes_, found_);
  }

  std::string_view list_;
  bool include_verbatim_;
  std::size_t at_ = 0;
  FoundLinks found_;
  AsciidocAttributes attributes_;
  bool verbatim_next_ = false;  // "[source]" stood in front
};

}  // namespace

FoundLinks read_asciidoc_list(std::string_view text, bool include_verbatim) {
  return AsciidocReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
