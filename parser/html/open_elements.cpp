#include "parser/html/open_elements.h"

#include <initializer_list>

namespace linkherd::parser {
namespace {

enum Trait : std::uint8_t {
  is_void = 1,
  is_formatting = 2,
  is_special = 4,       // an end tag of an ordinary element does not close elements beyond it
  is_scope_border = 8,  // no end tag closes elements beyond it
  closes_paragraph = 16,
  is_heading = 32,
  is_table_part = 64,
  is_select_part = 128,
};

using Traits = std::array<std::uint8_t, GUMBO_TAG_LAST + 1>;

constexpr Traits make_traits() {
  Traits traits{};
  const auto mark = [&traits](Trait trait, std::initializer_list<GumboTag> tags) {
    for (const GumboTag tag : tags) traits[tag] = static_cast<std::uint8_t>(traits[tag] | trait);
  };
  mark(is_void, {GUMBO_TAG_AREA, GUMBO_TAG_BASE, GUMBO_TAG_BASEFONT, GUMBO_TAG_BGSOUND, GUMBO_TAG_BR, GUMBO_TAG_COL,
                 GUMBO_TAG_EMBED, GUMBO_TAG_HR, GUMBO_TAG_IMAGE, GUMBO_TAG_IMG, GUMBO_TAG_INPUT, GUMBO_TAG_KEYGEN,
                 GUMBO_TAG_LINK, GUMBO_TAG_META, GUMBO_TAG_PARAM, GUMBO_TAG_SOURCE, GUMBO_TAG_TRACK, GUMBO_TAG_WBR});
  mark(is_formatting,
       {GUMBO_TAG_B, GUMBO_TAG_BIG, GUMBO_TAG_CODE, GUMBO_TAG_EM, GUMBO_TAG_FONT, GUMBO_TAG_I, GUMBO_TAG_NOBR,
        GUMBO_TAG_S, GUMBO_TAG_SMALL, GUMBO_TAG_STRIKE, GUMBO_TAG_STRONG, GUMBO_TAG_TT, GUMBO_TAG_U});
  const std::initializer_list<GumboTag> paragraph_closers = {
      GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE,  GUMBO_TAG_ASIDE,      GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_CENTER,
      GUMBO_TAG_DD,      GUMBO_TAG_DETAILS,  GUMBO_TAG_DIR,        GUMBO_TAG_DIV,        GUMBO_TAG_DL,
      GUMBO_TAG_DT,      GUMBO_TAG_FIELDSET, GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FIGURE,     GUMBO_TAG_FOOTER,
      GUMBO_TAG_FORM,    GUMBO_TAG_H1,       GUMBO_TAG_H2,         GUMBO_TAG_H3,         GUMBO_TAG_H4,
      GUMBO_TAG_H5,      GUMBO_TAG_H6,       GUMBO_TAG_HEADER,     GUMBO_TAG_HGROUP,     GUMBO_TAG_HR,
      GUMBO_TAG_LI,      GUMBO_TAG_LISTING,  GUMBO_TAG_MAIN,       GUMBO_TAG_MENU,       GUMBO_TAG_NAV,
      GUMBO_TAG_OL,      GUMBO_TAG_P,        GUMBO_TAG_PRE,        GUMBO_TAG_SECTION,    GUMBO_TAG_SUMMARY,
      GUMBO_TAG_TABLE,   GUMBO_TAG_UL,       GUMBO_TAG_XMP};
  mark(closes_paragraph, paragraph_closers);
  mark(is_special, paragraph_closers);
  mark(is_special, {GUMBO_TAG_APPLET, GUMBO_TAG_BUTTON, GUMBO_TAG_CAPTION, GUMBO_TAG_COLGROUP, GUMBO_TAG_IFRAME,
                    GUMBO_TAG_MARQUEE, GUMBO_TAG_OBJECT, GUMBO_TAG_SELECT, GUMBO_TAG_TBODY, GUMBO_TAG_TD,
                    GUMBO_TAG_TEXTAREA, GUMBO_TAG_TFOOT, GUMBO_TAG_TH, GUMBO_TAG_THEAD, GUMBO_TAG_TITLE, GUMBO_TAG_TR});
  mark(is_scope_border, {GUMBO_TAG_APPLET, GUMBO_TAG_CAPTION, GUMBO_TAG_MARQUEE, GUMBO_TAG_OBJECT, GUMBO_TAG_TABLE,
                         GUMBO_TAG_TD, GUMBO_TAG_TH});
  mark(is_heading, {GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6});
  mark(is_table_part, {GUMBO_TAG_CAPTION, GUMBO_TAG_COL, GUMBO_TAG_COLGROUP, GUMBO_TAG_TBODY, GUMBO_TAG_TD,
                       GUMBO_TAG_TFOOT, GUMBO_TAG_TH, GUMBO_TAG_THEAD, GUMBO_TAG_TR});
  mark(is_select_part, {GUMBO_TAG_OPTION, GUMBO_TAG_OPTGROUP, GUMBO_TAG_HR});
  return traits;
}

constexpr Traits traits_of = make_traits();
constexpr bool has(GumboTag tag, Trait trait) { return (traits_of[tag] & trait) != 0; }

// Returns the level up to which a start tag of a table part closes elements. A cell closes cells, a row closes cells
// and rows, and a section closes all three.
constexpr int table_level(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH: return 1;
    case GUMBO_TAG_TR: return 2;
    default: return has(tag, is_table_part) ? 3 : 0;
  }
}

}  // namespace

