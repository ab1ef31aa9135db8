#include "reports/duplicates.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "parser/join.h"
#include "parser/url/url.h"
#include "reports/disjoint_sets.h"
#include "reports/duplicate_entries.h"
#include "reports/messages.h"

namespace linkherd::reports {
namespace {

// Each file that lists a page is paired only with the next few files that list it, so the work is linear.
constexpr std::size_t next_files = 8;

std::uint64_t pair_of(std::size_t a, std::size_t b) { return std::uint64_t{a} << 32U | b; }

enum class Evidence : std::uint8_t { proof, hint, hint_unless_texts_differ };

// A key by which a layer joins entries.
struct LayerKey {
  DuplicateLayer layer;
  Key ComparedEntry::*key;
  Evidence evidence = Evidence::proof;
};
constexpr std::array<LayerKey, 8> layer_keys{{
    {DuplicateLayer::address, &ComparedEntry::address},
    {DuplicateLayer::equivalent, &ComparedEntry::untracked, Evidence::hint},
    {DuplicateLayer::equivalent, &ComparedEntry::equivalent, Evidence::hint_unless_texts_differ},
    {DuplicateLayer::redirect, &ComparedEntry::target},
    {DuplicateLayer::canonical, &ComparedEntry::canonical, Evidence::hint_unless_texts_differ},
    {DuplicateLayer::content, &ComparedEntry::content},
    {DuplicateLayer::content, &ComparedEntry::main_text},
    {DuplicateLayer::near, &ComparedEntry::near},
}};

// Joins entries by layer, the most certain first, into two partitions. Every layer joins entries in `all_`; only the
// layers that prove identity join entries in `proven_`. A group is certain if both partitions agree.
class Grouping {
 public:
  Grouping(const ComparedEntries& compared, DuplicateScope scope)
      : compared_(compared),
        within_files_(scope == DuplicateScope::within),
        all_(compared.entries.size()),
        proven_(compared.entries.size()),
        joins_(compared.entries.size()) {
    for (const LayerKey& layer : layer_keys) join(layer);
    prove_by_redirects();
  }

  std::size_t root(std::size_t entry) { return all_.find(entry); }

  // `members` are all entries of one group, in list order.
  DuplicateGroup group(const std::vector<std::size_t>& members) {
    const Join& cause = joins_[all_.find(members.front())];
    DuplicateGroup group;
    const std::size_t proven = proven_.find(members.front());
    group.is_certain = std::ranges::all_of(members, [&](std::size_t m) { return proven_.find(m) == proven; });
    group.layer = group.is_certain ? cause.layer : cause.hint_layer;
    group.shared_value = compared_.keys.text(group.is_certain ? cause.shared : cause.hint);
    for (const std::size_t member : members) {
      const ComparedEntry& entry = compared_.entries[member];
      group.entries.push_back({entry.link, std::string(compared_.urls.text(entry.url)), compared_.files[entry.file],
                               entry.line, entry.column});
    }
    return group;
  }

 private:
  // The reason why the entries of a set were joined; stored at its root.
  struct Join {
    DuplicateLayer layer = DuplicateLayer::address;
    Key shared = no_key;
    DuplicateLayer hint_layer = DuplicateLayer::equivalent;
    Key hint = no_key;  // key of a layer that proves nothing, if one was needed
  };

  void join(const LayerKey& layer) {
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> first(compared_.keys.size(), none);  // first entry by key
    for (std::size_t i = 0; i < compared_.entries.size(); ++i) {
      const ComparedEntry& entry = compared_.entries[i];
      if (entry.*layer.key == no_key) continue;
      std::uint32_t& same = first[entry.*layer.key];
      // Entries are sorted by file. Within one file, entries of earlier files do not count.
      if (same == none || (within_files_ && compared_.entries[same].file != entry.file)) {
        same = static_cast<std::uint32_t>(i);
      } else if (layer.evidence != Evidence::hint_unless_texts_differ ||
                 !compared_.differ(compared_.entries[same], entry)) {
        join(layer, same, i);
      }
    }
  }

  void join(const LayerKey& layer, std::size_t a, std::size_t b) {
    const bool is_proof = layer.evidence == Evidence::proof;
    if (is_proof) proven_.join(a, b);
    if (all_.find(a) == all_.find(b)) return;
    const Join& one = joins_[all_.find(a)];
    const Join& other = joins_[all_.find(b)];
    const bool is_of_one = other.hint == no_key || (one.hint != no_key && one.hint_layer >= other.hint_layer);
    Join joined = is_of_one ? one : other;
    joined.layer = layer.layer;
    joined.shared = compared_.entries[b].*layer.key;
    if (!is_proof) {
      joined.hint_layer = joined.layer;
      joined.hint = joined.shared;
    }
    joins_[all_.join(a, b)] = joined;
  }

