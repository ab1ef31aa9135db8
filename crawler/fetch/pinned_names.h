// curl's own DNS cache, filled by us: which names a multi handle knows the addresses of. Entries never expire by
// themselves, since curl would scan them all at every transfer's end and fall back to its own resolver; they are
// removed one by one.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "crawler/fetch/address_check.h"

namespace linkherd::crawler {

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
