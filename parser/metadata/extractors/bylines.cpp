// Extracts visible authors: rel=author, elements named author or byline, links to author pages, "By …" and 作者：.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/byline_words.h"
#include "parser/metadata/credits.h"
#include "parser/metadata/no_names.h"
#include "parser/metadata/page.h"
#include "parser/metadata/page_regions.h"
#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Quickly rejects texts that do not begin with one of the labels, by their first two letters. It is called for every
// element.
class PrefixFilter {
 public:
  // Labels must be in lower case and have at least two bytes.
  void add(std::span<const std::string_view> labels) {
    for (const std::string_view label : labels) {
      first_.set(position(label[0]));
      both_.set(position(label[0]) * 256 + position(label[1]));
    }
  }
  // `text` may be a prefix of the whole text, but may be empty only if the whole text is empty.
  bool may_match(std::string_view text) const {
    if (text.empty()) return false;
    const std::size_t first = position(ascii_lower(text[0]));
    return text.size() == 1 ? first_.test(first) : both_.test(first * 256 + position(ascii_lower(text[1])));
  }

 private:
  static constexpr std::size_t position(char c) { return static_cast<unsigned char>(c); }

  std::bitset<256> first_;
  std::bitset<std::size_t{256} * 256> both_;
};

constexpr std::size_t max_byline = 200;         // bytes; longer texts are biographies
constexpr std::size_t max_inner_elements = 40;  // of a byline

// Words of class names: words that mark an author element, words that may follow them, and words that mark something
// else.
constexpr std::array<std::string_view, 4> author_words{"author", "authors", "byline", "authorname"};
constexpr std::array<std::string_view, 12> author_ends{"name",    "names",     "text",  "txt",   "link",  "wrap",
                                                       "wrapper", "container", "block", "label", "inner", "value"};
constexpr std::array<std::string_view, 16> no_name_words{"avatar", "image",   "img",         "bio",   "desc", "date",
                                                         "time",   "twitter", "title",       "role",  "job",  "icon",
                                                         "photo",  "quote",   "testimonial", "review"};

// Removes the hash at the end of the class names of CSS modules: "Article_author__U98U7".
std::string_view without_hash(std::string_view name) {
  constexpr std::size_t hash_size = 5;
  const std::size_t at = name.rfind("__");
  const bool is_hash = at != std::string_view::npos && name.size() == at + 2 + hash_size &&
                       to_ascii_lower(name.substr(at)) != name.substr(at);
  return is_hash ? name.substr(0, at) : name;
}

bool is_author_name(std::string_view name) {
  bool author = false;
  bool author_at_end = false;
  const bool other = has_word(without_hash(name), [&](std::string_view word) {
    const bool is_author = is_one_of(author_words, word);
    author_at_end = is_author || (author && is_one_of(author_ends, word));
    author = author || is_author;
    return std::ranges::any_of(no_name_words, [&](std::string_view known) { return word.starts_with(known); });
  });
  return author_at_end && !other;
}

// Returns true if the text contains "author" or "byline". It needs one pass, because it is called for every class on
// the page.
bool mentions_author(std::string_view names) {
  for (std::size_t at = 0; at + 6 <= names.size(); ++at) {
    const char first = ascii_lower(names[at]);
    if (first != 'a' && first != 'b') continue;
    if (starts_ignoring_case(names.substr(at), first == 'a' ? "author" : "byline")) return true;
  }
  return false;
}

