// Finds the end of a host name in running text of a script without spaces. The host of "中文.cn查看" ends after "cn",
// and the host "plain.中文-h2.com" does not end before "中".
#pragma once

#include <cstddef>
#include <string_view>

namespace linkherd::parser {

// Returns the length of the host name at the start of `text`, or 0 if there is none. The name ends with a public suffix
// such as "cn" or "中国". Ideographic full stops count as dots inside a name.
std::size_t unicode_host_length(std::string_view text);

// Returns true if an ASCII name is a complete host, so that ideographs after it are text: "a.cn" in "a.cn即可".
bool is_complete_host(std::string_view name);

}  // namespace linkherd::parser
