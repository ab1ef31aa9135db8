// The results of one fetch thread on their way into the queue: where it is full they wait here, and the thread does
// not.
#pragma once

#include <deque>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crawler/bounded_queue.h"
#include "crawler/fetch/fetch_result.h"

namespace linkherd::crawler {

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

}  // namespace linkherd::crawler
