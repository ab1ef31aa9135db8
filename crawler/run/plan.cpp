#include "crawler/run/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkOccurrence;
using storage::Verdict;

// How a text is encoded: stored, or omitted because it equals another known text.
enum class Spelling : std::uint8_t { own, as_link, as_url };

// --- numbers with 7 bits per byte, and texts after their size

constexpr std::size_t max_number_bytes = 10;

// Returns the number of bytes written.
std::size_t write_number(char* out, std::uint64_t number) {
  std::size_t size = 0;
  for (; number >= 0x80; number >>= 7U) out[size++] = static_cast<char>(0x80U | (number & 0x7FU));
  out[size++] = static_cast<char>(number);
  return size;
}

// Appends several numbers at once, because appending to a string takes longer than encoding a number.
template <std::size_t N>
void put_numbers(std::string& out, const std::array<std::uint64_t, N>& numbers) {
  std::array<char, N * max_number_bytes> bytes;
  std::size_t size = 0;
  for (const std::uint64_t number : numbers) size += write_number(bytes.data() + size, number);
  out.append(bytes.data(), size);
}

void put_number(std::string& out, std::uint64_t number) { put_numbers(out, std::array{number}); }

// Encodes the step between two indices as a small number if they are close: 5 to 7 is 4, 7 to 5 is 3.
std::uint64_t difference(std::uint32_t to, std::uint32_t from) {
  return to >= from ? std::uint64_t{to - from} << 1U : (std::uint64_t{from - to} << 1U) - 1;
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

void put_spelling(std::string& out, Spelling spelling, std::string_view text) {
  put_number(out, static_cast<std::uint64_t>(spelling));
  if (spelling == Spelling::own) put_text(out, text);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
  }
  template <class T>
  T number_as() {
    return static_cast<T>(number());
  }
  // Reverses difference().
  std::uint32_t number_from(std::uint32_t from) {
    const std::uint64_t difference = number();
    const auto distance = static_cast<std::uint32_t>((difference + 1) >> 1U);
    return difference % 2 == 0 ? from + distance : from - distance;
  }
  std::string_view bytes(std::size_t count) {
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  // Reads line, column and offset. Length and entry follow if the low bits of the first number say so.
  std::string_view position() {
    constexpr std::array<std::size_t, 4> counts{3, 4, 4, 5};
    std::size_t count = counts[static_cast<unsigned char>(bytes_.front()) % counts.size()];
    std::size_t size = 0;
    for (; count > 0; ++size) count -= static_cast<unsigned char>(bytes_[size]) < 0x80 ? 1U : 0U;
    return bytes(size);
  }
  std::string_view view() { return bytes(number()); }
  std::string text() { return std::string(view()); }
  std::string_view rest() const { return bytes_; }
  std::string_view spelled(std::string_view link_href, std::string_view url) {
    switch (number_as<Spelling>()) {
      case Spelling::as_link: return link_href;
      case Spelling::as_url: return url;
      case Spelling::own: break;
    }
    return view();
  }

 private:
  std::string_view bytes_;
};

// The content of an occurrence, up to its notes.
struct WrittenLink {
  WrittenLink(Reader& reader, std::string_view link_href)
      : role(reader.number_as<parser::LinkRole>()),
        element(reader.number_as<parser::LinkElement>()),
        url(reader.spelled(link_href, {})),
        href(reader.spelled(link_href, url)),
        text(reader.view()),
        rel(reader.view()),
        ignored_by(reader.view()) {}

  parser::LinkRole role;
  parser::LinkElement element;
  std::string_view url, href, text, rel, ignored_by;
};

// See Plan::begin_segment().
struct Segment {
  explicit Segment(std::string_view bytes) : rest(bytes) {
    const std::uint64_t start = rest.number();
    count = static_cast<std::uint32_t>(start >> 1U);
    if (start % 2 != 0) before = rest.number_as<parser::TextArena::Offset>();
  }

  Reader rest;
  std::uint32_t count = 0;  // number of occurrences
  std::optional<parser::TextArena::Offset> before{};
};

// `verdict`: as encoded in the plan.
Plan::KnownHealth health_in(std::string_view verdict) {
  Reader reader(verdict);
  const auto health = reader.number_as<storage::Health>();
  return {health, reader.view()};
}

}  // namespace

