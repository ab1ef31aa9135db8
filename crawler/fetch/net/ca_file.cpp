#include "crawler/fetch/net/ca_file.h"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <curl/curl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace linkherd::crawler {

namespace {

constexpr const char* debian_ca_file = "etc/ssl/certs/ca-certificates.crt";

constexpr std::array usual_ca_files{
    debian_ca_file,                                      // also Ubuntu, Arch, Gentoo, Alpine
    "etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, where the file above is no longer made
    "etc/ssl/ca-bundle.pem",                             // openSUSE
    "var/lib/ca-certificates/ca-bundle.pem",             // openSUSE
    "etc/ssl/certs/ca-bundle.crt",                       // NixOS
    "etc/ssl/cert.pem",                                  // Alpine, FreeBSD, OpenBSD
    "usr/local/share/certs/ca-root-nss.crt",             // FreeBSD
    "usr/local/etc/ssl/cert.pem",                        // FreeBSD
    "etc/openssl/certs/ca-certificates.crt",             // NetBSD
};

bool can_read(const std::string& file) {
  std::error_code ignored;
  return !file.empty() && access(file.c_str(), R_OK) == 0 && !std::filesystem::is_directory(file, ignored);
}

std::string ca_file_of_environment() {
  const char* const named = std::getenv("SSL_CERT_FILE");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  return named == nullptr ? "" : named;
}

}  // namespace

std::string find_ca_file(const std::string& named, const std::filesystem::path& root) {
  if (can_read(named)) return named;
  // A libcurl that was built for another system knows the place there.
  const char* const built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (built_in != nullptr) {
    std::string file = root / std::filesystem::path(built_in).relative_path();
    if (can_read(file)) return file;
  }
  for (const char* usual : usual_ca_files) {
    std::string file = root / usual;
    if (can_read(file)) return file;
  }
  return "";
}

std::string find_system_ca_file() { return find_ca_file(ca_file_of_environment(), "/"); }

std::string choose_ca_file(const std::string& configured) {
  if (!configured.empty()) {
    if (can_read(configured)) return configured;
    throw std::runtime_error(fmt::format("cannot read the CA certificates in {}", configured));
  }
  const std::string named = ca_file_of_environment();
  std::string file = find_ca_file(named, "/");
  if (file.empty()) {
    spdlog::warn(
        "this system has no CA certificates, so https links cannot be checked: install ca-certificates, or name a file "
        "with --ca-file or SSL_CERT_FILE");
    return fmt::format("/{}", debian_ca_file);  // a missing file, so that no server is trusted
  }
  if (!named.empty() && file != named) {
    spdlog::warn(fmt::format("cannot read the CA certificates in {} (SSL_CERT_FILE); {} is used instead", named, file));
  }
  return file;
}

}  // namespace linkherd::crawler
