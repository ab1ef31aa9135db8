#include "crawler/browser/browser.h"

#include <chrono>
#include <deque>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/browser/browser_process.h"
#include "crawler/browser/coroutine_end.h"
#include "crawler/browser/devtools_client.h"
#include "crawler/browser/forward_proxy.h"
#include "crawler/browser/page_visit.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/net/socket_set.h"

namespace linkherd::crawler {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr int max_failed_starts = 3;      // in succession
constexpr int max_failed_processes = 10;  // in succession, without a page in between; some pages end a browser
constexpr int max_attempts_of_page = 2;   // a page whose browser ended is visited again in a new one
constexpr int resolver_threads = 2;

RenderedPage page_without_content(VisitOutcome outcome, std::string detail) {
  RenderedPage page;
  page.outcome = outcome;
  page.detail = std::move(detail);
  return page;
}

// A machine without resources for a browser is no reason to end the run.
Result<std::unique_ptr<BrowserProcess>> start_process(const BrowserCommand& command) {
  try {
    return BrowserProcess::start(command);
  } catch (const std::system_error& error) {
    return Error{fmt::format("the browser cannot be started: {}", error.what())};
  }
}

}  // namespace

class Browser::Thread {
 public:
  Thread(const BrowserOptions& options, const FetchOptions& fetching, const Clock& clock);
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  void visit(std::string url, std::function<void(RenderedPage)> done);
  void stop();

 private:
  struct Visit {
    std::string url;
    std::function<void(RenderedPage)> done;
    int attempts = 0;
  };

  void work();
  asio::awaitable<void> serve();
  asio::awaitable<void> run_proxy();
  asio::awaitable<void> run_process();
  asio::awaitable<void> run_client(DevToolsClient& client);
  asio::awaitable<Result<void>> greet(DevToolsClient& client);
  asio::awaitable<void> serve_tab(DevToolsClient& client);
  asio::awaitable<void> wait_for_change();
  void begin_stop();
  void end_visits(VisitOutcome outcome, const std::string& detail);
  void give_up(const std::string& reason);

  const BrowserOptions& options_;
  const FetchOptions& fetching_;
  asio::io_context io_{1};
  SocketSet sockets_{io_};
  Resolver resolver_;
  ForwardProxy proxy_;
  VisitSettings settings_;
  asio::steady_timer changed_;        // cancelled whenever something that a coroutine waits for has changed
  std::deque<Visit> visits_;          // that have not begun
  DevToolsClient* client_ = nullptr;  // of the running process
  int tabs_ = 0;                      // coroutines that visit pages
  bool is_client_running_ = false;
  int pages_of_process_ = 0;
  int failed_processes_ = 0;
  bool is_proxy_running_ = true;
  bool is_stopping_ = false;
  bool is_quitting_ = false;
  std::string unavailable_;  // why there will be no browser; empty: there may be one
  std::thread thread_;
};

Browser::Browser(const BrowserOptions& options, const FetchOptions& fetching, const Clock& clock)
    : options_(options), fetching_(fetching), clock_(clock) {}

Browser::~Browser() = default;

void Browser::visit(std::string url, std::function<void(RenderedPage)> done) {
  if (!thread_) thread_ = std::make_unique<Thread>(options_, fetching_, clock_);
  thread_->visit(std::move(url), std::move(done));
}

void Browser::stop() {
  if (thread_) thread_->stop();
}

Browser::Thread::Thread(const BrowserOptions& options, const FetchOptions& fetching, const Clock& clock)
    : options_(options),
      fetching_(fetching),
      resolver_(io_, sockets_, clock, fetching, resolver_threads),
      proxy_(io_, resolver_, fetching),
      settings_{.options = options, .max_html_bytes = fetching.max_body, .cookies = fetching.cookies},
      changed_(io_, asio::steady_timer::time_point::max()),
      thread_([this] { work(); }) {}

Browser::Thread::~Thread() {
  stop();
  asio::post(io_, [this] {
    is_quitting_ = true;
    changed_.cancel();
  });
  thread_.join();
}

void Browser::Thread::visit(std::string url, std::function<void(RenderedPage)> done) {
  asio::post(io_, [this, url = std::move(url), done = std::move(done)]() mutable {
    if (is_stopping_) return done(page_without_content(VisitOutcome::interrupted, "interrupted"));
    if (!unavailable_.empty()) return done(page_without_content(VisitOutcome::unavailable, unavailable_));
    visits_.push_back({std::move(url), std::move(done)});
    changed_.cancel();
  });
}

void Browser::Thread::stop() {
  asio::post(io_, [this] { begin_stop(); });
}

void Browser::Thread::begin_stop() {
  if (is_stopping_) return;
  is_stopping_ = true;
  end_visits(VisitOutcome::interrupted, "interrupted");
  if (client_ != nullptr) client_->close("interrupted");
  proxy_.stop();
  resolver_.cancel_all();
  changed_.cancel();
}

