#include "parser/html/put_back.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "parser/html/kept_attributes.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Classes and ids are asked of an element by all that stand below it, and their beginning says what it is.
std::string_view bounded(std::string_view name, std::string_view value) {
  constexpr std::size_t max_names = 1024;
  return value.size() > max_names && (name == "class" || name == "id") ? truncate_utf8(value, max_names) : value;
}

}  // namespace

std::span<const ElementAttribute> attributes_of(const GumboNode* element) {
  const GumboVector& list = element->v.element.attributes;
  const void* const data = list.data;
  return {static_cast<const ElementAttribute*>(data), list.length};
}

template <class Aside>
std::size_t PutBack::Cursor<Aside>::find(std::size_t at) {
  // Most often the next one, or none because that one is further on.
  if (next < list.size() && list[next].at < at) ++next;
  const bool found = (next == list.size() || list[next].at >= at) && (next == 0 || list[next - 1].at < at);
  if (!found) {
    next = static_cast<std::size_t>(std::ranges::lower_bound(list, at, {}, &Aside::at) - list.begin());
  }
  return next;
}

void PutBack::element(GumboNode* node) {
  GumboVector& list = node->v.element.attributes;
  const GumboStringPiece& tag = node->v.element.original_tag;
  std::span<const AsideAttribute> aside;
  if (tag.data != nullptr) {
    const auto at = static_cast<std::size_t>(tag.data - guarded_.html.data());
    const std::size_t found = tags_.find(at);
    if (found < guarded_.tags.size() && guarded_.tags[found].at == at) {
      const AsideTag& known = guarded_.tags[found];
      aside = std::span(guarded_.attributes).subspan(known.first_attribute, known.attributes);
    }
  }
  const std::size_t size = list.length + aside.size();
  if (size == 0) return;
  void* const memory = arena_.allocate(size * sizeof(ElementAttribute));
  auto* next = static_cast<ElementAttribute*>(memory);
  for (const AsideAttribute& one : aside) {
    const std::string_view name = kept_attributes[one.name];
    new (next++) ElementAttribute{name, bounded(name, {guarded_.values.data() + one.value, one.size})};
  }
  for (unsigned i = 0; i < list.length; ++i) {
    const auto* written = static_cast<const GumboAttribute*>(list.data[i]);
    new (next++) ElementAttribute{written->name, bounded(written->name, written->value)};
  }
  list.data = static_cast<void**>(memory);
  list.length = static_cast<unsigned>(size);
}

const char* PutBack::joined(std::string_view written, std::size_t first, std::size_t end) {
  std::string text;
  for (; first < end; ++first) {
    const std::size_t mark = written.find(text_mark);
    if (mark == std::string_view::npos) break;
    text += written.substr(0, mark);
    text += guarded_.values.data() + guarded_.texts[first].value;
    written.remove_prefix(mark + text_mark.size());
  }
  text += written;
  auto* const copy = static_cast<char*>(arena_.allocate(text.size() + 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void PutBack::text(GumboNode* node) {
  GumboText& text = node->v.text;
  if (text.original_text.data == nullptr) return;
  const auto at = static_cast<std::size_t>(text.original_text.data - guarded_.html.data());
  const std::size_t behind = at + text.original_text.length;
  const std::vector<AsideText>& texts = guarded_.texts;
  const std::size_t first = texts_.find(at);
  std::size_t end = first;
  while (end < texts.size() && texts[end].at < behind) ++end;
  if (first == end) return;
  const std::string_view written(text.text);
  const char* const value = guarded_.values.data() + texts[first].value;
  const bool spaced =
      written.size() == text_mark.size() + 1 && written.front() == ' ' && texts[first].value > 0 && *(value - 1) == ' ';
  if (end - first == 1 && written == text_mark) {
    text.text = value;
  } else if (end - first == 1 && spaced) {
    text.text = value - 1;
  } else {
    text.text = joined(written, first, end);
  }
}

}  // namespace linkherd::parser
