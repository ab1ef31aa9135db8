#include "crawler/fetch/attempt_runner.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "crawler/fetch/archive_replay.h"
#include "crawler/fetch/http/decode_body.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/http/saved_response.h"
#include "crawler/fetch/net/permitted_target.h"
#include "crawler/fetch/net/transfer.h"
#include "parser/url/credentials.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

std::string no_such_host(DomainState domain, const std::string& host) {
  const std::string name = parser::registrable_domain(std::string_view(host));
  switch (domain) {
    case DomainState::exists: return fmt::format("no such host: {}, although the domain {} exists", host, name);
    case DomainState::missing:
      return fmt::format(
          "no such host: {}, because the domain{} is not in the DNS: it has expired, or its registrar has "
          "suspended it",
          host, name == host ? "" : ' ' + name);
    case DomainState::unknown: break;
  }
  return fmt::format("no such host: {}", host);
}

std::string dns_detail(FailureKind failure, const std::string& host, DomainState domain = DomainState::unknown) {
  switch (failure) {
    case FailureKind::dns_not_found: return no_such_host(domain, host);
    case FailureKind::dns_no_address: return fmt::format("the host {} is in the DNS but has no address", host);
    case FailureKind::dns_timeout: return fmt::format("no DNS server answered the query for {}", host);
    case FailureKind::dns_untrusted:
      return fmt::format(
          "the DNS servers say that {} does not exist, but they also deny its top-level domain, which does exist",
          host);
    case FailureKind::interrupted: return "cancelled";
    default: return fmt::format("the DNS servers could not answer the query for {}", host);
  }
}

// "*" is a valid host in the URL standard, but in CURLOPT_RESOLVE it would stand for every host.
bool is_host_name(std::string_view host) { return !host.empty() && host != "*"; }

std::vector<std::string> plain_headers() {
  return {
      "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Language: en,*;q=0.5",
      "Accept-Encoding: gzip, deflate, br",  // decoded by decode_content(); curl would decode here, on the I/O thread
  };
}

// The values that browsers send for these three headers: some servers refuse unknown values.
std::vector<std::string> browser_headers() {
  return {"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
          "Accept-Language: en-US,en;q=0.5", "Accept-Encoding: gzip, deflate, br"};
}

std::vector<std::string> usual_headers(const AttemptRequest& request) {
  return request.should_imitate_browser ? browser_headers() : plain_headers();
}

// Adds the Host header if curl would send an alias.
void add_host(std::vector<std::string>& headers, const parser::Url& url) {
  if (IpAddress::parse(url.host()) || fits_curl_url(url.host())) return;
  headers.push_back(url.port() ? fmt::format("Host: {}:{}", url.host(), *url.port())
                               : fmt::format("Host: {}", url.host()));
}

void add_conditions(std::vector<std::string>& headers, const AttemptRequest& request) {
  const Validators* const known = request.validators;
  if (known == nullptr) return;
  if (!known->etag.empty()) headers.push_back("If-None-Match: " + known->etag);
  if (!known->last_modified.empty()) headers.push_back("If-Modified-Since: " + known->last_modified);
  headers.insert(headers.end(), known->lines.begin(), known->lines.end());
}

// Explains what the second request showed about a server that has no TLS version in common with linkherd.
void explain_old_protocol(AttemptResult& refused, std::string_view version) {
  if (version == "TLSv1" || version == "TLSv1.1") {
    refused.detail = fmt::format("the server supports only TLS {}, which browsers no longer accept",
                                 version == "TLSv1" ? "1.0" : "1.1");
    return;
  }
  refused.failure = FailureKind::tls_handshake;
  if (version.starts_with("TLSv1."))  // --min-tls requires a newer version
    refused.detail = fmt::format("the server supports no TLS version above {}", version.substr(4));
}

// Returns true for a name that must not be looked up in the DNS (RFC 7686).
bool is_onion(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host == "onion" || host.ends_with(".onion");
}

// Returns true for a name of the local machine (RFC 6761).
bool is_localhost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host == "localhost" || host.ends_with(".localhost");
}

}  // namespace

