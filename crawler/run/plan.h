// What a run has to do: every unique link of the lists, once, with all places where it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Texts that are only ever added; a text stays where it is.
class TextArena {
 public:
  using Place = std::uint64_t;

  Place add(std::initializer_list<std::string_view> pieces);
  Place add(std::string_view text) { return add({text}); }
  std::string_view from(Place place) const;  // to the end of its chunk: what is there knows its own length

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;  // NOLINT(modernize-avoid-c-arrays): raw room, filled once
    std::uint32_t used = 0;
    std::uint32_t size = 0;
  };
  std::vector<Chunk> chunks_;
};

// Names that come again and again (files, headings), each kept once.
class NameTable {
 public:
  std::uint32_t number_of(std::string_view name);
  std::size_t size() const { return names_.size(); }
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;  // that was asked for
};

// Paths of names (a heading below a heading). A path shares its beginning with the one that was added before it.
class PathTable {
 public:
  std::uint32_t number_of(const std::vector<std::string>& path);
  std::vector<std::string> path(std::uint32_t number) const;
  // Adds the paths of another table: their numbers here are higher by what this returns, except that of the empty path.
  std::uint32_t append(const PathTable& other);

 private:
  struct Step {
    TextArena::Place name = 0;
    std::uint32_t length = 0;
    std::uint32_t above = 0;  // number of the path above it
  };
  TextArena names_;
  std::deque<Step> steps_;         // the last one of each path, which has this number, from 1 on
  std::vector<std::string> last_;  // most links have the headings of the one before
  std::vector<std::uint32_t> last_numbers_;
};

// The links of a run, in the order of their first occurrence, in little memory. What is equal is kept once, numbers
// take the bytes that they need, and an occurrence is unpacked when it is asked for.
class Plan {
 public:
  std::size_t size() const { return links_.size(); }
  bool empty() const { return links_.empty(); }
  std::size_t occurrence_count() const { return occurrences_.size(); }

  // A link that is not there yet. `href`: what to fetch, the L1 href; empty where there is nothing to fetch, and
  // `verdict` says why. Returns its number; the first is 0.
  std::size_t add(const storage::LinkId& id, std::string_view href, const std::optional<storage::Verdict>& verdict);
  // The same for one that may be there: left out where nobody wants it, but one place that wants it is enough.
  std::size_t find_or_add(const storage::LinkId& id, std::string_view href,
                          const std::optional<storage::Verdict>& verdict);
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence);
  // The same where the occurrence is written like one that was added before: `content` is what content_of() gave for
  // that.
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence, std::string_view content);
  // What is written at an occurrence: all but the place where it stands. `into`: is replaced.
  void content_of(std::size_t link, const parser::LinkOccurrence& occurrence, std::string& into) const;
  // Adds the links and occurrences of a list behind those that are there. Returns the numbers of its links here, by
  // their numbers there.
  std::vector<std::uint32_t> append(const Plan& list);
  // Another verdict for a link.
  void set_verdict(std::size_t link, const std::optional<storage::Verdict>& verdict);
  // Moves occurrences to links that are not there yet and that get some: `goes_to` says to which, or nothing for one
  // that stays. They come behind the others; where nothing stays, the first takes the place of the old one. Returns
  // their numbers.
  struct NewLink {
    storage::LinkId id;
    std::string href;
    storage::Verdict verdict;
  };
  using GoesTo = std::function<std::optional<std::size_t>(const parser::LinkOccurrence& occurrence)>;
  std::vector<std::size_t> split(std::size_t link, const std::vector<NewLink>& into, const GoesTo& goes_to);
  // Leaves out the links, by number, that are not `wanted`; the others have new numbers afterwards.
  void keep_only(const std::function<bool(std::size_t link)>& wanted);
  // Numbers the links anew, by a key for each.
  void sort_by(const std::vector<std::uint64_t>& keys);

  std::optional<std::size_t> find(const storage::LinkId& id) const { return ids_.find(id); }
  const storage::LinkId& id(std::size_t link) const { return ids_.id(link); }
  std::string_view href(std::size_t link) const { return href(links_[link]); }  // empty where there is nothing to fetch
  const storage::Verdict* verdict(std::size_t link) const;                      // null where it is to be fetched
  std::size_t occurrence_count(std::size_t link) const { return links_[link].occurrences; }
  // Those to be ignored last, until `visit` returns false.
  void for_each_occurrence(std::size_t link,
                           const std::function<bool(parser::LinkOccurrence& occurrence)>& visit) const;
  // The first `most` of these.
  std::vector<parser::LinkOccurrence> occurrences(std::size_t link, std::size_t most = SIZE_MAX) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Link {
    TextArena::Place href = 0;
    std::uint32_t href_length = 0;
    std::uint32_t first = none;  // occurrence
    std::uint32_t last = none;
    std::uint32_t verdict = none;
    std::uint32_t occurrences = 0;
    std::uint32_t content = none;  // the last occurrence that has a content of its own
  };
  struct Occurrence {
    std::uint32_t place_low = 0;
    std::uint32_t place_high = 0;
    std::uint32_t next = none;
  };

  std::string_view href(const Link& link) const { return texts_.from(link.href).substr(0, link.href_length); }
  static TextArena::Place place_of(const Occurrence& occurrence) {
    return (static_cast<TextArena::Place>(occurrence.place_high) << 32U) | occurrence.place_low;
  }
  void add_link(std::size_t number, std::string_view href, const std::optional<storage::Verdict>& verdict);
  // `content`: what is written there; `position`: where in the file.
  void add_packed(Link& link, std::uint32_t file, std::uint32_t headings, std::string_view content,
                  std::string_view position);
  // An occurrence whose content is that of the one before it on the link's chain has none of its own.
  struct Packed {
    std::uint32_t file = 0;
    std::uint32_t headings = 0;
    std::string_view content;  // empty: none of its own
    std::string_view position;
  };
  Packed packed(std::uint32_t occurrence) const;
  parser::LinkOccurrence unpack(const Packed& packed, std::string_view content, std::string_view link_href) const;
  // Visits the occurrences of a chain, until `visit` returns false.
  template <class Visit>
  void unpack_chain(const Link& link, Visit visit) const;

  TextArena texts_;
  NameTable files_;
  PathTable headings_;
  storage::LinkIdTable ids_;
  std::deque<Link> links_;
  std::deque<Occurrence> occurrences_;
  std::vector<storage::Verdict> verdicts_;  // each once: thousands of links have the same
  std::unordered_map<std::string, std::uint32_t> verdict_numbers_;
  std::string content_;  // of the occurrence that is being added
};

// Which of `count` parts the registrable domain of the URL is in, from 0 on: by its hash, which is the same everywhere.
std::uint32_t part_of_domain(const parser::Url& url, std::uint32_t count);

// Leaves the links of one part of `count` parts, the first of which has number 1. The links of a registrable domain are
// in one part; those without a host, such as files, are in the first.
void keep_shard(Plan& plan, std::uint32_t number, std::uint32_t count);

}  // namespace linkherd::crawler
