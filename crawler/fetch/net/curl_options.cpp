#include "crawler/fetch/net/curl_options.h"

#include <algorithm>

namespace linkherd::crawler {

namespace {

long curl_tls_version(TlsVersion version) {
  switch (version) {
    case TlsVersion::any: return CURL_SSLVERSION_DEFAULT;
    case TlsVersion::v1_0: return CURL_SSLVERSION_TLSv1_0;
    case TlsVersion::v1_1: return CURL_SSLVERSION_TLSv1_1;
    case TlsVersion::v1_2: return CURL_SSLVERSION_TLSv1_2;
    case TlsVersion::v1_3: return CURL_SSLVERSION_TLSv1_3;
  }
  return CURL_SSLVERSION_DEFAULT;
}

long curl_family(IpFamily family) {
  switch (family) {
    case IpFamily::v4: return CURL_IPRESOLVE_V4;
    case IpFamily::v6: return CURL_IPRESOLVE_V6;
    case IpFamily::any: break;
  }
  return CURL_IPRESOLVE_WHATEVER;
}

// Sets the options that all transfers of a pool share.
void set_common_options(CURL* easy, const FetchOptions& options) {
  set_option(easy, CURLOPT_NOSIGNAL, 1L);
  set_option(easy, CURLOPT_QUICK_EXIT, 1L);  // if curl ever resolves a name itself, it must not wait for its thread
  set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set_option(easy, CURLOPT_IPRESOLVE, curl_family(options.family));
  set_option(easy, CURLOPT_PATH_AS_IS, 1L);      // the URL is final; curl must not edit it
  set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);  // redirects are separate hops
  set_option(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
  set_option(easy, CURLOPT_HTTP09_ALLOWED, 1L);  // see Transfer::take_unframed()
}

void set_authorities(CURL* easy, const FetchOptions& options) {
  // Without CAPATH=NULL, curl reads all authorities again for every connection: 55 ms of CPU instead of 2.
  set_option(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  set_option<const char*>(easy, CURLOPT_CAPATH, nullptr);
  set_option(easy, CURLOPT_CA_CACHE_TIMEOUT, 86400L);
  set_option(easy, CURLOPT_PROXY_CAINFO, options.ca_file.c_str());
  set_option<const char*>(easy, CURLOPT_PROXY_CAPATH, nullptr);
  set_option(easy, CURLOPT_CERTINFO, 1L);
}

// Requests that offer HTTP/2 need their own connections, because an HTTP/1.1 connection to the host may exist already.
// Connections of curl differ if their requested minimum TLS version differs. TLS 1.2 is OpenSSL's minimum anyway.
TlsVersion effective_min_tls(const FetchOptions& options, const AttemptRequest& request) {
  if (!request.verifies_server()) return TlsVersion::v1_0;
  const bool offers_http2 = request.version == HttpVersion::http2;
  return offers_http2 && options.min_tls == TlsVersion::any ? TlsVersion::v1_2 : options.min_tls;
}

void set_tls_options(CURL* easy, const FetchOptions& options, const AttemptRequest& request, const Route& route) {
  // With an alias, use_tls_name() checks the name instead. The connection ends with the request, which owns it.
  const bool has_alias = !route.tls_name.empty();
  const bool verifies = verifies_certificate(options, request);
  set_option(easy, CURLOPT_SSL_VERIFYPEER, verifies ? 1L : 0L);
  set_option(easy, CURLOPT_SSL_VERIFYHOST, verifies && !has_alias ? 2L : 0L);
  set_option(easy, CURLOPT_SSLVERSION, curl_tls_version(effective_min_tls(options, request)));
  // The signature algorithms of TLS 1.0 and 1.1 are below OpenSSL's default security level.
  set_option(easy, CURLOPT_SSL_CIPHER_LIST, request.verifies_server() ? nullptr : "DEFAULT:@SECLEVEL=0");
  const bool shows = shows_certificate(options, request);
  set_option(easy, CURLOPT_SSLCERT, shows ? options.client_cert.c_str() : nullptr);
  set_option(easy, CURLOPT_SSLKEY, shows ? options.client_key.c_str() : nullptr);
}

void set_connection_options(CURL* easy, const FetchOptions& options, const AttemptRequest& request,
                            const Route& route) {
  // Entries stay until CurlNames removes them. An address in the URL is not pinned, but curl caches it as well. If
  // these entries never expired, each of 200,000 hosts would cost more than the one before.
  set_option(easy, CURLOPT_DNS_CACHE_TIMEOUT, route.resolve.empty() ? 0L : -1L);
  // A connection to an alias is for this request only.
  const bool is_kept = request.should_keep_connection && route.tls_name.empty();
  set_option(easy, CURLOPT_FRESH_CONNECT, request.needs_fresh_connection ? 1L : 0L);
  set_option(easy, CURLOPT_FORBID_REUSE, is_kept ? 0L : 1L);
  set_option(easy, CURLOPT_TIMEOUT_MS, curl_time(route.timeout));
  set_option(easy, CURLOPT_CONNECTTIMEOUT_MS, curl_time(std::min(route.timeout, options.connect_timeout)));
}

// Always set, because curl would otherwise use the proxy from the environment and bypass linkherd's DNS and address
// check.
void set_proxy_options(CURL* easy, const Proxy& proxy) {
  const bool has_login = !proxy.user.empty();
  set_option(easy, CURLOPT_PROXY, proxy.used() ? proxy.address().c_str() : "");
  set_option(easy, CURLOPT_NOPROXY, proxy.used() ? "" : "*");
  set_option(easy, CURLOPT_PROXYUSERNAME, has_login ? proxy.user.c_str() : nullptr);
  set_option(easy, CURLOPT_PROXYPASSWORD, has_login ? proxy.password.c_str() : nullptr);
}

void set_request_options(CURL* easy, const AttemptRequest& request, const Route& route) {
  // HTTP/2 only on request: curl 7.88 can report cut HTTP/2 bodies as complete.
  const bool offers_http2 = request.version == HttpVersion::http2;
  set_option(easy, CURLOPT_HTTP_VERSION, long{offers_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1});
  if (request.is_head) set_option(easy, CURLOPT_NOBODY, 1L);
  if (request.validators != nullptr && !request.validators->body.empty()) {
    set_option(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.validators->body.size()));
    set_option(easy, CURLOPT_POSTFIELDS, request.validators->body.data());  // makes it a POST
  }
  set_option(easy, CURLOPT_URL, route.curl_url.c_str());
  set_option(easy, CURLOPT_HTTPHEADER, route.headers);
}

}  // namespace

long curl_time(Duration duration) {
  return std::max(1L, static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()));
}

bool verifies_certificate(const FetchOptions& options, const AttemptRequest& request) {
  return !options.insecure && request.verifies_server();
}

bool shows_certificate(const FetchOptions& options, const AttemptRequest& request) {
  return request.is_to_own_origin && !options.client_cert.empty();
}

void set_options(CURL* easy, const FetchOptions& options, const AttemptRequest& request, const Route& route,
                 const CurlList& resolve, const CurlList& connect_to) {
  set_common_options(easy, options);
  set_authorities(easy, options);
  set_connection_options(easy, options, request, route);
  set_option(easy, CURLOPT_RESOLVE, resolve.get());
  set_option(easy, CURLOPT_CONNECT_TO, connect_to.get());
  set_tls_options(easy, options, request, route);
  set_request_options(easy, request, route);
  set_proxy_options(easy, *route.proxy);
}

}  // namespace linkherd::crawler
