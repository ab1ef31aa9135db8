#include "crawler/fetch/outbox.h"

#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>

namespace linkherd::crawler {

// Not delivered at once: transfers end in batches, and one by one each result would wake whoever waits for it.
void Outbox::put(FetchResult result) {
  waiting_.push_back(std::move(result));
  if (std::exchange(delivering_, true)) return;
  boost::asio::post(timer_.get_executor(), [this] { deliver(); });
}

void Outbox::deliver() {
  queue_.try_push_some(waiting_);
  if (queue_.closed()) waiting_.clear();  // nobody will ever take them
  full_ = !waiting_.empty();
  delivering_ = full_;
  if (!full_) return;
  timer_.expires_after(std::chrono::milliseconds(5));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) deliver();
  });
}

}  // namespace linkherd::crawler
