// Runs one hop from its name to its answer: resolve, check the addresses, transfer, and where the certificate was
// refused ask once more without verification. One to a fetch thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/connect_map.h"
#include "crawler/fetch/net/curl_loop.h"
#include "crawler/fetch/net/curl_names.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/net/transfer.h"
#include "crawler/fetch/pool_shared.h"

namespace linkherd::crawler {

struct HopRequest {
  parser::Url url;
  std::optional<Validators> validators;
  bool fresh_connection = false;  // neither an old connection nor a remembered DNS failure
  bool keep_connection = false;
  bool any_body = false;
  std::size_t max_body = 0;
  bool head = false;
  bool at_home = true;                // what the user gave for the link's own host may go along
  std::string cookie;                 // what the chain has been given for this URL
  std::optional<Duration> time_left;  // of the link
  StallWatch::Slot* slot = nullptr;   // outlives the operation; may be null
};

class HopRunner {
 public:
  // `awake` is looked at in time by the caller.
  HopRunner(PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake);

  // `request` outlives the operation.
  boost::asio::awaitable<HopAnswer> run(const HopRequest& request);

 private:
  // Where a hop goes, and what is known about the place.
  struct Destination {
    ConnectTarget target;
    std::vector<IpAddress> addresses;  // may be empty behind a proxy that resolves names
    bool may_be_private = false;
    std::string proxy_pin;  // where the proxy is, for CURLOPT_RESOLVE
    HopAnswer no_address;   // behind such a proxy: why we found none ourselves
  };
  void note_sleep(const AwakeTime::Moment& began, HopAnswer& answer);
  boost::asio::awaitable<HopAnswer> find_destination(const HopRequest& request, Destination& destination);
  boost::asio::awaitable<HopAnswer> find_proxy(const HopRequest& request, Destination& destination);
  boost::asio::awaitable<HopAnswer> exchange(const HopRequest& request, const Destination& destination,
                                             Timestamp started);
  boost::asio::awaitable<HopAnswer> transfer(const TransferRequest& request);
  boost::asio::awaitable<void> look_behind_certificate(const HopRequest& hop, const TransferRequest& request,
                                                       HopAnswer& refused);
  CurlList special_headers(const HopRequest& request) const;
  TransferRequest make_transfer(const HopRequest& request, const Destination& destination) const;
  std::string name_for_curl(const HopRequest& request, const Destination& destination, TransferRequest& transfer);
  void remember_certificate(const parser::Url& url, HopAnswer& answer);

  PoolShared& shared_;
  CurlLoop& curl_;
  Resolver& resolver_;
  AwakeTime& awake_;
  PinnedNames pinned_;
  HostAliases aliases_;
  const CurlList plain_headers_;                                    // what most requests send
  std::unordered_map<std::string, CertificateFacts> certificates_;  // by origin: reused connections do not show theirs
};

}  // namespace linkherd::crawler
