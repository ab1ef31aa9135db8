// The result of a link in a run. It contains everything that reports need for every link, so they read the results of
// a run and nothing else. Only the details of a link need its state and its snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/html/text_signature.h"
#include "parser/lists/link_occurrence.h"
#include "parser/timestamp.h"
#include "storage/link_id.h"
#include "storage/link_state.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::storage {

// The position of a link's first occurrence in the lists, and the properties of it that reports need for every link.
struct FirstOccurrence {
  std::string file;
  std::uint32_t line = 0, column = 0;
  parser::LinkElement element = parser::LinkElement::link;
  parser::LinkRole role = parser::LinkRole::main;
  bool is_placeholder = false;

  bool operator==(const FirstOccurrence&) const = default;
};

// The properties of a page that reports compare and count.
struct PageSummary {
  std::string final_url;
  // Declared by the page itself; not the address that it gives to social networks.
  std::optional<std::string> canonical;
  parser::TextSignature main_text;
  // Hash of the title's letters; nullopt if there is no title or the page has no comparable text.
  std::optional<std::uint32_t> title_hash;
  std::optional<std::uint32_t> body_hash;  // see hash_digest()
  std::optional<Timestamp> certificate_expires;
  bool is_chain_incomplete = false;  // see Certificate
  bool has_title = false;
  bool has_authors = false;
  bool has_published = false;
  bool has_facts = false;
  bool is_from_browser = false;  // see Snapshot::plain

  bool operator==(const PageSummary&) const = default;
};

// Identifies one check of a link: a snapshot in its history.
struct CheckKey {
  Timestamp at;
  std::string vantage;  // may be empty

  bool operator==(const CheckKey&) const = default;
};

struct LinkResult {
  LinkId id;
  std::string url;             // L1 href; for a link that cannot be fetched, the target as resolved or as written
  bool finished = false;       // a resumed run does not check it again
  bool is_from_store = false;  // the verdict is from an earlier snapshot, without a new request
  Verdict verdict;  // verdict in this run; may be deferred or skipped although an earlier check found something else
  // The last check of the link by the end of the run. Its snapshot is in the history. nullopt: never fetched.
  std::optional<CheckKey> check = {};
  PageSummary page = {};                                 // of that check
  std::optional<Timestamp> moved_at = {};                // see LinkState
  FirstOccurrence first = {};                            // unless occurrence_count is 0
  std::size_t occurrence_count = 0;                      // in the lists
  std::vector<parser::LinkOccurrence> occurrences = {};  // all of them, or none if they were not read

  bool operator==(const LinkResult&) const = default;
};

// A link for the details of a report: its result in a run, and its state. The snapshot in the state is the one of the
// result.
struct CheckedLink {
  LinkResult result;
  LinkState state;

  bool operator==(const CheckedLink&) const = default;
};

PageSummary summarize_page(const Snapshot& snapshot);

// Sets the members of the result that follow from the state of the link: the URL, the last check and its page.
void set_state(LinkResult& result, const LinkState& state);
// Sets the occurrences, and the members that follow from them. `occurrences` may be empty.
void set_occurrences(LinkResult& result, std::vector<parser::LinkOccurrence> occurrences);

// Does both for a link that was read from several sources.
void complete(CheckedLink& link, std::vector<parser::LinkOccurrence> occurrences);

// Returns the first 32 bits of a body digest, or nullopt if the text is not a digest. Stored: DO NOT CHANGE. Example:
// "2cf24dba5fb0a30e…" becomes 0x2cf24dba.
std::optional<std::uint32_t> hash_digest(std::string_view hex_digest);

}  // namespace linkherd::storage
