// Finds the files that directives of site generators name in Markdown: "{{#include x.rs}}" of mdBook,
// `{{< ref "x" >}}` of Hugo, "{% link x %}" of Jekyll, "<<< @/x" of VitePress, `--8<-- "x"` of MkDocs' snippets,
// "{include} x" of MyST, "{{< include x >}}" of Quarto.
#pragma once

#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Returns them in the order of the text, with the names of their directives as texts. `code`: the sorted ranges of
// code, in which some of these programs read directives and others do not. Takes linear time.
std::vector<FoundLink> find_includes(std::string_view text, SiteGenerator generator,
                                     const std::vector<TextRange>& code);

}  // namespace linkherd::parser
