#include "parser/lists/markdown/includes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"
#include "parser/lists/markdown/markdown_positions.h"
#include "parser/lists/markdown/markdown_preprocessor.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_directive_bytes = 1000;

constexpr bool is_directive_name(char c) { return is_ascii_alphanumeric(c) || c == '_' || c == '-'; }

// Reads words from the front of a part of the text.
class Words {
 public:
  Words(std::string_view text, TextRange range) : text_(text), at_(range.offset), end_(range.offset + range.length) {
    skip_space();
  }

  std::string_view rest() const { return text_.substr(at_, end_ - at_); }
  std::size_t offset() const { return at_; }

  void skip(std::size_t bytes) { at_ += std::min(bytes, end_ - at_); }
  void skip_space() {
    while (at_ < end_ && is_ascii_space(text_[at_])) ++at_;
  }

  // Reads a name of letters, digits, "_" and "-".
  std::string_view name() {
    const std::size_t from = at_;
    while (at_ < end_ && is_directive_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(from, at_ - from);
    skip_space();
    return name;
  }

  // Reads a word or the content of quotes.
  TextRange value() {
    constexpr std::string_view quotes = "\"'`";
    const bool is_quoted = at_ < end_ && quotes.find(text_[at_]) != std::string_view::npos;
    const std::size_t from = at_ + (is_quoted ? 1 : 0);
    std::size_t to = from;
    while (to < end_ && (is_quoted ? text_[to] != text_[at_] : !is_ascii_space(text_[to]))) ++to;
    at_ = std::min(end_, to + (is_quoted ? 1 : 0));
    skip_space();
    return {from, to - from};
  }

 private:
  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
};

class IncludeFinder {
 public:
  IncludeFinder(std::string_view text, const std::vector<TextRange>& code) : text_(text), code_(code) {}

  std::vector<FoundLink> run(SiteGenerator generator) {
    switch (generator) {
      case SiteGenerator::mdbook: read_between("{{", "}}", &IncludeFinder::read_mdbook); break;
      case SiteGenerator::hugo:
        read_between("{{<", ">}}", &IncludeFinder::read_hugo);
        read_between("{{%", "%}}", &IncludeFinder::read_hugo);
        break;
      case SiteGenerator::quarto: read_between("{{<", ">}}", &IncludeFinder::read_quarto); break;
      case SiteGenerator::jekyll:
        if (front_matter_length(text_) > 0) read_between("{%", "%}", &IncludeFinder::read_jekyll);
        break;
      case SiteGenerator::vitepress:
        read_between("<!--", "-->", &IncludeFinder::read_vitepress_comment);
        read_lines(&IncludeFinder::read_vitepress_line);
        break;
      case SiteGenerator::mkdocs:
        read_lines(&IncludeFinder::read_snippet_line);
        read_between("{%", "%}", &IncludeFinder::read_mkdocs);
        break;
      case SiteGenerator::sphinx: read_lines(&IncludeFinder::read_myst_line); break;
      default: break;
    }
    std::ranges::stable_sort(found_, {}, &FoundLink::offset);
    return std::move(found_);
  }

 private:
  using Reader = void (IncludeFinder::*)(TextRange);

  void read_between(std::string_view open, std::string_view close, Reader read) {
    for (std::size_t at = text_.find(open); at != std::string_view::npos; at = text_.find(open, at)) {
      const std::size_t from = at + open.size();
      const std::string_view window = text_.substr(from, max_directive_bytes);
      const std::size_t length = window.find(close);
      at = from;
      const bool is_escaped = from > open.size() &&
                              (text_[from - open.size() - 1] == '\\' || text_[from - open.size() - 1] == open.front());
      if (length == std::string_view::npos) continue;
      if (!is_escaped && until_.empty()) {
        (this->*read)({from, length});
      } else if (!until_.empty() && trim_ascii(window.substr(0, length)).find(until_) != std::string_view::npos) {
        until_ = {};
      }
    }
  }

  void read_lines(Reader read) {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = find_line_break(text_, start);
      const std::size_t first = std::min(text_.find_first_not_of(" \t", start), end);
      (this->*read)({first, end - first});
      start = after_line_break(text_, end);
    }
  }

  std::string_view part(TextRange range) const { return text_.substr(range.offset, range.length); }

  void add(TextRange path, std::string_view directive, LinkElement element = LinkElement::include) {
    const std::string_view written = part(path);
    const bool is_path = !written.empty() && written.size() < max_directive_bytes &&
                         written.find_first_of("*<>|\r\n") == std::string_view::npos;
    if (is_path) found_.emplace_back(path.offset, path.length, element, FoundText(written), FoundText(directive));
  }

  // Returns the part of the path before the first character of `marks`.
  TextRange before(TextRange path, std::string_view marks) const {
    return {path.offset, std::min(part(path).find_first_of(marks), path.length)};
  }

  // Reads "#include x.rs:2:10" and "#playground x.rs editable".
  void read_mdbook(TextRange inside) {
    Words words(text_, inside);
    if (!words.rest().starts_with('#')) return;
    words.skip(1);
    const std::string_view name = words.name();
    constexpr std::array<std::string_view, 4> names{"include", "rustdoc_include", "playground", "playpen"};
    if (!is_one_of(names, name)) return;
    const TextRange rest{words.offset(), trim_ascii(words.rest()).size()};
    add(name.starts_with("play") ? words.value() : before(rest, ":"), name);
  }

