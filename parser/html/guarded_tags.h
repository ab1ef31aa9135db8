// What the guard does with which tag.
#pragma once

#include <algorithm>
#include <array>

#include <gumbo.h>

namespace linkherd::parser {

// What becomes of an element whose content is not markup.
enum class RawText { none, keep, drop };

constexpr RawText raw_text_of(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_XMP: return RawText::keep;
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOSCRIPT: return RawText::drop;
    default: return RawText::none;
  }
}

// Tags that gumbo gets on better without; what is between them stays. The three of the document's frame are gumbo's to
// imply unless they carry attributes, and their end tags say nothing.
constexpr bool is_left_out(GumboTag tag) {
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

constexpr bool is_frame_of_document(GumboTag tag) {
  return tag == GUMBO_TAG_HTML || tag == GUMBO_TAG_HEAD || tag == GUMBO_TAG_BODY;
}

// Tags that end a forgotten <svg> or <math>, by the rules of the HTML standard for foreign content.
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
