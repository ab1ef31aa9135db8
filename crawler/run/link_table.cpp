#include "crawler/run/link_table.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkOccurrence;
using storage::Verdict;

std::uint32_t hash_of(std::initializer_list<std::string_view> texts, std::uint64_t others) {
  constexpr std::uint64_t multiplier = 0x9E37'79B9'7F4A'7C15;  // 2^64 / golden ratio, which spreads the bits
  std::uint64_t hash = others;
  for (const std::string_view text : texts)
    hash = (hash ^ (text.empty() ? 0 : std::hash<std::string_view>()(text))) * multiplier;
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

std::size_t LinkTable::find_or_add(const storage::LinkId& id, std::string_view href,
                                   const std::optional<Verdict>& verdict) {
  return find_or_add_link(id, href, verdict_index(verdict));
}

std::size_t LinkTable::find_or_add_link(const storage::LinkId& id, std::string_view href, std::uint32_t verdict) {
  const auto [link, is_new] = ids_.add(id);
  if (is_new) {
    links_.push_back({.href = texts_.add(href), .verdict = verdict});
  } else if (is_left_out(links_[link].verdict) && !is_left_out(verdict)) {
    links_[link].verdict = verdict;
  }
  return link;
}

bool LinkTable::is_left_out(std::uint32_t verdict) const {
  if (verdict == none) return false;
  const std::string& why = verdicts_[verdict].reason;
  return why == reason::ignored || why == reason::excluded;
}

std::uint32_t LinkTable::verdict_index(const std::optional<Verdict>& verdict) {
  if (!verdict) return none;
  const std::uint32_t hash =
      hash_of({verdict->evidence, verdict->reason, verdict->rule}, static_cast<std::uint64_t>(verdict->health));
  const std::uint32_t index = verdict_index_.find_or_add(
      hash, verdicts_.size(), [&](std::uint32_t other) { return verdicts_[other] == *verdict; });
  if (index == verdicts_.size()) verdicts_.push_back(*verdict);
  return index;
}

std::uint32_t LinkTable::content_index(const LinkOccurrence& occurrence) {
  // Names every member, so that a member added to the struct but forgotten here and in whole() does not compile.
  const auto& [file, line, column, offset, length, url, href, element, text, description, headings, entry, role, rel,
               ignored_by, notes, tags, added] = occurrence;
  const std::uint64_t others = static_cast<std::uint64_t>(role) << 8U | static_cast<std::uint64_t>(element);
  return intern({.hash = hash_of({url, href == url ? std::string_view() : href, text, description}, others),
                 .role = role,
                 .element = element,
                 .length = length,
                 .url = url,
                 .href = href,
                 .text = text,
                 .description = description,
                 .rel = rel,
                 .ignored_by = ignored_by,
                 .notes = notes,
                 .tags = tags,
                 .added = added});
}

std::uint32_t LinkTable::intern(const Content& content) {
  const std::uint32_t index = content_index_.find_or_add(
      content.hash, contents_.size(), [&](std::uint32_t other) { return contents_[other] == content; });
  if (index < contents_.size()) return index;
  Content& own = contents_.emplace_back(content);
  own.url = texts_.add(content.url);
  own.href = content.href == content.url ? own.url : texts_.add(content.href);
  for (std::string_view* const text : {&own.text, &own.description, &own.rel, &own.ignored_by})
    *text = texts_.add(*text);
  return index;
}

void LinkTable::add_occurrence(std::size_t link, const LinkOccurrence& occurrence) {
  add_occurrence(link, occurrence, file_index(occurrence.file), content_index(occurrence));
}

void LinkTable::add_occurrence(std::size_t index, const LinkOccurrence& occurrence, std::uint32_t file,
                               std::uint32_t content) {
  Link& link = links_[index];
  if (std::exchange(link.last_file, file) != file) link.occurrences_of_last_file = 0;
  if (++link.occurrences_of_last_file > max_occurrences_in_file) return;
  add_to_link(index, {.offset = occurrence.offset,
                      .line = occurrence.line,
                      .column = occurrence.column,
                      .entry = occurrence.entry,
                      .file = file,
                      .headings = headings_.intern(occurrence.headings),
                      .content = content});
}

void LinkTable::add_to_link(std::size_t link, const Occurrence& occurrence) {
  occurrences_.push_back(occurrence);
  attach(link, static_cast<std::uint32_t>(occurrences_.size() - 1));
}

void LinkTable::attach(std::size_t index, std::uint32_t occurrence) {
  Link& link = links_[index];
  occurrences_[occurrence].next = none;
  (link.first == none ? link.first : occurrences_[link.last].next) = occurrence;
  link.last = occurrence;
  ++link.occurrence_count;
}

std::vector<std::uint32_t> LinkTable::append(LinkTable&& other) {
  if (!empty()) return append(std::as_const(other));
  *this = std::move(other);
  std::vector<std::uint32_t> indices(size());
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

std::vector<std::uint32_t> LinkTable::append(const LinkTable& other) {
  constexpr std::size_t ahead = 8;
  const std::vector<std::uint32_t> files = files_.append(other.files_);
  const std::uint32_t headings = headings_.append(other.headings_);
  std::vector<std::uint32_t> verdicts, contents, indices;
  for (const Verdict& verdict : other.verdicts_) verdicts.push_back(verdict_index(verdict));
  contents.reserve(other.contents_.size());
  for (std::size_t i = 0; i < other.contents_.size(); ++i) {
    if (i + ahead < other.contents_.size()) content_index_.prefetch(other.contents_[i + ahead].hash);
    contents.push_back(intern(other.contents_[i]));
  }
  indices.reserve(other.size());
  for (std::size_t link = 0; link < other.size(); ++link) {
    if (link + 2 * ahead < other.size()) ids_.prefetch_slot(other.id(link + 2 * ahead));
    if (link + ahead < other.size()) ids_.prefetch_id(other.id(link + ahead));
    const std::uint32_t verdict = other.links_[link].verdict;
    const std::size_t index =
        find_or_add_link(other.id(link), other.href(link), verdict == none ? none : verdicts[verdict]);
    indices.push_back(static_cast<std::uint32_t>(index));
    for (std::uint32_t at = other.links_[link].first; at != none; at = other.occurrences_[at].next) {
      Occurrence occurrence = other.occurrences_[at];
      occurrence.file = files[occurrence.file];
      occurrence.content = contents[occurrence.content];
      if (occurrence.headings != 0) occurrence.headings += headings;
      add_to_link(index, occurrence);
    }
  }
  return indices;
}

std::vector<std::size_t> LinkTable::split(std::size_t link, const std::vector<NewLink>& into, const GoesTo& goes_to) {
  std::vector<std::vector<std::uint32_t>> moved(into.size());
  std::vector<std::uint32_t> staying;
  for (std::uint32_t at = links_[link].first; at != none; at = occurrences_[at].next) {
    const std::optional<std::size_t> to = goes_to(whole(occurrences_[at]));
    (to ? moved[*to] : staying).push_back(at);
  }
  links_[link].first = links_[link].last = none;
  links_[link].occurrence_count = 0;
  for (const std::uint32_t occurrence : staying) attach(link, occurrence);
  bool is_replaced = staying.empty();
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto& [id, href, verdict] = into[i];
    std::size_t index = link;
    if (std::exchange(is_replaced, false)) {
      ids_.replace(link, id);
      links_[link].href = texts_.add(href);
      set_verdict(link, verdict);
    } else {
      index = find_or_add(id, href, verdict);
    }
    for (const std::uint32_t occurrence : moved[i]) attach(index, occurrence);
    indices.push_back(index);
  }
  return indices;
}

void LinkTable::keep_only(const std::function<bool(std::size_t link)>& is_wanted) {
  storage::LinkIdTable ids;
  std::deque<Link> links;
  for (std::size_t link = 0; link < size(); ++link) {
    if (!is_wanted(link)) continue;
    ids.add(id(link));
    links.push_back(links_[link]);
  }
  ids_ = std::move(ids);
  links_ = std::move(links);
  const std::deque<Occurrence> all = std::exchange(occurrences_, {});
  for (std::size_t link = 0; link < size(); ++link) {
    std::uint32_t at = std::exchange(links_[link].first, none);
    links_[link].occurrence_count = 0;
    for (; at != none; at = all[at].next) add_to_link(link, all[at]);
  }
}

void LinkTable::sort_by(const std::vector<std::uint64_t>& keys) {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&keys](std::uint32_t link) { return keys[link]; });
  storage::LinkIdTable ids;
  std::deque<Link> links;
  for (const std::uint32_t link : order) {
    ids.add(ids_.id(link));
    links.push_back(links_[link]);
  }
  ids_ = std::move(ids);
  links_ = std::move(links);
}

