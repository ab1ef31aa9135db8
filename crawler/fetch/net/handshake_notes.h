// Notes of the TLS handshakes of a connection what curl does not pass on: which certificate of the chain was refused
// and why, and whether the server asked for a certificate of ours.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/fetch/http/certificate.h"

struct ssl_ctx_st;

namespace linkherd::crawler {

// A connection outlives the transfer that opened it, so the notes belong to its TLS context, which this holds.
class HandshakeNotes {
 public:
  HandshakeNotes();
  ~HandshakeNotes();
  HandshakeNotes(const HandshakeNotes&) = delete;
  HandshakeNotes& operator=(const HandshakeNotes&) = delete;

  // Of this context's handshakes from now on, those of another one are forgotten. Throws std::bad_alloc.
  void attach(ssl_ctx_st* context);

  // Verifies in these handshakes as browsers do: `missing_issuers`, in DER, may be part of the chain though the server
  // does not send them, and a certificate that names its host in no subject alternative name is refused.
  void verify(const std::vector<std::string>& missing_issuers);

  // The server asked for a client certificate.
  bool has_certificate_request() const;
  // Why the server's certificate was refused; nullopt if it was not.
  std::optional<CertificateFault> fault() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace linkherd::crawler
