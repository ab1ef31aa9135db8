// Filters the text of a page before gumbo parses it, so that gumbo's time and memory are bounded for any input. Makes
// one linear pass. Removes what no extractor reads: script, style, svg, comments, images, unused attributes and
// repeated white space. Captures embedded data and enforces limits.
//
// gumbo reads character by character and copies what it reads, so most texts and attribute values are not passed to it.
// They are moved to side tables ("detached"), which refer to offsets in the remaining HTML. HtmlDocument puts them back
// into gumbo's tree. Tags are written with explicit end tags, so the tree is never deeper than max_depth.
//
// Example, where "□" stands for text_placeholder and "·" for NUL. The page
//     <p class="x" onclick="go()">Hi  <b>there</b><script>go()</script>
// becomes
//     html:       <p>□</p>                                          all that gumbo reads
//     values:     x·Hi there·
//     tags:       {at 0, first_attribute 0, attributes 1}           the <p> has one detached attribute
//     attributes: {name 0 ("class"), value 0, size 1}
//     texts:      {at 3, value 2}
//     scripts:    {type "", id "", text "go()"}
// `onclick` is not in kept_attributes. <b> has no attribute that is kept, so its tags are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

struct SanitizerLimits {
  std::size_t max_bytes = std::size_t{2} << 20;
  std::size_t max_depth = 512;                          // as in Blink and WebKit
  std::size_t max_tags = 200'000;                       // in the input, including end tags
  std::size_t max_nodes = 200'000;                      // in the output; expensive nodes count several times
  std::size_t max_attributes = 256;                     // per tag
  std::size_t max_text = std::size_t{64} << 10;         // bytes between two tags
  std::size_t max_script_bytes = std::size_t{1} << 20;  // per captured script
  std::size_t max_scripts = 64;
};

struct EmbeddedScript {
  std::string type;  // the type attribute, lower case, without parameters: "application/ld+json"; may be empty
  std::string id;    // the id attribute: "js-initialData", "RENDER_DATA"; may be empty
  std::string text;  // unchanged
};

// An attribute whose value is in `detached_values` instead of `html`.
struct DetachedAttribute {
  std::uint32_t name;   // index in kept_attributes
  std::uint32_t value;  // offset in `detached_values`
  std::uint32_t size;   // of the value, in bytes
};
struct DetachedTag {
  std::uint32_t at;  // offset of its "<" in `html`
  std::uint32_t first_attribute;
  std::uint32_t attribute_count;
};
struct DetachedText {
  std::uint32_t at;     // offset of its text_placeholder in `html`
  std::uint32_t value;  // offset in `detached_values`
};
// Marks a detached text in `html`. It is the last private-use code point. If a page uses it, only the texts of that
// page get mixed up.
inline constexpr std::string_view text_placeholder = "\xF4\x8F\xBF\xBD";

struct SanitizedHtml {
  std::string html;             // the input for gumbo
  std::string detached_values;  // detached values and texts, each followed by a NUL
  std::vector<DetachedTag> tags;
  std::vector<DetachedAttribute> attributes;
  std::vector<DetachedText> texts;      // sorted by offset, like `tags`
  std::vector<EmbeddedScript> scripts;  // inline scripts that may contain data: JSON-LD, JSON, JavaScript state
  bool truncated = false;               // true if something was cut because of a limit
};

SanitizedHtml sanitize_html(std::string_view utf8, const SanitizerLimits& limits = {});

}  // namespace linkherd::parser
