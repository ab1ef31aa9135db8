// An occurrence of a URL in an input document. It has all the data that a report or an automatic fix needs to locate
// the URL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/enum_names.h"
#include "parser/timestamp.h"

namespace linkherd::parser {

// The markup that contains the URL. Names are printed and positions stored: DO NOT CHANGE names or order.
enum class LinkElement : std::uint8_t {
  link,        // Markdown [text](url), [text][label], HTML a, area
  image,       // Markdown ![…](…), HTML img and srcset
  autolink,    // <https://…>
  bare,        // a URL in running text
  definition,  // a reference definition that no link uses
  resource,    // HTML link, script, iframe, source, video, audio, object, embed
  form,        // HTML form action
  refresh,     // HTML meta refresh
  data,        // a value of a data format: JSON, YAML, CSV, BibTeX, a feed, a sitemap, JSON-LD in HTML
  wikilink,    // [[page]] in Markdown, if enabled
  include,     // a file named by a directive of a site generator: {{#include x.rs}}, {% link x.md %}
};
inline constexpr std::array<EnumName<LinkElement>, 11> link_element_names{{{LinkElement::link, "link"},
                                                                           {LinkElement::image, "image"},
                                                                           {LinkElement::autolink, "autolink"},
                                                                           {LinkElement::bare, "bare"},
                                                                           {LinkElement::definition, "definition"},
                                                                           {LinkElement::resource, "resource"},
                                                                           {LinkElement::form, "form"},
                                                                           {LinkElement::refresh, "refresh"},
                                                                           {LinkElement::data, "data"},
                                                                           {LinkElement::wikilink, "wikilink"},
                                                                           {LinkElement::include, "include"}}};

// The role of a link in its entry. An entry may be a list item, a table row, a definition, or a heading with a link of
// its own. It may also be a line that is about its first link, a bookmark, a data record or a feed item. Names are
// printed and positions stored: DO NOT CHANGE names or order.
enum class LinkRole : std::uint8_t {
  main,       // the link that the entry is about
  secondary,  // a badge or another link of the same entry
  mention,    // a link in the running text of an entry
  prose,      // a link outside of any entry
};
inline constexpr std::array<EnumName<LinkRole>, 4> link_role_names{{{LinkRole::main, "main"},
                                                                    {LinkRole::secondary, "secondary"},
                                                                    {LinkRole::mention, "mention"},
                                                                    {LinkRole::prose, "prose"}}};

// Properties of the URL as written. Names are printed and positions stored: DO NOT CHANGE names or order.
enum class LinkNote : std::uint8_t {
  missing_scheme,      // "a.example.com/x": read as https in text and data, and as a (missing) file in markup
  placeholder,         // {x}, example.com (RFC 2606), localhost: an example address, not checked
  unbalanced_bracket,  // the text around the URL has an unmatched bracket
  invalid_url,         // the target is not a URL; `href` is empty
  relative,            // a relative URL without a base; `href` is empty
  wrapped_line,        // the occurrence contains a line break that is not part of the URL
  empty_target,        // the link has no URL: [text](), href=""
};
inline constexpr std::array<EnumName<LinkNote>, 7> link_note_names{
    {{LinkNote::missing_scheme, "missing_scheme"},
     {LinkNote::placeholder, "placeholder"},
     {LinkNote::unbalanced_bracket, "unbalanced_bracket"},
     {LinkNote::invalid_url, "invalid_url"},
     {LinkNote::relative, "relative"},
     {LinkNote::wrapped_line, "wrapped_line"},
     {LinkNote::empty_target, "empty_target"}}};

struct LinkOccurrence {
  std::string file;          // the name given by the caller
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based start of `url`, in code points
  std::uint64_t offset = 0;  // start of `url`, in bytes of the decoded (UTF-8) text
  std::uint64_t length = 0;  // length of `url`, in bytes of that text, escapes included
  std::string url;           // the URL as written
  std::string href;          // resolved and serialised (see Url); empty if impossible, and `notes` gives the reason
  LinkElement element = LinkElement::link;
  std::string text;                   // link text; for a bare URL the title before it or on the line before, if any
  std::string description;            // for a main link to the web: the other words of its entry, possibly truncated
  std::vector<std::string> headings;  // the headings above the link, outermost first; the last is the nearest
  std::uint32_t entry = 0;            // 1-based number of the entry in its file, in the order of the text; 0 for none
  LinkRole role = LinkRole::main;
  std::string rel;  // the unchanged value of HTML's rel attribute, such as "nofollow noopener"
  // The directive or attribute that excludes the link ("linkherd-ignore-next-line", "data-proofer-ignore"), or empty.
  std::string ignored_by;
  std::vector<LinkNote> notes;
  std::vector<std::string> tags;   // tags of a bookmark or reading-list item
  std::optional<Timestamp> added;  // when the bookmark or reading-list item was added

  bool operator==(const LinkOccurrence&) const = default;
  std::string_view heading() const { return headings.empty() ? std::string_view() : headings.back(); }
  bool has(LinkNote note) const { return std::ranges::find(notes, note) != notes.end(); }
};

}  // namespace linkherd::parser
