#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/found_link.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/markup/antora_resources.h"
#include "parser/lists/markup/asciidoc_ids.h"
#include "parser/lists/markup/included_parts.h"
#include "parser/lists/markup/prose_lines.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/link_text.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// A document attribute (":name: value") and the position of its value.
struct AsciidocAttribute {
  TextRange range;
  std::string value;
  bool used = false;
  bool is_included = false;  // set in an included file, so `range` is a position in that file
};
using AsciidocAttributes = std::unordered_map<std::string, AsciidocAttribute>;

constexpr std::size_t max_target_bytes = 4096;
constexpr std::size_t max_macro_bytes = 4096;
constexpr std::size_t max_value_bytes = 2048;
constexpr std::size_t max_anchor_bytes = 500;

enum class MacroKind { link, image, media, cross_reference, url, anchor, footnote };
struct Macro {
  std::string_view opening;
  MacroKind kind;
};
constexpr std::array<Macro, 16> macros{{{"link:", MacroKind::link},
                                        {"image::", MacroKind::image},
                                        {"image:", MacroKind::image},
                                        {"video::", MacroKind::media},
                                        {"audio::", MacroKind::media},
                                        {"include::", MacroKind::cross_reference},
                                        {"xref:", MacroKind::cross_reference},
                                        {"mailto:", MacroKind::url},
                                        {"https://", MacroKind::url},
                                        {"http://", MacroKind::url},
                                        {"ftp://", MacroKind::url},
                                        {"irc://", MacroKind::url},
                                        {"{", MacroKind::url},
                                        {"<<", MacroKind::cross_reference},
                                        {"anchor:", MacroKind::anchor},
                                        {"footnote:", MacroKind::footnote}}};

// Macros whose text is not markup.
constexpr std::array<std::string_view, 6> literal_macros{"pass:", "stem:", "latexmath:", "asciimath:", "kbd:", "btn:"};

// Returns the value of an attribute that every document has, or nullopt. The folder of the document is relative here,
// because links are relative.
std::optional<std::string_view> intrinsic_attribute(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> attributes{{{"docdir", "."},
                                                                                      {"empty", ""},
                                                                                      {"blank", ""},
                                                                                      {"sp", " "},
                                                                                      {"plus", "+"},
                                                                                      {"amp", "&"},
                                                                                      {"tilde", "~"},
                                                                                      {"caret", "^"},
                                                                                      {"startsb", "["},
                                                                                      {"endsb", "]"}}};
  const auto* const found = std::ranges::find(attributes, name, &std::pair<std::string_view, std::string_view>::first);
  return found == attributes.end() ? std::nullopt : std::optional(found->second);
}

// Returns the target of a cross reference as a path with its extension: "b#id" refers to b.adoc. Empty for the document
// itself.
std::string document_of_reference(std::string_view target) {
  const std::size_t hash = std::min(target.find('#'), target.size());
  const std::string_view path = target.substr(0, hash);
  const bool has_extension = path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos;
  std::string document(path);
  if (!path.empty() && !path.ends_with('/') && !has_extension) document += ".adoc";
  return document.append(target.substr(hash));
}

constexpr bool is_id_character(char c) {
  return is_ascii_alphanumeric(c) || is_not_ascii(c) || std::string_view("_-:.{}").find(c) != std::string_view::npos;
}

constexpr bool is_constrained_character(char c) { return is_ascii_alphanumeric(c) || c == '_' || c == '-'; }

// A directive "include::path[attributes]".
struct AsciidocInclude {
  std::string path;  // relative to the folder of the document
  std::string attributes;
  bool is_known = true;  // false if the path cannot be determined
};

// State of a whole document, including the files that it includes.
struct AsciidocDocument {
  AsciidocOptions options{};
  std::optional<std::string> antora_pages{};  // see path_to_antora_pages()
  AsciidocAttributes attributes{};
  AsciidocIds ids{};
  std::vector<TextRange> literal_cells{};   // literal cells of the current block, in the order of the text
  std::vector<AsciidocInclude> includes{};  // includes of the last block, not read yet
  std::vector<IncludedFile> included{};
  bool has_unknown_ids = false;
  std::size_t footnotes = 0;
  // The folder and nesting depth of the included file that is being read. Empty and 0 in the document itself.
  std::string folder{};
  std::size_t depth = 0;
  std::size_t included_bytes = 0;  // total size of the files included so far
};

// Substitutes references to document attributes, as in "{base}/guide".
std::string with_attributes(std::string_view written, AsciidocAttributes& attributes) {
  std::string result;
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t open = std::min(written.find('{', at), written.size());
    result.append(written.substr(at, open - at));
    if (open == written.size()) break;
    const std::size_t close = written.find('}', open);
    const std::string_view name =
        close == std::string_view::npos ? std::string_view() : written.substr(open + 1, close - open - 1);
    const auto found = attributes.find(std::string(name));
    if (const auto known = intrinsic_attribute(name); known && found == attributes.end()) {
      result.append(*known);
      at = close + 1;
    } else if (found == attributes.end()) {
      result.push_back('{');
      at = open + 1;
    } else {
      found->second.used = true;
      if (result.size() < max_value_bytes) result.append(found->second.value);
      at = close + 1;
    }
  }
  return result;
}

// Adds an id, which may contain attributes such as "{context}". A document that includes this text may set them.
void add_asciidoc_id(std::string_view written, AsciidocDocument& document) {
  const std::string id = with_attributes(trim_ascii(written), document.attributes);
  if (id.find('{') != std::string::npos) {
    document.has_unknown_ids = true;
  } else {
    document.ids.add(id);
  }
}

// Adds the values of "id=x", "#x" and "reftext=x" in the attributes of a block or macro, such as "source#x.role,id=y".
void add_ids_of_attributes(std::string_view attributes, AsciidocDocument& document) {
  const std::size_t hash = attributes.substr(0, attributes.find_first_of(",=\"")).find('#');
  if (hash != std::string_view::npos) {
    const std::string_view rest = attributes.substr(hash + 1);
    add_asciidoc_id(rest.substr(0, rest.find_first_of(".%,#")), document);
  }
  for (const std::string_view key : {std::string_view("id="), std::string_view("reftext=")}) {
    const std::size_t at = attributes.find(key);
    const bool is_key =
        at != std::string_view::npos && (at == 0 || attributes[at - 1] == ',' || is_ascii_space(attributes[at - 1]));
    if (!is_key) continue;
    std::string_view value = attributes.substr(at + key.size());
    const bool is_quoted = value.starts_with('"') || value.starts_with('\'');
    value = is_quoted ? value.substr(1, value.find(value.front(), 1) - 1) : value.substr(0, value.find(','));
    if (key == "id=") {
      add_asciidoc_id(value, document);
    } else {
      document.ids.add_name(value);
    }
  }
}

// Adds the anchor "[[id]]" or "[[id,text]]". `inside` is the text between the brackets.
void add_anchor(std::string_view inside, AsciidocDocument& document) {
  const std::size_t comma = std::min(inside.find(','), inside.size());
  add_asciidoc_id(inside.substr(0, comma), document);
  if (comma < inside.size()) document.ids.add_name(inside.substr(comma + 1));
}

