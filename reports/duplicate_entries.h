// Collects the entries that are compared for duplicates, each with one key per layer of identity. Most links have
// nothing in common with another one: a first pass over all of them finds those that may, and only these get entries.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/text_table.h"
#include "reports/compared_page.h"
#include "reports/near_texts.h"
#include "storage/link_id.h"
#include "storage/run.h"

namespace linkherd::reports {

// Interns texts as small numbers: equal texts have equal keys. The text itself is kept only if two entries have it; of
// others only a cryptographic hash, because the canonical forms of a million links would take hundreds of megabytes.
using Key = std::uint32_t;
inline constexpr Key no_key = 0;  // no text to compare

class KeyTable {
 public:
  // `user`: the entry with the text.
  Key key(std::string_view text, std::uint32_t user);
  const std::string& text(Key key) const { return shared_.at(key); }  // only for keys with several users
  std::size_t size() const { return users_.size(); }                  // all keys are smaller

 private:
  struct Recent {
    std::string text;
    Key key = no_key;
  };

  Key find_or_add(std::string_view text, std::uint32_t user);

  // The keys of texts that were asked for lately: an entry has mostly the same text in several layers, and the next one
  // of its link as well. To compare them is cheaper than to hash them anew.
  std::vector<Recent> recent_ = std::vector<Recent>(1024);
  storage::LinkIdTable hashes_;
  std::vector<std::uint32_t> users_{0};  // by key: the first user
  std::unordered_map<Key, std::string> shared_;
};

// All keys except `page` and `fragment` include the fragment: entries with different fragments have no key in common.
struct ComparedEntry {
  std::uint32_t link = 0;        // number of the link, as passed to add()
  std::uint32_t occurrence = 0;  // index into that link's occurrences
  std::uint32_t file = 0;        // rank among the files
  std::uint32_t line = 0, column = 0;
  bool is_main = true;
  Key text = no_key;        // L0: the text as written, with the same href
  Key href = no_key;        // L1
  Key normalized = no_key;  // L2
  Key untracked = no_key;   // L3
  Key equivalent = no_key;  // L4
  Key target = no_key;      // L5; only if a page was fetched
  Key canonical = no_key;   // L6; that of the page, else its own address; not one of many pages
  Key content = no_key;     // L7; only if a page was fetched, and not a template
  Key main_text = no_key;   // L8; likewise, with the title
  Key near = no_key;        // L9: of the group
  Key fragment = no_key;
  Key page = no_key;  // L2 without the fragment: matched against redirect targets of other links
};

struct ComparedEntries {
  std::vector<ComparedEntry> entries;               // in the order of the lists
  std::vector<std::string> files;                   // by rank
  std::vector<std::pair<std::uint32_t, Key>> hops;  // links and the pages of their redirect chain; sorted
  KeyTable keys;
  std::vector<NearText> texts;    // of pages that are there and have enough text, by link
  std::size_t more_mentions = 0;  // see EntryCollector
  // By file: how many more entries it has, none of which is the page of another one; and of how many main links.
  std::vector<std::size_t> single_entries, single_mains;

  const NearText* text_of(std::uint32_t link) const;  // null where there is none
  // Whether the main texts of both are known, and have less than half in common.
  bool differ(const ComparedEntry& one, const ComparedEntry& other) const;
};

// What others may share with a link, as hashes.
struct LinkTraits {
  struct Trait {
    std::uint64_t hash = 0;
    bool is_address = false;  // that leads to the page; else something that pages of one template share
  };
  std::array<Trait, 5> traits{};
  std::size_t count = 0;
  std::uint32_t page = 0;       // hash of the address that was reached: the same for all addresses of a page
  bool names_fragment = false;  // the address that was reached, or that a redirector leads to
  std::optional<NearText> text;

  void add(std::uint64_t hash, bool is_address);
};
LinkTraits traits_of(std::size_t number, const storage::Excerpt& excerpt, const ComparedPage& page);

// The files in the order of the lists. Links are added in any order, but their numbers determine it.
class ListedFiles {
 public:
  // The first link of a file.
  struct FirstLink {
    bool inside = false;  // not the first occurrence of its link
    std::uint32_t link = 0;
    std::uint32_t occurrence = 0;

