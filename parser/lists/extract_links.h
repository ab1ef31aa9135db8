// Every link of a list file, in the order of the text. Never fails: what is no list simply has no links.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/url/url.h"

namespace linkherd::parser {

enum class ListFormat { markdown, html, plain_text };

// By the file's name (its extension), then by its content ("<!doctype", "<html"); plain text where neither tells.
ListFormat detect_list_format(std::string_view file_name, std::string_view text);

// The format that a name ending such as "md" or "html" stands for; nothing where linkherd has no rule for it.
std::optional<ListFormat> list_format_of_extension(std::string_view file_name);

struct ListText {
  std::string_view file;  // its name, copied into every occurrence
  std::string_view text;  // well-formed UTF-8 (see decode_text)
  ListFormat format = ListFormat::plain_text;
};

struct ExtractOptions {
  bool include_verbatim = false;  // also links in code blocks and code spans
  std::optional<Url> base_url;    // what relative links resolve against; a <base> in the text comes first
};

std::vector<LinkOccurrence> extract_links(const ListText& list, const ExtractOptions& options);

}  // namespace linkherd::parser
