// Selects the links to check, and determines how links to files and mail addresses are checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crawler/cli/options/option.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"

namespace linkherd::crawler {

// Options that apply between reading input documents and fetching.
struct Selection {
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<SourcedPattern> ignored;  // from .linkherdignore and .lycheeignore: further exclusions
  std::vector<std::string> remap;
  std::vector<std::string> schemes;
  bool include_mail = false;
  LocalLinkOptions local;
  bool web_anchors = false;                     // also check the fragments of links to pages
  std::optional<LinkFilterOptions> given = {};  // from a plan of another process; nullopt: the patterns above apply
};

// Reads .linkherdignore and .lycheeignore into `ignored`, from the current folder and the root of the repository.
// Throws CLI::ValidationError for an existing file that cannot be read.
void read_ignore_files(Selection& selection);

LinkFilterOptions filter_options(const Selection& selection);
// Throws CLI::ConfigError, which names the invalid pattern and where it is.
LinkFilter make_link_filter(const Selection& selection);

// Return targets of --site-url and --include-fragments.
OptionTarget read_site_urls(std::vector<SiteMapping>& sites);
OptionTarget read_include_fragments(Selection& selection);

std::string refuse_unknown_scheme(const std::string& text);

}  // namespace linkherd::crawler
