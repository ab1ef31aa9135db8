#include "crawler/fetch/resolver.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <ares.h>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr Duration shortest_keep = std::chrono::seconds(30);
constexpr Duration longest_keep = std::chrono::hours(1);
constexpr Duration keep_failure = std::chrono::seconds(60);
constexpr std::size_t most_cached = 100'000;
constexpr std::size_t most_addresses_a_family = 8;
constexpr int rounds = 2;  // c-ares goes through its servers this often, twice as patient the second time

void check(int status, const char* what) {
  if (status != ARES_SUCCESS) throw std::runtime_error(fmt::format("{}: {}", what, ares_strerror(status)));
}

// Asks the routing table; nothing is sent.
bool find_ipv6_route() {
  const int probe = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe == -1) return false;
  sockaddr_in6 somewhere{};
  somewhere.sin6_family = AF_INET6;
  somewhere.sin6_port = htons(53);
  somewhere.sin6_addr = in6addr_any;
  somewhere.sin6_addr.s6_addr[0] = 0x20;  // 2000::, the first of the public addresses
  const bool routed = connect(probe, reinterpret_cast<const sockaddr*>(&somewhere), sizeof somewhere) == 0;
  close(probe);
  return routed;
}

// c-ares says that it was refused where it got no socket. One more is taken, to see, and given back.
bool has_run_out_of_sockets() {
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe == -1) return true;
  close(probe);
  return false;
}

// As "IP:PORT", in the order in which they are asked.
std::vector<std::string> servers_of(ares_channeldata* channel) {
  ares_addr_port_node* first = nullptr;
  check(ares_get_servers_ports(channel, &first), "name servers");
  std::vector<std::string> servers;
  for (const ares_addr_port_node* server = first; server != nullptr; server = server->next) {
    IpAddress address;
    address.v6 = server->family == AF_INET6;
    std::memcpy(address.bytes.data(), &server->addr,
                address.v6 ? sizeof server->addr.addr6 : sizeof server->addr.addr4);
    constexpr int dns_port = 53;
    servers.push_back(fmt::format("{}:{}", address.in_url(), server->udp_port == 0 ? dns_port : server->udp_port));
  }
  ares_free_data(first);
  return servers;
}

int family_of(IpFamily family) {
  return family == IpFamily::v4 ? AF_INET : family == IpFamily::v6 ? AF_INET6 : AF_UNSPEC;
}

Resolution read_addresses(const ares_addrinfo& result, bool has_ipv6_route, Duration& keep) {
  Resolution resolution;
  std::vector<IpAddress> v6;
  keep = longest_keep;
  for (const ares_addrinfo_node* node = result.nodes; node != nullptr; node = node->ai_next) {
    const auto address = IpAddress::of(*node->ai_addr);
    if (!address) continue;
    std::vector<IpAddress>& family = address->v6 ? v6 : resolution.addresses;
    if (family.size() < most_addresses_a_family) family.push_back(*address);
    keep = std::min<Duration>(keep, std::chrono::seconds(node->ai_ttl));
  }
  keep = std::max(keep, shortest_keep);
  if (has_ipv6_route || resolution.addresses.empty()) {
    resolution.addresses.insert(resolution.addresses.begin(), v6.begin(), v6.end());
  }
  if (resolution.addresses.empty()) resolution.failure = FailureKind::dns_no_address;
  return resolution;
}

}  // namespace

struct Resolver::Query {
  Resolver* resolver;
  std::string host;
  std::vector<Handler> waiting;
  Stage stage = Stage::first;
  Timestamp asked_at{};
};

void Resolver::ChannelDeleter::operator()(ares_channeldata* channel) const { ares_destroy(channel); }