template <class Visit>
void LinkTable::visit_occurrences(const Link& link, Visit visit) const {
  bool has_ignored = false;
  for (const bool visits_ignored : {false, true}) {
    for (std::uint32_t at = link.first; at != none; at = occurrences_[at].next) {
      const bool is_ignored = !contents_[occurrences_[at].content].ignored_by.empty();
      has_ignored |= is_ignored;
      if (is_ignored == visits_ignored && !visit(occurrences_[at])) return;
    }
    if (!has_ignored) return;
  }
}

LinkOccurrence LinkTable::position_of(const Occurrence& at) const {
  const Content& content = contents_[at.content];
  LinkOccurrence occurrence;
  occurrence.file = files_.text(at.file);
  occurrence.line = at.line;
  occurrence.column = at.column;
  occurrence.offset = at.offset;
  occurrence.length = content.length;
  occurrence.url = content.url;
  occurrence.href = content.href;
  occurrence.element = content.element;
  occurrence.entry = at.entry;
  occurrence.role = content.role;
  return occurrence;
}

LinkOccurrence LinkTable::whole(const Occurrence& at) const {
  const Content& content = contents_[at.content];
  LinkOccurrence occurrence = position_of(at);
  occurrence.text = content.text;
  occurrence.description = content.description;
  occurrence.headings = headings_.path(at.headings);
  occurrence.rel = content.rel;
  occurrence.ignored_by = content.ignored_by;
  occurrence.notes = content.notes;
  occurrence.tags = content.tags;
  occurrence.added = content.added;
  return occurrence;
}

