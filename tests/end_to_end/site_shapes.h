// Describes the sites of the seed lists: which template serves which pages and which facts such a page states.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tests/end_to_end/harvest.h"
#include "tests/end_to_end/planted_facts.h"

namespace linkherd::tests {

enum class TitleForm { none, made_up, repository, file_in_repository };
enum class AuthorForm { none, one, two, owner };  // owner: as the path names them
// In which form the page has its date, and so in which it must be harvested. UTC is always harvested as "Z".
enum class DateForm { none, china, without_offset, minute, day, utc, pacific };

struct SiteShape {
  std::string_view host;
  std::string_view path;  // with * for anything
  std::string_view page;  // a template's name; "pdf" is no page at all
  Language language = Language::english;
  AuthorForm authors = AuthorForm::none;
  DateForm date = DateForm::none;
  TitleForm title = TitleForm::made_up;
};

std::span<const SiteShape> site_shapes();

// Null where no site of the lists has such a page. The first row that matches counts.
const SiteShape* shape_of(const std::string& host, const std::string& path);

// The facts of a page as its shape has them: the title of a repository is its name.
PlantedFacts facts_of(const SiteShape& shape, const std::string& url);
Harvest harvest_of(const SiteShape& shape, const PlantedFacts& facts);

}  // namespace linkherd::tests
