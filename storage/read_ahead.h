// Helpers for reading in threads. read_ahead() produces values in one thread while the calling thread uses earlier
// ones. read_in_threads() reads ranges of all links in several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "storage/link_id.h"

namespace linkherd::storage {

// A bounded queue between the two threads that keeps the order of the values. It holds at most a few thousand values.
template <class T>
class ReadAhead {
 public:
  // put() and end() are called by the producing thread. put() returns false when no more values are wanted. `weight` is
  // the size of the value in ordinary values.
  bool put(T value, std::size_t weight) {
    batch_.push_back(std::move(value));
    weight_ += weight;
    return weight_ < batch_weight || hand_over();
  }
  void end(std::exception_ptr failure) {
    hand_over();
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    failure_ = std::move(failure);
    changed_.notify_all();
  }

  // take() and stop() are called by the consuming thread. An empty batch means the end. take() rethrows the exception
  // of the producer.
  std::vector<T> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_ || !waiting_.empty(); });
    if (waiting_.empty() && failure_ != nullptr) std::rethrow_exception(failure_);
    if (waiting_.empty()) return {};
    std::vector<T> batch = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return batch;
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t batch_weight = 256;
  static constexpr std::size_t max_batches = 4;

  bool hand_over() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_stopped_ || waiting_.size() < max_batches; });
    if (is_stopped_) return false;
    if (!batch_.empty()) waiting_.push_back(std::exchange(batch_, {}));
    batch_.reserve(batch_weight);
    weight_ = 0;
    changed_.notify_all();
    return true;
  }

  // Used by the producing thread only.
  std::vector<T> batch_;
  std::size_t weight_ = 0;
  // Used by both threads.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<T>> waiting_;
  bool has_ended_ = false;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
};

// Runs `make` in a thread: it puts values until it has no more or put() returns false. `use` takes them until it
// returns false. Rethrows the exceptions of both. The thread has ended when this function returns.
template <class T>
void read_ahead(const std::function<void(ReadAhead<T>& to)>& make, const std::function<bool(T&& value)>& use) {
  ReadAhead<T> values;
  const std::jthread maker([&make, &values] {
    std::exception_ptr failure;
    try {
      make(values);
    } catch (...) {
      failure = std::current_exception();
    }
    values.end(std::move(failure));
  });
  try {
    for (std::vector<T> batch = values.take(); !batch.empty(); batch = values.take()) {
      for (T& value : batch) {
        if (!use(std::move(value))) return values.stop();
      }
    }
  } catch (...) {
    values.stop();
    throw;
  }
}

// One thread for each processor, at most four.
inline std::size_t threads_to_read() { return std::clamp(std::thread::hardware_concurrency(), 1U, 4U); }

// Divides all ids into several ranges for each reading thread, so that all threads end at about the same time.
inline std::vector<IdRange> parts_to_read() {
  constexpr std::size_t parts_of_thread = 4;
  return split_ids(threads_to_read() * parts_of_thread);
}

// Calls `read` once for each part, in threads that have ended when this function returns. Rethrows the exception of one
// of them; some parts are then not read.
inline void read_in_threads(std::size_t parts, const std::function<void(std::size_t part)>& read) {
  std::atomic<std::size_t> next = 0;
  const auto read_parts = [&] {
    for (std::size_t part = next++; part < parts; part = next++) read(part);
  };
  std::vector<std::future<void>> threads;
  for (std::size_t i = 0; i < std::min(threads_to_read(), parts); ++i)
    threads.push_back(std::async(std::launch::async, read_parts));
  for (std::future<void>& thread : threads) thread.get();  // if this throws, the destructors of the other futures wait
}

// Sorts in several threads, because a million values take a good part of a second.
template <class T, class Less = std::less<T>>
void sort_in_threads(std::vector<T>& values, const Less& less = {}) {
  const std::size_t parts = threads_to_read();
  const auto at = [&](std::size_t part) {
    return values.begin() + static_cast<std::ptrdiff_t>(values.size() * part / parts);
  };
  read_in_threads(parts, [&](std::size_t part) { std::sort(at(part), at(part + 1), less); });
  for (std::size_t part = 1; part < parts; ++part) std::inplace_merge(values.begin(), at(part), at(part + 1), less);
}

}  // namespace linkherd::storage
