// Collects the entries that are compared for duplicates, with keys for each layer of identity. It works in two passes,
// because most links have nothing in common with another one. The first pass notes a few hashes (traits) of every link
// and finds the links that share one. Only these candidates get entries in the second pass.
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
#include "storage/link_result.h"

namespace linkherd::reports {

// Interns texts as small numbers: equal texts have equal keys. A text is kept only if two entries have it. For other
// texts, only a cryptographic hash is kept, because the canonical forms of a million links would take hundreds of
// megabytes.
using Key = std::uint32_t;
inline constexpr Key no_key = 0;  // no text to compare

class KeyTable {
 public:
  // `user` is the entry with the text.
  Key key(std::string_view text, std::uint32_t user);
  const std::string& text(Key key) const { return shared_.at(key); }  // only for keys with several users
  std::size_t size() const { return users_.size(); }                  // all keys are smaller

 private:
  struct Recent {
    std::string text;
    Key key = no_key;
  };

  Key find_or_add(std::string_view text, std::uint32_t user);

  // Cache of recent keys. The layers of an entry mostly have the same text, and so does the next entry of its link.
  // Comparing texts is cheaper than hashing them again.
  std::vector<Recent> recent_ = std::vector<Recent>(1024);
  storage::LinkIdTable hashes_;
  std::vector<std::uint32_t> users_{0};  // by key: the first user
  std::unordered_map<Key, std::string> shared_;
};

// An entry and its keys. All keys except `page` and `fragment` include the fragment, so entries with different
// fragments have no key in common.
struct ComparedEntry {
  std::uint32_t link = 0;        // number of the link, as passed to add()
  std::uint32_t occurrence = 0;  // index into that link's occurrences
  std::uint32_t file = 0;        // index into the sorted files
  std::uint32_t line = 0, column = 0;
  std::uint32_t url = 0;  // index of the URL as written
  bool is_main = true;
  Key address = no_key;     // after safe normalisation
  Key untracked = no_key;   // without tracking parameters and redirectors
  Key equivalent = no_key;  // equal for all addresses that are equivalent
  Key target = no_key;      // final URL; set only if a page was fetched
  Key canonical = no_key;   // declared by the page, or else its own address; not set if many pages declare it
  Key content = no_key;     // digest; set only if a page was fetched and is not a template
  Key main_text = no_key;   // likewise; includes the title
  Key near = no_key;        // the key of the group
  Key fragment = no_key;
  Key page = no_key;  // `address` without the fragment; matched with redirect targets of other links
};

struct ComparedEntries {
  std::vector<ComparedEntry> entries;               // in list order
  std::vector<std::string> files;                   // in list order
  parser::TextTable urls;                           // as written
  std::vector<std::pair<std::uint32_t, Key>> hops;  // links and the pages of their redirect chains; sorted
  KeyTable keys;
  std::vector<NearText> texts;    // of existing pages with enough text, sorted by link
  std::size_t more_mentions = 0;  // see EntryCollector
  // Per file: how many entries it has that are not in `entries`, because no other entry has the same page; and how many
  // of these are main links.
  std::vector<std::size_t> single_entries, single_mains;

  const NearText* text_of(std::uint32_t link) const;  // nullptr if there is none
  // Returns true if the main texts of both are known and have less than half in common.
  bool differ(const ComparedEntry& one, const ComparedEntry& other) const;
};

// Hashes of everything that a link may share with other links.
struct LinkTraits {
  struct Trait {
    std::uint64_t hash = 0;
    bool is_address = false;  // true: an address of the page; false: something that pages of one template share as well
  };
  std::array<Trait, 5> traits{};
  std::size_t count = 0;
  std::uint32_t page = 0;     // hash of the address that was reached, equal for all addresses of a page
  bool has_fragment = false;  // the address that was reached, or the target of a redirector, has a fragment
  std::optional<NearText> text;

