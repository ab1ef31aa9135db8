#include "crawler/fetch/outbox.h"

#include <chrono>
#include <utility>

namespace linkherd::crawler {

void Outbox::put(FetchResult result) {
  const bool idle = waiting_.empty();
  waiting_.push_back(std::move(result));
  if (idle) deliver();
}

void Outbox::deliver() {
  while (!waiting_.empty() && queue_.try_push(waiting_.front())) waiting_.pop_front();
  if (queue_.closed()) waiting_.clear();  // nobody will ever take them
  if (waiting_.empty()) return;
  timer_.expires_after(std::chrono::milliseconds(5));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) deliver();
  });
}

}  // namespace linkherd::crawler
