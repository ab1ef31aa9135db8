#include "parser/lists/entry_tracker.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include <unicode/uchar.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

bool is_comma(char32_t c) { return c == U',' || c == U'，' || c == U'、'; }

bool is_letter(char32_t c) {
  if (c < 0x80) return is_ascii_letter(static_cast<char>(c));
  return u_isalpha(static_cast<UChar32>(c)) != 0;
}

bool is_letter_or_digit(char32_t c) { return is_letter(c) || (c < 0x80 && is_ascii_digit(static_cast<char>(c))); }

bool is_ascii_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_blank(char32_t c) { return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r' || c == U'\x3000' || c == 0xA0; }

bool has_letter(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_ascii(text[at])) {
      if (is_ascii_letter(text[at])) return true;
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    if (is_letter(point.value)) return true;
    at += point.length;
  }
  return false;
}

bool ends_sentence(char32_t c) { return c == U'.' || c == U'!' || c == U'?' || c == U'。' || c == U'！' || c == U'？'; }

enum class Phrase { unknown, continues, continues_after_comma, ends, ends_with_sentence };

bool continues(Phrase phrase) { return phrase == Phrase::continues || phrase == Phrase::continues_after_comma; }

// Determines whether the text after a link continues its phrase: it begins with a word, possibly after a comma.
Phrase phrase_at_start(std::string_view text) {
  bool comma = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_blank(point.value) && !is_comma(point.value)) {
      if (ends_sentence(point.value)) return Phrase::ends_with_sentence;
      if (!is_letter_or_digit(point.value)) return Phrase::ends;
      return comma ? Phrase::continues_after_comma : Phrase::continues;
    }
    comma = comma || is_comma(point.value);
    at += point.length;
  }
  return Phrase::unknown;
}

// Determines whether a text ends inside a phrase: with a word or a comma.
Phrase phrase_at_end(std::string_view text) {
  while (!text.empty()) {
    const bool is_one_byte = static_cast<unsigned char>(text.back()) < 0x80;
    const std::size_t last = is_one_byte ? text.size() - 1 : last_code_point_start(text);
    const char32_t c = is_one_byte ? static_cast<char32_t>(text.back()) : decode_utf8(text, last).value;
    if (is_comma(c)) return Phrase::continues_after_comma;
    if (!is_blank(c)) return is_letter_or_digit(c) ? Phrase::continues : Phrase::ends;
    text = text.substr(0, last);
  }
  return Phrase::unknown;
}

void set_phrase_after(LinkContext& context, Phrase phrase) {
  context.is_joined_after = continues(phrase);
  context.has_comma_after = phrase == Phrase::continues_after_comma;
  context.ends_sentence = phrase == Phrase::ends_with_sentence;
}

// Returns true for a link at the end or in the middle of a sentence that began before it, as in "see [this](…).".
// Returns false for "Title [link](…)", "Author, [title](…), year" and "2020 [title](…) by".
bool is_in_sentence(const LinkContext& before, const LinkContext& after) {
  if (!before.has_words_before || !before.is_joined_before || before.has_comma_before || before.label_ends)
    return false;
  return before.is_in_parentheses || after.ends_sentence || (after.is_joined_after && !after.has_comma_after);
}

// Returns true for a link to a fragment of the same document. After words, also returns true for a fragment of another
// file, as in "back to top".
bool is_local(const FoundLink& link) {
  const std::string_view target = link.target;
  if (target.empty() || target.front() == '#') return true;
  return link.context.has_words_before && target.find('#') != std::string_view::npos &&
         target.find(':') == std::string_view::npos;
}

enum class LabelEnd { none, separator, sentence };

// A table of the bytes that label_end() must examine, which are the first bytes of characters that may end a label.
constexpr auto may_end_label = [] {
  std::array<bool, 256> may{};
  for (const char c : std::string_view(":-.!?")) may[static_cast<unsigned char>(c)] = true;
  for (std::size_t byte = 0x80; byte < may.size(); ++byte) may[byte] = true;
  return may;
}();

// Determines how a text ends the label before it, as in "label - text", "label: text" and "A sentence. And more".
LabelEnd label_end(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!may_end_label[static_cast<unsigned char>(text[at])]) {  // true for most of the text
      ++at;
      continue;
    }
    const std::string_view before = text.substr(0, at);
    const CodePoint point = decode_utf8(text, at);
    const char32_t c = point.value;
    at += point.length;
    const bool blank_follows = at >= text.size() || is_blank(decode_utf8(text, at).value);
    const bool is_dash = c == U'-' || (c >= U'\x2013' && c <= U'\x2015');
    if (c == U'：' || (c == U':' && blank_follows)) return LabelEnd::separator;
    if (is_dash && blank_follows &&
        (before.empty() || is_blank(decode_utf8(before, last_code_point_start(before)).value)))
      return LabelEnd::separator;
    if (ends_sentence(c) && (c >= 0x80 || blank_follows)) return LabelEnd::sentence;
  }
  return LabelEnd::none;
}