    auto operator<=>(const FirstLink&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };

  // A provisional number.
  std::uint32_t intern(std::string_view name, const FirstLink& seen);
  struct Ranked {
    std::vector<std::string> names;    // by rank
    std::vector<std::uint32_t> ranks;  // by provisional number
  };
  Ranked ranked() const;

 private:
  parser::TextTable names_;
  std::vector<FirstLink> first_;  // by number
};

// Collects the entries of links, added in any order. Entries are http(s) links in text; images, resources, forms and
// placeholders are not.
class EntryCollector {
 public:
  // `rules` may be null, and must outlive this. `counts_mentions`: of a link that has only mentions, and that nothing
  // else has anything in common with, they are counted, but for the first of each fragment: they get no entries. A site
  // repeats its links on each page.
  EntryCollector(const parser::TrackingRules* rules, std::size_t links, bool counts_mentions)
      : rules_(rules), counts_mentions_(counts_mentions), number_bits_(static_cast<unsigned>(std::bit_width(links))) {
    traits_.reserve(links * 3);  // most have three; what is reserved and not used takes no memory
    compared_.texts.reserve(links);
    noted_.reserve(links);
  }

  // First, of every link.
  void note(std::size_t number, const storage::CheckedLink& link, bool is_web, const LinkTraits& traits);
  // Then once: the links of which entries are to be added, ascending.
  std::vector<std::uint32_t> candidates();
  void add(std::size_t number, const storage::CheckedLink& link, const parser::Url* url);
  ComparedEntries take();  // call once, after the last link

 private:
  static constexpr std::uint32_t no_file = UINT32_MAX;
  static constexpr std::uint32_t main_bit = std::uint32_t{1} << 31U;

  // What several pages may share (a payload, a main text, a canonical URL), and a page that has it.
  struct Share {
    Key shared = no_key;
    Key page = no_key;

    auto operator<=>(const Share&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };
  // A link to the web, or with something that others may share.
  struct Noted {
    std::uint32_t link = 0;
    std::uint32_t page = 0;               // see LinkTraits
    std::uint32_t single_file = no_file;  // of its only entry, with a bit that says it is a main link
  };
  // What drop_templates() looks up, without fragments.
  struct Shared {
    Key digest = no_key, main_text = no_key, canonical = no_key;
  };

  std::uint32_t user() const { return static_cast<std::uint32_t>(compared_.entries.size()); }
  void mark_candidates(std::span<const std::uint64_t> same);
  Key shared_key(std::string_view text, std::uint64_t hash);
  void add_payload(std::uint32_t link, const storage::CheckedLink& checked, Key page);
  void add_shares(std::uint32_t link, const ComparedPage& page, const std::string& main_text, Key page_key);
  void count_singles(const ListedFiles::Ranked& files);
  void drop_templates();
  void find_near();

  const parser::TrackingRules* rules_;
  bool counts_mentions_;
  ListedFiles files_;
  // Of the first pass. A trait is the position of its link in `noted_`, a bit that says that it is an address, and as
  // many bits of its hash as there is room for: few links have the same ones by chance.
  std::uint64_t hash_in(std::uint64_t trait) const { return trait >> (number_bits_ + 1); }
  bool is_address(std::uint64_t trait) const { return (trait >> number_bits_ & 1U) != 0; }
  std::size_t position_of(std::uint64_t trait) const { return trait & ((std::uint64_t{1} << number_bits_) - 1); }
  unsigned number_bits_;
  std::vector<std::uint64_t> traits_;
  std::vector<Noted> noted_;
  std::vector<std::uint32_t> candidates_;  // numbers of links, in any order, some of them several times
  std::vector<std::uint64_t> templates_;   // as hash_in(), of what too many pages share; sorted
  std::unordered_map<std::uint32_t, std::size_t> mentions_;  // by link: how often it is repeated
  std::vector<NearGroup> near_;
  // Of the second.
  ComparedEntries compared_;
  std::vector<Share> shares_;
  std::unordered_map<std::uint32_t, Shared> shared_;  // by link
  std::vector<Key> dropped_;  // digests of missing or refused pages, and what is known to be of templates
};

}  // namespace linkherd::reports