class AsciidocInline {
 public:
  AsciidocInline(std::string_view source, TextRange block, AsciidocDocument& document, FoundLinks& found,
                 ProseItems& items)
      : source_(source.substr(0, block.offset + block.length)),
        start_(block.offset),
        at_(block.offset),
        document_(document),
        attributes_(document.attributes),
        found_(found),
        text_(source, block, found, items),
        next_bracket_(source_, "[\r\n", ForwardSearch::Kind::any_of),
        next_url_end_(source_, "[ \t\r\n<>\"", ForwardSearch::Kind::any_of),
        next_close_(source_, "]", ForwardSearch::Kind::text),
        next_fence_(source_, "++[", ForwardSearch::Kind::text),
        next_reference_end_(source_, ">>", ForwardSearch::Kind::text),
        next_tick_(source_, "`\n", ForwardSearch::Kind::any_of),
        next_plus_(source_, "+\n", ForwardSearch::Kind::any_of),
        next_double_plus_(source_, "++", ForwardSearch::Kind::text),
        next_triple_plus_(source_, "+++", ForwardSearch::Kind::text),
        next_dollars_(source_, "$$", ForwardSearch::Kind::text) {}

  void read() {
    while (at_ < source_.size()) {
      // Characters that may start a macro or a code span.
      at_ = std::min(source_.find_first_of("livaxmhf{<`+\\psk$b[", at_), source_.size());
      if (pass_literal_cell()) continue;
      if (at_ >= source_.size()) break;
      const char c = source_[at_];
      if (read_passthrough() || read_literal_macro()) continue;
      if (c == '`' || c == '+') {
        read_code(c);
      } else if (c == '\\') {
        read_escape();
      } else if (c == '[') {
        read_anchor();
      } else if (!read_macro()) {
        ++at_;
      }
    }
    text_.finish();
  }

 private:
  bool at_word_start() const { return at_ == start_ || !is_constrained_character(source_[at_ - 1]); }

  // Skips a literal cell that begins at or before the current position. Returns true if there was one.
  bool pass_literal_cell() {
    const bool is_after =
        next_cell_ < document_.literal_cells.size() && document_.literal_cells[next_cell_].offset <= at_;
    if (!is_after) return false;
    const TextRange cell = document_.literal_cells[next_cell_++];
    if (!document_.options.include_verbatim) text_.exclude(cell);
    at_ = document_.options.include_verbatim ? cell.offset : std::max(at_, cell.offset + cell.length);
    return true;
  }

  // Reads "[[id]]", "[[[id,text]]]" of a bibliography, and "[#id.role]" before marked text. The text inside is also
  // read as usual.
  void read_anchor() {
    const std::size_t start = at_++;
    if (start > start_ && source_[start - 1] == '\\') return;
    const std::size_t close = next_close_.from(at_);
    if (close == std::string_view::npos || close - start > max_anchor_bytes) return;
    const std::string_view inside = source_.substr(at_, close - at_);
    if (inside.starts_with("[[")) {
      add_anchor(inside.substr(2), document_);
    } else if (inside.starts_with('[')) {
      add_anchor(inside.substr(1), document_);
    } else if (inside.starts_with('#')) {
      add_ids_of_attributes(inside, document_);
    }
  }

  // Reads "+++raw HTML+++", "++text++" and "$$text$$", which contain no markup, except that the first contains HTML.
  bool read_passthrough() {
    const std::string_view rest = source_.substr(at_);
    const bool is_raw = rest.starts_with("+++");
    const bool is_dollar = rest.starts_with("$$");
    if (!is_raw && !is_dollar && !rest.starts_with("++")) return false;
    ForwardSearch& closing = is_dollar ? next_dollars_ : is_raw ? next_triple_plus_ : next_double_plus_;
    const std::size_t mark = is_raw ? 3 : 2;
    const std::size_t start = at_ + mark;
    const std::size_t end = closing.from(start);
    if (end == std::string_view::npos || end == start) {
      at_ = start;
      return true;
    }
    at_ = end + mark;
    exclude_literal({start - mark, at_ - start + mark}, {start, end - start}, is_raw);
    return true;
  }

  // Reads "pass:[text]", "pass:q[text]", "stem:[text]" and "kbd:[text]". The text is shown unchanged, unless the
  // letters before the bracket enable the substitution of macros.
  bool read_literal_macro() {
    constexpr std::size_t max_substitutions = 64;
    const std::string_view rest = source_.substr(at_);
    const auto* const opening = std::ranges::find_if(
        literal_macros, [rest](std::string_view candidate) { return rest.starts_with(candidate); });
    if (opening == literal_macros.end() || !at_word_start()) return false;
    const std::string_view after = rest.substr(opening->size(), max_substitutions);
    const std::size_t length = after.find_first_not_of("abcdefghijklmnopqrstuvwxyz,+-");
    if (length == std::string_view::npos || after[length] != '[') return false;
    const std::string_view substitutions = after.substr(0, length);
    const bool is_pass = rest.starts_with("pass:");
    const std::size_t open = at_ + opening->size() + length;
    const bool has_macros = substitutions == "m" || substitutions == "n" || substitutions == "v,m" ||
                            substitutions.find("macros") != std::string_view::npos ||
                            substitutions.find("normal") != std::string_view::npos || substitutions.ends_with(",m") ||
                            substitutions.starts_with("m,");
    const std::optional<std::size_t> close = closing_bracket(open);
    if (!close || has_macros) return false;
    const TextRange whole{at_, *close + 1 - at_};
    at_ = *close + 1;
    exclude_literal(whole, {open + 1, *close - open - 1}, is_pass && substitutions.empty());
    return true;
  }

  // Excludes a literal text. `whole` includes its marks. If `is_html` is true, nothing in it is escaped and tags are
  // HTML.
  void exclude_literal(TextRange whole, TextRange inside, bool is_html) {
    if (is_html && source_.substr(inside.offset, inside.length).find('<') != std::string_view::npos) {
      add_html_links(source_, inside, document_.options.include_verbatim, found_);
      text_.exclude(whole);
    } else if (!document_.options.include_verbatim) {
      text_.exclude(whole);
    }
  }

  // Reads "`code`" and "+literal+" on one line.
  void read_code(char mark) {
    const std::size_t start = at_++;
    if (!(start == start_ || !is_constrained_character(source_[start - 1])) || at_ >= source_.size() ||
        is_ascii_space(source_[at_]))
      return;
    const std::size_t end = (mark == '`' ? next_tick_ : next_plus_).from(at_);
    if (end == std::string_view::npos || source_[end] != mark || is_ascii_space(source_[end - 1])) return;
    at_ = end + 1;
    if (!document_.options.include_verbatim) text_.exclude({start, at_ - start});
  }

  // Reads a backslash. "\https://…" is not a link.
  void read_escape() {
    const std::size_t start = at_++;
    for (const Macro& macro : macros) {
      if (!source_.substr(at_).starts_with(macro.opening)) continue;
      at_ = std::min(source_.find_first_of(" \t\r\n[", at_), source_.size());
      text_.exclude({start, at_ - start});
      return;
    }
  }

