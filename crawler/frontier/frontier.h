// The frontier of one fetch thread: what is pending, and whose turn is next and when. One queue an origin; a heap of
// next-contact times over the queues; among those whose time has come, hosts that were never asked and the biggest
// queues take turns. The hosts of a registrable domain share their slots. A host that must wait (interval, retry,
// Retry-After, breaker, concurrency) costs nothing. A link that has not begun takes a FetchRequest (40 bytes), its
// URL and at most as much again for the queue to grow. Not thread-safe; time comes from the caller.
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

// Why the next request to a host waits.
enum class WaitReason : std::uint8_t {
  turn,          // its usual request interval, or a free slot
  host_pause,    // the host asked for a pause (Retry-After or limits in its headers)
  own_pause,     // the host refused a request (429) without a time
  crawl_delay,   // the interval that its robots.txt asks for
  no_answer,     // its latest requests got no answer
  confirmation,  // only second checks of dead links are left
  retry,         // only retries and other requests with a time of their own are left
};

struct HostWait {
  WaitReason reason = WaitReason::turn;
  int status = 0;   // of the answer that caused a pause; 0: unknown
  Duration time{};  // the length of a pause or interval; the rest of the time before a confirmation or retry

  bool operator==(const HostWait&) const = default;
};

struct HostBacklog {
  std::string origin;
  std::size_t pending = 0;
  HostWait wait;
};

// The answer that makes a host pause.
struct PauseCause {
  int status = 0;            // 0: unknown
  bool is_host_time = true;  // the host named the time; false: linkherd chose it
};

// Something that was pending at a host where nothing more will be tried in this run.
struct AbandonedFetch {
  std::unique_ptr<PendingFetch> fetch;
  std::optional<Timestamp> retry_at;  // the host asked for silence until then; nothing: it cannot be connected to
};

class Frontier {
 public:
  explicit Frontier(const Politeness& politeness);
  ~Frontier();

  // What an earlier run learnt about a host; before its first push.
  void restore(const storage::HostState& host);

  // Redirect hops go before new links of the same host; retries and confirmations come when their time has come.
  void push(std::unique_ptr<PendingFetch> fetch);
  void push(FetchRequest request);

  // A fetch whose turn it is, with a slot of its host taken; null where nothing may start now. Without
  // `first_contacts_too` hosts that have never been asked must wait.
  std::unique_ptr<PendingFetch> pop(Timestamp now, bool first_contacts_too = true);

  // When pop can next give something; nothing while all that is pending waits for a slot (or nothing is pending).
  std::optional<Timestamp> next_ready(bool first_contacts_too = true) const;
  // Whether a host that has been asked before may be asked again by then.
  bool has_known_hosts_by(Timestamp time) const;

  // Gives the slot of a popped fetch back. `origin` is that of the URL that was popped.
  void finished(std::string_view origin, const Contact& contact, Timestamp now);
  // The host answered something that was not popped: its robots.txt.
  void answered(std::string_view origin, Timestamp now);
  // The same request was silent, from `started` to `now`.
  void note_unanswered(std::string_view origin, Timestamp started, Timestamp now);

  // The host asked for silence until then (Retry-After); a later deadline wins. How long it will have been silent by
  // then since its last clean answer: silences in a row are one.
  Duration pause(std::string_view origin, Timestamp until, Timestamp now, PauseCause cause = {});
  // The host refused a request (429). Returns the number of consecutive 429s.
  int refused(std::string_view origin);
  // The Crawl-delay of its robots.txt.
  void slow_down(std::string_view origin, std::chrono::duration<double> crawl_delay);

  // Until then nothing is tried at this origin: what is pending there, and what is pushed meanwhile, is given up.
  void abandon_until(std::string_view origin, Timestamp until);
  // Whether anything is pending at hosts that are given up: these, and those that cannot be connected to.
  bool has_abandoned() const;
  // Takes out up to so many of these; they are packed until then. None: nothing is left.
  std::vector<AbandonedFetch> take_abandoned(std::size_t max_count = SIZE_MAX);

  // Whether the next request to this origin comes before so many to other hosts, so that a connection is worth keeping.
  bool has_turn_within(std::string_view origin, std::size_t others) const;
  std::size_t pending(std::string_view origin) const;

  std::size_t size() const;  // pending, without what was popped
  // Up to so many of all that is pending, for shutdown; none: nothing is pending any more.
  std::vector<std::unique_ptr<PendingFetch>> drain(std::size_t max_count = SIZE_MAX);
  std::vector<HostBacklog> biggest_backlogs(std::size_t limit, Timestamp now) const;
  std::vector<storage::HostState> host_states()
      const;  // what the next run should know: hosts with anything worth keeping

 private:
  struct Hosts;
  std::unique_ptr<Hosts> hosts_;
};

}  // namespace linkherd::crawler
