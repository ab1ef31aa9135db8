// Records facts about the TLS handshakes of a connection that curl does not report. They are the refused certificate of
// the chain and the reason, and whether the server requested a client certificate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/fetch/http/certificate.h"

struct ssl_ctx_st;

namespace linkherd::crawler {

// A connection outlives the transfer that opened it. Therefore the notes belong to the TLS context, of which this
// object holds a reference.
class HandshakeNotes {
 public:
  HandshakeNotes();
  ~HandshakeNotes();
  HandshakeNotes(const HandshakeNotes&) = delete;
  HandshakeNotes& operator=(const HandshakeNotes&) = delete;

  // Records the handshakes of `context` from now on. Records of another context are dropped. Throws std::bad_alloc.
  void attach(ssl_ctx_st* context);

  // Makes these handshakes verify like browsers. `missing_issuers` (in DER) may be part of the chain although the
  // server does not send them. A certificate without a host name or address in its subject alternative names is
  // refused.
  void verify(const std::vector<std::string>& missing_issuers);

  // Returns true if the server requested a client certificate.
  bool has_certificate_request() const;
  // Returns why the server's certificate was refused, or nullopt if it was not.
  std::optional<CertificateFault> fault() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace linkherd::crawler