  bool read_macro() {
    const auto* macro = std::ranges::find_if(
        macros, [&](const Macro& candidate) { return source_.substr(at_).starts_with(candidate.opening); });
    if (macro == macros.end() || !at_word_start()) return false;
    if (macro->opening == "<<") return read_cross_reference();
    if (macro->kind == MacroKind::footnote) return count_footnote();
    const bool is_url = macro->kind == MacroKind::url;
    const std::size_t start = is_url ? at_ : at_ + macro->opening.size();
    TextRange target{start, 0};
    std::size_t open = 0;
    if (const std::string_view fence = source_.substr(start, 2);
        !is_url && fence == "++") {  // link:++https://…++[text]
      target.offset = start + 2;
      const std::size_t end = next_fence_.from(start + 2);
      if (end == std::string_view::npos || end - start > max_target_bytes) return false;
      target.length = end - target.offset;
      open = end + 2;
    } else if (!is_url && source_.substr(start).starts_with("pass:[")) {  // link:pass:[https://…][text]
      const std::optional<std::size_t> end = closing_bracket(start + 5);
      if (!end || *end + 1 >= source_.size() || source_[*end + 1] != '[') return false;
      target = {start + 6, *end - start - 6};
      open = *end + 1;
    } else {
      open = (is_url ? next_url_end_ : next_bracket_).from(start);
      if (open == std::string_view::npos || open == start || source_[open] != '[' || open - start > max_target_bytes) {
        return false;
      }
      target.length = open - start;
    }
    const std::optional<std::size_t> close = closing_bracket(open);
    if (!close) return false;
    const std::size_t begin = at_;
    if (!add(*macro, target, source_.substr(open + 1, *close - open - 1), open + 1)) return false;
    at_ = *close + 1;
    text_.exclude({begin, at_ - begin});
    return true;
  }

  std::optional<std::size_t> closing_bracket(std::size_t open) {
    for (std::size_t at = next_close_.from(open); at != std::string_view::npos && at - open < max_macro_bytes;
         at = next_close_.from(at + 1)) {
      if (source_[at - 1] != '\\') return at;
    }
    return std::nullopt;
  }

  // Returns the path from the folder of this file to the target of an Antora macro.
  std::string in_antora_folder(const Macro& macro, std::string target) const {
    const bool is_path = document_.antora_pages && target.find("://") == std::string::npos &&
                         !target.starts_with('.') && !target.starts_with('/') &&
                         (macro.kind == MacroKind::image || macro.opening == "xref:");
    if (!is_path) return target;
    return *document_.antora_pages + (macro.kind == MacroKind::image ? "../images/" : "") + target;
  }

  // Returns the path from the folder of this file to an Antora resource. Returns nullopt outside of Antora's modules.
  std::optional<std::string> antora_path(const Macro& macro, std::string_view id) const {
    const bool has_paths = macro.kind == MacroKind::image || macro.opening == "xref:" || macro.opening == "include::";
    if (!document_.antora_pages || !has_paths) return std::nullopt;
    const std::optional<std::string> path =
        path_of_antora_resource(id, macro.kind == MacroKind::image ? "image" : "page");
    return path ? std::optional(*document_.antora_pages + *path) : std::nullopt;
  }

  // Returns the path of an image, video or sound. A relative path is in the folder given by the current value of the
  // attribute "imagesdir".
  std::string in_images_folder(std::string target) const {
    const auto folder = attributes_.find("imagesdir");
    const bool is_elsewhere = target.starts_with('/') || target.find("://") != std::string::npos ||
                              target.starts_with("data:") || target.starts_with('{');
    if (folder == attributes_.end() || is_elsewhere) return target;
    folder->second.used = true;
    std::string joined = substituted(folder->second.value);
    if (!joined.empty() && !joined.ends_with('/')) joined += '/';
    return joined + target;
  }

  // Counts "footnote:[text]". Returns false, so that its text is read as usual.
  bool count_footnote() {
    ++document_.footnotes;
    return false;
  }

  // Returns the fragment of a reference inside this document, by an id or by the title of a section. Empty if the
  // target cannot be such a reference.
  std::string own_fragment(std::string_view target) const {
    const std::string id = substituted(target.substr(target.starts_with('#') ? 1 : 0));
    const bool can_begin = !id.empty() && (is_id_character(id.front()) && id.front() != '-');
    if (!can_begin || id.size() > max_anchor_bytes || id.find_first_of("{}<>[]|\"") != std::string::npos) return {};
    const bool is_name = id.find_first_of(" \n\r") != std::string::npos;
    return '#' + (is_name ? asciidoc_name(id) : id);
  }

  // Adds the link of a macro. Returns false if it is not a link.
  bool add(const Macro& macro, TextRange target, std::string_view inside, std::size_t inside_at) {
    const std::string_view written = source_.substr(target.offset, target.length);
    if (macro.kind == MacroKind::anchor) {
      add_asciidoc_id(written, document_);
      document_.ids.add_name(inside);
      return true;
    }
    if (inside.find("id=") != std::string_view::npos) add_ids_of_attributes(inside, document_);
    std::string words =
        macro.kind == MacroKind::media || macro.opening == "include::" ? std::string() : text_of(inside);
    std::string meant = substituted(written);
    if (macro.opening == "{" && meant.find("://") == std::string::npos) return false;
    const bool is_reference = macro.opening == "xref:";
    const bool is_own = is_reference && (meant.starts_with('#') || meant.find_first_of(".#") == std::string::npos);
    if (is_own) {
      const std::string fragment = own_fragment(written);
      if (fragment.empty()) return false;
      found_.links.emplace_back(target.offset, target.length, LinkElement::link, fragment, words, false);
      return true;
    }
    if (macro.opening == "include::") note_include(written, meant, inside);
    const bool is_path = macro.kind != MacroKind::url && macro.kind != MacroKind::link;
    const bool is_resource = is_path && is_antora_resource(meant);
    if (is_resource) {
      std::optional<std::string> path = antora_path(macro, meant);
      if (!path) return true;
      meant = std::move(*path);
    }
    // The target is the id of a video on a video service, not a URL.
    if (macro.opening == "video::" && (inside.starts_with("youtube") || inside.starts_with("vimeo"))) return true;
    if (is_reference && !is_resource) meant = document_of_reference(meant);
    const bool is_shown = macro.kind == MacroKind::image || macro.kind == MacroKind::media;
    if (is_shown && !document_.antora_pages) meant = in_images_folder(std::move(meant));
    if (!is_resource) meant = in_antora_folder(macro, std::move(meant));
    LinkElement element = LinkElement::link;
    if (macro.kind == MacroKind::image) element = LinkElement::image;
    if (macro.kind == MacroKind::media) element = LinkElement::resource;
    const auto defined = written.starts_with('{') && written.ends_with('}')
                             ? attributes_.find(std::string(written.substr(1, written.size() - 2)))
                             : attributes_.end();
    const bool is_here = defined == attributes_.end() || defined->second.is_included;
    const TextRange range = is_here ? target : defined->second.range;
    found_.links.emplace_back(range.offset, range.length, element, meant, words, false);
    if (macro.kind == MacroKind::image) add_image_link(inside, inside_at);
    return true;
  }

