#include "crawler/run/undecided_links.h"

#include <stdexcept>
#include <utility>

#include "parser/url/url.h"
#include "storage/stored_values.h"

namespace linkherd::crawler {
namespace {

std::string origin_of(const std::string& url) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  return parsed ? parsed->origin() : std::string();
}

}  // namespace

storage::SpillFile::Extent UndecidedLinks::keep(const storage::Snapshot& snapshot) {
  return snapshots_.add(storage::encode_snapshot(snapshot));
}

storage::Snapshot UndecidedLinks::kept(storage::SpillFile::Extent extent) const {
  Result<storage::Snapshot> snapshot = storage::decode_snapshot(snapshots_.read(extent));
  if (snapshot.has_error()) throw std::runtime_error("the temporary file has changed: " + snapshot.error().message);
  return std::move(*snapshot);
}

void UndecidedLinks::add_unconfirmed(std::size_t index, const storage::Snapshot& first) {
  unconfirmed_[index] = keep(first);
}

storage::Snapshot UndecidedLinks::take_unconfirmed(std::size_t index) {
  storage::Snapshot first = kept(unconfirmed_.at(index));
  unconfirmed_.erase(index);
  return first;
}

void UndecidedLinks::add_unreachable(std::size_t index, const storage::Snapshot& snapshot) {
  unreachable_.emplace_back(index, keep(snapshot));
}

void UndecidedLinks::take_unreachable(const std::function<void(std::size_t index, storage::Snapshot snapshot)>& take) {
  for (const auto& [index, extent] : std::exchange(unreachable_, {})) take(index, kept(extent));
}

void UndecidedLinks::add_of_failed_host(std::size_t index, const std::string& url) {
  links_of_failed_hosts_[origin_of(url)].push_back(static_cast<std::uint32_t>(index));
}

void UndecidedLinks::count_strikes(std::vector<storage::HostState>& hosts, Timestamp began, const StrikePolicy& policy,
                                   bool is_outage) {
  for (storage::HostState& host : hosts) {
    if (!host.unresponsive) continue;
    if (is_outage) {
      if (host.unresponsive->strikes == 0) host.unresponsive.reset();
      continue;
    }
    if (host.unresponsive->last <= began) continue;  // not contacted in this run
    count_strike(*host.unresponsive, policy);
    if (is_struck_out(*host.unresponsive, policy)) struck_out_.emplace(host.origin, *host.unresponsive);
  }
}

const storage::UnresponsivePeriod* UndecidedLinks::struck_out(const std::string& url) const {
  if (struck_out_.empty()) return nullptr;
  const auto host = struck_out_.find(origin_of(url));
  return host == struck_out_.end() ? nullptr : &host->second;
}

void UndecidedLinks::take_links_of_failed_hosts(
    const std::function<void(std::size_t index, const storage::UnresponsivePeriod& unresponsive)>& take) {
  for (const auto& [origin, unresponsive] : struck_out_) {
    const auto links = links_of_failed_hosts_.find(origin);
    if (links == links_of_failed_hosts_.end()) continue;
    for (const std::uint32_t index : links->second) take(index, unresponsive);
  }
  links_of_failed_hosts_.clear();
}

}  // namespace linkherd::crawler
