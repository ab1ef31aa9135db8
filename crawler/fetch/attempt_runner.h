// Performs one attempt of a hop, from the host name to the response. Each fetch thread has one.
//
// run() takes these steps:
// 1. Apply --connect-to, resolve the host, and drop the addresses that the address policy forbids.
// 2. Resolve the proxy, if one is used.
// 3. Take a lease from the address limiter. If the network is busy, return at once.
// 4. Pin the addresses in curl and transfer, so that curl resolves nothing itself.
// 5. If the certificate was refused, repeat the request without verification, credentials or body. That shows whether a
//    page exists, and what is wrong with the certificate.
//
// For example, a server may omit an intermediate certificate. Then linkherd fetches it from the URL that the server's
// certificate names, verifies the completed chain and repeats the request. Later requests to this origin use the
// completed chain at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/http/certificate_chain.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/attempt_request.h"
#include "crawler/fetch/net/curl_loop.h"
#include "crawler/fetch/net/curl_names.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/pool_shared.h"

namespace linkherd::crawler {

class AttemptRunner {
 public:
  // The caller samples `awake` regularly.
  AttemptRunner(PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake);

  // `request` must outlive the operation.
  boost::asio::awaitable<AttemptResult> run(const AttemptRequest& request);

 private:
  AttemptResult saved_response(const AttemptRequest& request) const;
  void note_sleep(const AwakeTime::Moment& began, AttemptResult& response);
  boost::asio::awaitable<AttemptResult> find_addresses(const AttemptRequest& request, Route& route);
  boost::asio::awaitable<AttemptResult> find_proxy(const AttemptRequest& request, Route& route);
  boost::asio::awaitable<AttemptResult> exchange(const AttemptRequest& request, Route& route, Timestamp started);
  boost::asio::awaitable<AttemptResult> transfer(const AttemptRequest& request, const Route& route);
  boost::asio::awaitable<void> fetch_despite_certificate(const AttemptRequest& request, Route& route,
                                                         AttemptResult& refused);
  boost::asio::awaitable<void> complete_chain(const parser::Url& url, Route& route, AttemptResult& refused);
  boost::asio::awaitable<std::string> fetch_issuer(const std::string& url);
  CurlList special_headers(const AttemptRequest& request) const;
  void prepare_for_curl(const AttemptRequest& request, Route& route, Timestamp started) const;
  std::string name_for_curl(const AttemptRequest& request, Route& route);
  void remember_certificate(const parser::Url& url, AttemptResult& response);

  PoolShared& shared_;
  CurlLoop& curl_;
  Resolver& resolver_;
  AwakeTime& awake_;
  CurlNames names_;
  const CurlList plain_headers_;  // the headers of most requests
  const CurlList browser_headers_;
  KnownAuthorities authorities_;
  // Issuer certificates, by the URL that certificates name for them.
  std::unordered_map<std::string, std::string> issuers_;
  std::unordered_set<std::string> issuers_in_flight_;
  std::unordered_map<std::string, std::vector<std::string>> missing_issuers_;  // by origin; see Route
  // By origin, because reused connections do not show their certificate.
  std::unordered_map<std::string, CertificateFacts> certificates_;
};

}  // namespace linkherd::crawler
