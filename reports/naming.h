// How reports call a link, its host, and the places where it is written. Raw text: whoever prints it escapes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/lists/link_occurrence.h"
#include "parser/timestamp.h"
#include "storage/run.h"

namespace linkherd::reports {

// What was to be fetched, without fragment; as written where that is no URL.
std::string_view link_url(const storage::CheckedLink& link);

// "zhuanlan.zhihu.com"; empty for what has no host.
std::string link_host(const storage::CheckedLink& link);

// "resources.md:99:12", as editors and terminals open it.
std::string place(const parser::LinkOccurrence& occurrence);

// "1 link", "3 links".
std::string counted(std::size_t number, std::string_view noun);

std::string day(Timestamp time);     // "2026-03-05"
std::string minute(Timestamp time);  // "2026-03-05 10:20 UTC"

}  // namespace linkherd::reports