  // Two entries with equivalent addresses are proven if one redirects to the other, even if the page cannot be read.
  void prove_by_redirects() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> addresses;  // with the first entry of each
    addresses.reserve(compared_.entries.size());
    for (std::size_t i = 0; i < compared_.entries.size(); ++i) {
      addresses.emplace_back(pair_of(compared_.entries[i].equivalent, compared_.entries[i].page),
                             static_cast<std::uint32_t>(i));
    }
    std::ranges::sort(addresses);
    for (std::size_t i = 1; i < addresses.size(); ++i) {
      // The same page, possibly in two files that DuplicateScope::within keeps apart.
      if (addresses[i].first == addresses[i - 1].first) proven_.join(addresses[i].second, addresses[i - 1].second);
    }
    for (std::size_t i = 0; i < compared_.entries.size(); ++i) {
      const ComparedEntry& entry = compared_.entries[i];
      auto hop = std::ranges::lower_bound(compared_.hops, entry.link, {}, [](const auto& each) { return each.first; });
      for (; hop != compared_.hops.end() && hop->first == entry.link; ++hop) {
        const std::uint64_t address = pair_of(entry.equivalent, hop->second);
        const auto reached = std::ranges::lower_bound(addresses, address, {}, [](const auto& a) { return a.first; });
        if (reached != addresses.end() && reached->first == address) proven_.join(i, reached->second);
      }
    }
  }

  const ComparedEntries& compared_;
  bool within_files_;
  DisjointSets all_, proven_;
  std::vector<Join> joins_;
};

// Returns the sets with at least two entries, in the order of their first entries. `roots` is indexed by entry.
std::vector<std::vector<std::size_t>> members_of_groups(const std::vector<std::size_t>& roots) {
  std::vector<std::uint32_t> sizes(roots.size(), 0);
  for (const std::size_t root : roots) ++sizes[root];
  std::vector<std::vector<std::size_t>> groups;
  std::unordered_map<std::size_t, std::size_t> index;  // by root
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (sizes[roots[i]] < 2) continue;
    const auto [group, fresh] = index.try_emplace(roots[i], groups.size());
    if (fresh) groups.emplace_back();
    groups[group->second].push_back(i);
  }
  return groups;
}

// Reports each family of parallel lists once, instead of the groups that it explains.
class ParallelNotes {
 public:
  ParallelNotes(const ComparedEntries& compared, const std::vector<std::size_t>& roots) : compared_(compared) {
    std::vector<Listing> listings;
    listings.reserve(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) listings.push_back({roots[i], compared.entries[i].file});
    family_ = parallel_families(std::move(listings), compared.single_entries);
  }

  // Call it for every group. Returns true if the group exists only because files of one family share an entry.
  bool covers(const std::vector<std::size_t>& members, const DuplicateGroup& group) {
    struct Share {
      std::size_t files = 0;
      std::size_t max_per_file = 0;
    };
    std::map<std::size_t, Share> shares;  // by family
    std::map<std::size_t, std::size_t> in_file;
    for (const std::size_t member : members) {
      const std::size_t file = compared_.entries[member].file;
      Share& share = shares[family_[file]];
      const std::size_t number = ++in_file[file];
      share.files += number == 1 ? 1 : 0;
      share.max_per_file = std::max(share.max_per_file, number);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t file = compared_.entries[members[i]].file;
      if (shares[family_[file]].files > 1) notes_[family_[file]].first_entries.try_emplace(file, group.entries[i]);
    }
    for (const auto& [family, share] : shares) notes_[family].group.parallel_link_count += share.files > 1 ? 1 : 0;
    if (shares.size() > 1 || shares.begin()->second.max_per_file > 1) return false;
    DuplicateGroup& note = notes_[shares.begin()->first].group;
    note.layer = std::max(note.layer, group.layer);
    note.is_certain = note.is_certain && group.is_certain;
    return true;
  }

  std::vector<DuplicateGroup> take() {
    std::vector<DuplicateGroup> groups;
    for (auto& [family, note] : notes_) {
      if (note.first_entries.empty()) continue;
      std::vector<std::string_view> names;
      for (const auto& [file, entry] : note.first_entries) {
        names.emplace_back(compared_.files[file]);
        note.group.entries.push_back(entry);
      }
      note.group.shared_value = join(names, ", ");
      groups.push_back(std::move(note.group));
    }
    return groups;
  }

 private:
  struct Note {
    DuplicateGroup group;
    std::map<std::size_t, EntryLocation> first_entries;  // by file
  };

  const ComparedEntries& compared_;
  std::vector<std::size_t> family_;  // by file
  std::map<std::size_t, Note> notes_;
};

