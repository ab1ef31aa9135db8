#include "parser/lists/mapped_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace linkherd::parser {

void MappedText::copy(std::string_view document, TextRange range) {
  if (range.length == 0) return;
  const bool continues = !pieces_.empty() && pieces_.back().escaped == 0 &&
                         pieces_.back().source + (text_.size() - pieces_.back().at) == range.offset;
  if (!continues) {
    pieces_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(range.offset), 0});
  }
  text_.append(document.substr(range.offset, range.length));
}

void MappedText::append_decoded(TextRange range, std::string_view meaning) {
  if (meaning.empty() || range.length == 0) return;
  pieces_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(range.offset),
                     static_cast<std::uint32_t>(range.length)});
  text_.append(meaning);
}

void MappedText::clear() {
  text_.clear();
  pieces_.clear();
}

const MappedText::Piece& MappedText::piece_at(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(pieces_, offset, {}, [](const Piece& piece) { return piece.at; });
  return after == pieces_.begin() ? pieces_.front() : *std::prev(after);
}

TextRange MappedText::source_range(TextRange range) const {
  if (pieces_.empty()) return {};
  const Piece& first = piece_at(range.offset);
  const std::size_t start = first.source + (first.escaped == 0 ? range.offset - first.at : 0);
  if (range.length == 0) return {start, 0};
  const std::size_t last_byte = range.offset + range.length - 1;
  const Piece& last = piece_at(last_byte);
  const std::size_t end = last.source + (last.escaped == 0 ? last_byte - last.at + 1 : last.escaped);
  return {start, end - start};
}

void add_mapped(FoundLinks& found, FoundLinks inner, const MappedText& text) {
  for (FoundLink& link : inner.links) {
    const TextRange range = text.source_range({link.offset, link.length});
    link.offset = static_cast<std::uint32_t>(range.offset);
    link.length = static_cast<std::uint32_t>(range.length);
    if (link.link_offset != FoundLink::no_offset)
      link.link_offset = static_cast<std::uint32_t>(text.source_range({link.link_offset, 0}).offset);
    if (link.entry != 0) link.entry += found.entries;
    found.links.push_back(std::move(link));
  }
  for (FoundHeading& heading : inner.headings) {
    heading.offset = text.source_range({heading.offset, 0}).offset;
    found.headings.push_back(std::move(heading));
  }
  for (FoundBookmark& bookmark : inner.bookmarks) {
    bookmark.offset = text.source_range({bookmark.offset, 0}).offset;
    found.bookmarks.push_back(std::move(bookmark));
  }
  found.entries += inner.entries;
  for (const TextRange& comment : inner.comments) found.comments.push_back(text.source_range(comment));
  std::ranges::move(inner.anchors, std::back_inserter(found.anchors));
}

}  // namespace linkherd::parser
