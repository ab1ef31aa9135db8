#include "parser/lists/extract_links.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/lists/brackets.h"
#include "parser/lists/entry_tracker.h"
#include "parser/lists/host_names.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"
#include "parser/search.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Names reserved by RFC 2606 and RFC 6761, including their subdomains, and the top-level domains with a reserved domain
// "example".
constexpr std::array<std::string_view, 4> reserved_endings{"test", "invalid", "example", "localhost"};
constexpr std::array<std::string_view, 3> endings_with_example{"com", "org", "net"};

std::string_view last_label(std::string_view host) { return host.substr(host.rfind('.') + 1); }

bool is_reserved_host(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view ending = last_label(host);
  if (is_one_of(reserved_endings, ending)) return true;
  if (ending.size() == host.size() || last_label(host.substr(0, host.size() - ending.size() - 1)) != "example")
    return false;
  return is_one_of(endings_with_example, ending);
}

constexpr bool is_name_character(char c) {
  return is_ascii_alphanumeric(c) || std::string_view("_-. ").find(c) != std::string_view::npos;
}

// Returns true for a name in brackets, such as "{id}" or "<your-name>". JSON in a query is not a placeholder.
bool has_name_in_brackets(std::string_view target) {
  for (std::size_t at = find_either(target, '{', '<'); at != std::string_view::npos;
       at = find_either(target, '{', '<', at + 1)) {
    const char close = target[at] == '{' ? '}' : '>';
    const std::string_view inside = target.substr(at + 1, 64);
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(inside, is_name_character) - inside.begin());
    if (length > 0 && length < inside.size() && inside[length] == close) return true;
  }
  return false;
}

constexpr ByteSet placeholder_marks = ByteSet().with("{<%|$_@`+?");  // a target needs one for has_placeholder()
constexpr ByteSet template_marks = ByteSet().with("{<$_");           // a target needs one for is_template()

// Faster than find_first_of(), which searches the set for each byte.
bool has_any(std::string_view text, const ByteSet& bytes) {
  return std::ranges::any_of(text, [&bytes](char c) { return bytes.contains(c); });
}

// Returns the length of the name in upper case at the start of `text`. Programs replace such names.
std::size_t upper_case_length(std::string_view text) {
  const auto is_upper = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_upper) - text.begin());
}

// Returns true for directives of printf ("%s", "%d", "%(name)s", "%1$s") and of other programs ("%PUBLIC_URL%",
// "%[path]"). Percent-encoded bytes differ from them, because they have two hexadecimal digits.
bool has_format_directive(std::string_view target) {
  for (std::size_t at = target.find('%'); at != std::string_view::npos; at = target.find('%', at + 1)) {
    std::string_view rest = target.substr(at + 1);
    if (rest.starts_with('(') || rest.starts_with('[')) return true;
    if (rest.size() > 1 && rest[1] == '$') rest.remove_prefix(2);
    const bool is_directive = !rest.empty() && std::string_view("sdiuf@").find(rest.front()) != std::string_view::npos;
    if (is_directive && (rest.size() == 1 || !is_ascii_alphanumeric(rest[1]))) return true;
    const std::size_t name = upper_case_length(rest);
    if (name > 2 && name < rest.size() && rest[name] == '%') return true;
  }
  return false;
}

// Returns true for authorities that only occur in examples. The port is a word, as in "https://host:port/", or the host
// is reserved for examples, as in "http://example.com:80x/".
bool has_example_authority(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = target.substr(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == authority.size()) return false;
  const bool is_word =
      std::ranges::all_of(authority.substr(colon + 1), [](char c) { return is_ascii_letter(c) || c == '_'; });
  return is_word || is_reserved_host(to_ascii_lower(authority.substr(0, colon)));
}

// Returns true for expressions of template engines: "{{ asset('x') }}", "{% url 'home' %}", "<%= u %>", "<?php … ?>".
bool has_template_expression(std::string_view text) {
  constexpr std::array<std::string_view, 4> openings{"{{", "{%", "<%", "<?"};
  const auto occurs = [text](std::string_view opening) { return text.find(opening) != std::string_view::npos; };
  return std::ranges::any_of(openings, occurs);
}