bool is_void_element(GumboTag tag) { return has(tag, is_void); }
bool is_formatting_element(GumboTag tag) { return has(tag, is_formatting); }

template <class Matches, class Stops>
std::size_t OpenElements::find(Matches matches, Stops stops) const {
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (matches(stack_[i])) return i;
    if (stops(stack_[i])) return none;
  }
  return none;
}

std::size_t OpenElements::find_in_scope(GumboTag tag) const {
  if (!is_open(tag)) return none;
  return find([tag](const Element& e) { return e.tag == tag; },
              [](const Element& e) { return has(e.tag, is_scope_border); });
}

void OpenElements::push(GumboTag tag, std::string_view written_as) {
  stack_.push_back({.tag = tag, .name = std::string(written_as)});
  ++counts_[tag];
}

void OpenElements::pop() {
  out_ += "</";
  out_ += stack_.back().name;
  out_ += '>';
  --counts_[stack_.back().tag];
  stack_.pop_back();
  if (stack_.size() + 1 < max_depth_) too_deep_ = 0;
}

void OpenElements::pop_to(std::size_t index) {
  while (stack_.size() > index) pop();
}

void OpenElements::close_all() { pop_to(0); }

void OpenElements::close_in_scope(GumboTag tag) {
  if (const std::size_t index = find_in_scope(tag); index != none) pop_to(index);
}

void OpenElements::note_omitted(GumboTag tag) {
  if (!is_open(tag)) return;
  const std::size_t index =
      find([tag](const Element& e) { return e.tag == tag; }, [](const Element& e) { return has(e.tag, is_special); });
  if (index != none) ++stack_[index].unwritten;
}

// A list item closes the previous one, but not an item of an outer list.
void OpenElements::close_list_item(GumboTag tag) {
  const bool is_li = tag == GUMBO_TAG_LI;
  const auto same_kind = [is_li](const Element& e) {
    return is_li ? e.tag == GUMBO_TAG_LI : e.tag == GUMBO_TAG_DD || e.tag == GUMBO_TAG_DT;
  };
  const std::size_t index = find(same_kind, [](const Element& e) {
    return has(e.tag, is_special) && e.tag != GUMBO_TAG_ADDRESS && e.tag != GUMBO_TAG_DIV && e.tag != GUMBO_TAG_P;
  });
  if (index != none) pop_to(index);
}

bool OpenElements::close_implied_by_table_part(GumboTag tag) {
  if (!is_open(GUMBO_TAG_TABLE)) return false;
  std::size_t outermost = none;
  for (std::size_t i = stack_.size(); i-- > 0 && stack_[i].tag != GUMBO_TAG_TABLE;) {
    const int level = table_level(stack_[i].tag);
    if (level != 0 && level <= table_level(tag)) outermost = i;
  }
  if (outermost != none) pop_to(outermost);
  return true;
}

