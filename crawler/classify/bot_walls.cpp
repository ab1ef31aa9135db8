// What is shown to bots instead of the page, as a table: a wall is a refusal of us and says nothing about the page.
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "crawler/classify/page_marks.h"
#include "crawler/classify/rules.h"

namespace linkherd::crawler {

namespace {

namespace reason = storage::reason;

struct BotWall {
  std::string_view name;
  Mark mark;
  std::string_view reason;
};

constexpr std::string_view wechat = "mp.weixin.qq.com";
// Visible characters of a page that WeChat shows instead of an article. Articles quote its texts.
constexpr std::size_t wechat_notice = 60;
// A page of script and nothing to read. Cloudflare's own 521, "web server is down", has a thousand characters.
constexpr std::size_t bare_script = 60;

constexpr std::array walls{
    // Said in headers: certain at any status and length.
    BotWall{"cloudflare", {Where::header, "cf-mitigated: challenge"}, reason::challenge},
    BotWall{"aws_waf", {Where::header, "x-amzn-waf-action: captcha"}, reason::captcha},
    BotWall{"aws_waf", {Where::header, "x-amzn-waf-action: challenge"}, reason::challenge},
    BotWall{"jiasule", {Where::header, "set-cookie: __jsluid", {}, 0, 521}, reason::challenge},

    // Said by where the chain led.
    BotWall{"wechat", {Where::redirect_url, "/mp/wappoc_appmsgcaptcha"}, reason::captcha},
    BotWall{"baidu", {Where::redirect_url, "//wappass.baidu.com/"}, reason::captcha},
    BotWall{"zhihu", {Where::redirect_url, "zhihu.com/account/unhuman"}, reason::captcha},
    BotWall{"alibaba", {Where::redirect_url, "x5secdata="}, reason::captcha},
    BotWall{"google", {Where::redirect_url, "google.com/sorry/"}, reason::captcha},
    BotWall{"youtube", {Where::redirect_url, "//consent.youtube.com/"}, reason::challenge},
    BotWall{"google", {Where::redirect_url, "//consent.google.com/"}, reason::challenge},
    BotWall{"sogou", {Where::redirect_url, "sogou.com/antispider"}, reason::captcha},
    BotWall{"yandex", {Where::redirect_url, "/showcaptcha"}, reason::captcha},
    BotWall{"douban", {Where::redirect_url, "//sec.douban.com/"}, reason::challenge},
    BotWall{"weibo", {Where::redirect_url, "//passport.weibo.com/visitor/"}, reason::challenge},

    // Said by the page of one site.
    BotWall{"zhihu", {Where::title, "安全验证", "zhihu.com"}, reason::captcha},
    BotWall{"zhihu", {Where::html, "zh-zse-ck", "zhihu.com"}, reason::challenge},
    BotWall{"zhihu", {Where::html, "static.zhihu.com/zse-ck/", "zhihu.com"}, reason::challenge},
    BotWall{"zhihu", {Where::html, "系统监测到您的网络环境存在异常", "zhihu.com"}, reason::captcha},
    BotWall{"bilibili", {Where::title_start, "验证码", "bilibili.com"}, reason::captcha},
    BotWall{"wechat", {Where::html, "环境异常", wechat, wechat_notice}, reason::captcha},
    BotWall{"wechat", {Where::html, "完成验证后即可继续访问", wechat, wechat_notice}, reason::captcha},
    BotWall{"wechat", {Where::html, "访问过于频繁", wechat, wechat_notice}, reason::rate_limited},
    BotWall{"csdn", {Where::html, "访问验证", "csdn.net"}, reason::captcha},
    BotWall{"csdn", {Where::html, "security check", "csdn.net"}, reason::challenge},
    BotWall{"csdn", {Where::html, "cdn_cgi_bs_bot", "csdn.net"}, reason::challenge},
    BotWall{"toutiao", {Where::html, "__ac_signature", "toutiao.com"}, reason::challenge},
    BotWall{"weibo", {Where::title_whole, "Sina Visitor System"}, reason::challenge},
    BotWall{"youtube",
            {Where::html, R"("playabilityStatus":{"status":"LOGIN_REQUIRED")", "youtube.com", 0},
            reason::login_required},
    BotWall{"amazon", {Where::html, "/errors/validateCaptcha"}, reason::captcha},

    // Said by the page of a service that stands in front of many sites.
    BotWall{"cloudflare", {Where::html, "_cf_chl_opt"}, reason::challenge},
    BotWall{"cloudflare", {Where::title_whole, "Just a moment..."}, reason::challenge},
    BotWall{"aliyun", {Where::html, "acw_sc__v2"}, reason::challenge},
    BotWall{"aliyun", {Where::html, "aliyun_waf"}, reason::challenge},
    BotWall{"edgeone", {Where::html, "__tst_status"}, reason::challenge},
    BotWall{"edgeone", {Where::html, "EO_Bot_Ssid"}, reason::challenge},
    BotWall{"jiasule", {Where::html, "<script", {}, bare_script, 521}, reason::challenge},
    BotWall{"geetest", {Where::html, "geetest_panel"}, reason::captcha},
    BotWall{"geetest", {Where::html, "initGeetest"}, reason::captcha},
    BotWall{"datadome", {Where::html, "captcha-delivery.com"}, reason::captcha},
    BotWall{"perimeterx", {Where::html, "px-captcha"}, reason::captcha},
    BotWall{"imperva", {Where::html, "_Incapsula_Resource"}, reason::challenge},
    BotWall{"imperva", {Where::title_start, "Pardon Our Interruption"}, reason::challenge},
    BotWall{"sucuri", {Where::html, "sucuri_cloudproxy_js"}, reason::challenge},
    BotWall{"vercel", {Where::title_whole, "Vercel Security Checkpoint"}, reason::challenge},
    BotWall{"ddos_guard", {Where::title_whole, "DDoS-Guard"}, reason::challenge},
    BotWall{"anubis", {Where::title_start, "Making sure you're not a bot"}, reason::challenge},
    BotWall{"bytedance", {Where::title_start, "验证码中间页"}, reason::captcha},
    BotWall{"baidu", {Where::title, "百度安全验证"}, reason::captcha},

    // Titles that any wall may have.
    BotWall{"generic", {Where::title, "安全验证"}, reason::captcha},
    BotWall{"generic", {Where::title, "访问验证"}, reason::captcha},
    BotWall{"generic", {Where::title, "人机验证"}, reason::captcha},
};

bool is_said_outside_the_page(Where where) { return where == Where::header || where == Where::redirect_url; }

}  // namespace

std::optional<storage::Verdict> bot_wall(const FetchResult& result, const PageEvidence& page) {
  if (result.answer.status == 0) return std::nullopt;
  // A page that is gone is gone, even if the site's frame around the message names its bot wall.
  const bool is_gone = result.answer.status == 404 || result.answer.status == 410;
  const PageMarks marks(result, page);
  for (const BotWall& wall : walls) {
    const bool certain = is_said_outside_the_page(wall.mark.where);
    if ((is_gone && !certain) || !marks.shows(wall.mark)) continue;
    return storage::Verdict{
        .health = storage::Health::blocked,
        .reason = std::string(wall.reason),
        .rule = fmt::format("wall:{}", wall.name),
        .evidence = fmt::format(R"({} instead of the page: "{}" in {} ({}).)",
                                wall.reason == reason::captcha ? "A captcha" : "A bot wall", wall.mark.text,
                                place_name(wall.mark.where), answer_phrase(result)),
        .confidence = certain ? 1.0 : 0.95,
    };
  }
  return std::nullopt;
}

}  // namespace linkherd::crawler
