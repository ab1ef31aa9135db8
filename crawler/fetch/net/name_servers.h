// The name servers of one Resolver, which it queries with c-ares, and the addresses in their answers. Also checks the
// local resources that both depend on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crawler/fetch/http/c_pointer.h"
#include "crawler/fetch/net/resolution.h"
#include "parser/timestamp.h"

struct ares_addrinfo;
struct ares_channeldata;

namespace linkherd::crawler {

void close_channel(ares_channeldata* channel);

enum class QueryStage {
  first,
  diagnosis,     // no usable answer: finds out whether any answers arrived
  confirmation,  // repeats a query after "no such host", at another server if there is one
};

class NameServers {
 public:
  using OnSocket = void (*)(void* self, int socket, int readable, int writable);

  // Reads the configuration of the system if no servers ("IP" or "IP:PORT") are given. Sends nothing until open().
  explicit NameServers(std::vector<std::string> given);
  // Opens the channels, which are closed with this object; that ends every query. A query ends within `timeout`,
  // whatever the servers do.
  void open(Duration timeout, OnSocket on_socket, void* self);
  // Returns null before open().
  ares_channeldata* channel(QueryStage stage) const;
  // Returns "IP:PORT" of each server, in the order of their use in this stage.
  std::vector<std::string> servers(QueryStage stage) const;
  bool has_ipv6_route() const { return has_ipv6_route_; }
  // Lets c-ares handle its sockets and its timeouts. Each channel ignores the sockets of the others.
  void process(int readable, int writable);
  void cancel();  // ends the queries of c-ares

 private:
  using Channel = std::unique_ptr<ares_channeldata, Free<close_channel>>;

  std::vector<std::string> given_;
  std::vector<std::string> servers_;
  bool has_ipv6_route_;
  // c-ares reports an error from every server (SERVFAIL, REFUSED) as if no server had answered. A second channel that
  // passes errors through distinguishes the two cases. A third starts with another server; null if there is only one.
  Channel first_, diagnosis_, confirmation_;
};

// Returns the addresses, IPv6 first, but only if there is an IPv6 route or no other address. At most 8 per family.
Resolution read_addresses(const ares_addrinfo& result, bool has_ipv6_route, Timestamp now);

// c-ares also reports "connection refused" if it got no socket. This function opens one socket to find out and closes
// it.
bool has_run_out_of_sockets();

}  // namespace linkherd::crawler
