// A queue between two pipeline stages that holds at most `capacity` items. A slow stage therefore slows down the stage
// before it instead of filling the memory. Supports any number of producers and consumers. Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace linkherd::crawler {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room and moves `item` into the queue. Returns false and leaves `item` unchanged if the queue is closed.
  bool push(T& item) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return is_closed_ || items_.size() < capacity_; });
    return add(item);
  }

  // Like push(), for threads that must not wait: returns false and leaves `item` unchanged if there is no room.
  bool try_push(T& item) {
    std::unique_lock lock(mutex_);
    return items_.size() < capacity_ && add(item);
  }

  // Moves items from the front of `items` into the queue, as many as there is room for. Consumers are woken once
  // instead of once per item.
  void try_push_some(std::deque<T>& items) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    const std::size_t count = std::min(items.size(), capacity_ - items_.size());
    for (std::size_t i = 0; i < count; ++i) {
      items_.push_back(std::move(items.front()));
      items.pop_front();
    }
    if (count == 1) {
      filled_.notify_one();
    } else if (count > 1) {
      filled_.notify_all();
    }
  }

  // Waits for an item. Returns nullopt once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return is_closed_ || !items_.empty(); });
    return take();
  }

  // Like pop(), but also returns nullopt after `timeout`.
  template <class Rep, class Period>
  std::optional<T> pop_for(std::chrono::duration<Rep, Period> timeout) {
    std::unique_lock lock(mutex_);
    filled_.wait_for(lock, timeout, [this] { return is_closed_ || !items_.empty(); });
    return take();
  }

  // Rejects further items. Items in the queue can still be popped.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

  bool closed() const {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }

 private:
  bool add(T& item) {
    if (is_closed_) return false;
    items_.push_back(std::move(item));
    filled_.notify_one();
    return true;
  }
  std::optional<T> take() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    room_.notify_one();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::deque<T> items_;
  bool is_closed_ = false;
};

// Stores the exception that ended a thread of the run (a failure of the machine, not of the web). The thread that waits
// for the results rethrows it. Thread-safe.
class ThreadFailure {
 public:
  void keep(std::exception_ptr error) {  // keeps the first exception only
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void rethrow() const {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace linkherd::crawler