// Returns true for a relative target with a name such as "__FILENAME__.json". On the web, pages about __FILE__ exist.
bool has_name_in_underscores(std::string_view target) {
  if (target.find("://") != std::string_view::npos) return false;
  target = target.substr(0, target.find('#'));
  for (std::size_t at = target.find("__"); at != std::string_view::npos; at = target.find("__", at + 2)) {
    const std::string_view name = target.substr(at + 2);
    if (name.starts_with('_')) continue;
    const std::size_t length = upper_case_length(name);
    if (length > 4 && name.substr(0, length).ends_with("__")) return true;
    at += length;  // a name that begins inside this one has the same end
  }
  return false;
}

// Returns true for variables: "$relpath^x.png" of Doxygen, "$(ProjectDir)", and "$url" or "http://$HOST:$PORT/", where
// a variable determines the host.
bool has_variable(std::string_view target) {
  const std::size_t dollar = target.find('$');
  if (dollar == std::string_view::npos) return false;
  const bool is_first = dollar == 0 && target.size() > 1 && is_ascii_letter(target[1]);
  if (is_first || target.find("$(", dollar) != std::string_view::npos) return true;
  const std::size_t slashes = target.find("://");
  if (slashes == std::string_view::npos) return false;
  const std::string_view authority = target.substr(slashes + 3, target.find_first_of("/?#", slashes + 3) - slashes - 3);
  return authority.find('$', authority.rfind('@') + 1) != std::string_view::npos;
}

// Returns true for "@routes.Home.index()" and "@Url.Action(…)" of Twirl and Razor, and for the aliases "@site/x.md" and
// "@/x.png" of bundlers.
bool is_alias(std::string_view target) {
  if (!target.starts_with('@')) return false;
  const std::size_t end = static_cast<std::size_t>(std::ranges::find_if_not(target.substr(1), is_ascii_alphanumeric) -
                                                   target.substr(1).begin());
  return end + 1 < target.size() && std::string_view("./(").find(target[end + 1]) != std::string_view::npos;
}

// Returns true for file names that site generators and web frameworks use for templates, such as "templates/page.html"
// and "page-template.html".
bool is_named_template(std::string_view file) {
  constexpr std::array<std::string_view, 4> folders{"layouts", "_layouts", "_includes", "partials"};
  const std::size_t name = file.rfind('/') + 1;
  std::string_view stem = file.substr(name);
  stem = stem.substr(0, stem.rfind('.'));
  const auto is_of_name = [stem](std::string_view end) { return stem.ends_with(end); };
  constexpr std::array<std::string_view, 3> ends{"template", ".tmpl", ".tpl"};
  constexpr std::array<std::string_view, 3> begins{"template.", "template-", "template_"};
  const auto begins_with = [stem](std::string_view begin) { return stem.starts_with(begin); };
  if (std::ranges::any_of(begins, begins_with) || std::ranges::any_of(ends, is_of_name)) return true;
  std::string_view above = file.substr(0, name);
  while (!above.empty()) {
    above.remove_suffix(1);
    const std::string folder = to_ascii_lower(above.substr(above.rfind('/') + 1));
    if (folder.ends_with("templates") || std::ranges::find(folders, folder) != folders.end()) return true;
    above = above.substr(0, above.rfind('/') + 1);
  }
  return false;
}

// Returns true if the text has either the beginning or the end of a page, but not both. Such files are inserted before
// and after the content of the pages of a site.
bool is_half_page(std::string_view text) {
  const auto begins = [text](std::string_view tag) { return text.find(tag) != std::string_view::npos; };
  const auto ends = [text](std::string_view tag) { return text.rfind(tag) != std::string_view::npos; };
  return (begins("<html") || begins("<HTML")) != (ends("</html") || ends("</HTML"));
}

// Returns true for the view of an Angular or Vue component. A view has template syntax but none of the tags around the
// content of a page.
bool is_view(std::string_view text) {
  constexpr std::array<std::string_view, 5> of_page{"<!doctype", "<html", "<head", "<body", "<title"};
  constexpr std::array<std::string_view, 5> of_view{"{{", " ng-", " *ng", " (click)=", " v-"};
  constexpr std::size_t beginning = 1024;  // nearly all pages have one of these tags here
  const auto has_any = [](std::string_view part, const auto& marks) {
    return std::ranges::any_of(marks, [part](std::string_view mark) { return contains_ignoring_case(part, mark); });
  };
  return !has_any(text.substr(0, beginning), of_page) && has_any(text, of_view) && !has_any(text, of_page);
}

