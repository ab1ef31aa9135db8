// Evaluates the links of a table that lead to files, as soon as the anchors of the files are known.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "crawler/run/document_reader.h"
#include "crawler/run/link_table.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/sources/local_links.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

// Used by one thread at a time.
class FileVerdicts {
 public:
  // Both must outlive this object. `options.local` must be set before a link is added.
  FileVerdicts(const LinkTableOptions& options, LinkTable& table) : options_(options), table_(table) {}

  // Sets the verdict of a link if its file and anchor are known to exist. Otherwise evaluate() does it.
  void add(FileLink link);
  // Adds a link of a table that was handed out.
  void add_handed_out(const storage::LinkId& id, LocalLink&& link) { handed_out_.try_emplace(id, std::move(link)); }

  // Evaluates the links whose anchors were read later or do not exist. Call it when all documents were read.
  void evaluate();
  // Hands out the verdicts of the links that were handed out, some at a time.
  void hand_out();

 private:
  bool evaluate_existing(const FileLink& link);

  static constexpr std::uint32_t none = UINT32_MAX;
  // A link to a file, and a link to an anchor of it. Both exist, and other links to the file and its anchors share
  // their verdicts.
  struct LinksToFile {
    std::uint32_t page = none;
    std::uint32_t anchor = none;
  };

  const LinkTableOptions& options_;
  LinkTable& table_;
  std::vector<FileLink> waiting_;     // not evaluated yet
  std::vector<LinksToFile> by_path_;  // by index of a file's path
  std::unordered_map<storage::LinkId, LocalLink> handed_out_;
};

}  // namespace linkherd::crawler
