// Undoes the content codings of a body (gzip, deflate, br): bounded in what comes out, and tolerant of servers that
// label wrongly. Runs on the threads that parse, so that a bomb stalls no transfer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::crawler {

struct HopAnswer;

struct DecodedBody {
  std::string bytes;
  bool complete = true;  // false: cut by the cap, or the coding broke off; `bytes` is what there was until then
};

// `content_encoding`: the header's value, at most two codings; unknown words mean "not coded". What is labelled as
// coded but is not passes through. A coding that nobody asked for (zstd, compress) gives nothing.
DecodedBody decode_body(std::string_view content_encoding, std::string raw, std::size_t max_bytes);

// The same for an answer, once: a second call changes nothing. Its lease follows the size.
void decode_content(HopAnswer& answer, std::size_t max_bytes);

}  // namespace linkherd::crawler