void Browser::Thread::work() {
  asio::co_spawn(io_, run_proxy(), rethrow_failure);
  asio::co_spawn(io_, serve(), rethrow_failure);
  // A failure of the machine ends the browser, but not the run.
  while (true) {
    try {
      io_.run();
      return;
    } catch (const std::exception& error) {
      give_up(error.what());
      begin_stop();
    }
  }
}

asio::awaitable<void> Browser::Thread::run_proxy() {
  co_await proxy_.run();
  is_proxy_running_ = false;
  changed_.cancel();
}

asio::awaitable<void> Browser::Thread::serve() {
  while (!is_quitting_) {
    if (visits_.empty()) {
      co_await wait_for_change();
    } else {
      co_await run_process();
    }
  }
  while (is_proxy_running_) co_await wait_for_change();
  io_.stop();
}

// Runs one process of the browser, until it ends, has visited enough pages, or the run stops.
asio::awaitable<void> Browser::Thread::run_process() {
  const BrowserCommand command{.program = options_.program,
                               .proxy_port = proxy_.port(),
                               .has_sandbox = options_.has_sandbox,
                               .verifies_certificates = !fetching_.insecure,
                               .ca_file = fetching_.ca_file};
  const Result<std::unique_ptr<BrowserProcess>> process = start_process(command);
  if (!process) {
    give_up(process.error().message);
    co_return;
  }
  DevToolsClient client(io_, (*process)->take_socket());
  client_ = &client;
  is_client_running_ = true;
  pages_of_process_ = 0;
  asio::co_spawn(io_, run_client(client), rethrow_failure);
  const Result<void> greeted = co_await greet(client);
  if (greeted) {
    for (int tab = 0; tab < options_.tabs; ++tab) {
      ++tabs_;
      asio::co_spawn(io_, serve_tab(client), rethrow_failure);
    }
  }
  while (tabs_ > 0) co_await wait_for_change();
  const std::string failure = greeted ? client.failure() : greeted.error().message;
  client.close("finished");
  while (is_client_running_) co_await wait_for_change();
  client_ = nullptr;
  if (failure.empty() || is_stopping_) co_return;
  const std::string message = (*process)->last_message();
  spdlog::debug(fmt::format("browser: {}; its last message: {}", failure, message));
  if (++failed_processes_ >= (greeted ? max_failed_processes : max_failed_starts))
    give_up(fmt::format("the browser \"{}\" does not work: {}", options_.program, failure));
}

asio::awaitable<void> Browser::Thread::run_client(DevToolsClient& client) {
  co_await client.run();
  is_client_running_ = false;
  changed_.cancel();
}

// Finds out whether the program is a browser that linkherd can use.
asio::awaitable<Result<void>> Browser::Thread::greet(DevToolsClient& client) {
  boost::json::object none;
  const Result<boost::json::object> version =
      co_await client.call("Browser.getVersion", std::move(none), {}, options_.start_timeout);
  if (!version) co_return version.error();
  const std::string_view product = text_member(*version, "product");
  if (product.find("Chrom") == std::string_view::npos) co_return Error{"it is not Chromium"};
  settings_.user_agent = fmt::format("{} linkherd", text_member(*version, "userAgent"));
  boost::json::object discover;
  discover["discover"] = true;
  client.send("Target.setDiscoverTargets", std::move(discover), {});
  co_return Result<void>();
}

asio::awaitable<void> Browser::Thread::serve_tab(DevToolsClient& client) {
  while (client.is_open() && !is_stopping_ && pages_of_process_ < max_pages_of_process) {
    if (visits_.empty()) {
      co_await wait_for_change();
      continue;
    }
    Visit visit = std::move(visits_.front());
    visits_.pop_front();
    ++pages_of_process_;
    ++visit.attempts;
    RenderedPage page;
    try {
      PageVisit page_visit(io_, client, proxy_, settings_);
      page = co_await page_visit.run(visit.url);
    } catch (const std::exception& error) {
      page = page_without_content(VisitOutcome::failed, error.what());
    }
    if (is_stopping_) {
      visit.done(page_without_content(VisitOutcome::interrupted, "interrupted"));
    } else if (!page.has_page() && !client.is_open() && visit.attempts < max_attempts_of_page) {
      visits_.push_front(std::move(visit));
    } else {
      if (page.has_page()) failed_processes_ = 0;
      visit.done(std::move(page));
    }
  }
  --tabs_;
  changed_.cancel();
}

// The caller checks its condition again, because any change ends the wait.
asio::awaitable<void> Browser::Thread::wait_for_change() {
  error_code ignored;
  co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Browser::Thread::end_visits(VisitOutcome outcome, const std::string& detail) {
  while (!visits_.empty()) {
    const Visit visit = std::move(visits_.front());
    visits_.pop_front();
    visit.done(page_without_content(outcome, detail));
  }
}

void Browser::Thread::give_up(const std::string& reason) {
  if (!unavailable_.empty()) return;
  unavailable_ = reason;
  spdlog::warn(reason);
  end_visits(VisitOutcome::unavailable, reason);
}

}  // namespace linkherd::crawler