AttemptRunner::AttemptRunner(PoolShared& shared, CurlLoop& curl, Resolver& resolver, AwakeTime& awake)
    : shared_(shared),
      curl_(curl),
      resolver_(resolver),
      awake_(awake),
      plain_headers_(make_curl_list(plain_headers())),
      browser_headers_(make_curl_list(browser_headers())),
      authorities_(shared.options.ca_file) {}

asio::awaitable<AttemptResult> AttemptRunner::run(const AttemptRequest& request) {
  if (shared_.options.saved != nullptr) co_return saved_response(request);
  Route route{.proxy = &shared_.options.proxies.of(request.url)};
  const Timestamp started = shared_.clock.now();
  const AwakeTime::Moment began = awake_.sample();
  AttemptResult response = co_await find_addresses(request, route);
  if (response.failure == FailureKind::none && route.proxy->used()) {
    response = co_await find_proxy(request, route);
  }
  note_sleep(began, response);
  if (response.failure != FailureKind::none) co_return response;
  AddressLimiter::Lease lease;
  if (!route.addresses.empty()) {
    const bool has_no_answering_address = std::ranges::all_of(
        route.addresses, [this](const IpAddress& address) { return shared_.addresses.is_abandoned(address); });
    if (has_no_answering_address)
      co_return failed_attempt(FailureKind::host_unavailable, "its server did not answer requests for other hosts");
    response.retry_at = shared_.addresses.enter(route.addresses.front(), shared_.clock.now(), lease);
    if (response.retry_at) {
      response.local_cause = LocalCause::address_busy;
      co_return response;
    }
  }
  response = co_await exchange(request, route, started);
  note_sleep(began, response);
  if (!route.proxy->used()) lease.found(server_result(response), shared_.clock.now());
  co_return response;
}

AttemptResult AttemptRunner::saved_response(const AttemptRequest& request) const {
  std::optional<AttemptResult> response = shared_.options.saved->find(request.url, request.max_body);
  if (!response) return failed_attempt(FailureKind::not_in_archive, {});
  const bool keeps_any_body = shared_.options.should_keep_any_body || request.keeps_any_body();
  limit_saved_body(*response, request.max_body, keeps_any_body);
  response->lease = ByteBudget::Lease(shared_.bodies);
  response->lease.resize(response->body.size());
  return std::move(*response);
}

void AttemptRunner::note_sleep(const AwakeTime::Moment& began, AttemptResult& response) {
  const bool has_slept = was_asleep(began, awake_.sample());
  if (has_slept && response.failure != FailureKind::none && !response.is_no_evidence())
    response.local_cause = LocalCause::asleep;
}

asio::awaitable<AttemptResult> AttemptRunner::exchange(const AttemptRequest& request, Route& route, Timestamp started) {
  prepare_for_curl(request, route, started);
  const CurlList special_headers = this->special_headers(request);
  if (special_headers) route.headers = special_headers.get();
  const std::string endpoint = name_for_curl(request, route);
  const bool pinned = !endpoint.empty();
  if (pinned) route.resolve = names_.pin(endpoint, route.addresses);
  if (!route.proxy_pin.empty()) route.resolve.push_back(route.proxy_pin);
  AttemptResult response = co_await transfer(request, route);
  const bool is_first = route.missing_issuers.empty();
  if (is_certificate_failure(response.failure)) co_await fetch_despite_certificate(request, route, response);
  if (is_first && !route.missing_issuers.empty()) {
    AttemptResult verified = co_await transfer(request, route);
    if (!is_certificate_failure(verified.failure)) response = std::move(verified);
  }
  if (response.certificate)
    response.certificate->certificate.is_chain_incomplete = !route.missing_issuers.empty() && response.status != 0;
  if (pinned) names_.unpin(endpoint);
  remember_certificate(request.url, response);
  if (route.proxy->used())
    response.remote_address = route.addresses.empty() ? std::string() : route.addresses.front().to_string();
  co_return response;
}