// Returns true for a page that a program fills in. The evidence is a link with template syntax, a statement such as
// "{% load i18n %}", the name of the file, half a page, or a view.
bool is_template(const DocumentText& document, const FoundLinks& found) {
  if (document.format != DocumentFormat::html) return false;
  const std::size_t statement = document.text.find("{% ");
  const auto is_filled_in = [](std::string_view target) {
    return has_any(target, template_marks) &&
           (has_template_expression(target) || has_variable(target) || has_name_in_underscores(target));
  };
  return (statement != std::string_view::npos &&
          find_linear(document.text, " %}", statement) != std::string_view::npos) ||
         std::ranges::any_of(found.links, is_filled_in, &FoundLink::target) || is_named_template(document.file) ||
         is_half_page(document.text) || is_view(document.text);
}

bool has_web_scheme(std::string_view target) { return target.starts_with("https://") || target.starts_with("http://"); }

// Returns true for "python.org:8443/x". It cannot be a relative URL, whose first segment has no colon (RFC 3986).
bool has_port(std::string_view target) {
  return target.substr(0, target.find_first_of("/?#")).find(':') != std::string_view::npos;
}

bool has_scheme(std::string_view target) {
  if (target.empty() || !is_ascii_letter(target.front())) return false;
  const auto length = static_cast<std::size_t>(
      std::ranges::find_if_not(target, [](char c) { return is_name_character(c) ? c != ' ' && c != '_' : c == '+'; }) -
      target.begin());
  return length < target.size() && target[length] == ':';
}

FoundLinks read_list(const DocumentText& document, const ExtractOptions& options) {
  const MarkdownOptions markdown{.include_verbatim = options.include_verbatim,
                                 .include_wikilinks = options.include_wikilinks,
                                 .generator = document.generator,
                                 .is_mdx = document.format == DocumentFormat::mdx,
                                 .has_math = document.has_math,
                                 .parses_block_html = document.parses_block_html};
  switch (document.format) {
    case DocumentFormat::markdown:
    case DocumentFormat::mdx: return read_markdown_links(document.text, markdown);
    case DocumentFormat::bookmarks: return read_bookmarks(document.text, options.include_verbatim);
    case DocumentFormat::html: return read_html_links(document.text, options.include_verbatim, options.entries);
    case DocumentFormat::restructured_text:
      return read_rst_links(document.text, options.include_verbatim, document.generator);
    case DocumentFormat::asciidoc:
      return read_asciidoc_links(document.text, document.file, {options.include_verbatim, options.read_include});
    case DocumentFormat::org: return read_org_links(document.text, options.include_verbatim);
    case DocumentFormat::notebook: return read_notebook_links(document.text, markdown);
    case DocumentFormat::csv: return read_csv_links(document.text);
    case DocumentFormat::json: return read_json_links(document.text);
    case DocumentFormat::json_lines: return read_json_lines_links(document.text);
    case DocumentFormat::yaml: return read_yaml_links(document.text);
    case DocumentFormat::toml: return read_toml_links(document.text);
    case DocumentFormat::bibtex: return read_bibtex_links(document.text);
    case DocumentFormat::xml: return read_xml_links(document.text, options.include_verbatim);
    case DocumentFormat::css: return read_css_links(document.text);
    case DocumentFormat::ris: return read_ris_links(document.text);
    case DocumentFormat::plain_text: break;
  }
  return read_plain_text_links(document.text);
}

// Running text and data contain no relative URLs. In XML, URLs may be relative if the address of the page is known.
BareHost bare_host_in(DocumentFormat format, LinkElement element, bool on_site) {
  if (element == LinkElement::bare) return BareHost::is_host;
  switch (format) {
    case DocumentFormat::csv:
    case DocumentFormat::json:
    case DocumentFormat::json_lines:
    case DocumentFormat::yaml:
    case DocumentFormat::toml:
    case DocumentFormat::bibtex:
    case DocumentFormat::ris:
    case DocumentFormat::bookmarks:
    case DocumentFormat::plain_text: return BareHost::is_host;
    case DocumentFormat::xml: return on_site ? BareHost::is_file : BareHost::is_host;
    case DocumentFormat::css: return BareHost::is_file;
    case DocumentFormat::html:
    case DocumentFormat::markdown:
    case DocumentFormat::mdx:
    case DocumentFormat::notebook:
    case DocumentFormat::restructured_text:
    case DocumentFormat::asciidoc:
    case DocumentFormat::org: break;
  }
  return element == LinkElement::data && !on_site ? BareHost::is_host : BareHost::is_file;
}

