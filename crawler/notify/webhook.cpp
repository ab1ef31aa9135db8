#include "crawler/notify/webhook.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <thread>

#include <curl/curl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crawler/fetch/http/c_pointer.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/http/redirect.h"
#include "crawler/fetch/http/retry_policy.h"
#include "crawler/fetch/net/ca_file.h"

namespace linkherd::crawler {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::size_t max_answer_bytes = 16'384;
constexpr int max_redirects = 5;

using Digest = std::array<unsigned char, 32>;

Digest hmac(std::string_view secret, std::string_view text) {
  Digest digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return digest;
}

// One POST request and its response.
struct Attempt {
  int status = 0;            // 0: no response
  std::string body;          // the beginning of the body
  std::size_t received = 0;  // total bytes of the body received
  std::string location;
  std::optional<Duration> retry_after;
  std::string problem;      // why there is no response
  bool may_pass = false;    // a failure without a response may be transient
  bool is_private = false;  // the address is not allowed
  bool was_stopped = false;
  const std::function<bool()>* is_stopped = nullptr;
  const AddressPolicy* policy = nullptr;  // null: all addresses are allowed
};

std::size_t on_body(const char* bytes, std::size_t size, std::size_t count, void* target) {
  auto& attempt = *static_cast<Attempt*>(target);
  constexpr std::size_t max_received = std::size_t{1} << 20;  // larger bodies are treated as endless
  const std::size_t room = max_answer_bytes - std::min(max_answer_bytes, attempt.body.size());
  attempt.body.append(bytes, std::min(room, size * count));
  attempt.received += size * count;
  return attempt.received > max_received ? 0 : size * count;
}

int on_progress(void* target, curl_off_t /*down*/, curl_off_t /*of*/, curl_off_t /*up*/, curl_off_t /*of*/) {
  auto& attempt = *static_cast<Attempt*>(target);
  attempt.was_stopped = (*attempt.is_stopped)();
  return attempt.was_stopped ? 1 : 0;
}

// Checks the address at connection time, when name resolution can no longer change it.
curl_socket_t on_open_socket(void* target, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& attempt = *static_cast<Attempt*>(target);
  const std::optional<IpAddress> ip = IpAddress::of(address->addr);
  if (attempt.policy != nullptr && (!ip || !attempt.policy->allows(*ip))) {
    attempt.is_private = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

using HeaderList = std::unique_ptr<curl_slist, Free<curl_slist_free_all>>;

HeaderList header_list(const WebhookMessage& message) {
  HeaderList list;
  const auto add = [&list](const std::string& line) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  };
  add("Content-Type: application/json");
  add("Expect:");
  for (const auto& [name, value] : message.headers) add(fmt::format("{}: {}", name, value));
  return list;
}

void set_proxy(CURL* easy, const Proxy& proxy) {
  // overrides the environment's proxy
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.used() ? proxy.address().c_str() : "");
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");  // overrides the environment's exceptions
  if (!proxy.user.empty()) {
    curl_easy_setopt(easy, CURLOPT_PROXYUSERNAME, proxy.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PROXYPASSWORD, proxy.password.c_str());
  }
}

bool is_worth_another_try(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return false;
    default: return true;
  }
}

void post(const WebhookMessage& message, const parser::Url& url, const FetchOptions& options, Attempt& attempt) {
  const std::unique_ptr<CURL, Free<curl_easy_cleanup>> handle(curl_easy_init());
  if (!handle) throw std::bad_alloc();
  CURL* const easy = handle.get();
  const HeaderList headers = header_list(message);
  const std::string agent = options.user_agent.empty() ? default_user_agent() : options.user_agent;
  const std::string target(url.href_without_fragment());
  curl_easy_setopt(easy, CURLOPT_URL, target.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(message.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, message.body.data());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, agent.c_str());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(duration_cast<milliseconds>(options.timeout).count()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(duration_cast<milliseconds>(options.connect_timeout).count()));
  const std::string ca_file = options.ca_file.empty() ? find_system_ca_file() : options.ca_file;
  if (!ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file.c_str());
  set_proxy(easy, options.proxies.of(url));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &attempt);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &attempt);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &attempt);
  const CURLcode code = curl_easy_perform(easy);
  const bool was_endless = code == CURLE_WRITE_ERROR;  // the status is still valid
  if (code != CURLE_OK && !was_endless) {
    attempt.problem = curl_easy_strerror(code);
    attempt.may_pass = is_worth_another_try(code) && !attempt.is_private && !attempt.was_stopped;
    return;
  }
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  attempt.status = static_cast<int>(status);
  curl_off_t wait = 0;
  if (curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
    attempt.retry_after = std::chrono::seconds(wait);
  curl_header* location = nullptr;
  if (curl_easy_header(easy, "Location", 0, CURLH_HEADER, -1, &location) == CURLHE_OK)
    attempt.location = location->value;
}

