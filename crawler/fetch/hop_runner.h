// Runs one hop from its name to its answer: resolve, check the addresses, transfer, and where the certificate was
// refused ask once more without verification. One to a fetch thread.
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
  // `awake` is looked at in time by the caller.
  HopRunner(PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake);

  // `request` outlives the operation, which fills in how curl is told.
  boost::asio::awaitable<HopAnswer> run(HopRequest& request);

 private:
  // Where a hop goes, and what is known about the place.
  struct Destination {
    ConnectTarget target;
    std::vector<IpAddress> addresses;  // may be empty behind a proxy that resolves names
    bool may_be_private = false;
    std::string proxy_pin;  // where the proxy is, for CURLOPT_RESOLVE
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
  const CurlList plain_headers_;  // what most requests send
  const CurlList browser_headers_;
  KnownAuthorities authorities_;
  std::unordered_map<std::string, std::string> issuers_;  // by the address that certificates name for them
  std::unordered_set<std::string> issuers_under_way_;
  std::unordered_map<std::string, std::vector<std::string>> missing_issuers_;  // by origin; see HopRequest
  std::unordered_map<std::string, CertificateFacts> certificates_;  // by origin: reused connections do not show theirs
};

}  // namespace linkherd::crawler
