// Requests properties of single GitHub repositories from its REST API, for the new addresses of dead pages: renamed
// repositories, home pages, and files that were moved. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/address_ranking.h"
#include "crawler/lookups/github_links.h"
#include "crawler/lookups/github_lookups.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct GithubRepository {
  std::string full_name;  // "owner/name"; the current one
  std::string default_branch;
  std::optional<parser::Url> homepage;
};

// Return requests for a repository and for the names of all its files. The token may be empty. The API redirects from
// former names.
FetchRequest request_repository(const GithubApi& api, const GithubLink& link);
FetchRequest request_files(const GithubApi& api, const GithubRepository& repository);

// Returns nullopt if the answer is no public repository.
std::optional<GithubRepository> read_repository(std::string_view json);

// Returns the paths of all files. An answer that is cut off has none.
std::vector<std::string> read_files(std::string_view json);

// Returns the addresses of the pages of all files with the name of a lost file.
std::vector<ListedAddress> files_named_like(const GithubLink& lost_file, const std::vector<std::string>& files,
                                            const GithubRepository& repository, std::string_view host);

// Returns the name of the repository if the address is the main page of a repository on GitHub, GitLab, Codeberg,
// Bitbucket or Sourcehut. Returns an empty string otherwise.
std::string repository_name(const parser::Url& url);

// Returns true if a repository has the name of a site: "kiln-notes" for https://kilnnotes.example.org/,
// https://example.org/kiln-notes/ and https://ada.github.io/kiln-notes/. Other pages of a site do not count.
bool has_name_of_site(std::string_view repository, const parser::Url& site);

}  // namespace linkherd::crawler