bool is_text_link(const FoundLink& link) {
  switch (link.element) {
    case LinkElement::link: return !link.context.is_badge;
    case LinkElement::autolink:
    case LinkElement::bare:
    case LinkElement::data:
    case LinkElement::wikilink: return true;
    default: return false;
  }
}

std::size_t offset_of(const FoundLink& link) {
  return link.link_offset == FoundLink::no_offset ? link.offset : link.link_offset;
}

std::uint32_t lasting_entry(const std::vector<DissolvedEntries>& dissolved, std::uint32_t entry) {
  const auto after = std::ranges::upper_bound(dissolved, entry, {}, &DissolvedEntries::first);
  if (after == dissolved.begin()) return entry;
  const DissolvedEntries& range = *std::prev(after);
  return entry <= range.last ? range.entry : entry;
}

// Assigns the roles of the links of one entry. `members` are the indexes of its links, in the order of the text.
class EntryRoles {
 public:
  EntryRoles(const std::deque<FoundLink>& links, std::span<const std::uint32_t> members)
      : links_(links), members_(members) {}

  void assign(std::vector<LinkRole>& roles) const {
    const std::size_t main = main_link();
    LinkRole before = LinkRole::secondary;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      before = i == main ? LinkRole::main : role_of(member(i), before);
      roles[members_[i]] = before;
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const FoundLink& member(std::size_t i) const { return links_[members_[i]]; }

  // Returns the most explicit link, or `none`. The candidates, in order of precedence, are:
  // 1. the value of a key that means the page;
  // 2. any value that is a URL;
  // 3. the first link that is not inside a sentence, or the first link of the label if that link is in the label;
  // 4. the first badge, if the entry has no text link.
  std::size_t main_link() const {
    std::size_t value = none, text = none, badge = none, label = none;
    bool has_text_link = false;
    std::size_t chain_end = 0;  // links separated only by punctuation share the text that follows the last of them
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const FoundLink& link = member(i);
      if (link.context.is_named && !link.context.is_embedded) return i;
      if (badge == none && link.element == LinkElement::link && link.context.is_badge) badge = i;
      if (!is_text_link(link) || link.context.is_embedded) continue;
      has_text_link = true;
      if (value == none && link.element == LinkElement::data) value = i;
      if (text != none) continue;
      if (label == none && link.context.is_in_label && !link.context.is_in_parentheses) label = i;
      chain_end = std::max(chain_end, i);
      while (chain_end + 1 < members_.size() && !member(chain_end).context.is_joined_after &&
             member(chain_end + 1).context.follows_link)
        ++chain_end;
      const bool in_sentence = is_in_sentence(link.context, member(chain_end).context);
      const bool in_chain = i > 0 && link.context.follows_link && is_text_link(member(i - 1));
      if (!in_sentence && !in_chain) text = link.context.is_in_label && label != none ? label : i;
    }
    if (value != none) return value;
    if (text != none) return text;
    return has_text_link ? none : badge;
  }

  static LinkRole role_of(const FoundLink& link, LinkRole before) {
    const LinkContext& context = link.context;
    if (context.is_embedded) return LinkRole::mention;
    if (!is_text_link(link) || link.element == LinkElement::data) return LinkRole::secondary;
    if (context.follows_link) return before == LinkRole::mention ? LinkRole::mention : LinkRole::secondary;
    return context.is_joined_before || context.is_joined_after ? LinkRole::mention : LinkRole::secondary;
  }

  const std::deque<FoundLink>& links_;
  std::span<const std::uint32_t> members_;
};

}  // namespace

LinkContext context_between(std::string_view before, std::string_view after) {
  LinkContext context;
  context.has_words_before = has_letter(before);
  const Phrase phrase = phrase_at_end(before);
  context.is_joined_before = continues(phrase);
  context.has_comma_before = phrase == Phrase::continues_after_comma;
  set_phrase_after(context, phrase_at_start(after));
  return context;
}

void EntryTracker::open() {
  if (paragraph_) close_paragraph();
  open_.push_back(current_);
  if (prose_ == 0) current_ = ++found_.entries;
  end_phrase();
  begin_label();
}

