// Gives gumbo's tree back what the guard put aside for it: attributes and texts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <gumbo.h>

#include "parser/html/guard.h"
#include "parser/html/gumbo_arena.h"

namespace linkherd::parser {

struct ElementAttribute {
  std::string_view name;
  std::string_view value;
};

// Of an element that PutBack has seen, and of no other: their list is no longer gumbo's.
std::span<const ElementAttribute> attributes_of(const GumboNode* element);

// The nodes may come in any order; in that of the document they are found at once. Both `guarded` and `arena` must
// outlive the tree.
class PutBack {
 public:
  PutBack(const GuardedHtml& guarded, GumboArena& arena) : guarded_(guarded), arena_(arena) {}
  void element(GumboNode* node);
  void text(GumboNode* node);

 private:
  template <class Aside>
  struct Cursor {
    const std::vector<Aside>& list;
    std::size_t next = 0;

    // The first that is not in front of `at`.
    std::size_t find(std::size_t at);
  };
  // The text of a node in which more than one text of the page came together.
  const char* joined(std::string_view written, std::size_t first, std::size_t end);

  const GuardedHtml& guarded_;
  GumboArena& arena_;
  Cursor<AsideTag> tags_{guarded_.tags};
  Cursor<AsideText> texts_{guarded_.texts};
};

}  // namespace linkherd::parser
