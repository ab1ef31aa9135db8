// Tests attacks by servers, and by links to forbidden targets.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/attacks/attack_family.h"
#include "tests/support/gzip_compress.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

std::vector<std::string> attacked_check(const SmallInternet& internet, std::vector<std::string> more) {
  more.insert(more.begin(), {"--no-store", "--timeout", "5s", "--max-retries", "0", "--format", "jsonl"});
  return check_arguments(internet, more);
}

std::string links_to(const std::string& origin, const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) list += fmt::format("- [link]({}{})\n", origin, path);
  return list;
}

// Far more than the limit of a page and the buffers of the kernel.
constexpr std::uint64_t max_bytes_of_a_link = std::uint64_t{100} << 20;

struct EndlessAnswer {
  std::string what;
  std::string head;
  std::string part;  // sent repeatedly until the client disconnects
};

}  // namespace

TEST_CASE("attacks: decompression bombs take bounded time and memory") {
  AttackFamily family("decompression bombs");
  const TempDir folder;
  SmallInternet internet;
  const std::string zeros = std::string(std::size_t{512} << 20, '\0');
  const std::string bomb = gzip_compress(zeros);
  const std::string twice = gzip_compress(bomb);
  HostScript& host = internet.host("bomb.herd");
  const auto page = [](const std::string& body, const std::string& coding, const std::string& type) {
    Page answer = html_page(body, type);
    answer.headers.emplace_back("Content-Encoding", coding);
    return answer;
  };
  host.page("/gzip", page(bomb, "gzip", "text/html"));
  host.page("/twice", page(twice, "gzip, gzip", "text/html"));
  host.page("/feed", page(bomb, "gzip", "application/xml"));
  host.page("/robots.txt", page(bomb, "gzip", "text/plain"));
  host.page("/list.md.gz", html_page(bomb, "application/gzip"));
  folder.write("list.md", links_to("https://bomb.herd", {"/gzip", "/twice", "/feed"}));
  family.run(folder.path(), attacked_check(internet, {"--robots", "respect", "list.md"}), 4);
  family.run(folder.path(), attacked_check(internet, {"list.md"}), 3);
  family.run(folder.path(), attacked_check(internet, {"https://bomb.herd/list.md.gz"}));
  folder.write("local.md.gz", bomb);
  family.run(folder.path(), {"links", "local.md.gz"});
  folder.write("page.html.gz", bomb);
  family.run(folder.path(), {"metadata", "page.html.gz"});
}

