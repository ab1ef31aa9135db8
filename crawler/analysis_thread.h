// A thread with a stack of 8 MiB: gumbo and what walks its trees recurse, and std::thread takes whatever `ulimit -s`
// says.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>
#include <utility>

#include <pthread.h>

namespace linkherd::crawler {

class AnalysisThread {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{8} << 20;

  // `work` must not throw. Throws std::system_error where no thread can be started.
  explicit AnalysisThread(std::function<void()> work) {
    auto handed_over = std::make_unique<std::function<void()>>(std::move(work));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    const int error = pthread_create(&thread_, &attributes, &AnalysisThread::run, handed_over.get());
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
    static_cast<void>(handed_over.release());  // the thread's
  }
  AnalysisThread(AnalysisThread&& other) noexcept
      : thread_(other.thread_), joinable_(std::exchange(other.joinable_, false)) {}
  AnalysisThread& operator=(AnalysisThread&&) = delete;
  ~AnalysisThread() {
    if (joinable_) pthread_join(thread_, nullptr);
  }

 private:
  static void* run(void* work) {
    const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(work));
    (*own)();
    return nullptr;
  }

  pthread_t thread_{};
  bool joinable_ = true;
};

}  // namespace linkherd::crawler
