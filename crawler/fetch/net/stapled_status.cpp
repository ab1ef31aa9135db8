#include "crawler/fetch/net/stapled_status.h"

#include <memory>

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>

#include "crawler/fetch/http/c_pointer.h"

namespace linkherd::crawler {

namespace {

using Response = std::unique_ptr<OCSP_RESPONSE, Free<OCSP_RESPONSE_free>>;
using BasicResponse = std::unique_ptr<OCSP_BASICRESP, Free<OCSP_BASICRESP_free>>;
using CertificateId = std::unique_ptr<OCSP_CERTID, Free<OCSP_CERTID_free>>;

constexpr long clock_difference = 300;  // tolerated clock difference of the authority, in seconds

BasicResponse read_response(SSL* session) {
  const unsigned char* bytes = nullptr;
  const long length = SSL_get_tlsext_status_ocsp_resp(session, &bytes);
  if (bytes == nullptr || length <= 0) return nullptr;
  const Response response(d2i_OCSP_RESPONSE(nullptr, &bytes, length));
  if (!response || OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) return nullptr;
  return BasicResponse(OCSP_response_get1_basic(response.get()));
}

// Returns true if the response calls the certificate revoked, under either hash that identifies it.
bool says_revoked(OCSP_BASICRESP* response, X509* certificate, X509* issuer) {
  for (const EVP_MD* digest : {EVP_sha1(), EVP_sha256()}) {
    const CertificateId id(OCSP_cert_to_id(digest, certificate, issuer));
    int status = V_OCSP_CERTSTATUS_UNKNOWN;
    int reason = 0;
    ASN1_GENERALIZEDTIME* revoked = nullptr;
    ASN1_GENERALIZEDTIME* from = nullptr;
    ASN1_GENERALIZEDTIME* until = nullptr;
    if (id && OCSP_resp_find_status(response, id.get(), &status, &reason, &revoked, &from, &until) == 1)
      return status == V_OCSP_CERTSTATUS_REVOKED && OCSP_check_validity(from, until, clock_difference, -1) == 1;
  }
  return false;
}

// The signature is verified last, and only for a revoked certificate, because it is the only slow step.
bool is_revoked(SSL* session) {
  STACK_OF(X509)* const chain = SSL_get0_verified_chain(session);
  if (chain == nullptr || sk_X509_num(chain) < 2) return false;
  const BasicResponse response = read_response(session);
  return response && says_revoked(response.get(), sk_X509_value(chain, 0), sk_X509_value(chain, 1)) &&
         OCSP_basic_verify(response.get(), chain, SSL_CTX_get_cert_store(SSL_get_SSL_CTX(session)), 0) == 1;
}

// Returning 0 ends the handshake.
int on_status(SSL* session, void* /*unused*/) {
  const bool revoked = is_revoked(session);
  ERR_clear_error();
  return revoked ? 0 : 1;
}

}  // namespace

void check_stapled_status(ssl_ctx_st* context) {
  SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
  // The expansion of an OpenSSL macro that uses a C cast.
  SSL_CTX_callback_ctrl(context, SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB, reinterpret_cast<void (*)()>(&on_status));
}

}  // namespace linkherd::crawler
