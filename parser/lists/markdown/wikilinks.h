// Finds [[wikilinks]] and ![[embeds]] in Markdown and hides them from md4c, which knows neither embeds nor "\|" in
// tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct Wikilink {
  TextRange whole;   // with its brackets and the "!" of an embed
  TextRange target;  // "Page", "Page#Heading"
  TextRange text;    // behind the "|"; without one, the target. Empty for the size of an image: "200", "200x100"
};

// Returns those outside and inside of code, which the parser tells apart.
std::vector<Wikilink> find_wikilinks(std::string_view text);

// Returns the ids that Obsidian's blocks have at their ends: "^id".
std::vector<std::string> find_block_ids(std::string_view text);

// Makes character references of them, which md4c passes on from running text and not from code. The length of the text
// does not change.
void hide_wikilinks(std::string& markdown, const std::vector<Wikilink>& wikilinks);

}  // namespace linkherd::parser
