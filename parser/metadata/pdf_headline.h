// Finds the title of a PDF on its first page: the first lines in the largest type. Files that LaTeX writes have no
// other title.
#pragma once

#include <string>

struct _qpdf_data;  // qpdf_data of qpdf-c.h points to it

namespace linkherd::parser {

// Returns the cleaned text. Returns an empty string if all text has about the same size, if letters of the font are
// unknown, or if smaller text stands beside it, such as the subscript in "H2O". Ignores rotated text, such as the stamp
// in the margin of arXiv's papers.
std::string find_pdf_headline(_qpdf_data* pdf);

}  // namespace linkherd::parser