void LinkTable::for_each_occurrence(std::size_t link,
                                    const std::function<bool(LinkOccurrence& occurrence)>& visit) const {
  visit_occurrences(links_[link], [&](const Occurrence& at) {
    LinkOccurrence occurrence = whole(at);
    return visit(occurrence);
  });
}

std::vector<LinkOccurrence> LinkTable::occurrences(std::size_t link, std::size_t max_count) const {
  std::vector<LinkOccurrence> some;
  some.reserve(std::min<std::size_t>(max_count, links_[link].occurrence_count));
  visit_occurrences(links_[link], [&](const Occurrence& at) {
    some.push_back(whole(at));
    return some.size() < max_count;
  });
  return some;
}

LinkOccurrence LinkTable::first_occurrence(std::size_t link) const {
  LinkOccurrence first;
  visit_occurrences(links_[link], [&](const Occurrence& at) {
    first = position_of(at);
    return false;
  });
  return first;
}

std::uint32_t part_of_domain(const parser::Url& url, std::uint32_t count) {
  std::uint64_t hash = 0;
  for (const std::uint8_t byte : storage::LinkId::of_text(parser::registrable_domain(url)).bytes)
    hash = (hash << 8U | byte) % count;
  return static_cast<std::uint32_t>(hash);
}

void keep_shard(LinkTable& table, std::uint32_t number, std::uint32_t count) {
  table.keep_only([&](std::size_t link) {
    const Result<parser::Url> url = parser::Url::parse(table.href(link));
    if (url.has_error() || !url->is_http()) return number == 1;
    return part_of_domain(*url, count) + 1 == number;
  });
}

}  // namespace linkherd::crawler
