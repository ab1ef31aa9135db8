// Builds the link table of a run from its input documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "crawler/run/link_table.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"
#include "crawler/sources/source.h"
#include "parser/lists/extract_links.h"
#include "storage/file_names.h"

namespace linkherd::crawler {

class SiteScope;

// Receives part of a link table, with some of the occurrences of its links. `order`: position of the first of its links
// among the links of all parts; the others follow. A link may be in several parts. Parts with `late_order` hold
// verdicts that were decided later and replace those of the other parts. Called by several threads at once.
using TakePart = std::function<void(const LinkTable& part, std::uint64_t order)>;
inline constexpr std::uint64_t late_order = UINT64_MAX;

struct LinkTableOptions {
  parser::ExtractOptions extract;
  const LinkFilter* filter = nullptr;   // null: all links are wanted
  LocalLinks* local = nullptr;          // null: links to files are not evaluated
  bool include_mail = false;            // check the syntax of mail addresses
  bool offline = false;                 // nothing is fetched; links to the web are skipped
  const GitChanges* changes = nullptr;  // keep only links that these changes add, move or break; null: keep all
  bool web_anchors = false;             // fragments of links to pages are checked
  storage::FileNames names = {};        // makes a link to a file the same link from any working directory
  // the crawled site, whose pages and sitemaps are the input documents; null: no crawl
  const SiteScope* site = nullptr;
  // receives the table in parts, and the builder keeps none of them; not combined with `changes` or `site`. Called by
  // several threads at once
  TakePart take_part = {};
};

// Counts the links that a change does not touch, in the input documents whose lines it changes.
struct Unchanged {
  std::size_t links = 0;               // unique links that are not in the table
  std::size_t broken = 0;              // of these, dead before the change, as far as no request is needed to know
  std::vector<std::string> outside{};  // documents without an earlier version, because they are not in the repository
};

// Builds the link table from input documents that are read one after the other. Duplicates are merged here, before
// anything is queued. Occurrences with the same L1 href are one link, and so are occurrences that lead to the same
// anchor of the same file.
class LinkTableBuilder {
 public:
  explicit LinkTableBuilder(const LinkTableOptions& options);
  ~LinkTableBuilder();
  LinkTableBuilder(const LinkTableBuilder&) = delete;
  LinkTableBuilder& operator=(const LinkTableBuilder&) = delete;

  // Adds an input document. Several threads read the documents in parallel, but the table has them in the order of
  // these calls.
  void add(InputDocument list);
  // Returns the table. Call it once, after all documents were added. Links to files are evaluated here, because only
  // now all anchors are known. Links that need no request have a verdict afterwards. `unchanged` may be null.
  LinkTable finish(Unchanged* unchanged = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the table of one input document, without verdicts on links to files. Thread-safe.
LinkTable read_link_table(const InputDocument& list, const LinkTableOptions& options);

LinkTable build_link_table(const std::vector<InputDocument>& documents, const LinkTableOptions& options,
                           Unchanged* unchanged = nullptr);

}  // namespace linkherd::crawler
