// Resolves the ids of Antora's resources, such as "component:module:page.adoc", to paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Returns true for the name of an Antora resource, which is not a path: "component:module:page.adoc",
// "version@page.adoc" or "partial$x.adoc".
bool is_antora_resource(std::string_view target);

// Returns the path of an Antora resource from the folder of the pages of a module: "../images/x.png" for "image$x.png",
// "../../api/pages/a.adoc" for "api:a.adoc" and "component:api:a.adoc". The path is in this component; the caller of
// the reader knows the others. `family` is the family of an id without one. Returns nullopt if the id is not complete,
// and for a page of another version.
std::optional<std::string> path_of_antora_resource(std::string_view id, std::string_view family);

// Returns the path from the folder of an AsciiDoc file to the folder of the pages of its Antora module. In the pages,
// partials and navigation of a module, references are relative to modules/NAME/pages, and images are in
// modules/NAME/images. Returns nullopt if the file is not in a module.
std::optional<std::string> path_to_antora_pages(std::string_view file);

}  // namespace linkherd::parser
