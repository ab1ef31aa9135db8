// Every link of a list file, in the order of the text. Never fails: what is no list simply has no links.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/lists/list_format.h"
#include "parser/url/url.h"

namespace linkherd::parser {

struct ListText {
  std::string_view file;  // its name, copied into every occurrence
  std::string_view text;  // well-formed UTF-8 (see decode_text), less than 4 GiB
  ListFormat format = ListFormat::plain_text;
};

struct ExtractOptions {
  bool include_verbatim = false;   // also links in code blocks and code spans
  bool include_wikilinks = false;  // also Markdown's [[page]] and [[page|text]]
  bool include_local = false;      // also "#section": places within the same list
  std::optional<Url> base_url;     // what relative links resolve against; a <base> in the text comes first
};

// Calls `take` for each link. A list of a million links need not be in memory as a million occurrences: there is only
// one, which `take` may change or move from; it is filled again for each link.
void for_each_link(const ListText& list, const ExtractOptions& options,
                   const std::function<void(LinkOccurrence&)>& take);

// The URL that a link target means to the people who write it.
struct ResolvedTarget {
  std::string href;  // empty where there is none; then `notes` say why
  std::vector<LinkNote> notes;
};

// How a target that names a host without a scheme is read where there is a base: Markdown's authors mean the host, HTML
// means a file beside the page.
enum class BareHost { is_host, is_file };

ResolvedTarget resolve_target(std::string_view target, const Url* base, BareHost bare_host);

}  // namespace linkherd::parser
