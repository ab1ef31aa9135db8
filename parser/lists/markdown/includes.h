// Finds the files that directives of site generators name in Markdown: "{{#include x.rs}}" of mdBook,
// `{{< ref "x" >}}` of Hugo, "{% link x %}" of Jekyll, "<<< @/x" of VitePress, `--8<-- "x"` of MkDocs' snippets,
// "{include} x" of MyST, "{{< include x >}}" of Quarto.
#pragma once

#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Returns the files in the order of the text. The text of each link is the name of its directive. `code` contains the
// sorted ranges of code; some generators read directives in code and others do not. Takes linear time.
std::vector<FoundLink> find_includes(std::string_view text, SiteGenerator generator,
                                     const std::vector<TextRange>& code);

}  // namespace linkherd::parser
