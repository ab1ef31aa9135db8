#include "crawler/fetch/http/certificate_chain.h"

#include <algorithm>
#include <new>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "crawler/fetch/http/c_pointer.h"

namespace linkherd::crawler {

namespace {

using X509Pointer = std::unique_ptr<X509, Free<X509_free>>;
using BioPointer = std::unique_ptr<BIO, Free<BIO_free>>;

struct FreeStack {  // frees the stack, not the certificates in it
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
};

constexpr std::size_t max_certificates = 30;

BioPointer reader(std::string_view bytes) {
  BioPointer bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
  if (!bio) throw std::bad_alloc();
  return bio;
}

X509Pointer read_pem(std::string_view text) {
  return X509Pointer(PEM_read_bio_X509(reader(text).get(), nullptr, nullptr, nullptr));
}

X509Pointer read_der(std::string_view bytes) { return X509Pointer(d2i_X509_bio(reader(bytes).get(), nullptr)); }

std::vector<X509Pointer> read_pkcs7(std::string_view bytes) {
  std::unique_ptr<PKCS7, Free<PKCS7_free>> bundle(d2i_PKCS7_bio(reader(bytes).get(), nullptr));
  if (!bundle) bundle.reset(PEM_read_bio_PKCS7(reader(bytes).get(), nullptr, nullptr, nullptr));
  std::vector<X509Pointer> certificates;
  if (!bundle || PKCS7_type_is_signed(bundle.get()) == 0 || bundle->d.sign == nullptr) return certificates;
  const STACK_OF(X509)* const held = bundle->d.sign->cert;
  for (int i = 0; held != nullptr && i < sk_X509_num(held); ++i) {
    X509* const certificate = sk_X509_value(held, i);
    X509_up_ref(certificate);
    certificates.emplace_back(certificate);
  }
  return certificates;
}

std::string_view text_of(const ASN1_STRING* text) {
  const void* const bytes = ASN1_STRING_get0_data(text);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::optional<std::string> issuer_url(const X509* certificate) {
  constexpr std::string_view scheme = "http://";  // another TLS connection might need the same certificate
  const std::unique_ptr<AUTHORITY_INFO_ACCESS, Free<AUTHORITY_INFO_ACCESS_free>> access(
      static_cast<AUTHORITY_INFO_ACCESS*>(X509_get_ext_d2i(certificate, NID_info_access, nullptr, nullptr)));
  for (int i = 0; access && i < sk_ACCESS_DESCRIPTION_num(access.get()); ++i) {
    const ACCESS_DESCRIPTION* const one = sk_ACCESS_DESCRIPTION_value(access.get(), i);
    if (OBJ_obj2nid(one->method) != NID_ad_ca_issuers || one->location->type != GEN_URI) continue;
    const std::string_view url = text_of(one->location->d.uniformResourceIdentifier);
    if (url.starts_with(scheme)) return std::string(url);
  }
  return std::nullopt;
}

bool is_issuer(X509* issuer, X509* of) { return X509_check_issued(issuer, of) == X509_V_OK; }

}  // namespace

struct KnownAuthorities::Impl {
  std::string file;
  std::unique_ptr<X509_STORE, Free<X509_STORE_free>> store{};

  X509_STORE* read() {
    if (!store) {
      store.reset(X509_STORE_new());
      if (!store) throw std::bad_alloc();
      // If the file cannot be read, no authority is known; curl behaves likewise.
      X509_STORE_load_file(store.get(), file.c_str());
      ERR_clear_error();
    }
    return store.get();
  }
};

KnownAuthorities::KnownAuthorities(std::string file) : impl_(std::make_unique<Impl>()) {
  impl_->file = std::move(file);
}
KnownAuthorities::~KnownAuthorities() = default;

struct CertificateChain::Impl {
  std::vector<X509Pointer> certificates;  // the server's own first
  std::size_t sent = 0;                   // certificates from the server; the following ones were added

  bool keep(X509Pointer certificate) {
    const auto is_same = [&certificate](const X509Pointer& known) {
      return X509_cmp(known.get(), certificate.get()) == 0;
    };
    if (!certificate || certificates.size() == max_certificates || std::ranges::any_of(certificates, is_same))
      return false;
    certificates.push_back(std::move(certificate));
    return true;
  }

  // Returns the last certificate of the path from the server's own towards an authority.
  X509* last() const {
    if (certificates.empty()) return nullptr;
    X509* last = certificates.front().get();
    for (std::size_t step = 0; step < certificates.size(); ++step) {
      const auto issuer = std::ranges::find_if(
          certificates, [last](const X509Pointer& one) { return one.get() != last && is_issuer(one.get(), last); });
      if (issuer == certificates.end() || is_issuer(last, last)) break;
      last = issuer->get();
    }
    return last;
  }
};

CertificateChain::CertificateChain(const std::vector<std::string>& pem) : impl_(std::make_unique<Impl>()) {
  for (const std::string& text : pem) impl_->keep(read_pem(text));
  impl_->sent = impl_->certificates.size();
  ERR_clear_error();
}
CertificateChain::~CertificateChain() = default;

std::optional<std::string> CertificateChain::missing_issuer_url() const {
  X509* const last = impl_->last();
  if (last == nullptr || is_issuer(last, last)) return std::nullopt;
  return issuer_url(last);
}

bool CertificateChain::add(std::string_view file) {
  if (file.size() > max_file_bytes) return false;
  const X509* const before = impl_->last();
  if (X509Pointer one = read_der(file)) {
    impl_->keep(std::move(one));
  } else if (X509Pointer text = read_pem(file)) {
    impl_->keep(std::move(text));
  } else {
    for (X509Pointer& certificate : read_pkcs7(file)) impl_->keep(std::move(certificate));
  }
  ERR_clear_error();
  return impl_->last() != before;
}

std::optional<CertificateFault> CertificateChain::verify(KnownAuthorities& authorities, const std::string& host) const {
  CertificateFault fault;
  fault.error = X509_V_ERR_UNSPECIFIED;
  if (impl_->certificates.empty()) return fault;
  const std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  const std::unique_ptr<STACK_OF(X509), FreeStack> others(sk_X509_new_null());
  if (!context || !others) throw std::bad_alloc();
  for (const X509Pointer& certificate : impl_->certificates) sk_X509_push(others.get(), certificate.get());
  bool is_good = false;
  if (X509_STORE_CTX_init(context.get(), authorities.impl_->read(), impl_->certificates.front().get(), others.get()) ==
      1) {
    X509_STORE_CTX_set_default(context.get(), "ssl_server");
    X509_VERIFY_PARAM* const wanted = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1) X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), 0);
    is_good = X509_verify_cert(context.get()) == 1;
    if (!is_good) fault = read_certificate_fault(context.get());
  }
  ERR_clear_error();
  return is_good ? std::nullopt : std::optional(std::move(fault));
}

std::vector<std::string> CertificateChain::added() const {
  std::vector<std::string> der;
  for (std::size_t i = impl_->sent; i < impl_->certificates.size(); ++i) {
    unsigned char* bytes = nullptr;
    const int length = i2d_X509(impl_->certificates[i].get(), &bytes);
    if (length <= 0) continue;
    der.emplace_back(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
    OPENSSL_free(bytes);
  }
  return der;
}

}  // namespace linkherd::crawler
