#include "tests/support/tls_certificates.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "crawler/fetch/http/c_pointer.h"

namespace linkherd::tests {
namespace {

using crawler::Free;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;

void check_tls(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(std::string("OpenSSL cannot make a test certificate: ") + what);
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  check_tls(key != nullptr, "key");
  return key;
}

struct Validity {
  long from_days = 0;  // relative to today
  long to_days = 0;
};

struct Issuer {
  X509* certificate = nullptr;  // null if self-signed
  EVP_PKEY* key = nullptr;
};

void add_extension(X509& certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  check_tls(extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1, "extension");
}

// Adds an alternative name with arbitrary bytes, which the text form of extensions cannot express.
void add_host_name(X509& certificate, const std::string& name) {
  const std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>> names(GENERAL_NAMES_new());
  std::unique_ptr<GENERAL_NAME, Free<GENERAL_NAME_free>> entry(GENERAL_NAME_new());
  ASN1_IA5STRING* const text = ASN1_IA5STRING_new();
  check_tls(names != nullptr && entry != nullptr && text != nullptr, "alternative name");
  GENERAL_NAME_set0_value(entry.get(), GEN_DNS, text);
  check_tls(ASN1_STRING_set(text, name.data(), static_cast<int>(name.size())) == 1 &&
                sk_GENERAL_NAME_push(names.get(), entry.get()) > 0,
            "alternative name");
  std::ignore = entry.release();  // the list owns it now
  check_tls(X509_add1_ext_i2d(&certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1,
            "extension");
}

Certificate make_certificate(const std::string& common_name, EVP_PKEY& key, Validity validity) {
  static std::atomic<long> serial = 1000;
  constexpr long seconds_a_day = 86'400;
  Certificate certificate(X509_new());
  check_tls(certificate != nullptr, "certificate");
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.from_days * seconds_a_day);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.to_days * seconds_a_day);
  if (common_name.empty()) {
    check_tls(X509_set_pubkey(certificate.get(), &key) == 1, "public key");
    return certificate;
  }
  const std::string name = common_name.substr(0, 64);  // the limit of X.520; only the subject alternative name matters
  check_tls(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                                       reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1,
            "name");
  check_tls(X509_set_pubkey(certificate.get(), &key) == 1, "public key");
  return certificate;
}

void sign(X509& certificate, const Issuer& issuer, const EVP_MD* digest = EVP_sha256()) {
  X509* const issuing = issuer.certificate == nullptr ? &certificate : issuer.certificate;
  check_tls(X509_set_issuer_name(&certificate, X509_get_subject_name(issuing)) == 1, "issuer");
  check_tls(X509_sign(&certificate, issuer.key, digest) > 0, "signature");
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

// Returns "*.b.test" for "a.b.test".
std::string above(const std::string& host) { return "*" + host.substr(std::min(host.find('.'), host.size())); }

std::string many_names(const std::string& host, int count) {
  std::string names = "DNS:" + host;
  for (int i = 1; i < count; ++i) names += ",DNS:other-" + std::to_string(i) + ".test";
  return names;
}

std::string to_pem(X509& certificate) {
  const Bio memory(BIO_new(BIO_s_mem()));
  check_tls(PEM_write_bio_X509(memory.get(), &certificate) == 1, "PEM");
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(length)};
}

template <class T>
std::string to_der(T* object, int (*encode)(const T*, unsigned char**)) {
  unsigned char* bytes = nullptr;
  const int length = encode(object, &bytes);
  check_tls(length > 0, "DER");
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return der;
}

std::string to_pkcs7(X509& certificate) {
  const std::unique_ptr<PKCS7, Free<PKCS7_free>> bundle(PKCS7_new());
  check_tls(bundle != nullptr && PKCS7_set_type(bundle.get(), NID_pkcs7_signed) == 1 &&
                PKCS7_content_new(bundle.get(), NID_pkcs7_data) == 1 &&
                PKCS7_add_certificate(bundle.get(), &certificate) == 1,
            "PKCS 7");
  return to_der<PKCS7>(bundle.get(), &i2d_PKCS7);
}

// Returns an OCSP response of `issuer` for a certificate, which expires `to_days` from now.
std::string ocsp_response(X509& certificate, const Issuer& issuer, const Issuer& signer, bool revoked, long to_days) {
  constexpr long seconds_a_day = 86'400;
  const std::unique_ptr<OCSP_BASICRESP, Free<OCSP_BASICRESP_free>> basic(OCSP_BASICRESP_new());
  const std::unique_ptr<OCSP_CERTID, Free<OCSP_CERTID_free>> id(
      OCSP_cert_to_id(EVP_sha1(), &certificate, issuer.certificate));
  using Time = std::unique_ptr<ASN1_TIME, Free<ASN1_TIME_free>>;
  const Time from(X509_gmtime_adj(nullptr, -20 * seconds_a_day));
  const Time until(X509_gmtime_adj(nullptr, to_days * seconds_a_day));
  check_tls(OCSP_basic_add1_status(basic.get(), id.get(), revoked ? V_OCSP_CERTSTATUS_REVOKED : V_OCSP_CERTSTATUS_GOOD,
                                   OCSP_REVOKED_STATUS_KEYCOMPROMISE, revoked ? from.get() : nullptr, from.get(),
                                   until.get()) != nullptr,
            "OCSP status");
  check_tls(OCSP_basic_sign(basic.get(), signer.certificate, signer.key, EVP_sha256(), nullptr, 0) == 1,
            "OCSP signature");
  const std::unique_ptr<OCSP_RESPONSE, Free<OCSP_RESPONSE_free>> response(
      OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic.get()));
  return to_der<OCSP_RESPONSE>(response.get(), &i2d_OCSP_RESPONSE);
}

