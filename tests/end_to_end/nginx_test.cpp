// Tests linkherd with an independent server: nginx with TLS, HTTP/2, compressed pages and redirects.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

constexpr const char* nginx_path = "/usr/sbin/nginx";

// {0}: the folder, {1}: the port for HTTPS, {2}: that for HTTP, {3}: the user, for a nginx that root has started.
constexpr std::string_view configuration = R"(
daemon off;
{3}
worker_processes 1;
pid {0}/nginx.pid;
error_log {0}/error.log;
events {{ }}
http {{
  client_body_temp_path {0}/t1; proxy_temp_path {0}/t2; fastcgi_temp_path {0}/t3; uwsgi_temp_path {0}/t4;
  scgi_temp_path {0}/t5;
  default_type text/html;
  charset utf-8;
  access_log {0}/access.log;
  gzip on;
  gzip_min_length 1;
  server {{ listen 127.0.0.1:{2}; location / {{ return 301 https://nginx.herd$request_uri; }} }}
  server {{
    listen 127.0.0.1:{1} ssl http2;
    ssl_certificate {0}/server.pem;
    ssl_certificate_key {0}/server.key;
    root {0}/site;
    location = /gone {{ return 410; }}
    location = /broken {{ return 502; }}
    location = /cut {{ return 444; }}
    location = /folder {{ return 302 folder/; }}
  }}
  server {{
    listen 127.0.0.1:{1} ssl http2;
    server_name busy.herd;
    ssl_certificate {0}/server.pem;
    ssl_certificate_key {0}/server.key;
    location / {{ add_header Retry-After 3600 always; return 429; }}
  }}
  server {{
    listen 127.0.0.1:{1} ssl http2;
    server_name modern.herd;
    ssl_certificate {0}/server.pem;
    ssl_certificate_key {0}/server.key;
    location / {{
      if ($server_protocol != "HTTP/2.0") {{ return 403; }}
      return 200 "<!doctype html><title>A modern page</title><h1>A modern page</h1><p>Only over HTTP/2.</p>";
    }}
  }}
}}
)";

int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(probe);
  return ntohs(address.sin_port);
}

bool listens(int port) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool is_connected = connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(client);
  return is_connected;
}

void openssl(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  ProgramOptions options;
  options.arguments = words;
  options.working_directory = folder;
  const ProgramResult result = run_program("/usr/bin/openssl", options);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
}

// The certificate is its own authority and covers only these three hosts.
void make_certificate(const std::filesystem::path& folder) {
  openssl(folder, {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                   "-subj", "/CN=nginx.herd", "-addext", "subjectAltName=DNS:nginx.herd,DNS:busy.herd,DNS:modern.herd",
                   "-keyout", "server.key", "-out", "server.pem"});
}

class Nginx {
 public:
  explicit Nginx(const TempDir& folder) : https_(free_port()), http_(free_port()) {
    make_certificate(folder.path());
    std::string page = "<!doctype html><title>A Page of nginx</title><h1>A Page of nginx</h1>";
    for (int i = 0; i < 100; ++i) page += fmt::format("<p>Paragraph {} of a page that is sent compressed.</p>", i);
    for (const char* name : {"site/index.html", "site/page.html", "site/folder/index.html"}) folder.write(name, page);
    const std::string user = geteuid() == 0 ? "user root;" : "";  // otherwise its workers could not read the folder
    folder.write("nginx.conf", fmt::format(fmt::runtime(configuration), folder.path().string(), https_, http_, user));
    ProgramOptions options;
    options.arguments = {"-p", folder.path().string(), "-c", (folder / "nginx.conf").string()};
    process_ = std::make_unique<RunningProgram>(nginx_path, options);
    for (int i = 0; i < 500 && !(listens(https_) && listens(http_)); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    REQUIRE(listens(https_));
  }
  ~Nginx() {  // ends both processes; SIGKILL would leave the worker
    process_->signal(SIGTERM);
    process_->wait();
  }
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  std::vector<std::string> check_arguments(const TempDir& folder, const std::vector<std::string>& more) const {
    std::vector<std::string> words{"check",
                                   "--allow-private",
                                   "--ca-file",
                                   (folder / "server.pem").string(),
                                   "--connect-to",
                                   fmt::format("*:443:127.0.0.1:{}", https_),
                                   "--connect-to",
                                   fmt::format("*:80:127.0.0.1:{}", http_),
                                   "--host-request-interval",
                                   "1ms",
                                   "--confirm-wait",
                                   "100ms",
                                   "--max-retries",
                                   "1",
                                   "--retry-wait-time",
                                   "100ms",
                                   "--no-store",
                                   "--format",
                                   "jsonl",
                                   "list.md"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

 private:
  int https_, http_;
  std::unique_ptr<RunningProgram> process_;
};

struct Row {
  std::string url;
  std::string health;
  std::string reason;
};

}  // namespace

TEST_CASE("pages of a real nginx with TLS get the right verdicts over HTTP/1.1 and HTTP/2") {
  if (access(nginx_path, X_OK) != 0) {
    MESSAGE("skipped: nginx is not installed (Debian: nginx-light)");
    return;
  }
  const TempDir folder;
  const Nginx nginx(folder);
  const std::vector<Row> rows{
      {"https://nginx.herd/", "alive", "ok"},
      {"https://nginx.herd/page.html", "alive", "ok"},
      {"http://nginx.herd/page.html?by=http", "redirected", ""},
      {"https://nginx.herd/folder", "redirected", ""},
      {"https://nginx.herd/missing", "dead", "http_404"},
      {"https://nginx.herd/gone", "dead", "http_410"},
      {"https://nginx.herd/broken", "unreachable", ""},
      {"https://nginx.herd/cut", "unreachable", "bad_response"},
      {"https://stranger.herd/", "insecure", "tls_wrong_host"},
      {"https://busy.herd/", "blocked", ""},
      {"https://modern.herd/", "alive", "ok"},  // requested once more with the headers of a browser
      {"https://modern.herd/2", "alive", "ok"},
      {"https://modern.herd/3", "alive", "ok"},
  };
  std::string list;
  for (const Row& row : rows) list += "[x](" + row.url + ")\n";
  for (int i = 0; i < 100; ++i) list += fmt::format("[x](https://nginx.herd/page.html?number={})\n", i);
  folder.write("list.md", list);
  for (const std::vector<std::string>& version : {std::vector<std::string>{}, {"--http2"}}) {
    const ProgramResult result = run_linkherd(folder.path(), nginx.check_arguments(folder, version));
    CAPTURE(result.err);
    CAPTURE(version.size());
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    CHECK(lines.size() == rows.size() + 100);
    for (const Row& row : rows) {
      const CheckedLine& line = line_of(lines, row.url);
      CAPTURE(row.url);
      CAPTURE(line.evidence);
      CHECK(line.health == row.health);
      if (!row.reason.empty()) CHECK(line.reason == row.reason);
    }
    CHECK(line_of(lines, "https://nginx.herd/page.html?number=7").harvest.title == "A Page of nginx");
  }
}
