#include "crawler/run/packed_links.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace linkherd::crawler {
namespace {

using parser::LinkOccurrence;

// Whether a text is written out, or equal to another that is known.
enum class Spelling : std::uint8_t { own, as_link, as_url };

// --- numbers of 7 bits a byte, and texts behind their length

void put_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>(0x80U | (number & 0x7FU));
  out += static_cast<char>(number);
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
  std::string text() {
    const std::size_t length = number();
    std::string text(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
    return text;
  }
  std::string spelled(std::string_view link_url, std::string_view url) {
    switch (number_as<Spelling>()) {
      case Spelling::as_link: return std::string(link_url);
      case Spelling::as_url: return std::string(url);
      case Spelling::own: break;
    }
    return text();
  }

 private:
  std::string_view bytes_;
};

}  // namespace

TextArena::Place TextArena::add(std::string_view text) {
  constexpr std::size_t usual = std::size_t{1} << 20;
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < text.size()) {
    const std::size_t size = std::max(usual, text.size());
    if (size > UINT32_MAX) throw std::length_error("a text above 4 GiB");
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): left uninitialised on purpose
    chunks_.push_back({std::unique_ptr<char[]>(new char[size]), 0, static_cast<std::uint32_t>(size)});
  }
  Chunk& chunk = chunks_.back();
  const Place place = (static_cast<Place>(chunks_.size() - 1) << 32U) | chunk.used;
  if (!text.empty()) std::memcpy(chunk.bytes.get() + chunk.used, text.data(), text.size());
  chunk.used += static_cast<std::uint32_t>(text.size());
  return place;
}

std::string_view TextArena::from(Place place) const {
  const Chunk& chunk = chunks_[place >> 32U];
  const auto at = static_cast<std::uint32_t>(place);
  return {chunk.bytes.get() + at, chunk.used - at};
}

std::uint32_t NameTable::number_of(std::string_view name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  const std::string& kept = names_.emplace_back(name);
  const auto number = static_cast<std::uint32_t>(names_.size() - 1);
  numbers_.emplace(kept, number);
  return number;
}

std::size_t PackedLinks::push_back(const PlannedLink& link) {
  const std::size_t number = ids_.add(link.id).number;
  links_.emplace_back();
  set(number, link.url, link.verdict);
  for (const LinkOccurrence& occurrence : link.occurrences) add_occurrence(number, occurrence);
  return number;
}

void PackedLinks::set(std::size_t number, const std::optional<parser::Url>& url,
                      const std::optional<storage::Verdict>& verdict) {
  Link& link = links_[number];
  link.url_length = none;
  if (url) {
    link.url = texts_.add(url->href());
    link.url_length = static_cast<std::uint32_t>(url->href().size());
  }
  verdicts_.erase(static_cast<std::uint32_t>(number));
  if (verdict) verdicts_.emplace(static_cast<std::uint32_t>(number), *verdict);
}

// Occurrences may be spelled as the link's URL was: they are packed again.
void PackedLinks::replace(std::size_t number, const std::optional<parser::Url>& url,
                          const std::optional<storage::Verdict>& verdict) {
  const std::vector<LinkOccurrence> known = unpacked(links_[number]);
  set(number, url, verdict);
  links_[number].first = links_[number].last = none;
  for (const LinkOccurrence& occurrence : known) add_occurrence(number, occurrence);
}

void PackedLinks::add_occurrence(std::size_t number, const LinkOccurrence& occurrence) {
  Link& link = links_[number];
  // Every member by name: one that is added to the struct and forgotten here does not compile.
  const auto& [file, line, column, offset, length, url, href, element, text, heading, rel, ignored_by, notes] =
      occurrence;
  std::string packed;
  put_number(packed, files_.number_of(file));
  put_number(packed, headings_.number_of(heading));
  put_number(packed, line);
  put_number(packed, column);
  put_number(packed, offset);
  put_number(packed, length);
  put_number(packed, static_cast<std::uint64_t>(element));
  const std::string_view link_url = this->url(link);
  const auto spelling = [&link_url](std::string_view written) {
    return !link_url.empty() && written == link_url ? Spelling::as_link : Spelling::own;
  };
  put_spelling(packed, spelling(url), url);
  put_spelling(packed, href == url ? Spelling::as_url : spelling(href), href);
  put_text(packed, text);
  put_text(packed, rel);
  put_text(packed, ignored_by);
  put_number(packed, notes.size());
  for (const parser::LinkNote note : notes) put_number(packed, static_cast<std::uint64_t>(note));

  const TextArena::Place place = texts_.add(packed);
  const auto added = static_cast<std::uint32_t>(occurrences_.size());
  occurrences_.push_back({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32U), none});
  if (link.last == none) {
    link.first = added;
  } else {
    occurrences_[link.last].next = added;
  }
  link.last = added;
}

LinkOccurrence PackedLinks::unpack(TextArena::Place place, std::string_view link_url) const {
  Reader reader(texts_.from(place));
  LinkOccurrence occurrence;
  occurrence.file = files_.name(reader.number_as<std::uint32_t>());
  occurrence.heading = headings_.name(reader.number_as<std::uint32_t>());
  occurrence.line = reader.number_as<std::uint32_t>();
  occurrence.column = reader.number_as<std::uint32_t>();
  occurrence.offset = reader.number();
  occurrence.length = reader.number();
  occurrence.element = reader.number_as<parser::LinkElement>();
  occurrence.url = reader.spelled(link_url, {});
  occurrence.href = reader.spelled(link_url, occurrence.url);
  occurrence.text = reader.text();
  occurrence.rel = reader.text();
  occurrence.ignored_by = reader.text();
  occurrence.notes.resize(reader.number());
  for (parser::LinkNote& note : occurrence.notes) note = reader.number_as<parser::LinkNote>();
  return occurrence;
}

std::string_view PackedLinks::url(const Link& link) const {
  return link.url_length == none ? std::string_view() : texts_.from(link.url).substr(0, link.url_length);
}

std::vector<LinkOccurrence> PackedLinks::occurrences(std::size_t number) const {
  std::vector<LinkOccurrence> all = unpacked(links_[number]);
  const auto is_wanted = [](const LinkOccurrence& occurrence) { return occurrence.ignored_by.empty(); };
  std::stable_partition(all.begin(), all.end(), is_wanted);
  return all;
}

std::vector<LinkOccurrence> PackedLinks::unpacked(const Link& link) const {
  std::vector<LinkOccurrence> unpacked;
  for (std::uint32_t at = link.first; at != none; at = occurrences_[at].next) {
    const Occurrence& occurrence = occurrences_[at];
    unpacked.push_back(
        unpack((static_cast<TextArena::Place>(occurrence.place_high) << 32U) | occurrence.place_low, url(link)));
  }
  return unpacked;
}

const storage::Verdict* PackedLinks::verdict(std::size_t number) const {
  const auto found = verdicts_.find(static_cast<std::uint32_t>(number));
  return found == verdicts_.end() ? nullptr : &found->second;
}

PlannedLink PackedLinks::operator[](std::size_t number) const {
  PlannedLink link;
  link.id = ids_.id(number);
  if (links_[number].url_length != none) link.url = parser::Url::parse(url(links_[number])).value();
  if (const storage::Verdict* known = verdict(number)) link.verdict = *known;
  link.occurrences = occurrences(number);
  return link;
}

}  // namespace linkherd::crawler
