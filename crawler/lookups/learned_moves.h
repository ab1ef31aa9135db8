// Learns from pages that have moved how the addresses of their host changed, and applies that to other addresses of the
// host. Pure.
//
// A move is explained by the parts of the path that changed: a prefix replaced by another, dates removed, a file
// extension changed, or the same path on another host. For example, the moves
//   https://example.org/2014/05/kerning.html  -> https://example.org/articles/kerning
//   https://example.org/2016/11/ligatures.html -> https://example.org/articles/ligatures
// have the same explanation. So https://example.org/2015/01/serifs.html is likely now /articles/serifs. One move is not
// enough, unless only the host changed. Moves that lead to a home page explain nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "parser/url/url.h"

namespace linkherd::crawler {

// An address that a learned explanation gives for a dead link.
struct ExplainedAddress {
  parser::Url url;
  std::size_t moves = 0;  // number of moves with this explanation
};

class LearnedMoves {
 public:
  // Adds a proven move. Other schemes than http and https are ignored, and so are moves beyond 10,000.
  void add(const parser::Url& from, const parser::Url& to);

  // Returns the addresses that explanations of at least two moves give, or of one move if only the host changed. Those
  // of most moves are first. At most three.
  std::vector<ExplainedAddress> explain(const parser::Url& dead) const;

 private:
  enum class FinalSlash : std::uint8_t { kept, added, removed };

  // How an address changed: its first segments, `from_prefix`, became `to_prefix`. The rest was kept, apart from the
  // changes that the other members describe.
  struct Change {
    std::vector<std::string> from_prefix;  // "#" stands for a number, "*" for any segment
    std::string to_origin;
    std::vector<std::string> to_prefix;
    bool has_lower_case = false;  // upper case became lower case
    bool has_hyphens = false;     // "_" became "-"
    std::string from_extension;   // of the last segment, with its dot; both empty if the extension was kept
    std::string to_extension;
    FinalSlash final_slash = FinalSlash::kept;
    bool keeps_query = false;

    bool operator==(const Change&) const = default;
  };
  struct Explanation {
    Change change;
    bool is_host_only = false;
    std::unordered_set<std::string> moves;  // the old addresses
  };

  static std::vector<Change> find_changes(const parser::Url& from, const parser::Url& to);
  static std::optional<parser::Url> apply(const Change& change, const parser::Url& dead);

  std::unordered_map<std::string, std::vector<Explanation>> hosts_;  // by old host
  std::size_t moves_ = 0;
};

}  // namespace linkherd::crawler