// Returns the SNI host name from the client's first message.
std::string asked_name(SSL* session) {
  constexpr std::size_t before_name = 5;  // length of the list, type, length of the name
  const unsigned char* bytes = nullptr;
  std::size_t length = 0;
  if (SSL_client_hello_get0_ext(session, TLSEXT_TYPE_server_name, &bytes, &length) != 1 || length < before_name)
    return {};
  return {reinterpret_cast<const char*>(bytes) + before_name, length - before_name};
}

const std::string issuers_url = "http://issuers.test";

}  // namespace

struct TestAuthority::Impl {
  Key authority_key = make_key();
  Certificate authority = make_authority("linkherd test authority", *authority_key);
  Key stranger_key = make_key();
  Certificate stranger = make_authority("an authority that nobody knows", *stranger_key);
  Key intermediate_key = make_key();
  Certificate intermediate =
      make_between("an authority in between", *intermediate_key, {authority.get(), authority_key.get()});
  Key second_key = make_key();
  Certificate second = make_between("an authority two below", *second_key, {intermediate.get(), intermediate_key.get()},
                                    "/intermediate.der");
  Key server_key = make_key();
  Key weak_key, big_key;  // created on demand, because large keys are slow
  std::map<CertificateKind, std::pair<Key, Certificate>> intermediates;
  std::string pem = to_pem(*authority);

  std::mutex mutex;
  std::map<std::string, CertificateKind> kinds;
  std::map<std::pair<std::string, CertificateKind>, Certificate> made;

  // Sets the certificates of a session. Returns false if the handshake must fail.
  bool dress(SSL* session, const std::string& host) {
    const std::lock_guard lock(mutex);
    const auto found = kinds.find(host);
    const CertificateKind kind = found == kinds.end() ? CertificateKind::trusted : found->second;
    if (kind == CertificateKind::no_handshake) return false;
    if (kind == CertificateKind::weak_key || kind == CertificateKind::sha1) SSL_set_security_level(session, 0);
    Certificate& certificate = made[{host, kind}];
    if (certificate == nullptr) certificate = make(host, kind);
    bool worked =
        SSL_use_certificate(session, certificate.get()) == 1 && SSL_use_PrivateKey(session, &key_for(kind)) == 1;
    for (X509* link : chain(kind)) worked = worked && SSL_add1_chain_cert(session, link) == 1;
    return worked;
  }

