// Tests `check --browser` with Debian's Chromium: pages that only a browser can read. Without Chromium, the tests pass
// without a check and say so.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Words = std::vector<std::string>;

bool has_chromium() {
  const bool is_there = std::filesystem::exists("/usr/bin/chromium");
  if (!is_there) MESSAGE("skipped: there is no chromium");
  return is_there;
}

std::string app(std::string_view script) {
  return fmt::format("<!doctype html><title>App</title><div id=root></div><script>{}</script>", script);
}

// The HTML of an article with title, author and date, and enough text.
std::string article(std::string_view title) {
  return fmt::format(
      "<article><h1>{}</h1><p class=byline>By <a rel=author href=/maria>Maria Castell</a></p>"
      "<time datetime=2024-03-05>5 March 2024</time><h2 id=install>Install it</h2><p>{}</p></article>",
      title,
      "This paragraph says how attention weighs the words of a sentence against each other. It is long enough "
      "to be the text of an article, and it repeats nothing that another page of this site says. A reader "
      "learns what a query, a key and a value are, and why their products are scaled before the softmax.");
}

// A page that shows `html` after a fetch.
std::string app_that_shows(std::string_view title, std::string_view html) {
  return app(
      fmt::format("fetch('/data').then(() => {{ document.title = '{}'; root.innerHTML = `{}`; }})", title, html));
}

void plant_pages(SmallInternet& internet) {
  // Like zse-ck: a script computes a cookie some time after the page has loaded, and reloads.
  internet.host("www.zhihu.com").handler([](const ReceivedRequest& request) {
    if (request.header("cookie").find("__zse_ck=7") != std::string::npos)
      return html_page("<title>An answer</title>" + article("An answer"));
    Page wall = html_page("<meta id=zh-zse-ck content=1>" +
                          app("setTimeout(() => { document.cookie = '__zse_ck=' + (3 + 4); location.reload(); }, 50)"));
    wall.status = 403;
    return wall;
  });
  // Like acw_sc__v2: a cookie of the whole host, and a reload by the address.
  internet.host("blog.csdn.net").handler([](const ReceivedRequest& request) {
    if (request.header("cookie").find("acw_sc__v2=cba") != std::string::npos)
      return html_page("<title>A post</title>" + article("A post"));
    return html_page(
        app("var arg1 = 'abc'; document.cookie = 'acw_sc__v2=' + [...arg1].reverse().join('') + ';path=/'; "
            "document.location.href = document.location.href.split('#')[0];"));
  });
  const Page missing{404, {{"Content-Type", "text/html"}}, app_that_shows("A draft", article("A draft"))};
  internet.host("app.herd")
      .page("/data", html_page("data"))
      .page("/article", html_page(app_that_shows("An article", article("An article"))))
      .page("/scroll", html_page(app("addEventListener('scroll', more); function more() { fetch('/data').then(() => "
                                     "root.insertAdjacentHTML('beforeend', '<p style=height:900px>" +
                                     std::string(250, 'w') + "</p>')); } more(); document.title = 'A feed';")))
      .page("/consent",
            html_page(app_that_shows("A covered page", article("A covered page") +
                                                           "<div style=position:fixed;inset:0>We value your privacy "
                                                           "<button>Accept</button></div>")))
      .page("/gone", html_page(app_that_shows("Page not found", "<h1>404</h1><p>This page does not exist.</p>")))
      .page("/draft", missing)
      .page("/moved", html_page(app("fetch('/data').then(() => location.replace('/article'))")))
      .page("/captcha", html_page(app("fetch('/data').then(() => root.innerHTML = '<div class=g-recaptcha></div>')")))
      .page("/plain", html_page("<title>A plain page</title><script></script>" + article("A plain page")));
}

struct Expected {
  std::string url;
  std::string plain;         // "health reason" without a browser
  std::string with_browser;  // the same with it
  std::string title = {};
  bool has_byline = true;
};

std::string verdict_of(const boost::json::object& line) {
  return fmt::format("{} {}", line.at("health").as_string().c_str(), line.at("reason").as_string().c_str());
}

// Returns the link that has the URL in the list. Links of one page with the same verdict share a line.
boost::json::object line_with_url(const std::vector<boost::json::object>& lines, const std::string& url) {
  for (const boost::json::object& line : lines) {
    for (const boost::json::value& occurrence : line.at("occurrences").as_array()) {
      if (occurrence.at("url").as_string() == url) return line;
    }
  }
  throw std::runtime_error("there is no line for " + url);
}

// Returns the number of processes whose environment names a file below the folder.
int count_processes_in(const std::filesystem::path& folder) {
  int count = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(process.path() / "environ");
    const std::string environment(std::istreambuf_iterator<char>(in), {});
    count += holds(environment, folder.string() + "/") ? 1 : 0;
  }
  return count;
}

std::string text_of(const boost::json::value& json) { return json.is_string() ? json.as_string().c_str() : ""; }

}  // namespace

