#include <algorithm>
#include <array>

#include "parser/url/canonical.h"
#include "parser/url/host_labels.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/tracking_rules.h"

namespace linkherd::parser {
namespace {

struct Redirector {
  std::string_view host;       // without "www."; a leading dot means all subdomains
  std::string_view path;       // without a trailing slash
  std::string_view parameter;  // the parameter that holds the target; empty if the whole query is the target
};

constexpr std::array redirectors = {
    Redirector{"link.zhihu.com", "", "target"},
    Redirector{"link.juejin.cn", "", "target"},
    Redirector{"link.juejin.im", "", "target"},
    Redirector{"link.csdn.net", "", "target"},
    Redirector{"link.jianshu.com", "", "t"},
    Redirector{"jianshu.com", "/go-wild", "url"},
    Redirector{"jianshu.com", "/go", "to"},
    Redirector{"gitee.com", "/link", "target"},
    Redirector{"douban.com", "/link2", "url"},
    Redirector{"weibo.cn", "/sinaurl", "u"},
    Redirector{"weibo.cn", "/sinaurl", "toasturl"},
    Redirector{"weibo.cn", "/sinaurl", "url"},
    Redirector{"oschina.net", "/action/GoToLink", "url"},
    Redirector{"sspai.com", "/link", "target"},
    Redirector{"infoq.cn", "/link", "target"},
    Redirector{"xie.infoq.cn", "/link", "target"},
    Redirector{"yuque.com", "/r/goto", "url"},
    Redirector{"developer.aliyun.com", "/redirect", "target"},
    Redirector{"cloud.tencent.com", "/developer/tools/blog-entry", "target"},
    Redirector{"docs.qq.com", "/scenario/link.html", "url"},
    Redirector{"c.pc.qq.com", "/middlem.html", "pfurl"},
    Redirector{"c.pc.qq.com", "/ios.html", "url"},
    Redirector{"hd.nowcoder.com", "/link.html", "target"},
    Redirector{"gw-c.nowcoder.com", "/api/sparta/jump/link", "link"},
    Redirector{"game.bilibili.com", "/linkfilter", "url"},
    Redirector{"tieba.baidu.com", "/mo/q/checkurl", "url"},
    Redirector{"blog.51cto.com", "/transfer", ""},
    Redirector{"link.uisdc.com", "", "redirect"},
    Redirector{"ld246.com", "/forward", "goto"},
    Redirector{"hellogithub.com", "/periodical/statistics/click", "target"},
    Redirector{"afdian.net", "/link", "target"},
    Redirector{"afdian.com", "/link", "target"},
    Redirector{"tianyancha.com", "/security", "target"},

    Redirector{"google.com", "/url", "q"},
    Redirector{"google.com", "/url", "url"},
    Redirector{"google.com.hk", "/url", "q"},
    Redirector{"google.com.hk", "/url", "url"},
    Redirector{"google.co.jp", "/url", "q"},
    Redirector{"google.co.jp", "/url", "url"},
    Redirector{"google.co.uk", "/url", "q"},
    Redirector{"google.co.uk", "/url", "url"},
    Redirector{"google.de", "/url", "q"},
    Redirector{"google.de", "/url", "url"},
    Redirector{"youtube.com", "/redirect", "q"},
    Redirector{"duckduckgo.com", "/l", "uddg"},
    Redirector{"l.facebook.com", "/l.php", "u"},
    Redirector{"lm.facebook.com", "/l.php", "u"},
    Redirector{"facebook.com", "/flx/warn", "u"},
    Redirector{"l.instagram.com", "", "u"},
    Redirector{"l.messenger.com", "/l.php", "u"},
    Redirector{"out.reddit.com", "", "url"},
    Redirector{"linkedin.com", "/redir/redirect", "url"},
    Redirector{"linkedin.com", "/safety/go", "url"},
    Redirector{"steamcommunity.com", "/linkfilter", "url"},
    Redirector{"steamcommunity.com", "/linkfilter", "u"},
    Redirector{"t.umblr.com", "/redirect", "z"},
    Redirector{"href.li", "", ""},
    Redirector{"vk.com", "/away.php", "to"},
    Redirector{"away.vk.com", "/away.php", "to"},
    Redirector{"medium.com", "/r", "url"},
    Redirector{"slack-redir.net", "/link", "url"},
    Redirector{"exit.sc", "", "url"},
    Redirector{"gate.sc", "", "url"},
    Redirector{"pixiv.net", "/jump.php", "url"},
    Redirector{"pixiv.net", "/jump.php", ""},
    Redirector{"deviantart.com", "/users/outgoing", ""},
    Redirector{"curseforge.com", "/linkout", "remoteUrl"},
    Redirector{"l.threads.net", "", "u"},
    Redirector{"l.threads.com", "", "u"},
    Redirector{"tiktok.com", "/link/v2", "target"},
    Redirector{"googleweblight.com", "/i", "u"},
    Redirector{"plus.url.google.com", "/url", "q"},
    Redirector{"anon.to", "", ""},
    Redirector{"dereferer.me", "", ""},
    Redirector{"nullrefer.com", "", ""},
    Redirector{"getpocket.com", "/redirect", "url"},
    Redirector{"go.skimresources.com", "", "url"},
    Redirector{"awin1.com", "/cread.php", "ued"},
    Redirector{"awin1.com", "/cread.php", "p"},
    Redirector{".safelinks.protection.outlook.com", "", "url"},
};

bool host_matches(std::string_view pattern, std::string_view host) {
  return pattern.starts_with('.') ? host.ends_with(pattern) : host == pattern;
}

// Returns the raw value of the first parameter with this name. Empty if there is none.
std::string_view query_value(std::string_view query, std::string_view name) {
  if (name.empty()) return query;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && percent_decode(pair.substr(0, equals)) == name)
      return pair.substr(equals + 1);
  }
  return {};
}

}  // namespace

