// The frontier of one fetch thread: holds all pending fetches and decides which one starts next, and when. Not
// thread-safe. The caller passes the time.
//
// Every origin has one queue. A queue with a future contact time waits in a heap that is ordered by that time. Then it
// moves to one of two other heaps: hosts without any contact so far, and the rest. In each of these two, the longest
// queue is first. pop() takes from both in turn.
//
// For example, a.example has 500 pending links, one slot and a request interval of 100 ms. After pop(), its queue is in
// no heap until the response arrives. Then it waits until 100 ms after the start of that request. Other hosts start in
// the meantime.
//
// The hosts of a registrable domain share their slots. A host that must wait (interval, retry, Retry-After, breaker,
// concurrency) costs no time. An unstarted link takes one FetchRequest (40 bytes), its URL, and at most as much again
// as spare room of the queue.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

// Why the next request to a host has to wait.
enum class WaitReason : std::uint8_t {
  turn,          // the normal request interval, or no free slot
  host_pause,    // the host requested a pause (Retry-After or rate-limit headers)
  own_pause,     // the host refused a request (429) without naming a time
  crawl_delay,   // the interval that robots.txt requests
  no_answer,     // the latest requests got no response
  confirmation,  // only confirmations of dead links are pending
  retry,         // only retries and other requests with a start time are pending
};

struct HostWait {
  WaitReason reason = WaitReason::turn;
  int status = 0;   // HTTP status of the response that caused a pause; 0: unknown
  Duration time{};  // length of a pause or interval; for a confirmation or retry, the remaining time

  bool operator==(const HostWait&) const = default;
};

struct HostBacklog {
  std::string origin;
  std::size_t pending = 0;
  HostWait wait;
};

// The response that makes a host pause.
struct PauseCause {
  int status = 0;            // 0: unknown
  bool is_host_time = true;  // true: the host named the time; false: linkherd chose it
};

class Frontier {
 public:
  explicit Frontier(const Politeness& politeness);
  ~Frontier();

  // Restores what an earlier run learnt about a host. Call it before the first push() for that host.
  void restore(const storage::HostState& host);

  // Adds a fetch. Redirect hops go before unstarted links of the same host. A fetch with a start time (`not_before`),
  // such as a retry or confirmation, waits for it.
  void push(std::unique_ptr<FetchState> fetch);
  void push(FetchRequest request);

  // Returns the next fetch and takes a slot of its host, or null if nothing may start now. If `include_first_contacts`
  // is false, hosts without any contact so far have to wait.
  std::unique_ptr<FetchState> pop(Timestamp now, bool include_first_contacts = true);

  // Returns the earliest time at which pop() can succeed. Empty if nothing is pending, or if everything waits for a
  // slot.
  std::optional<Timestamp> next_ready(bool include_first_contacts = true) const;
  // Returns true if a host with earlier contacts may be contacted at or before `time`.
  bool has_known_hosts_by(Timestamp time) const;

  // Returns the slot of a popped fetch. `origin` is the origin of the popped URL.
  void note_finished(std::string_view origin, const Contact& contact, Timestamp now);
  // Records a response to a request that was not popped: the request for robots.txt.
  void note_robots_response(std::string_view origin, Timestamp now);
  // Records that the request for robots.txt, sent at `started`, had no response at `now`.
  void note_unanswered(std::string_view origin, Timestamp started, Timestamp now);

  // Records a pause that the host requested (Retry-After); a later deadline wins. Returns the total length of the
  // silence at `until`, counted from the first pause after the last clean response. Consecutive pauses count as one.
  Duration pause(std::string_view origin, Timestamp until, Timestamp now, PauseCause cause = {});
  // Records a refused request (429). Returns the number of consecutive 429s.
  int count_refusal(std::string_view origin);
  // Applies the Crawl-delay of the host's robots.txt.
  void set_crawl_delay(std::string_view origin, std::chrono::duration<double> crawl_delay);

  // Abandons an origin until that time: pending fetches, and any that are pushed meanwhile, move to take_abandoned().
  void abandon_until(std::string_view origin, Timestamp until);
  // Returns true if fetches are pending at hosts that are given up, by abandon_until() or by the circuit breaker.
  bool has_abandoned() const;
  // Removes and returns at most `max_count` of these fetches. They stay in their compact form until then. `not_before`
  // is the end of the pause that the host requested; empty if the host cannot be reached. Empty if none is left.
  std::vector<std::unique_ptr<FetchState>> take_abandoned(std::size_t max_count = SIZE_MAX);

  // Returns true if this origin gets its next request before `others` other hosts do, so that its connection is worth
  // keeping.
  bool has_turn_within(std::string_view origin, std::size_t others) const;
  std::size_t pending(std::string_view origin) const;

  std::size_t size() const;  // pending fetches; popped ones do not count
  // Removes and returns at most `max_count` pending fetches, for shutdown. Empty if nothing is pending.
  std::vector<std::unique_ptr<FetchState>> drain(std::size_t max_count = SIZE_MAX);
  std::vector<HostBacklog> biggest_backlogs(std::size_t limit, Timestamp now) const;
  // Returns the hosts with facts that the next run should know, in order of their origins.
  std::vector<storage::HostState> host_states() const;

 private:
  struct Hosts;
  std::unique_ptr<Hosts> hosts_;
};

}  // namespace linkherd::crawler
