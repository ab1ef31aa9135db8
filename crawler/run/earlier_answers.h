// Remembers which hosts and pages have answered. A missing page is doubted if its host or the page itself was alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "crawler/run/link_table.h"
#include "storage/link_state.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Remembers which hosts answered in earlier runs. Keeps at most a million hosts.
class EarlierAnswers {
 public:
  // Records the hosts of a link. A host that has sent any answer exists.
  void add(const storage::LinkState& state);
  // Records a link that counts as alive without a request in this run.
  void add_reused(const storage::Snapshot& snapshot);

  bool has_answered(const std::string& url) const;
  // Returns true if a page of the host was alive in an earlier run, and none counts as alive without a request.
  bool was_alive_before(const std::string& url) const;
  // Returns true if an earlier check of the link got an answer from the host of `url`.
  static bool has_answered(const std::vector<storage::Snapshot>& history, const std::string& url);

 private:
  enum class Answer : std::uint8_t { answered, was_alive, is_reused };
  std::unordered_map<std::size_t, Answer> hosts_;  // by hash of the host
};

// The pages that were alive in this run.
class AlivePages {
 public:
  void add(std::size_t index, const storage::Snapshot& snapshot);
  // Returns true if another link of the table led to the page `url`. `index`: the link that is asked about.
  bool contains(const LinkTable& links, std::size_t index, const std::string& url) const;

 private:
  std::vector<bool> links_;                           // by index
  std::unordered_set<std::size_t> redirect_targets_;  // hashes of URLs
};

}  // namespace linkherd::crawler
