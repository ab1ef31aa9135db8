#include "parser/metadata/generic_titles.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "parser/ascii.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// clang-format off
constexpr std::array<std::string_view, 132> generic_titles{
    // shells of applications
    "Notion – The all-in-one workspace for your notes, tasks, wikis, and databases.", "Notion – The all-in-one workspace",
    "微信公众平台", "出错啦! - bilibili.com", "Loading...", "Please wait...",
    // walls against programs
    "安全验证 - 知乎", "安全验证", "访问验证", "人机验证", "百度安全验证", "请完成安全验证", "滑动验证页面", "验证码拦截", "访问受限",
    "Attention Required! | Cloudflare", "Attention Required!", "Please Wait... | Cloudflare", "Checking your browser",
    "Verifying your browser", "Verifying your connection", "Verifying your connection...", "DDoS protection by Cloudflare",
    "Access denied", "Access to this page has been denied", "You have been blocked", "Sorry, you have been blocked",
    "Are you a robot?", "Are you human?", "Robot or human?", "Robot Check", "Bot Check", "Bot Verification", "Captcha Check",
    "Radware Captcha Page", "Radware Bot Manager Captcha", "Human Verification", "Human Test", "Validate User",
    "Security Check", "Security Checkpoint", "Vercel Security Checkpoint", "Client Challenge", "Challenge Validation",
    "Verify you are human", "Please verify you are human", "Please verify you are a human", "Confirm you are human",
    "Let's confirm you are human", "Making sure you're not a bot!", "Verifying you are human. This may take a few seconds.",
    "Pardon Our Interruption", "DDoS-Guard", "Request Rejected", "ERROR: The request could not be satisfied",
    "Please enable JS and disable any ad blocker", "Please enable cookies", "Protected by Anubis", "Before you continue",
    "403 Forbidden", "429 Too Many Requests", "Too Many Requests", "503 Service Unavailable",
    "503 Service Temporarily Unavailable", "Sicherheitsüberprüfung", "Sicherheitsabfrage", "Sind Sie ein Mensch?",
    "Vérification de sécurité", "Vérification que vous êtes humain", "Comprobación de seguridad", "Verificación de seguridad",
    "Verificação de segurança", "Verifica di sicurezza", "Beveiligingscontrole", "Kontrola bezpieczeństwa",
    "Güvenlik kontrolü", "Проверка браузера", "Проверка безопасности", "Вы не робот?", "Доступ ограничен",
    "Перевірка браузера", "보안 확인", "ロボットではありません", "セキュリティチェック",
    // "Just a moment..." of Cloudflare
    "Just a moment", "Just a second", "One moment, please", "One more step", "Un momento...", "Un instant...",
    "Um momento...", "Nur einen Moment...", "Einen Moment bitte...", "Even geduld...", "Chwileczkę...", "Cierpliwości...",
    "Bir dakika lütfen...", "Один момент…", "Зачекайте...", "Et øjeblik...", "Et øyeblikk...", "Ett ögonblick...",
    "Hetkinen...", "Okamžik, prosím...", "Egy pillanat...", "Tunggu sebentar...", "Vui lòng chờ...", "请稍候...", "請稍候...",
    "しばらくお待ちください...", "잠시만 기다리십시오…", "لحظة...", "רק רגע...",
    // redirect pages that were not followed, because they wait longer or need a script
    "Redirecting...", "Redirecting you...", "Redirecting, please wait...", "You are being redirected...",
    "Page Redirection", "Redirect Notice", "Weiterleitung...", "Redirection en cours...", "Redireccionando...",
    "Redirecionando...", "正在跳转...", "页面跳转中...",
    // the start page of a site
    "Home", "Homepage", "Home Page", "Startseite", "Accueil", "Inicio", "首页",
};

// Titles of walls that may be subjects of articles too.
constexpr std::array<std::string_view, 12> short_page_titles{
    "Captcha", "reCAPTCHA", "验证码", "Blocked", "Forbidden", "Cloudflare", "Imperva", "Incapsula", "StackPath", "DataDome",
    "Almost there...", "Unauthorized"};

// The name of the site or a number follows.
constexpr std::array<std::string_view, 4> beginnings{
    "Checking your browser before accessing", "Request unsuccessful. Incapsula incident ID", "Before you continue to",
    "Verifying your browser before accessing"};
// clang-format on

template <std::size_t size>
std::array<std::string, size> letters_of(const std::array<std::string_view, size>& titles) {
  std::array<std::string, size> all;
  std::ranges::transform(titles, all.begin(), extract_letters);
  return all;
}

bool has_little_text(const HtmlDocument& document) {
  constexpr std::size_t max_bytes = 800;  // the texts of walls are shorter
  return std::ranges::all_of(document.by_name("body"),
                             [](HtmlElement body) { return body.short_text(max_bytes).has_value(); });
}

}  // namespace

bool is_generic_title(std::string_view title, const HtmlDocument& document) {
  static const auto always = letters_of(generic_titles);
  static const auto on_short_pages = letters_of(short_page_titles);
  static const auto begins = letters_of(beginnings);
  // The name of the site may come before the title of a wall: "Daily Food: Robot Check".
  if (const std::size_t colon = title.rfind(": "); colon != std::string_view::npos &&
                                                   is_one_of(always, extract_letters(title.substr(colon))) &&
                                                   has_little_text(document))
    return true;
  const std::string letters = extract_letters(title);
  return letters.empty() || is_one_of(always, letters) ||
         std::ranges::any_of(begins, [&](const std::string& begin) { return letters.starts_with(begin); }) ||
         (is_one_of(on_short_pages, letters) && has_little_text(document));
}

}  // namespace linkherd::parser
