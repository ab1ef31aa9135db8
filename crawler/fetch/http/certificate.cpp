#include "crawler/fetch/http/certificate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

// curl's labels in its text form of a certificate.
constexpr std::string_view subject_label = "Subject:";
constexpr std::string_view issuer_label = "Issuer:";
constexpr std::string_view start_label = "Start date:";
constexpr std::string_view expiry_label = "Expire date:";
constexpr std::string_view names_label = "X509v3 Subject Alternative Name:";
constexpr std::string_view pem_label = "Cert:";

constexpr int max_chain_certificates = 20;  // of those that the server sends

std::optional<Timestamp> read_date(std::string_view text) {
  const std::time_t date = curl_getdate(std::string(text).c_str(), nullptr);
  if (date == -1) return std::nullopt;
  return Timestamp(std::chrono::seconds(date));
}

// Returns the day and its distance from now: "2024-05-01, 3 days ago", "2024-05-01, in 2 years".
std::string describe_day(Timestamp time, Timestamp now) {
  const auto days = std::chrono::duration_cast<std::chrono::days>(time < now ? now - time : time - now).count();
  constexpr std::int64_t days_a_month = 30;
  constexpr std::int64_t days_a_year = 365;
  const auto [number, unit] = days >= 2 * days_a_year    ? std::pair(days / days_a_year, "year")
                              : days >= 3 * days_a_month ? std::pair(days / days_a_month, "month")
                                                         : std::pair(days, "day");
  const std::string span = days == 0 ? "less than a day" : fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
  return fmt::format("{}, {}", format_timestamp(time).substr(0, 10), time < now ? span + " ago" : "in " + span);
}

// Shortens a text to a length that people read.
std::string shortened(std::string_view text) {
  constexpr std::size_t max_bytes = 100;
  std::string short_text(truncate_utf8(text, max_bytes));
  if (short_text.size() < text.size()) short_text += "…";
  return short_text;
}

// Returns "a.example, b.example and 998 more", because a certificate may name ten thousand hosts. `names` has OpenSSL's
// format.
std::string describe_hosts(std::string_view names) {
  constexpr std::size_t max_names = 3;
  constexpr std::string_view label = "DNS:";
  constexpr std::string_view separator = ", ";
  std::string words;
  std::size_t count = 0;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(separator), names.size());
    std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(names.size(), end + separator.size()));
    if (name.starts_with(label)) name.remove_prefix(label.size());
    if (++count <= max_names) words.append(count == 1 ? "" : separator).append(shortened(name));
  }
  return count <= max_names ? words : fmt::format("{} and {} more", words, count - max_names);
}

std::string describe_name(const X509_NAME* name) {
  // The format that curl uses.
  constexpr unsigned long form = XN_FLAG_ONELINE & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  if (!text) throw std::bad_alloc();
  X509_NAME_print_ex(text.get(), name, 0, form);
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(text.get(), &bytes);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(length));
}

std::optional<Timestamp> read_date(const ASN1_TIME* date) {
  std::tm time{};
  if (ASN1_TIME_to_tm(date, &time) != 1) return std::nullopt;
  return Timestamp(std::chrono::seconds(timegm(&time)));
}

// Describes the certificate at which verification failed: the server's own, or that of an authority above it.
std::string refused_certificate(const CertificateFault* fault) {
  if (fault == nullptr || fault->depth == 0) return "certificate";
  return fmt::format("certificate of its authority ({})", shortened(fault->subject));
}

// Describes a certificate whose chain leads to a known authority, but which is not valid.
std::string describe_invalid(const CertificateFault& fault) {
  const std::string certificate = refused_certificate(&fault);
  switch (fault.error) {
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return fmt::format(
          "{} has a signature that was not made with the key of {}: the authority has another key now, or the "
          "certificate is forged",
          certificate, shortened(fault.issuer));
    case X509_V_ERR_INVALID_PURPOSE: return certificate + " is not meant for web servers (extended key usage)";
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN: return certificate + " may not sign other certificates";
    case X509_V_ERR_CERT_CHAIN_TOO_LONG:
    case X509_V_ERR_PATH_LENGTH_EXCEEDED: return certificate + " is in a chain that is longer than it allows";
    case X509_V_ERR_PERMITTED_VIOLATION:
    case X509_V_ERR_EXCLUDED_VIOLATION:
      return certificate + " names a host that its authority may not sign for (name constraints)";
    case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION:
      return certificate + " has a critical extension that linkherd does not know";
    default: return fmt::format("{} is not valid: {}", certificate, X509_verify_cert_error_string(fault.error));
  }
}

