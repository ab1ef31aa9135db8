// Fuzzes the HTML sanitizer in front of gumbo. Its output must respect its limits, and gumbo's tree of the output must
// stay small.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "parser/html/html_document.h"
#include "tests/fuzz/metadata_fuzzing.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

std::size_t depth_of(const GumboNode* node) {
  std::size_t depth = 0;
  for (; node != nullptr; node = node->parent) ++depth;
  return depth;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text = to_valid_utf8(std::string(data + 1, data + size));
  SanitizerLimits limits;
  if (data[0] % 2 != 0) {  // small enough for short inputs to reach them
    limits = {.max_bytes = 300,
              .max_depth = 8,
              .max_tags = 40,
              .max_attributes = 4,
              .max_script_bytes = 50,
              .max_scripts = 3};
  }
  const SanitizedHtml sanitized = sanitize_html(text, limits);
  must(is_valid_utf8(sanitized.html));
  // The end tags of open elements may exceed the limit.
  must(sanitized.html.size() + sanitized.detached_values.size() <= limits.max_bytes + limits.max_depth * 64 + 1024);
  must(is_valid_utf8(sanitized.detached_values));
  must(sanitized.html.find('\0') == std::string::npos);
  must(std::ranges::is_sorted(sanitized.tags, {}, &DetachedTag::at));
  must(std::ranges::is_sorted(sanitized.texts, {}, &DetachedText::at));
  for (const DetachedTag& tag : sanitized.tags) {
    must(tag.first_attribute + tag.attribute_count <= sanitized.attributes.size());
    must(sanitized.html.at(tag.at) == '<');
  }
  for (const DetachedAttribute& one : sanitized.attributes)
    must(sanitized.detached_values.at(one.value + one.size) == '\0');
  for (const DetachedText& one : sanitized.texts) {
    must(sanitized.html.compare(one.at, text_placeholder.size(), text_placeholder) == 0);
    must(one.value < sanitized.detached_values.size());
  }
  must(sanitized.scripts.size() <= limits.max_scripts);
  for (const EmbeddedScript& script : sanitized.scripts) must(script.text.size() <= limits.max_script_bytes);

  const HtmlDocument document = HtmlDocument::parse(text, limits);
  // gumbo adds implied elements such as <html>, <body> and <tbody>.
  for (const HtmlElement element : document.elements()) {
    must(depth_of(element.node()) <= 2 * limits.max_depth + 16);
    must(is_valid_utf8(element.name()));
  }
  must(document.elements().size() <= 4 * limits.max_tags + 16);
  must(is_valid_utf8(document.root().text()));
  return 0;
}
