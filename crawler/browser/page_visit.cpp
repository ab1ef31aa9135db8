#include "crawler/browser/page_visit.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

namespace asio = boost::asio;
namespace json = boost::json;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds quiet_time{350};
constexpr milliseconds stalled_time{3'000};  // of requests that wait for their responses, such as long polls
constexpr milliseconds sample_interval{50};
constexpr milliseconds max_command_time{10'000};
constexpr milliseconds max_sample_time{2'000};
constexpr milliseconds max_read_time{3'000};
constexpr const char* world_name = "linkherd";
constexpr std::size_t max_shown_address = 200;

// Counts the changes of the DOM. It runs in an isolated world, which the scripts of the page cannot touch.
constexpr std::string_view sample_script = R"((() => {
  if (!globalThis.observer) {
    globalThis.changes = 0;
    globalThis.observer = new MutationObserver(list => { globalThis.changes += list.length; });
    globalThis.observer.observe(document, {subtree: true, childList: true, characterData: true});
  }
  return {sample: document.readyState + ' ' + globalThis.changes + ' ' + location.href};
})())";

// Requests that do not change what a page says. Images, fonts and media are a separate choice.
constexpr std::array<std::string_view, 7> useless_types{
    "Ping", "Prefetch", "CSPViolationReport", "Manifest", "TextTrack", "SignedExchange", "Other"};
constexpr std::array<std::string_view, 3> image_types{"Image", "Font", "Media"};
// Requests that may stay open for as long as the page is open.
constexpr std::array<std::string_view, 3> endless_types{"EventSource", "WebSocket", "Ping"};
// Requests by which scripts get what a page shows.
constexpr std::array<std::string_view, 3> script_types{"Script", "XHR", "Fetch"};

bool is_true(const json::object& object, std::string_view name) {
  const json::value* const value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

void append(std::string& to, std::string_view text) { to.append(text); }

std::string read_script(std::size_t max_length) {
  // After history.pushState(), relative links begin at another address than that of the document.
  std::string script = R"((() => {
  const loaded = performance.getEntriesByType('navigation')[0]?.name ?? location.href;
  if (loaded.split('#')[0] != location.href.split('#')[0] && document.head && !document.querySelector('base[href]')) {
    const base = document.createElement('base');
    base.href = location.href;
    document.head.prepend(base);
  }
  const type = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>\n' : '';
  const html = document.documentElement ? document.documentElement.outerHTML : '';
  const all = type + html;
  const max = )";
  append(script, std::to_string(max_length));
  append(script, R"(;
  return {url: location.href, html: all.slice(0, max), isCut: all.length > max};
})())");
  return script;
}

}  // namespace

PageVisit::PageVisit(asio::io_context& io, DevToolsClient& client, ForwardProxy& proxy, const VisitSettings& settings)
    : io_(io),
      client_(client),
      proxy_(proxy),
      settings_(settings),
      proxy_page_(proxy.open_page(settings.options.max_page_traffic)),
      listener_(client.listen([this](const DevToolsEvent& event) { on_event(event); })) {}

PageVisit::~PageVisit() {
  client_.forget(listener_);
  proxy_.close_page(proxy_page_);
}

asio::awaitable<RenderedPage> PageVisit::run(const std::string& url) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  if (!parsed || !parsed->is_http()) {
    page_.detail = "only http and https pages are visited";
    co_return std::move(page_);
  }
  requested_url_ = parsed->href_without_fragment();
  limit_ = steady_clock::now() + settings_.options.page_timeout;
  RenderedPage page = co_await load(url);
  page.bytes = proxy_.traffic(proxy_page_).bytes;
  if (!context_.empty()) {
    json::object context;
    context["browserContextId"] = context_;
    client_.send("Target.disposeBrowserContext", std::move(context), {});
  }
  co_return page;
}

