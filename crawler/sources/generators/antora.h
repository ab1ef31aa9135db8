// Finds the files that the ids of Antora's resources mean.
#pragma once

#include <optional>

#include "crawler/sources/generators/antora_components.h"
#include "crawler/sources/generators/generator_rules.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Returns the address of a resource in another component. `missing` is the address that the target would have if it
// were relative to the folder of the document's component. Nullopt if the component was not found.
std::optional<parser::Url> url_in_component(const MissingFile& missing, const AntoraComponent& component,
                                            std::string_view fragment);

}  // namespace linkherd::crawler