  // Records an included file, which the reader of the document reads when the block ends. Paths are relative to the
  // file that contains them.
  void note_include(std::string_view written, std::string_view meant, std::string_view inside) {
    std::optional<std::string> path = included_path(meant, !written.starts_with("{docdir}"));
    const bool is_known = path.has_value();
    document_.includes.push_back({is_known ? std::move(*path) : std::string(), std::string(inside), is_known});
  }

  // Returns the path of an included file, or nullopt if it is unknown. In Antora modules, "partial$x" is in
  // modules/NAME/partials. Files of other components are not read.
  std::optional<std::string> included_path(std::string_view meant, bool is_in_folder) const {
    if (meant.empty() || meant.find('{') != std::string_view::npos || meant.find("://") != std::string_view::npos)
      return std::nullopt;
    if (is_antora_resource(meant)) {
      const bool is_foreign = meant.find('@') != std::string_view::npos || meant.find(':') != meant.rfind(':');
      const std::optional<std::string> path =
          document_.antora_pages && !is_foreign ? path_of_antora_resource(meant, "page") : std::nullopt;
      return path ? std::optional(*document_.antora_pages + *path) : std::nullopt;
    }
    const bool is_absolute = meant.starts_with('/');
    return (is_in_folder && !is_absolute ? document_.folder : std::string()).append(meant);
  }

  // Adds the link of an image with attributes such as "[alt,link=https://…]".
  void add_image_link(std::string_view inside, std::size_t inside_at) {
    std::size_t at = inside.find("link=");
    if (at == std::string_view::npos) return;
    at += 5;
    const bool quoted = at < inside.size() && inside[at] == '"';
    if (quoted) ++at;
    const std::size_t end = std::min(inside.find_first_of(quoted ? "\"" : ",", at), inside.size());
    const std::string_view leads_to = inside.substr(at, end - at);
    if (leads_to.empty() || leads_to == "self" || leads_to == "none") return;
    found_.links.emplace_back(inside_at + at, end - at, LinkElement::link, substituted(inside.substr(at, end - at)),
                              text_of(inside), false);
  }

  // Reads "<<file.adoc#part,text>>", and "<<part>>" inside this document.
  bool read_cross_reference() {
    const std::size_t end = next_reference_end_.from(at_ + 2);
    if (end == std::string_view::npos || end - at_ > max_macro_bytes) return false;
    const std::size_t close = end - at_;
    const std::string_view inside = source_.substr(at_ + 2, close - 2);
    const std::string_view target = inside.substr(0, inside.find(','));
    const bool is_elsewhere = target.find(".adoc") != std::string_view::npos || target.find('#', 1) < target.size();
    const bool is_own = !is_elsewhere || target.starts_with('#');
    const std::string leads_to = is_own ? own_fragment(target) : document_of_reference(substituted(target));
    if (leads_to.empty()) return false;
    std::string words = inside.size() > target.size() ? text_of(inside.substr(target.size() + 1)) : std::string();
    found_.links.emplace_back(at_ + 2, target.size(), LinkElement::link, leads_to, words, false);
    text_.exclude({at_, close + 2});
    at_ += close + 2;
    return true;
  }

  // Returns the text of a macro, which is its first positional attribute. Removes formatting such as "^" in
  // "text^,window=_blank".
  static std::string text_of(std::string_view inside) {
    if (inside.starts_with('"')) {
      inside = inside.substr(1, inside.find('"', 1) - 1);
    } else if (const std::size_t equals = inside.find('='); equals != std::string_view::npos) {
      const std::size_t comma = inside.substr(0, equals).rfind(',');
      inside = comma == std::string_view::npos ? std::string_view() : inside.substr(0, comma);
    }
    if (inside.ends_with('^')) inside.remove_suffix(1);
    return collapse_space(inside.substr(0, 2 * max_link_text_bytes), max_link_text_bytes);
  }

  std::string substituted(std::string_view written) const { return with_attributes(written, attributes_); }

  std::string_view source_;
  std::size_t start_;
  std::size_t at_;
  std::size_t next_cell_ = 0;  // index of the next literal cell
  AsciidocDocument& document_;
  AsciidocAttributes& attributes_;
  FoundLinks& found_;
  ProseText text_;
  ForwardSearch next_bracket_, next_url_end_, next_close_, next_fence_, next_reference_end_, next_tick_, next_plus_,
      next_double_plus_, next_triple_plus_, next_dollars_;
};

void read_asciidoc_inline(std::string_view source, TextRange block, AsciidocDocument& document, FoundLinks& found,
                          ProseItems& items) {
  AsciidocInline(source, block, document, found, items).read();
}

constexpr std::size_t max_attribute_bytes = 2048;
constexpr std::size_t max_open_blocks = 32;

