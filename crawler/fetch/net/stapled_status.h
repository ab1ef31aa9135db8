// The word of an authority about its certificate that a server may send along (an OCSP response, RFC 6066, 8): says
// whether the certificate has been revoked. Only one that is signed by the authority and valid now counts; all else,
// and none, says nothing.
#pragma once

struct ssl_ctx_st;

namespace linkherd::crawler {

// Asks for it in every handshake of this context, and ends those whose certificate it calls revoked.
void heed_stapled_status(ssl_ctx_st* context);

}  // namespace linkherd::crawler
