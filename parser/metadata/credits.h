// Extracts people and their roles from credit lines: "来源：新华社 作者：张三 责编：李四".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/metadata/candidates.h"

namespace linkherd::parser {

enum class CreditRole : std::uint8_t { author, editor, translator, origin };

struct Credit {
  CreditRole role;
  std::string text;
  std::size_t begin = 0;  // offset of the label in the text
};

// Returns the credits of a text in order. Empty if it has none. "来源：新华社 作者：张三 责编：李四" has three.
std::vector<Credit> find_credits(std::string_view text);

// Returns the lower-case labels of credits in Latin script.
std::span<const std::string_view> latin_credit_labels();

void add_credits(const std::vector<Credit>& credits, double trust, Candidates& candidates);

}  // namespace linkherd::parser
