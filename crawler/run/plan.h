// Stores what a run has to check: every unique link of the input documents once, with all its occurrences (the link
// table).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/text_table.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// The unique links of a run, in the order of their first occurrence. A link is identified by its index, from 0.
//
// A run may have millions of occurrences, so they are packed; for_each_occurrence() unpacks one at a time. Equal texts
// are stored once, in tables, and are referred to by their index there. An occurrence has two parts:
// - Its content: URL as written, link text, role and so on. Most occurrences of a link have the same content.
// - Its position: line, column, offset, and if needed length and entry.
//
// Numbers have 7 bits per byte, the lowest first; the high bit means that more bytes follow. The number 300 is AC 02. A
// position begins with 4 * line + 2 * has_length + has_entry. The length is omitted if it is that of the URL, and the
// entry if it is 0. Line 12, column 3, offset 300, entry 5 is 31 03 AC 02 05.
//
// The indices of file, headings and content are stored as differences from the previous occurrence. A difference d is
// stored as 2 * d if d >= 0, and as -2 * d - 1 otherwise. Indices 7, 9, 8 become +7, +2, -1, stored as 14, 4, 1. Equal
// neighbors take one zero byte each.
class Plan {
 public:
  std::size_t size() const { return links_.size(); }
  bool empty() const { return links_.empty(); }
  std::size_t occurrence_count() const { return occurrences_; }
  // Further occurrences of a link in the same file are omitted, because a hostile file may repeat a link a million
  // times.
  static constexpr std::uint32_t max_occurrences_in_file = 10'000;

