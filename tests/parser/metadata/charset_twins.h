// Makes copies of a page in other encodings, with the right label, no label and wrong labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::tests {

struct CharsetTwin {
  std::string name;  // "gbk under meta utf-8"
  std::string bytes;
};

bool is_chinese(std::string_view utf8);  // has a dozen hanzi, and few letters of other scripts outside ASCII

// Twins in GBK, GB18030 and Big5. What an encoding has no code for is written as a reference, as publishers do; an
// encoding that lacks more than a few of a page's characters (Big5 for simplified text) is left out.
std::vector<CharsetTwin> charset_twins(std::string_view utf8_page);

}  // namespace linkherd::tests
