// A parsed page. Owns gumbo's tree and offers the queries that the extractors use. Text is UTF-8. Movable, not
// copyable.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gumbo.h>

#include "parser/html/sanitizer.h"

namespace linkherd::parser {

// Replaces each run of Unicode white space and control characters by one space, and trims both ends.
std::string collapse_spaces(std::string_view text);
void append_collapsed(std::string& out, std::string_view text);

// A view of one element. Valid as long as its HtmlDocument.
class HtmlElement {
 public:
  explicit HtmlElement(const GumboNode* node) : node_(node) {}
  std::string_view name() const;                                           // lower case; works for unknown tags too
  GumboTag tag() const { return node_->v.element.tag; }                    // the node must be an element
  std::optional<std::string_view> attribute(std::string_view name) const;  // nullopt if absent
  bool has_class(std::string_view name) const;
  bool has_any_class(std::span<const std::string_view> names) const;  // true if the element has any of the classes
  std::string text() const;  // text of the element and its descendants, spaces collapsed and trimmed
  std::optional<std::string> short_text(std::size_t max_bytes) const;  // nullopt if longer; cheap
  // Returns the beginning of short_text(), up to the end of its first text node. Cheaper than short_text().
  std::string_view short_text_prefix(std::size_t max_bytes) const;
  std::optional<HtmlElement> parent() const;
  const GumboNode* node() const { return node_; }
  bool operator==(const HtmlElement&) const = default;

 private:
  const GumboNode* node_;
};

class HtmlDocument {
 public:
  // `utf8` is the whole decoded page. The sanitizer filters it first. Never fails: every input has a tree.
  static HtmlDocument parse(std::string_view utf8, const SanitizerLimits& limits = {});

  HtmlElement root() const;
  std::vector<HtmlElement> by_name(std::string_view name) const;
  const std::vector<HtmlElement>& elements() const { return elements_; }  // in document order
  const std::vector<EmbeddedScript>& scripts() const { return sanitized_->scripts; }
  bool truncated() const { return sanitized_->truncated; }
  std::string_view source() const { return sanitized_->html; }  // the sanitized HTML that gumbo's positions refer to
  // texts and attribute values that are not in source()
  std::string_view detached_values() const { return sanitized_->detached_values; }

 private:
  HtmlDocument() = default;
  std::unique_ptr<SanitizedHtml> sanitized_;  // on the heap, because gumbo's tree points into its text
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;  // holds the tree, which is freed in one step
  GumboOutput* output_ = nullptr;
  std::vector<HtmlElement> elements_;
};

}  // namespace linkherd::parser