Resolver::Resolver(asio::io_context& io, SocketSet& sockets, const Clock& clock, ResolverSettings settings)
    : io_(io),
      sockets_(sockets),
      clock_(clock),
      settings_(std::move(settings)),
      timer_(io),
      has_ipv6_route_(find_ipv6_route()) {
  if (settings_.kind == ResolverKind::system) {
    system_ = std::make_unique<SystemLookup>(settings_.system_threads);
    return;
  }
  sockets_.on_event(SocketSet::Owner::dns, [this](const SocketSet::Event& event) {
    const bool broken = event.broken;  // c-ares finds out by reading
    process(event.readable || broken ? event.socket : ARES_SOCKET_BAD, event.writable ? event.socket : ARES_SOCKET_BAD);
  });
  // How patient one question may be depends on how many servers there are, and only an open channel knows that.
  std::vector<std::string> servers = servers_of(open_channel(settings_.servers, 1000, 0).get());
  const auto parts = std::max<std::size_t>(1, servers.size()) * ((1U << rounds) - 1);
  const auto wait =
      std::chrono::duration_cast<std::chrono::milliseconds>(settings_.patience / static_cast<int>(parts)).count();
  const int wait_milliseconds = static_cast<int>(std::clamp<long long>(wait, 50, 5000));
  channel_ = open_channel(settings_.servers, wait_milliseconds, 0);
  diagnosis_channel_ = open_channel(settings_.servers, wait_milliseconds, ARES_FLAG_NOCHECKRESP);
  if (servers.size() < 2) return;
  std::rotate(servers.begin(), servers.begin() + 1,
              servers.end());  // clang 14 cannot compile what std::ranges::rotate returns
  confirmation_channel_ = open_channel(servers, wait_milliseconds, 0);
}

Resolver::~Resolver() {
  cancelled_ = true;
  system_.reset();
  channel_.reset();
  diagnosis_channel_.reset();
  confirmation_channel_.reset();
}

// Each channel ignores the sockets of the others.
void Resolver::process(int readable, int writable) {
  for (const Channel* channel : {&channel_, &diagnosis_channel_, &confirmation_channel_}) {
    if (*channel) ares_process_fd(channel->get(), readable, writable);
  }
}

Resolver::Channel Resolver::open_channel(const std::vector<std::string>& servers, int wait_milliseconds, int flags) {
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH | flags;  // names in links are complete
  options.timeout = wait_milliseconds;
  options.tries = rounds;
  options.sock_state_cb = &Resolver::on_socket_state;
  options.sock_state_cb_data = this;
  std::string lookups = servers.empty() ? "fb" : "b";  // given servers are all there is: no hosts file
  options.lookups = lookups.data();
  ares_channel opened = nullptr;
  check(ares_init_options(
            &opened, &options,
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS),
        "DNS");
  Channel channel(opened);
  if (!servers.empty()) {
    const std::string list = fmt::format("{}", fmt::join(servers, ","));
    check(ares_set_servers_ports_csv(opened, list.c_str()), list.c_str());
  }
  return channel;
}

asio::awaitable<Resolution> Resolver::resolve(const std::string& host, bool anew) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(Resolution)>(
      [this](auto handler, const std::string& name, bool ask) { start(name, ask, Handler(std::move(handler))); },
      asio::use_awaitable, host, anew);
}

const Resolution* Resolver::find_cached(const std::string& host, bool anew) const {
  const auto found = cache_.find(host);
  if (found == cache_.end() || found->second.expires <= clock_.now()) return nullptr;
  const Resolution& resolution = found->second.resolution;
  return anew && resolution.failure != FailureKind::none ? nullptr : &resolution;
}

void Resolver::start(const std::string& host, bool anew, Handler handler) {
  if (cancelled_) {
    complete(std::move(handler), {FailureKind::interrupted, {}, false});
    return;
  }
  if (const Resolution* cached = find_cached(host, anew)) {
    complete(std::move(handler), *cached);
    return;
  }
  std::unique_ptr<Query>& query = queries_[host];
  const bool is_new = query == nullptr;
  if (is_new) query = std::make_unique<Query>(Query{this, host, {}, Stage::first, clock_.now()});
  query->waiting.push_back(std::move(handler));
  if (is_new) ask(*query);
}

void Resolver::ask(Query& query) {
  if (system_) {
    ask_system(query);
  } else {
    ares_addrinfo_hints hints{};
    hints.ai_family = family_of(settings_.family);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = ARES_AI_NOSORT;
    const Channel& other = query.stage == Stage::diagnosis ? diagnosis_channel_ : confirmation_channel_;
    const Channel& channel = query.stage == Stage::first || !other ? channel_ : other;
    // May answer from in here, and the query may be gone afterwards.
    ares_getaddrinfo(channel.get(), query.host.c_str(), nullptr, &hints, &Resolver::on_answer, &query);
  }
  if (!queries_.empty() && !ticking_) tick();
}

void Resolver::ask_system(Query& query) {
  system_->ask(query.host, settings_.family, [this, host = query.host](SystemAnswer answer) {
    asio::post(io_,
               [this, host, answer = std::move(answer)]() mutable { take_system_answer(host, std::move(answer)); });
  });
}