  static Certificate make_between(const std::string& name, EVP_PKEY& key, const Issuer& issuer,
                                  const std::string& issuer_path = {}) {
    Certificate made_certificate = make_certificate(name, key, {-3650, 3650});
    add_extension(*made_certificate, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(*made_certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
    if (!issuer_path.empty())
      add_extension(*made_certificate, NID_info_access, "caIssuers;URI:" + issuers_url + issuer_path);
    sign(*made_certificate, issuer);
    return made_certificate;
  }

  // Returns the intermediate authority of a kind that has a separate one, or nullptr.
  const std::pair<Key, Certificate>* own_intermediate(CertificateKind kind) {
    Validity validity{-3650, 3650};
    std::string constraints = "critical,CA:TRUE";
    std::string names;
    switch (kind) {
      case CertificateKind::expired_intermediate:
      case CertificateKind::expired_intermediate_at_url: validity = {-400, -35}; break;
      case CertificateKind::future_intermediate: validity = {30, 365}; break;
      case CertificateKind::intermediate_for_others: names = "critical,permitted;DNS:somebody-else.test"; break;
      case CertificateKind::intermediate_no_authority: constraints = "critical,CA:FALSE"; break;
      default: return nullptr;
    }
    auto& [key, certificate] = intermediates[kind];
    if (certificate != nullptr) return &intermediates[kind];
    key = make_key();
    certificate = make_certificate("an authority of its own", *key, validity);
    add_extension(*certificate, NID_basic_constraints, constraints);
    if (!names.empty()) add_extension(*certificate, NID_name_constraints, names);
    sign(*certificate, {authority.get(), authority_key.get()});
    return &intermediates[kind];
  }

  static std::string issuer_path(CertificateKind kind) {
    switch (kind) {
      case CertificateKind::expired_intermediate_at_url: return "/expired.der";
      case CertificateKind::intermediate_at_url: return "/intermediate.der";
      case CertificateKind::two_at_urls: return "/second.p7c";
      case CertificateKind::stranger_at_url: return "/stranger.der";
      case CertificateKind::nothing_at_url: return "/nothing.der";
      default: return {};
    }
  }

  Issuer issuer_of(CertificateKind kind) {
    if (const auto* own = own_intermediate(kind)) return {own->second.get(), own->first.get()};
    switch (kind) {
      case CertificateKind::signed_by_old_key: return {authority.get(), stranger_key.get()};
      case CertificateKind::self_signed: return {nullptr, server_key.get()};
      case CertificateKind::stranger_with_root:
      case CertificateKind::stranger_at_url:
      case CertificateKind::untrusted_authority: return {stranger.get(), stranger_key.get()};
      case CertificateKind::with_intermediate:
      case CertificateKind::intermediate_twice:
      case CertificateKind::intermediate_missing:
      case CertificateKind::intermediate_at_url:
      case CertificateKind::nothing_at_url:
      case CertificateKind::stray_in_chain: return {intermediate.get(), intermediate_key.get()};
      case CertificateKind::two_at_urls: return {second.get(), second_key.get()};
      default: return {authority.get(), authority_key.get()};
    }
  }

  // OpenSSL calls this to get the OCSP response if the client requested stapling.
  static int on_status(SSL* session, void* self) {
    Impl& own = *static_cast<Impl*>(self);
    const char* const sni = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    const std::lock_guard lock(own.mutex);
    const auto found = own.kinds.find(sni == nullptr ? "127.0.0.1" : sni);
    if (found == own.kinds.end()) return SSL_TLSEXT_ERR_NOACK;
    const CertificateKind kind = found->second;
    const bool stranger_signs = kind == CertificateKind::stapled_by_stranger;
    if (!stranger_signs && kind != CertificateKind::stapled_good && kind != CertificateKind::stapled_revoked &&
        kind != CertificateKind::stapled_long_ago)
      return SSL_TLSEXT_ERR_NOACK;
    const Issuer issuer = own.issuer_of(kind);
    const std::string response = ocsp_response(
        *own.made[*found], issuer, stranger_signs ? Issuer{own.stranger.get(), own.stranger_key.get()} : issuer,
        kind != CertificateKind::stapled_good, kind == CertificateKind::stapled_long_ago ? -10 : 10);
    void* const copy = OPENSSL_memdup(response.data(), response.size());
    return SSL_set_tlsext_status_ocsp_resp(session, copy, static_cast<long>(response.size())) == 1
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
  }

  // OpenSSL calls this before it chooses the TLS version.
  static int on_hello(SSL* session, int* /*alert*/, void* self) {
    Impl& own = *static_cast<Impl*>(self);
    const std::lock_guard lock(own.mutex);
    const auto found = own.kinds.find(asked_name(session));
    if (found == own.kinds.end() || found->second != CertificateKind::old_protocol) return SSL_CLIENT_HELLO_SUCCESS;
    SSL_set_security_level(session, 0);
    SSL_set_min_proto_version(session, TLS1_VERSION);
    SSL_set_max_proto_version(session, TLS1_1_VERSION);
    return SSL_CLIENT_HELLO_SUCCESS;
  }

  EVP_PKEY& key_for(CertificateKind kind) {
    Key* const rsa = kind == CertificateKind::weak_key  ? &weak_key
                     : kind == CertificateKind::big_key ? &big_key
                                                        : nullptr;
    if (rsa == nullptr) return *server_key;
    if (*rsa == nullptr) rsa->reset(EVP_RSA_gen(kind == CertificateKind::weak_key ? 1024U : 8192U));
    check_tls(*rsa != nullptr, "RSA key");
    return **rsa;
  }

  static std::string common_name(const std::string& host, CertificateKind kind) {
    switch (kind) {
      case CertificateKind::hostile_name:
      case CertificateKind::wrong_host: return "somebody-else.test";
      case CertificateKind::no_common_name: return "nobody in particular";
      case CertificateKind::no_subject: return {};
      default: return host;
    }
  }

  static std::string names(const std::string& host, CertificateKind kind) {
    switch (kind) {
      case CertificateKind::wrong_host: return "DNS:somebody-else.test";
      case CertificateKind::wildcard: return "DNS:" + above(host);
      case CertificateKind::wildcard_above: return "DNS:" + above(above(host).substr(2));
      case CertificateKind::thousand_names: return many_names(host, 1000);
      case CertificateKind::ten_thousand_names: return many_names(host, 10'000);
      default: return alternative_name(host);
    }
  }

  Certificate make(const std::string& host, CertificateKind kind) {
    Validity validity{-30, 365};
    if (kind == CertificateKind::expired) validity = {-400, -35};
    if (kind == CertificateKind::not_yet_valid) validity = {30, 365};
    if (kind == CertificateKind::expires_tomorrow) validity = {-30, 1};
    Certificate certificate = make_certificate(common_name(host, kind), key_for(kind), validity);
    add_extension(*certificate, NID_basic_constraints, "critical,CA:FALSE");
    const bool critical = kind == CertificateKind::no_subject;  // RFC 5280, 4.2.1.6
    if (kind == CertificateKind::for_clients) add_extension(*certificate, NID_ext_key_usage, "clientAuth");
    if (kind == CertificateKind::critical_extension) {
      check_tls(OBJ_txt2nid("1.2.3.4.5") != NID_undef || OBJ_create("1.2.3.4.5", "strange", "strange") != NID_undef,
                "object");
      add_extension(*certificate, OBJ_txt2nid("1.2.3.4.5"), "critical,DER:0500");
    }
    if (kind == CertificateKind::only_common_name) {
      // No alternative names.
    } else if (kind == CertificateKind::hostile_name) {
      add_host_name(*certificate, "x\n\n##vso[task.complete]y\n\n::error::z\n\nlinkherd: error: fake");
    } else {
      add_extension(*certificate, NID_subject_alt_name, (critical ? "critical," : "") + names(host, kind));
    }
    const std::string path = issuer_path(kind);
    if (!path.empty()) add_extension(*certificate, NID_info_access, "caIssuers;URI:" + issuers_url + path);
    sign(*certificate, issuer_of(kind), kind == CertificateKind::sha1 ? EVP_sha1() : EVP_sha256());
    return certificate;
  }

  // Returns the certificates that are sent with the server certificate.
  std::vector<X509*> chain(CertificateKind kind) {
    if (kind == CertificateKind::intermediate_twice) return {authority.get(), intermediate.get(), intermediate.get()};
    const auto* own = issuer_path(kind).empty() ? own_intermediate(kind) : nullptr;
    if (own != nullptr) return {own->second.get()};
    if (kind == CertificateKind::with_intermediate) return {intermediate.get()};
    if (kind == CertificateKind::stranger_with_root) return {stranger.get()};
    if (kind == CertificateKind::stray_in_chain) return {stranger.get(), authority.get(), intermediate.get()};
    return {};
  }

  // OpenSSL calls this in every handshake to select the certificate. 0 ends the handshake with an alert.
  static int on_handshake(SSL* session, void* self) {
    const char* const sni = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    try {
      return static_cast<Impl*>(self)->dress(session, sni == nullptr ? "127.0.0.1" : sni) ? 1 : 0;
    } catch (const std::exception&) {  // exceptions must not cross OpenSSL's C code
      return 0;
    }
  }
};

TestAuthority::TestAuthority() : impl_(std::make_unique<Impl>()) {}
TestAuthority::~TestAuthority() = default;

const std::string& TestAuthority::certificate_pem() const { return impl_->pem; }

std::string TestAuthority::client_pem() const {
  const Key key = make_key();
  const Certificate certificate = make_certificate("a client", *key, {-30, 365});
  sign(*certificate, {impl_->authority.get(), impl_->authority_key.get()});
  const Bio memory(BIO_new(BIO_s_mem()));
  check_tls(PEM_write_bio_PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
            "PEM of a key");
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &bytes);
  return to_pem(*certificate) + std::string(bytes, static_cast<std::size_t>(length));
}

void TestAuthority::set_kind(const std::string& host, CertificateKind kind) {
  const std::lock_guard lock(impl_->mutex);
  impl_->kinds[host] = kind;
}

std::map<std::string, std::string> TestAuthority::issuer_files() const {
  const std::lock_guard lock(impl_->mutex);
  const auto* expired = impl_->own_intermediate(CertificateKind::expired_intermediate_at_url);
  return {{"/expired.der", to_der<X509>(expired->second.get(), &i2d_X509)},
          {"/intermediate.der", to_der<X509>(impl_->intermediate.get(), &i2d_X509)},
          {"/second.p7c", to_pkcs7(*impl_->second)},
          {"/stranger.der", to_der<X509>(impl_->stranger.get(), &i2d_X509)}};
}

void TestAuthority::install(ssl_ctx_st* context) {
  SSL_CTX_set_cert_cb(context, &Impl::on_handshake, impl_.get());
  SSL_CTX_set_client_hello_cb(context, &Impl::on_hello, impl_.get());
  SSL_CTX_callback_ctrl(context, SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB, reinterpret_cast<void (*)()>(&Impl::on_status));
  SSL_CTX_set_tlsext_status_arg(context, impl_.get());
}

}  // namespace linkherd::tests
