// Reads input documents in several threads, some at a time, and hands out the parts of the link table in the order of
// the documents. The amount of text in progress is limited.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "crawler/fetch/bounded_queue.h"
#include "crawler/run/document_reader.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/run/target_cache.h"
#include "crawler/sources/source.h"

namespace linkherd::crawler {

class ReaderThreads {
 public:
  // `take`: called for one part at a time, by any of the threads.
  ReaderThreads(const LinkTableOptions& options, std::function<void(TablePart)> take)
      : options_(options), take_(std::move(take)) {}
  ~ReaderThreads() { tasks_.close(); }
  ReaderThreads(const ReaderThreads&) = delete;
  ReaderThreads& operator=(const ReaderThreads&) = delete;

  // Waits until there is room. Rethrows the exception of a thread.
  void add(InputDocument list);
  // Waits until all parts were taken. Rethrows the exception of a thread.
  void finish();

 private:
  // Most pages of a folder have the same links, so a task merges them before they are joined with those of other parts.
  static constexpr std::size_t max_task_lists = 256;
  static constexpr std::size_t min_task_bytes = std::size_t{1} << 18U;
  static constexpr std::size_t max_task_bytes = std::size_t{2} << 20U;
  // Limits the tasks that are in progress or wait to be joined in order. Their additions to the table take memory until
  // then.
  static constexpr std::size_t max_tasks = 96;
  static constexpr std::size_t max_bytes_in_flight = 12 * max_task_bytes;

  struct Task {
    std::uint32_t first = 0;  // index of the first input document
    std::vector<InputDocument> lists;
    std::size_t bytes = 0;
    TablePart part;
    bool is_done = false;
  };

  void start();
  void begin_next();
  template <class Condition>
  void wait_until(Condition condition);
  void read(Task& task, TargetCache& known);
  void join(std::unique_lock<std::mutex>& lock);

  const LinkTableOptions& options_;
  const std::function<void(TablePart)> take_;
  const unsigned threads_to_start_ = std::max(1U, std::thread::hardware_concurrency());
  // one task more than threads, so that the next task is always ready
  const std::size_t max_bytes_ = max_task_bytes * (threads_to_start_ + 1);
  bool is_started_ = false;
  TargetCache known_;  // used if no threads were started
  std::uint32_t lists_added_ = 0;
  std::uint64_t bytes_added_ = 0;
  std::unique_ptr<Task> next_;  // not started yet
  BoundedQueue<Task*> tasks_{max_tasks + 1};
  ThreadFailure failure_;
  std::mutex mutex_;                                 // protects the next five members and Task::is_done
  std::deque<std::unique_ptr<Task>> pending_tasks_;  // in the order of the input documents
  std::size_t pending_bytes_ = 0;
  std::size_t unread_bytes_ = 0;  // of tasks that are not done
  bool is_joining_ = false;       // true while a thread hands out parts
  std::condition_variable changed_;
  std::vector<std::jthread> threads_;  // the last member, so that the threads end before the members they use
};

}  // namespace linkherd::crawler
