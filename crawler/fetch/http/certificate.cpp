#include "crawler/fetch/http/certificate.h"

#include <chrono>
#include <memory>
#include <new>
#include <string_view>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace linkherd::crawler {

namespace {

// curl's names for the parts, in its text form of a certificate.
constexpr std::string_view subject_label = "Subject:";
constexpr std::string_view issuer_label = "Issuer:";
constexpr std::string_view start_label = "Start date:";
constexpr std::string_view expiry_label = "Expire date:";
constexpr std::string_view names_label = "X509v3 Subject Alternative Name:";

std::optional<Timestamp> read_date(std::string_view text) {
  const std::time_t date = curl_getdate(std::string(text).c_str(), nullptr);
  if (date == -1) return std::nullopt;
  return Timestamp(std::chrono::seconds(date));
}

std::string day_of(const std::optional<Timestamp>& time) { return format_timestamp(*time).substr(0, 10); }

// As long as a person would read; a certificate may name ten thousand hosts.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 200;
  return text.size() <= longest ? text : text.substr(0, longest) + "…";
}

// OpenSSL would ask for the password on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

}  // namespace

std::optional<CertificateFacts> read_certificate(CURL* easy) {
  curl_certinfo* chain = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr || chain->num_of_certs == 0) {
    return std::nullopt;
  }
  CertificateFacts facts;
  for (const curl_slist* part = chain->certinfo[0]; part != nullptr; part = part->next) {
    const std::string_view line = part->data;
    if (line.starts_with(subject_label)) facts.certificate.subject = line.substr(subject_label.size());
    if (line.starts_with(issuer_label)) facts.certificate.issuer = line.substr(issuer_label.size());
    if (line.starts_with(start_label)) facts.starts = read_date(line.substr(start_label.size()));
    if (line.starts_with(expiry_label)) facts.certificate.expires = read_date(line.substr(expiry_label.size()));
    if (line.starts_with(names_label)) facts.names = line.substr(names_label.size());
  }
  return facts;
}

std::string describe_certificate_failure(FailureKind failure, const CertificateFacts* facts) {
  switch (failure) {
    case FailureKind::tls_expired:
      if (facts == nullptr || !facts->certificate.expires) return "certificate expired";
      return "certificate expired on " + day_of(facts->certificate.expires);
    case FailureKind::tls_not_yet_valid:
      if (facts == nullptr || !facts->starts) return "certificate is not valid yet";
      return "certificate is not valid before " + day_of(facts->starts);
    case FailureKind::tls_wrong_host:
      if (facts == nullptr) return "certificate is for another host";
      return "certificate is for another host: " +
             shortened(facts->names.empty() ? facts->certificate.subject : facts->names);
    case FailureKind::tls_self_signed: return "certificate is self-signed";
    case FailureKind::tls_revoked: return "certificate is revoked";
    case FailureKind::tls_weak: return "certificate has a key or a signature that is too weak";
    default:
      if (facts == nullptr) return "certificate is not signed by a known authority";
      return "certificate is not signed by a known authority: " + shortened(facts->certificate.issuer);
  }
}

std::optional<Error> find_client_certificate_fault(const std::string& certificate, const std::string& key) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  bool asked_for_password = false;
  SSL_CTX_set_default_passwd_cb(context.get(), &no_password);
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &asked_for_password);
  const std::string& key_file = key.empty() ? certificate : key;
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    return Error{certificate + " holds no certificate that can be read (PEM is wanted)"};
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (asked_for_password) return Error{"the key in " + key_file + " has a password: store it without one"};
    return Error{key_file + " holds no private key of this certificate (PEM is wanted)"};
  }
  return std::nullopt;
}

std::optional<Error> find_authorities_fault(std::string_view pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                       &BIO_free);
  if (!text) throw std::bad_alloc();
  bool asked_for_password = false;
  std::size_t certificates = 0;
  while (X509* certificate = PEM_read_bio_X509_AUX(text.get(), nullptr, &no_password, &asked_for_password)) {
    ++certificates;
    X509_free(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates == 0) return Error{"holds no certificate that can be read (PEM is wanted)"};
  if (!at_end)
    return Error{fmt::format("holds a certificate that cannot be read, number {}: take it out", certificates + 1)};
  return std::nullopt;
}

}  // namespace linkherd::crawler
