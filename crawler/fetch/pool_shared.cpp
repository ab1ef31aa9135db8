#include "crawler/fetch/pool_shared.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <curl/curl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

int count_threads(const FetchOptions& options) {
  constexpr int most_by_default = 8;
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_by_default);
  return std::clamp(options.threads > 0 ? options.threads : cores, 1, std::max(1, options.max_concurrency));
}

// As many as asked for, but no more than this machine has descriptors for.
int count_stalled(const FetchOptions& options) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1'000'000) return options.max_stalled;
  const int for_sockets = static_cast<int>(limit.rlim_cur / 4 * 3);
  return std::clamp(for_sockets - options.max_concurrency, 0, std::max(0, options.max_stalled));
}

std::string choose_ca_file(const std::string& configured) {
  if (!configured.empty()) {
    if (access(configured.c_str(), R_OK) == 0) return configured;
    throw std::runtime_error(fmt::format("cannot read the certificate authorities in {}", configured));
  }
  const char* const built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
  std::string file = built_in == nullptr ? "/etc/ssl/certs/ca-certificates.crt" : built_in;
  if (access(file.c_str(), R_OK) != 0) {
    spdlog::warn(
        "there are no certificate authorities in {}: https links cannot be checked (install ca-certificates, or use "
        "--ca-file)",
        file);
  }
  return file;
}

TransferSettings transfer_settings(const FetchOptions& options) {
  return {.user_agent = options.user_agent.empty() ? default_user_agent() : options.user_agent,
          .ca_file = choose_ca_file(options.ca_file),
          .addresses = {options.allow_private, options.allowed_ranges},
          .proxy = options.proxy,
          .client_cert = options.client_cert,
          .client_key = options.client_key.empty() ? options.client_cert : options.client_key,
          .min_tls = options.min_tls,
          .family = options.family,
          .http2 = options.http2,
          .connect_timeout = options.connect_timeout,
          .low_speed_time = options.low_speed_time,
          .body_budget = options.body_budget};
}

ConnectMap read_connect_map(const std::vector<std::string>& rules) {
  Result<ConnectMap> map = ConnectMap::parse(rules);
  if (!map) throw std::runtime_error("--connect-to: " + map.error().message);
  return std::move(*map);
}

}  // namespace

PoolShared::PoolShared(const FetchOptions& o, const Clock& c, ByteBudget& b, BoundedQueue<FetchResult>& r,
                       AttemptObserver& a)
    : options(o),
      thread_count(count_threads(o)),
      transfers(transfer_settings(o)),
      connect_map(read_connect_map(o.connect_to)),
      extra_headers(o.headers),
      clock(c),
      bodies(b),
      results(r),
      observer(a),
      slots(std::max(1, o.max_concurrency), count_stalled(o), thread_count),
      addresses(std::max(o.address_concurrency, o.politeness.host_concurrency),
                {.failures_to_open = 5, .first_wait = o.retry.first_wait}) {}

FetchThread& PoolShared::owner_of(const parser::Url& url) const {
  return *owners[std::hash<std::string>()(parser::registrable_domain(url)) % owners.size()];
}

}  // namespace linkherd::crawler
