// The guard in front of gumbo: one linear pass over the text of a page that keeps gumbo's time and memory in bounds,
// whatever the page. Drops what gumbo need not see (script, style, svg, comments, images, attributes that no
// extractor reads, repeated white space), captures embedded data on the way, and cuts at limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

struct GuardLimits {
  std::size_t max_bytes = std::size_t{2} << 20;
  std::size_t max_depth = 512;                          // as in Blink and WebKit
  std::size_t max_tags = 200'000;                       // read, end tags included
  std::size_t max_nodes = 200'000;                      // written
  std::size_t max_attributes = 256;                     // a tag
  std::size_t max_text = std::size_t{64} << 10;         // between two tags
  std::size_t max_script_bytes = std::size_t{1} << 20;  // a captured script
  std::size_t max_scripts = 64;
};

struct EmbeddedScript {
  std::string type;  // the type attribute, lower case, without parameters: "application/ld+json", ""
  std::string id;    // the id attribute: "js-initialData", "RENDER_DATA"
  std::string text;  // as written
};

// gumbo reads letter by letter and copies what it reads, so most texts and attributes pass it by: they are put aside,
// with the place in `html` where they belong. HtmlDocument puts them back.
struct AsideAttribute {
  std::uint32_t name;   // its place in kept_attributes
  std::uint32_t value;  // its place in `values`
  std::uint32_t size;   // of the value
};
struct AsideTag {
  std::uint32_t at;  // of its "<" in `html`
  std::uint32_t first_attribute;
  std::uint32_t attributes;
};
struct AsideText {
  std::uint32_t at;     // of text_mark in `html`, which stands for it
  std::uint32_t value;  // its place in `values`
};
// The last code point for private use, which pages do not use. A page that does mixes up its own texts, and nothing
// else.
inline constexpr std::string_view text_mark = "\xF4\x8F\xBF\xBD";

struct GuardedHtml {
  std::string html;    // what gumbo may parse
  std::string values;  // what is put aside, a NUL behind each
  std::vector<AsideTag> tags;
  std::vector<AsideAttribute> attributes;
  std::vector<AsideText> texts;         // they and the tags in the order of their places
  std::vector<EmbeddedScript> scripts;  // every inline script that holds data: JSON-LD, JSON, and JavaScript state
  bool truncated = false;               // a limit cut something
};

GuardedHtml guard_html(std::string_view utf8, const GuardLimits& limits = {});

}  // namespace linkherd::parser