// Removes an anchor from the stack. It may end anywhere: gumbo splits the elements that it overlaps, so no other
// element is closed.
void OpenElements::close_anchor(std::size_t index) {
  if (index + 1 == stack_.size()) {
    pop();
    return;
  }
  out_ += "</a>";
  --counts_[GUMBO_TAG_A];
  stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool OpenElements::close_implied_by(GumboTag tag) {
  if (is_open(GUMBO_TAG_SELECT) && !has(tag, is_select_part)) {
    // Browsers ignore most tags inside <select>. An unclosed <select> must not hide the rest of the page.
    const bool leaves = has(tag, is_special) || has(tag, is_table_part) || tag == GUMBO_TAG_INPUT || tag == GUMBO_TAG_A;
    if (!leaves && tag != GUMBO_TAG_SELECT) return false;
    close_in_scope(GUMBO_TAG_SELECT);
    if (tag == GUMBO_TAG_SELECT) return false;
  }
  if (has(tag, closes_paragraph)) close_in_scope(GUMBO_TAG_P);
  if (has(tag, is_heading) && !stack_.empty() && has(stack_.back().tag, is_heading)) pop();
  const auto close_on_top = [this](GumboTag closed) {
    if (!stack_.empty() && stack_.back().tag == closed) pop();
  };
  switch (tag) {
    case GUMBO_TAG_LI:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DT: close_list_item(tag); break;
    case GUMBO_TAG_BUTTON: close_in_scope(tag); break;
    case GUMBO_TAG_FORM: return !is_open(GUMBO_TAG_FORM);
    case GUMBO_TAG_OPTGROUP:
      close_on_top(GUMBO_TAG_OPTION);
      close_on_top(GUMBO_TAG_OPTGROUP);
      break;
    case GUMBO_TAG_OPTION: close_on_top(GUMBO_TAG_OPTION); break;
    case GUMBO_TAG_RB:
    case GUMBO_TAG_RP:
    case GUMBO_TAG_RT:
    case GUMBO_TAG_RTC:
      close_on_top(GUMBO_TAG_RT);
      close_on_top(GUMBO_TAG_RP);
      close_on_top(GUMBO_TAG_RB);
      break;
    case GUMBO_TAG_A:
      if (const std::size_t index = find_in_scope(tag); index != none) close_anchor(index);
      break;
    case GUMBO_TAG_TABLE: {
      // A table directly inside a table (outside of its cells) closes it.
      const std::size_t index =
          find([](const Element& e) { return e.tag == GUMBO_TAG_TABLE; },
               [](const Element& e) {
                 return e.tag == GUMBO_TAG_TD || e.tag == GUMBO_TAG_TH || e.tag == GUMBO_TAG_CAPTION;
               });
      if (is_open(tag) && index != none) pop_to(index);
      break;
    }
    default:
      if (has(tag, is_table_part)) return close_implied_by_table_part(tag);
  }
  return true;
}

void OpenElements::end_tag(GumboTag tag, std::string_view name) {
  if (too_deep_ > 0 && !is_formatting_element(tag)) {
    --too_deep_;
    return;
  }
  std::size_t index = none;
  if (has(tag, is_heading)) {
    index = find([](const Element& e) { return has(e.tag, is_heading); },
                 [](const Element& e) { return has(e.tag, is_scope_border); });
  } else if (!is_open(tag)) {
    return;
  } else if (has(tag, is_table_part) || tag == GUMBO_TAG_TABLE) {
    index = find([tag](const Element& e) { return e.tag == tag; },
                 [](const Element& e) { return e.tag == GUMBO_TAG_TABLE; });
  } else if (has(tag, is_special) || tag == GUMBO_TAG_A) {
    index = find_in_scope(tag);
    if (tag == GUMBO_TAG_A && index != none) {
      close_anchor(index);
      return;
    }
  } else {
    index = find([&](const Element& e) { return e.tag == tag && (tag != GUMBO_TAG_UNKNOWN || e.name == name); },
                 [](const Element& e) { return has(e.tag, is_special); });
  }
  if (index == none) return;
  if (stack_[index].unwritten > 0) {
    --stack_[index].unwritten;
    return;
  }
  pop_to(index);
}

}  // namespace linkherd::parser
