// One thread of the pool: its event loop, its frontier, and the admission of the links that it owns: which hop begins
// when. What a hop does is HopCycle's.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/fetch/hop_cycle.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/curl_loop.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/net/slots.h"
#include "crawler/fetch/net/socket_set.h"
#include "crawler/fetch/pool_shared.h"
#include "crawler/frontier/frontier.h"

namespace linkherd::crawler {

// The results of one fetch thread on their way into the queue: where it is full they wait here, and the thread does
// not.
class Outbox {
 public:
  Outbox(boost::asio::io_context& io, BoundedQueue<FetchResult>& queue) : timer_(io), queue_(queue) {}

  void put(FetchResult result);
  bool is_full() const { return full_; }  // the queue had no room for all

 private:
  void deliver();

  boost::asio::steady_timer timer_;
  BoundedQueue<FetchResult>& queue_;
  std::deque<FetchResult> waiting_;
  bool delivering_ = false;  // a delivery is on its way
  bool full_ = false;
};

class FetchThread {
 public:
  explicit FetchThread(PoolShared& shared);
  ~FetchThread();  // after join()
  FetchThread(const FetchThread&) = delete;
  FetchThread& operator=(const FetchThread&) = delete;

  void start();  // once every thread of the pool has been made
  // All of these may be called from any thread; what they ask for happens in the order of the calls.
  void restore(storage::HostState host);
  void submit(std::unique_ptr<PendingFetch> fetch);
  void submit(std::vector<FetchRequest> requests);
  void stop(FailureKind why);
  void quit();  // cancels everything and ends the thread, results or not
  void join();
  PoolStatus status() const;
  std::vector<storage::HostState> host_states();  // waits for the thread; throws what broke it

 private:
  void work();
  void accept(std::unique_ptr<PendingFetch> fetch);
  void pass_on(std::unique_ptr<PendingFetch> fetch);
  void admit_soon();
  void admit_at(Timestamp time);
  void admit();
  bool has_room_for_first_contacts(Timestamp now) const;
  void begin(std::unique_ptr<PendingFetch> fetch);
  void begin_stop(FailureKind why);
  void end_soon();
  void end_some();
  void begin_quit();
  void end_if_quit();
  void watch_for_sleep();
  void publish_status();

  PoolShared& shared_;
  boost::asio::io_context io_{1};
  SocketSet sockets_{io_};
  CurlLoop curl_;
  Resolver resolver_;
  AwakeTime awake_;
  Frontier frontier_;
  Outbox outbox_;
  Slots::Claim slots_;
  StallWatch stalls_;
  HopCycle cycle_;
  boost::asio::steady_timer admission_timer_, ending_timer_, grace_timer_, status_timer_, awake_timer_;
  bool admission_posted_ = false;
  bool ending_ = false;  // a turn of end_some() is on its way
  bool quitting_ = false;
  int hops_ = 0;

  mutable std::mutex status_mutex_;
  PoolStatus status_;
  std::thread thread_;
};

}  // namespace linkherd::crawler
