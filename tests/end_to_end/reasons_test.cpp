// Tests that every reason of a verdict occurs in the SmallInternet: in one run or, if that is impossible, in a separate
// run of a suitable kind.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Reasons = std::set<std::string>;

// Returns every reason that storage/verdict.h declares. It parses the header, so that a new reason cannot be forgotten
// here.
Reasons declared_reasons() {
  const std::string text = read_file(std::string(LINKHERD_SOURCE_DIR) + "/storage/verdict.h");
  std::string_view rest = text;
  rest = rest.substr(rest.find("namespace reason {"));
  rest = rest.substr(0, rest.find("}  // namespace reason"));
  Reasons words;
  constexpr std::string_view type = "std::string_view ";
  for (std::size_t at = rest.find(type); at != std::string_view::npos; at = rest.find(type)) {
    rest.remove_prefix(rest.find('"', at) + 1);
    words.emplace(rest.substr(0, rest.find('"')));
  }
  return words;
}

// Reasons that occur in no run of this test, each with an explanation.
const std::map<std::string, std::string> met_elsewhere{
    {"vantage", "merge_test.cpp, since it takes two runs"},
    {"outage", "decided after 30 s without any network: outage_test"},
    {"proxy_failed", "of runs behind a proxy: proxy_test"},
    {"proxy_refused", "the same"},
    {"needs_tor", "the same, and attempt_runner"},
    {"doubtful_404", "404s behind which people may see a page: doubtful_404_test"},
    {"crawler_trap", "of check --recursive: site_check_test"},
    {"not_in_archive", "of WARC files that are checked instead of the network: web_archives_test"},
};

Page titled(const std::string& title, const std::string& text) {
  return html_page("<!doctype html><title>" + title + "</title><h1>" + title + "</h1><p>" + text + "</p>");
}

Page by_delivery(Delivery delivery) {
  Page page = titled("A page", "Its text.");
  page.delivery = delivery;
  return page;
}

std::string with_port(const std::string& url, const RawServer& server) {
  return url + std::to_string(server.port()) + "/";
}

