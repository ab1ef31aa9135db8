// What a run has to do: every unique link of the lists, once, with all places where it is written.
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

// The links of a run, in the order of their first occurrence, in little memory. What is equal is kept once, numbers
// take the bytes that they need, and an occurrence is unpacked when it is asked for.
class Plan {
 public:
  std::size_t size() const { return links_.size(); }
  bool empty() const { return links_.empty(); }
  std::size_t occurrence_count() const { return occurrences_; }
  // Further occurrences of a link in the same file are left out: a hostile file repeats one link a million times.
  static constexpr std::uint32_t max_occurrences_in_file = 10'000;

  // A link that is not there yet. `href`: what to fetch, the L1 href; empty where there is nothing to fetch, and
  // `verdict` says why. Returns its number; the first is 0.
  std::size_t add(const storage::LinkId& id, std::string_view href, const std::optional<storage::Verdict>& verdict);
  // The same for one that may be there: left out where nobody wants it, but one place that wants it is enough.
  std::size_t find_or_add(const storage::LinkId& id, std::string_view href,
                          const std::optional<storage::Verdict>& verdict);
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence);
  // The same where the numbers of its file and of what is written there are known.
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence, std::uint32_t file,
                      std::uint32_t content);
  std::uint32_t file_number(std::string_view file);
  // What is written at an occurrence: all but the place where it stands. `into`: is replaced.
  void content_of(std::size_t link, const parser::LinkOccurrence& occurrence, std::string& into) const;
  std::uint32_t content_number(std::string_view content) { return contents_.intern(content); }
  // Adds the links and occurrences of a list behind those that are there. Returns the numbers of its links here, by
  // their numbers there.
  std::vector<std::uint32_t> append(const Plan& list);
  std::vector<std::uint32_t> append(Plan&& list);  // takes over the memory of the first list
  // Another verdict for a link.
  void set_verdict(std::size_t link, const std::optional<storage::Verdict>& verdict) {
    links_[link].verdict = verdict_number(verdict);
  }
  void set_verdict_of(std::size_t link, std::size_t other) { links_[link].verdict = links_[other].verdict; }
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

  // Returns the memory of the hash tables: nothing may be added, changed or looked up by its id afterwards.
  void drop_tables();

  std::optional<std::size_t> find(const storage::LinkId& id) const { return ids_.find(id); }
  const storage::LinkId& id(std::size_t link) const { return ids_.id(link); }
  std::string_view href(std::size_t link) const { return href(links_[link]); }  // empty where there is nothing to fetch
  // Nothing where it is to be fetched.
  bool has_verdict(std::size_t link) const { return links_[link].verdict != none; }
  std::optional<storage::Verdict> verdict(std::size_t link) const { return verdict_of(links_[link].verdict); }
  // The beginning of a verdict, without a copy of its texts: valid as long as the plan.
  struct KnownHealth {
    storage::Health health;
    std::string_view reason;
  };
  std::optional<KnownHealth> health(std::size_t link) const;
  std::size_t occurrence_count(std::size_t link) const { return links_[link].occurrences; }
  // Those to be ignored last, until `visit` returns false.
  void for_each_occurrence(std::size_t link,
                           const std::function<bool(parser::LinkOccurrence& occurrence)>& visit) const;
  // The first `max_count` of these.
  std::vector<parser::LinkOccurrence> occurrences(std::size_t link, std::size_t max_count = SIZE_MAX) const;
  // The first one, with its file, role, element, URL and href alone; empty where there is none.
  parser::LinkOccurrence first_occurrence(std::size_t link) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Link {
    parser::TextArena::Offset href = none;  // behind its length
    parser::TextArena::Offset last = none;  // segment of its occurrences: see begin_segment()
    std::uint32_t verdict = none;
    std::uint32_t occurrences = 0;
    std::uint32_t last_file = none;              // that an occurrence was added for, …
    std::uint32_t occurrences_of_last_file = 0;  // … and how many
  };
  // An occurrence as it is kept: numbers of tables, and …
  struct Packed {
    std::uint32_t file = 0;
    std::uint32_t headings = 0;
    std::uint32_t content = 0;
    std::string_view position;  // … its line, column, offset, length and entry
  };
  std::string_view href(const Link& link) const;
  parser::TextArena::Offset add_href(std::string_view href);
  // Appends a text with the path of a file in two parts, the first of which thousands have: the number of what there is
  // up to the last slash, and the rest.
  void put_path(std::string& out, std::string_view text);
  std::string path_in(std::string_view packed) const;
  std::uint32_t verdict_number(const std::optional<storage::Verdict>& verdict);
  std::optional<storage::Verdict> verdict_of(std::uint32_t number) const;
  bool is_left_out(std::uint32_t verdict) const;
  void add_link(std::string_view href, std::uint32_t verdict);
  std::size_t find_or_add_link(const storage::LinkId& id, std::string_view href, std::uint32_t verdict);
  // A segment has some occurrences of a link: those of a list that was joined to others are next to each other, and the
  // memory of earlier ones is not touched for each. It is put together in `segment_`, and begins with their number and
  // the place of the segment before it; most links have only one.
  void begin_segment(const Link& link, std::uint32_t count);
  void put_packed(const Packed& packed);
  void add_segment(Link& link, std::uint32_t count);
  // Adds the occurrences of the link `from` of another plan, which `change` adapts.
  template <class Change>
  void add_packed_of(const Plan& other, std::size_t from, std::size_t to, Change change);
  parser::LinkOccurrence unpack(const Packed& packed, std::string_view link_href) const;
  // Visits the occurrences of a link in their order, until `visit` returns false.
  template <class Visit>
  void visit_packed(const Link& link, Visit visit) const;
  template <class Visit>
  void visit_unpacked(const Link& link, Visit visit) const;

  parser::TextArena texts_;    // the links' hrefs, and occurrences
  parser::TextTable folders_;  // see put_path()
  parser::TextTable files_;
  parser::PathTable headings_;
  parser::TextTable contents_;
  storage::LinkIdTable ids_;
  std::deque<Link> links_;
  std::size_t occurrences_ = 0;
  parser::TextTable verdicts_;  // each once: thousands of links have the same
  std::string content_;         // of the occurrence that is being added
  std::string segment_;
  Packed last_packed_;  // in the segment: what is written of the next one are the differences
};

// Which of `count` parts the registrable domain of the URL is in, from 0 on: by its hash, which is the same everywhere.
std::uint32_t part_of_domain(const parser::Url& url, std::uint32_t count);

// Leaves the links of one part of `count` parts, the first of which has number 1. The links of a registrable domain are
// in one part; those without a host, such as files, are in the first.
void keep_shard(Plan& plan, std::uint32_t number, std::uint32_t count);

}  // namespace linkherd::crawler
