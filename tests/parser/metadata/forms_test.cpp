// Bylines and dates of many languages, from the tables in forms/.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/metadata/extract_fixture.h"

using namespace linkherd::parser;
using Names = std::vector<std::string>;

namespace {

struct Form {
  std::string language;
  std::string text;
  std::string value;
  bool is_read = true;  // false for a form that linkherd does not read yet
};

// Reads lines of the form LANGUAGE<TAB>TEXT[<TAB>VALUE]. "!" before the language marks a form that is not read yet.
std::vector<Form> forms_of(std::string_view name) {
  std::ifstream file(std::string(LINKHERD_FORMS "/") + std::string(name));
  REQUIRE(file);
  std::vector<Form> forms;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const bool is_read = line.front() != '!';
    const std::size_t text = line.find('\t') + 1;
    const std::size_t value = std::min(line.find('\t', text), line.size());
    const std::size_t language = is_read ? 0 : 1;
    forms.push_back({.language = line.substr(language, text - language - 1),
                     .text = line.substr(text, value - text),
                     .value = line.substr(std::min(value + 1, line.size())),
                     .is_read = is_read});
  }
  return forms;
}

std::string page_with(const Form& form) {
  return "<html lang=" + form.language +
         "><title>Fish and chips in spring - Daily Food</title><body><main><h1>Fish and chips in spring</h1><p>" +
         form.text + "</p><p>The first fish of the year is sold on the market, and the chips are fresh.</main>";
}

std::string authors_of(const Form& byline) {
  std::string names;
  for (const std::string& name : names_of(metadata_of(page_with(byline)).authors))
    names += (names.empty() ? "" : ";") + name;
  return names;
}

// Returns the number of forms that are read.
template <class Read>
std::size_t check_forms(const std::vector<Form>& forms, Read read) {
  std::size_t right = 0;
  for (const Form& form : forms) {
    CAPTURE(form.text);
    const std::string value = read(form);
    CAPTURE(value);
    CHECK((value == form.value) == form.is_read);
    right += form.is_read ? 1U : 0U;
  }
  return right;
}

}  // namespace

TEST_CASE("bylines of the tables are read") {
  CHECK(check_forms(forms_of("bylines.tsv"), authors_of) == 52);
  CHECK(check_forms(forms_of("more_bylines.tsv"), authors_of) == 244);
}

TEST_CASE("dates of the tables are read under a headline") {
  constexpr std::string_view day = "2024-05-13";
  const auto read = [&](const Form& form) {
    const std::string published = text_of(metadata_of(page_with(form)).published);
    return published.substr(0, day.size());
  };
  const auto with_day = [&](std::vector<Form> forms) {
    for (Form& form : forms) form.value = day;
    return forms;
  };
  CHECK(check_forms(with_day(forms_of("dates.tsv")), read) == 61);
  CHECK(check_forms(with_day(forms_of("more_dates.tsv")), read) == 252);
}
