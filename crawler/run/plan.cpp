#include "crawler/run/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkOccurrence;
using storage::Verdict;

bool is_left_out(const Verdict* verdict) {
  return verdict != nullptr && (verdict->reason == reason::ignored || verdict->reason == reason::excluded);
}

// Whether a text is written out, or equal to another that is known.
enum class Spelling : std::uint8_t { own, as_link, as_url };

// --- numbers of 7 bits a byte, and texts behind their length

constexpr std::size_t longest_number = 10;

// Returns how many bytes it has.
std::size_t write_number(char* out, std::uint64_t number) {
  std::size_t size = 0;
  for (; number >= 0x80; number >>= 7U) out[size++] = static_cast<char>(0x80U | (number & 0x7FU));
  out[size++] = static_cast<char>(number);
  return size;
}

// Some at once, because to append to a string takes longer than to write a number.
template <std::size_t N>
void put_numbers(std::string& out, const std::array<std::uint64_t, N>& numbers) {
  std::array<char, N * longest_number> bytes;
  std::size_t size = 0;
  for (const std::uint64_t number : numbers) size += write_number(bytes.data() + size, number);
  out.append(bytes.data(), size);
}

void put_number(std::string& out, std::uint64_t number) { put_numbers(out, std::array{number}); }

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
  std::string_view bytes(std::size_t count) {
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  // The bytes of so many numbers.
  std::string_view numbers(std::size_t count) {
    std::size_t size = 0;
    for (; count > 0; ++size) count -= static_cast<unsigned char>(bytes_[size]) < 0x80 ? 1U : 0U;
    return bytes(size);
  }
  std::string text() { return std::string(bytes(number())); }
  std::string spelled(std::string_view link_href, std::string_view url) {
    switch (number_as<Spelling>()) {
      case Spelling::as_link: return std::string(link_href);
      case Spelling::as_url: return std::string(url);
      case Spelling::own: break;
    }
    return text();
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::size_t Plan::add(const storage::LinkId& id, std::string_view href,
                      const std::optional<storage::Verdict>& verdict) {
  const std::size_t number = ids_.add(id).number;
  add_link(number, href, verdict);
  return number;
}

void Plan::add_link(std::size_t number, std::string_view href, const std::optional<Verdict>& verdict) {
  Link& link = links_.emplace_back();
  link.href = texts_.add(href);
  link.href_length = static_cast<std::uint32_t>(href.size());
  set_verdict(number, verdict);
}

std::size_t Plan::find_or_add(const storage::LinkId& id, std::string_view href,
                              const std::optional<storage::Verdict>& verdict) {
  const auto [number, is_new] = ids_.add(id);
  if (is_new) {
    add_link(number, href, verdict);
  } else if (is_left_out(this->verdict(number)) && !is_left_out(verdict ? &*verdict : nullptr)) {
    set_verdict(number, verdict);
  }
  return number;
}

void Plan::set_verdict(std::size_t number, const std::optional<storage::Verdict>& verdict) {
  std::uint32_t& known_number = links_[number].verdict;
  known_number = none;
  if (!verdict) return;
  if (last_verdict_ < verdicts_.size() && verdicts_[last_verdict_] == *verdict) {
    known_number = last_verdict_;
    return;
  }
  std::string key;
  put_number(key, static_cast<std::uint64_t>(verdict->health));
  put_number(key, std::bit_cast<std::uint64_t>(verdict->confidence));
  put_text(key, verdict->reason);
  put_text(key, verdict->rule);
  put_text(key, verdict->evidence);
  const auto [known, is_new] = verdict_numbers_.try_emplace(std::move(key), verdicts_.size());
  if (is_new) verdicts_.push_back(*verdict);
  known_number = last_verdict_ = known->second;
}

std::vector<std::size_t> Plan::split(std::size_t link, const std::vector<NewLink>& into, const GoesTo& goes_to) {
  std::vector<std::vector<LinkOccurrence>> moved(into.size());
  std::vector<LinkOccurrence> left;
  visit_unpacked(links_[link], [&](LinkOccurrence& occurrence) {
    const std::optional<std::size_t> to = goes_to(occurrence);
    (to ? moved[*to] : left).push_back(std::move(occurrence));
    return true;
  });
  links_[link].first = links_[link].last = none;
  links_[link].occurrences = 0;
  for (const LinkOccurrence& occurrence : left) add_occurrence(link, occurrence);
  bool takes_place = left.empty();
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto& [id, href, verdict] = into[i];
    std::size_t number = link;
    if (std::exchange(takes_place, false)) {
      ids_.replace(link, id);
      links_[link].href = texts_.add(href);
      links_[link].href_length = static_cast<std::uint32_t>(href.size());
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
  kept.files_ = std::move(files_);
  kept.headings_ = std::move(headings_);
  kept.contents_ = std::move(contents_);
  for (std::size_t link = 0; link < size(); ++link) {
    if (!wanted(link)) continue;
    const storage::Verdict* const known = verdict(link);
    const std::size_t number = kept.add(id(link), href(link), known != nullptr ? std::optional(*known) : std::nullopt);
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

void Plan::add_occurrence(std::size_t number, const LinkOccurrence& occurrence) {
  content_of(number, occurrence, content_);
  add_occurrence(number, occurrence, file_number(occurrence.file), content_number(content_));
}

void Plan::content_of(std::size_t number, const LinkOccurrence& occurrence, std::string& content) const {
  // Every member by name: one that is added to the struct and forgotten here and in add_occurrence() does not compile.
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
  std::array<char, numbers_of_position * longest_number> position;
  std::size_t size = 0;
  for (const std::uint64_t each : std::array<std::uint64_t, numbers_of_position>{
           occurrence.entry, occurrence.line, occurrence.column, occurrence.offset, occurrence.length})
    size += write_number(position.data() + size, each);
  begin_segment(1);
  put_packed({.file = file,
              .headings = headings_.number_of(occurrence.headings),
              .content = content,
              .position = {position.data(), size}});
  add_segment(links_[number], 1);
}

void Plan::begin_segment(std::uint32_t count) {
  segment_.assign(sizeof none, '\xFF');
  put_number(segment_, count);
}

void Plan::put_packed(const Packed& packed) {
  put_numbers(segment_, std::array<std::uint64_t, 3>{packed.file, packed.headings, packed.content});
  segment_ += packed.position;
}

void Plan::add_segment(Link& link, std::uint32_t count) {
  const parser::TextArena::Place place = texts_.add(segment_);
  if (link.last == none) {
    link.first = place;
  } else {
    std::array<char, sizeof place> bytes;
    std::memcpy(bytes.data(), &place, sizeof place);
    texts_.overwrite(link.last, {bytes.data(), bytes.size()});
  }
  link.last = place;
  link.occurrences += count;
  occurrences_ += count;
}

template <class Change>
void Plan::add_packed_of(const Plan& other, std::size_t from, std::size_t to, Change change) {
  constexpr std::uint32_t most = 4096;  // in a segment
  std::uint32_t left = other.links_[from].occurrences;
  std::uint32_t left_here = 0;
  std::uint32_t count = 0;
  other.visit_packed(other.links_[from], [&](Packed packed) {
    if (left_here == 0) begin_segment(count = left_here = std::min(left, most));
    change(packed);
    put_packed(packed);
    --left;
    if (--left_here == 0) add_segment(links_[to], count);
    return true;
  });
}

template <class Visit>
void Plan::visit_packed(const Link& link, Visit visit) const {
  parser::TextArena::Place next = none;
  for (parser::TextArena::Place at = link.first; at != none; at = next) {
    Reader reader(texts_.from(at));
    std::memcpy(&next, reader.bytes(sizeof next).data(), sizeof next);
    for (auto count = reader.number_as<std::uint32_t>(); count > 0; --count) {
      Packed packed;
      packed.file = reader.number_as<std::uint32_t>();
      packed.headings = reader.number_as<std::uint32_t>();
      packed.content = reader.number_as<std::uint32_t>();
      packed.position = reader.numbers(numbers_of_position);
      if (!visit(packed)) return;
    }
  }
}

std::vector<std::uint32_t> Plan::append(const Plan& list) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(list.size());
  const std::vector<std::uint32_t> files = files_.append(list.files_);
  const std::vector<std::uint32_t> contents = contents_.append(list.contents_);
  const std::uint32_t headings = headings_.append(list.headings_);
  for (std::size_t link = 0; link < list.size(); ++link) {
    const Verdict* const verdict = list.verdict(link);
    const auto given = verdict != nullptr ? std::optional(*verdict) : std::nullopt;
    const std::size_t number = find_or_add(list.id(link), list.href(link), given);
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
  occurrence.file = files_.text(packed.file);
  occurrence.headings = headings_.path(packed.headings);
  Reader position(packed.position);
  occurrence.entry = position.number_as<std::uint32_t>();
  occurrence.line = position.number_as<std::uint32_t>();
  occurrence.column = position.number_as<std::uint32_t>();
  occurrence.offset = position.number();
  occurrence.length = position.number();
  Reader reader(contents_.text(packed.content));
  occurrence.role = reader.number_as<parser::LinkRole>();
  occurrence.element = reader.number_as<parser::LinkElement>();
  occurrence.url = reader.spelled(link_href, {});
  occurrence.href = reader.spelled(link_href, occurrence.url);
  occurrence.text = reader.text();
  occurrence.rel = reader.text();
  occurrence.ignored_by = reader.text();
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

std::vector<LinkOccurrence> Plan::occurrences(std::size_t number, std::size_t most) const {
  std::vector<LinkOccurrence> some;
  for_each_occurrence(number, [&](LinkOccurrence& occurrence) {
    some.push_back(std::move(occurrence));
    return some.size() < most;
  });
  return some;
}

const storage::Verdict* Plan::verdict(std::size_t number) const {
  const std::uint32_t verdict = links_[number].verdict;
  return verdict == none ? nullptr : &verdicts_[verdict];
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
