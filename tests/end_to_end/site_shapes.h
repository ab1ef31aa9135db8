// Describes the sites of the seed lists: which template serves which pages, and which metadata such a page contains.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tests/end_to_end/harvest.h"
#include "tests/end_to_end/planted_facts.h"

namespace linkherd::tests {

enum class TitleForm { none, made_up, repository, file_in_repository };
enum class AuthorForm { none, one, two, owner };  // owner: taken from the path
// The form of the date in the page, which the extracted date keeps. UTC is always extracted as "Z".
enum class DateForm { none, china, without_offset, minute, day, utc, pacific };

struct SiteShape {
  std::string_view host;
  std::string_view path;  // pattern; * matches any text
  std::string_view page;  // the name of a template; "pdf" serves a PDF
  Language language = Language::english;
  AuthorForm authors = AuthorForm::none;
  DateForm date = DateForm::none;
  TitleForm title = TitleForm::made_up;
};

std::span<const SiteShape> site_shapes();

// Returns the first matching row, or nullptr if no site of the lists has such a page.
const SiteShape* shape_of(const std::string& host, const std::string& path);

// Returns the facts of a page, adapted to its shape; for example, the title of a repository is its name.
PlantedFacts facts_of(const SiteShape& shape, const std::string& url);
Harvest harvest_of(const SiteShape& shape, const PlantedFacts& facts);

}  // namespace linkherd::tests
