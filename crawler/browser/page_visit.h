// Visits one page in an isolated context of a running browser. Used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>

#include "crawler/browser/browser_options.h"
#include "crawler/browser/devtools_client.h"
#include "crawler/browser/forward_proxy.h"
#include "crawler/browser/rendered_page.h"
#include "crawler/fetch/http/cookies.h"
#include "parser/result.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Contains what all visits of a browser have in common.
struct VisitSettings {
  BrowserOptions options;
  std::size_t max_html_bytes = std::size_t{5} << 20;  // a longer DOM is cut; counted in UTF-16 units
  std::string user_agent{};
  std::vector<Cookie> cookies{};  // of the user
};

class PageVisit {
 public:
  // A page that requests more than this, or whose scripts leave it more often, is read as it is.
  static constexpr std::size_t max_requests = 2000;
  static constexpr int max_navigations = 10;

  // The references must outlive this object.
  PageVisit(boost::asio::io_context& io, DevToolsClient& client, ForwardProxy& proxy, const VisitSettings& settings);
  ~PageVisit();
  PageVisit(const PageVisit&) = delete;
  PageVisit& operator=(const PageVisit&) = delete;

  // Loads an http or https URL, waits until the page has settled, and reads it. Ends shortly after the timeout of a
  // page, whatever the page does. Call it once.
  boost::asio::awaitable<RenderedPage> run(const std::string& url);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Document {
    std::string url;
    int status = 0;
    std::vector<storage::ResponseHeader> headers{};
  };

  void on_event(const DevToolsEvent& event);
  void on_page_event(std::string_view method, const boost::json::object& params);
  void on_request(const boost::json::object& params);
  void add_request(std::string_view id, std::string_view type, std::string_view url);
  void on_response(const boost::json::object& params);
  void answer_request(const boost::json::object& params);
  void answer_login(const boost::json::object& params);
  boost::asio::awaitable<RenderedPage> load(const std::string& url);
  boost::asio::awaitable<Result<void>> open();
  boost::asio::awaitable<Result<void>> prepare();
  boost::asio::awaitable<void> identify_document(const parser::Url& location);
  boost::asio::awaitable<bool> wait_until_settled();
  boost::asio::awaitable<Result<boost::json::object>> evaluate(std::string_view expression,
                                                               std::chrono::milliseconds timeout);
  boost::asio::awaitable<Result<boost::json::object>> read_page();
  boost::asio::awaitable<Result<boost::json::object>> call(std::string_view method, boost::json::object&& params);
  void on_request_end(const boost::json::object& params);
  void take_script_response(const boost::json::object& params);
  std::string find_refusal() const;
  std::string explain_unreadable(const std::string& error) const;
  std::string explain_unsettled() const;
  std::string explain_missing_part() const;
  void stop_page(std::string_view reason);

  boost::asio::io_context& io_;
  DevToolsClient& client_;
  ForwardProxy& proxy_;
  const VisitSettings& settings_;
  const int proxy_page_;
  const int listener_;
  TimePoint limit_{};
  std::string context_, target_, session_;                   // identifiers of the browser
  std::map<std::string, std::string, std::less<>> pending_;  // the addresses of requests without an end, by id
  std::string requested_url_;
  std::string document_url_;                                // of the last request for the main document
  std::map<std::string, Document, std::less<>> documents_;  // the responses for the main document, by its loader
  std::string last_loader_;
  std::string missing_part_;                   // URL of a request of a script that failed; empty: none
  std::set<std::string, std::less<>> logins_;  // requests for which the proxy got credentials
  bool is_html_cut_ = false;
  std::string last_sample_;  // of the state of the page; empty: it could not be read
  std::size_t requests_ = 0;
  int navigations_ = 0;
  TimePoint last_activity_{};
  std::string stop_reason_;  // why the page must not go on; empty: it may
  std::string lost_reason_;  // why the page cannot be read any more
  RenderedPage page_;
};

}  // namespace linkherd::crawler