// Ensures that curl resolves nothing by itself. Returns the endpoint ("host:port") whose addresses must be pinned;
// empty if there is none.
std::string AttemptRunner::name_for_curl(const AttemptRequest& request, Route& route) {
  const ConnectTarget& target = route.target;
  const Proxy& proxy = *route.proxy;
  if (proxy.used() && proxy.resolves_names()) {  // the proxy receives the name itself
    if (target.moved) route.connect_to = fmt::format("::{}:{}", target.host, target.port);
    return {};
  }
  const std::string host(request.url.host());
  std::string connect_name = target.host;
  const bool is_address = IpAddress::parse(connect_name).has_value();
  if (!is_address && !fits_curl_resolve(connect_name)) connect_name = names_.alias(connect_name);
  const bool needs_alias = !IpAddress::parse(host) && !fits_curl_url(host);
  if (needs_alias) {
    route.curl_url = with_host(request.url, names_.alias(host));
    if (request.url.scheme() == "https") route.tls_name = host;
  }
  if (target.moved || connect_name != (needs_alias ? names_.alias(host) : host)) {
    route.connect_to = fmt::format("::{}:{}", connect_name, target.port);
  }
  if (is_address || route.addresses.empty()) return {};
  return fmt::format("{}:{}", connect_name, target.port);
}

asio::awaitable<AttemptResult> AttemptRunner::find_addresses(const AttemptRequest& request, Route& route) {
  const PermittedTarget permitted = find_permitted_target(shared_.connect_rules, shared_.options.addresses,
                                                          request.url.host(), request.url.effective_port());
  const ConnectTarget& target = route.target = permitted.target;
  route.may_be_private = permitted.may_be_private;

  if (const auto address = IpAddress::parse(target.host)) {
    const IpFamily family = shared_.options.family;
    if (family != IpFamily::any && address->v6 != (family == IpFamily::v6)) {
      co_return failed_attempt(
          FailureKind::network_unreachable,
          fmt::format("the address {} is not used: --ipv4 or --ipv6 allows only the other IP version", target.host));
    }
    route.addresses = {*address};
  } else if (!is_host_name(target.host)) {
    co_return failed_attempt(FailureKind::dns_not_found, dns_detail(FailureKind::dns_not_found, target.host));
  } else if (route.proxy->used() && route.proxy->resolves_names()) {
    // The proxy may resolve the name differently, and a local lookup would disclose the target to others.
    if (is_localhost(target.host) && !route.may_be_private)
      co_return failed_attempt(FailureKind::private_address,
                               fmt::format("the host {} is the proxy itself", target.host));
    co_return AttemptResult();
  } else if (is_onion(target.host)) {
    co_return failed_attempt(FailureKind::needs_tor, {});
  } else {
    Resolution resolution = co_await resolver_.resolve(target.host, request.needs_fresh_connection);
    if (resolution.failure != FailureKind::none) {
      AttemptResult failed =
          failed_attempt(resolution.failure, dns_detail(resolution.failure, target.host, resolution.domain));
      if (resolution.is_local_exhaustion) failed.local_cause = LocalCause::exhausted;
      const bool is_denied =
          resolution.failure == FailureKind::dns_not_found || resolution.failure == FailureKind::dns_no_address;
      if (route.proxy->used() && is_denied) {
        failed.failure = FailureKind::proxy_failed;
        failed.detail += fmt::format(
            ", according to the DNS servers on this side of the proxy {}; with socks5h:// or socks4a://, the proxy "
            "resolves host names itself",
            route.proxy->address());
      }
      co_return failed;
    }
    route.addresses = std::move(resolution.addresses);
  }
  const std::optional<IpAddress> refused = remove_refused(permitted, shared_.options.addresses, route.addresses);
  if (!refused) co_return AttemptResult();
  co_return failed_attempt(
      FailureKind::private_address,
      fmt::format("the host {} has an address in a private network: {}", target.host, refused->to_string()));
}

