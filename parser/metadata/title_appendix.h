// Removes what programs write around titles: edit links, states, ratings, counts, page numbers and prices.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::parser {

// Removes what never belongs to a title: the permalink sign of Sphinx and MkDocs, the edit link of a wiki, the state of
// a question, a rating, the number of a page, and the number of products.
std::string without_appendix(std::string text);

// Removes a price at the end that is set off from the title: "Blue Kettle - $24.99", "Blue Kettle from £24". The title
// must be that of an offer, because the headline of an article may end with a sum of money.
std::string without_price(std::string title);

// Removes what may belong to the title: a number in parentheses, a price, "158 results for", "Category:" or a slogan.
// Returns an empty text if the title has none of these. Another title of the page must confirm the result.
std::string without_unconfirmed_parts(std::string_view title);

}  // namespace linkherd::parser
