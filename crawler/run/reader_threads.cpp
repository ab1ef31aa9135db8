#include "crawler/run/reader_threads.h"

#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace linkherd::crawler {

template <class Condition>
void ReaderThreads::wait_until(Condition condition) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, condition);
  lock.unlock();
  failure_.rethrow();
}

void ReaderThreads::add(InputDocument list) {
  if (next_ == nullptr) {
    next_ = std::make_unique<Task>();
    next_->first = lists_added_;
  }
  ++lists_added_;
  bytes_added_ += list.text.size();
  next_->bytes += list.text.size();
  next_->lists.push_back(std::move(list));
  // A small folder provides work for all threads; in a large one, few tasks have to be joined.
  const std::uint64_t enough = std::clamp<std::uint64_t>(bytes_added_ / 16, min_task_bytes, max_task_bytes);
  if (next_->lists.size() == max_task_lists || next_->bytes >= enough) begin_next();
}

void ReaderThreads::finish() {
  if (next_ != nullptr) begin_next();
  wait_until([this] { return pending_tasks_.empty(); });
}

// If no thread can be started, the calling thread does all the work.
void ReaderThreads::start() {
  if (std::exchange(is_started_, true)) return;
  try {
    for (unsigned i = 0; i < threads_to_start_; ++i)
      threads_.emplace_back([this] {
        TargetCache known;
        while (const std::optional<Task*> task = tasks_.pop()) read(**task, known);
      });
  } catch (const std::system_error& error) {
    spdlog::info(fmt::format("could start only {} threads that read documents: {}", threads_.size(), error.what()));
  }
}

void ReaderThreads::begin_next() {
  start();
  Task* task = next_.get();
  {
    const std::scoped_lock lock(mutex_);
    unread_bytes_ += task->bytes;
    pending_bytes_ += task->bytes;
    pending_tasks_.push_back(std::move(next_));
  }
  if (threads_.empty()) {
    read(*task, known_);
  } else {
    tasks_.push(task);
  }
  // A large document at the front does not delay the others, because tasks that are done hold no text.
  wait_until([this] {
    return pending_tasks_.size() < max_tasks && pending_bytes_ < max_bytes_in_flight && unread_bytes_ <= max_bytes_;
  });
}

void ReaderThreads::read(Task& task, TargetCache& known) {
  try {
    known.begin_part();
    for (std::uint32_t i = 0; i < task.lists.size(); ++i) {
      read_document(task.lists[i], task.first + i, options_, nullptr, known, task.part);
      task.lists[i] = {};  // frees the text
    }
  } catch (...) {
    failure_.keep(std::current_exception());
  }
  std::unique_lock lock(mutex_);
  unread_bytes_ -= task.bytes;
  task.is_done = true;
  changed_.notify_one();
  join(lock);
}

// Hands out the parts that are ready, unless another thread is doing it.
void ReaderThreads::join(std::unique_lock<std::mutex>& lock) {
  if (std::exchange(is_joining_, true)) return;
  for (; !pending_tasks_.empty() && pending_tasks_.front()->is_done; pending_tasks_.pop_front()) {
    Task& task = *pending_tasks_.front();
    lock.unlock();
    try {
      take_(std::move(task.part));
    } catch (...) {
      failure_.keep(std::current_exception());
    }
    lock.lock();
    pending_bytes_ -= task.bytes;
    changed_.notify_one();
  }
  is_joining_ = false;
}

}  // namespace linkherd::crawler