class DocumentText {
 public:
  void add(const std::string& target, const std::string& text = "x") { text_ += "- [" + text + "](" + target + ")\n"; }
  void line(const std::string& line) { text_ += line + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void plant_certificates(SmallInternet& internet, DocumentText& list) {
  const std::vector<std::pair<std::string, CertificateKind>> kinds{
      {"expired", CertificateKind::expired},  {"not-yet", CertificateKind::not_yet_valid},
      {"self", CertificateKind::self_signed}, {"stranger", CertificateKind::untrusted_authority},
      {"wrong", CertificateKind::wrong_host}, {"revoked", CertificateKind::stapled_revoked},
      {"weak", CertificateKind::sha1},        {"invalid", CertificateKind::for_clients},
      {"old", CertificateKind::old_protocol}, {"stubborn", CertificateKind::no_handshake},
  };
  internet.serve_issuers();
  for (const auto& [name, kind] : kinds) {
    const std::string host = name + ".tls.herd";
    internet.host(host).default_page(titled("A page", "Its text."));
    internet.tls(host, kind);
    list.add("https://" + host + "/");
  }
}

void plant_redirects(SmallInternet& internet, DocumentText& list) {
  HostScript& host = internet.host("moving.herd");
  host.page("/old", redirect_page(301, "/new")).page("/for-now", redirect_page(302, "/new"));
  host.page("/circle", redirect_page(302, "/circle")).page("/nowhere", status_page(301));
  host.page("/new", titled("A page that has moved", "Its text."));
  for (int i = 0; i < 8; ++i)
    host.page("/far/" + std::to_string(i), redirect_page(302, "/far/" + std::to_string(i + 1)));
  for (const char* path : {"/old", "/for-now", "/circle", "/nowhere", "/far/0"})
    list.add(std::string("http://moving.herd") + path);
}

void plant_pages(SmallInternet& internet, DocumentText& list) {
  HostScript& host = internet.host("pages.herd");
  host.page("/fine", titled("A fine page", "Its text."));
  host.page("/lost", titled("Page not found", "Oops! That page can't be found."));
  host.page("/slow-down", status_page(429)).page("/members", status_page(401));
  host.page("/puzzle", status_page(403, {{"x-amzn-waf-action", "captcha"}}));
  host.page("/test", status_page(403, {{"cf-mitigated", "challenge"}}));
  host.page("/works", titled("Please wait", "Sorry, this site is currently down for scheduled maintenance."));
  for (const char* path : {"/fine", "/lost", "/slow-down", "/members", "/puzzle", "/test", "/abroad", "/works"})
    list.add(std::string("http://pages.herd") + path);
  Page abroad = html_page(
      "<title>ERROR: The request could not be satisfied</title><h1>403 ERROR</h1><p>The Amazon "
      "CloudFront distribution is configured to block access from your country.");
  abroad.status = 403;
  host.page("/abroad", abroad);
  internet.host("lapsed.herd")
      .default_page(titled("lapsed.herd is for sale", "This domain is for sale! Buy this domain. Sedo Domain Parking"));
  list.add("http://lapsed.herd/article");
  const Page casino = titled(
      "Lucky Spins Casino",
      "Play slots, roulette and blackjack with the biggest bonus in town. Deposit today and get 200 free spins on your "
      "favourite machines. Our dealers are waiting for you at the tables day and night, with fast payouts, jackpots "
      "and "
      "loyalty rewards for every player. Register now, claim your welcome offer and win big. You must be 18 or older. "
      "Sports betting, poker rooms and live baccarat are on offer as well, and a lottery is held every Sunday evening "
      "at nine.");
  internet.host("sold.herd").page("/garbage-collection", casino).page("/escape-analysis", casino);
  list.add("http://sold.herd/garbage-collection", "Shorter pauses with generational garbage collectors");
  list.add("http://sold.herd/escape-analysis", "Escape analysis in three steps");
  internet.host("www.bilibili.com").default_page(status_page(412));
  internet.host("api.bilibili.com").default_page(html_page("{\"code\":-404}", "application/json"));
  list.add("https://www.bilibili.com/video/BV1xx411c7mD/");
}

void plant_hosts(SmallInternet& internet, DocumentText& list) {
  internet.host("no-data.herd");
  internet.dns("no-data.herd", dns_failure(DnsKind::no_data));
  internet.dns("failing.herd", dns_failure(DnsKind::server_failure));
  internet.dns("quiet.herd", dns_failure(DnsKind::silence));
  internet.host("silent.herd").default_page(by_delivery(Delivery::silence));
  internet.host("resetting.herd").default_page(by_delivery(Delivery::reset_early));
  internet.host("plain.herd");
  for (const char* host :
       {"nobody.herd", "no-data.herd", "failing.herd", "quiet.herd", "silent.herd", "resetting.herd"})
    list.add(std::string("http://") + host + "/");
  list.add("http://plain.herd:9/");       // nothing listens there
  list.add("http://[2001:db8::1]/");      // not with --ipv4
  list.add("http://192.168.1.7/router");  // not with --allow-private=127.0.0.0/8
  internet.host("overloaded.herd").default_page(status_page(503));
  for (int i = 0; i < 100; ++i) list.add("http://overloaded.herd/" + std::to_string(i));
}

void add_local_links(DocumentText& list) {
  list.add("gone.md");
  list.add("list.md#nowhere");
  list.add("../../../etc/passwd");
  list.add("/about");
  list.add("ftp://files.herd/x");
  list.add("http://example.com/x");
  list.add("<http://ho st/>");
  list.add("mailto:nobody");
  list.add("http://left-out.herd/");
  list.line("[nowhere]()");
  list.line("[x](http://hidden.herd/) <!-- linkherd-ignore-line -->");
}

std::vector<std::string> words_for(const SmallInternet& internet, const std::vector<std::string>& more) {
  std::vector<std::string> words = check_arguments(internet, more);
  std::ranges::replace(words, std::string("--allow-private"), std::string("--allow-private=127.0.0.0/8"));
  return words;
}

void add_reasons(Reasons& met, const std::string& jsonl) {
  for (const CheckedLine& line : checked_lines(jsonl)) met.insert(line.reason);
}

Reasons reasons_of_one_run(const TempDir& folder) {
  SmallInternet internet;
  DocumentText list;
  plant_certificates(internet, list);
  plant_redirects(internet, list);
  plant_pages(internet, list);
  plant_hosts(internet, list);
  add_local_links(list);
  const RawServer chatty([](ServerConnection& client) {
    client.read_request();
    client.send("220 mail.herd ready\r\n");
  });
  const RawServer wordy([](ServerConnection& client) {
    client.read_request();
    client.send("HTTP/1.1 103 Early Hints\r\nX-Large: " + std::string(150'000, 'a') + "\r\n\r\n");
  });
  list.add(with_port("http://plain.herd:", chatty));
  list.add(with_port("http://plain.herd:", wordy));
  folder.write("list.md", list.text());
  const ProgramResult result = run_linkherd(
      folder.path(),
      words_for(internet, {"--store", "store", "--format", "jsonl", "--max-retries", "0", "--timeout", "10s",
                           "--connect-timeout", "4s", "--max-redirects", "5", "--ipv4", "--include-mail",
                           "--include-fragments=anchor-only", "--exclude", "left-out", "list.md"}));
  CAPTURE(result.err);
  Reasons met;
  add_reasons(met, result.out);
  return met;
}

// A page that becomes another page between two runs.
void add_reasons_of_a_sold_page(Reasons& met) {
  const TempDir folder;
  SmallInternet internet;
  folder.write("list.md", "[a](http://sold.herd/)\n");
  const std::vector<std::pair<std::string, std::string>> pages{{"A slow walk through the old town", "cobble"},
                                                               {"Lucky Spins Casino", "jackpot"}};
  for (const auto& [title, word] : pages) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += word + std::to_string(i) + "x ";
    internet.host("sold.herd").page("/", titled(title, text));
    add_reasons(met, run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--format", "jsonl",
                                                                            "--max-cache-age", "0", "list.md"}))
                         .out);
  }
}

