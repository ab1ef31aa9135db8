// Undoes gzip for lists that come compressed (sitemap.xml.gz), within a bound: what comes out never takes more memory
// than asked for, whatever the bytes promise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parser/enum_names.h"

namespace linkherd::parser {

// What is wrong with the bytes; what came out until then counts all the same.
enum class GzipProblem : std::uint8_t { none, truncated, too_large, broken };
inline constexpr std::array<EnumName<GzipProblem>, 4> gzip_problem_names{{{GzipProblem::none, "none"},
                                                                          {GzipProblem::truncated, "gzip_truncated"},
                                                                          {GzipProblem::too_large, "gzip_too_large"},
                                                                          {GzipProblem::broken, "gzip_broken"}}};

struct Gunzipped {
  std::string text;
  GzipProblem problem = GzipProblem::none;
};

// Whether the bytes begin as gzip does.
bool is_gzip(std::string_view bytes);

// All members of the file, one behind the other, but no more than `max_bytes`.
Gunzipped gunzip(std::string_view bytes, std::size_t max_bytes);

}  // namespace linkherd::parser