void Resolver::take_system_answer(const std::string& host, SystemAnswer answer) {
  const auto found = queries_.find(host);
  if (found == queries_.end() || cancelled_) return;  // its time was over
  Query& query = *found->second;
  if (answer.failure == FailureKind::dns_not_found && query.stage != Stage::confirmation) {
    ask_again(query, Stage::confirmation);
    return;
  }
  finish(query, {answer.failure, std::move(answer.addresses), answer.own_trouble}, keep_failure);
}

// getaddrinfo has no limit of its own that would be ours.
void Resolver::end_overdue() {
  if (!system_) return;
  const Timestamp oldest = clock_.now() - settings_.patience;
  std::vector<Query*> overdue;
  for (const auto& [host, query] : queries_) {
    if (query->asked_at < oldest) overdue.push_back(query.get());
  }
  for (Query* query : overdue) finish(*query, {FailureKind::dns_timeout, {}, false}, keep_failure);
}

void Resolver::on_answer(void* data, int status, int /*timeouts*/, ares_addrinfo* result) {
  const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned(result, &ares_freeaddrinfo);
  Query& query = *static_cast<Query*>(data);
  Resolver& resolver = *query.resolver;
  FailureKind failure = failure_of_ares(status);
  if (failure == FailureKind::dns_not_found && query.stage != Stage::confirmation) {
    resolver.ask_again(query, Stage::confirmation);
  } else if (status == ARES_ECONNREFUSED && has_run_out_of_sockets()) {
    resolver.finish(query, {failure, {}, true}, {});
  } else if (status == ARES_ECONNREFUSED && query.stage == Stage::first) {
    resolver.ask_again(query, Stage::diagnosis);
  } else if (failure != FailureKind::none || result == nullptr) {
    // A server that said "no such host" a moment ago is there.
    if (failure == FailureKind::dns_timeout && query.stage == Stage::confirmation) failure = FailureKind::dns_failed;
    resolver.finish(query, {failure, {}, false}, keep_failure);
  } else {
    Duration keep{};
    Resolution resolution = read_addresses(*result, resolver.has_ipv6_route_, keep);
    resolver.finish(query, std::move(resolution), keep);
  }
}

void Resolver::ask_again(Query& query, Stage stage) {
  query.stage = stage;
  // Not from inside c-ares's own callback.
  asio::post(io_, [this, host = query.host] {
    const auto found = queries_.find(host);
    if (found != queries_.end() && !cancelled_) ask(*found->second);
  });
}

void Resolver::finish(Query& query, Resolution resolution, Duration keep) {
  const auto ended = queries_.extract(query.host);
  for (Handler& handler : ended.mapped()->waiting) complete(std::move(handler), resolution);
  if (resolution.failure == FailureKind::interrupted || resolution.own_trouble) return;
  if (cache_.size() >= most_cached) forget_expired();
  cache_[query.host] = {std::move(resolution), clock_.now() + keep};
}

void Resolver::forget_expired() {
  std::erase_if(cache_, [now = clock_.now()](const auto& entry) { return entry.second.expires <= now; });
  if (cache_.size() >= most_cached) cache_.clear();
}

void Resolver::complete(Handler handler, Resolution resolution) {
  asio::post(io_, [handler = std::move(handler), resolution = std::move(resolution)]() mutable {
    std::move(handler)(std::move(resolution));
  });
}

void Resolver::cancel_all() {
  cancelled_ = true;
  for (const Channel* channel : {&channel_, &diagnosis_channel_, &confirmation_channel_}) {
    if (*channel) ares_cancel(channel->get());
  }
  // Those that are between two stages are unknown to c-ares.
  while (!queries_.empty()) finish(*queries_.begin()->second, {FailureKind::interrupted, {}, false}, {});
}

// c-ares has no timer of its own; a look at it now and then, while something is under way, costs less than asking it
// when.
void Resolver::tick() {
  ticking_ = !queries_.empty();
  if (!ticking_) return;
  timer_.expires_after(std::chrono::milliseconds(25));
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    end_overdue();
    tick();
  });
}

void Resolver::on_socket_state(void* self, int socket, int readable, int writable) {
  SocketSet& sockets = static_cast<Resolver*>(self)->sockets_;
  if (readable == 0 && writable == 0) {
    sockets.forget(socket);
  } else {
    sockets.watch(socket, SocketSet::Owner::dns, readable != 0, writable != 0);
  }
}

}  // namespace linkherd::crawler
