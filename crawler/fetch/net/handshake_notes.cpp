#include "crawler/fetch/net/handshake_notes.h"

#include <new>
#include <utility>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "crawler/fetch/http/c_pointer.h"

namespace linkherd::crawler {

namespace {

using Issuer = std::unique_ptr<X509, Free<X509_free>>;

struct Notes {
  bool has_certificate_request = false;
  std::optional<CertificateFault> fault;
  std::vector<Issuer> missing_issuers;
};

void free_notes(void* /*context*/, void* notes, CRYPTO_EX_DATA* /*data*/, int /*index*/, long /*number*/,
                void* /*argument*/) {
  delete static_cast<Notes*>(notes);  // NOLINT(cppcoreguidelines-owning-memory): OpenSSL owned them
}

int notes_index() {
  static const int index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr, nullptr, nullptr, &free_notes);
  return index;
}

Notes* notes_of(const SSL_CTX* context) { return static_cast<Notes*>(SSL_CTX_get_ex_data(context, notes_index())); }

// OpenSSL calls this if the server has requested a certificate, before the client certificate (if any) is sent.
int on_certificate_request(SSL* /*session*/, void* notes) {
  static_cast<Notes*>(notes)->has_certificate_request = true;
  return 1;
}

// Returns true if the certificate names a host or address in the field that browsers use.
bool has_host_name(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return true;
  }
  return false;
}

// OpenSSL calls this for each certificate of the chain, from the authority's down to the server's own. Returning 0 ends
// the handshake.
int on_certificate(int is_good, X509_STORE_CTX* verification) {
  if (is_good == 1 && X509_STORE_CTX_get_error_depth(verification) == 0 &&
      !has_host_name(X509_STORE_CTX_get_current_cert(verification))) {
    X509_STORE_CTX_set_error(verification, X509_V_ERR_HOSTNAME_MISMATCH);
    is_good = 0;
  }
  if (is_good == 1) return 1;
  const auto* const session =
      static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  Notes* const notes = session == nullptr ? nullptr : notes_of(SSL_get_SSL_CTX(session));
  if (notes != nullptr && !notes->fault) {
    try {
      notes->fault = read_certificate_fault(verification);
    } catch (const std::bad_alloc&) {  // no exception may pass through OpenSSL's C code
      return 0;
    }
  }
  return 0;
}

struct FreeBorrowed {  // frees the stack, not the certificates in it
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
};

int verify_with_issuers(X509_STORE_CTX* verification, void* notes) {
  STACK_OF(X509)* const sent = X509_STORE_CTX_get0_untrusted(verification);
  const std::unique_ptr<STACK_OF(X509), FreeBorrowed> all(sent == nullptr ? sk_X509_new_null() : sk_X509_dup(sent));
  if (!all) return 0;
  for (const Issuer& issuer : static_cast<const Notes*>(notes)->missing_issuers) sk_X509_push(all.get(), issuer.get());
  X509_STORE_CTX_set0_untrusted(verification, all.get());
  const int is_good = X509_verify_cert(verification);
  X509_STORE_CTX_set0_untrusted(verification, sent);
  return is_good;
}

}  // namespace

struct HandshakeNotes::Context {
  std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>> held;
};

HandshakeNotes::HandshakeNotes() : context_(std::make_unique<Context>()) {}
HandshakeNotes::~HandshakeNotes() = default;

void HandshakeNotes::attach(ssl_ctx_st* context) {
  auto notes = std::make_unique<Notes>();
  if (SSL_CTX_up_ref(context) != 1) throw std::bad_alloc();
  context_->held.reset(context);
  if (SSL_CTX_set_ex_data(context, notes_index(), notes.get()) != 1) throw std::bad_alloc();
  SSL_CTX_set_cert_cb(context, &on_certificate_request, notes.release());
}

void HandshakeNotes::verify(const std::vector<std::string>& missing_issuers) {
  SSL_CTX* const context = context_->held.get();
  Notes* const notes = notes_of(context);
  for (const std::string& der : missing_issuers) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
    if (Issuer issuer{d2i_X509(nullptr, &bytes, static_cast<long>(der.size()))})
      notes->missing_issuers.push_back(std::move(issuer));
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, &on_certificate);
  if (!notes->missing_issuers.empty()) SSL_CTX_set_cert_verify_callback(context, &verify_with_issuers, notes);
}

bool HandshakeNotes::has_certificate_request() const {
  return context_->held && notes_of(context_->held.get())->has_certificate_request;
}

std::optional<CertificateFault> HandshakeNotes::fault() const {
  return context_->held ? notes_of(context_->held.get())->fault : std::nullopt;
}

}  // namespace linkherd::crawler