// Returns the base of relative targets: the <base> of the text, resolved against the base of the caller, or else the
// base of the caller.
std::optional<Url> base_of(const FoundLinks& found, const ExtractOptions& options) {
  if (!found.base.empty()) {
    const Result<Url> base = options.base_url ? Url::parse(found.base, *options.base_url) : Url::parse(found.base);
    if (base.has_value()) return *base;
  }
  return options.base_url;
}

// Sorts stably. std::stable_sort is not used, because it would need memory for half of the links.
void sort_by_offset(std::deque<FoundLink>& links) {
  std::vector<std::uint32_t> from(links.size());  // the index of the link that belongs here
  std::iota(from.begin(), from.end(), 0U);
  std::ranges::sort(from, {}, [&links](std::uint32_t i) { return std::pair(links[i].offset, i); });
  for (std::uint32_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    FoundLink first = std::move(links[start]);
    std::uint32_t at = start;
    for (; from[at] != start; at = std::exchange(from[at], at)) links[at] = std::move(links[from[at]]);
    links[at] = std::move(first);
    from[at] = at;
  }
}

void sort_by_position(FoundLinks& found) {
  if (!std::ranges::is_sorted(found.links, {}, &FoundLink::offset)) sort_by_offset(found.links);
  std::ranges::stable_sort(found.headings, {}, &FoundHeading::offset);
  std::ranges::stable_sort(found.bookmarks, {}, &FoundBookmark::offset);
}

// Takes the facts of the link at `offset`, or returns empty facts. `next` is the index of the first candidate. Calls
// must have ascending offsets.
BookmarkInfo bookmark_info_at(std::size_t offset, std::vector<FoundBookmark>& bookmarks, std::size_t& next) {
  while (next < bookmarks.size() && bookmarks[next].offset < offset) ++next;
  return next < bookmarks.size() && bookmarks[next].offset == offset ? std::move(bookmarks[next].info) : BookmarkInfo();
}

// Returns the words around the links of an entry, without the dash or colon that joins them to the main link.
std::string description_of(std::uint32_t entry, const std::vector<FoundDescription>& descriptions) {
  const auto found = std::ranges::lower_bound(descriptions, entry, {}, &FoundDescription::entry);
  if (entry == 0 || found == descriptions.end() || found->entry != entry) return {};
  constexpr std::size_t max_code_point_bytes = 4;
  constexpr std::array<std::string_view, 13> joints{" ", "-", ":", "|", "*", "_", ",", ";", ".", "–", "—", "：", "，"};
  const bool is_cut = found->text.size() + max_code_point_bytes > max_description_bytes;
  const std::string text = collapse_spaces(found->text) + (is_cut ? "…" : "");
  std::string_view rest = text;
  for (auto mark = joints.begin(); mark != joints.end();) {
    mark = std::ranges::find_if(joints, [rest](std::string_view one) { return rest.starts_with(one); });
    if (mark != joints.end()) rest.remove_prefix(mark->size());
  }
  return std::string(rest);
}

// Returns false for targets that are not reported. "#section" and the empty target of [text]() and <a href="">, which
// are links within the same document, are reported only if enabled. An empty src is never reported.
bool is_link(const FoundLink& found, bool include_local) {
  const std::string_view target = trim_ascii(found.target);
  if (target.empty()) return include_local && found.element == LinkElement::link;
  return include_local || target.front() != '#';
}

// Finds the headings above an offset of a document.
class HeadingPaths {
 public:
  // `headings` must be sorted by offset and must outlive this object.
  explicit HeadingPaths(const std::vector<FoundHeading>& headings) : headings_(headings) {
    parents_.reserve(headings.size());
    std::vector<std::size_t> open;  // indexes of the open headings, with ascending levels
    for (std::size_t i = 0; i < headings.size(); ++i) {
      while (!open.empty() && headings[open.back()].level >= headings[i].level) open.pop_back();
      parents_.push_back(open.empty() ? none : open.back());
      if (!headings[i].text.empty()) open.push_back(i);
    }
  }

