#include "crawler/fetch/net/curl_names.h"

#include <algorithm>

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

constexpr int application_data = 0;  // the index that OpenSSL reserves for applications

// Runs at the start of the handshake, after curl has set the alias. The code is the expansion of an OpenSSL macro that
// uses a C cast.
void on_handshake(const SSL* session, int where, int /*result*/) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0 || SSL_in_before(session) == 0) return;
  void* const name = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), application_data);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): an info callback may change the session
  SSL_ctrl(const_cast<SSL*>(session), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name);
}

}  // namespace

bool fits_curl_url(std::string_view host) {
  return std::ranges::all_of(host, [](char c) {
    return parser::is_ascii_letter(c) || parser::is_ascii_digit(c) || c == '.' || c == '-' || c == '_' || c == '~';
  });
}

bool fits_curl_resolve(std::string_view host) { return fits_curl_url(host) && !host.starts_with('-'); }

const std::string& CurlNames::alias(const std::string& host) {
  const auto [known, is_new] = aliases_.try_emplace(host);
  if (is_new) known->second = fmt::format("host{}.invalid", aliases_.size());
  return known->second;
}

std::string with_host(const parser::Url& url, std::string_view host) {
  const std::string href(url.href_without_fragment());
  const std::size_t authority = href.find("://") + 3;
  const std::size_t end = std::min(href.find('/', authority), href.size());
  // Elsewhere in the authority it is escaped.
  const std::size_t at = href.substr(authority, end - authority).rfind('@');
  const std::size_t start = at == std::string::npos ? authority : authority + at + 1;
  return href.substr(0, start).append(host).append(href, start + url.host().size());
}

CURLcode use_tls_name(ssl_ctx_st* context, const std::string& name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): OpenSSL knows nothing of const here; it is only read
  SSL_CTX_set_ex_data(context, application_data, const_cast<char*>(name.c_str()));
  SSL_CTX_set_info_callback(context, &on_handshake);
  return X509_VERIFY_PARAM_set1_host(SSL_CTX_get0_param(context), name.c_str(), 0) == 1 ? CURLE_OK
                                                                                        : CURLE_OUT_OF_MEMORY;
}

std::vector<std::string> CurlNames::pin(const std::string& endpoint, const std::vector<IpAddress>& addresses) {
  std::vector<std::string> entries;
  ++users_[endpoint];
  for (const std::string& name : unused_) {
    if (!users_.contains(name)) entries.push_back("-" + name);  // otherwise it is in use again
  }
  unused_.clear();
  std::string entry = endpoint;
  char separator = ':';
  for (const IpAddress& address : addresses) {
    entry += separator;
    entry += address.in_url();
    separator = ',';
  }
  entries.push_back(std::move(entry));
  return entries;
}

void CurlNames::unpin(const std::string& endpoint) {
  const auto found = users_.find(endpoint);
  if (found == users_.end() || --found->second > 0) return;
  users_.erase(found);
  unused_.push_back(endpoint);
}

}  // namespace linkherd::crawler
