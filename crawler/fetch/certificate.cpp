#include "crawler/fetch/certificate.h"

#include <chrono>
#include <string_view>

#include <fmt/format.h>

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

}  // namespace linkherd::crawler
