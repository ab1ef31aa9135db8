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
};

// Returns the file for this version of linkherd. `OWNER` in it is a placeholder for the account that publishes
// linkherd.
CiFile ci_file(CiService service);

}  // namespace linkherd::crawler
