// Finds [[wikilinks]] and ![[embeds]] in Markdown and hides them from md4c, which supports neither embeds nor "\|" in
// tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct Wikilink {
  TextRange whole;   // includes the brackets and the "!" of an embed
  TextRange target;  // "Page", "Page#Heading"
  TextRange text;    // text after the "|", or else the target; empty if it is the size of an image: "200", "200x100"
};

// Returns all wikilinks of the text, including wikilinks in code. md4c later shows which ones are in code (see
// hide_wikilinks()).
std::vector<Wikilink> find_wikilinks(std::string_view text);

// Returns the ids at the ends of Obsidian's blocks, which are written "^id".
std::vector<std::string> find_block_ids(std::string_view text);

// Replaces wikilinks by character references. md4c reports these references in running text but not in code. The length
// of the text does not change.
void hide_wikilinks(std::string& markdown, const std::vector<Wikilink>& wikilinks);

}  // namespace linkherd::parser