asio::awaitable<RenderedPage> PageVisit::load(const std::string& url) {
  Result<void> ready = co_await open();
  if (ready) ready = co_await prepare();
  if (!ready) {
    page_.detail = ready.error().message;
    co_return std::move(page_);
  }
  json::object address;
  address["url"] = url;
  last_activity_ = steady_clock::now();
  // The answer comes with the headers of the response, which may take until the limit.
  const auto time_left = limit_ - steady_clock::now();
  const Result<json::object> navigated =
      co_await client_.call("Page.navigate", std::move(address), session_, time_left);
  const std::string error(navigated ? text_member(*navigated, "errorText") : std::string_view());
  if (!navigated || !error.empty()) {
    page_.detail = find_refusal();
    if (page_.detail.empty()) page_.detail = navigated ? error : explain_unreadable(navigated.error().message);
    co_return std::move(page_);
  }
  const bool is_settled = co_await wait_until_settled();
  const Result<json::object> content = co_await read_page();
  if (!content) {
    page_.detail = explain_unreadable(content.error().message);
    co_return std::move(page_);
  }
  const std::string_view location = text_member(*content, "url");
  const Result<parser::Url> location_url = parser::Url::parse(location);
  if (!location_url || !location_url->is_http()) {
    page_.detail = stop_reason_.empty() ? find_refusal() : stop_reason_;
    if (page_.detail.empty()) page_.detail = "its scripts replaced it with something that is not a page of the web";
    co_return std::move(page_);
  }
  page_.final_url = location;
  page_.html = text_member(*content, "html");
  is_html_cut_ = is_true(*content, "isCut");
  co_await identify_document(*location_url);
  page_.detail = is_settled ? explain_missing_part() : explain_unsettled();
  page_.outcome = page_.detail.empty() ? VisitOutcome::complete : VisitOutcome::incomplete;
  co_return std::move(page_);
}

// Finds the response to which the DOM belongs. A download or a response without content shows no new document, and a
// script may give the document another address, which is only its own name for its state.
asio::awaitable<void> PageVisit::identify_document(const parser::Url& location) {
  const Result<json::object> tree = co_await client_.call("Page.getFrameTree", {}, session_, max_read_time);
  const std::string_view loader =
      tree ? text_member(object_member(object_member(*tree, "frameTree"), "frame"), "loaderId") : std::string_view();
  auto found = documents_.find(loader);
  if (found == documents_.end()) found = documents_.find(last_loader_);  // the page is too busy to say
  if (found == documents_.end()) co_return;
  Document& document = found->second;
  page_.status = document.status;
  page_.headers = std::move(document.headers);
  if (!document.url.empty() && location.href_without_fragment() != requested_url_)
    page_.final_url = std::move(document.url);
}

// Opens a tab in a context of its own, which shares nothing with other pages.
asio::awaitable<Result<void>> PageVisit::open() {
  json::object proxy;
  proxy["disposeOnDetach"] = true;
  proxy["proxyServer"] = fmt::format("http://127.0.0.1:{}", proxy_.port());
  proxy["proxyBypassList"] = "<-loopback>";
  Result<json::object> context = co_await call("Target.createBrowserContext", std::move(proxy));
  if (!context) co_return context.error();
  context_ = text_member(*context, "browserContextId");

  json::object downloads;
  downloads["behavior"] = "deny";
  downloads["browserContextId"] = context_;
  client_.send("Browser.setDownloadBehavior", std::move(downloads), {});
  if (!settings_.cookies.empty()) {
    json::array cookies;
    for (const Cookie& cookie : settings_.cookies) {
      json::object one;
      one["name"] = cookie.name;
      one["value"] = cookie.value;
      one["path"] = cookie.path;
      one["secure"] = cookie.secure;
      if (cookie.is_host_only) {
        one["url"] = fmt::format("{}://{}{}", cookie.secure ? "https" : "http", cookie.domain, cookie.path);
      } else {
        one["domain"] = "." + cookie.domain;
      }
      cookies.push_back(std::move(one));
    }
    json::object all;
    all["cookies"] = std::move(cookies);
    all["browserContextId"] = context_;
    client_.send("Storage.setCookies", std::move(all), {});
  }
  json::object blank;
  blank["url"] = "about:blank";
  blank["browserContextId"] = context_;
  const Result<json::object> target = co_await call("Target.createTarget", std::move(blank));
  if (!target) co_return target.error();
  target_ = text_member(*target, "targetId");

  json::object flat;
  flat["targetId"] = target_;
  flat["flatten"] = true;
  const Result<json::object> session = co_await call("Target.attachToTarget", std::move(flat));
  if (!session) co_return session.error();
  session_ = text_member(*session, "sessionId");
  if (session_.empty()) co_return Error{"the browser opened no page"};
  co_return Result<void>();
}

