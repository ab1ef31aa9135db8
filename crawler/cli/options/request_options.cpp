#include "crawler/cli/options/request_options.h"

#include <array>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "crawler/fetch/http/certificate.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connect_rules.h"
#include "crawler/sources/file_bytes.h"

namespace linkherd::crawler {
namespace {

// Returns a target whose values are converted by `parse` and appended to `into`.
OptionTarget read_header_rules(std::vector<HeaderRule>& into, Result<HeaderRule> (*parse)(std::string_view),
                               const char* type) {
  const auto set = [&into, parse](const Words& words) {
    for (const std::string& word : words) {
      Result<HeaderRule> rule = parse(word);
      if (!rule) return rule.error().message;
      into.push_back(std::move(*rule));
    }
    return std::string();
  };
  OptionTarget target = read_values(set, type);
  target.values = [&into] {
    Words values;
    for (const HeaderRule& rule : into) values.push_back(rule.pattern + " " + rule.name);
    return values;
  };
  return target;
}

// Returns what is wrong with the value, or an empty string. "true" is the value of the flag without an argument, and in
// a configuration file.
std::string allow_private(FetchOptions& fetch, const std::string& word) {
  std::istringstream list(word);
  for (std::string part; std::getline(list, part, ',');) {
    if (part == "true" || part == "false") {
      fetch.addresses.all = part == "true";
      continue;
    }
    const Result<AddressRange> range = AddressRange::parse(part);
    if (!range) return range.error().message;
    fetch.addresses.allowed.push_back(*range);
  }
  return {};
}

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

OptionTarget read_headers(FetchOptions& fetch) { return read_header_rules(fetch.headers, &parse_header, "NAME:VALUE"); }

OptionTarget read_headers_for(FetchOptions& fetch) {
  return read_header_rules(fetch.headers, &parse_header_for, "\"PATTERN NAME:VALUE\"");
}

OptionTarget read_basic_auth(FetchOptions& fetch) {
  return read_header_rules(fetch.headers, &parse_basic_auth, "\"PATTERN USER:PASSWORD\"");
}

OptionTarget read_cookie_jar(FetchOptions& fetch) {
  const auto set = [&fetch](const std::string& path) {
    constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
    const Result<std::string> text = read_file_bytes(path, max_file_bytes);
    if (!text) return path + " " + text.error().message;
    Result<std::vector<Cookie>> cookies = parse_cookie_file(*text);
    if (!cookies) return path + ": " + cookies.error().message;
    fetch.cookies = std::move(*cookies);
    return std::string();
  };
  OptionTarget target = read_value(set, "FILE");
  target.values = [&fetch] {
    Words values;
    for (const Cookie& cookie : fetch.cookies) values.push_back(cookie.domain + cookie.path + " " + cookie.name);
    return values;
  };
  return target;
}

OptionTarget read_allow_private(FetchOptions& fetch) {
  const auto set = [&fetch](const std::string& word) { return allow_private(fetch, word); };
  return {[set](CLI::App& app, const std::string& names) { return app.add_flag(names)->check(set); },
          [&fetch] {
            Words values = words_of(fetch.addresses.all);
            for (const AddressRange& range : fetch.addresses.allowed)
              values.push_back(range.base.to_string() + "/" + std::to_string(range.bits));
            return values;
          }};
}

OptionTarget read_browser(bool& is_used, std::string& program) {
  const auto set = [&is_used, &program](const std::string& text) {
    is_used = text != "false";
    if (is_used && text != "true") program = text;
    return std::string();
  };
  return {[set](CLI::App& app, const std::string& names) { return app.add_flag(names)->check(set); },
          [&is_used, &program] { return is_used ? Words{program} : Words(); }};
}

OptionTarget read_proxy(FetchOptions& fetch) {
  const auto set = [&fetch](const std::string& text) -> std::string {
    Result<Proxies> proxies = Proxies();
    if (text == "env") {
      proxies = read_proxies_from_environment();
    } else if (const auto proxy = parse_proxy(text)) {
      proxies = Proxies(*proxy);
    } else {
      return proxy.error().message;
    }
    if (!proxies) return proxies.error().message;
    fetch.proxies = std::move(*proxies);
    return {};
  };
  OptionTarget target = read_value(set, "URL");
  target.values = [&fetch] { return fetch.proxies.used() ? Words{fetch.proxies.describe()} : Words(); };
  return target;
}

OptionTarget read_dns_servers(FetchOptions& fetch) {
  const auto set = [&fetch](const Words& words) -> std::string {
    for (const std::string& word : words) {
      if (!is_address_with_port(word)) return word + " is not an IP address or IP:PORT";
    }
    fetch.dns_servers = words;
    return {};
  };
  OptionTarget target = read_values(set, "IP:PORT");
  target.values = [&fetch] { return fetch.dns_servers; };
  return target;
}

OptionTarget read_connect_to(FetchOptions& fetch) {
  const auto set = [&fetch](const Words& words) {
    if (const auto parsed = parse_connect_rules(words); !parsed) return parsed.error().message;
    fetch.connect_to = words;
    return std::string();
  };
  OptionTarget target = read_values(set, "HOST:PORT:ADDR:PORT");
  target.values = [&fetch] { return fetch.connect_to; };
  return target;
}

}  // namespace linkherd::crawler