// Resolves the name of the proxy, which curl must not look up itself. The proxy may have a private address, because the
// user named it.
asio::awaitable<AttemptResult> AttemptRunner::find_proxy(const AttemptRequest& request, Route& route) {
  const Proxy& proxy = *route.proxy;
  if (IpAddress::parse(proxy.host)) co_return AttemptResult();
  const Resolution resolution = co_await resolver_.resolve(proxy.host, request.needs_fresh_connection);
  if (resolution.failure != FailureKind::none) {
    const bool interrupted = resolution.failure == FailureKind::interrupted;
    AttemptResult failed = failed_attempt(
        interrupted ? resolution.failure : FailureKind::proxy_unreachable,
        fmt::format("the proxy {} cannot be reached: {}", proxy.address(), dns_detail(resolution.failure, proxy.host)));
    if (resolution.is_local_exhaustion) failed.local_cause = LocalCause::exhausted;
    co_return failed;
  }
  route.proxy_pin = fmt::format("{}:{}:{}", proxy.host, proxy.port, resolution.addresses.front().in_url());
  co_return AttemptResult();
}

// Returns null if the plain headers suffice.
CurlList AttemptRunner::special_headers(const AttemptRequest& request) const {
  std::vector<std::string> special;
  add_host(special, request.url);
  add_conditions(special, request);
  std::string cookies = cookies_for(shared_.options.cookies, request.url, shared_.clock.now());
  if (!cookies.empty() && !request.cookie.empty()) cookies += "; ";
  cookies += request.cookie;
  if (!cookies.empty()) special.push_back("Cookie: " + cookies);
  const std::vector<const HeaderRule*> extra = shared_.extra_headers.for_hop(request.url, request.is_to_own_origin);
  if (extra.empty() && special.empty()) return nullptr;
  std::vector<std::string> lines = usual_headers(request);
  std::ranges::move(special, std::back_inserter(lines));
  add_headers(lines, extra);
  return make_curl_list(lines);
}

void AttemptRunner::prepare_for_curl(const AttemptRequest& request, Route& route, Timestamp started) const {
  route.curl_url = request.url.href_without_fragment();
  route.headers = (request.should_imitate_browser ? browser_headers_ : plain_headers_).get();
  const Duration time_limit = std::min(shared_.options.timeout, request.time_left.value_or(shared_.options.timeout));
  route.timeout = time_limit - (shared_.clock.now() - started);
  const auto missing = missing_issuers_.find(request.url.origin());
  if (missing != missing_issuers_.end()) route.missing_issuers = missing->second;
}

asio::awaitable<AttemptResult> AttemptRunner::transfer(const AttemptRequest& request, const Route& route) {
  AttemptResult response = co_await run_transfer(curl_, shared_.options, request, route, shared_.bodies);
  const Timestamp now = shared_.clock.now();
  response.retry_at = retry_after(response.status, response.headers, now);
  response.quota_reset_at = rate_limit_reset(response.headers, now);
  co_return response;
}

// Finds out whether a page exists despite its bad certificate, and what is wrong with the certificate: curl does not
// show one that it refused. Nothing that the user configured (headers, cookies, client certificate) goes to a server
// that has not proved its identity.
asio::awaitable<void> AttemptRunner::fetch_despite_certificate(const AttemptRequest& request, Route& route,
                                                               AttemptResult& refused) {
  AttemptRequest probe = request;
  probe.purpose = AttemptPurpose::unverified;
  probe.is_to_own_origin = false;
  probe.validators = nullptr;
  probe.needs_fresh_connection = true;
  probe.should_keep_connection = false;
  probe.max_body = 0;
  std::vector<std::string> lines = plain_headers();
  add_host(lines, request.url);
  add_conditions(lines, request);
  const CurlList headers = make_curl_list(lines);
  Route probe_route = route;
  // Uses curl's form of the URL, whose host may be an alias.
  probe_route.curl_url = parser::without_credentials(parser::Url::parse(route.curl_url).value()).take_href();
  probe_route.headers = headers.get();
  const AttemptResult seen = co_await transfer(probe, probe_route);
  refused.unverified_status = seen.status;
  refused.certificate = seen.certificate;
  if (refused.failure == FailureKind::tls_old_protocol) co_return explain_old_protocol(refused, seen.tls_version);
  if (refused.failure == FailureKind::tls_untrusted) co_await complete_chain(request.url, route, refused);
  if (refused.certificate) refused.certificate->chain.clear();
  const CertificateFacts* const facts = refused.certificate ? &*refused.certificate : nullptr;
  const CertificateFault* const fault = refused.certificate_fault ? &*refused.certificate_fault : nullptr;
  refused.detail = describe_certificate_failure(refused.failure, facts, fault, shared_.clock.now());
}