// Without this callback, OpenSSL would ask for the password on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

}  // namespace

std::optional<CertificateFacts> read_certificate(CURL* easy, bool with_chain) {
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
  for (int i = 0; with_chain && i < std::min(chain->num_of_certs, max_chain_certificates); ++i) {
    for (const curl_slist* part = chain->certinfo[i]; part != nullptr; part = part->next) {
      const std::string_view line = part->data;
      if (line.starts_with(pem_label)) facts.chain.emplace_back(line.substr(pem_label.size()));
    }
  }
  return facts;
}

CertificateFault read_certificate_fault(x509_store_ctx_st* verification) {
  CertificateFault fault;
  fault.error = X509_STORE_CTX_get_error(verification);
  fault.depth = X509_STORE_CTX_get_error_depth(verification);
  const X509* const certificate = X509_STORE_CTX_get_current_cert(verification);
  if (certificate == nullptr) return fault;
  fault.subject = describe_name(X509_get_subject_name(certificate));
  fault.issuer = describe_name(X509_get_issuer_name(certificate));
  fault.starts = read_date(X509_get0_notBefore(certificate));
  fault.expires = read_date(X509_get0_notAfter(certificate));
  return fault;
}

std::string describe_certificate_failure(FailureKind failure, const CertificateFacts* facts,
                                         const CertificateFault* fault, Timestamp now) {
  const std::string certificate = refused_certificate(fault);
  switch (failure) {
    case FailureKind::tls_expired: {
      const std::optional<Timestamp> date = fault != nullptr   ? fault->expires
                                            : facts != nullptr ? facts->certificate.expires
                                                               : std::nullopt;
      return certificate + (date ? " expired on " + describe_day(*date, now) : std::string(" expired"));
    }
    case FailureKind::tls_not_yet_valid: {
      const std::optional<Timestamp> date = fault != nullptr   ? fault->starts
                                            : facts != nullptr ? facts->starts
                                                               : std::nullopt;
      return certificate + (date ? " is not valid before " + describe_day(*date, now) : " is not valid yet");
    }
    case FailureKind::tls_wrong_host:
      if (facts == nullptr) return "certificate is for another host";
      if (facts->names.empty())
        return fmt::format("certificate has no subject alternative name, and browsers ignore all other names: {}",
                           shortened(facts->certificate.subject));
      return "certificate is for another host: " + describe_hosts(facts->names);
    case FailureKind::tls_self_signed:
      if (facts == nullptr || facts->certificate.subject.empty()) return "certificate is self-signed";
      return "certificate is self-signed, by " + shortened(facts->certificate.subject);
    case FailureKind::tls_revoked:
      return "certificate is revoked, according to the OCSP response that the server sends";
    case FailureKind::tls_weak: return certificate + " has a key or a signature that is too weak";
    case FailureKind::tls_invalid: return fault == nullptr ? "certificate is not valid" : describe_invalid(*fault);
    default:
      if (facts == nullptr) return "certificate is not signed by a known authority";
      return "certificate is not signed by a known authority: " + shortened(facts->certificate.issuer);
  }
}

std::optional<Error> check_client_certificate(const std::string& certificate, const std::string& key) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  bool requested_password = false;
  SSL_CTX_set_default_passwd_cb(context.get(), &no_password);
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &requested_password);
  const std::string& key_file = key.empty() ? certificate : key;
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    return Error{certificate + " contains no readable certificate (PEM is required)"};
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (requested_password) return Error{"the key in " + key_file + " is protected by a password: save it without one"};
    return Error{key_file + " contains no private key for this certificate (PEM is required)"};
  }
  return std::nullopt;
}

std::optional<Error> find_authorities_fault(std::string_view pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                       &BIO_free);
  if (!text) throw std::bad_alloc();
  bool requested_password = false;
  std::size_t certificates = 0;
  while (X509* certificate = PEM_read_bio_X509_AUX(text.get(), nullptr, &no_password, &requested_password)) {
    ++certificates;
    X509_free(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates == 0) return Error{"contains no readable certificate (PEM is required)"};
  if (!at_end) return Error{fmt::format("contains an unreadable certificate, number {}: remove it", certificates + 1)};
  return std::nullopt;
}

}  // namespace linkherd::crawler
