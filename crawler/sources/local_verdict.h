// Makes the verdict of a link to a local file. Pure: the caller finds out the facts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crawler/sources/linked_file.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

enum class AnchorStatus : std::uint8_t { found, missing, maybe_generated };

// The known facts about a link. The last five members need work. Only those that missing_fact() names are used.
struct LinkFacts {
  std::string_view name{};  // of the file, in reports
  FoundFile found{};
  FileDoubt doubt = FileDoubt::none;
  std::string detail{};           // see RarePaths::detail; a path is the name in reports
  std::string_view fragment{};    // empty if it need not be checked
  bool may_be_reference = false;  // see LocalLink

  AnchorStatus anchor = AnchorStatus::found;
  std::string page{};  // name of the file that lacks the anchor
  std::string hint{};  // the end of a message: "; did you mean guide.md?"
  // How the checked change broke the link: "removes guide.md". Empty if it did not.
  std::string cause{};
};

// The facts that evaluate() needs besides those of the file: why there is no file (`hint`, `cause`), or the anchor.
enum class MissingFact : std::uint8_t { none, reason_for_no_file, anchor };
MissingFact missing_fact(const LinkFacts& facts);

storage::Verdict evaluate(const LinkFacts& facts);

// Returns the verdict for a file that exists and has the anchor.
storage::Verdict alive_verdict(std::string_view name, std::string_view fragment);

}  // namespace linkherd::crawler