std::optional<Url> decode_redirect_target(std::string_view value) {
  // Some sites escape twice. "+" is not decoded: sites that escape write it as "%2B", and other sites mean a plus sign.
  std::string text = percent_decode(value);
  if (text.starts_with("http%3A") || text.starts_with("https%3A") || text.starts_with("http%3a") ||
      text.starts_with("https%3a")) {
    text = percent_decode(text);
  }
  auto target = Url::parse(text);
  if (!target || !target->is_http()) return std::nullopt;
  return std::move(target).value();
}

namespace {

std::optional<Url> unwrap_once(const Url& url, const TrackingRules* rules) {
  if (!url.is_http()) return std::nullopt;
  if (rules != nullptr) {
    if (auto target = rules->redirect_target(url)) return target;
  }
  if (url.query().empty()) return std::nullopt;
  std::string_view host = url.host();
  if (host.ends_with('.')) host.remove_suffix(1);
  host = without_www(host);
  const auto known = [host](const Redirector& row) { return host_matches(row.host, host); };
  if (std::ranges::none_of(redirectors, known)) return std::nullopt;
  const std::string path_text = normalize_escapes(url.path());
  std::string_view path = path_text;
  while (path.ends_with('/')) path.remove_suffix(1);
  for (const Redirector& row : redirectors) {
    if (!known(row) || path != row.path) continue;
    if (auto target = decode_redirect_target(query_value(url.query(), row.parameter))) return target;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Url> unwrap_redirector(const Url& url, const TrackingRules* rules) {
  constexpr int deepest_nesting = 5;
  std::optional<Url> target;
  for (int depth = 0; depth < deepest_nesting; ++depth) {
    auto next = unwrap_once(target ? *target : url, rules);
    if (!next) break;
    target.emplace(std::move(*next));
  }
  return target;
}

}  // namespace linkherd::parser
