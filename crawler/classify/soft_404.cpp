// Pages that say "not found" behind a status that says they are there, as a table. A site's own marks are nearly
// certain; what any site might write is a guess, and below confidence 0.9 reports only warn.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/page_marks.h"
#include "crawler/classify/rules.h"

namespace linkherd::crawler {

namespace {

struct SoftNotFound {
  std::string_view name;
  Mark mark;
  double confidence = 0;
};

constexpr std::string_view wechat = "mp.weixin.qq.com";
constexpr std::size_t wechat_notice = 60;  // as in bot_walls.cpp

constexpr std::array marks_of_nothing{
    SoftNotFound{"bilibili", {Where::title_start, "视频去哪了呢", "bilibili.com", 0}, 0.99},
    SoftNotFound{"bilibili", {Where::html, R"("trueCode":-404)", "bilibili.com", 0}, 0.97},
    SoftNotFound{"bilibili", {Where::html, R"("trueCode":62002)", "bilibili.com", 0}, 0.97},
    SoftNotFound{"bilibili", {Where::html, R"("trueCode":62012)", "bilibili.com", 0}, 0.95},
    SoftNotFound{"wechat", {Where::html, "该内容已被发布者删除", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "此内容因违规无法查看", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "此内容因违规已删除", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "该内容被投诉且经审核涉嫌违规", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "此账号已被屏蔽", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "此帐号已注销", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "该公众号已被封禁", wechat, wechat_notice}, 0.98},
    SoftNotFound{"wechat", {Where::html, "此内容发送失败无法查看", wechat, wechat_notice}, 0.95},
    SoftNotFound{"wechat", {Where::html, "根据作者隐私设置", wechat, wechat_notice}, 0.9},
    SoftNotFound{"wechat", {Where::html, "链接已过期", wechat, wechat_notice}, 0.95},
    // zhihu shows this one also to clients that it does not trust.
    SoftNotFound{"zhihu", {Where::title, "你似乎来到了没有知识存在的荒原", "zhihu.com"}, 0.8},
    SoftNotFound{"zhihu", {Where::html, "你似乎来到了没有知识存在的荒原", "zhihu.com"}, 0.8},
    SoftNotFound{"zhihu", {Where::html, "该回答已被删除", "zhihu.com"}, 0.85},
    SoftNotFound{"csdn", {Where::html, R"("pid":"404")", "csdn.net", 0}, 0.97},
    SoftNotFound{"csdn", {Where::title_start, "404", "csdn.net"}, 0.95},
    SoftNotFound{"youtube", {Where::html, R"("playabilityStatus":{"status":"ERROR")", "youtube.com", 0}, 0.97},
    SoftNotFound{"github", {Where::title_start, "Page not found · GitHub", "github.com", 0}, 0.97},
    SoftNotFound{"github", {Where::title_start, "Page not found · GitHub", "github.io", 0}, 0.97},
    SoftNotFound{"github", {Where::html, "There isn't a GitHub Pages site here.", "github.io"}, 0.97},

    SoftNotFound{"generic", {Where::title_whole, "404"}, 0.85},
    SoftNotFound{"generic", {Where::title_start, "404 Not Found"}, 0.85},
    SoftNotFound{"generic", {Where::title_start, "404 - "}, 0.8},
    SoftNotFound{"generic", {Where::title_start, "Page not found"}, 0.8},
    SoftNotFound{"generic", {Where::title_start, "Page Not Found"}, 0.8},
    SoftNotFound{"generic", {Where::title_start, "页面不存在"}, 0.8},
    SoftNotFound{"generic", {Where::title_start, "页面未找到"}, 0.8},
    SoftNotFound{"generic", {Where::title_start, "您访问的页面不存在"}, 0.8},
};

// The last segment of a path that a site sends what it does not find to.
constexpr std::array<std::string_view, 8> not_found_pages{"404",       "not-found", "not_found",      "notfound",
                                                          "error-404", "error404",  "page-not-found", "pagenotfound"};

bool is_not_found_page(const parser::Url& url) {
  std::string_view path = url.path();
  if (path.ends_with('/')) path.remove_suffix(1);
  path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
  return std::ranges::find(not_found_pages, path.substr(0, path.find('.'))) != not_found_pages.end();
}

storage::Verdict not_found(std::string_view name, std::string evidence, double confidence) {
  return {.health = storage::Health::dead,
          .reason = std::string(storage::reason::soft_404),
          .rule = fmt::format("soft_404:{}", name),
          .evidence = std::move(evidence),
          .confidence = confidence};
}

}  // namespace

std::optional<storage::Verdict> soft_not_found(const FetchResult& result, const PageEvidence& page) {
  if (result.answer.status < 200 || result.answer.status > 299) return std::nullopt;
  const PageMarks marks(result, page);
  for (const SoftNotFound& row : marks_of_nothing) {
    if (!marks.shows(row.mark)) continue;
    return not_found(row.name,
                     fmt::format(R"(A "not found" page: "{}" in {} ({}).)", row.mark.text, place_name(row.mark.where),
                                 answer_phrase(result)),
                     row.confidence);
  }
  if (was_moved(result) && is_not_found_page(result.final_url) && !is_not_found_page(result.url)) {
    return not_found("redirect", fmt::format("Sent to a \"not found\" page: {}.", answer_phrase(result)), 0.95);
  }
  return std::nullopt;
}

}  // namespace linkherd::crawler
