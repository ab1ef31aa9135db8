// The links of a plan in little room: a million of them take some 200 MB less than as many PlannedLinks and their
// occurrences. What is equal is kept once, numbers take the bytes that they need, and a link is unpacked when it is
// asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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

struct PlannedLink {
  storage::LinkId id;
  std::optional<parser::Url> url;           // what to fetch: the L1 href; nothing where there is nothing to fetch, …
  std::optional<storage::Verdict> verdict;  // … and this says why
  std::vector<parser::LinkOccurrence> occurrences;  // those that the list says to ignore last
};

// Texts that are only ever added; a text stays where it is.
class TextArena {
 public:
  using Place = std::uint64_t;

  Place add(std::string_view text);
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
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

class PackedLinks {
 public:
  std::size_t size() const { return links_.size(); }
  bool empty() const { return links_.empty(); }

  // The link is not there yet. Its number: the first is 0.
  std::size_t push_back(const PlannedLink& link);
  void add_occurrence(std::size_t link, const parser::LinkOccurrence& occurrence);
  // What is to be done with a link, told anew; its occurrences stay.
  void replace(std::size_t link, const std::optional<parser::Url>& url, const std::optional<storage::Verdict>& verdict);

  std::optional<std::size_t> find(const storage::LinkId& id) const { return ids_.find(id); }
  const storage::LinkId& id(std::size_t link) const { return ids_.id(link); }
  std::string_view url(std::size_t link) const { return url(links_[link]); }  // empty where there is nothing to fetch
  const storage::Verdict* verdict(std::size_t link) const;                    // null where it is to be fetched
  std::vector<parser::LinkOccurrence> occurrences(std::size_t link) const;    // those to be ignored last
  PlannedLink operator[](std::size_t link) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Link {
    TextArena::Place url = 0;
    std::uint32_t url_length = none;  // none: there is no URL
    std::uint32_t first = none;       // occurrence
    std::uint32_t last = none;
  };
  struct Occurrence {
    std::uint32_t place_low = 0;
    std::uint32_t place_high = 0;
    std::uint32_t next = none;
  };

  void set(std::size_t number, const std::optional<parser::Url>& url, const std::optional<storage::Verdict>& verdict);
  std::string_view url(const Link& link) const;
  std::vector<parser::LinkOccurrence> unpacked(const Link& link) const;
  parser::LinkOccurrence unpack(TextArena::Place place, std::string_view link_url) const;

  TextArena texts_;
  NameTable files_;
  NameTable headings_;
  storage::LinkIdTable ids_;
  std::deque<Link> links_;
  std::deque<Occurrence> occurrences_;
  std::unordered_map<std::uint32_t, storage::Verdict> verdicts_;
};

}  // namespace linkherd::crawler