void EntryTracker::open_prose() {
  open_.push_back(current_);
  current_ = 0;
  if (prose_ == 0) prose_ = open_.size();
  end_phrase();
}

void EntryTracker::close() {
  if (open_.empty()) return;
  current_ = open_.back();
  open_.pop_back();
  if (open_.size() < prose_) prose_ = 0;
  end_phrase();
}

void EntryTracker::reassign_links(std::size_t first, std::uint32_t entry) {
  for (std::size_t i = first; i < found_.links.size(); ++i) found_.links[i].entry = entry;
}

void EntryTracker::open_heading() {
  end_phrase();
  heading_links_.reset();
  if (!open_.empty()) return;
  current_ = ++found_.entries;
  heading_links_ = found_.links.size();
  begin_label();
}

void EntryTracker::close_heading(bool whole_section) {
  end_phrase();
  const std::optional<std::size_t> links = std::exchange(heading_links_, std::nullopt);
  if (!links) return;
  const auto first = found_.links.begin() + static_cast<std::ptrdiff_t>(*links);
  const bool is_entry = std::any_of(first, found_.links.end(), [](const FoundLink& link) {
    return is_text_link(link) && !is_local(link) && !is_in_sentence(link.context, link.context);
  });
  if (!is_entry) reassign_links(*links, 0);
  if (!is_entry || !whole_section) current_ = 0;
}

void EntryTracker::open_paragraph() {
  end_phrase();
  if (!open_.empty()) return;
  begin_line(paragraph_.emplace(Paragraph{.entries_before = found_.entries, .links = found_.links.size()}));
}

void EntryTracker::begin_line(Paragraph& paragraph) {
  paragraph.line = ++found_.entries;
  paragraph.line_links = found_.links.size();
  paragraph.line_has_words = false;
  begin_label();
}

// A line is about its first link if it begins with this link. A line that is only a row of links is navigation instead.
void EntryTracker::end_line() {
  if (!paragraph_) return;
  end_phrase();
  Paragraph& paragraph = *paragraph_;
  const auto first = found_.links.begin() + static_cast<std::ptrdiff_t>(paragraph.line_links);
  const auto text_links = std::count_if(first, found_.links.end(), is_text_link);
  if (first == found_.links.end()) {
    paragraph.lines_are_entries = paragraph.lines_are_entries && !paragraph.line_has_words;
  } else {
    const LinkContext& context = first->context;
    const bool begins = is_text_link(*first) && !context.has_words_before && !context.is_joined_after;
    paragraph.lines_are_entries =
        paragraph.lines_are_entries && begins && (text_links == 1 || paragraph.line_has_words);
  }
  begin_line(paragraph);
}

bool EntryTracker::close_paragraph() {
  if (!paragraph_) {
    end_phrase();
    return true;
  }
  end_line();
  const Paragraph paragraph = *paragraph_;
  paragraph_.reset();
  if (paragraph.lines_are_entries) return true;
  reassign_links(paragraph.links, current_);
  // A reference may have recorded one of these numbers, so they are not reused.
  std::vector<DissolvedEntries>& dissolved = found_.dissolved;
  if (!dissolved.empty() && dissolved.back().last == paragraph.entries_before && dissolved.back().entry == current_) {
    dissolved.back().last = found_.entries;
  } else {
    dissolved.push_back({paragraph.entries_before + 1, found_.entries, current_});
  }
  return false;
}

void EntryTracker::begin_label() { label_links_ = found_.links.size(); }

void EntryTracker::read_label(std::string_view words) {
  const LabelEnd end = label_end(words);
  if (end == LabelEnd::none) return;
  const std::size_t first = *label_links_;
  label_links_.reset();
  if (end == LabelEnd::sentence) return;
  for (std::size_t i = first; i < found_.links.size(); ++i) found_.links[i].context.label_ends = true;
}

void EntryTracker::count_parentheses(std::string_view words) {
  constexpr std::string_view wide_open = "（", wide_close = "）";
  constexpr auto is_aside_mark = [wide_open](char c) { return c == '(' || c == ')' || c == wide_open.front(); };
  constexpr std::size_t min_bytes = 16;  // for shorter texts a loop is faster than three calls of memchr
  const auto has = [words](char c) { return words.find(c) != std::string_view::npos; };
  if (words.size() > min_bytes && !has('(') && !has(')') && !has(wide_open.front())) return;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!is_aside_mark(words[at])) continue;
    const std::string_view mark = words.substr(at, wide_open.size());
    if (mark.front() == '(' || mark == wide_open) {
      ++open_parentheses_;
    } else if (open_parentheses_ > 0 && (mark.front() == ')' || mark == wide_close)) {
      --open_parentheses_;
    }
  }
}

