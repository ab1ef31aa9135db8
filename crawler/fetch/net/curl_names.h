// Gives curl host names that it does not accept. curl's URL parser rejects many valid hosts of the URL standard, such
// as "a+b.example". CURLOPT_RESOLVE treats a leading "-" or "+" as a command, and commas and stars as syntax. For such
// a host, curl gets an alias. The request and TLS use the real name.
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

bool fits_curl_url(std::string_view host);      // curl accepts it in CURLOPT_URL
bool fits_curl_resolve(std::string_view host);  // curl also accepts it in CURLOPT_RESOLVE

// Returns the URL without fragment and with another host.
std::string with_host(const parser::Url& url, std::string_view host);

// Makes the handshakes of `context` request the certificate of `name`, which must outlive the connection. With
// CURLOPT_SSL_VERIFYPEER, a certificate for another name is refused. Call it before the handshake.
CURLcode use_tls_name(ssl_ctx_st* context, const std::string& name);

// The host names that the transfers of one multi handle use: their aliases, and the entries that linkherd puts into
// curl's DNS cache. Used by one thread.
class CurlNames {
 public:
  // Returns an alias such as "host7.invalid", which no DNS contains. The same host always gets the same alias, so that
  // its connections are reused.
  const std::string& alias(const std::string& host);

  // Returns the value of CURLOPT_RESOLVE for a transfer to `endpoint` ("host:port"). It also removes earlier names that
  // are no longer used. Entries never expire by themselves: curl would scan all of them at the end of every transfer
  // and fall back to its own resolver. They are removed one by one instead.
  std::vector<std::string> pin(const std::string& endpoint, const std::vector<IpAddress>& addresses);
  void unpin(const std::string& endpoint);  // call after the transfer

 private:
  std::unordered_map<std::string, std::string> aliases_;
  std::unordered_map<std::string, int> users_;  // transfers that may still look up a pinned name
  std::vector<std::string> unused_;             // pinned names without users
};

}  // namespace linkherd::crawler