  // Adds a link that the table does not have yet. `href`: the URL to fetch (the L1 href). If it is empty, nothing is
  // fetched and `verdict` says why. Returns the index of the link.
  std::size_t add(const storage::LinkId& id, std::string_view href, const std::optional<storage::Verdict>& verdict);
  // Does the same for a link that may already exist. A link is left out only if every occurrence is ignored or
  // excluded: one wanted occurrence is enough to check it.
  std::size_t find_or_add(const storage::LinkId& id, std::string_view href,
                          const std::optional<storage::Verdict>& verdict);
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence);
  // Does the same if the index of the file and that of the content are known.
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence, std::uint32_t file,
                      std::uint32_t content);
  std::uint32_t file_number(std::string_view file);
  // Writes the content of an occurrence (everything except its position and file) to `into`, which is overwritten.
  void content_of(std::size_t link, const parser::LinkOccurrence& occurrence, std::string& into) const;
  std::uint32_t content_number(std::string_view content) { return contents_.intern(content); }
  // Appends the links and occurrences of another table. Returns their indices here, by their indices in `list`.
  std::vector<std::uint32_t> append(const Plan& list);
  std::vector<std::uint32_t> append(Plan&& list);  // takes over the memory of `list` if this table is empty
  // Replaces the verdict of a link.
  void set_verdict(std::size_t link, const std::optional<storage::Verdict>& verdict) {
    links_[link].verdict = verdict_number(verdict);
  }
  void set_verdict_of(std::size_t link, std::size_t other) { links_[link].verdict = links_[other].verdict; }
  // Moves occurrences of a link to new links. `goes_to` returns the index in `into` of the new link, or nullopt for an
  // occurrence that stays. Each new link must be absent from the table and get at least one occurrence. The new links
  // are appended. If no occurrence stays, the first new link replaces the old one and takes its index. Returns the
  // indices of the new links.
  struct NewLink {
    storage::LinkId id;
    std::string href;
    storage::Verdict verdict;
  };
  using GoesTo = std::function<std::optional<std::size_t>(const parser::LinkOccurrence& occurrence)>;
  std::vector<std::size_t> split(std::size_t link, const std::vector<NewLink>& into, const GoesTo& goes_to);
  // Removes the links for which `wanted` returns false. The indices of the others change.
  void keep_only(const std::function<bool(std::size_t link)>& wanted);
  // Reorders the links by `keys`, which has one key per link. Links with equal keys keep their order.
  void sort_by(const std::vector<std::uint64_t>& keys);

  // Frees the hash tables. Afterwards nothing may be added, changed or found by ID.
  void drop_tables();

  std::optional<std::size_t> find(const storage::LinkId& id) const { return ids_.find(id); }
  const storage::LinkId& id(std::size_t link) const { return ids_.id(link); }
  std::string_view href(std::size_t link) const { return href(links_[link]); }  // empty if there is nothing to fetch
  // Returns false if the link must be fetched.
  bool has_verdict(std::size_t link) const { return links_[link].verdict != none; }
  std::optional<storage::Verdict> verdict(std::size_t link) const { return verdict_of(links_[link].verdict); }
  // Health and reason of a verdict, without copies. Valid while the plan is neither changed nor destroyed.
  struct KnownHealth {
    storage::Health health;
    std::string_view reason;
  };
  std::optional<KnownHealth> health(std::size_t link) const;
  std::size_t occurrence_count(std::size_t link) const { return links_[link].occurrences; }
  // Visits ignored occurrences last. Stops if `visit` returns false.
  void for_each_occurrence(std::size_t link,
                           const std::function<bool(parser::LinkOccurrence& occurrence)>& visit) const;
  // Returns the first `max_count` occurrences, in the same order.
  std::vector<parser::LinkOccurrence> occurrences(std::size_t link, std::size_t max_count = SIZE_MAX) const;
  // Returns the first occurrence with only its file, role, element, URL and href set. Empty if the link has no
  // occurrence.
  parser::LinkOccurrence first_occurrence(std::size_t link) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Link {
    parser::TextArena::Offset href = none;  // offset of its size and text
    parser::TextArena::Offset last = none;  // offset of its latest segment: see begin_segment()
    std::uint32_t verdict = none;
    std::uint32_t occurrences = 0;
    std::uint32_t last_file = none;              // index of the file of the latest occurrence
    std::uint32_t occurrences_of_last_file = 0;  // how many occurrences that file has so far
  };
  // A packed occurrence: three indices into tables, and the encoded position.
  struct Packed {
    std::uint32_t file = 0;
    std::uint32_t headings = 0;
    std::uint32_t content = 0;
    std::string_view position;  // line, column, offset, and if needed length and entry
  };
  std::string_view href(const Link& link) const;
  parser::TextArena::Offset add_href(std::string_view href);
  // Appends a text that contains a file path, in two parts: the index of everything up to the last slash, then the
  // rest. Thousands of paths share the first part. For example, "docs/guide/setup.md" is the index of "docs/guide/" in
  // `folders_`, followed by "setup.md".
  void put_path(std::string& out, std::string_view text);
  std::string path_in(std::string_view packed) const;
  std::uint32_t verdict_number(const std::optional<storage::Verdict>& verdict);
  std::optional<storage::Verdict> verdict_of(std::uint32_t number) const;
  bool is_left_out(std::uint32_t verdict) const;
  void add_link(std::string_view href, std::uint32_t verdict);
  std::size_t find_or_add_link(const storage::LinkId& id, std::string_view href, std::uint32_t verdict);
  // Starts a segment in `segment_`. A segment holds consecutive occurrences of one link and is written to `texts_` at
  // once. It begins with 2 * count + has_previous and, if it has one, the offset of the previous segment of the same
  // link. Most links have only one segment.
  //
  // For example, a link gets 1 occurrence from a first input document and 3 from a second table that is appended. Its
  // first segment begins with 2 (one occurrence, no previous segment). Its second one begins with 7 (three occurrences,
  // one previous segment), then the offset of the first. Link::last is the offset of the second. Appending does not
  // touch the memory of earlier occurrences, and those of one appended table are contiguous.
  void begin_segment(const Link& link, std::uint32_t count);
  void put_packed(const Packed& packed);
  void add_segment(Link& link, std::uint32_t count);
  // Adds the occurrences of link `from` of another table to link `to`. `change` adapts the table indices of each.
  template <class Change>
  void add_packed_of(const Plan& other, std::size_t from, std::size_t to, Change change);
  parser::LinkOccurrence unpack(const Packed& packed, std::string_view link_href) const;
  // Visits the occurrences of a link in order. Stops if `visit` returns false.
  template <class Visit>
  void visit_packed(const Link& link, Visit visit) const;
  template <class Visit>
  void visit_unpacked(const Link& link, Visit visit) const;

  parser::TextArena texts_;    // hrefs of the links, and segments of occurrences
  parser::TextTable folders_;  // first parts of paths: see put_path()
  parser::TextTable files_;
  parser::PathTable headings_;
  parser::TextTable contents_;
  storage::LinkIdTable ids_;
  std::deque<Link> links_;
  std::size_t occurrences_ = 0;
  parser::TextTable verdicts_;  // each stored once: thousands of links share a verdict
  std::string content_;         // content of the occurrence that is being added
  std::string segment_;
  Packed last_packed_;  // the previous one in the segment, from which the differences of the next are computed
};

// Returns the part, from 0 to `count` - 1, that the registrable domain of the URL belongs to. The part depends on a
// hash of the domain only, which is the same on every machine.
std::uint32_t part_of_domain(const parser::Url& url, std::uint32_t count);

// Keeps only the links of part `number` out of `count` parts, which are numbered from 1. All links of a registrable
// domain are in the same part. Links without a host, such as files, are in the first part.
void keep_shard(Plan& plan, std::uint32_t number, std::uint32_t count);

}  // namespace linkherd::crawler
