// Provides the files with which a CI service or pre-commit checks links, for `linkherd init --ci`.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "parser/enum_names.h"

namespace linkherd::crawler {

enum class CiService : std::uint8_t { github, gitlab, pre_commit };
inline constexpr std::array<EnumName<CiService>, 3> ci_service_names{
    {{CiService::github, "github"}, {CiService::gitlab, "gitlab"}, {CiService::pre_commit, "pre-commit"}}};

struct CiFile {
  std::string path;  // relative to the root of the repository
  std::string text;
  std::string next_step;  // names the placeholders that the user has to replace
};

// Returns the file for this version of linkherd, with placeholders for the account that publishes linkherd and for a
// release archive.
CiFile ci_file(CiService service);

}  // namespace linkherd::crawler
