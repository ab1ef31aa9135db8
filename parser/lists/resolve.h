// A link target to the URL that it means, the way a person means it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/url/url.h"

namespace linkherd::parser {

struct ResolvedTarget {
  std::string href;  // empty where there is none; then `notes` say why
  std::vector<LinkNote> notes;
};

// How a target that names a host without a scheme is read where there is a base: Markdown's authors mean the host, HTML
// means a file beside the page.
enum class BareHost { is_host, is_file };

ResolvedTarget resolve_target(std::string_view target, const Url* base, BareHost bare_host);

// "#section" and nothing at all: places within the same list, no links.
bool is_local_target(std::string_view target);

}  // namespace linkherd::parser
