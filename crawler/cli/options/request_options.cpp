#include "crawler/cli/options/request_options.h"

#include <array>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "crawler/cli/options/option_types.h"
#include "crawler/fetch/http/certificate.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connect_map.h"
#include "crawler/sources/file_bytes.h"

namespace linkherd::crawler {
namespace {

constexpr std::array<EnumName<MethodPlan>, 3> method_names{
    {{MethodPlan::get, "get"}, {MethodPlan::head, "head"}, {MethodPlan::head_then_get, "head,get"}}};
constexpr std::array<EnumName<bool>, 2> retry_names{{{true, "browser"}, {false, "off"}}};
constexpr std::array<EnumName<ResolverKind>, 2> resolver_names{
    {{ResolverKind::c_ares, "c-ares"}, {ResolverKind::system, "system"}}};
constexpr std::array<EnumName<TlsVersion>, 4> tls_names{{{TlsVersion::v1_0, "TLSv1_0"},
                                                         {TlsVersion::v1_1, "TLSv1_1"},
                                                         {TlsVersion::v1_2, "TLSv1_2"},
                                                         {TlsVersion::v1_3, "TLSv1_3"}}};

template <class T>
T value_or_refusal(const char* option, Result<T> parsed) {
  if (!parsed) throw CLI::ValidationError(option, parsed.error().message);
  return std::move(*parsed);
}

using Words = std::vector<std::string>;

// Adds a repeatable option. `parse` converts every value, which is appended to `into`.
template <class T>
CLI::Option* add_list(CLI::App& app, const char* name, std::vector<T>& into, Result<T> (*parse)(std::string_view),
                      const char* help) {
  const auto set = [&into, parse, name](const Words& words) {
    for (const std::string& word : words) into.push_back(value_or_refusal(name, parse(word)));
  };
  return app.add_option_function<Words>(name, set, help)->allow_extra_args(false);
}

void add_headers(CLI::App& app, FetchOptions& fetch) {
  add_list(
      app, "-H,--header", fetch.headers, &parse_header,
      "Send this header to a link's own host; harmless headers such as Accept-Language are also sent after redirects")
      ->type_name("NAME:VALUE");
  add_list(app, "--header-for", fetch.headers, &parse_header_for, "Send this header to URLs that start with PATTERN")
      ->type_name("\"PATTERN NAME:VALUE\"");
  add_list(app, "--basic-auth", fetch.headers, &parse_basic_auth, "Log in to URLs that start with PATTERN")
      ->type_name("\"PATTERN USER:PASSWORD\"");
  const auto read_cookies = [&fetch](const std::string& path) {
    constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
    const Result<std::string> text = read_file_bytes(path, max_file_bytes);
    if (!text) throw CLI::ValidationError("--cookie-jar", path + " " + text.error().message);
    Result<std::vector<Cookie>> cookies = parse_cookie_file(*text);
    if (!cookies) throw CLI::ValidationError("--cookie-jar", path + ": " + cookies.error().message);
    fetch.cookies = std::move(*cookies);
  };
  app.add_option_function<std::string>("--cookie-jar", read_cookies,
                                       "Send the cookies in FILE (Netscape format); linkherd never changes the file")
      ->type_name("FILE");
}

void add_tls(CLI::App& app, FetchOptions& fetch) {
  app.add_flag("-i,--insecure", fetch.insecure, "Accept invalid certificates instead of reporting them");
  app.add_option("--client-cert", fetch.client_cert, "Client certificate for servers that require one (PEM)")
      ->type_name("FILE");
  app.add_option("--client-key", fetch.client_key,
                 "Key of the client certificate, if in a separate file (PEM, no password)")
      ->type_name("FILE");
  add_choice(app, "--min-tls", fetch.min_tls, tls_names, "Oldest TLS version to accept")->default_str("");
  app.add_flag("--http2", fetch.http2, "Offer HTTP/2 to https servers");
}

// Returns what is wrong with the value, or an empty string. "true" is the value of the flag without an argument, and in
// a configuration file.
std::string allow_private(FetchOptions& fetch, const std::string& word) {
  std::istringstream list(word);
  for (std::string part; std::getline(list, part, ',');) {
    if (part == "true" || part == "false") {
      fetch.allow_private = part == "true";
      continue;
    }
    const Result<AddressRange> range = AddressRange::parse(part);
    if (!range) return range.error().message;
    fetch.allowed_ranges.push_back(*range);
  }
  return {};
}

void add_network(CLI::App& app, FetchOptions& fetch) {
  const auto set_private = [&fetch](const std::string& word) { return allow_private(fetch, word); };
  const std::string help =
      "Also fetch from private and loopback addresses; =10.0.0.0/8,fd00::/8 allows only these ranges";
  app.add_flag("--allow-private{true}", help)->check(set_private);
  const auto set_proxy = [&fetch](const std::string& text) {
    fetch.proxies = text == "env" ? value_or_refusal("--proxy", read_proxies_from_environment())
                                  : Proxies(value_or_refusal("--proxy", parse_proxy(text)));
  };
  app.add_option_function<std::string>("--proxy", set_proxy,
                                       "Send requests through this proxy (http, https, socks4, socks4a, socks5, "
                                       "socks5h); env uses http_proxy and related variables")
      ->type_name("URL");
  CLI::Option* v4 = app.add_flag_callback(
      "-4,--ipv4", [&fetch] { fetch.family = IpFamily::v4; }, "Use IPv4 only");
  app.add_flag_callback(
         "-6,--ipv6", [&fetch] { fetch.family = IpFamily::v6; }, "Use IPv6 only")
      ->excludes(v4);
  add_choice(app, "--resolver", fetch.resolver, resolver_names,
             "c-ares: query name servers directly; system: use the resolver of the system");
  const auto set_servers = [&fetch](const Words& words) {
    for (const std::string& word : words) {
      if (!is_address_with_port(word))
        throw CLI::ValidationError("--dns-server", word + " is not an IP address or IP:PORT");
    }
    fetch.dns_servers = words;
  };
  app.add_option_function<Words>("--dns-server", set_servers, "Query these name servers instead of the system's")
      ->type_name("IP:PORT");
  const auto set_connect_to = [&fetch](const Words& words) {
    value_or_refusal("--connect-to", ConnectMap::parse(words));
    fetch.connect_to = words;
  };
  app.add_option_function<Words>("--connect-to", set_connect_to,
                                 "Connect to another address, as in curl; * matches any host or port")
      ->type_name("HOST:PORT:ADDR:PORT");
}

void add_limits(CLI::App& app, FetchOptions& fetch) {
  add_positive_duration(app, "--link-timeout", fetch.link_timeout,
                        "Maximum time for one link, including redirects, retries and waits")
      ->configurable();
  add_positive_duration(app, "--low-speed-time", fetch.low_speed_time,
                        "Abandon a page that stays below 100 bytes per second for this long")
      ->configurable();
  add_number(app, "--max-stalled", fetch.max_stalled, 0, 100'000,
             "Maximum stalled requests, in addition to --max-concurrency");
}

}  // namespace

void add_request_options(CLI::App& app, FetchOptions& fetch) {
  add_choice(app, "-X,--method", fetch.method, method_names,
             "Request method: get, head, or head,get (GET if HEAD finds no page)")
      ->configurable();
  add_choice(
      app, "--retry-as", fetch.retry_as_browser, retry_names,
      "Repeat refused requests (400, 403, 405, 406) once with the Accept headers of a browser; off disables this")
      ->configurable();
  add_headers(app, fetch);
  add_tls(app, fetch);
  add_network(app, fetch);
  add_limits(app, fetch);
}

namespace {

constexpr std::size_t max_certificates_bytes = std::size_t{16} << 20;

// Rejects an invalid file at once. Otherwise every https link would be reported with an invalid certificate.
void check_authorities(const std::string& file) {
  if (file.empty()) return;
  const Result<std::string> pem = read_file_bytes(file, max_certificates_bytes);
  const std::optional<Error> fault = pem ? find_authorities_fault(*pem) : pem.error();
  if (fault) throw CLI::ValidationError("--ca-file", file + " " + fault->message);
}

}  // namespace

void check_request_options(const FetchOptions& fetch) {
  check_authorities(fetch.ca_file);
  if (fetch.client_cert.empty() && !fetch.client_key.empty()) {
    throw CLI::ValidationError("--client-key", "it requires --client-cert");
  }
  if (fetch.client_cert.empty()) return;
  for (const std::string& file : {fetch.client_cert, fetch.client_key}) {  // OpenSSL would block on a pipe
    if (file.empty()) continue;
    const Result<std::string> pem = read_file_bytes(file, max_certificates_bytes);
    if (!pem) throw CLI::ValidationError("--client-cert", file + " " + pem.error().message);
  }
  if (const auto fault = check_client_certificate(fetch.client_cert, fetch.client_key)) {
    throw CLI::ValidationError("--client-cert", fault->message);
  }
}

std::string describe_request_options(const FetchOptions& fetch) {
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    text.append(1, '\n').append(key).append(1, '=').append(value);
  };
  add("method", enum_name(method_names, fetch.method));
  add("retry_as", enum_name(retry_names, fetch.retry_as_browser));
  for (const HeaderRule& rule : fetch.headers) add("header", rule.pattern + " " + rule.name);
  for (const Cookie& cookie : fetch.cookies) add("cookie", cookie.domain + cookie.path + " " + cookie.name);
  add("insecure", fetch.insecure ? "1" : "0");
  add("client_cert", fetch.client_cert);
  add("client_key", fetch.client_key);
  add("min_tls", enum_name(tls_names, fetch.min_tls));
  add("http2", fetch.http2 ? "1" : "0");
  add("allow_private", fetch.allow_private ? "1" : "0");
  for (const AddressRange& range : fetch.allowed_ranges) {
    add("allow_private", range.base.to_string() + "/" + std::to_string(range.bits));
  }
  if (fetch.proxies.used()) add("proxy", fetch.proxies.describe());
  add("family", std::to_string(static_cast<int>(fetch.family)));
  add("resolver", enum_name(resolver_names, fetch.resolver));
  for (const std::string& server : fetch.dns_servers) add("dns_server", server);
  for (const std::string& mapping : fetch.connect_to) add("connect_to", mapping);
  add("link_timeout", format_duration(fetch.link_timeout));
  add("low_speed_time", format_duration(fetch.low_speed_time));
  return text;
}

}  // namespace linkherd::crawler
