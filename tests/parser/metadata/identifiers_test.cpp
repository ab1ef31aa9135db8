#include "parser/metadata/identifiers.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/url.h"

using namespace linkherd::parser;

namespace {

struct IdentifierRow {
  std::string text;
  std::string_view is;
};

}  // namespace

TEST_CASE("a DOI is read with and without its scheme and its resolver") {
  for (const auto& [text, is] : std::vector<IdentifierRow>{
           {"10.1000/182", "10.1000/182"},
           {" doi:10.1038/d41586-025-04160-8 ", "10.1038/d41586-025-04160-8"},
           {"DOI: 10.2196/14273", "10.2196/14273"},
           {"info:doi/10.1000/182", "10.1000/182"},
           {"https://doi.org/10.1002/%28SICI%291097-0258", "10.1002/(SICI)1097-0258"},
           {"http://dx.doi.org/10.1000/182", "10.1000/182"},
           {"https://example.org/10.1000/182", ""},
           {"https://arxiv.org/abs/2401.01234", ""},
           {"ISSN 1950-6244", ""},
           {"AIME202004070-M193075", ""},
           {"10.1000/", ""},
           {"10.1/x", ""},
           {"10.1000/a b", ""},
           {"10.1000/a\x1b[1m", ""},
           {"10.1000/" + std::string(1000, 'x'), ""},
           {"", ""},
       }) {
    CAPTURE(text);
    CHECK(parse_doi(text) == is);
  }
}

TEST_CASE("an arXiv id is read without its version") {
  for (const auto& [text, is] : std::vector<IdentifierRow>{
           {"2512.16245", "2512.16245"},
           {"arXiv:2401.01234v3", "2401.01234"},
           {"https://arxiv.org/pdf/2401.01234v3.pdf", "2401.01234"},
           {"https://www.arxiv.org/abs/hep-th/9901001", "hep-th/9901001"},
           {"https://arxiv.org/list/cs/new", ""},
           {"https://example.org/abs/2401.01234", ""},
           {"24.01", ""},
           {"", ""},
       }) {
    CAPTURE(text);
    CHECK(parse_arxiv_id(text) == is);
  }
}

TEST_CASE("an ISBN has the right check digit") {
  for (const auto& [text, is] : std::vector<IdentifierRow>{
           {"978-3-16-148410-0", "9783161484100"},
           {"ISBN: 978 3 16 148410 0", "9783161484100"},
           {"urn:isbn:0451450523", "0451450523"},
           {"0-8044-2957-x", "080442957X"},
           {"978-3-16-148410-1", ""},
           {"0451450524", ""},
           {"4006381333931", ""},  // a product
           {"", ""},
       }) {
    CAPTURE(text);
    CHECK(parse_isbn(text) == is);
  }
}