std::size_t Plan::add(const storage::LinkId& id, std::string_view href,
                      const std::optional<storage::Verdict>& verdict) {
  const std::size_t number = ids_.add(id).number;
  add_link(href, verdict_number(verdict));
  return number;
}

void Plan::add_link(std::string_view href, std::uint32_t verdict) {
  links_.push_back({.href = add_href(href), .verdict = verdict});
}

parser::TextArena::Offset Plan::add_href(std::string_view href) {
  if (href.empty()) return none;
  std::string text;
  put_text(text, href);
  return texts_.add(text);
}

std::string_view Plan::href(const Link& link) const {
  return link.href == none ? std::string_view() : Reader(texts_.from(link.href)).view();
}

std::size_t Plan::find_or_add(const storage::LinkId& id, std::string_view href,
                              const std::optional<storage::Verdict>& verdict) {
  return find_or_add_link(id, href, verdict_number(verdict));
}

std::size_t Plan::find_or_add_link(const storage::LinkId& id, std::string_view href, std::uint32_t verdict) {
  const auto [number, is_new] = ids_.add(id);
  if (is_new) {
    add_link(href, verdict);
  } else if (is_left_out(links_[number].verdict) && !is_left_out(verdict)) {
    links_[number].verdict = verdict;
  }
  return number;
}

std::uint32_t Plan::verdict_number(const std::optional<storage::Verdict>& verdict) {
  if (!verdict) return none;
  const auto& [health, reason, rule, evidence, confidence] = *verdict;
  std::string text;
  put_number(text, static_cast<std::uint64_t>(health));
  put_text(text, reason);
  put_text(text, rule);
  put_number(text, std::bit_cast<std::uint64_t>(confidence));
  put_path(text, evidence);
  return verdicts_.intern(text);
}

std::optional<Verdict> Plan::verdict_of(std::uint32_t number) const {
  if (number == none) return std::nullopt;
  Reader reader(verdicts_.text(number));
  Verdict verdict;
  verdict.health = reader.number_as<storage::Health>();
  verdict.reason = reader.text();
  verdict.rule = reader.text();
  verdict.confidence = std::bit_cast<double>(reader.number());
  verdict.evidence = path_in(reader.rest());
  return verdict;
}

void Plan::put_path(std::string& out, std::string_view text) {
  const std::size_t rest = text.rfind('/') + 1;
  put_number(out, folders_.intern(text.substr(0, rest)));
  out += text.substr(rest);
}

std::string Plan::path_in(std::string_view packed) const {
  Reader reader(packed);
  std::string text(folders_.text(reader.number_as<std::uint32_t>()));
  return text.append(reader.rest());
}

std::uint32_t Plan::file_number(std::string_view file) {
  std::string text;
  put_path(text, file);
  return files_.intern(text);
}

std::vector<std::size_t> Plan::split(std::size_t link, const std::vector<NewLink>& into, const GoesTo& goes_to) {
  std::vector<std::vector<LinkOccurrence>> moved(into.size());
  std::vector<LinkOccurrence> left;
  visit_unpacked(links_[link], [&](LinkOccurrence& occurrence) {
    const std::optional<std::size_t> to = goes_to(occurrence);
    (to ? moved[*to] : left).push_back(std::move(occurrence));
    return true;
  });
  links_[link].last = none;
  links_[link].occurrences = 0;
  for (const LinkOccurrence& occurrence : left) add_occurrence(link, occurrence);
  bool takes_place = left.empty();
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto& [id, href, verdict] = into[i];
    std::size_t number = link;
    if (std::exchange(takes_place, false)) {
      ids_.replace(link, id);
      links_[link].href = add_href(href);
      set_verdict(link, verdict);
    } else {
      number = add(id, href, verdict);
    }
    for (const LinkOccurrence& occurrence : moved[i]) add_occurrence(number, occurrence);
    numbers.push_back(number);
  }
  return numbers;
}

