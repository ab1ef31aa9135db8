// Where a URL is written: a place in a list file, with everything a report or a fixer needs to find it again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/enum_names.h"

namespace linkherd::parser {

// What kind of markup holds the URL. Names are printed and stored: DO NOT CHANGE them.
enum class LinkElement : std::uint8_t {
  link,        // Markdown [text](url), [text][label], HTML a, area
  image,       // Markdown ![…](…), HTML img and srcset
  autolink,    // <https://…>
  bare,        // a URL in running text
  definition,  // a reference definition that nothing uses
  resource,    // HTML link, script, iframe, source, video, audio, object, embed
  form,        // HTML form action
  refresh,     // HTML meta refresh
  data,        // a value of a data format: JSON, YAML, CSV, BibTeX, a feed, a sitemap, JSON-LD in HTML
  wikilink,    // [[page]] of Markdown, where it is asked for
};
inline constexpr std::array<EnumName<LinkElement>, 10> link_element_names{{{LinkElement::link, "link"},
                                                                           {LinkElement::image, "image"},
                                                                           {LinkElement::autolink, "autolink"},
                                                                           {LinkElement::bare, "bare"},
                                                                           {LinkElement::definition, "definition"},
                                                                           {LinkElement::resource, "resource"},
                                                                           {LinkElement::form, "form"},
                                                                           {LinkElement::refresh, "refresh"},
                                                                           {LinkElement::data, "data"},
                                                                           {LinkElement::wikilink, "wikilink"}}};

// Facts about how it is written. Names are printed and stored: DO NOT CHANGE them.
enum class LinkNote : std::uint8_t {
  missing_scheme,      // "newsletter.example.com/p/x" as a target: read as https
  placeholder,         // {x}, example.com of RFC 2606, localhost: an illustration, not a link
  unbalanced_bracket,  // the text around it has a bracket too many or too few
  invalid_url,         // no URL at all: `href` is empty
  relative,            // points into this site or folder and there is no base to resolve it against: `href` is empty
  wrapped_line,        // a line break stands inside it, and is not part of it
};
inline constexpr std::array<EnumName<LinkNote>, 6> link_note_names{
    {{LinkNote::missing_scheme, "missing_scheme"},
     {LinkNote::placeholder, "placeholder"},
     {LinkNote::unbalanced_bracket, "unbalanced_bracket"},
     {LinkNote::invalid_url, "invalid_url"},
     {LinkNote::relative, "relative"},
     {LinkNote::wrapped_line, "wrapped_line"}}};

struct LinkOccurrence {
  std::string file;          // as the caller named it
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in code points: where `url` starts
  std::uint64_t offset = 0;  // in bytes of the decoded (UTF-8) text: where `url` starts …
  std::uint64_t length = 0;  // … and how many bytes of that text it takes, escapes and all
  std::string url;           // as written
  std::string href;          // resolved and serialised (see Url); empty where that is not possible, and `notes` say why
  LinkElement element = LinkElement::link;
  std::string text;  // the link text; for a bare URL its title on the line before or in front of it, where there is one
  std::string heading;  // the nearest heading above
  std::string rel;      // of HTML's rel attribute, as written: "nofollow noopener"
  // The comment or attribute in the list that excludes it ("linkherd-ignore-next-line",
  // "data-proofer-ignore"); empty where nothing does.
  std::string ignored_by;
  std::vector<LinkNote> notes;

  bool operator==(const LinkOccurrence&) const = default;
  bool has(LinkNote note) const { return std::ranges::find(notes, note) != notes.end(); }
};

}  // namespace linkherd::parser