asio::awaitable<Result<void>> PageVisit::prepare() {
  json::object agent;
  agent["userAgent"] = settings_.user_agent;
  client_.send("Network.setUserAgentOverride", std::move(agent), session_);
  json::object bypass;
  bypass["bypass"] = true;
  client_.send("Network.setBypassServiceWorker", std::move(bypass), session_);
  client_.send("Page.enable", {}, session_);
  client_.send("Inspector.enable", {}, session_);
  json::object buffers;  // of bodies that nobody will ask for
  buffers["maxTotalBufferSize"] = 0;
  buffers["maxResourceBufferSize"] = 0;
  client_.send("Network.enable", std::move(buffers), session_);
  json::object all;
  all["urlPattern"] = "*";
  json::array patterns{std::move(all)};
  for (const std::string_view type : script_types) {
    json::object responses;
    responses["urlPattern"] = "*";
    responses["resourceType"] = type;
    responses["requestStage"] = "Response";
    patterns.push_back(std::move(responses));
  }
  json::object intercepted;
  intercepted["handleAuthRequests"] = true;
  intercepted["patterns"] = std::move(patterns);
  // Commands are carried out in order, so the answer to the last one stands for all.
  const Result<json::object> done = co_await call("Fetch.enable", std::move(intercepted));
  if (!done) co_return done.error();
  co_return Result<void>();
}

