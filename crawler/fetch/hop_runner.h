// Performs one attempt of a hop, from the host name to the answer. Each fetch thread has one.
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
#include "crawler/fetch/net/connect_map.h"
#include "crawler/fetch/net/curl_names.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/net/transfer.h"
#include "crawler/fetch/pool_shared.h"

namespace linkherd::crawler {

class HopRunner {
 public:
  // The caller samples `awake` regularly.
  HopRunner(PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake);

  // `request` must outlive the operation, which fills in the fields for curl.
  boost::asio::awaitable<HopAnswer> run(HopRequest& request);

 private:
  // The connection target of a hop and its addresses.
  struct Destination {
    ConnectTarget target;
    std::vector<IpAddress> addresses;  // may be empty if a proxy resolves names
    bool may_be_private = false;
    std::string proxy_pin;  // the address of the proxy, for CURLOPT_RESOLVE
  };
  HopAnswer saved_answer(const HopRequest& request) const;
  void note_sleep(const AwakeTime::Moment& began, HopAnswer& answer);
  boost::asio::awaitable<HopAnswer> find_destination(const HopRequest& request, Destination& destination);
  boost::asio::awaitable<HopAnswer> find_proxy(const HopRequest& request, Destination& destination);
  boost::asio::awaitable<HopAnswer> exchange(HopRequest& request, const Destination& destination, Timestamp started);
  boost::asio::awaitable<HopAnswer> transfer(const HopRequest& request);
  boost::asio::awaitable<void> fetch_despite_certificate(HopRequest& request, HopAnswer& refused);
  boost::asio::awaitable<void> complete_chain(HopRequest& request, HopAnswer& refused);
  boost::asio::awaitable<std::string> fetch_issuer(const std::string& url);
  CurlList special_headers(const HopRequest& request) const;
  void prepare_for_curl(HopRequest& request, const Destination& destination, Timestamp started) const;
  std::string name_for_curl(HopRequest& request, const Destination& destination);
  void remember_certificate(const parser::Url& url, HopAnswer& answer);

  PoolShared& shared_;
  CurlLoop& curl_;
  Resolver& resolver_;
  AwakeTime& awake_;
  PinnedNames pinned_;
  HostAliases aliases_;
  const CurlList plain_headers_;  // the headers of most requests
  const CurlList browser_headers_;
  KnownAuthorities authorities_;
  // Issuer certificates, by the URL that certificates name for them.
  std::unordered_map<std::string, std::string> issuers_;
  std::unordered_set<std::string> issuers_in_flight_;
  std::unordered_map<std::string, std::vector<std::string>> missing_issuers_;  // by origin; see HopRequest
  // By origin, because reused connections do not show their certificate.
  std::unordered_map<std::string, CertificateFacts> certificates_;
};

}  // namespace linkherd::crawler
