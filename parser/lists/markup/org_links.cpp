#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/markup/prose_lines.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_link_bytes = 8192;
constexpr std::size_t max_code_bytes = 1000;
constexpr std::size_t max_template_bytes = 2048;

// Removes the escapes of brackets and backslashes in a target.
std::string unescape_target(std::string_view written) {
  std::string target;
  for (std::size_t at = 0; at < written.size(); ++at) {
    if (written[at] == '\\' && at + 1 < written.size() &&
        std::string_view("[]\\").find(written[at + 1]) != std::string_view::npos)
      ++at;
    target.push_back(written[at]);
  }
  return target;
}

constexpr bool opens_code(char before) {
  return is_ascii_space(before) || std::string_view("-({'\"[|").find(before) != std::string_view::npos;
}

bool ends_paragraph(std::string_view line) {
  return line.starts_with('#') || line.starts_with("* ") || line.starts_with("**") || line.starts_with(": ") ||
         line == ":";
}

class OrgReader {
 public:
  OrgReader(std::string_view document, bool include_verbatim)
      : document_(document), include_verbatim_(include_verbatim) {}

  FoundLinks read() {
    while (at_ < document_.size()) read_block();
    end_unexported(document_.size());
    return std::move(found_);
  }

 private:
  void read_block() {
    const ProseLine line = prose_line(document_, at_);
    const std::string_view words = line.in(document_);
    at_ = line.next;
    if (line.blank()) return;
    if (starts_ignoring_case(words, "#+begin_")) return read_fenced(words.substr(8));
    if (words == "#" || words.starts_with("# ")) return add_ignore_comment(document_, line.range(), found_);
    if (starts_ignoring_case(words, "#+html:")) {
      return add_html_links(document_, {line.start + 7, words.size() - 7}, include_verbatim_, found_);
    }
    if (starts_ignoring_case(words, "#+link:")) return read_abbreviation(words.substr(7));
    if (words == ":" || words.starts_with(": ")) {
      if (include_verbatim_) add_prose_links(document_, line.range(), found_);
      return;
    }
    const std::size_t stars = words.find_first_not_of('*');
    if (line.indent == 0 && stars != 0 && stars != std::string_view::npos && words[stars] == ' ') {
      if (stars <= unexported_level_) end_unexported(line.start);
      if (unexported_level_ == 0 && is_unexported(trim_ascii(words.substr(stars)))) {
        unexported_level_ = stars;
        first_unexported_ = found_.links.size();
      }
      items_.open_heading();
      read_inline({line.start + stars, words.size() - stars});
      found_.headings.push_back({line.start, items_.close_heading(), std::min(stars, max_heading_level)});
      return;
    }
    const ProseLine last =
        paragraph_end(document_, line, [this](const ProseLine& more) { return ends_paragraph(more.in(document_)); });
    at_ = last.next;
    items_.begin_block(line, words);
    read_inline({line.start, last.end - line.start});
    items_.end_block();
  }

  // Returns true for drafts such as "* Notes :noexport:" and "* COMMENT Notes". Everything below them is a draft too.
  static bool is_unexported(std::string_view heading) {
    const std::string_view tags = heading.substr(heading.find_last_of(" \t") + 1);
    return heading.starts_with("COMMENT ") ||
           (tags.starts_with(':') && tags.find(":noexport:") != std::string_view::npos);
  }
  void end_unexported(std::size_t end) {
    if (unexported_level_ == 0) return;
    for (std::size_t i = first_unexported_; i < found_.links.size(); ++i) {
      if (found_.links[i].offset < end) found_.links[i].ignored_by = ":noexport:";
    }
    unexported_level_ = 0;
  }

