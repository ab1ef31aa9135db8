#include "parser/lists/markdown/markdown_positions.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/character_references.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

// The maximum distance between the text of a link and its target. Brackets, emphasis marks, white space and quote
// markers may be in between.
constexpr std::size_t max_gap = 1000;

std::string decoded(const MD_ATTRIBUTE& attribute) {
  std::string result;
  for (std::size_t i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const std::string_view part(attribute.text + attribute.substr_offsets[i],
                                attribute.substr_offsets[i + 1] - attribute.substr_offsets[i]);
    result += attribute.substr_types[i] == MD_TEXT_ENTITY ? decode_references(part) : std::string(part);
  }
  return result;
}

}  // namespace

bool contains_offset(const std::vector<TextRange>& ranges, std::size_t offset) {
  const auto after = std::ranges::upper_bound(ranges, offset, {}, &TextRange::offset);
  if (after == ranges.begin()) return false;
  const TextRange& range = *std::prev(after);
  return offset < range.offset + range.length;
}

std::optional<std::size_t> MarkdownPositions::offset_of(const char* pointer) const {
  const std::less<> before;  // a total order, even for pointers into other texts
  if (pointer == nullptr || before(pointer, text_.data()) || !before(pointer, text_.data() + text_.size()))
    return std::nullopt;
  return static_cast<std::size_t>(pointer - text_.data());
}

std::optional<std::size_t> MarkdownPositions::note_text(std::string_view piece) {
  const std::optional<std::size_t> offset = offset_of(piece.data());
  if (!offset || piece.empty()) return std::nullopt;
  if (!open_.empty()) read_autolink(open_.back(), *offset);
  texts_.push_back({*offset, piece.size()});
  last_ = std::max(last_, *offset + piece.size());
  return offset;
}

std::size_t MarkdownPositions::open(LinkElement element, const MD_ATTRIBUTE& target) {
  Open open{element, {}, decoded(target), std::nullopt, 0, last_};
  open.offset = offset_of(target.text);
  open.length = target.size;
  if (!open.offset) open.raw.assign(target.text == nullptr ? "" : target.text, target.size);
  open_.push_back(std::move(open));
  return open_.size() - 1;
}

// Handles "<https://…>" and "<name@host>", where the text is the target.
void MarkdownPositions::read_autolink(Open& open, std::size_t offset) {
  if (open.element != LinkElement::link || offset == 0 || text_[offset - 1] != '<') return;
  if (open.offset) {
    if (*open.offset == offset) open.element = LinkElement::autolink;
    return;
  }
  std::string_view raw = open.raw;
  if (raw.starts_with("mailto:") && !text_.substr(offset).starts_with("mailto:")) raw.remove_prefix(7);
  const std::size_t length = match_escaped(text_.substr(offset), raw);
  if (length == 0 || text_.substr(offset + length, 1) != ">") return;
  open.element = LinkElement::autolink;
  open.offset = offset;
  open.length = length;
}

FoundLink MarkdownPositions::close(std::size_t id) {
  Open open = std::move(open_[id]);
  open_.resize(id);
  if (!open.offset) find_copy(open);
  const bool defined = std::ranges::binary_search(definitions_, *open.offset, {}, &MarkdownDefinition::offset);
  if (!defined && open.length > 0) last_ = std::max(last_, *open.offset + open.length);
  // md4c interprets "<<https://…>" as an autolink to "<https://…".
  while (open.element == LinkElement::autolink && open.length > 1 && open.target.starts_with('<')) {
    ++*open.offset;
    --open.length;
    open.target.erase(0, 1);
  }
  FoundLink link{*open.offset, open.length, open.element, open.target, {}, false};
  if (defined) link.link_offset = static_cast<std::uint32_t>(open.accounted);
  return link;
}

void MarkdownPositions::find_copy(Open& open) {
  if (find_after_text(open) || find_definition(open)) return;
  open.offset = last_ < text_.size() ? last_ : 0;  // the approximate position of the link
  open.length = 0;
}

// Finds the next "](target" after the text of the link and its closing marks.
bool MarkdownPositions::find_after_text(Open& open) const {
  const std::string_view gap = text_.substr(last_, max_gap);
  for (std::size_t at = gap.find("]("); at != std::string_view::npos; at = gap.find("](", at + 1)) {
    // No other "[" may be in between, because it would belong to a reference or to the next link.
    if (last_ > open.accounted && gap.substr(0, at).find('[') != std::string_view::npos) return false;
    std::size_t start = skip_to_markdown_target(text_, last_ + at + 2);
    if (text_.substr(start, 1) == "<") ++start;
    const std::size_t length = match_escaped(text_.substr(start), open.raw);
    if ((length == 0 && !open.raw.empty()) ||
        std::string_view(" \t\r\n)>").find(text_.substr(start + length, 1)) == std::string_view::npos)
      continue;
    open.offset = start;
    open.length = length;
    return true;
  }
  return false;
}

bool MarkdownPositions::find_definition(Open& open) {
  if (definition_by_target_.empty()) {
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      definition_by_target_.try_emplace(unescape_markdown(text_.substr(definitions_[i].offset, definitions_[i].length)),
                                        i);
    }
  }
  const auto found = definition_by_target_.find(open.raw);
  if (found == definition_by_target_.end()) return false;
  open.offset = definitions_[found->second].offset;
  open.length = definitions_[found->second].length;
  return true;
}

bool MarkdownPositions::has_definitions() const {
  return std::ranges::any_of(definitions_, [this](const MarkdownDefinition& definition) {
    return !definition.label.starts_with('^') && !contains_offset(texts_, definition.colon);
  });
}

void MarkdownPositions::add_definitions(FoundLinks& found) {
  if (definitions_.empty()) return;
  std::vector<std::size_t> used;
  used.reserve(found.links.size());
  for (const FoundLink& link : found.links) used.push_back(link.offset);
  std::ranges::sort(used);
  std::vector<std::size_t> notes;
  for (const MarkdownDefinition& definition : definitions_) {
    // If it is not a definition, md4c reports its colon as text. Its target may begin with a mark of a code span or of
    // emphasis, which md4c does not report.
    const bool is_text = contains_offset(texts_, definition.colon) || contains_offset(texts_, definition.offset);
    if (is_text) continue;
    const std::string_view written = text_.substr(definition.offset, definition.length);
    if (definition.label.starts_with('^')) {
      // A footnote of one word has a link only if that word is a URL.
      notes.push_back(definition.offset);
      BareUrlScanner scanner(written, BareUrlContext::markup);
      while (const std::optional<BareUrl> url = scanner.next()) {
        found.links.emplace_back(definition.offset + url->offset, url->length, LinkElement::bare,
                                 decode_references(unescape_markdown(written.substr(url->offset, url->length))),
                                 FoundText(), false);
      }
    } else if (!std::ranges::binary_search(used, definition.offset)) {
      found.links.emplace_back(definition.offset, definition.length, LinkElement::definition,
                               decode_references(unescape_markdown(written)),
                               std::string(definition.label.substr(0, max_link_text_bytes)), false);
    }
  }
  std::erase_if(found.links, [&](const FoundLink& link) {
    return link.element != LinkElement::bare && std::ranges::binary_search(notes, link.offset);
  });
}

}  // namespace linkherd::parser
