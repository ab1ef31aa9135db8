// Host names that curl cannot be told as they are: its URL parser refuses many that are hosts by the URL standard
// ("a+b.example"), and CURLOPT_RESOLVE takes a leading "-" or "+" for a command and commas and stars for syntax. Such a
// host is given to curl under an alias; the request and TLS say its real name.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <curl/curl.h>

#include "crawler/fetch/net/address_policy.h"
#include "parser/url/url.h"

struct ssl_ctx_st;

namespace linkherd::crawler {

bool fits_curl_url(std::string_view host);      // curl takes it in CURLOPT_URL
bool fits_curl_resolve(std::string_view host);  // and in CURLOPT_RESOLVE

// One thread's. The same host always gets the same alias, so that its connections are found again.
class HostAliases {
 public:
  const std::string& alias(const std::string& host);  // "host7.invalid": no DNS has such a name

 private:
  std::unordered_map<std::string, std::string> aliases_;
};

// The URL without fragment, with another host in it.
std::string with_host(const parser::Url& url, std::string_view host);

// Before a connection's handshake: asks for the certificate of `name`, which must outlive the connection, and with
// CURLOPT_SSL_VERIFYPEER on refuses one for another.
CURLcode use_tls_name(ssl_ctx_st* context, const std::string& name);

// curl's own DNS cache, filled by us: which names a multi handle knows the addresses of. Entries never expire by
// themselves, since curl would scan them all at every transfer's end and fall back to its own resolver; they are
// removed one by one.
class PinnedNames {
 public:
  // What to say in CURLOPT_RESOLVE of a transfer to `endpoint` ("host:port"), the removal of earlier names included.
  std::vector<std::string> pin(const std::string& endpoint, const std::vector<IpAddress>& addresses);
  void unpin(const std::string& endpoint);  // the transfer has ended

 private:
  std::unordered_map<std::string, int> users_;  // transfers that may still look the name up
  std::vector<std::string> unused_;
};

}  // namespace linkherd::crawler
