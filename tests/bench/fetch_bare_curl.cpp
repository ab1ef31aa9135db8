// Fetches a list of URLs with plain libcurl: the reference cost for linkherd's fetch engine. It uses one thread, one
// multi handle, epoll, and the options and request headers of linkherd's fetch threads. It has no redirects, retries,
// politeness or DNS, so the URLs must contain IP addresses.
//   fetch_bare_curl [--concurrency N] [--forbid-reuse] [--capath default] [--ca-file FILE] FILE_OF_URLS
// Prints the number of links per status.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>
#include <fmt/core.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace {

constexpr std::size_t body_cap = std::size_t{5} << 20;

struct Settings {
  std::size_t concurrency = 512;
  bool forbid_reuse = false;
  bool default_capath = false;
  std::string ca_file;
  std::string urls;
};

struct Download {
  CURL* easy = nullptr;
  std::vector<std::string> headers;
  std::string body;
};

std::size_t take_header(char* data, std::size_t /*size*/, std::size_t count, void* to) {
  static_cast<Download*>(to)->headers.emplace_back(data, count);
  return count;
}

std::size_t take_body(char* data, std::size_t /*size*/, std::size_t count, void* to) {
  std::string& body = static_cast<Download*>(to)->body;
  const std::size_t room = body_cap - body.size();
  body.append(data, std::min(room, count));
  return count <= room ? count : 0;
}

class BareLoop {
 public:
  explicit BareLoop(const Settings& settings) : settings_(settings), urls_(settings.urls) {
    if (!urls_) throw std::runtime_error("cannot read " + settings.urls);
    for (const char* line : {"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                             "Accept-Language: en,*;q=0.5", "Accept-Encoding: gzip, deflate, br"}) {
      headers_ = curl_slist_append(headers_, line);
    }
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &BareLoop::on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &BareLoop::on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(2 * settings.concurrency));
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING});
  }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;
  ~BareLoop() {
    curl_multi_cleanup(multi_);
    curl_slist_free_all(headers_);
    close(epoll_);
  }

  void run() {
    while (running_ < settings_.concurrency && start()) {
    }
    std::array<epoll_event, 256> events{};
    while (running_ > 0) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(wait_));
      int unused = 0;
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        const int what = ((event.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                         ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                         ((event.events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(multi_, event.data.fd, what, &unused);
      }
      if (count == 0) curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &unused);
      collect();
    }
  }

  void print() const {
    for (const auto& [status, count] : statuses_) fmt::print("{} {}\n", status, count);
  }

 private:
  static int on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*data*/) {
    const int epoll = static_cast<BareLoop*>(self)->epoll_;
    epoll_event event{};
    event.events =
        (what != CURL_POLL_OUT ? std::uint32_t{EPOLLIN} : 0U) | (what != CURL_POLL_IN ? std::uint32_t{EPOLLOUT} : 0U);
    event.data.fd = socket;
    if (what == CURL_POLL_REMOVE) {
      epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event);
    } else if (epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0) {
      epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
    }
    return 0;
  }
  static int on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
    static_cast<BareLoop*>(self)->wait_ = milliseconds;
    return 0;
  }

  // Returns false if no URL is left.
  bool start() {
    std::string url;
    if (!std::getline(urls_, url)) return false;
    std::unique_ptr<Download> download;
    if (spare_.empty()) {
      download = std::make_unique<Download>();
      download->easy = curl_easy_init();
    } else {
      download = std::move(spare_.back());
      spare_.pop_back();
      download->headers.clear();
      download->body.clear();
      curl_easy_reset(download->easy);
    }
    set_options(*download, url);
    curl_multi_add_handle(multi_, download->easy);
    running_downloads_.emplace(download->easy, std::move(download));
    ++running_;
    return true;
  }

  void set_options(Download& download, const std::string& url) const {
    CURL* const easy = download.easy;
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, settings_.forbid_reuse ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 20000L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 100L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, 10L);
    if (!settings_.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, settings_.ca_file.c_str());
    if (!settings_.default_capath) curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 86400L);
    curl_easy_setopt(easy, CURLOPT_CERTINFO, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "linkherd/0.1.0 (+https://github.com/linkherd/linkherd)");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &download);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &download);
  }

  void collect() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
      CURL* const easy = message->easy_handle;
      long status = 0;
      if (message->data.result == CURLE_OK) curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      ++statuses_[status];
      curl_multi_remove_handle(multi_, easy);
      auto ended = running_downloads_.extract(easy);
      spare_.push_back(std::move(ended.mapped()));
      --running_;
      start();
    }
  }

  const Settings& settings_;
  std::ifstream urls_;
  CURLM* multi_ = curl_multi_init();
  curl_slist* headers_ = nullptr;
  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  long wait_ = -1;
  std::size_t running_ = 0;
  std::map<CURL*, std::unique_ptr<Download>> running_downloads_;
  std::vector<std::unique_ptr<Download>> spare_;  // their handles are reused until the program ends
  std::map<long, int> statuses_;
};

Settings read_arguments(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const auto value = [&] { return ++i < count ? arguments[i] : throw std::runtime_error("a value is missing"); };
    if (name == "--concurrency") {
      settings.concurrency = std::strtoul(value(), nullptr, 10);
    } else if (name == "--forbid-reuse") {
      settings.forbid_reuse = true;
    } else if (name == "--capath") {
      settings.default_capath = std::strcmp(value(), "default") == 0;
    } else if (name == "--ca-file") {
      settings.ca_file = value();
    } else {
      settings.urls = name;
    }
  }
  return settings;
}

}  // namespace

int main(int count, char** arguments) try {
  const Settings settings = read_arguments(count, arguments);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  BareLoop loop(settings);
  loop.run();
  loop.print();
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "fetch_bare_curl: {}\n", error.what());
  return 1;
}
