// Resolves targets that are not URLs: wikilinks, aliases of folders, and the directives of site generators.
#pragma once

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_search.h"
#include "parser/lists/link_occurrence.h"

namespace linkherd::crawler {

// Sets the href of the occurrence. Thread-safe. Does nothing for other occurrences than these:
// - a wikilink: the page of the repository, or of the folder if there is no repository;
// - "@site/x" of Docusaurus: a path below the folder of the configuration;
// - a directive of the document's generator: the file that it names.
void resolve_special_target(FileKnowledge& known, const DocumentContext& list, parser::LinkOccurrence& occurrence);

}  // namespace linkherd::crawler
