#include "tests/support/tls_certificates.h"

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace linkherd::tests {
namespace {

template <auto free_function>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;

void check(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(std::string("OpenSSL cannot make a test certificate: ") + what);
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  check(key != nullptr, "key");
  return key;
}

struct Validity {
  long from_days = 0;  // from today
  long to_days = 0;
};

struct Issuer {
  X509* certificate = nullptr;  // null: self-signed
  EVP_PKEY* key = nullptr;
};

void add_extension(X509& certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  check(extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1, "extension");
}

Certificate make_certificate(const std::string& common_name, EVP_PKEY& key, Validity validity) {
  static std::atomic<long> serial = 1000;
  constexpr long seconds_a_day = 86'400;
  Certificate certificate(X509_new());
  check(certificate != nullptr, "certificate");
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.from_days * seconds_a_day);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.to_days * seconds_a_day);
  const std::string name = common_name.substr(0, 64);  // X.520's bound; what counts is the subject alternative name
  check(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1,
        "name");
  check(X509_set_pubkey(certificate.get(), &key) == 1, "public key");
  return certificate;
}

void sign(X509& certificate, const Issuer& issuer) {
  X509* const issuing = issuer.certificate == nullptr ? &certificate : issuer.certificate;
  check(X509_set_issuer_name(&certificate, X509_get_subject_name(issuing)) == 1, "issuer");
  check(X509_sign(&certificate, issuer.key, EVP_sha256()) > 0, "signature");
}

Certificate make_authority(const std::string& name, EVP_PKEY& key) {
  Certificate authority = make_certificate(name, key, {-3650, 3650});
  add_extension(*authority, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(*authority, NID_key_usage, "critical,keyCertSign,cRLSign");
  sign(*authority, {nullptr, &key});
  return authority;
}

std::string alternative_name(const std::string& host) {
  const bool is_address = host.find_first_not_of("0123456789.") == std::string::npos;
  return (is_address ? "IP:" : "DNS:") + host;
}

std::string to_pem(X509& certificate) {
  const Bio memory(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(memory.get(), &certificate) == 1, "PEM");
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(length)};
}

}  // namespace

struct TestAuthority::Impl {
  Key authority_key = make_key();
  Certificate authority = make_authority("linkherd test authority", *authority_key);
  Key stranger_key = make_key();
  Certificate stranger = make_authority("an authority that nobody knows", *stranger_key);
  Key server_key = make_key();
  std::string pem = to_pem(*authority);

  std::mutex mutex;
  std::map<std::string, CertificateKind> kinds;
  std::map<std::pair<std::string, CertificateKind>, Certificate> made;

  // The certificate of `host`, made at need; null where the handshake is to fail.
  X509* server_certificate(const std::string& host) {
    const std::lock_guard lock(mutex);
    const auto found = kinds.find(host);
    const CertificateKind kind = found == kinds.end() ? CertificateKind::trusted : found->second;
    if (kind == CertificateKind::no_handshake) return nullptr;
    Certificate& certificate = made[{host, kind}];
    if (certificate == nullptr) certificate = make(host, kind);
    return certificate.get();
  }

  Certificate make(const std::string& host, CertificateKind kind) {
    Validity validity{-30, 365};
    if (kind == CertificateKind::expired) validity = {-400, -35};
    if (kind == CertificateKind::not_yet_valid) validity = {30, 365};
    const std::string name = kind == CertificateKind::wrong_host ? "somebody-else.test" : host;
    Certificate certificate = make_certificate(name, *server_key, validity);
    add_extension(*certificate, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(*certificate, NID_subject_alt_name, alternative_name(name));
    if (kind == CertificateKind::self_signed) {
      sign(*certificate, {nullptr, server_key.get()});
    } else if (kind == CertificateKind::untrusted_authority) {
      sign(*certificate, {stranger.get(), stranger_key.get()});
    } else {
      sign(*certificate, {authority.get(), authority_key.get()});
    }
    return certificate;
  }

  // OpenSSL asks here in every handshake which certificate to show. 0 ends the handshake with an alert.
  static int on_handshake(SSL* session, void* self) {
    const char* const sni = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    try {
      auto& impl = *static_cast<Impl*>(self);
      X509* const certificate = impl.server_certificate(sni == nullptr ? "127.0.0.1" : sni);
      if (certificate == nullptr) return 0;
      return SSL_use_certificate(session, certificate) == 1 && SSL_use_PrivateKey(session, impl.server_key.get()) == 1;
    } catch (const std::exception&) {  // no exception may pass through OpenSSL's C code
      return 0;
    }
  }
};

TestAuthority::TestAuthority() : impl_(std::make_unique<Impl>()) {}
TestAuthority::~TestAuthority() = default;

const std::string& TestAuthority::certificate_pem() const { return impl_->pem; }

void TestAuthority::set_kind(const std::string& host, CertificateKind kind) {
  const std::lock_guard lock(impl_->mutex);
  impl_->kinds[host] = kind;
}

void TestAuthority::install(ssl_ctx_st* context) { SSL_CTX_set_cert_cb(context, &Impl::on_handshake, impl_.get()); }

}  // namespace linkherd::tests
