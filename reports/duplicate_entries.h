// The entries that are compared for duplicates, each with one key per layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/link_id.h"
#include "storage/run.h"

namespace linkherd::parser {
class TrackingRules;
class Url;
}  // namespace linkherd::parser

namespace linkherd::reports {

// Texts as small numbers: equal texts have equal keys. Only texts with two users are kept; of the others only a
// cryptographic hash, because the forms of a million links would take hundreds of megabytes.
using Key = std::uint32_t;
inline constexpr Key no_key = 0;  // nothing to compare by

class KeyTable {
 public:
  // `user`: the entry that has the text.
  Key key(std::string_view text, std::uint32_t user);
  const std::string& text(Key key) const { return shared_.at(key); }  // of one that several users have
  std::size_t size() const { return users_.size(); }                  // keys are smaller

 private:
  storage::LinkIdTable hashes_;
  std::vector<std::uint32_t> users_{0};  // by key: the first that had it
  std::unordered_map<Key, std::string> shared_;
  Key last_ = no_key;  // most forms of a link are the same text
  std::string last_text_;
};

// Every key but `page` includes the fragment: entries that differ in it have no key in common.
struct ComparedEntry {
  std::uint32_t link = 0;        // number of the link that was given
  std::uint32_t occurrence = 0;  // index into that link's occurrences
  std::uint32_t file = 0;        // rank among the files
  std::uint32_t line = 0, column = 0;
  Key text = no_key;        // L0: as written, and resolved alike
  Key href = no_key;        // L1
  Key normalized = no_key;  // L2
  Key untracked = no_key;   // L3
  Key target = no_key;      // L5; only where a page was fetched
  Key content = no_key;     // L7; likewise, and no template
  Key page = no_key;        // L2 without the fragment: what a redirect of another link may lead to
};

struct ComparedEntries {
  std::vector<ComparedEntry> entries;               // in the order of the lists
  std::vector<std::string> files;                   // by rank
  std::vector<std::pair<std::uint32_t, Key>> hops;  // links, and the pages that their redirects led to; sorted
  KeyTable keys;
};

// Takes links one by one, in any order. Entries are http(s) links in text; images, resources, forms and placeholders
// are not.
class EntryCollector {
 public:
  explicit EntryCollector(const parser::TrackingRules* rules) : rules_(rules) {}  // may be null; outlives this

  void add(std::size_t number, const storage::CheckedLink& link, const parser::Url* url);
  ComparedEntries take();  // once, after the last link

 private:
  // The first link of a file: links come in any order, but their numbers give the order of the files.
  struct Sighting {
    bool inside = false;  // not as the first place of any link
    std::uint32_t link = 0;
    std::uint32_t occurrence = 0;
    std::uint32_t file = 0;  // as ComparedEntry has it until ranks are known

    auto operator<=>(const Sighting&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };
  // A payload, and the page that had it.
  struct Payload {
    Key digest = no_key;
    Key page = no_key;

    auto operator<=>(const Payload&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
  };

  std::uint32_t user() const { return static_cast<std::uint32_t>(compared_.entries.size()); }
  std::uint32_t file_of(const std::string& name, Sighting seen);
  void add_payload(std::uint32_t link, const storage::CheckedLink& checked, const parser::Url* final_url);
  void rank_files();
  void drop_templates();

  const parser::TrackingRules* rules_;
  ComparedEntries compared_;
  std::unordered_map<std::string, Sighting> files_;
  std::vector<Payload> payloads_;
  std::vector<Key> digests_;   // by link
  std::vector<Key> refusals_;  // digests that were seen where a page was missing or refused
};

}  // namespace linkherd::reports
