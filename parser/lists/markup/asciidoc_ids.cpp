#include "parser/lists/markup/asciidoc_ids.h"

#include <algorithm>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/found_link.h"
#include "parser/lists/heading_slugs.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

constexpr bool is_part_of_word(char c) { return is_ascii_alphanumeric(c) || is_not_ascii(c) || c == '_'; }

// Removes the marks of emphasis, as in "the _best_ part". Ids keep only underscores such as in "snake_case".
std::string without_emphasis(std::string_view title) {
  std::string plain;
  for (std::size_t at = 0; at < title.size(); ++at) {
    if (title[at] != '_') {
      plain += title[at];
      continue;
    }
    const std::size_t end = std::min(title.find_first_not_of('_', at), title.size());
    const bool has_word_before = at > 0 && is_part_of_word(title[at - 1]);
    const bool has_word_after = end < title.size() && is_part_of_word(title[end]);
    if (end - at == 1 && has_word_before == has_word_after) plain += '_';
    at = end - 1;
  }
  return plain;
}

}  // namespace

std::string asciidoc_name(std::string_view text) {
  std::string name(text);
  std::erase_if(name, [](char c) { return c == '`' || c == '*' || c == '+' || c == '#' || c == '\\'; });
  return collapse_space(without_emphasis(name), max_heading_bytes);
}

void AsciidocIds::add(std::string_view id) {
  if (id.empty()) return;
  ids_.emplace_back(id);
  counts_.try_emplace(std::string(id), 1);
}

void AsciidocIds::add_name(std::string_view name) {
  if (std::string plain = asciidoc_name(name); !plain.empty()) ids_.push_back(std::move(plain));
}

void AsciidocIds::add_section(std::string_view title, const Style& style) {
  using Pair = std::pair<std::string_view, std::string_view>;
  std::vector<Pair> styles{{style.prefix, style.separator}, {"", "-"}};
  if (!style.is_set) styles.insert(styles.end(), {Pair{"_", "-"}, Pair{"", "_"}});
  std::vector<std::string> titles{std::string(title)};
  if (std::string plain = without_emphasis(title); plain != title) titles.push_back(std::move(plain));
  std::vector<std::string> added;
  for (const Pair& one : styles) {
    for (const std::string& shown : titles) {
      std::string id = asciidoctor_id(shown, one.first, one.second);
      if (id.empty() || std::ranges::find(added, id) != added.end()) continue;
      add_numbered(id, style.separator);
      added.push_back(std::move(id));
    }
  }
  add_name(title);
}

// Adds an id with a number if it is repeated: the first "a" is a, and the next ones are a_2 and a_3, or a-2 and a-3.
void AsciidocIds::add_numbered(const std::string& id, std::string_view separator) {
  const std::size_t count = ++counts_[id];
  if (count == 1) {
    ids_.push_back(id);
    return;
  }
  const std::string number = std::to_string(count);
  for (const std::string_view mark : {separator, std::string_view("-"), std::string_view("_")})
    ids_.push_back(std::string(id).append(mark).append(number));
}

std::vector<std::string> AsciidocIds::finish() { return std::move(ids_); }

}  // namespace linkherd::parser