TEST_CASE("a browser checks the pages that need one") {
  if (!has_chromium()) return;
  SmallInternet internet;
  plant_pages(internet);
  const std::vector<Expected> table{
      {"http://www.zhihu.com/question/1", "blocked challenge", "alive ok", "An answer"},
      {"http://blog.csdn.net/post/1", "blocked challenge", "alive ok", "A post"},
      {"http://app.herd/article", "alive ok", "alive ok", "An article"},
      {"http://app.herd/article#install", "suspect anchor_not_found", "alive ok", "An article"},
      {"http://app.herd/article#missing", "suspect anchor_not_found", "dead anchor_not_found", "", false},
      {"http://app.herd/scroll", "alive ok", "alive ok", "A feed", false},
      {"http://app.herd/consent", "alive ok", "alive ok", "A covered page"},
      {"http://app.herd/gone", "alive ok", "suspect soft_404", "", false},
      {"http://app.herd/draft", "suspect doubtful_404", "suspect doubtful_404", "", false},
      {"http://app.herd/moved", "alive ok", "redirected moved_temporarily", "An article"},
      {"http://app.herd/plain", "alive ok", "alive ok", "A plain page"},
  };
  const TempDir folder;
  std::string list;
  for (const Expected& row : table) list += "- <" + row.url + ">\n";
  folder.write("list.md", list);
  const auto check = [&](const Words& more) {
    Words words{"--format", "jsonl", "--include-fragments=web", "list.md"};
    words.insert(words.end(), more.begin(), more.end());
    return run_linkherd(folder.path(), check_arguments(internet, words));
  };
  const auto plain = json_lines(check({"--no-store", "--harvest", "full"}).out);
  const std::size_t visits = internet.count("app.herd", "/article");
  const ProgramResult run = check({"--store", "store", "--browser", "--browser-no-sandbox"});
  CAPTURE(run.err);
  const auto shown = json_lines(run.out);
  for (const Expected& row : table) {
    CAPTURE(row.url);
    CHECK(verdict_of(line_with_url(plain, row.url)) == row.plain);
    const boost::json::object line = line_with_url(shown, row.url);
    CAPTURE(boost::json::serialize(line));
    CHECK(verdict_of(line) == row.with_browser);
    const boost::json::object& metadata = line.at("metadata").as_object();
    CHECK(text_of(metadata.at("title")) == row.title);
    CHECK(metadata.at("authors").as_array().empty() != row.has_byline);
    CHECK(metadata.at("published").is_string() == row.has_byline);
  }
  CHECK(line_with_url(shown, "http://app.herd/plain").at("via") == "request");
  CHECK(line_with_url(shown, "http://app.herd/plain").at("plain").is_null());
  const boost::json::object answer = line_with_url(shown, "http://www.zhihu.com/question/1");
  CHECK(answer.at("via") == "browser");
  CHECK(answer.at("plain").at("status") == 403);
  CHECK(answer.at("plain").at("health") == "blocked");
  CHECK(answer.at("plain").at("reason") == "challenge");
  // One page for all fragments, and one request of the browser for each link that leads to it.
  CHECK(internet.count("app.herd", "/article") - visits == 1 + 1 + 1);
  CHECK(internet.count("app.herd", "/plain") == 2);

  const auto report = run_linkherd(folder.path(), {"report", "--store", "store"});
  CHECK(holds(report.out, "8 pages were checked with a browser."));
  const auto data = run_linkherd(folder.path(), {"report", "--store", "store", "--format", "json"});
  CHECK(holds(data.out, "\"from_browser\":8"));
}

TEST_CASE("nothing of a browser outlives linkherd") {
  if (!has_chromium()) return;
  SmallInternet internet;
  internet.host("app.herd").page("/busy", html_page(app("setInterval(() => root.append('more '), 20)")));
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    const TempDir folder;
    folder.write("list.md", "<http://app.herd/busy>\n");
    const std::filesystem::path temporary = folder / "temporary";
    std::filesystem::create_directory(temporary);
    ProgramOptions options =
        linkherd_options(folder.path(), check_arguments(internet, {"--no-store", "--browser", "--browser-no-sandbox",
                                                                   "--shutdown-timeout", "1m", "list.md"}));
    options.environment["TMPDIR"] = temporary.string();
    const int requests = static_cast<int>(internet.count("app.herd", "/busy"));
    RunningProgram program(LINKHERD_PROGRAM, options);
    while (program.running() && static_cast<int>(internet.count("app.herd", "/busy")) < requests + 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the second request is that of the browser
    CHECK(count_processes_in(temporary) > 0);
    program.signal(signal);
    const ProgramResult result = program.wait();
    CHECK_FALSE(result.has_timed_out);
    CHECK(result.exit_code == (signal == SIGKILL ? -1 : 128 + signal));
    while (count_processes_in(temporary) > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK((signal == SIGKILL || std::filesystem::is_empty(temporary)));
  }
}
