#include "parser/html/html_document.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gumbo.h>

#include "parser/ascii.h"
#include "parser/html/sanitizer.h"
#include "parser/html/sanitizer_output.h"
#include "parser/html/sanitizer_tags.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

struct ElementAttribute {
  std::string_view name;
  std::string_view value;
};

// Restores the detached attributes and texts in gumbo's tree. Both `sanitized` and `memory` must outlive the tree.
class RestoreDetached {
 public:
  RestoreDetached(const SanitizedHtml& sanitized, std::pmr::memory_resource& memory)
      : sanitized_(sanitized), memory_(memory) {}
  void element(GumboNode* node);
  void text(GumboNode* node);

 private:
  // Returns the text of a node into which gumbo merged more than one text of the page.
  const char* joined(std::string_view written, std::size_t first, std::size_t end);

  const SanitizedHtml& sanitized_;
  std::pmr::memory_resource& memory_;
  std::size_t next_tag_ = 0;
  std::size_t next_text_ = 0;
};

// Returns the index of the first element of `list` whose offset is not less than `at`. `hint` is the previous result
// and is updated. Nodes usually come in document order, so the result is usually `hint` or the element after it.
template <class List>
std::size_t first_not_before(const List& list, std::size_t at, std::size_t& hint) {
  if (hint < list.size() && list[hint].at < at) ++hint;
  const bool is_hint_right = (hint == list.size() || list[hint].at >= at) && (hint == 0 || list[hint - 1].at < at);
  if (!is_hint_right) {
    const auto found = std::ranges::lower_bound(list, at, {}, [](const auto& one) { return one.at; });
    hint = static_cast<std::size_t>(found - list.begin());
  }
  return hint;
}

// Limits the length of classes and ids. They are read for every descendant, and a prefix is enough.
std::string_view bounded(std::string_view name, std::string_view value) {
  constexpr std::size_t max_names = 1024;
  return value.size() > max_names && (name == "class" || name == "id") ? truncate_utf8(value, max_names) : value;
}

// RestoreDetached must have processed the element: its attribute list no longer has gumbo's layout.
std::span<const ElementAttribute> attributes_of(const GumboNode* element) {
  const GumboVector& list = element->v.element.attributes;
  const void* const data = list.data;
  return {static_cast<const ElementAttribute*>(data), list.length};
}

void RestoreDetached::element(GumboNode* node) {
  GumboVector& list = node->v.element.attributes;
  const GumboStringPiece& tag = node->v.element.original_tag;
  std::span<const DetachedAttribute> detached;
  if (tag.data != nullptr) {
    const auto at = static_cast<std::size_t>(tag.data - sanitized_.html.data());
    const std::size_t known = first_not_before(sanitized_.tags, at, next_tag_);
    if (known < sanitized_.tags.size() && sanitized_.tags[known].at == at) {
      const DetachedTag& one = sanitized_.tags[known];
      detached = std::span(sanitized_.attributes).subspan(one.first_attribute, one.attribute_count);
    }
  }
  const std::size_t size = list.length + detached.size();
  if (size == 0) return;
  void* const block = memory_.allocate(size * sizeof(ElementAttribute), alignof(ElementAttribute));
  auto* next = static_cast<ElementAttribute*>(block);
  for (const DetachedAttribute& one : detached) {
    const std::string_view name = kept_attributes[one.name];
    new (next++) ElementAttribute{name, bounded(name, {sanitized_.detached_values.data() + one.value, one.size})};
  }
  for (unsigned i = 0; i < list.length; ++i) {
    const auto* written = static_cast<const GumboAttribute*>(list.data[i]);
    new (next++) ElementAttribute{written->name, bounded(written->name, written->value)};
  }
  list.data = static_cast<void**>(block);
  list.length = static_cast<unsigned>(size);
}