void Plan::keep_only(const std::function<bool(std::size_t link)>& wanted) {
  Plan kept;
  kept.folders_ = std::move(folders_);
  kept.files_ = std::move(files_);
  kept.headings_ = std::move(headings_);
  kept.contents_ = std::move(contents_);
  kept.verdicts_ = std::move(verdicts_);
  for (std::size_t link = 0; link < size(); ++link) {
    if (!wanted(link)) continue;
    const std::size_t number = kept.ids_.add(id(link)).number;
    kept.add_link(href(link), links_[link].verdict);
    kept.add_packed_of(*this, link, number, [](Packed& /*packed*/) {});
  }
  *this = std::move(kept);
}

void Plan::sort_by(const std::vector<std::uint64_t>& keys) {
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

void Plan::drop_tables() {
  ids_.free_hash_table();
  folders_.free_hash_table();
  files_.free_hash_table();
  headings_.free_hash_table();
  contents_.free_hash_table();
  verdicts_.free_hash_table();
}

void Plan::add_occurrence(std::size_t number, const LinkOccurrence& occurrence) {
  content_of(number, occurrence, content_);
  add_occurrence(number, occurrence, file_number(occurrence.file), content_number(content_));
}

void Plan::content_of(std::size_t number, const LinkOccurrence& occurrence, std::string& content) const {
  // Names every member, so that a member added to the struct but forgotten here and in add_occurrence() does not
  // compile.
  const auto& [file, line, column, offset, length, url, href, element, text, description, headings, entry, role, rel,
               ignored_by, notes, tags, added] = occurrence;
  content.clear();
  const std::string_view link_href = this->href(number);
  const auto spelling = [&link_href](std::string_view written) {
    return !link_href.empty() && written == link_href ? Spelling::as_link : Spelling::own;
  };
  put_numbers(content, std::array{static_cast<std::uint64_t>(role), static_cast<std::uint64_t>(element)});
  put_spelling(content, spelling(url), url);
  put_spelling(content, href == url ? Spelling::as_url : spelling(href), href);
  put_text(content, text);
  put_text(content, rel);
  put_text(content, ignored_by);
  const bool has_more = !description.empty() || !tags.empty() || added;
  put_number(content, 2 * notes.size() + (has_more ? 1 : 0));
  for (const parser::LinkNote note : notes) put_number(content, static_cast<std::uint64_t>(note));
  if (has_more) {
    put_text(content, description);
    put_number(content, tags.size());
    for (const std::string& tag : tags) put_text(content, tag);
    put_number(content, added ? static_cast<std::uint64_t>(added->time_since_epoch().count()) + 1 : 0);
  }
}

void Plan::add_occurrence(std::size_t number, const LinkOccurrence& occurrence, std::uint32_t file,
                          std::uint32_t content) {
  Link& link = links_[number];
  if (std::exchange(link.last_file, file) != file) link.occurrences_of_last_file = 0;
  if (++link.occurrences_of_last_file > max_occurrences_in_file) return;
  std::array<char, 5 * max_number_bytes> position;
  std::size_t size = 0;
  const auto put = [&](std::uint64_t each) { size += write_number(position.data() + size, each); };
  const bool has_entry = occurrence.entry != 0;                        // pages of a site have no entries
  const bool has_length = occurrence.length != occurrence.url.size();  // most lengths equal that of the URL
  put(std::uint64_t{occurrence.line} << 2U | (has_length ? 2U : 0U) | (has_entry ? 1U : 0U));
  put(occurrence.column);
  put(occurrence.offset);
  if (has_length) put(occurrence.length);
  if (has_entry) put(occurrence.entry);
  begin_segment(link, 1);
  put_packed({.file = file,
              .headings = headings_.intern(occurrence.headings),
              .content = content,
              .position = {position.data(), size}});
  add_segment(link, 1);
}

void Plan::begin_segment(const Link& link, std::uint32_t count) {
  const bool has_other = link.last != none;
  segment_.clear();
  put_number(segment_, std::uint64_t{count} << 1U | (has_other ? 1U : 0U));
  if (has_other) put_number(segment_, link.last);
  last_packed_ = {};
}

// Differences are small because most occurrences of a link are in the same files and have the same content.
void Plan::put_packed(const Packed& packed) {
  put_numbers(segment_,
              std::array{difference(packed.file, last_packed_.file), difference(packed.headings, last_packed_.headings),
                         difference(packed.content, last_packed_.content)});
  segment_ += packed.position;
  last_packed_ = packed;
  last_packed_.position = {};  // the caller owns it
}

void Plan::add_segment(Link& link, std::uint32_t count) {
  link.last = texts_.add(segment_);
  link.occurrences += count;
  occurrences_ += count;
}

template <class Change>
void Plan::add_packed_of(const Plan& other, std::size_t from, std::size_t to, Change change) {
  constexpr std::uint32_t max_count = 4096;  // per segment
  std::uint32_t left = other.links_[from].occurrences;
  std::uint32_t left_here = 0;
  std::uint32_t count = 0;
  other.visit_packed(other.links_[from], [&](Packed packed) {
    if (left_here == 0) begin_segment(links_[to], count = left_here = std::min(left, max_count));
    change(packed);
    put_packed(packed);
    --left;
    if (--left_here == 0) add_segment(links_[to], count);
    return true;
  });
}

template <class Visit>
void Plan::visit_packed(const Link& link, Visit visit) const {
  if (link.last == none) return;
  std::vector<parser::TextArena::Offset> later;  // offsets of segments, the latest first
  Segment segment(texts_.from(link.last));
  for (parser::TextArena::Offset offset = link.last; segment.before; segment = Segment(texts_.from(offset))) {
    later.push_back(offset);
    offset = *segment.before;
  }
  while (true) {
    Packed packed;
    for (std::uint32_t left = segment.count; left > 0; --left) {
      packed.file = segment.rest.number_from(packed.file);
      packed.headings = segment.rest.number_from(packed.headings);
      packed.content = segment.rest.number_from(packed.content);
      packed.position = segment.rest.position();
      if (!visit(packed)) return;
    }
    if (later.empty()) return;
    segment = Segment(texts_.from(later.back()));
    later.pop_back();
  }
}

std::vector<std::uint32_t> Plan::append(Plan&& list) {
  if (!empty()) return append(std::as_const(list));
  *this = std::move(list);
  std::vector<std::uint32_t> numbers(size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

std::vector<std::uint32_t> Plan::append(const Plan& list) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(list.size());
  std::vector<std::uint32_t> files, verdicts;
  for (std::uint32_t file = 0; file < list.files_.size(); ++file)
    files.push_back(file_number(list.path_in(list.files_.text(file))));
  for (std::uint32_t verdict = 0; verdict < list.verdicts_.size(); ++verdict)
    verdicts.push_back(verdict_number(list.verdict_of(verdict)));
  const std::vector<std::uint32_t> contents = contents_.append(list.contents_);
  const std::uint32_t headings = headings_.append(list.headings_);
  constexpr std::size_t ahead = 8;
  for (std::size_t link = 0; link < list.size(); ++link) {
    if (link + 2 * ahead < list.size()) ids_.prefetch_slot(list.id(link + 2 * ahead));
    if (link + ahead < list.size()) ids_.prefetch_id(list.id(link + ahead));
    const std::uint32_t verdict = list.links_[link].verdict;
    const std::size_t number =
        find_or_add_link(list.id(link), list.href(link), verdict == none ? none : verdicts[verdict]);
    numbers.push_back(static_cast<std::uint32_t>(number));
    add_packed_of(list, link, number, [&](Packed& packed) {
      packed.file = files[packed.file];
      packed.content = contents[packed.content];
      if (packed.headings != 0) packed.headings += headings;
    });
  }
  return numbers;
}

LinkOccurrence Plan::unpack(const Packed& packed, std::string_view link_href) const {
  LinkOccurrence occurrence;
  occurrence.file = path_in(files_.text(packed.file));
  occurrence.headings = headings_.path(packed.headings);
  Reader reader(contents_.text(packed.content));
  const WrittenLink written(reader, link_href);
  Reader position(packed.position);
  const std::uint64_t line = position.number();
  occurrence.line = static_cast<std::uint32_t>(line >> 2U);
  occurrence.column = position.number_as<std::uint32_t>();
  occurrence.offset = position.number();
  occurrence.length = (line & 2U) != 0 ? position.number() : written.url.size();
  if ((line & 1U) != 0) occurrence.entry = position.number_as<std::uint32_t>();
  occurrence.role = written.role;
  occurrence.element = written.element;
  occurrence.url = written.url;
  occurrence.href = written.href;
  occurrence.text = written.text;
  occurrence.rel = written.rel;
  occurrence.ignored_by = written.ignored_by;
  const std::uint64_t notes = reader.number();
  occurrence.notes.resize(notes / 2);
  for (parser::LinkNote& note : occurrence.notes) note = reader.number_as<parser::LinkNote>();
  if (notes % 2 == 0) return occurrence;
  occurrence.description = reader.text();
  occurrence.tags.resize(reader.number());
  for (std::string& tag : occurrence.tags) tag = reader.text();
  if (const std::uint64_t added = reader.number(); added > 0)
    occurrence.added = Timestamp(Duration(static_cast<std::int64_t>(added - 1)));
  return occurrence;
}

template <class Visit>
void Plan::visit_unpacked(const Link& link, Visit visit) const {
  visit_packed(link, [&](const Packed& packed) {
    LinkOccurrence occurrence = unpack(packed, href(link));
    return visit(occurrence);
  });
}

void Plan::for_each_occurrence(std::size_t number, const std::function<bool(LinkOccurrence& occurrence)>& visit) const {
  std::vector<LinkOccurrence> ignored;
  bool goes_on = true;
  visit_unpacked(links_[number], [&](LinkOccurrence& occurrence) {
    if (occurrence.ignored_by.empty()) return goes_on = visit(occurrence);
    ignored.push_back(std::move(occurrence));
    return true;
  });
  if (!goes_on) return;
  for (LinkOccurrence& occurrence : ignored) {
    if (!visit(occurrence)) return;
  }
}

std::vector<LinkOccurrence> Plan::occurrences(std::size_t number, std::size_t max_count) const {
  std::vector<LinkOccurrence> some;
  some.reserve(std::min<std::size_t>(max_count, links_[number].occurrences));
  for_each_occurrence(number, [&](LinkOccurrence& occurrence) {
    some.push_back(std::move(occurrence));
    return some.size() < max_count;
  });
  return some;
}

LinkOccurrence Plan::first_occurrence(std::size_t number) const {
  const Link& link = links_[number];
  LinkOccurrence first;
  bool is_found = false;
  visit_packed(link, [&](const Packed& packed) {
    Reader reader(contents_.text(packed.content));
    const WrittenLink written(reader, href(link));
    const bool is_ignored = !written.ignored_by.empty();
    // ignored occurrences count only if all are ignored; the first of them is returned then
    if (is_ignored && is_found) return true;
    is_found = true;
    first.file = path_in(files_.text(packed.file));
    first.role = written.role;
    first.element = written.element;
    first.url = written.url;
    first.href = written.href;
    return is_ignored;
  });
  return first;
}

std::optional<Plan::KnownHealth> Plan::health(std::size_t link) const {
  if (!has_verdict(link)) return std::nullopt;
  return health_in(verdicts_.text(links_[link].verdict));
}

bool Plan::is_left_out(std::uint32_t verdict) const {
  if (verdict == none) return false;
  const std::string_view why = health_in(verdicts_.text(verdict)).reason;
  return why == reason::ignored || why == reason::excluded;
}

std::uint32_t part_of_domain(const parser::Url& url, std::uint32_t count) {
  std::uint64_t hash = 0;
  for (const std::uint8_t byte : storage::LinkId::of_text(parser::registrable_domain(url)).bytes)
    hash = (hash << 8U | byte) % count;
  return static_cast<std::uint32_t>(hash);
}

void keep_shard(Plan& plan, std::uint32_t number, std::uint32_t count) {
  plan.keep_only([&](std::size_t link) {
    const Result<parser::Url> url = parser::Url::parse(plan.href(link));
    if (url.has_error() || !url->is_http()) return number == 1;
    return part_of_domain(*url, count) + 1 == number;
  });
}

}  // namespace linkherd::crawler
