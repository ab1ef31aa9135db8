// A browser for tests: a fake one, or Chromium if it is installed.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "crawler/browser/browser.h"
#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "tests/support/small_internet.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

inline constexpr const char* chromium_program = "/usr/bin/chromium";

// Allows the loopback addresses of a SmallInternet, and nothing else that is private.
inline crawler::FetchOptions options_for_browser(const SmallInternet& internet) {
  crawler::FetchOptions options;
  options.dns_servers = {internet.dns_server()};
  options.connect_to = internet.connect_to();
  options.addresses.allowed = {crawler::AddressRange::parse("127.0.0.0/8").value()};
  return options;
}

class BrowserFixture {
 public:
  explicit BrowserFixture(const SmallInternet& internet) : fetching(options_for_browser(internet)) {
    options.program = chromium_program;
    options.start_timeout = options.page_timeout = std::chrono::minutes(2);  // for a busy machine
    options.has_sandbox = false;                                             // root may run the tests
  }

  // Chooses the fake browser with this behaviour (see fake_browser.cpp).
  void use_fake(const std::string& behaviour) {
    options.program = folder_ / ("chromium-" + behaviour);
    std::filesystem::create_symlink(LINKHERD_FAKE_BROWSER, options.program);
  }
  // Reads a file that the fake browser wrote.
  std::string note(const std::string& name) const { return read_file(options.program + "." + name); }

  crawler::Browser& browser() {
    if (!browser_) browser_ = std::make_unique<crawler::Browser>(options, fetching, clock_);
    return *browser_;
  }
  std::future<crawler::RenderedPage> begin_visit(const std::string& url) {
    auto promise = std::make_shared<std::promise<crawler::RenderedPage>>();  // std::function must be copyable
    std::future<crawler::RenderedPage> page = promise->get_future();
    browser().visit(url, [promise](crawler::RenderedPage result) { promise->set_value(std::move(result)); });
    return page;
  }
  crawler::RenderedPage visit(const std::string& url) { return begin_visit(url).get(); }
  void end() { browser_.reset(); }

  crawler::BrowserOptions options;
  crawler::FetchOptions fetching;

 private:
  TempDir folder_;
  crawler::Clock clock_;
  std::unique_ptr<crawler::Browser> browser_;
};

}  // namespace linkherd::tests