  // Returns the headings above the offset `index`, outermost first. The result is valid until the next call.
  const std::vector<std::string>& above(std::size_t index) {
    if (index >= from_ && index < to_) return path_;  // the next link usually has the same headings
    const auto next = std::ranges::upper_bound(headings_, index, {}, &FoundHeading::offset);
    std::size_t at = next == headings_.begin() ? none : static_cast<std::size_t>(next - headings_.begin()) - 1;
    from_ = at == none ? 0 : headings_[at].offset;
    to_ = next == headings_.end() ? none : next->offset;
    path_.clear();
    if (at != none && headings_[at].text.empty()) at = parents_[at];
    for (; at != none; at = parents_[at]) {
      path_.emplace_back(truncate_utf8(headings_[at].text, max_shown_heading_bytes));
    }
    std::ranges::reverse(path_);
    return path_;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const std::vector<FoundHeading>& headings_;
  std::vector<std::size_t> parents_;
  std::size_t from_ = 0;  // start of the range in which `path_` is valid
  std::size_t to_ = 0;    // end of this range
  std::vector<std::string> path_;
};

}  // namespace

// Placeholders are replaced by template engines, programs and documentation generators. Examples are "${x}", "%s" and
// '" + root + "'. In JSX and Thymeleaf the whole target is a placeholder, "{url}" or "@{/x}". Pelican has
// "|filename|/x.md", and ExDoc has "`Enum.map/2`".
bool has_placeholder(std::string_view target) {
  if (!has_any(target, placeholder_marks)) return false;  // the case for nearly all targets
  if (is_alias(target) || (target.size() > 2 && target.starts_with('`') && target.ends_with('`'))) return true;
  if (target.find("\" + ") != std::string_view::npos || target.find("' + ") != std::string_view::npos) return true;
  // CommonMark treats the angle brackets of "[a](<%= u %>)" and "[a](<?= u ?>)" as delimiters of the target and drops
  // them.
  const bool is_statement =
      (target.starts_with("%=") || target.starts_with("% ") || target.starts_with("%-")) && target.ends_with('%');
  const bool is_php = (target.starts_with("?=") || target.starts_with("?php ")) && target.ends_with('?');
  if (is_statement || is_php) return true;
  return target.starts_with('{') || has_variable(target) || has_name_in_underscores(target) ||
         target.starts_with("@{") || target.starts_with('|') || target.find("${") != std::string_view::npos ||
         has_template_expression(target) || has_name_in_brackets(target) || has_format_directive(target);
}

std::optional<Url> LinkTarget::resolve(std::vector<LinkNote>& notes) const {
  const std::string_view target = trim_ascii(text);
  if (target.empty()) {
    notes.push_back(LinkNote::empty_target);
    return std::nullopt;
  }
  bool placeholder = has_placeholder(target);
  const bool on_site = base != nullptr && base->scheme() != "file";
  const bool on_web = has_web_scheme(target);  // the common case, which needs no further checks
  const bool looks_like_host = !on_web && starts_with_host_name(target);
  const bool host_first = looks_like_host && (bare_host == BareHost::is_host || (has_port(target) && !on_site));
  const bool slashes_first = target.starts_with("//") && !on_site;
  // Next to a document on the web, a file with the name of a host may exist.
  const bool lacks_scheme = host_first || slashes_first || (looks_like_host && !on_site);
  if (lacks_scheme) notes.push_back(LinkNote::missing_scheme);
  if (lacks_scheme && !host_first && !slashes_first) {
    const Result<Url> meant = Url::parse("https://" + std::string(target));
    placeholder = placeholder || (meant.has_value() && is_reserved_host(meant->host()));
  }
  const bool relative = !on_web && !host_first && !slashes_first && !has_scheme(target);
  const auto read = [&]() -> Result<Url> {
    if (host_first) return Url::parse("https://" + std::string(target));
    if (slashes_first) return Url::parse("https:" + std::string(target));
    return base == nullptr ? Url::parse(target) : Url::parse(target, *base);
  };
  if (relative && base == nullptr) {
    if (placeholder) notes.push_back(LinkNote::placeholder);
    notes.push_back(LinkNote::relative);
    return std::nullopt;
  }
  Result<Url> url = read();
  const bool is_cut = target.ends_with('%');  // the link ended before the "[" of a directive such as "%[path]"
  if (url.has_error() && (is_cut || has_example_authority(target))) placeholder = true;
  const bool reserved = url.has_value() && url->host_kind() == HostKind::domain && is_reserved_host(url->host());
  if (placeholder || reserved) notes.push_back(LinkNote::placeholder);
  if (url.has_value()) return std::move(*url);
  if (!placeholder) notes.push_back(LinkNote::invalid_url);
  return std::nullopt;
}