// Groups the entries with the same page.
class RepetitionFinder {
 public:
  RepetitionFinder(const ComparedEntries& compared, DuplicateScope scope)
      : compared_(compared), grouping_(compared, scope), roots_(compared.entries.size()) {
    for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = grouping_.root(i);
  }

  // Returns the number of entries except the first of each page.
  std::size_t repetitions() const {
    std::size_t pages = 0;
    for (std::size_t i = 0; i < roots_.size(); ++i) pages += static_cast<std::size_t>(roots_[i] == i);
    return roots_.size() - pages;
  }

  std::vector<DuplicateGroup> groups() {
    ParallelNotes parallel(compared_, roots_);
    std::vector<DuplicateGroup> groups;
    for (const std::vector<std::size_t>& members : members_of_groups(roots_)) {
      DuplicateGroup group = grouping_.group(members);
      if (!parallel.covers(members, group)) groups.push_back(std::move(group));
    }
    std::vector<DuplicateGroup> notes = parallel.take();
    std::ranges::move(groups, std::back_inserter(notes));
    return notes;
  }

 private:
  const ComparedEntries& compared_;
  Grouping grouping_;
  std::vector<std::size_t> roots_;  // root of the group, by entry
};

}  // namespace

std::string format_location(const EntryLocation& entry) {
  return fmt::format("{}:{}:{}", entry.file, entry.line, entry.column);
}

std::vector<std::size_t> parallel_families(std::vector<Listing> listings, std::vector<std::size_t> other_pages) {
  std::ranges::sort(listings, {}, [](const Listing& listing) { return std::pair(listing.page, listing.file); });
  listings.erase(std::unique(listings.begin(), listings.end()), listings.end());

  std::vector<std::size_t> pages = std::move(other_pages);
  const std::size_t files = pages.size();
  std::unordered_map<std::uint64_t, std::size_t> shared;  // by the indices of two files
  for (std::size_t i = 0; i < listings.size(); ++i) {
    ++pages[listings[i].file];
    for (std::size_t j = i + 1; j < listings.size() && j <= i + next_files && listings[j].page == listings[i].page;
         ++j) {
      ++shared[pair_of(listings[i].file, listings[j].file)];
    }
  }

  DisjointSets families(files);
  for (const auto& [both, number] : shared) {
    const std::size_t a = both >> 32U;
    const std::size_t b = both & std::numeric_limits<std::uint32_t>::max();
    if (number >= min_shared_pages && number * 2 > pages[a] && number * 2 > pages[b]) families.join(a, b);
  }
  std::vector<std::size_t> smallest(files, files);
  std::vector<std::size_t> family(files);
  for (std::size_t file = 0; file < files; ++file) {
    std::size_t& first = smallest[families.find(file)];
    first = std::min(first, file);
    family[file] = first;
  }
  return family;
}

DuplicateFinder::DuplicateFinder(DuplicateScope scope, const parser::TrackingRules* rules, std::size_t links)
    : scope_(scope),
      rules_(rules),
      entries_(std::make_unique<EntryCollector>(rules, scope == DuplicateScope::off ? 0 : links,
                                                scope == DuplicateScope::across)) {}

DuplicateFinder::~DuplicateFinder() = default;

LinkTraits DuplicateFinder::traits_of(std::size_t index, const storage::LinkResult& result,
                                      const parser::Url* url) const {
  if (scope_ == DuplicateScope::off) return {};
  return reports::traits_of(index, result.page, compared_page(result, url, rules_));
}

void DuplicateFinder::note(std::size_t index, const storage::LinkResult& result, bool is_web,
                           const LinkTraits& traits) {
  if (scope_ != DuplicateScope::off) entries_->note(index, result, is_web, traits);
}

std::vector<std::uint32_t> DuplicateFinder::candidates() { return entries_->candidates(); }

void DuplicateFinder::add(std::size_t index, const storage::CheckedLink& link) {
  const Result<parser::Url> url = parser::Url::parse(link_url(link));
  entries_->add(index, link, url.has_value() ? &*url : nullptr);
}

std::vector<DuplicateGroup> DuplicateFinder::take() {
  ComparedEntries compared = entries_->take();
  if (scope_ == DuplicateScope::mentions) return RepetitionFinder(compared, scope_).groups();
  const bool only_mains = std::ranges::all_of(compared.entries, &ComparedEntry::is_main);
  const std::size_t with_mentions = only_mains ? 0 : RepetitionFinder(compared, scope_).repetitions();
  std::erase_if(compared.entries, [](const ComparedEntry& entry) { return !entry.is_main; });
  compared.single_entries = compared.single_mains;
  RepetitionFinder repeated(compared, scope_);
  duplicate_mentions_ = compared.more_mentions;
  if (!only_mains) duplicate_mentions_ += with_mentions - repeated.repetitions();
  return repeated.groups();
}

}  // namespace linkherd::reports
