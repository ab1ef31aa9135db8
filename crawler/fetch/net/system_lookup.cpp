#include "crawler/fetch/net/system_lookup.h"

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>
#include <sys/socket.h>

namespace linkherd::crawler {

namespace {

FailureKind failure_from_getaddrinfo(int code) {
  switch (code) {
    case 0: return FailureKind::none;
    case EAI_NONAME: return FailureKind::dns_not_found;
    case EAI_NODATA:
    case EAI_ADDRFAMILY: return FailureKind::dns_no_address;
    // EAI_AGAIN means both "no server answered" and "the server could not answer".
    default: return FailureKind::dns_failed;
  }
}

// Catches everything, because nobody waits for these threads.
Resolution look_up_once(const std::function<Resolution()>& look_up) {
  try {
    return look_up();
  } catch (const std::bad_alloc&) {
    return {.failure = FailureKind::dns_failed, .is_local_exhaustion = true};
  }
}

}  // namespace

Resolution query_system(const std::string& host, IpFamily family) {
  addrinfo hints{};
  hints.ai_family = family == IpFamily::v4 ? AF_INET : family == IpFamily::v6 ? AF_INET6 : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string complete =
      host.ends_with('.') ? host : host + ".";  // no search domains: names in links are complete
  int code = getaddrinfo(complete.c_str(), nullptr, &hints, &found);
  const int error = errno;
  // The hosts file and mDNS know names only without the final dot.
  if (code == EAI_NONAME) code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(code == 0 ? found : nullptr, &freeaddrinfo);
  Resolution answer;
  answer.failure = failure_from_getaddrinfo(code);
  answer.is_local_exhaustion = code == EAI_MEMORY || (code == EAI_SYSTEM && (error == EMFILE || error == ENFILE));
  for (const addrinfo* node = owned.get(); node != nullptr; node = node->ai_next) {
    constexpr std::size_t max_addresses = 16;
    const auto address = IpAddress::of(*node->ai_addr);
    if (address && answer.addresses.size() < max_addresses) answer.addresses.push_back(*address);
  }
  if (code == 0 && answer.addresses.empty()) answer.failure = FailureKind::dns_no_address;
  return answer;
}

struct SystemLookup::State {
  struct Job {
    std::function<Resolution()> look_up;
    std::function<void(Resolution)> done;
  };
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Job> jobs;
  int idle = 0;
  bool closed = false;
};

SystemLookup::SystemLookup(int threads) : state_(std::make_shared<State>()), threads_left_(threads) {}

SystemLookup::~SystemLookup() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->jobs.clear();
  state_->wake.notify_all();
}

void SystemLookup::start(std::function<Resolution()> look_up, std::function<void(Resolution)> done) {
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back({std::move(look_up), std::move(done)});
  if (state_->idle < static_cast<int>(state_->jobs.size()) && threads_left_ > 0) {
    try {
      std::thread(&SystemLookup::work, state_).detach();
      --threads_left_;
      has_threads_ = true;
    } catch (const std::system_error&) {
      if (!has_threads_) throw;
      threads_left_ = 0;  // the existing threads must suffice
    }
  }
  state_->wake.notify_one();
}

void SystemLookup::work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (!state->closed) {
    if (state->jobs.empty()) {
      ++state->idle;
      state->wake.wait(lock);
      --state->idle;
      continue;
    }
    State::Job job = std::move(state->jobs.front());
    state->jobs.pop_front();
    lock.unlock();
    Resolution answer = look_up_once(job.look_up);
    lock.lock();
    if (!state->closed) job.done(std::move(answer));  // under the lock, so that the receiver still exists
  }
}

}  // namespace linkherd::crawler
