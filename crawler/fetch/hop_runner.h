// Runs one hop from its name to its answer: resolve, check the addresses, transfer, and where the certificate was
// refused ask once more without verification. One to a fetch thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "crawler/fetch/connect_map.h"
#include "crawler/fetch/curl_loop.h"
#include "crawler/fetch/hop_answer.h"
#include "crawler/fetch/pinned_names.h"
#include "crawler/fetch/pool_shared.h"
#include "crawler/fetch/resolver.h"
#include "crawler/fetch/transfer.h"
#include "crawler/frontier/fetch_request.h"

namespace linkherd::crawler {

struct HopRequest {
  parser::Url url;
  std::optional<Validators> validators;
  bool fresh_connection = false;  // neither an old connection nor a remembered DNS failure
  bool keep_connection = false;
  bool any_body = false;
  std::size_t max_body = 0;
};

class HopRunner {
 public:
  HopRunner(PoolShared& shared, CurlLoop& curl, Resolver& resolver)
      : shared_(shared), curl_(curl), resolver_(resolver) {}

  // `request` outlives the operation.
  boost::asio::awaitable<HopAnswer> run(const HopRequest& request);

 private:
  // Where a hop goes, and what is known about the place.
  struct Destination {
    ConnectTarget target;
    std::vector<IpAddress> addresses;
    bool may_be_private = false;
  };
  boost::asio::awaitable<HopAnswer> find_destination(const HopRequest& request, Destination& destination);
  boost::asio::awaitable<HopAnswer> transfer(const TransferRequest& request);
  boost::asio::awaitable<void> look_behind_certificate(const TransferRequest& request, HopAnswer& refused);
  TransferRequest make_transfer(const HopRequest& request, const Destination& destination) const;
  void remember_certificate(const parser::Url& url, HopAnswer& answer);

  PoolShared& shared_;
  CurlLoop& curl_;
  Resolver& resolver_;
  PinnedNames pinned_;
  std::unordered_map<std::string, CertificateFacts> certificates_;  // by origin: reused connections do not show theirs
};

}  // namespace linkherd::crawler
