// The link table of a run: every unique link of the input documents once, with all its occurrences.
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
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// The unique links of a run, in the order of their first occurrence. A link is identified by its index, from 0.
//
// Occurrences repeat most of their data: the links of a navigation say the same on each page. Equal texts, verdicts and
// contents are therefore stored once and referred to by their index.
class LinkTable {
 public:
  LinkTable() = default;
  LinkTable(LinkTable&&) = default;  // a million links are moved, never copied
  LinkTable& operator=(LinkTable&&) = default;

  std::size_t size() const { return links_.size(); }
  bool empty() const { return links_.empty(); }
  std::size_t occurrence_count() const { return occurrences_.size(); }
  // Further occurrences of a link in the same file are omitted, because a hostile file may repeat a link a million
  // times.
  static constexpr std::uint32_t max_occurrences_in_file = 10'000;

  // Adds a link unless it exists. `href`: the URL to fetch (the L1 href). If it is empty, nothing is fetched and
  // `verdict` says why. A link is left out only if every occurrence is ignored or excluded: one wanted occurrence is
  // enough to check it. Returns the index of the link.
  std::size_t find_or_add(const storage::LinkId& id, std::string_view href,
                          const std::optional<storage::Verdict>& verdict);
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence);
  // Does the same if the index of the file and that of the content are known.
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence, std::uint32_t file,
                      std::uint32_t content);
  std::uint32_t file_index(std::string_view file) { return files_.intern(file); }
  // The content of an occurrence is everything except its file, headings, entry and position.
  std::uint32_t content_index(const parser::LinkOccurrence& occurrence);
  // Appends the links and occurrences of another table. Returns their indices here, by their indices in `other`.
  std::vector<std::uint32_t> append(const LinkTable& other);
  std::vector<std::uint32_t> append(LinkTable&& other);  // takes over the memory of `other` if this table is empty
  void set_verdict(std::size_t link, const std::optional<storage::Verdict>& verdict) {
    links_[link].verdict = verdict_index(verdict);
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
  // Removes the links for which `is_wanted` returns false. The indices of the others change.
  void keep_only(const std::function<bool(std::size_t link)>& is_wanted);
  // Reorders the links by `keys`, which has one key per link. Links with equal keys keep their order.
  void sort_by(const std::vector<std::uint64_t>& keys);

  std::optional<std::size_t> find(const storage::LinkId& id) const { return ids_.find(id); }
  const storage::LinkId& id(std::size_t link) const { return ids_.id(link); }
  std::string_view href(std::size_t link) const { return links_[link].href; }  // empty if there is nothing to fetch
  // Returns null if the link must be fetched. Valid as long as the table.
  const storage::Verdict* verdict(std::size_t link) const {
    return links_[link].verdict == none ? nullptr : &verdicts_[links_[link].verdict];
  }
  std::size_t occurrence_count(std::size_t link) const { return links_[link].occurrence_count; }
  // Visits ignored occurrences last. Stops if `visit` returns false.
  void for_each_occurrence(std::size_t link,
                           const std::function<bool(parser::LinkOccurrence& occurrence)>& visit) const;
  // Returns the first `max_count` occurrences, in the same order.
  std::vector<parser::LinkOccurrence> occurrences(std::size_t link, std::size_t max_count = SIZE_MAX) const;
  // Returns the first occurrence with only its position, role, element, URL and href set, which is faster. Empty if the
  // link has no occurrence.
  parser::LinkOccurrence first_occurrence(std::size_t link) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Link {
    std::string_view href;
    std::uint32_t verdict = none;
    std::uint32_t first = none;  // its first and last occurrence
    std::uint32_t last = none;
    std::uint32_t occurrence_count = 0;
    std::uint32_t last_file = none;              // file of the latest occurrence
    std::uint32_t occurrences_of_last_file = 0;  // how many occurrences that file has so far
  };
  struct Occurrence {
    std::uint64_t offset = 0;
    std::uint32_t line = 0, column = 0, entry = 0;
    std::uint32_t file = 0, headings = 0, content = 0;
    std::uint32_t next = none;  // the next occurrence of the same link
  };
  struct Content {
    std::uint32_t hash = 0;  // of the other members
    parser::LinkRole role = parser::LinkRole::main;
    parser::LinkElement element = parser::LinkElement::link;
    std::uint64_t length = 0;
    std::string_view url, href, text, description, rel, ignored_by;
    std::vector<parser::LinkNote> notes;
    std::vector<std::string> tags;
    std::optional<Timestamp> added;

    bool operator==(const Content&) const = default;
  };

  std::uint32_t verdict_index(const std::optional<storage::Verdict>& verdict);
  std::size_t find_or_add_link(const storage::LinkId& id, std::string_view href, std::uint32_t verdict);
  bool is_left_out(std::uint32_t verdict) const;
  std::uint32_t intern(const Content& content);
  void add_to_link(std::size_t link, const Occurrence& occurrence);
  void attach(std::size_t link, std::uint32_t occurrence);
  // Calls `visit` with each occurrence of a link, ignored ones last, until it returns false.
  template <class Visit>
  void visit_occurrences(const Link& link, Visit visit) const;
  parser::LinkOccurrence position_of(const Occurrence& occurrence) const;
  parser::LinkOccurrence whole(const Occurrence& occurrence) const;

  storage::LinkIdTable ids_;
  std::deque<Link> links_;
  std::deque<Occurrence> occurrences_;
  parser::TextArena texts_;  // of links and contents
  parser::TextTable files_;
  parser::PathTable headings_;
  std::deque<Content> contents_;
  parser::HashIndex content_index_;
  std::deque<storage::Verdict> verdicts_;
  parser::HashIndex verdict_index_;
};

// Returns the part, from 0 to `count` - 1, that the registrable domain of the URL belongs to. The part depends on a
// hash of the domain only, which is the same on every machine.
std::uint32_t part_of_domain(const parser::Url& url, std::uint32_t count);

// Keeps only the links of part `number` out of `count` parts, which are numbered from 1. All links of a registrable
// domain are in the same part. Links without a host, such as files, are in the first part.
void keep_shard(LinkTable& table, std::uint32_t number, std::uint32_t count);

}  // namespace linkherd::crawler