bool is_called_author(HtmlElement element) {
  for (const std::string_view attribute : {"class", "id", "data-testid", "data-qa"}) {
    std::string_view names = element.attribute(attribute).value_or("");
    if (!mentions_author(names)) continue;
    while (!names.empty()) {
      const std::size_t end = std::min(names.find_first_of(" \t\n"), names.size());
      if (end > 0 && is_author_name(names.substr(0, end))) return true;
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  return false;
}

bool link_contains_any(HtmlElement element, std::span<const std::string_view> parts) {
  const auto href = element.attribute("href");
  return href &&
         std::ranges::any_of(parts, [&](std::string_view part) { return href->find(part) != std::string_view::npos; });
}

bool links_to_author(HtmlElement element) {
  static constexpr std::array<std::string_view, 17> parts{
      "/author/",    "/authors/",     "/autor/",        "/autoren/",    "/auteur/",   "/autore/",
      "/redacteur/", "/contributor/", "/contributors/", "/profile/",    "/profiles/", "/staff/",
      "/editors/",   "/reporters/",   "/journalists/",  "/columnists/", "/writers/"};
  return link_contains_any(element, parts);
}

bool links_to_subject(HtmlElement element) {
  static constexpr std::array<std::string_view, 10> parts{"/tag/",       "/tags/",   "/category/", "/categories/",
                                                          "/topic/",     "/topics/", "/thema/",    "/themen/",
                                                          "/kategorie/", "/section/"};
  return link_contains_any(element, parts);
}

constexpr std::array<std::string_view, 6> han_byline_starts{"作者：", "作者:", "文/", "文 / ", "撰文：", "文｜"};

// Unambiguous labels, accepted anywhere in the article.
constexpr std::array<std::string_view, 13> han_author_labels{
    "作者：", "作者:", "作者 ", "撰文：",  "撰文:",     "文/",    "文｜",
    "文丨",   "著者 ", "執筆 ", "執筆者 ", "ライター ", "投稿者 "};

bool begins_with_any(std::string_view text, std::span<const std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return starts_ignoring_case(text, start); });
}
bool begins_like_byline(std::string_view text) {
  return find_byline_word(text).is_introduction() || begins_with_any(text, han_byline_starts);
}
bool is_labelled_author(std::string_view text) {
  const BylineWord word = find_byline_word(text);
  return (word.is_introduction() && word.is_unambiguous) || begins_with_any(text, han_author_labels);
}

// Returns true for names of a few Han characters each, until a sign that a place or the kind of a report follows.
bool are_short_han_names(std::string_view text) {
  constexpr std::size_t max_letters = 4;
  std::size_t letters = 0;
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (point.value == U'／' || point.value == U'/') break;
    letters = point.value >= 0x3400 && point.value <= 0x9FFF ? letters + 1 : 0;
    if (letters == 0 && point.value != U' ' && point.value != U'、') return false;
    longest = std::max(longest, letters);
  }
  return longest > 1 && longest <= max_letters;
}