// Reasons of confirmations, robots.txt, a missing network, and strikes.
void add_reasons_of_settings(Reasons& met) {
  const TempDir folder;
  SmallInternet internet;
  Page page = titled("A page", "Its text.");
  page.headers.emplace_back("ETag", "\"1\"");
  internet.host("same.herd")
      .page("/", page)
      .page("/robots.txt", html_page("User-agent: *\nDisallow: /private\n", "text/plain"));
  internet.host("silent.herd").default_page(by_delivery(Delivery::silence));
  folder.write("list.md", "[a](http://same.herd/) [b](http://same.herd/private)\n");
  folder.write("silent.md", "[a](http://silent.herd/1)\n");
  const std::vector<std::string> looks{"--format", "jsonl", "--max-cache-age", "0"};
  const auto check_with = [&](std::vector<std::string> more) {
    more.insert(more.end(), looks.begin(), looks.end());
    add_reasons(met, run_linkherd(folder.path(), check_arguments(internet, more)).out);
  };
  check_with({"--store", "store", "list.md"});
  check_with({"--store", "store", "--robots", "respect", "list.md"});
  check_with({"--store", "store", "--offline", "list.md"});
  for (const char* now : {"2026-03-05T10:00:00Z", "2026-03-06T10:00:00Z", "2026-03-07T10:00:00Z"}) {
    if (std::string_view(now) == "2026-03-07T10:00:00Z")  // a link without strikes
      folder.write("silent.md", "[a](http://silent.herd/1) [b](http://silent.herd/2)\n");
    check_with({"--now", now, "--timeout", "1s", "--max-retries", "0", "--store", "strikes", "silent.md"});
  }
}

// Runs that end early: by their deadline, with a link that is to be looked at again, and by a signal.
void add_reasons_of_short_runs(Reasons& met) {
  const TempDir folder;
  SmallInternet internet;
  internet.host("slow.herd").page("/gone", status_page(404)).default_page(by_delivery(Delivery::silence));
  folder.write("list.md", "[a](http://slow.herd/gone) [b](http://slow.herd/1)\n");
  const std::vector<std::string> words = check_arguments(
      internet, {"--no-store", "--format", "jsonl", "--timeout", "300s", "--confirm-wait", "300s", "list.md"});
  std::vector<std::string> with_deadline = words;
  with_deadline.insert(with_deadline.end(), {"--deadline", "3s"});
  add_reasons(met, run_linkherd(folder.path(), with_deadline).out);
  internet.clear_requests();
  RunningProgram run = start_linkherd(folder.path(), words);
  REQUIRE(internet.wait_for_requests(2, std::chrono::minutes(1)));
  run.signal(SIGTERM);
  add_reasons(met, run.wait().out);
}

}  // namespace

TEST_CASE("every declared reason occurs in the small internet") {
  const TempDir folder;
  Reasons met = reasons_of_one_run(folder);
  add_reasons_of_a_sold_page(met);
  add_reasons_of_settings(met);
  add_reasons_of_short_runs(met);
  const Reasons declared = declared_reasons();
  REQUIRE(declared.size() >= 50);
  for (const std::string& reason : declared) {
    CAPTURE(reason);
    CHECK(met.contains(reason) != met_elsewhere.contains(reason));
  }
  for (const auto& [reason, why] : met_elsewhere) CHECK(declared.contains(reason));
}