// Checks whether the chain is only incomplete, by adding the certificates that the server omitted. If the completed
// chain is valid, this attempt and later ones to this origin get the missing certificates. Otherwise the response says
// what else is wrong.
asio::awaitable<void> AttemptRunner::complete_chain(const parser::Url& url, Route& route, AttemptResult& refused) {
  constexpr std::size_t max_remembered = 1000;
  if (!refused.certificate) co_return;
  CertificateChain chain(refused.certificate->chain);
  for (int missing = 0; missing < CertificateChain::max_missing; ++missing) {
    const std::optional<std::string> issuer = chain.missing_issuer_url();
    if (!issuer) co_return;
    const std::string file = co_await fetch_issuer(*issuer);
    if (!chain.add(file)) co_return;
    const std::optional<CertificateFault> fault = chain.verify(authorities_, std::string(url.host()));
    const FailureKind failure = fault ? failure_from_certificate(fault->error) : FailureKind::none;
    if (failure == FailureKind::tls_untrusted) continue;
    if (fault) {
      refused.failure = failure;
      refused.certificate_fault = fault;
    } else {
      if (missing_issuers_.size() >= max_remembered) missing_issuers_.clear();
      route.missing_issuers = chain.added();
      missing_issuers_[url.origin()] = route.missing_issuers;
    }
    co_return;
  }
}

// Returns the certificate of an issuer, which hosts share, so it is fetched once. Empty if it cannot be fetched.
asio::awaitable<std::string> AttemptRunner::fetch_issuer(const std::string& url) {
  constexpr std::size_t max_remembered = 1000;
  constexpr Duration time_limit = std::chrono::seconds(5);
  constexpr auto poll_interval = std::chrono::milliseconds(20);
  while (issuers_in_flight_.contains(url)) {
    asio::steady_timer timer(co_await asio::this_coro::executor, poll_interval);
    co_await timer.async_wait(asio::use_awaitable);
  }
  if (const auto known = issuers_.find(url); known != issuers_.end()) co_return known->second;
  const Result<parser::Url> parsed = parser::Url::parse(url);
  if (!parsed || parsed->scheme() != "http") co_return std::string();
  const AttemptRequest request{.url = *parsed,
                               .purpose = AttemptPurpose::issuer,
                               .is_to_own_origin = false,
                               .max_body = CertificateChain::max_file_bytes,
                               .time_left = time_limit};
  issuers_in_flight_.insert(url);
  AttemptResult response = co_await run(request);
  issuers_in_flight_.erase(url);
  if (response.local_cause == LocalCause::address_busy) co_return std::string();  // no request was sent
  decode_content(response, CertificateChain::max_file_bytes);
  if (issuers_.size() >= max_remembered) issuers_.clear();
  std::string& file = issuers_[url];
  if (response.status == 200 && response.is_body_complete()) file = std::move(response.body);
  co_return file;
}

void AttemptRunner::remember_certificate(const parser::Url& url, AttemptResult& response) {
  if (url.scheme() != "https" || response.status == 0) return;
  constexpr std::size_t max_remembered = 10'000;
  if (response.certificate) {
    if (certificates_.size() >= max_remembered) certificates_.clear();
    certificates_.insert_or_assign(url.origin(), *response.certificate);
  } else if (const auto known = certificates_.find(url.origin()); known != certificates_.end()) {
    response.certificate = known->second;
  }
}

}  // namespace linkherd::crawler