  // Reads `ref "x.md#part"` and `relref path="x"`.
  void read_hugo(TextRange inside) {
    Words words(text_, inside);
    const std::string_view name = words.name();
    if (name != "ref" && name != "relref") return;
    constexpr std::string_view path = "path";
    if (words.rest().starts_with(path) && trim_ascii(words.rest().substr(path.size())).starts_with('=')) {
      words.skip(words.rest().find('=') + 1);
      words.skip_space();
    }
    const TextRange target = words.value();
    if (words.rest().empty()) add(target, name);  // with a language or an output format, the page may be another one
  }

  void read_quarto(TextRange inside) {
    Words words(text_, inside);
    const std::string_view name = words.name();
    if (name == "include") add(words.value(), name);
    if (name == "embed") add(before(words.value(), "#"), name);
  }

  void read_jekyll(TextRange inside) {
    Words words(text_, inside);
    if (words.rest().starts_with('-')) words.skip(1);
    words.skip_space();
    const std::string_view name = words.name();
    if (name == "raw" || name == "comment") until_ = name == "raw" ? "endraw" : "endcomment";
    constexpr std::array<std::string_view, 5> names{"link", "post_url", "include_relative", "include",
                                                    "include_cached"};
    if (!is_one_of(names, name)) return;
    const TextRange path = words.value();
    const std::string_view rest = words.rest();
    if (rest.empty() || rest == "-" || name.starts_with("include")) add(path, name);
  }

  // Reads `include-markdown "x.md" start="<!--a-->"` of the plugin with this name, which also supports "include".
  void read_mkdocs(TextRange inside) {
    Words words(text_, inside);
    const std::string_view name = words.name();
    if (name != "include-markdown" && name != "include") return;
    const bool is_quoted = words.rest().starts_with('"') || words.rest().starts_with('\'');
    const TextRange path = words.value();
    if (is_quoted) add(path, name);
  }

  // Reads "@include: ./x.md#part{1,3}".
  void read_vitepress_comment(TextRange inside) {
    constexpr std::string_view mark = "@include:";
    Words words(text_, inside);
    if (!words.rest().starts_with(mark) || contains_offset(code_, inside.offset)) return;
    words.skip(mark.size());
    words.skip_space();
    add(before({words.offset(), trim_ascii(words.rest()).size()}, "#{"), "@include");
  }

  // Reads "<<< @/x.js#part{2} [title]".
  void read_vitepress_line(TextRange line) {
    constexpr std::string_view mark = "<<<";
    if (!part(line).starts_with(mark) || contains_offset(code_, line.offset)) return;
    Words words(text_, {line.offset + mark.size(), line.length - mark.size()});
    add(before(words.value(), "#{"), mark);
  }

  // Reads `--8<-- "x.md:part"`, and lines with file names between two "--8<--" lines. A ";" disables either.
  void read_snippet_line(TextRange line) {
    constexpr std::string_view scissors = "8<";
    const std::string_view written = trim_ascii_end(part(line));
    const std::size_t dashes = std::min(written.find_first_not_of('-'), written.size());
    const bool is_mark = dashes > 0 && written.substr(dashes).starts_with(scissors);
    if (!is_mark) {
      if (in_snippets_ && !written.starts_with(';')) add_snippet({line.offset, written.size()});
      return;
    }
    const std::string_view rest = written.substr(dashes + scissors.size());
    const std::size_t after = std::min(rest.find_first_not_of('-'), rest.size());
    if (after == 0) return;
    if (after == rest.size()) {
      in_snippets_ = !in_snippets_;
      return;
    }
    const std::size_t from = written.size() - rest.size() + after;
    Words words(text_, {line.offset + from, written.size() - from});
    const bool is_quoted = words.rest().starts_with('"') || words.rest().starts_with('\'');
    const TextRange path = words.value();
    if (is_quoted && words.rest().empty()) add_snippet(path);
  }

  void add_snippet(TextRange path) {
    if (part(path).find("://") == std::string_view::npos) add(before(path, ":"), "snippet");
  }

  // Reads "```{include} x.md" and ":::{figure} x.png".
  void read_myst_line(TextRange line) {
    const std::string_view written = part(line);
    if (!written.starts_with("```") && !written.starts_with("~~~") && !written.starts_with(":::")) return;
    if (contains_offset(code_, line.offset)) return;
    const std::size_t open = written.find_first_not_of(written.front());
    if (open == std::string_view::npos || written[open] != '{') return;
    Words words(text_, {line.offset + open + 1, line.length - open - 1});
    const std::string_view name = words.name();
    if (!words.rest().starts_with('}')) return;
    words.skip(1);
    words.skip_space();
    const TextRange path{words.offset(), trim_ascii(words.rest()).size()};
    if (name == "include" || name == "literalinclude") add(path, name);
    if (name == "figure" || name == "image") add(path, name, LinkElement::image);
  }

  std::string_view text_;
  const std::vector<TextRange>& code_;
  std::vector<FoundLink> found_;
  std::string_view until_;    // the directive that ends a skipped part; empty outside of such parts
  bool in_snippets_ = false;  // between two "--8<--" lines
};

}  // namespace

std::vector<FoundLink> find_includes(std::string_view text, SiteGenerator generator,
                                     const std::vector<TextRange>& code) {
  return IncludeFinder(text, code).run(generator);
}

}  // namespace linkherd::parser
