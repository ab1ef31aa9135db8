// Identifiers of works: DOIs, arXiv ids, ISBNs. Text in, the bare identifier out.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// "10.1000/182", "doi:10.1000/182" and "https://doi.org/10.1000/182" are "10.1000/182". Empty for anything else.
std::string doi_in(std::string_view text);

// "2401.01234v2", "arXiv:2401.01234" and "https://arxiv.org/abs/hep-th/9901001" are the id without its version. Empty
// for anything else.
std::string arxiv_id_in(std::string_view text);

// The digits of "978-3-16-148410-0" or of an ISBN-10. Empty if the check digit is wrong.
std::string isbn_in(std::string_view text);

// A DOI that the URL itself names: at the resolver of the DOI foundation, or of a paper at arXiv, which registers all.
std::string doi_of(const Url& url);

// The id of a paper at arXiv.
std::string arxiv_id_of(const Url& url);

}  // namespace linkherd::parser
