// A chain of redirects that ends at a page for signing in: the page that was asked for may well be there.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/rules.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

// A whole segment of a path, a file ending aside ("login.php").
constexpr std::array<std::string_view, 9> login_segments{"login",   "log-in",  "log_in", "logon",       "signin",
                                                         "sign-in", "sign_in", "unauth", "servicelogin"};
// The first label of a host.
constexpr std::array<std::string_view, 5> login_hosts{"login", "signin", "sso", "passport", "cas"};

bool is_login(const parser::Url& url) {
  const std::string_view host = url.host();
  if (host.find('.') != std::string_view::npos &&
      parser::is_one_of(login_hosts, parser::to_ascii_lower(host.substr(0, host.find('.')))))
    return true;
  std::string_view path = url.path();
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    if (parser::is_one_of(login_segments, parser::to_ascii_lower(segment.substr(0, segment.find('.'))))) return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

}  // namespace

std::optional<storage::Verdict> login_wall(const FetchResult& result, const PageEvidence& /*page*/) {
  if (result.answer.status == 0 || !was_moved(result)) return std::nullopt;
  if (!is_login(result.final_url) || is_login(result.url)) return std::nullopt;
  return storage::Verdict{
      .health = storage::Health::blocked,
      .reason = std::string(storage::reason::login_required),
      .rule = "login",
      .evidence = fmt::format("Sent to a login page: {}.", answer_phrase(result)),
      .confidence = 0.9,
  };
}

}  // namespace linkherd::crawler