void EntryTracker::describe(std::string_view words) {
  if (current_entry() != described_entry_) {
    described_entry_ = current_entry();
    words_before_link_.clear();
    has_description_ = false;
  }
  if (described_entry_ == 0) return;
  std::string& description = has_description_ ? found_.descriptions.back().text : words_before_link_;
  const std::size_t room = max_description_bytes - std::min(max_description_bytes, description.size());
  description += words.size() <= room ? words : truncate_utf8(words, room);
}

void EntryTracker::begin_description() {
  describe(" ");
  if (described_entry_ == 0 || std::exchange(has_description_, true)) return;
  found_.descriptions.push_back({described_entry_, std::move(words_before_link_)});
  words_before_link_.clear();
}

void EntryTracker::add_text(std::string_view words) {
  if (prose_ != 0) return;  // outside of entries, the role of a link does not depend on its surroundings
  describe(words);
  if (std::ranges::all_of(words, is_ascii_blank)) return;  // common between tags
  if (label_links_) read_label(words);
  count_parentheses(words);
  if (last_ != none) {
    const Phrase phrase = phrase_at_start(words);
    if (phrase != Phrase::unknown) set_phrase_after(found_.links[std::exchange(last_, none)].context, phrase);
  }
  if (!has_words_ && has_letter(words)) {
    has_words_ = true;
    if (paragraph_) paragraph_->line_has_words = true;
    follows_link_ = false;
  }
  const Phrase phrase = phrase_at_end(words);
  if (phrase == Phrase::unknown) return;
  is_joined_ = continues(phrase);
  has_comma_ = phrase == Phrase::continues_after_comma;
}

void EntryTracker::end_phrase() {
  if (has_words_) describe(" ");
  if (follows_link_ || has_words_) label_links_.reset();
  last_ = none;
  follows_link_ = has_words_ = is_joined_ = has_comma_ = false;
  open_parentheses_ = 0;
}

LinkContext EntryTracker::link_context() const {
  LinkContext context;
  context.has_words_before = has_words_;
  context.is_joined_before = is_joined_;
  context.has_comma_before = has_comma_;
  context.is_in_parentheses = open_parentheses_ > 0 && is_joined_;
  context.is_in_label = label_links_.has_value();
  context.follows_link = follows_link_;
  return context;
}

void EntryTracker::add_link(std::size_t link) {
  if (prose_ != 0) return;
  FoundLink& added = found_.links[link];
  added.entry = current_entry();
  const bool is_badge = added.context.is_badge;
  added.context = link_context();
  added.context.is_badge = is_badge;
  if (starts_ignoring_case(added.target, "http")) begin_description();
  end_nested_link();
  last_ = link;
}

void EntryTracker::end_nested_link() {
  last_ = none;
  follows_link_ = true;
  has_words_ = is_joined_ = has_comma_ = false;
}

std::vector<LinkRole> assign_roles(FoundLinks& found) {
  for (FoundLink& link : found.links) link.entry = lasting_entry(found.dissolved, link.entry);
  std::vector<LinkRole> roles(found.links.size(), LinkRole::prose);
  std::vector<std::uint32_t> order;
  order.reserve(roles.size());
  for (std::uint32_t i = 0; i < roles.size(); ++i) {
    if (found.links[i].entry != 0) order.push_back(i);
  }
  const auto by_entry = [&](std::uint32_t i) { return std::pair(found.links[i].entry, offset_of(found.links[i])); };
  if (!std::ranges::is_sorted(order, {}, by_entry)) std::ranges::stable_sort(order, {}, by_entry);

  std::vector<std::pair<std::size_t, std::uint32_t>> entries;  // offset of the first link, and the entry
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    const FoundLink& first = found.links[order[from]];
    while (to < order.size() && found.links[order[to]].entry == first.entry) ++to;
    EntryRoles(found.links, std::span(order).subspan(from, to - from)).assign(roles);
    entries.emplace_back(offset_of(first), first.entry);
  }
  std::ranges::sort(entries);
  std::vector<std::uint32_t> numbers(std::size_t{found.entries} + 1, 0);
  for (std::uint32_t i = 0; i < entries.size(); ++i) numbers[entries[i].second] = i + 1;
  for (FoundLink& link : found.links) link.entry = numbers[link.entry];
  for (FoundDescription& one : found.descriptions) one.entry = numbers[lasting_entry(found.dissolved, one.entry)];
  return roles;
}

}  // namespace linkherd::parser
