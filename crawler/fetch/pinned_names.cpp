#include "crawler/fetch/pinned_names.h"

namespace linkherd::crawler {

std::vector<std::string> PinnedNames::pin(const std::string& endpoint, const std::vector<IpAddress>& addresses) {
  std::vector<std::string> entries;
  ++users_[endpoint];
  for (const std::string& name : unused_) {
    if (!users_.contains(name)) entries.push_back("-" + name);  // else it is in use again
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

void PinnedNames::unpin(const std::string& endpoint) {
  const auto found = users_.find(endpoint);
  if (found == users_.end() || --found->second > 0) return;
  users_.erase(found);
  unused_.push_back(endpoint);
}

}  // namespace linkherd::crawler