// Returns true for a reporter, such as "澎湃新闻记者 贺梨萍", "記者王小明／台北報導" and "홍길동 기자", and false for a
// sentence.
bool is_reporter_line(std::string_view text) {
  constexpr std::size_t max_bytes = 60;            // bytes
  constexpr std::size_t max_publisher_bytes = 30;  // bytes
  if (text.size() > max_bytes) return false;
  if (!before_korean_role(text).empty()) return true;
  const std::size_t role = std::min({text.find("记者"), text.find("記者"), text.find("通讯员"), text.find("通訊員")});
  if (role > max_publisher_bytes) return false;
  const std::size_t role_size = text.substr(role).starts_with("通") ? 9 : 6;
  const std::string_view rest = text.substr(role + role_size);
  if (role == 0)
    return (rest.starts_with(' ') || text.ends_with("報導") || text.ends_with("报道")) && are_short_han_names(rest);
  if (!rest.starts_with(' ')) return false;
  return std::ranges::none_of(std::array<std::string_view, 4>{"，", "。", "：", "！"},
                              [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

// Returns the name after a label without a sign between them, as in "<b>Author</b> Jane Doe". Empty if there is none.
std::string_view name_after_label(std::string_view text) {
  constexpr std::size_t min_bytes = 5;
  const BylineWord label = find_byline_word(text);
  if (!label || !label.is_unambiguous || label.end <= min_bytes) return {};
  const std::string_view name = trim_ascii(text.substr(label.end));
  return is_full_name(name) ? name : std::string_view();
}

// Returns the text right after an element. If nothing follows inside its parent, returns the text after the parent.
std::string text_after(HtmlElement element) {
  constexpr int max_steps = 2;
  const GumboNode* node = element.node();
  for (int steps = 0; node->parent != nullptr && steps < max_steps; ++steps, node = node->parent) {
    if (node->parent->type != GUMBO_NODE_ELEMENT) return {};
    const GumboVector& siblings = node->parent->v.element.children;
    for (std::size_t i = node->index_within_parent + 1; i < siblings.length; ++i) {
      const auto* sibling = static_cast<const GumboNode*>(siblings.data[i]);
      std::string text;
      if (sibling->type == GUMBO_NODE_TEXT)
        text = collapse_spaces(truncate_utf8(sibling->v.text.text, max_byline));
      else if (sibling->type == GUMBO_NODE_ELEMENT)
        text = HtmlElement(sibling).short_text(max_byline).value_or("");
      if (contains_letter(text)) return text;
    }
  }
  return {};
}

// Returns the text right before an element, inside `outer`. A label may be in an element of its own.
std::string text_before(HtmlElement element, HtmlElement outer) {
  constexpr std::size_t max_label = 60;  // bytes
  for (const GumboNode* node = element.node(); node != outer.node() && node->parent != nullptr; node = node->parent) {
    const GumboVector& siblings = node->parent->v.element.children;
    for (std::size_t i = node->index_within_parent; i > 0; --i) {
      const auto* before = static_cast<const GumboNode*>(siblings.data[i - 1]);
      if (before->type == GUMBO_NODE_TEXT) return before->v.text.text;
      if (before->type == GUMBO_NODE_ELEMENT) return HtmlElement(before).short_text(max_label).value_or("");
      if (before->type != GUMBO_NODE_WHITESPACE) return {};
    }
  }
  return {};
}

// The beginnings of texts in Latin script that may have a credit.
const PrefixFilter& latin_beginnings() {
  static const PrefixFilter all = [] {
    PrefixFilter beginnings;
    beginnings.add(latin_credit_labels());
    return beginnings;
  }();
  return all;
}

// Returns true if the page has hanzi, recognised by the UTF-8 lead bytes of U+4000 to U+9FFF.
bool has_hanzi(const Page& page) {
  const auto is_lead = [](char c) { return c >= '\xE4' && c <= '\xE9'; };
  return std::ranges::any_of(page.searched_elements(), [&](HtmlElement element) {
    const GumboVector& children = element.node()->v.element.children;
    for (unsigned i = 0; i < children.length; ++i) {
      const auto* child = static_cast<const GumboNode*>(children.data[i]);
      if (child->type != GUMBO_NODE_TEXT && child->type != GUMBO_NODE_CDATA) continue;
      const std::string_view text(child->v.text.text);
      if (std::ranges::any_of(text.substr(ascii_end(text, 0)), is_lead)) return true;
    }
    return false;
  });
}

// Returns false for titles of other articles and for descriptions, which occur in the same elements as names.
bool is_short_enough(const std::string& name) { return count_words(name) <= 5; }

// Returns true for a text in Latin script that begins and ends in lower case, such as "a firm dedicated to creating".
// Accounts have fewer words. "jane von doe" is a name.
bool is_part_of_sentence(const std::string& name) {
  constexpr std::size_t min_words = 3;
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (count_words(name) == min_words && has_particle_inside(name)) return false;
  return count_words(name) >= min_words && is_ascii(name) && is_lower(name.front()) &&
         is_lower(name[name.rfind(' ') + 1]);
}

// Returns true if a name shares a word with the host: "Handball Schweiz" is the publisher of handball.example.
bool shares_word(std::string_view name, std::string_view host) {
  constexpr std::size_t min_bytes = 5;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find(' '), name.size());
    const std::string word = extract_letters(name.substr(0, end));
    if (word.size() >= min_bytes && host.find(word) != std::string_view::npos) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

// Returns true for an element whose text is short and may be a "By …" line.
bool is_small(HtmlElement element) {
  switch (element.node()->v.element.tag) {
    case GUMBO_TAG_P:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_CITE:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_B:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_DT: break;
    default: return false;
  }
  return element.node()->v.element.children.length <= 8;
}

// Collects the names of one byline. Names further down belong to other articles, comments or testimonials, and in a
// thread to its later posts.
class Cluster {
 public:
  void add(HtmlElement element, const std::vector<std::string>& names, bool is_thread) {
    if (first_ && (is_thread || !are_in_one_byline(*first_, element))) return;
    if (!first_) first_ = element;
    add_names(names_, names);
  }
  void give(Candidates& candidates, const char* source, double trust) {
    if (!names_.empty()) linkherd::parser::add(candidates.authors, std::move(names_), source, trust);
  }

 private:
  std::vector<std::string> names_;
  std::optional<HtmlElement> first_;
};

// Returns true in a heading, and for the author of a picture or a quotation, who is not the author of the page.
bool is_about_something_else(HtmlElement element) {
  constexpr int max_steps = 6;
  std::optional<HtmlElement> at = element;
  for (int steps = 0; at && steps < max_steps; ++steps, at = at->parent()) {
    switch (at->node()->v.element.tag) {
      case GUMBO_TAG_FIGURE:
      case GUMBO_TAG_FIGCAPTION:
      case GUMBO_TAG_BLOCKQUOTE:
      case GUMBO_TAG_H1: return true;
      default: break;
    }
  }
  return false;
}

// Returns true inside a link that has more text than the name. Such a link leads to another article, and the name is
// its author.
bool is_in_teaser(HtmlElement element) {
  constexpr int max_steps = 4;
  constexpr std::size_t more = 12;  // bytes
  const auto parent = element.parent();
  const auto link = parent ? enclosing(*parent, "a", max_steps) : std::nullopt;
  if (!link || links_to_author(*link)) return false;
  const std::size_t own = element.short_text(max_byline).value_or("").size();
  const auto whole = link->short_text(own + more);
  return !whole;
}

// Removes the texts of links to subjects: a byline may have the categories of the article too.
void drop_subjects(std::vector<std::string>& names, HtmlElement element, const HtmlDocument& document,
                   std::size_t index) {
  const auto& elements = document.elements();
  for (std::size_t i = index + 1; i < elements.size() && i < index + max_inner_elements && !names.empty(); ++i) {
    if (!is_inside(elements[i], element)) break;
    if (elements[i].name() != "a" || !links_to_subject(elements[i])) continue;
    const std::vector<std::string> subjects = names_in_byline(elements[i].text(), {});
    std::erase_if(names, [&](const std::string& name) { return is_one_of(subjects, name); });
  }
}

// Returns the names of an element. Names inside links are preferred: the text around them may also have a date or a job
// title.
std::vector<std::string> names_of(HtmlElement element, const HtmlDocument& document, std::size_t index) {
  std::vector<std::string> names;
  const auto& elements = document.elements();
  for (std::size_t i = index + 1; i < elements.size() && i < index + max_inner_elements; ++i) {
    if (!is_inside(elements[i], element)) break;
    if (elements[i].name() != "a" || !links_to_author(elements[i])) continue;
    if (ends_with_other_role(text_before(elements[i], element))) continue;
    add_names(names, names_in_byline(elements[i].text(), {}));
  }
  if (!names.empty()) return names;
  if (element.short_text(max_byline)) names = names_in_element(element);
  drop_subjects(names, element, document, index);
  return names;
}

class BylineSearch {
 public:
  BylineSearch(const Page& page, Candidates& candidates)
      : page_(page), candidates_(candidates), hanzi_(has_hanzi(page)), is_forum_(is_forum(page)) {}

  void run() {
    const std::size_t end = page_.searched_elements().size();
    for (std::size_t i = 0; i < end && budget_ > 0; ++i) read_element(i);
    // Several bylines far from the headline belong to the parts of a collection.
    if (far_bylines_ == 1) add(candidates_.authors, std::move(far_names_), "byline:far", 0.4);
    by_relation_.give(candidates_, "rel:author", 0.65);
    by_name_.give(candidates_, "class:author", 0.6);
    by_link_.give(candidates_, "link:author", 0.5);
  }

 private:
  void read_element(std::size_t index) {
    const HtmlElement element = page_.document.elements()[index];
    const GumboTag tag = element.node()->v.element.tag;
    if (tag == GUMBO_TAG_BODY || tag == GUMBO_TAG_HTML || tag == GUMBO_TAG_META || tag == GUMBO_TAG_LINK) return;
    const bool link = tag == GUMBO_TAG_A;
    // An element that is not marked as an author must be near the headline.
    const bool near = page_.regions.is_near_headline(index);
    if (link && element.attribute("rel").value_or("").find("author") != std::string_view::npos) {
      read_marked(index, false, by_relation_);
    } else if (is_called_author(element)) {
      read_marked(index, false, by_name_);
    } else if (link && near && links_to_author(element)) {
      read_marked(index, true, by_link_);
    } else if (is_small(element)) {
      read_small(element, index, near);
    }
  }

  // Reads an element that is marked as the name of an author.
  void read_marked(std::size_t index, bool by_link, Cluster& cluster) {
    --budget_;
    const HtmlElement element = page_.document.elements()[index];
    if (page_.regions.is_secondary(element) || is_about_something_else(element)) return;
    if (is_in_teaser(element)) return;
    if (const auto parent = element.parent(); parent && ends_with_other_role(text_before(element, *parent))) return;
    std::vector<std::string> names = names_of(element, page_.document, index);
    if (std::ranges::any_of(names, is_part_of_sentence)) return;  // a biography
    std::erase_if(names, [by_link](const std::string& name) {
      return !is_short_enough(name) || (by_link && count_words(name) > 1 && !looks_like_person(name)) ||
             is_publishing_house(name);
    });
    if (!names.empty()) cluster.add(element, names, is_forum_);
  }

  // Reads the name after an element that contains only a label. `beginning` is the beginning of its text.
  bool read_label(HtmlElement element, std::string_view beginning, bool near) {
    constexpr std::size_t max_label_bytes = 60;
    if (beginning.empty() || beginning.size() > max_label_bytes) return false;
    // the element has no more text
    const BylineWord label = find_lone_byline_word(element.short_text(max_label_bytes).value_or(""));
    if (!label || (!label.is_unambiguous && !near)) return false;
    const auto* child = static_cast<const GumboNode*>(element.node()->v.element.children.data[0]);
    const bool in_menu = child->type == GUMBO_NODE_ELEMENT || enclosing(element, "a", 3);
    if (in_menu || page_.regions.is_secondary(element)) return false;
    // In "Jane Doe, author" the word is a job, not a label.
    const auto parent = element.parent();
    if (parent && trim_ascii(text_before(element, *parent)).ends_with(',')) return false;
    --budget_;
    std::vector<std::string> names = names_in_byline(text_after(element), {});
    std::erase_if(names, [&](const std::string& name) {
      return !is_short_enough(name) || (!label.is_unambiguous && !label.is_short && !is_full_name(name));
    });
    if (names.empty()) return false;
    add(candidates_.authors, std::move(names), "byline", 0.5);
    return true;
  }

  // Reads a line with a date and names: "Jane Doe, April 19, 2020", "04.02.2022 | Jane Doe".
  bool read_dateline(HtmlElement element, const std::string& text) {
    constexpr std::size_t max_bytes = 80;
    if (text.size() > max_bytes) return false;
    const auto dates = find_dates(text, page_.day_order, 2);
    if (dates.size() != 1 || !dates.front().date.has_day()) return false;
    static constexpr std::array<std::string_view, 7> dividers{",", "|", "•", "·", "-", "–", "—"};
    const std::string_view before = trim_ascii(std::string_view(text).substr(0, dates.front().begin));
    const std::string_view after = trim_ascii(std::string_view(text).substr(dates.front().end));
    const bool first =
        after.empty() && std::ranges::any_of(dividers, [&](auto sign) { return before.ends_with(sign); });
    const bool last =
        before.empty() && std::ranges::any_of(dividers, [&](auto sign) { return after.starts_with(sign); });
    if (!first && !last) return false;
    std::vector<std::string> names = names_in_byline(first ? before : after, {});
    const bool people = std::ranges::all_of(
        names, [&](const std::string& name) { return is_full_name(name) && !shares_word(name, page_.host()); });
    if (names.empty() || !people || page_.regions.is_secondary(element)) return false;
    add(candidates_.authors, std::move(names), "dateline", 0.45);
    return true;
  }

  // Returns true if a byline is the first of several parts of an element. The part is read on its own: words in the
  // other parts, such as a category, do not belong to the name.
  static bool begins_with_byline_part(HtmlElement element, std::string_view text) {
    const GumboVector& children = element.node()->v.element.children;
    for (unsigned i = 0; i < children.length; ++i) {
      const auto* child = static_cast<const GumboNode*>(children.data[i]);
      if (child->type == GUMBO_NODE_WHITESPACE) continue;
      if (child->type != GUMBO_NODE_ELEMENT || !is_small(HtmlElement(child))) return false;
      const std::string part = HtmlElement(child).short_text(max_byline).value_or("");
      const bool is_byline = begins_like_byline(part) || is_labelled_author(part) || !find_credits(part).empty();
      return part.size() < text.size() && is_byline && !names_in_byline(part, {}).empty();
    }
    return false;
  }

  // Reads an element whose few words may be a byline or a credit.
  void read_small(HtmlElement element, std::size_t index, bool near) {
    const std::string_view beginning = element.short_text_prefix(max_byline);
    const bool may_be_word = may_be_byline_word(beginning);
    const bool may_be_labelled = may_be_word || latin_beginnings().may_match(beginning);
    if (may_be_word && read_label(element, beginning, near)) return;
    const bool may_be_dateline = near && page_.regions.is_after_headline(index);
    const bool may_be_reporter = near && !beginning.empty() && is_not_ascii(beginning.front());
    if (!may_be_dateline && !hanzi_ && !may_be_labelled && !may_be_reporter) return;
    const std::string text = element.short_text(max_byline).value_or("");
    if (may_be_dateline && read_dateline(element, text)) return;
    if (!hanzi_ && !may_be_labelled && !may_be_reporter) return;
    const std::vector<Credit> credits = find_credits(text);
    const bool is_byline = near && (begins_like_byline(text) || (may_be_reporter && is_reporter_line(text)));
    const std::string_view labelled = name_after_label(text);
    if (credits.empty() && !is_labelled_author(text) && labelled.empty() && !is_byline) return;
    if (page_.regions.is_secondary(element) || begins_with_byline_part(element, text)) return;
    --budget_;
    if (!credits.empty()) return add_credits(credits, near ? 0.5 : 0.4, candidates_);
    if (count_words(text) > 12) return;
    const std::string before_date = labelled.empty() ? text_before_date(element) : std::string();
    const std::string_view named = !labelled.empty() ? labelled : before_date.empty() ? text : before_date;
    std::vector<std::string> names = names_in_byline(named, {});
    // "gunilla von heland" is in lower case.
    std::erase_if(names, [](const std::string& name) {
      return !looks_like_person(name) && (count_words(name) != 3 || !has_particle_inside(name));
    });
    if (names.empty()) return;
    if (near) {
      add(candidates_.authors, std::move(names), "byline", 0.5);
    } else {
      if (names != far_names_) ++far_bylines_;  // layouts for several screen sizes repeat the byline
      add_names(far_names_, names);
    }
  }

  const Page& page_;
  Candidates& candidates_;
  bool hanzi_;
  bool is_forum_;
  std::size_t budget_ = 300;  // number of elements that are read
  std::size_t far_bylines_ = 0;
  std::vector<std::string> far_names_;
  Cluster by_relation_;
  Cluster by_name_;
  Cluster by_link_;
};

}  // namespace

void extract_bylines(const Page& page, Candidates& candidates) { BylineSearch(page, candidates).run(); }

}  // namespace linkherd::parser
