#include <array>

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/site_catalog.h"

namespace linkherd::crawler {

namespace {

constexpr auto mdbook_files = std::to_array<const char*>({"book.toml"});

// A book may have other books next to it.
bool is_in_other_book(const MissingFile& missing) {
  const DocumentContext& context = missing.context;
  return (missing.target.ends_with(".md") || missing.target.ends_with(".html")) &&
         !is_below(missing.sites.roots_of(context.configuration, context.full).pages.front(), missing.path);
}

}  // namespace

constinit const GeneratorRules mdbook_rules{
    .generator = SiteGenerator::mdbook, .configurations = mdbook_files, .may_build = is_in_other_book};

}  // namespace linkherd::crawler
