// Reads the links of an input document into a part of a link table, and resolves their targets.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "crawler/run/link_table.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/run/target_cache.h"
#include "crawler/sources/document_context.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/local_links.h"
#include "parser/lists/extract_links.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

// A link to a file, which is evaluated when all anchors are known.
struct FileLink {
  std::uint32_t link = 0;  // index in the table
  LocalLink local;
};

// An input document after reading.
struct ReadDocument {
  DocumentContext context;
  parser::DocumentFormat format = parser::DocumentFormat::plain_text;
  parser::DocumentInfo info;
};

// The links of some input documents.
struct TablePart {
  LinkTable table;
  std::vector<FileLink> files;
  std::vector<std::pair<storage::LinkId, LocalLink>> handed_out;  // links to files in tables that were handed out
  std::vector<ReadDocument> documents;
  // Links that the checked change does not touch. True: the link was dead before.
  std::vector<std::pair<storage::LinkId, bool>> unchanged;
};

// Adds the links of a document to `part`. `number`: index of the document among all. `change`: the change to check;
// null: the whole document is read. `known` must have begun the part. Thread-safe, with a cache and a part for each
// thread.
void read_document(const InputDocument& list, std::uint32_t number, const LinkTableOptions& options,
                   const ListChange* change, TargetCache& known, TablePart& part);

}  // namespace linkherd::crawler