// Returns true for "----", "....", "////", "++++" and "```", which delimit blocks that are not running text.
bool is_fence(std::string_view line) {
  if (line.starts_with("```")) return true;
  return line.size() >= 4 && std::string_view("-./+").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

// Returns true for "|===" and ",===", which delimit tables.
bool is_table_border(std::string_view line) {
  return line.size() >= 4 && std::string_view("|!,:").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of('=', 1) == std::string_view::npos;
}

// Returns true for "====", "****" and "|===", which delimit blocks of running text.
bool is_boundary(std::string_view line) {
  if (is_table_border(line)) return true;
  return line == "--" ||
         (line.size() >= 4 && std::string_view("=*_|!,:").find(line[0]) != std::string_view::npos &&
          line.find_first_not_of(line[1]) >= 1 && line.substr(1).find_first_not_of(line[1]) == std::string_view::npos &&
          !is_ascii_letter(line[1]));
}

// Returns true for ".Title", but not for ". item" and "....".
bool is_block_title(std::string_view line) {
  const std::size_t start = line.starts_with("..") ? 2 : 1;
  return line.starts_with('.') && line.size() > start && line[start] != '.' && !is_ascii_space(line[start]);
}

// Returns true for "[[id]]" and "[[id,text]]", the anchor of the next block.
bool is_block_anchor(std::string_view line) {
  if (!line.starts_with("[[") || !line.ends_with("]]") || line.size() < 5) return false;
  const std::string_view inside = line.substr(2, line.size() - 4);
  const std::string_view id = inside.substr(0, inside.find(','));
  return !id.empty() && !is_ascii_digit(id.front()) && std::ranges::all_of(id, is_id_character);
}

// Returns true for the attributes of the next block, such as "[source,sh]" and "[#id.role]".
bool is_block_attributes(std::string_view line) {
  constexpr std::size_t max_attributes = 500;  // in bytes
  if (!line.starts_with('[') || !line.ends_with(']') || line.size() >= max_attributes) return false;
  return !line.starts_with("[[") || is_block_anchor(line);
}

constexpr std::size_t max_include_depth = 32;
constexpr std::size_t max_included_bytes = std::size_t{16} << 20U;  // per document
constexpr std::size_t max_included_files = 2000;
constexpr std::size_t max_attribute_files = 200;  // files that are read only for their attributes

// Returns true for "name::target[…]" of an extension, which may generate any content.
bool is_unknown_block_macro(std::string_view line) {
  constexpr std::array<std::string_view, 9> known{"image", "video",  "audio",  "toc",  "include",
                                                  "ifdef", "ifndef", "ifeval", "endif"};
  const std::size_t colons = line.ends_with(']') ? line.find("::") : std::string_view::npos;
  if (colons == std::string_view::npos || colons == 0) return false;
  const std::string_view name = line.substr(0, colons);
  const std::string_view target = line.substr(colons + 2, line.find('[', colons) - colons - 2);
  return std::ranges::all_of(name, is_constrained_character) && target.find(' ') == std::string_view::npos &&
         std::ranges::find(known, name) == known.end();
}

// Returns true for a line that is a block of its own: "image::a.png[]", and the breaks "'''" and "<<<".
bool is_block_of_one_line(std::string_view line) {
  constexpr std::array<std::string_view, 4> macros{"image::", "video::", "audio::", "toc::"};
  const auto begins = [line](std::string_view macro) { return line.starts_with(macro); };
  return line == "'''" || line == "<<<" || (line.ends_with(']') && std::ranges::any_of(macros, begins));
}

// Returns true for a preprocessor directive that may be inside a paragraph.
bool is_conditional(std::string_view line) {
  constexpr std::array<std::string_view, 4> directives{"ifdef::", "ifndef::", "ifeval::", "endif::"};
  const auto begins = [line](std::string_view directive) { return line.starts_with(directive); };
  return line.ends_with(']') && std::ranges::any_of(directives, begins);
}

// Returns the value of an attribute of an include, such as "tag=a;b" or "lines=1..5". Empty if it is missing.
std::string_view value_of_attribute(std::string_view attributes, std::string_view key) {
  std::size_t at = attributes.find(key);
  while (at != std::string_view::npos && at > 0 && attributes[at - 1] != ',' && !is_ascii_space(attributes[at - 1]))
    at = attributes.find(key, at + 1);
  if (at == std::string_view::npos) return {};
  const std::string_view value = attributes.substr(at + key.size());
  if (value.starts_with('"')) return value.substr(1, value.find('"', 1) - 1);
  return value.substr(0, value.find(','));
}

class AsciidocReader {
 public:
  AsciidocReader(std::string_view source, AsciidocDocument& document) : source_(source), document_(document) {}

  // Reads an included file, but only for its effects on the document.
  void read_included_text() {
    if (document_.options.has_included_anchors) {
      while (at_ < source_.size()) read_block();
      for (const std::string& id : found_.anchors) document_.ids.add(id);
    } else {
      while (at_ < source_.size()) read_attributes();
    }
  }

  FoundLinks read() {
    while (at_ < source_.size()) read_block();
    for (const auto& [name, attribute] : document_.attributes) {
      const bool is_url = attribute.value.find("://") != std::string::npos;
      if (attribute.used || !is_url || attribute.is_included) continue;
      const std::size_t text = attribute.value.find('[');  // the value may be "url[text]"
      std::string url = attribute.value.substr(0, text);
      if (url.find(' ') != std::string::npos) continue;
      const std::size_t length = std::min(text, attribute.range.length);
      found_.links.emplace_back(attribute.range.offset, length, LinkElement::definition, url, name, false);
    }
    std::ranges::move(document_.ids.finish(), std::back_inserter(found_.anchors));
    add_ids_of_pages();
    found_.includes = std::move(document_.included);
    found_.has_unknown_anchors = document_.has_unknown_ids;
    return std::move(found_);
  }

 private:
  void read_block() {
    const ProseLine line = prose_line(source_, at_);
    const std::string_view words = line.in(source_);
    at_ = line.next;
    const bool may_delimit = line.indent == 0;
    if (line.blank() || (may_delimit && is_boundary(words))) {
      const bool is_comment_block = next_ == Next::comment && words == "--";
      if (line.blank() || is_comment_block) next_ = Next::text;
      if (is_comment_block) return skip_comment_block();
      if (!line.blank()) pass_boundary(words);
    } else if (may_delimit && is_fence(words)) {
      read_fenced(words);
    } else if (words.starts_with("//")) {
      add_ignore_comment(source_, line.range(), found_);
    } else if (is_block_attributes(words)) {
      read_block_attributes(words);
    } else if (may_delimit && is_block_title(words)) {
      read_block_title(line);
    } else if (!read_conditional(words) && !read_attribute(line) && !read_heading(line) && !read_two_line_title(line)) {
      read_paragraph(line);
    }
    if (!document_.includes.empty()) read_includes();
  }

  // Reads the attributes of an included file whose ids do not matter, and of the files that it includes.
  void read_attributes() {
    const ProseLine line = prose_line(source_, at_);
    const std::string_view words = line.in(source_);
    at_ = line.next;
    if (line.blank() || line.indent > 0) return;
    if (is_fence(words)) {
      take_block(source_, at_, [&](const ProseLine& end) { return end.in(source_) == words; });
    } else if (words.starts_with("include::")) {
      read_asciidoc_inline(source_, line.range(), document_, found_, items_);
      found_ = {};
      read_includes();
    } else if (!read_conditional(words)) {
      read_attribute(line);
    }
  }

  // Reads the files that the block includes as if their texts were at this position.
  void read_includes() {
    const std::vector<AsciidocInclude> includes = std::exchange(document_.includes, {});
    for (const AsciidocInclude& include : includes) {
      const bool is_optional = include.attributes.find("optional") != std::string::npos;
      const std::size_t max_files = document_.options.has_included_anchors ? max_included_files : max_attribute_files;
      const bool has_room = document_.depth < max_include_depth && document_.included.size() < max_files &&
                            document_.included_bytes < max_included_bytes;
      if (!include.is_known || !has_room || !document_.options.read_include) {
        document_.has_unknown_ids = true;
        continue;
      }
      const auto images = document_.attributes.find("imagesdir");
      const bool has_images = images != document_.attributes.end();
      document_.included.push_back(
          {include.path, has_images ? with_attributes(images->second.value, document_.attributes) : std::string()});
      const std::optional<std::string> text = document_.options.read_include(include.path);
      if (text) {
        read_include(include, *text);
      } else if (!is_optional) {
        document_.has_unknown_ids = true;
      }
    }
  }

  void read_include(const AsciidocInclude& include, std::string_view text) {
    const std::string tags = with_attributes(value_of_attribute(include.attributes, "tags="), document_.attributes) +
                             with_attributes(value_of_attribute(include.attributes, "tag="), document_.attributes);
    const std::string lines = with_attributes(value_of_attribute(include.attributes, "lines="), document_.attributes);
    const bool has_lines = lines.find_first_not_of("0123456789.,;- ") == std::string::npos && !lines.empty();
    const std::string part = has_lines ? part_of_lines(text, lines) : tagged_part(text, tags);
    const std::string folder = std::exchange(document_.folder, include.path.substr(0, include.path.rfind('/') + 1));
    ++document_.depth;
    document_.included_bytes += text.size();
    AsciidocReader(part, document_).read_included_text();
    --document_.depth;
    document_.folder = folder;
  }

  // Adds the ids that Asciidoctor itself gives to parts of the page.
  void add_ids_of_pages() {
    for (const char* const id : {"header", "content", "footer", "preamble", "toc", "footnotes"})
      found_.anchors.emplace_back(id);
    for (std::size_t i = 1; i <= document_.footnotes; ++i) {
      found_.anchors.push_back("_footnotedef_" + std::to_string(i));
      found_.anchors.push_back("_footnoteref_" + std::to_string(i));
    }
  }

  // Opens or closes the block that this line delimits. Blocks that are still open inside a closed block end with it.
  void pass_boundary(std::string_view words) {
    in_list_ = false;
    if (is_table_border(words)) {
      const bool is_nested = !table_.empty() && words != table_;
      if (!is_nested) table_ = table_.empty() ? words : std::string_view();
      if (!is_nested) cells_ = {.columns = std::exchange(next_columns_, {})};
      return;
    }
    const auto open = std::ranges::find(open_blocks_, words);
    if (open != open_blocks_.end()) {
      open_blocks_.erase(open, open_blocks_.end());
    } else if (open_blocks_.size() < max_open_blocks) {
      open_blocks_.push_back(words);
    }
  }

  // Reads ".Title" above a block.
  void read_block_title(const ProseLine& line) {
    if (line.in(source_).find('|') != std::string_view::npos) cells_.columns.clear();  // ".2+|" is a cell of two rows
    items_.begin_block(line, line.in(source_));
    read_asciidoc_inline(source_, {line.start + 1, line.end - line.start - 1}, document_, found_, items_);
    items_.end_block();
    document_.ids.add_name(with_attributes(line.in(source_).substr(1), document_.attributes));
  }

  // Reads an include on its own line. The lines below it are a separate block, usually of attributes.
  void read_include_line(const ProseLine& line) {
    items_.begin_block(line, line.in(source_));
    read_asciidoc_inline(source_, line.range(), document_, found_, items_);
    items_.end_block();
  }

  void read_block_attributes(std::string_view words) {
    const std::string_view style = words.substr(1, words.find_first_of(",.%#]", 1) - 1);
    const bool is_verbatim = words.starts_with("[source") || words.starts_with("[listing") ||
                             words.starts_with("[literal") || words.starts_with("[,") || style == "stem" ||
                             style == "latexmath" || style == "asciimath";
    const bool has_macros =
        words.find("subs=") != std::string_view::npos &&
        (words.find("macros") != std::string_view::npos || words.find("normal") != std::string_view::npos);
    if (has_macros) {
      next_ = Next::code_with_links;
    } else if (is_verbatim) {
      next_ = Next::verbatim;
    } else if (style == "comment") {
      next_ = Next::comment;
    }
    if (words.find("cols=") != std::string_view::npos) next_columns_ = column_styles(words);
    read_link_of_next(words);
    read_ids_of_next(words);
  }

  // Returns the style of each column, such as 'a', 'l' or 0, from attributes such as "[cols="1,2a,3*l"]". Empty if the
  // styles are unknown.
  static std::string column_styles(std::string_view words) {
    constexpr std::size_t max_columns = 100;
    std::string styles;
    const bool has_other_separator =
        words.find("format=") != std::string_view::npos || words.find("separator=") != std::string_view::npos;
    if (has_other_separator) return styles;
    std::string_view value = words.substr(words.find("cols=") + 5);
    const bool is_quoted = value.starts_with('"') || value.starts_with('\'');
    value = is_quoted ? value.substr(1, value.find(value.front(), 1) - 1) : value.substr(0, value.find_first_of(",]"));
    while (!value.empty() && styles.size() < max_columns) {
      const std::size_t end = std::min(value.find_first_of(",;"), value.size());
      const std::string_view column = trim_ascii(value.substr(0, end));
      value.remove_prefix(std::min(end + 1, value.size()));
      const std::size_t times = column.find('*');
      const std::size_t count = times == std::string_view::npos ? 1 : number_in(column.substr(0, times));
      const bool has_style = !column.empty() && is_ascii_letter(column.back());
      styles.append(std::min(count, max_columns), has_style ? column.back() : '\0');
    }
    return styles;
  }

  // Returns the number at the start of `text`, which has at most three digits. Returns at least 1.
  static std::size_t number_in(std::string_view text) {
    std::size_t number = 0;
    for (const char c : text.substr(0, 3)) {
      if (!is_ascii_digit(c)) break;
      number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    return std::max<std::size_t>(number, 1);
  }

  // Reads "[[id,text]]", "[#id.role]" and "[id=x]" above a block or a heading.
  void read_ids_of_next(std::string_view words) {
    const std::string_view inside = words.substr(1, words.size() - 2);
    if (inside.starts_with('[')) {
      add_anchor(inside.substr(1, inside.size() - 2), document_);
    } else {
      add_ids_of_attributes(inside, document_);
    }
    const bool has_id = inside.starts_with('[') || inside.find('#') != std::string_view::npos ||
                        inside.find("id=") != std::string_view::npos;
    has_id_ = has_id_ || has_id;
  }

  // Adds the id of a section with this title, unless an explicit id is above the title or at its end.
  void add_section(std::string_view shown) {
    std::string title;
    bool has_id = std::exchange(has_id_, false);
    for (std::size_t at = 0; at < shown.size();) {
      const std::size_t open = std::min(shown.find("[[", at), shown.size());
      title.append(shown.substr(at, open - at));
      const std::size_t close = shown.find("]]", open);
      at = close == std::string_view::npos ? shown.size() : close + 2;
      has_id = has_id || (at == shown.size() && open < shown.size() && open > 0);
    }
    title = with_attributes(trim_ascii(title), document_.attributes);
    constexpr std::array<std::string_view, 10> unknown{
        "{", "image:", "icon:", "kbd:", "btn:", "menu:", "pass:", "stem:", "footnote:", "(("};
    const bool is_known =
        std::ranges::none_of(unknown, [&](std::string_view mark) { return title.find(mark) != std::string::npos; });
    if (!is_known) {
      document_.has_unknown_ids = true;
    } else if (has_id) {
      document_.ids.add_name(title);
    } else {
      document_.ids.add_section(title, id_style());
    }
  }

  AsciidocIds::Style id_style() const {
    AsciidocIds::Style style;
    for (const auto& [name, part] :
         {std::pair("idprefix", &style.prefix), std::pair("idseparator", &style.separator)}) {
      const auto found = document_.attributes.find(name);
      if (found == document_.attributes.end()) continue;
      *part = found->second.value;
      style.is_set = true;
    }
    return style;
  }

  void read_fenced(std::string_view fence) {
    const std::string_view closing = fence.starts_with("```") ? fence.substr(0, 3) : fence;
    const auto ends = [&](const ProseLine& line) {
      const std::string_view words = line.in(source_);
      if (line.indent > 0 || line.blank() || (words != closing && words != table_)) return false;
      if (words == table_) table_ = {};  // the end of the table also ends a block in its last cell
      return true;
    };
    const TextRange inside = take_block(source_, at_, ends);
    const Next kind = std::exchange(next_, Next::text);
    if (kind == Next::code_with_links) {
      read_asciidoc_inline(source_, inside, document_, found_, items_);
    } else if (fence[0] == '/' || kind == Next::comment) {
      add_ignore_comment(source_, inside, found_);
    } else if (fence[0] == '+' && kind == Next::text) {
      add_html_links(source_, inside, document_.options.include_verbatim, found_);
    } else if (document_.options.include_verbatim) {
      add_prose_links(source_, inside, found_);
    }
  }

  // Skips a comment block, up to the "--" that ends it.
  void skip_comment_block() {
    add_ignore_comment(
        source_, take_block(source_, at_, [this](const ProseLine& line) { return line.in(source_) == "--"; }), found_);
  }

  // Returns true if the block below the attribute list at `at` is an image. Its title and other attributes may follow.
  bool is_above_image(std::size_t at) const {
    constexpr int max_lines = 10;
    for (int line = 0; line < max_lines; ++line) {
      at = source_.find('\n', at);
      if (at == std::string_view::npos) return false;
      const std::string_view rest = source_.substr(++at);
      if (rest.starts_with("image::")) return true;
      if (!rest.starts_with('[') && !rest.starts_with('.')) return false;
    }
    return false;
  }

  // Reads "[link=https://…]" above an image.
  void read_link_of_next(std::string_view words) {
    constexpr std::string_view name = "link=";
    std::size_t key = words.find(name);
    const auto is_attribute = [words](std::size_t at) {
      const std::size_t before = words.find_last_not_of(" \t", at - 1);
      return before != std::string_view::npos && (words[before] == '[' || words[before] == ',');
    };
    while (key != std::string_view::npos && !is_attribute(key)) key = words.find(name, key + 1);
    if (key == std::string_view::npos) return;
    std::string_view value = words.substr(key + name.size(), words.size() - key - name.size() - 1);
    value = value.starts_with('"') ? value.substr(1, value.find('"', 1) - 1) : value.substr(0, value.find(','));
    if (value.empty() || value == "self" || value == "none" || value.find('{') != std::string_view::npos) return;
    if (!is_above_image(static_cast<std::size_t>(words.data() - source_.data()))) return;
    found_.links.emplace_back(static_cast<std::size_t>(value.data() - source_.data()), value.size(), LinkElement::link,
                              std::string(value), FoundText(), false);
  }

  // Reads a conditional such as "ifdef::env-github[]", or its "endif::[]". Conditionals nest.
  bool read_conditional(std::string_view words) {
    if (!is_conditional(words)) return false;
    const bool opens = !words.starts_with("endif::");
    const bool is_line =
        opens && !words.starts_with("ifeval::") && !words.ends_with("[]");  // the text is in the brackets
    if (is_line) return read_conditional_attribute(words);
    if (opens) {
      // Attributes inside the conditional do not apply if the text is shown elsewhere or the attribute is already set.
      const std::string_view name = words.substr(0, words.find('[')).substr(words.find("::") + 2);
      const bool is_known = words.starts_with("ifndef::") && document_.attributes.contains(std::string(name));
      conditionals_.push_back(is_known || words.starts_with("ifdef::env-"));
      environments_ += conditionals_.back() ? 1U : 0U;
    } else if (!conditionals_.empty()) {
      environments_ -= conditionals_.back() ? 1U : 0U;
      conditionals_.pop_back();
    }
    return true;
  }

  // Reads "ifndef::imagesdir[:imagesdir: images]".
  bool read_conditional_attribute(std::string_view words) {
    const std::size_t open = words.find('[');
    const bool is_attribute = words.starts_with("ifndef::") && words.substr(open + 1).starts_with(':');
    if (!is_attribute) return false;
    const auto start = static_cast<std::size_t>(words.data() - source_.data());
    const std::string_view name = words.substr(8, open - 8);
    if (document_.attributes.contains(std::string(name))) return true;
    return read_attribute({.start = start + open + 1, .end = start + words.size() - 1});
  }

  // Reads ":name: value", which sets an attribute, and ":!name:" or ":name!:", which unset it.
  bool read_attribute(const ProseLine& line) {
    const std::string_view words = line.in(source_);
    const std::size_t colon = words.starts_with(':') && line.indent == 0 ? words.find(':', 1) : std::string_view::npos;
    if (colon == std::string_view::npos || colon == 1 || words.substr(0, colon).find(' ') != std::string_view::npos) {
      return false;
    }
    const std::string_view value = trim_ascii(words.substr(colon + 1));
    if (value.size() > max_attribute_bytes) return true;
    AsciidocAttributes& known = document_.attributes;
    AsciidocAttribute attribute;
    attribute.range = {static_cast<std::size_t>(value.data() - source_.data()), value.size()};
    attribute.value = value;
    attribute.is_included = document_.depth > 0;
    // A value may refer to earlier attributes.
    for (std::size_t open = value.find('{'); open != std::string_view::npos; open = std::string_view::npos) {
      const std::size_t close = value.find('}', open);
      const auto earlier = close == std::string_view::npos
                               ? known.end()
                               : known.find(std::string(value.substr(open + 1, close - open - 1)));
      if (earlier == known.end()) continue;
      attribute.value =
          std::string(value.substr(0, open)) + earlier->second.value + std::string(value.substr(close + 1));
      attribute.value.resize(std::min(attribute.value.size(), max_attribute_bytes));
    }
    std::string name = to_ascii_lower(words.substr(1, colon - 1));
    if (name.starts_with('!') || name.ends_with('!')) {
      name.erase(name.starts_with('!') ? 0 : name.size() - 1, 1);
      const auto unset = known.find(name);
      const bool is_url = unset != known.end() && unset->second.value.find("://") != std::string::npos;
      if (unset != known.end() && environments_ == 0 && !is_url) known.erase(unset);
      return true;
    }
    // A value that applies only where the text is shown by one site, such as GitHub, does not override other values.
    if (environments_ > 0 && known.contains(name)) return true;
    known.insert_or_assign(std::move(name), std::move(attribute));
    return true;
  }

  bool read_heading(const ProseLine& line) {
    const std::string_view words = line.in(source_);
    const std::size_t marks = words.find_first_not_of(words[0]);
    if ((words[0] != '=' && words[0] != '#') || marks == std::string_view::npos || marks > 6 || words[marks] != ' ') {
      return false;
    }
    items_.open_heading();
    read_asciidoc_inline(source_, {line.start + marks, words.size() - marks}, document_, found_, items_);
    found_.headings.push_back({line.start, items_.close_heading(), marks});
    add_section(found_.headings.back().text);
    return true;
  }

  // Reads "Title" above "-----". The underline may be one character longer or shorter than the title. Blocks and lists
  // have no sections.
  bool read_two_line_title(const ProseLine& first) {
    constexpr std::string_view underlines = "=-~^+";
    if (first.next >= source_.size() || !table_.empty() || !open_blocks_.empty()) return false;
    const ProseLine second = prose_line(source_, first.next);
    const std::string_view underline = second.in(source_);
    const std::string_view words = first.in(source_);
    if (second.blank() || second.indent > 0 || words.front() == '.') return false;
    const std::size_t level = underlines.find(underline.front());
    const bool is_underline =
        level != std::string_view::npos && underline.find_first_not_of(underline.front()) == std::string_view::npos;
    // A character has up to 4 bytes, so longer lines cannot be titles.
    if (!is_underline || words.size() + first.indent > 4 * (underline.size() + 1)) return false;
    const std::size_t length = first.indent + count_code_points(words);
    const bool is_as_long = length <= underline.size() + 1 && underline.size() <= length + 1;
    const bool is_item_of_list = in_list_ && is_item(words);
    if (!is_as_long || is_item_of_list || !has_word_character(words)) return false;
    at_ = second.next;
    in_list_ = false;
    next_ = Next::text;
    items_.open_heading();
    read_asciidoc_inline(source_, first.range(), document_, found_, items_);
    found_.headings.push_back({first.start, items_.close_heading(), level + 1});
    add_section(found_.headings.back().text);
    return true;
  }

  static bool has_word_character(std::string_view words) {
    return std::ranges::any_of(words, [](char c) { return is_ascii_alphanumeric(c) || c == '_' || is_not_ascii(c); });
  }

  static bool is_item(std::string_view words) {
    const bool has_letter = words.size() > 2 && is_ascii_letter(words[0]) && words[1] == '.' && words[2] == ' ';
    const bool is_term = words.ends_with("::") || words.find(":: ") != std::string_view::npos;
    return item_marker_length(words) > 0 || has_letter || is_term || words.front() == '<';
  }

  // Returns true for a literal paragraph, which begins with an indented line that is not an item. In a table, only
  // AsciiDoc cells have such paragraphs.
  bool is_literal(const ProseLine& first, TextRange block) const {
    const bool may_be_literal = first.indent > 0 && !after_term_ && !is_item(first.in(source_));
    if (!may_be_literal || table_.empty()) return may_be_literal;
    return cells_.style == 'a' && source_.substr(block.offset, block.length).find('|') == std::string_view::npos;
  }

  void read_paragraph(const ProseLine& first) {
    const bool is_one_line = first.indent == 0 && table_.empty() && is_block_of_one_line(first.in(source_));
    const ProseLine last = paragraph_end(source_, first, [this, is_one_line](const ProseLine& line) {
      const std::string_view words = line.in(source_);
      if (is_one_line) return true;
      // Indented text after a directive continues the paragraph. On its own, it would be a literal one.
      const bool is_directive = is_conditional(words) && prose_line(source_, line.next).indent == 0;
      return line.indent == 0 && (is_fence(words) || is_boundary(words) || words.starts_with("//") ||
                                  words.starts_with("include::") || is_directive);
    });
    const bool is_include = first.indent == 0 && first.in(source_).starts_with("include::");
    at_ = is_include ? first.next : last.next;
    if (is_include) return read_include_line(first);
    if (is_unknown_block_macro(first.in(source_))) document_.has_unknown_ids = true;
    has_id_ = false;
    in_list_ = is_item(first.in(source_)) || (in_list_ && first.indent > 0);
    const TextRange block{first.start, last.end - first.start};
    const bool is_running_text = !is_literal(first, block);
    after_term_ = last.in(source_).ends_with("::") || last.in(source_).ends_with(";;");
    const Next kind = std::exchange(next_, Next::text);
    if (kind == Next::comment) return add_ignore_comment(source_, block, found_);
    if (kind == Next::verbatim || (kind == Next::text && !is_running_text)) {
      if (document_.options.include_verbatim) add_prose_links(source_, block, found_);
      return;
    }
    if (!table_.empty()) read_cells(block);
    items_.begin_block(first, first.in(source_));
    read_asciidoc_inline(source_, block, document_, found_, items_);
    items_.end_block();
    document_.literal_cells.clear();
  }

  // Reads the cells of a paragraph in a table. A cell may continue in the next paragraph. Finds the literal cells:
  // "l|text" up to the next cell, and the cells of literal columns.
  void read_cells(TextRange block) {
    const std::size_t end = block.offset + block.length;
    const std::string_view source = source_.substr(0, end);
    std::size_t start = block.offset;
    for (std::size_t bar = source.find('|', start); bar != std::string_view::npos; bar = source.find('|', bar + 1)) {
      if (bar > block.offset && source[bar - 1] == '\\') continue;
      if (cells_.style == 'l') document_.literal_cells.push_back({start, bar - start});
      begin_cell(source.substr(block.offset, bar - block.offset));
      start = bar + 1;
    }
    if (cells_.style == 'l') document_.literal_cells.push_back({start, end - start});
  }

  // Begins a cell. `before` is the text before its bar, which may end with a cell specifier such as "2+^l" or "3*".
  void begin_cell(std::string_view before) {
    constexpr std::size_t max_specifier = 16;
    constexpr std::string_view styles = "adehlmsv";
    const bool has_style = !before.empty() && styles.find(before.back()) != std::string_view::npos;
    const std::string_view bare = before.substr(0, before.size() - (has_style ? 1 : 0));
    const std::size_t start = bare.find_last_not_of("0123456789.*+<^>") + 1;  // npos + 1 is 0
    const bool is_specifier = bare.size() - start < max_specifier && (start == 0 || is_ascii_space(before[start - 1]));
    const std::string_view specifier = is_specifier ? bare.substr(start) : std::string_view();
    const std::size_t span = specifier.find_first_of("*+");
    const bool has_rows = specifier.substr(0, std::min(span, specifier.size())).find('.') != std::string_view::npos;
    if (has_rows && span != std::string_view::npos) cells_.columns.clear();  // the columns of later cells are unknown
    const std::string& columns = cells_.columns;
    cells_.style = columns.empty() ? '\0' : columns[cells_.next % columns.size()];
    if (is_specifier && has_style) cells_.style = before.back();
    cells_.next += span == std::string_view::npos ? 1 : number_in(specifier);
  }

  std::string_view source_;
  AsciidocDocument& document_;
  std::size_t at_ = 0;
  FoundLinks found_;
  ProseItems items_{found_};
  enum class Next : std::uint8_t { text, verbatim, code_with_links, comment };
  Next next_ = Next::text;                     // kind of the next block, set by an attribute line such as "[source]"
  bool has_id_ = false;                        // an attribute line above gives the next block an id
  bool after_term_ = false;                    // the previous block ends with a term without its text
  bool in_list_ = false;                       // the previous block is an item
  std::vector<std::string_view> open_blocks_;  // the opening line of each open block
  std::string_view table_;                     // border of the current table; empty outside of tables
  struct TableCells {
    std::string columns;   // styles of the columns; empty if unknown
    std::size_t next = 0;  // number of the next cell, counted from the first cell of the table
    char style = '\0';     // style of the current cell
  };
  TableCells cells_;                // cells of the current table
  std::string next_columns_;        // column styles for the next table, set by an attribute line
  std::vector<bool> conditionals_;  // for each open conditional: true if it depends on the environment
  std::size_t environments_ = 0;    // number of such conditionals
};

}  // namespace

FoundLinks read_asciidoc_links(std::string_view text, std::string_view file, const AsciidocOptions& options) {
  AsciidocDocument document{options, path_to_antora_pages(file)};
  return AsciidocReader(text, document).read();
}

}  // namespace linkherd::parser
