// Filters the text of a page before gumbo parses it, in one linear pass, so that gumbo's time and memory are bounded
// for any input. Removes what no extractor reads (script, style, svg, comments, images, unused attributes, repeated
// white space), captures embedded data, and enforces limits.
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
  std::size_t max_tags = 200'000;                       // in the input, end tags included
  std::size_t max_nodes = 200'000;                      // in the output
  std::size_t max_attributes = 256;                     // per tag
  std::size_t max_text = std::size_t{64} << 10;         // bytes between two tags
  std::size_t max_script_bytes = std::size_t{1} << 20;  // per captured script
  std::size_t max_scripts = 64;
};

struct EmbeddedScript {
  std::string type;  // the type attribute, lower case, without parameters: "application/ld+json", ""
  std::string id;    // the id attribute: "js-initialData", "RENDER_DATA"
  std::string text;  // unchanged
};

// gumbo reads character by character and copies what it reads. So most texts and attributes are not passed to it: they
// are stored in side tables with their offset in `html`. HtmlDocument restores them in the tree.
struct DetachedAttribute {
  std::uint32_t name;   // index in kept_attributes
  std::uint32_t value;  // offset in `values`
  std::uint32_t size;   // of the value, in bytes
};
struct DetachedTag {
  std::uint32_t at;  // offset of its "<" in `html`
  std::uint32_t first_attribute;
  std::uint32_t attributes;
};
struct DetachedText {
  std::uint32_t at;     // offset of its text_placeholder in `html`
  std::uint32_t value;  // offset in `values`
};
// Stands in `html` for a detached text. It is the last private-use code point. A page that uses it only gets its own
// texts mixed up.
inline constexpr std::string_view text_placeholder = "\xF4\x8F\xBF\xBD";

struct SanitizedHtml {
  std::string html;    // the input for gumbo
  std::string values;  // detached values, each followed by a NUL
  std::vector<DetachedTag> tags;
  std::vector<DetachedAttribute> attributes;
  std::vector<DetachedText> texts;      // sorted by offset, as are `tags`
  std::vector<EmbeddedScript> scripts;  // inline scripts that may hold data: JSON-LD, JSON, JavaScript state
  bool truncated = false;               // true if a limit cut something
};

SanitizedHtml sanitize_html(std::string_view utf8, const SanitizerLimits& limits = {});

}  // namespace linkherd::parser
