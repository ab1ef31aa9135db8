#include "crawler/cli/commands/ci_files.h"

#include <string_view>

namespace linkherd::crawler {
namespace {

constexpr std::string_view github_workflow = R"(name: links
on: [push, pull_request]
permissions:
  contents: read
jobs:
  links:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: OWNER/linkherd@v)" LINKHERD_VERSION "\n";

constexpr std::string_view gitlab_include = R"(include:
  - project: OWNER/linkherd
    ref: v)" LINKHERD_VERSION R"(
    file: /packaging/gitlab/linkherd.yml
linkherd:
  variables:
    LINKHERD_ARCHIVE: https://example.com/linkherd-)" LINKHERD_VERSION R"(-linux-x86_64.tar.gz
    LINKHERD_SHA256: the checksum of the archive
)";

constexpr std::string_view pre_commit_hooks = R"(repos:
  - repo: https://github.com/OWNER/linkherd
    rev: v)" LINKHERD_VERSION R"(
    hooks:
      - id: linkherd-offline
)";

}  // namespace

CiFile ci_file(CiService service) {
  const std::string owner = "Replace OWNER with the account that publishes linkherd.";
  switch (service) {
    case CiService::github: return {".github/workflows/links.yml", std::string(github_workflow), owner};
    case CiService::gitlab:
      return {".gitlab-ci.yml", std::string(gitlab_include),
              owner + " Also replace the address and the checksum of the archive."};
    case CiService::pre_commit: break;
  }
  return {".pre-commit-config.yaml", std::string(pre_commit_hooks), owner};
}

}  // namespace linkherd::crawler