// Returns false if the page did not settle by the time limit, or must not go on.
asio::awaitable<bool> PageVisit::wait_until_settled() {
  asio::steady_timer timer(io_);
  while (client_.is_open() && lost_reason_.empty() && stop_reason_.empty() && steady_clock::now() < limit_) {
    const Result<json::object> sample = co_await evaluate(sample_script, max_sample_time);
    const auto now = steady_clock::now();
    // Without a sample the page is busy, or leaves for another document.
    const std::string_view text = sample ? text_member(*sample, "sample") : std::string_view();
    if (text.empty() || text != last_sample_) last_activity_ = now;
    last_sample_ = text;
    const milliseconds needed_time = pending_.empty() ? quiet_time : stalled_time;
    if (text.starts_with("complete ") && now - last_activity_ >= needed_time) co_return true;
    timer.expires_after(sample_interval);
    error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return false;
}

asio::awaitable<Result<json::object>> PageVisit::evaluate(std::string_view expression, milliseconds timeout) {
  json::object world;
  world["frameId"] = target_;
  world["worldName"] = world_name;
  const Result<json::object> created =
      co_await client_.call("Page.createIsolatedWorld", std::move(world), session_, timeout);
  if (!created) co_return created.error();
  json::object script;
  script["contextId"] = number_member(*created, "executionContextId");
  script["expression"] = expression;
  script["returnByValue"] = true;
  const Result<json::object> result = co_await client_.call("Runtime.evaluate", std::move(script), session_, timeout);
  if (!result) co_return result.error();
  co_return object_member(object_member(*result, "result"), "value");
}

// Reads the DOM. A script that runs without end is terminated.
asio::awaitable<Result<json::object>> PageVisit::read_page() {
  client_.send("Page.stopLoading", {}, session_);
  const std::string script = read_script(settings_.max_html_bytes);
  Result<json::object> content = co_await evaluate(script, max_read_time);
  if (content || !client_.is_open() || !lost_reason_.empty()) co_return content;
  client_.send("Runtime.terminateExecution", {}, session_);
  content = co_await evaluate(script, max_read_time);
  co_return content;
}

// Calls a command of the page, or of the browser as long as there is no page.
asio::awaitable<Result<json::object>> PageVisit::call(std::string_view method, json::object&& params) {
  return client_.call(method, std::move(params), session_, max_command_time);
}

void PageVisit::on_event(const DevToolsEvent& event) {
  if (!event.session.empty()) {
    if (event.session == session_) on_page_event(event.method, event.params);
    return;
  }
  const json::object& target = object_member(event.params, "targetInfo");
  if (event.method == "Target.targetCreated") {
    const bool is_ours = !context_.empty() && text_member(target, "browserContextId") == context_;
    if (!is_ours || text_member(target, "type") != "page") return;
    // The first page of the context is the one that open() creates; scripts opened all others.
    if (target_.empty()) target_ = text_member(target, "targetId");
    if (text_member(target, "targetId") == target_) return;
    json::object window;
    window["targetId"] = text_member(target, "targetId");
    client_.send("Target.closeTarget", std::move(window), {});
  } else if (!target_.empty() && text_member(event.params, "targetId") == target_) {
    if (event.method == "Target.targetCrashed") lost_reason_ = "the page crashed its browser tab";
    if (event.method == "Target.targetDestroyed") lost_reason_ = "the page closed itself";
  }
}

void PageVisit::on_page_event(std::string_view method, const json::object& params) {
  if (method == "Fetch.requestPaused") {
    const bool has_response = params.contains("responseStatusCode") || params.contains("responseErrorReason");
    if (has_response) {
      take_script_response(params);
    } else {
      answer_request(params);
    }
  } else if (method == "Fetch.authRequired") {
    answer_login(params);
  } else if (method == "Network.requestWillBeSent") {
    on_request(params);
  } else if (method == "Network.responseReceived") {
    on_response(params);
  } else if (method == "Network.dataReceived") {
    last_activity_ = steady_clock::now();
  } else if (method == "Network.loadingFinished" || method == "Network.loadingFailed") {
    on_request_end(params);
  } else if (method == "Page.javascriptDialogOpening") {
    json::object refusal;
    refusal["accept"] = false;
    client_.send("Page.handleJavaScriptDialog", std::move(refusal), session_);
  } else if (method == "Inspector.targetCrashed") {
    lost_reason_ = "the page crashed its browser tab";
  }
}

void PageVisit::on_request(const json::object& params) {
  last_activity_ = steady_clock::now();
  const std::string_view type = text_member(params, "type");
  add_request(text_member(params, "requestId"), type, text_member(object_member(params, "request"), "url"));
  if (type != "Document" || text_member(params, "frameId") != target_) return;
  document_url_ = text_member(object_member(params, "request"), "url");
  if (params.contains("redirectResponse")) return;
  if (++navigations_ > max_navigations) stop_page("the scripts of the page redirect without end");
}

void PageVisit::add_request(std::string_view id, std::string_view type, std::string_view url) {
  if (!parser::is_one_of(endless_types, type) && pending_.size() < max_requests) pending_.emplace(id, url);
}

void PageVisit::on_response(const json::object& params) {
  last_activity_ = steady_clock::now();
  if (text_member(params, "type") != "Document" || text_member(params, "frameId") != target_) return;
  // A new document replaces the previous one, whose requests may end without an event. So may the request for the new
  // one, because another process takes over; the state of the document tells when it is complete.
  pending_.clear();
  missing_part_.clear();
  last_loader_ = text_member(params, "loaderId");
  const json::object& response = object_member(params, "response");
  // A page may navigate until it has been stopped.
  constexpr std::size_t max_documents = 2 * std::size_t{max_navigations};
  if (documents_.size() >= max_documents) return;
  Document document{.url = std::string(text_member(response, "url")), .status = number_member(response, "status")};
  for (const auto& [name, value] : object_member(response, "headers")) {
    constexpr std::size_t max_headers = 200;
    if (document.headers.size() == max_headers) break;
    if (value.is_string())
      document.headers.push_back({parser::to_ascii_lower({name.data(), name.size()}), std::string(value.get_string())});
  }
  documents_.insert_or_assign(last_loader_, std::move(document));
}

void PageVisit::on_request_end(const json::object& params) {
  last_activity_ = steady_clock::now();
  const auto request = pending_.find(text_member(params, "requestId"));
  if (request != pending_.end()) pending_.erase(request);
}

// Continues a response to a script, or the error instead of one.
void PageVisit::take_script_response(const json::object& params) {
  const int status = number_member(params, "responseStatusCode");
  // A script handles 401 and 404 as answers.
  const bool is_failure = status == 0 || status == 403 || status == 429 || status >= 500;
  if (is_failure && text_member(params, "responseErrorReason") != "Aborted" && missing_part_.empty())
    missing_part_ = text_member(object_member(params, "request"), "url").substr(0, max_shown_address);
  on_request_end(params);
  json::object answer;
  answer["requestId"] = text_member(params, "requestId");
  client_.send("Fetch.continueRequest", std::move(answer), session_);
}

void PageVisit::answer_request(const json::object& params) {
  const std::string_view type = text_member(params, "resourceType");
  const std::string_view url = text_member(object_member(params, "request"), "url");
  const bool is_web = parser::starts_ignoring_case(url, "http:") || parser::starts_ignoring_case(url, "https:");
  if (++requests_ > max_requests) stop_page(fmt::format("the page sent more than {} requests", max_requests));
  const bool is_refused = !stop_reason_.empty() || !is_web || parser::is_one_of(useless_types, type) ||
                          (!settings_.options.loads_images && parser::is_one_of(image_types, type));
  json::object answer;
  answer["requestId"] = text_member(params, "requestId");
  if (is_refused) answer["errorReason"] = "BlockedByClient";
  // While one process takes the page over from another, its requests are not reported otherwise.
  if (!is_refused && parser::is_one_of(script_types, type)) add_request(text_member(params, "requestId"), type, url);
  client_.send(is_refused ? "Fetch.failRequest" : "Fetch.continueRequest", std::move(answer), session_);
}

// Only the proxy gets credentials, never a site. A site that imitates a proxy would ask again and again.
void PageVisit::answer_login(const json::object& params) {
  json::object response;
  const bool is_proxy = text_member(object_member(params, "authChallenge"), "source") == "Proxy";
  if (is_proxy && logins_.emplace(text_member(params, "requestId")).second) {
    const ProxyCredentials credentials = proxy_.credentials(proxy_page_);
    response["response"] = "ProvideCredentials";
    response["username"] = credentials.user;
    response["password"] = credentials.password;
  } else {
    response["response"] = "CancelAuth";
  }
  json::object answer;
  answer["requestId"] = text_member(params, "requestId");
  answer["authChallengeResponse"] = std::move(response);
  client_.send("Fetch.continueWithAuth", std::move(answer), session_);
}

void PageVisit::stop_page(std::string_view reason) {
  if (!stop_reason_.empty()) return;
  stop_reason_ = reason;
  client_.send("Page.stopLoading", {}, session_);
}

std::string PageVisit::explain_unsettled() const {
  if (!stop_reason_.empty()) return stop_reason_;
  if (!pending_.empty()) {
    return fmt::format("the page was still loading {} at the time limit",
                       pending_.begin()->second.substr(0, max_shown_address));
  }
  if (last_sample_.empty()) return "a script of the page was still running at the time limit";
  return last_sample_.starts_with("complete ") ? "the page was still changing at the time limit"
                                               : "the page was still loading at the time limit";
}

std::string PageVisit::explain_missing_part() const {
  if (proxy_.traffic(proxy_page_).is_cut)
    return fmt::format("the page loads more than {} MB", settings_.options.max_page_traffic >> 20);
  if (is_html_cut_) return fmt::format("the page is longer than {} MB", settings_.max_html_bytes >> 20);
  if (!pending_.empty())
    return fmt::format("{} was not loaded in time", pending_.begin()->second.substr(0, max_shown_address));
  return missing_part_.empty() ? std::string() : fmt::format("{} could not be loaded", missing_part_);
}

// Says why there is no page. `error` is that of a command.
std::string PageVisit::explain_unreadable(const std::string& error) const {
  if (!lost_reason_.empty()) return lost_reason_;
  if (!client_.is_open()) return error;
  return documents_.empty() ? "the page did not load within the time limit"
                            : "the page was too busy to be read at the time limit";
}

// Returns what the proxy says about the main document, which is more precise than the browser's error, or an empty
// text.
std::string PageVisit::find_refusal() const {
  const std::vector<PageTraffic::Refusal>& refusals = proxy_.traffic(proxy_page_).refusals;
  const Result<parser::Url> document = parser::Url::parse(document_url_);
  const auto refusal = std::ranges::find_if(refusals, [&document](const PageTraffic::Refusal& one) {
    return document && one.host == document->host() && one.port == document->effective_port();
  });
  return refusal == refusals.end() ? std::string()
                                   : fmt::format("the host {} cannot be reached: {}", refusal->host, refusal->reason);
}

}  // namespace linkherd::crawler
