// The links of a run for reports, read one at a time, because a million links do not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "storage/link_id.h"
#include "storage/run.h"

namespace linkherd::storage {

// Links in ascending order of their ids, in which a store reads them quickest.
struct LinksById {
  // `id_of`: of a number. Called for each.
  LinksById(std::span<const std::uint32_t> numbers, const std::function<LinkId(std::uint32_t number)>& id_of);

  std::vector<LinkId> ids;
  std::vector<std::size_t> positions;  // of each in the list of numbers
};

// One that is visited.
struct NumberedLink {
  std::size_t number = 0;
  const CheckedLink* link = nullptr;
  const Excerpt* excerpt = nullptr;  // of its snapshot
  std::size_t occurrences = 0;       // that it has
};

class CheckedLinks {
 public:
  virtual ~CheckedLinks() = default;

  // Links are numbered from 0 in the order of their first occurrence in the lists.
  virtual std::size_t size() const = 0;
  virtual CheckedLink at(std::size_t number) const = 0;
  // Returns the occurrences of at(number) without reading its record.
  virtual std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const = 0;
  // Visits these links in the cheapest order, until `visit` returns false. `position`: of the number in the list.
  virtual void for_each_of(std::span<const std::uint32_t> numbers,
                           const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const;
  // Returns the last looks at a link until the end of the run, oldest first, at most 32. Empty without a store.
  virtual std::vector<Look> looks(std::size_t /*number*/) const { return {}; }
  // Visits each link once, in the cheapest order, which may not be the order of the numbers.
  virtual void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const = 0;
  // The same in batches, which may come from several threads at once. A link that was not fetched may come with the
  // first of its occurrences alone: navigation repeats links on each page of a site, and reports show few of these
  // places. One that is fine may come without its snapshot, with its URL and the health and reason of its verdict
  // alone; and where it has one occurrence or was not fetched, of the first one with the file, the URL, the href, the
  // element, the role and the note `placeholder` alone.
  using VisitBatch = std::function<void(std::span<const NumberedLink> links)>;
  virtual void for_each_first(const VisitBatch& visit) const;

 protected:
  CheckedLinks() = default;
  CheckedLinks(const CheckedLinks&) = default;
  CheckedLinks& operator=(const CheckedLinks&) = default;
};

// Collects links for VisitBatch, in one of the threads that visit.
class LinkBatch {
 public:
  explicit LinkBatch(const CheckedLinks::VisitBatch& visit);
  void add(std::size_t number, std::unique_ptr<const ExcerptedLink> link, std::size_t occurrences);
  void hand_over();  // call once more at the end

 private:
  const CheckedLinks::VisitBatch& visit_;
  std::vector<std::unique_ptr<const ExcerptedLink>> links_;
  std::vector<NumberedLink> batch_;
  std::size_t occurrence_count_ = 0;
};

// Those links of others that are written in certain files, with their occurrences there alone.
class LinksOfFiles final : public CheckedLinks {
 public:
  // Reads all links. `all` must outlive this.
  LinksOfFiles(const CheckedLinks& all, const std::function<bool(const std::string& file)>& is_wanted);

  std::size_t size() const override { return numbers_.size(); }
  CheckedLink at(std::size_t number) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override;
  void for_each_of(std::span<const std::uint32_t> numbers,
                   const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const override;
  std::vector<Look> looks(std::size_t number) const override;
  void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const override;

 private:
  void keep_wanted(std::vector<parser::LinkOccurrence>& occurrences) const;
  CheckedLink with_wanted_occurrences(CheckedLink link) const;

  const CheckedLinks& all_;
  std::unordered_map<std::string, bool> files_;  // those of all links; whether they are wanted
  std::vector<std::uint32_t> numbers_;           // among all links
};

class ExcerptReader;
class Store;

// The links of a run in a store, where they are sorted by id.
class StoredLinks final : public CheckedLinks {
 public:
  // Reads the positions of all links. `store` must outlive this and must not be written to meanwhile.
  StoredLinks(const Store& store, Run run);

  std::size_t size() const override { return order_.size(); }
  CheckedLink at(std::size_t number) const override;
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override;
  void for_each_of(std::span<const std::uint32_t> numbers,
                   const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const override;
  std::vector<Look> looks(std::size_t number) const override;
  void for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const override;
  void for_each_first(const VisitBatch& visit) const override;

 private:
  // What is known of a link before it is read.
  struct KnownLink {
    LinkId id;
    std::uint32_t number = 0;
    std::uint32_t file = 0;  // of the first occurrence: its place in files_
    parser::LinkElement element = parser::LinkElement::link;
    parser::LinkRole role = parser::LinkRole::main;
    bool is_placeholder : 1 = false;
    bool is_only : 1 = false;
    bool has_own_verdict : 1 = false;  // see Store::for_each_first()
  };
  struct Part;

  std::unique_ptr<ExcerptedLink> read_excerpt(ExcerptReader& reader, const KnownLink& known) const;

  const Store& store_;
  Run run_;
  std::vector<LinkId> order_;       // by number
  std::vector<KnownLink> known_;    // by id
  std::vector<std::string> files_;  // sorted
};

}  // namespace linkherd::storage
