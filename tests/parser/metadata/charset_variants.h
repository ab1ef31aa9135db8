// Encodes a page in other charsets as servers send it: with the correct label, without a label, and with wrong labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::tests {

struct CharsetVariant {
  std::string name;  // "gbk under meta utf-8"
  std::string bytes;
};

bool is_chinese(std::string_view utf8);  // has at least a dozen hanzi and few other letters outside ASCII

// Returns versions of the page in GBK, GB18030 and Big5. A character without a code in the encoding is written as a
// character reference, as publishers do. If an encoding lacks more than a few characters of the page (Big5 for
// simplified Chinese), it is skipped.
std::vector<CharsetVariant> charset_variants(std::string_view utf8_page);

}  // namespace linkherd::tests
