#include "tests/support/small_internet.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

bool matches_validators(const Page& page, const ReceivedRequest& request) {
  const std::string etag = header_value(page.headers, "ETag");
  const std::string asked_etag = request.header("If-None-Match");
  if (!asked_etag.empty()) return asked_etag == etag;  // takes precedence over the date (RFC 9110, 13.2.2)
  const std::string modified = header_value(page.headers, "Last-Modified");
  return !modified.empty() && request.header("If-Modified-Since") == modified;
}

Page not_modified(const Page& page) {
  Page answer;
  answer.status = 304;
  answer.delay = page.delay;
  for (const auto& [name, value] : page.headers) {
    if (name == "ETag" || name == "Last-Modified") answer.headers.emplace_back(name, value);
  }
  return answer;
}

}  // namespace

struct HostScript::Impl {
  std::mutex mutex;
  std::map<std::string, std::vector<Page>> pages;  // by target; the first one is next, the last one is repeated
  std::function<Page(const ReceivedRequest&)> handler;
  Page otherwise = status_page(404);

  std::optional<Page> planted(const std::string& target) {
    const auto found = pages.find(target);
    if (found == pages.end() || found->second.empty()) return std::nullopt;
    Page page = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    return page;
  }
};

HostScript::HostScript() : impl_(std::make_unique<Impl>()) {}
HostScript::~HostScript() = default;

HostScript& HostScript::page(const std::string& target, Page page) { return pages(target, {std::move(page)}); }

HostScript& HostScript::pages(const std::string& target, std::vector<Page> in_turn) {
  const std::lock_guard lock(impl_->mutex);
  impl_->pages[target] = std::move(in_turn);
  return *this;
}

HostScript& HostScript::handler(std::function<Page(const ReceivedRequest&)> handler) {
  const std::lock_guard lock(impl_->mutex);
  impl_->handler = std::move(handler);
  return *this;
}

HostScript& HostScript::default_page(Page page) {
  const std::lock_guard lock(impl_->mutex);
  impl_->otherwise = std::move(page);
  return *this;
}

Page HostScript::answer(const ReceivedRequest& request) {
  std::function<Page(const ReceivedRequest&)> handler;
  std::optional<Page> page;
  {
    const std::lock_guard lock(impl_->mutex);
    page = impl_->planted(request.target);
    handler = impl_->handler;
    if (!page && !handler) page = impl_->otherwise;
  }
  if (!page) page = handler(request);  // outside the lock, because a handler may add pages
  return page->status == 200 && matches_validators(*page, request) ? not_modified(*page) : *std::move(page);
}

struct SmallInternet::Impl {
  TempDir folder;
  TestAuthority authority;
  std::string ca_file = folder.write("ca.pem", authority.certificate_pem()).string();
  mutable std::mutex mutex;  // guards the maps
  std::map<std::string, std::unique_ptr<HostScript>> hosts;
  std::map<std::string, DnsBehaviour> names;
  std::optional<DnsBehaviour> other_names;
  HttpServer http{authority, [this](const ReceivedRequest& request) { return answer(request); }};
  DnsServer dns{[this](const DnsQuestion& question) { return resolve(question); }};

  Page answer(const ReceivedRequest& request) {
    HostScript* script = nullptr;
    {
      const std::lock_guard lock(mutex);
      const auto found = hosts.find(request.host);
      if (found != hosts.end()) script = found->second.get();
    }
    return script == nullptr ? status_page(421) : script->answer(request);  // 421: this server does not know the host
  }

  DnsBehaviour resolve(const DnsQuestion& question) const {
    const std::lock_guard lock(mutex);
    const auto found = names.find(question.name);
    if (found != names.end()) return found->second;
    if (hosts.contains(question.name)) return {};
    if (other_names) return *other_names;
    // A real server knows the top-level domains, which have name servers and no address.
    const bool is_top_level = question.type == dns_type::ns && question.name.find('.') == std::string::npos;
    return dns_failure(is_top_level ? DnsKind::no_data : DnsKind::not_found);
  }
};

SmallInternet::SmallInternet() : impl_(std::make_unique<Impl>()) {}
SmallInternet::~SmallInternet() = default;

HostScript& SmallInternet::host(const std::string& name) {
  const std::lock_guard lock(impl_->mutex);
  std::unique_ptr<HostScript>& script = impl_->hosts[name];
  if (script == nullptr) script = std::make_unique<HostScript>();
  return *script;
}

void SmallInternet::dns(const std::string& name, DnsBehaviour behaviour) {
  const std::lock_guard lock(impl_->mutex);
  impl_->names[name] = std::move(behaviour);
}

void SmallInternet::set_default_dns(DnsBehaviour behaviour) {
  const std::lock_guard lock(impl_->mutex);
  impl_->other_names = std::move(behaviour);
}

TestAuthority& SmallInternet::authority() { return impl_->authority; }
void SmallInternet::tls(const std::string& name, CertificateKind kind) { impl_->authority.set_kind(name, kind); }

void SmallInternet::serve_issuers() {
  HostScript& issuers = host("issuers.test");
  for (const auto& [path, file] : impl_->authority.issuer_files())
    issuers.page(path, html_page(file, "application/pkix-cert"));
}
void SmallInternet::listen_on(const std::string& address) { impl_->http.listen_on(address); }

std::vector<ReceivedRequest> SmallInternet::requests() const { return impl_->http.requests(); }

std::vector<ReceivedRequest> SmallInternet::requests(const std::string& host) const {
  std::vector<ReceivedRequest> all = requests();
  std::erase_if(all, [&host](const ReceivedRequest& request) { return request.host != host; });
  return all;
}

std::size_t SmallInternet::count(const std::string& host, const std::string& target) const {
  const std::vector<ReceivedRequest> all = requests(host);
  return static_cast<std::size_t>(std::ranges::count(all, target, &ReceivedRequest::target));
}

void SmallInternet::clear_requests() { impl_->http.clear_requests(); }

bool SmallInternet::wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (requests().size() < count) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::size_t SmallInternet::max_concurrent(const std::string& host) const { return impl_->http.max_concurrent(host); }
std::vector<ReceivedQuery> SmallInternet::dns_queries() const { return impl_->dns.queries(); }

std::vector<std::string> SmallInternet::options() const {
  std::vector<std::string> words{"--dns-server", dns_server(), "--ca-file", ca_file(), "--allow-private"};
  for (const std::string& rule : connect_to()) {
    words.emplace_back("--connect-to");
    words.push_back(rule);
  }
  return words;
}

std::string SmallInternet::dns_server() const { return "127.0.0.1:" + std::to_string(impl_->dns.port()); }

std::vector<std::string> SmallInternet::connect_to() const {
  return {"*:80::" + std::to_string(http_port()), "*:443::" + std::to_string(https_port())};
}

const std::string& SmallInternet::ca_file() const { return impl_->ca_file; }
std::uint16_t SmallInternet::http_port() const { return impl_->http.http_port(); }
std::uint16_t SmallInternet::https_port() const { return impl_->http.https_port(); }

}  // namespace linkherd::tests
