#include "crawler/fix/unified_diff.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace linkherd::crawler {
namespace {

constexpr std::size_t context_lines = 3;

// Quotes names as git does: non-ASCII bytes are octal, even in UTF-8.
std::string quoted(std::string_view side, std::string_view file) {
  static constexpr std::string_view letters = R"(abtnvfr"\)";
  static constexpr std::string_view meanings = "\a\b\t\n\v\f\r\"\\";
  const auto is_odd = [](unsigned char c) { return c < 0x20 || c >= 0x7F || c == '"' || c == '\\'; };
  const bool has_space = file.find(' ') != std::string_view::npos;
  if (std::ranges::none_of(file, is_odd)) return fmt::format("{}/{}{}", side, file, has_space ? "\t" : "");
  std::string name;
  for (const char c : file) {
    if (!is_odd(static_cast<unsigned char>(c))) {
      name += c;
    } else if (const std::size_t letter = meanings.find(c); letter != std::string_view::npos) {
      name.append({'\\', letters[letter]});
    } else {
      name += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return fmt::format("\"{}/{}\"", side, name);
}

std::size_t line_start(std::string_view text, std::size_t offset) {
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Returns the number of lines.
std::size_t add_lines(std::string& diff, char mark, std::string_view lines) {
  std::size_t count = 0;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, line_end(lines, 0));
    lines.remove_prefix(line.size());
    diff.append(1, mark).append(line);
    if (!line.ends_with('\n')) diff += "\n\\ No newline at end of file\n";
    ++count;
  }
  return count;
}

// A block of complete lines that change.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string lines;  // replacement
};

std::vector<Block> blocks_of(std::string_view bytes, const std::vector<TextEdit>& edits) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < edits.size();) {
    Block block{line_start(bytes, edits[i].offset), line_end(bytes, edits[i].offset + edits[i].length), {}};
    std::vector<TextEdit> inside;
    for (; i < edits.size() && line_start(bytes, edits[i].offset) <= block.end; ++i) {
      block.end = std::max(block.end, line_end(bytes, edits[i].offset + edits[i].length));
      inside.push_back(edits[i]);
      inside.back().offset -= block.begin;
    }
    block.lines = with_edits(bytes.substr(block.begin, block.end - block.begin), inside);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::size_t lines_before(std::string_view bytes, std::size_t offset) {
  for (std::size_t i = 0; i < context_lines && offset > 0; ++i) offset = line_start(bytes, offset - 1);
  return offset;
}

std::size_t lines_after(std::string_view bytes, std::size_t offset) {
  for (std::size_t i = 0; i < context_lines && offset < bytes.size(); ++i) offset = line_end(bytes, offset);
  return offset;
}

}  // namespace

std::string unified_diff(std::string_view file, std::string_view bytes, const std::vector<TextEdit>& edits) {
  std::string diff = fmt::format("--- {}\n+++ {}\n", quoted("a", file), quoted("b", file));
  const std::vector<Block> blocks = blocks_of(bytes, edits);
  std::size_t line = 1, counted = 0;  // number of the line at offset `counted`
  std::int64_t added = 0;             // lines added by previous hunks
  for (std::size_t i = 0; i < blocks.size();) {
    const std::size_t begin = lines_before(bytes, blocks[i].begin);
    line += static_cast<std::size_t>(std::ranges::count(bytes.substr(counted, begin - counted), '\n'));
    counted = begin;
    std::string lines;
    std::size_t before = 0, after = 0, at = begin;
    for (;; ++i) {
      const std::size_t kept = add_lines(lines, ' ', bytes.substr(at, blocks[i].begin - at));
      before += kept + add_lines(lines, '-', bytes.substr(blocks[i].begin, blocks[i].end - blocks[i].begin));
      after += kept + add_lines(lines, '+', blocks[i].lines);
      at = blocks[i].end;
      if (i + 1 == blocks.size() || lines_before(bytes, blocks[i + 1].begin) > lines_after(bytes, at)) break;
    }
    ++i;
    const std::size_t kept = add_lines(lines, ' ', bytes.substr(at, lines_after(bytes, at) - at));
    before += kept;
    after += kept;
    diff += fmt::format("@@ -{},{} +{},{} @@\n{}", line, before, static_cast<std::int64_t>(line) + added, after, lines);
    added += static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
  return diff;
}

}  // namespace linkherd::crawler