  // Reads a block such as "#+BEGIN_SRC", up to its "#+END_…".
  void read_fenced(std::string_view rest) {
    const std::string name =
        to_ascii_lower(rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size())).substr(0, 32));
    const bool is_text = name == "quote" || name == "center" || name == "verse" || name == "note";
    if (is_text) return;  // the lines of such a block are read like any other text
    const std::string closing = "#+end_" + name;
    const TextRange inside = take_block(
        document_, at_, [&](const ProseLine& end) { return starts_ignoring_case(end.in(document_), closing); });
    if (name == "comment") {
      add_ignore_comment(document_, inside, found_);
    } else if (name == "export" && contains_ignoring_case(rest, "html")) {
      add_html_links(document_, inside, include_verbatim_, found_);
    } else if (include_verbatim_) {
      add_prose_links(document_, inside, found_);
    }
  }

  // Reads an abbreviation such as "#+LINK: gh https://github.com/%s".
  void read_abbreviation(std::string_view words) {
    words = trim_ascii(words);
    const std::size_t space = words.find_first_of(" \t");
    if (space == std::string_view::npos || words.size() > max_template_bytes) return;
    abbreviations_.insert_or_assign(std::string(words.substr(0, space)), std::string(trim_ascii(words.substr(space))));
  }

  void read_inline(TextRange block) {
    ProseText text(document_, block, found_, items_);
    const std::size_t end = block.offset + block.length;
    const std::string_view document = document_.substr(0, end);
    ForwardSearch ends(document, "]]", ForwardSearch::Kind::text);
    ForwardSearch stops(document, "[]", ForwardSearch::Kind::any_of);
    ForwardSearch equals(document, "=\n", ForwardSearch::Kind::any_of);
    ForwardSearch braces(document, "}\n", ForwardSearch::Kind::any_of);
    ForwardSearch tildes(document, "~\n", ForwardSearch::Kind::any_of);
    ForwardSearch snippets(document, "@@", ForwardSearch::Kind::text);
    const auto code_length = [&](std::size_t at) {
      return code_end(document, block.offset, at, document[at] == '=' ? equals : tildes);
    };
    for (std::size_t at = block.offset; at < end;) {
      at = std::min(document.find_first_of("[=~sf@", at), end);
      if (at >= end) break;
      const char mark = document[at];
      const bool code = mark != '[' && mark != 'f' && mark != '@';
      std::size_t length = 0;
      if (mark == 's' || mark == 'f') {
        const bool is_word_start = at == block.offset || !is_ascii_alphanumeric(document[at - 1]);
        if (is_word_start) length = mark == 's' ? source_length(document, at, braces) : read_file(document, at);
      } else if (mark == '@') {
        length = read_snippet(document, at, snippets);
      } else {
        length = mark == '[' ? read_link(document, at, stops, ends) : code_length(at);
      }
      if (length > 0 && !(code && include_verbatim_)) text.exclude({at, length});
      at += std::max<std::size_t>(length, 1);
    }
    text.finish();
  }

  // Returns the length of "=verbatim=" or "~code~" on one line, or 0.
  static std::size_t code_end(std::string_view document, std::size_t block, std::size_t at, ForwardSearch& marks) {
    if (at > block && !opens_code(document[at - 1])) return 0;
    if (at + 2 >= document.size() || is_ascii_space(document[at + 1])) return 0;
    const std::size_t close = marks.from(at + 2);
    if (close == std::string_view::npos || document[close] != document[at] || close - at > max_code_bytes) return 0;
    const char after = close + 1 < document.size() ? document[close + 1] : ' ';
    return is_ascii_alphanumeric(after) ? 0 : close + 1 - at;
  }

  // Returns the length of "src_sh{code}" or "src_sh[:exports code]{code}" on one line, or 0.
  static std::size_t source_length(std::string_view document, std::size_t at, ForwardSearch& braces) {
    const std::string_view rest = document.substr(at, max_code_bytes);
    if (!rest.starts_with("src_")) return 0;
    std::size_t open = std::min(rest.find_first_of(" \t\r\n[{", 4), rest.size());
    if (open > 4 && open < rest.size() && rest[open] == '[')
      open = std::min(rest.find_first_of("]\r\n", open), rest.size() - 1) + 1;
    if (open == 4 || open >= rest.size() || rest[open] != '{') return 0;
    const std::size_t close = braces.from(at + open + 1);
    const bool is_closed = close != std::string_view::npos && document[close] == '}' && close - at < max_code_bytes;
    return is_closed ? close + 1 - at : 0;
  }

  // Reads a snippet such as "@@html:<a href=x>@@", which appears only in the export to HTML. Snippets for other exports
  // have no links. Returns its length, or 0.
  std::size_t read_snippet(std::string_view document, std::size_t at, ForwardSearch& marks) {
    constexpr std::size_t max_name_bytes = 32;
    const std::string_view rest = document.substr(at, max_name_bytes);
    const std::size_t colon = rest.starts_with("@@") ? rest.find(':') : std::string_view::npos;
    if (colon == std::string_view::npos || colon == 2) return 0;
    const std::string_view name = rest.substr(2, colon - 2);
    const bool is_name = std::ranges::all_of(name, [](char c) { return is_ascii_alphanumeric(c) || c == '-'; });
    const std::size_t close = is_name ? marks.from(at + colon + 1) : std::string_view::npos;
    if (close == std::string_view::npos) return 0;
    if (equals_ignoring_case(name, "html"))
      add_html_links(document_, {at + colon + 1, close - at - colon - 1}, include_verbatim_, found_);
    return close + 2 - at;
  }

  // Reads "file:notes.org", a link without brackets. Returns its length, or 0.
  std::size_t read_file(std::string_view document, std::size_t at) {
    constexpr std::string_view scheme = "file:";
    const std::string_view rest = document.substr(at, max_template_bytes);
    if (!rest.starts_with(scheme)) return 0;
    std::size_t end = std::min(rest.find_first_of(" \t\r\n()<>[]", scheme.size()), rest.size());
    while (end > scheme.size() && std::string_view(".,;:!?'\"*=~}|").find(rest[end - 1]) != std::string_view::npos)
      --end;
    const std::string_view path = rest.substr(scheme.size(), end - scheme.size());
    const bool is_path = path.find_first_not_of('/') != std::string_view::npos && !path.starts_with("::");
    if (!is_path) return 0;
    found_.links.emplace_back(at, end, LinkElement::link, expanded(std::string(rest.substr(0, end))), FoundText(),
                              false);
    return end;
  }

  // Returns the length of "[[target]]" or "[[target][text]]", or 0.
  std::size_t read_link(std::string_view document, std::size_t at, ForwardSearch& stops, ForwardSearch& ends) {
    if (document.substr(at, 2) != "[[") return 0;
    const std::string_view rest = document.substr(at, max_link_bytes);
    std::size_t stop = stops.from(at + 2);
    while (stop != std::string_view::npos && document[stop - 1] == '\\') stop = stops.from(stop + 1);
    if (stop == std::string_view::npos || document[stop] != ']' || stop + 1 - at >= rest.size()) return 0;
    const std::size_t end = stop - at;
    std::size_t close = end + 1;
    std::string_view words;
    if (rest[close] == '[') {
      const std::size_t last = ends.from(at + close);
      if (last == std::string_view::npos || last + 2 - at > rest.size()) return 0;
      words = document.substr(at + close + 1, last - at - close - 1);
      close = last + 1 - at;
    }
    if (close >= rest.size() || rest[close] != ']') return 0;
    const std::string_view written = rest.substr(2, end - 2);
    std::string target = expanded(unescape_target(written));
    if (!target.empty()) {
      found_.links.emplace_back(at + 2, written.size(), LinkElement::link, target,
                                collapse_space(words.substr(0, 2 * max_link_text_bytes), max_link_text_bytes), false);
      add_picture(words);
    }
    return close + 1;
  }

  // Adds the picture of "[[target][file:picture.png]]", which is shown instead of a text.
  void add_picture(std::string_view words) {
    constexpr std::array<std::string_view, 6> endings{".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"};
    const std::string lower = to_ascii_lower(words);
    const bool is_picture =
        std::ranges::any_of(endings, [&lower](std::string_view end) { return lower.ends_with(end); });
    const bool is_target = lower.starts_with("file:") || lower.starts_with("./") || lower.find("://") < lower.find(' ');
    if (!is_picture || !is_target) return;
    found_.links.back().text = {};
    found_.links.back().context.is_badge = true;
    found_.links.emplace_back(static_cast<std::size_t>(words.data() - document_.data()), words.size(),
                              LinkElement::image, expanded(unescape_target(words)), FoundText(), false);
  }

  // Expands the abbreviation of a target. Empty for a target inside the document.
  std::string expanded(std::string target) const {
    for (const std::string_view opening : {"file+sys:", "file+emacs:"}) {
      if (target.starts_with(opening)) target.replace(0, opening.size(), "file:");
    }
    if (target.starts_with("file:")) {
      target.erase(0, 5);
      // Exporters write "file:https://x.org/a.svg", a common form for badges, as the web address.
      if (target.starts_with("https://") || target.starts_with("http://")) return target;
      if (!target.starts_with('/') && !target.starts_with('~') && !target.starts_with('.')) target.insert(0, "./");
    }
    const std::size_t colon = target.find(':');
    if (const std::size_t search = target.find("::"); search != std::string::npos && search == colon) {
      target.resize(search);  // "file.org::*Heading"
      return target;
    }
    if (target.starts_with("doi:")) return "https://doi.org/" + target.substr(4);
    if (target.starts_with('/') || target.starts_with("./") || target.starts_with("../") || target.starts_with("~/")) {
      return target;
    }
    if (colon == std::string::npos) {
      const bool is_name = target.find('.') == std::string::npos || target[0] == '*' || target[0] == '#';
      return is_name || target.find(' ') != std::string::npos ? std::string() : target;  // a name inside the document
    }
    const auto abbreviation = abbreviations_.find(target.substr(0, colon));
    if (abbreviation == abbreviations_.end()) return target.starts_with("id:") ? std::string() : target;
    std::string url = abbreviation->second;
    const std::string tag = target.substr(colon + 1);
    const std::size_t offset = url.find("%s");
    return offset == std::string::npos ? url + tag : url.replace(offset, 2, tag);
  }

  std::string_view document_;
  bool include_verbatim_;
  std::size_t at_ = 0;
  FoundLinks found_;
  ProseItems items_{found_};
  std::unordered_map<std::string, std::string> abbreviations_;
  std::size_t unexported_level_ = 0;  // level of the open heading that is not exported; 0 if there is none
  std::size_t first_unexported_ = 0;  // index of the first link below this heading
};

}  // namespace

FoundLinks read_org_links(std::string_view text, bool include_verbatim) {
  return OrgReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
