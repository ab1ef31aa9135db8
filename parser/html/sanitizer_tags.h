// Tables that define how the sanitizer treats each HTML tag.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>

#include <gumbo.h>

namespace linkherd::parser {

// A lookup table, because it is read for every node.
using TagSet = std::array<bool, GUMBO_TAG_LAST + 1>;

constexpr TagSet tag_set(std::initializer_list<GumboTag> members) {
  TagSet tags{};
  for (const GumboTag tag : members) tags[tag] = true;
  return tags;
}

// Returns true for tags that gumbo must not see. The content between them is kept.
constexpr bool is_dropped(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_FRAME:
    case GUMBO_TAG_FRAMESET:
    case GUMBO_TAG_NOFRAMES:
    case GUMBO_TAG_ISINDEX:
    case GUMBO_TAG_MENUITEM:
    case GUMBO_TAG_PLAINTEXT: return true;
    default: return false;
  }
}

// Returns true for empty elements that no extractor reads. Each is replaced by at most one space.
constexpr bool is_replaced_by_space(GumboTag tag) {
  constexpr std::array tags{GUMBO_TAG_AREA,  GUMBO_TAG_BASE,   GUMBO_TAG_BASEFONT, GUMBO_TAG_BGSOUND, GUMBO_TAG_BR,
                            GUMBO_TAG_COL,   GUMBO_TAG_EMBED,  GUMBO_TAG_HR,       GUMBO_TAG_IMAGE,   GUMBO_TAG_IMG,
                            GUMBO_TAG_INPUT, GUMBO_TAG_KEYGEN, GUMBO_TAG_PARAM,    GUMBO_TAG_SOURCE,  GUMBO_TAG_TRACK};
  return std::ranges::find(tags, tag) != tags.end();
}

// Inline elements. No space is inserted at their boundaries.
constexpr TagSet inline_tags =
    tag_set({GUMBO_TAG_A,    GUMBO_TAG_ABBR, GUMBO_TAG_ACRONYM, GUMBO_TAG_BDI,   GUMBO_TAG_BDO,   GUMBO_TAG_CITE,
             GUMBO_TAG_DATA, GUMBO_TAG_DEL,  GUMBO_TAG_DFN,     GUMBO_TAG_INS,   GUMBO_TAG_KBD,   GUMBO_TAG_MARK,
             GUMBO_TAG_Q,    GUMBO_TAG_RUBY, GUMBO_TAG_SAMP,    GUMBO_TAG_SPAN,  GUMBO_TAG_SUB,   GUMBO_TAG_SUP,
             GUMBO_TAG_TIME, GUMBO_TAG_VAR,  GUMBO_TAG_WBR,     GUMBO_TAG_BLINK, GUMBO_TAG_LABEL, GUMBO_TAG_UNKNOWN});
constexpr bool is_inline(GumboTag tag) { return inline_tags[tag]; }

// Returns true for elements whose start tags are kept for their attributes. Their end tags are removed.
constexpr bool is_document_structure(GumboTag tag) {
  return tag == GUMBO_TAG_HTML || tag == GUMBO_TAG_HEAD || tag == GUMBO_TAG_BODY;
}

// Returns true for tags that close an unclosed <svg> or <math>, by the rules of the HTML standard for foreign content.
constexpr bool breaks_out_of_foreign(GumboTag tag) {
  constexpr std::array tags{GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_BODY,  GUMBO_TAG_BR,  GUMBO_TAG_CENTER, GUMBO_TAG_DD,
                            GUMBO_TAG_DIV,        GUMBO_TAG_DL,    GUMBO_TAG_DT,  GUMBO_TAG_EMBED,  GUMBO_TAG_H1,
                            GUMBO_TAG_H2,         GUMBO_TAG_H3,    GUMBO_TAG_H4,  GUMBO_TAG_H5,     GUMBO_TAG_H6,
                            GUMBO_TAG_HEAD,       GUMBO_TAG_HR,    GUMBO_TAG_IMG, GUMBO_TAG_LI,     GUMBO_TAG_MENU,
                            GUMBO_TAG_META,       GUMBO_TAG_OL,    GUMBO_TAG_P,   GUMBO_TAG_PRE,    GUMBO_TAG_RUBY,
                            GUMBO_TAG_SPAN,       GUMBO_TAG_TABLE, GUMBO_TAG_UL};
  return std::ranges::find(tags, tag) != tags.end();
}

}  // namespace linkherd::parser
