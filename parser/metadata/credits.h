// Extracts the roles of people from credit lines.
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
  std::size_t begin = 0;  // offset of the label
};

// "来源：新华社 作者：张三 责编：李四" has three credits. Empty if the text has none.
std::vector<Credit> credits_in(std::string_view text);

// The lower-case prefixes of credits in Latin script.
std::span<const std::string_view> latin_credit_labels();

void add_credits(const std::vector<Credit>& credits, double trust, Candidates& candidates);

}  // namespace linkherd::parser