  void add(std::uint64_t hash, bool is_address);
};
LinkTraits traits_of(std::size_t index, const storage::PageSummary& features, const ComparedPage& page);

// Collects the entries of links, which are added in any order. Entries are http(s) links in text. Images, resources,
// forms and placeholders are not entries.
class EntryCollector {
 public:
  // `rules` may be nullptr and must outlive this object. `counts_mentions` saves memory for sites, which repeat their
  // links on each page. It applies to a link that has only mentions and shares nothing with another link. Such
  // a link gets no entries. Its mentions are only counted, except the first of each fragment.
  EntryCollector(const parser::TrackingRules* rules, std::size_t links, bool counts_mentions)
      : rules_(rules), counts_mentions_(counts_mentions), index_bits_(static_cast<unsigned>(std::bit_width(links))) {
    traits_.reserve(links * 3);  // most links have three; reserved memory costs nothing until it is used
    compared_.texts.reserve(links);
    noted_.reserve(links);
  }

  // First pass: call it for every link.
  void note(std::size_t index, const storage::LinkResult& result, bool is_web, const LinkTraits& traits);
  // Call it once between the passes. Returns the links to add in the second pass, ascending.
  std::vector<std::uint32_t> candidates();
  void add(std::size_t index, const storage::CheckedLink& link, const parser::Url* url);
  ComparedEntries take();  // call it once, after the last link

 private:
  static constexpr std::uint32_t no_file = UINT32_MAX;
  static constexpr std::uint32_t main_bit = std::uint32_t{1} << 31U;

  // Orders the files as in the lists. Links are added in any order; their numbers determine the order of the files.
  class ListedFiles {
   public:
    // The first link of a file.
    struct FirstLink {
      bool inside = false;  // not the first occurrence of the link
      std::uint32_t link = 0;
      std::uint32_t occurrence = 0;

      auto operator<=>(const FirstLink&) const =
          default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
    };

    // Returns a provisional index of the file.
    std::uint32_t intern(std::string_view name, const FirstLink& seen);
    struct Ranked {
      std::vector<std::string> names;    // in list order
      std::vector<std::uint32_t> ranks;  // by provisional index
    };
    Ranked ranked() const;

   private:
    parser::TextTable names_;
    std::vector<FirstLink> first_;  // by provisional index
  };

  // A value that several pages may share (a payload, a main text, a canonical URL), and a page that has it.
  struct Share {
    Key shared = no_key;
    Key page = no_key;

    auto operator<=>(const Share&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };
  // A web link, or another link that may share something.
  struct Noted {
    std::uint32_t link = 0;
    std::uint32_t page = 0;               // see LinkTraits
    std::uint32_t single_file = no_file;  // file of the link's only entry; main_bit is set for a main link
  };
  // Keys that drop_templates() looks up, without fragments.
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
  // Data of the first pass. A trait is a 64-bit number. Its low bits are the index of its link in `noted_`, the next
  // bit says that it is an address, and the rest are bits of its hash. With a million links, 43 bits of hash remain, so
  // few links share a trait by chance.
  std::uint64_t trait_hash(std::uint64_t trait) const { return trait >> (index_bits_ + 1); }
  bool is_address(std::uint64_t trait) const { return (trait >> index_bits_ & 1U) != 0; }
  std::size_t noted_index(std::uint64_t trait) const { return trait & ((std::uint64_t{1} << index_bits_) - 1); }
  unsigned index_bits_;
  std::vector<std::uint64_t> traits_;
  std::vector<Noted> noted_;
  std::vector<std::uint32_t> candidates_;  // link numbers, unsorted, with repetitions
  std::vector<std::uint64_t> templates_;   // hashes (see trait_hash()) that too many pages share; sorted
  std::unordered_map<std::uint32_t, std::size_t> mentions_;  // number of further mentions, by link
  std::vector<NearGroup> near_;
  // Data of the second pass.
  ComparedEntries compared_;
  std::vector<Share> shares_;
  std::unordered_map<std::uint32_t, Shared> shared_;  // by link
  std::vector<Key> dropped_;  // digests of pages that do not exist or refuse access, and keys of known templates
};

}  // namespace linkherd::reports
