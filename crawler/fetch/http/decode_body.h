// Decodes the content codings of a body (gzip, deflate, br). The output size is bounded, and servers that label a body
// wrongly are tolerated. It runs on the parser threads, so that a decompression bomb does not delay transfers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::crawler {

struct AttemptResult;

struct DecodedBody {
  std::string bytes;
  bool complete = true;  // false: cut by the limit, or the coding broke off; `bytes` has everything before that
};

// `content_encoding` is the value of the header, with at most two codings. Unknown names mean "not coded". A body that
// is labelled as coded, but is not, passes through unchanged. A coding that linkherd does not request (zstd, compress)
// gives no bytes.
DecodedBody decode_body(std::string_view content_encoding, std::string raw, std::size_t max_bytes);

// Decodes the body of a response. A second call changes nothing. The lease of the response follows the new size.
void decode_content(AttemptResult& response, std::size_t max_bytes);

}  // namespace linkherd::crawler
