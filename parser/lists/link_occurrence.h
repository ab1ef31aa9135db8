// One occurrence of a URL in a list file, with everything that a report or an automatic fix needs to find it.
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

// The markup that contains the URL. Names are printed and stored: DO NOT CHANGE them.
enum class LinkElement : std::uint8_t {
  link,        // Markdown [text](url), [text][label], HTML a, area
  image,       // Markdown ![…](…), HTML img and srcset
  autolink,    // <https://…>
  bare,        // a URL in running text
  definition,  // a reference definition that is not used
  resource,    // HTML link, script, iframe, source, video, audio, object, embed
  form,        // HTML form action
  refresh,     // HTML meta refresh
  data,        // a value of a data format: JSON, YAML, CSV, BibTeX, a feed, a sitemap, JSON-LD in HTML
  wikilink,    // [[page]] of Markdown, if enabled
  include,     // a file that a directive of a site generator names: {{#include x.rs}}, {% link x.md %}
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

// What a link is to the entry it stands in: a list item, a table row, a definition, a heading with a link of its own, a
// line that is a link, a bookmark, a record of data, an item of a feed. Names are printed and stored: DO NOT CHANGE
// them.
enum class LinkRole : std::uint8_t {
  main,       // what the entry lists
  secondary,  // a badge or another link of the same entry
  mention,    // in the text of an entry
  prose,      // outside of any entry
};
inline constexpr std::array<EnumName<LinkRole>, 4> link_role_names{{{LinkRole::main, "main"},
                                                                    {LinkRole::secondary, "secondary"},
                                                                    {LinkRole::mention, "mention"},
                                                                    {LinkRole::prose, "prose"}}};

// Properties of the URL as written. Names are printed and stored: DO NOT CHANGE them.
enum class LinkNote : std::uint8_t {
  missing_scheme,      // "a.example.com/x" as a target: https in text and data; in markup a file that does not exist
  placeholder,         // {x}, example.com of RFC 2606, localhost: an example, not a link
  unbalanced_bracket,  // the text around it has an unmatched bracket
  invalid_url,         // not a URL; `href` is empty
  relative,            // a relative URL without a base; `href` is empty
  wrapped_line,        // contains a line break that is not part of the URL
  empty_target,        // there is no URL: [text](), href=""
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
  std::string file;          // as the caller named it
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in code points: where `url` starts
  std::uint64_t offset = 0;  // offset of `url` in bytes of the decoded (UTF-8) text …
  std::uint64_t length = 0;  // … and its length in that text, escapes included
  std::string url;           // as written
  std::string href;          // resolved and serialised (see Url); empty if that is not possible, then `notes` say why
  LinkElement element = LinkElement::link;
  std::string text;                   // link text; for a bare URL the title before it or on the line before, if any
  std::string description;            // of a main link to the web: the other words of its entry, cut if they are many
  std::vector<std::string> headings;  // the headings above the link, outermost first; the last is the nearest
  std::uint32_t entry = 0;            // number of the entry in its file, from 1 on in the order of the text; 0: none
  LinkRole role = LinkRole::main;  // stores of older versions have no roles: there, every link is an entry of its own
  std::string rel;                 // of HTML's rel attribute, unchanged: "nofollow noopener"
  // The directive or attribute that excludes the link ("linkherd-ignore-next-line", "data-proofer-ignore"), or empty.
  std::string ignored_by;
  std::vector<LinkNote> notes;
  std::vector<std::string> tags;   // of a bookmark or an item of a reading list …
  std::optional<Timestamp> added;  // … and when it was added to that

  bool operator==(const LinkOccurrence&) const = default;
  std::string_view heading() const { return headings.empty() ? std::string_view() : headings.back(); }
  bool has(LinkNote note) const { return std::ranges::find(notes, note) != notes.end(); }
};

}  // namespace linkherd::parser