bool is_redirect(int status) { return status == 301 || status == 302 || status == 307 || status == 308; }

struct Ending {
  Attempt attempt;
  std::string error;  // empty: accepted
  bool is_final = true;
};

// One attempt with its redirects.
Ending try_to_send(const WebhookMessage& message, const FetchOptions& options,
                   const std::function<bool()>& is_stopped) {
  const AddressPolicy& policy = options.addresses;
  parser::Url url = message.url;
  for (int hops = 0; hops <= max_redirects; ++hops) {
    Ending end;
    Attempt& attempt = end.attempt;
    attempt.is_stopped = &is_stopped;
    // With a proxy, the address would be that of the proxy.
    const bool is_checked = hops > 0 && !options.proxies.of(url).used();
    if (is_checked) attempt.policy = &policy;
    post(message, url, options, attempt);
    if (attempt.is_private) {
      end.error = fmt::format("{} redirects to {}, a private address (see --allow-private)", message.url.origin(),
                              url.origin());
      return end;
    }
    if (attempt.status == 0) {
      end.is_final = !attempt.may_pass;
      end.error =
          fmt::format("{}: {}", url.origin(), attempt.was_stopped ? "stopped together with this run" : attempt.problem);
      return end;
    }
    if (!is_redirect(attempt.status)) {
      const std::string refusal = attempt.status / 100 == 2 && message.refusal ? message.refusal(attempt.body) : "";
      if (attempt.status / 100 != 2) end.error = fmt::format("{} answers with status {}", url.origin(), attempt.status);
      if (!refusal.empty()) end.error = fmt::format("{} refuses: {}", url.origin(), refusal);
      end.is_final = !refusal.empty() || !is_transient_status(attempt.status);
      return end;
    }
    const Result<parser::Url> next = redirect_target(url, attempt.location);
    const bool is_weaker = next.has_value() && url.scheme() == "https" && next->scheme() != "https";
    const bool is_private_literal = next.has_value() && options.proxies.of(*next).used() &&
                                    IpAddress::parse(next->host()) && !policy.allows(*IpAddress::parse(next->host()));
    if (!next || !next->is_http() || is_weaker || is_private_literal) {
      end.error = fmt::format("{} redirects to an address that linkherd does not follow{}", url.origin(),
                              next.has_value() ? ": " + next->origin() : std::string());
      return end;
    }
    url = *next;
  }
  Ending end;
  end.error = message.url.origin() + " redirects too many times";
  return end;
}

// Returns false if the run is stopped in the meantime.
bool wait_for(Duration wait, const std::function<bool()>& is_stopped) {
  constexpr milliseconds step{50};
  const auto until = std::chrono::steady_clock::now() + wait;
  while (std::chrono::steady_clock::now() < until) {
    if (is_stopped()) return false;
    std::this_thread::sleep_for(step);
  }
  return !is_stopped();
}

}  // namespace

std::string hmac_hex(std::string_view secret, std::string_view text) {
  std::string words;
  for (const unsigned char byte : hmac(secret, text)) words += fmt::format("{:02x}", byte);
  return words;
}

std::string hmac_base64(std::string_view secret, std::string_view text) {
  const Digest digest = hmac(secret, text);
  std::array<unsigned char, 45> encoded{};  // 44 characters and a NUL
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
  return {encoded.begin(), encoded.begin() + length};
}

Result<void> send_webhook(const WebhookMessage& message, const FetchOptions& options,
                          const std::function<bool()>& is_stopped) {
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> jitter(0, 1);
  for (int retries = 0;; ++retries) {
    const Ending end = try_to_send(message, options, is_stopped);
    if (end.error.empty()) return {};
    constexpr Timestamp now{};  // only the wait matters
    AttemptResult response;
    response.status = end.attempt.status;
    if (response.status == 0) response.failure = FailureKind::timeout;
    if (end.attempt.retry_after) response.retry_at = now + *end.attempt.retry_after;
    const RetryDecision decision = decide_retry(response, true, retries, options.retry, now, jitter(random));
    if (end.is_final || decision.retry == Retry::none || !wait_for(decision.wait, is_stopped)) return Error{end.error};
  }
}

}  // namespace linkherd::crawler