std::optional<Url> LinkTarget::resolve(LinkOccurrence& occurrence) const {
  std::vector<LinkNote> notes;
  std::optional<Url> url = resolve(notes);
  occurrence.href = url ? url->href() : std::string_view();
  occurrence.notes.insert(occurrence.notes.begin(), notes.begin(), notes.end());
  return url;
}

void for_each_link(const DocumentText& document, const ExtractOptions& options,
                   const std::function<void(LinkOccurrence&)>& visit, DocumentInfo* info) {
  const auto resolve = [&visit](LinkOccurrence& occurrence, const LinkTarget& target) {
    target.resolve(occurrence);
    visit(occurrence);
  };
  for_each_target(document, options, resolve, info);
}

void for_each_target(const DocumentText& document, const ExtractOptions& options,
                     const std::function<void(LinkOccurrence&, const LinkTarget&)>& visit, DocumentInfo* info) {
  FoundLinks found = read_list(document, options);
  sort_by_position(found);
  if (info != nullptr) {
    *info = {AnchorSet::of(found, document.format), !found.base.empty(), is_template(document, found)};
  }
  mark_ignored_links(document.text, found);
  const std::optional<Url> base = base_of(found, options);
  const bool on_site = base && base->scheme() != "file";
  LineIndex lines(document.text);
  if (!options.entries) {
    for (FoundLink& link : found.links) link.entry = 0;
  }
  const std::vector<LinkRole> roles = assign_roles(found);
  std::ranges::stable_sort(found.descriptions, {}, &FoundDescription::entry);
  HeadingPaths headings(found.headings);
  LinkOccurrence occurrence;  // reused for all links, so that its strings keep their capacity
  std::size_t last_offset = std::string_view::npos;
  std::size_t next_bookmark = 0;
  // Each link is freed once it is processed, because a million links would not fit into memory together with their
  // occurrences.
  for (std::size_t i = 0; !found.links.empty(); ++i, found.links.pop_front()) {
    const FoundLink& link = found.links.front();
    // Two links at the same offset are two interpretations of one URL. The first one is kept.
    const bool again = std::exchange(last_offset, link.offset) == link.offset;
    if (again || !is_link(link, options.include_local)) continue;
    lines.move_to(link.offset);
    if (occurrence.file != document.file) occurrence.file = document.file;
    occurrence.line = lines.line();
    occurrence.column = lines.column();
    occurrence.offset = link.offset;
    occurrence.length = link.length;
    occurrence.url = document.text.substr(link.offset, link.length);
    occurrence.element = link.element;
    occurrence.rel = link.rel.view();
    occurrence.ignored_by = link.ignored_by == nullptr ? "" : link.ignored_by;
    occurrence.headings = headings.above(link.link_offset == FoundLink::no_offset ? link.offset : link.link_offset);
    occurrence.entry = link.entry;
    occurrence.role = roles[i];
    const bool is_described = occurrence.role == LinkRole::main && has_web_scheme(link.target);
    occurrence.description.clear();
    if (is_described) occurrence.description = description_of(link.entry, found.descriptions);
    occurrence.tags.clear();
    occurrence.added.reset();
    if (!found.bookmarks.empty()) {
      BookmarkInfo bookmark = bookmark_info_at(link.offset, found.bookmarks, next_bookmark);
      occurrence.tags = std::move(bookmark.tags);
      occurrence.added = bookmark.added;
    }
    occurrence.href.clear();
    occurrence.notes.clear();
    if (link.unbalanced_bracket || (link.element != LinkElement::bare && !has_balanced_brackets(link.text))) {
      occurrence.notes.push_back(LinkNote::unbalanced_bracket);
    }
    if (lines.line_ends_before(link.offset + link.length)) occurrence.notes.push_back(LinkNote::wrapped_line);
    occurrence.text = link.text.view();
    visit(occurrence, {link.target, base ? &*base : nullptr, bare_host_in(document.format, link.element, on_site)});
  }
}

}  // namespace linkherd::parser