TEST_CASE("attacks: endless answers are cut at the limit of a link") {
  AttackFamily family("endless headers, chunks, bodies");
  const TempDir folder;
  const SmallInternet internet;
  const std::string block(std::size_t{64} << 10, 'x');
  const std::vector<EndlessAnswer> answers{
      {"header fields", "HTTP/1.1 200 OK\r\n", "X-A: " + block + "\r\n"},
      {"one header field", "HTTP/1.1 200 OK\r\nX-A: ", block},
      {"status line", "HTTP/1.1 200 ", block},
      {"interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n"},
      {"early hints", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"},
      {"body", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "<a href='/x'>" + block + "</a>"},
      {"chunks", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
      {"chunk extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", block},
      {"chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000", "00000000"},
      {"trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", "X-A: " + block + "\r\n"},
      {"cookies", "HTTP/1.1 302 Found\r\nLocation: /x\r\n", "Set-Cookie: a=" + block.substr(0, 4000) + "\r\n"},
      {"location", "HTTP/1.1 302 Found\r\nLocation: /", block},
  };
  for (const EndlessAnswer& answer : answers) {
    CAPTURE(answer.what);
    std::atomic<std::uint64_t> sent{0};
    {
      const RawServer server([&answer, &sent](ServerConnection& client) {
        client.read_request();
        client.send(answer.head);
        while (client.send(answer.part)) sent += answer.part.size();
      });
      folder.write("list.md", fmt::format("[a](http://127.0.0.1:{}/x)\n", server.port()));
      family.run(folder.path(), attacked_check(internet, {"list.md"}));
    }
    family.expect(sent < max_bytes_of_a_link, fmt::format("{}: {} bytes were taken", answer.what, sent.load()));
  }
}

TEST_CASE("attacks: endless redirects end and quote no file") {
  AttackFamily family("endless redirects");
  const TempDir folder;
  SmallInternet internet;
  internet.host("endless.herd").handler([](const ReceivedRequest& request) {
    return redirect_page(302, request.target + "x");
  });
  internet.host("host.herd").handler([](const ReceivedRequest& request) {
    return redirect_page(301, fmt::format("https://host.herd/{}", request.target.size() % 7));
  });
  internet.host("long.herd").default_page(redirect_page(302, "/" + std::string(90'000, 'a')));
  internet.host("odd.herd").default_page(redirect_page(302, "file:///etc/passwd"));
  internet.host("script.herd").default_page(redirect_page(302, "javascript:alert(1)"));
  internet.host("refresh.herd").handler([](const ReceivedRequest& request) {
    return html_page(fmt::format("<meta http-equiv=refresh content='0; url={}x'>", request.target));
  });
  std::string list;
  for (const char* const name : {"endless", "host", "long", "odd", "script", "refresh"})
    list += fmt::format("- [a](https://{}.herd/a)\n", name);
  folder.write("list.md", list);
  const ProgramResult result = family.run(folder.path(), attacked_check(internet, {"list.md"}), 6);
  family.expect(!holds(result.out, "root:"), "a file is quoted");
  family.expect(internet.requests().size() < 300, fmt::format("{} requests", internet.requests().size()));
}

TEST_CASE("attacks: private addresses and rebinding names reach no internal server") {
  AttackFamily family("private addresses, DNS rebinding");
  const TempDir folder;
  SmallInternet internet;
  internet.host("inside.herd").default_page(html_page("<title>Secret of the inside</title>"));
  const std::vector<std::string> addresses{
      "127.0.0.1",  "10.0.0.1",  "169.254.169.254", "0.0.0.0", "100.64.0.1", "192.168.0.1",     "172.16.0.1",
      "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1",     "fd00::1",    "::ffff:127.0.0.1"};
  for (std::size_t i = 0; i < addresses.size(); ++i)
    internet.dns(fmt::format("inside{}.herd", i), dns_addresses({addresses[i]}));
  DnsBehaviour mixed = dns_addresses({"0.0.0.0", "127.0.0.1"});  // the attack uses the second address
  mixed.ttl = 0;
  internet.dns("mixed.herd", mixed);
  const std::uint16_t port = internet.http_port();
  std::string list;
  std::size_t links = 0;
  const auto add = [&](const std::string& host) {
    for (const std::string& place : {host, fmt::format("{}:{}", host, port)}) {
      list += fmt::format("- [a](http://{}/latest/meta-data/)\n", place);
      ++links;
    }
  };
  for (const char* const host : {"inside.herd",     "mixed.herd",     "127.0.0.1",      "localhost",
                                 "localhost.",      "127.1",          "2130706433",     "0x7f000001",
                                 "0177.0.0.1",      "0x7f.1",         "[::1]",          "[::ffff:127.0.0.1]",
                                 "[::ffff:7f00:1]", "[::]",           "0.0.0.0",        "0",
                                 "169.254.169.254", "[fd00::1]",      "[fe80::1]",      "[64:ff9b::7f00:1]",
                                 "[2002:7f00:1::]", "10.0.0.1",       "192.168.1.1",    "metadata.google.internal",
                                 "127.0.0.1.herd",  "user@127.0.0.1", "１２７.０.０.１"})
    add(host);
  for (std::size_t i = 0; i < addresses.size(); ++i) add(fmt::format("inside{}.herd", i));
  folder.write("list.md", list);
  std::vector<std::string> words = attacked_check(internet, {"list.md"});
  std::erase(words, "--allow-private");
  const ProgramResult result = family.run(folder.path(), words, links);
  family.expect(!holds(result.out, "Secret of the inside"), "a page of the inside was read");
  family.expect(internet.requests().empty(), fmt::format("{} requests to the inside", internet.requests().size()));
  // A list on the web, a crawl and a webhook follow the same rules.
  const std::string inside = fmt::format("http://127.0.0.1:{}/", port);
  for (const std::vector<std::string>& more : {std::vector<std::string>{inside + "list.md"}, {"--recursive", inside}}) {
    words = attacked_check(internet, more);
    std::erase(words, "--allow-private");
    family.run(folder.path(), words);
    family.expect(internet.requests().empty(), "a list or a crawl reached the inside");
  }
}