const char* RestoreDetached::joined(std::string_view written, std::size_t first, std::size_t end) {
  std::string text;
  for (; first < end; ++first) {
    const std::size_t mark = written.find(text_placeholder);
    if (mark == std::string_view::npos) break;
    text += written.substr(0, mark);
    text += sanitized_.detached_values.data() + sanitized_.texts[first].value;
    written.remove_prefix(mark + text_placeholder.size());
  }
  text += written;
  auto* const copy = static_cast<char*>(memory_.allocate(text.size() + 1, 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void RestoreDetached::text(GumboNode* node) {
  GumboText& text = node->v.text;
  if (text.original_text.data == nullptr) return;
  const auto at = static_cast<std::size_t>(text.original_text.data - sanitized_.html.data());
  const std::size_t text_end = at + text.original_text.length;
  const std::vector<DetachedText>& texts = sanitized_.texts;
  const std::size_t first = first_not_before(texts, at, next_text_);
  std::size_t end = first;
  while (end < texts.size() && texts[end].at < text_end) ++end;
  if (first == end) return;
  const std::string_view written(text.text);
  const char* const value = sanitized_.detached_values.data() + texts[first].value;
  const bool spaced = written.size() == text_placeholder.size() + 1 && written.front() == ' ' &&
                      texts[first].value > 0 && *(value - 1) == ' ';
  if (end - first == 1 && written == text_placeholder) {
    text.text = value;
  } else if (end - first == 1 && spaced) {
    text.text = value - 1;
  } else {
    text.text = joined(written, first, end);
  }
}

bool is_element(const GumboNode* node) { return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE; }

// Walks a subtree in document order. Needs no stack, because each node knows its parent and its index. `enter` is
// called for every node and returns false to stop the walk. `leave` is called for every element after its children.
template <class Node, class Enter, class Leave>
void walk(Node* const root, Enter enter, Leave leave) {
  for (Node* node = root; enter(node);) {
    if (is_element(node) && node->v.element.children.length > 0) {
      node = static_cast<Node*>(node->v.element.children.data[0]);
      continue;
    }
    for (;; node = node->parent) {
      if (is_element(node)) leave(node);
      if (node == root) return;
      const GumboVector& siblings = node->parent->v.element.children;
      if (const std::size_t next = node->index_within_parent + 1; next < siblings.length) {
        node = static_cast<Node*>(siblings.data[next]);
        break;
      }
    }
  }
}

bool is_unicode_space(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

// Memory for one call of gumbo. gumbo is C code: exceptions must not cross its frames, and it does not check for null.
// So a failed allocation leaves gumbo by longjmp. The memory resource of the tree frees what gumbo allocated before.
struct Parse {
  std::pmr::memory_resource& memory;
  std::jmp_buf out_of_memory;
};

void* allocate(void* self, std::size_t size) {
  auto* const parse = static_cast<Parse*>(self);
  void* memory = nullptr;
  try {
    memory = parse->memory.allocate(size);
  } catch (const std::bad_alloc&) {  // reported below
  }
  if (memory == nullptr) std::longjmp(parse->out_of_memory, 1);  // NOLINT(cert-err52-cpp): see above
  return memory;
}

GumboOutput* parse_in(std::pmr::memory_resource& memory, const std::string& html) {
  Parse parse{memory, {}};
  GumboOptions options = kGumboDefaultOptions;
  options.userdata = &parse;
  options.allocator = &allocate;
  options.deallocator = [](void*, void*) {};
  options.max_errors = 0;  // the list of errors can be as long as the page and is not used
  if (setjmp(parse.out_of_memory) != 0) throw std::bad_alloc();  // NOLINT(cert-err52-cpp): see above
  return gumbo_parse_with_options(&options, html.data(), html.size());
}

constexpr bool is_graphic(char c) { return c > 0x20 && c < 0x7F; }

// Returns the end of the longest part from `at` that needs no change: graphic ASCII, and single spaces within it.
std::size_t end_of_collapsed(std::string_view text, std::size_t at) {
  while (at + 1 < text.size() && (is_graphic(text[at]) || (text[at] == ' ' && is_graphic(text[at + 1])))) ++at;
  return at < text.size() && is_graphic(text[at]) ? at + 1 : at;
}

}  // namespace

void append_collapsed(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  bool space = false;  // a space is due before the next character
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    if (is_graphic(text[at])) {
      end = end_of_collapsed(text, at);
    } else if (is_ascii(text[at])) {  // every ASCII character that is not graphic counts as space
      space = out.size() > before;
      ++at;
      continue;
    } else {
      const CodePoint point = decode_utf8(text, at);
      end += point.length;
      if (point.valid && is_unicode_space(point.value)) {
        space = out.size() > before;
        at = end;
        continue;
      }
    }
    if (std::exchange(space, false)) out += ' ';
    out += text.substr(at, end - at);
    at = end;
  }
}

std::string collapse_spaces(std::string_view text) {
  std::string collapsed;
  collapsed.reserve(text.size());
  append_collapsed(collapsed, text);
  return collapsed;
}

std::string_view HtmlElement::name() const {
  if (node_->type == GUMBO_NODE_DOCUMENT) return {};
  const GumboElement& element = node_->v.element;
  if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
  // The sanitizer wrote the tag in lower case.
  GumboStringPiece piece = element.original_tag;
  gumbo_tag_from_original_text(&piece);
  return piece.data == nullptr ? std::string_view() : std::string_view(piece.data, piece.length);
}

std::optional<std::string_view> HtmlElement::attribute(std::string_view name) const {
  if (!is_element(node_) || name.empty()) return std::nullopt;
  for (const ElementAttribute& attribute : attributes_of(node_)) {
    if (attribute.name.size() != name.size() || attribute.name.front() != name.front()) continue;  // the usual case
    if (attribute.name == name) return attribute.value;
  }
  return std::nullopt;
}

bool HtmlElement::has_class(std::string_view name) const { return has_any_class({&name, 1}); }

bool HtmlElement::has_any_class(std::span<const std::string_view> names) const {
  const std::string_view classes = attribute("class").value_or("");
  for (std::size_t at = 0; at < classes.size();) {
    std::size_t end = at;
    while (end < classes.size() && !is_ascii_space(classes[end])) ++end;
    const std::string_view one = classes.substr(at, end - at);
    if (is_one_of(names, one)) return true;
    at = end + 1;
  }
  return false;
}

namespace {

// The text may contain Unicode white space, so more is read than needed, and the result is cut after collapsing.
constexpr std::size_t generous(std::size_t max_bytes) { return max_bytes * 2 + 64; }

// Returns the text of all descendants, with a space at block boundaries. Stops shortly after `max_bytes` of text, or
// after that many nodes.
std::string raw_text(const GumboNode* root, std::size_t max_bytes, bool* stopped = nullptr) {
  std::string text;
  std::size_t nodes = 0;
  const auto border = [&text](const GumboNode* node) {
    const bool breaks = is_element(node) && !is_inline(node->v.element.tag);
    if (breaks && !text.empty() && text.back() != ' ') text += ' ';
  };
  walk(
      root,
      [&](const GumboNode* node) {
        border(node);
        if (node->type == GUMBO_NODE_WHITESPACE) {
          if (!text.empty() && text.back() != ' ') text += ' ';
        } else if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA) {
          text += node->v.text.text;
        }
        const bool goes_on = text.size() <= max_bytes && ++nodes <= max_bytes;
        if (!goes_on && stopped != nullptr) *stopped = true;
        return goes_on;
      },
      border);
  return text;
}

}  // namespace

std::string HtmlElement::text() const { return collapse_spaces(raw_text(node_, std::string::npos)); }

std::optional<std::string> HtmlElement::short_text(std::size_t max_bytes) const {
  bool stopped = false;
  const std::string raw = raw_text(node_, generous(max_bytes), &stopped);
  if (stopped) return std::nullopt;
  std::string text = collapse_spaces(raw);
  if (text.size() > max_bytes) return std::nullopt;
  return text;
}

std::string_view HtmlElement::short_text_prefix(std::size_t max_bytes) const {
  std::string_view first;
  std::size_t nodes = 0;
  walk(
      node_,
      [&](const GumboNode* node) {
        if (++nodes > generous(max_bytes)) return false;
        if (node->type != GUMBO_NODE_TEXT && node->type != GUMBO_NODE_CDATA) return true;
        first = node->v.text.text;
        while (!first.empty()) {
          const CodePoint point = decode_utf8(first, 0);
          if (!is_unicode_space(point.value)) return false;
          first.remove_prefix(point.length);
        }
        return true;
      },
      [](const GumboNode*) {});
  return first;
}

std::optional<HtmlElement> HtmlElement::parent() const {
  if (node_->parent == nullptr || node_->parent->type == GUMBO_NODE_DOCUMENT) return std::nullopt;
  return HtmlElement(node_->parent);
}

HtmlDocument HtmlDocument::parse(std::string_view utf8, const SanitizerLimits& limits) {
  HtmlDocument document;
  document.sanitized_ = std::make_unique<SanitizedHtml>(sanitize_html(utf8, limits));
  document.memory_ = std::make_unique<std::pmr::monotonic_buffer_resource>();
  document.output_ = parse_in(*document.memory_, document.sanitized_->html);
  RestoreDetached put_back(*document.sanitized_, *document.memory_);
  walk(
      document.output_->root,
      [&](GumboNode* node) {
        if (is_element(node)) {
          put_back.element(node);
          document.elements_.emplace_back(node);
        } else if (node->type == GUMBO_NODE_TEXT) {
          put_back.text(node);
        }
        return true;
      },
      [](const GumboNode*) {});
  return document;
}

HtmlElement HtmlDocument::root() const { return HtmlElement(output_->root); }

std::vector<HtmlElement> HtmlDocument::by_name(std::string_view name) const {
  std::vector<HtmlElement> found;
  const GumboTag tag = gumbo_tagn_enum(name.data(), static_cast<unsigned>(name.size()));
  std::ranges::copy_if(elements_, std::back_inserter(found), [&](HtmlElement element) {
    return element.node()->v.element.tag == tag && (tag != GUMBO_TAG_UNKNOWN || element.name() == name);
  });
  return found;
}

}  // namespace linkherd::parser
