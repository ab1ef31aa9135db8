// Evaluates the OCSP response that a server may staple to its handshake (RFC 6066, 8), which says whether its
// certificate is revoked. A response counts only if the authority has signed it and it is valid now. Any other
// response, or none, proves nothing.
#pragma once

struct ssl_ctx_st;

namespace linkherd::crawler {

// Requests the response in every handshake of `context`, and ends handshakes whose certificate is revoked.
void check_stapled_status(ssl_ctx_st* context);

}  // namespace linkherd::crawler
