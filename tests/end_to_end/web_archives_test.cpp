// Tests web archives. The stored data of a run must survive the round trip through a WARC file, and other tools must be
// able to read that file. Pages that wget archived must get the same verdicts as from the network.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
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
#include "tests/end_to_end/planted_sites.h"
#include "tests/support/gzip_compress.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// Returns the path of a program, or an empty string if it is not installed.
std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    if (std::filesystem::is_regular_file(std::filesystem::path(folder) / name, error)) return folder + "/" + name;
  }
  return {};
}

// All planted sites, and the lists that link to them.
struct PlantedLists {
  TempDir folder;
  SmallInternet internet;
  std::vector<std::string> lists{"planted.md"};

  PlantedLists() {
    plant_sites(internet);
    folder.write("planted.md", planted_list());
    for (const char* list :
         {"awesome-blogs.md", "bookmarks.txt", "infra-blogs.md", "llm-resource.md", "resources.md"}) {
      folder.write(list, read_file(std::filesystem::path(LINKHERD_SOURCE_DIR) / "seeds" / list));
      lists.emplace_back(list);
    }
  }
  std::vector<CheckedLine> check(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "jsonl"});
    words.insert(words.end(), lists.begin(), lists.end());
    const ProgramResult result = run_linkherd(folder.path(), words);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 2);  // some links are dead
    return checked_lines(result.out);
  }
  std::vector<CheckedLine> check_network() const {
    return check(check_arguments(internet, {"--store", "store", "--bodies", "all"}));
  }
  std::vector<CheckedLine> check_archive(const std::string& file) const {
    return check({"check", "--offline", "--from-warc", file});
  }
};

bool is_same(const CheckedLine& live, const CheckedLine& archived) {
  return live.health == archived.health && live.reason == archived.reason && live.final_url == archived.final_url &&
         live.redirects == archived.redirects && live.harvest == archived.harvest;
}

// A forward proxy to the small internet, for programs without --connect-to. HTTPS goes through a tunnel.
class WayIn {
 public:
  explicit WayIn(const SmallInternet& internet)
      : server_([&internet](ServerConnection& client) { serve(internet, client); }) {}
  std::string address() const { return fmt::format("http://127.0.0.1:{}", server_.port()); }

 private:
  static int connect_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
  }
  static bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  static void pass_back(int socket, ServerConnection& client) {
    std::string buffer(65536, '\0');
    for (;;) {
      const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
      if (count <= 0 || !client.send(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)))) break;
    }
    client.shut_down();
  }
  static void serve(const SmallInternet& internet, ServerConnection& client) {
    std::string request = client.read_request();
    const bool is_tunnel = request.starts_with("CONNECT ");
    const int socket = connect_to(is_tunnel ? internet.https_port() : internet.http_port());
    if (socket < 0) return;
    if (is_tunnel) {
      client.send("HTTP/1.1 200 OK\r\n\r\n");
    } else {  // "GET http://host/path" becomes "GET /path"
      const std::size_t begin = request.find("http://");
      const std::size_t path = begin == std::string::npos ? begin : request.find('/', begin + 7);
      if (path != std::string::npos) request.erase(begin, path - begin);
      send_all(socket, request);
    }
    std::thread back([socket, &client] { pass_back(socket, client); });
    for (std::string piece = client.read_some(); !piece.empty(); piece = client.read_some()) {
      if (!send_all(socket, piece)) break;
    }
    ::shutdown(socket, SHUT_RDWR);
    back.join();
    ::close(socket);
  }

  RawServer server_;
};

ProgramResult run_in(const std::filesystem::path& folder, const std::string& program,
                     const std::vector<std::string>& words) {
  ProgramOptions options;
  options.arguments = words;
  options.working_directory = folder;
  return run_program(program, options);
}

// A response of a.cn as a WARC record.
std::string response_record(const std::string& path, const std::string& answer) {
  return fmt::format(
      "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.cn/{}\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
      "Content-Length: {}\r\n\r\n{}\r\n\r\n",
      path, answer.size(), answer);
}

}  // namespace

TEST_CASE("a WARC export gives the same verdicts offline as the run") {
  PlantedLists planted;
  const std::vector<CheckedLine> live = planted.check_network();
  const ProgramResult exported = run_linkherd(
      planted.folder.path(), {"export", "--store", "store", "--format", "warc", "-o", "x.warc.gz", "--cdxj", "x.cdxj"});
  CAPTURE(exported.err);
  REQUIRE(exported.exit_code == 0);
  planted.internet.clear_requests();
  const std::size_t queries = planted.internet.dns_queries().size();
  const std::vector<CheckedLine> archived = planted.check_archive("x.warc.gz");
  CHECK(planted.internet.requests().empty());
  CHECK(planted.internet.dns_queries().size() == queries);
  REQUIRE(archived.size() == live.size());
  for (const CheckedLine& before : live) {
    CAPTURE(before.url);
    const CheckedLine& after = line_of(archived, before.url);
    CAPTURE(before.health + " " + before.reason + "; then " + after.health + " " + after.reason);
    if (before.status == 0) {  // there was no response or no request
      CHECK((after.reason == "not_in_archive" || is_same(before, after)));
    } else {
      CHECK(is_same(before, after));
      if (after.health != "skipped") CHECK(holds(after.evidence, "Archived at 20"));
    }
  }

  const ProgramResult other = run_linkherd(
      planted.folder.path(), {"export", "--store", "store", "--format", "warc", "--history", "-o", "x.warc"});
  CHECK(other.exit_code == 0);
  CHECK(planted.check_archive("x.warc").size() == live.size());

  const std::string lines = run_linkherd(planted.folder.path(), {"metadata", "x.warc.gz"}).out;
  CHECK(count_lines(lines) > live.size() / 2);
  for (const boost::json::object& line : json_lines(lines)) CHECK(line.at("archived_at").is_string());
}

TEST_CASE("a check from an archive fills a store and replaces no newer check") {
  TempDir folder;
  SmallInternet internet;
  HostScript& host = internet.host("good.herd");
  host.page("/one", html_page("<title>Page One</title>")).page("/two", html_page("<title>Page Two</title>"));
  folder.write("list.md",
               "[Page One](https://good.herd/one)\n[Page Two](https://good.herd/two)\n[x](https://good.herd/gone)\n");
  const auto check = [&](std::vector<std::string> words, const char* store) {
    words.insert(words.end(), {"--store", store, "--format", "jsonl", "list.md"});
    return checked_lines(run_linkherd(folder.path(), words).out);
  };
  const std::vector<CheckedLine> live = check(check_arguments(internet, {"--bodies", "all"}), "first");
  run_linkherd(folder.path(), {"export", "--store", "first", "--format", "warc", "-o", "x.warc.gz"});
  const std::vector<std::string> harvest{"check", "--offline", "--from-warc", "x.warc.gz", "--bodies", "all"};
  for (const CheckedLine& line : check(harvest, "second")) {
    CHECK_FALSE(line.is_from_store);
    CHECK(is_same(line_of(live, line.url), line));
  }
  for (const CheckedLine& line : check(harvest, "second")) CHECK(line.is_from_store);
  const ProgramResult body =
      run_linkherd(folder.path(), {"history", "--body", "--store", "second", "https://good.herd/one"});
  CHECK(holds(body.out, "<title>Page One</title>"));

  host.page("/one", html_page("<title>Page One again</title>"));
  check(check_arguments(internet, {"--max-cache-age", "0"}), "second");
  const std::vector<CheckedLine> after = check(harvest, "second");
  CHECK(line_of(after, "https://good.herd/one").is_from_store);
  CHECK(line_of(after, "https://good.herd/one").harvest.title == "Page One again");
  CHECK(run_linkherd(folder.path(), {"store", "verify", "--store", "second"}).exit_code == 0);
}

TEST_CASE("a WARC export has no secrets and conflicting options are refused") {
  TempDir folder;
  SmallInternet internet;
  Page page = html_page("<title>Page One</title>");
  page.headers.emplace_back("Set-Cookie", "id=cookie-of-mine");
  page.headers.emplace_back("X-Echo", "token-of-mine");
  internet.host("good.herd").page("/one", page);
  folder.write("list.md", "[Page One](https://good.herd/one)\n");
  const ProgramResult checked = run_linkherd(
      folder.path(), check_arguments(internet, {"--store", "store", "--header", "X-Token: token-of-mine", "list.md"}));
  CHECK(checked.exit_code == 0);
  const std::vector<std::string> words{"export", "--store", "store", "--format", "warc", "-o", "x.warc"};
  CHECK(run_linkherd(folder.path(), words).exit_code == 0);
  const std::string file = read_file(folder / "x.warc");
  CHECK(holds(file, "set-cookie: ***\r\n"));
  CHECK(holds(file, "x-echo: ***\r\n"));
  CHECK_FALSE(holds(file, "of-mine"));

  const auto refused = [&folder](std::vector<std::string> more) {
    more.insert(more.begin(), {"export", "--store", "store"});
    return run_linkherd(folder.path(), more).exit_code == 3;
  };
  std::filesystem::create_symlink("new.warc.gz", folder / "link");
  for (const std::string& index : {std::string("new.warc.gz"), std::string("./new.warc.gz"), std::string("link"),
                                   (folder / "new.warc.gz").string()})
    CHECK(refused({"--format", "warc", "-o", "new.warc.gz", "--cdxj", index}));
  CHECK(refused({"--format", "warc", "-o", "link", "--cdxj", "new.warc.gz"}));
  CHECK_FALSE(std::filesystem::exists(folder / "new.warc.gz"));
  CHECK(refused({"--format", "warc", "-o", "x.warc", "--cdxj", "./x.warc"}));
  CHECK(read_file(folder / "x.warc") == file);
  CHECK(refused({"--history"}));
  CHECK(refused({"--format", "warc", "--cdxj", "x.cdxj"}));
  CHECK(refused({"--cdxj", "x.cdxj", "-o", "x.json"}));
  CHECK(refused({"--format", "warc", "-o", "x.warc", "--cdxj", "store/x.cdxj"}));
  CHECK(refused({"--format", "warc", "--warc-version", "2.0"}));
}

TEST_CASE("other tools read the exported WARC") {
  const std::string warcio = find_program("warcio");
  const std::string bsdtar = find_program("bsdtar");
  if (warcio.empty()) MESSAGE("skipped: warcio is not installed");
  if (bsdtar.empty()) MESSAGE("skipped: bsdtar is not installed (Debian: libarchive-tools)");
  if (warcio.empty() && bsdtar.empty()) return;
  TempDir folder;
  SmallInternet internet;
  internet.host("good.herd")
      .page("/one", html_page("<title>One</title>"))
      .page("/two", html_page("<title>One</title>"));
  folder.write("list.md", "[one](https://good.herd/one) [two](https://good.herd/two) [gone](https://good.herd/gone)\n");
  run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--bodies", "all", "list.md"}));
  for (const char* version : {"1.0", "1.1"}) {
    const ProgramResult exported =
        run_linkherd(folder.path(), {"export", "--store", "store", "--format", "warc", "--warc-version", version, "-o",
                                     std::string(version) + ".warc.gz"});
    REQUIRE(exported.exit_code == 0);
  }
  if (!bsdtar.empty()) {  // bsdtar supports only version 1.0, and only response records
    const ProgramResult listed = run_in(folder.path(), bsdtar, {"-tf", "1.0.warc.gz"});
    CAPTURE(listed.err);
    CHECK(listed.exit_code == 0);
    CHECK(count_lines(listed.out) == 2);
  }
  if (warcio.empty()) return;
  for (const char* file : {"1.0.warc.gz", "1.1.warc.gz"}) {
    const ProgramResult checked = run_in(folder.path(), warcio, {"check", "-v", file});
    CAPTURE(checked.out);
    CHECK(checked.exit_code == 0);
    CHECK(holds(checked.out, "digest pass"));
    CHECK(holds(checked.out, "(revisit)"));
  }
}

TEST_CASE("an archive of wget gives the same verdicts as the network") {
  const std::string wget = find_program("wget");
  if (wget.empty()) {
    MESSAGE("skipped: wget is not installed");
    return;
  }
  PlantedLists planted;
  const std::vector<CheckedLine> live = planted.check_network();
  std::string urls;
  for (const CheckedLine& line : live) {
    if (line.status != 0) urls.append(line.url).append(1, '\n');
  }
  planted.folder.write("urls", urls);
  const WayIn proxy(planted.internet);
  const ProgramResult fetched = run_in(
      planted.folder.path(), wget,
      {"--no-config", "--quiet", "--tries=1", "--timeout=10", "--no-hsts", "--max-redirect=20", "--delete-after",
       "--ca-certificate=" + planted.internet.ca_file(), "-e", "use_proxy=yes", "-e", "http_proxy=" + proxy.address(),
       "-e", "https_proxy=" + proxy.address(), "--content-on-error", "--warc-file=wget", "--input-file=urls"});
  CAPTURE(fetched.err);
  const std::vector<CheckedLine> archived = planted.check_archive("wget.warc.gz");
  std::size_t evaluated = 0;
  for (const CheckedLine& before : live) {
    const CheckedLine& after = line_of(archived, before.url);
    if (after.reason == "not_in_archive") continue;
    CAPTURE(before.url);
    CAPTURE(before.health + " " + before.reason + "; then " + after.health + " " + after.reason);
    ++evaluated;
    CHECK(is_same(before, after));
  }
  CHECK(evaluated > live.size() / 2);
}

TEST_CASE("a damaged archive is named and used up to the damage and a file that is none is refused") {
  const TempDir folder;
  const std::string there =
      response_record("one", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>One</title><p>yesterday</p>");
  const std::string gone = response_record("gone", "HTTP/1.1 404 Not Found\r\n\r\n");
  folder.write("crawl/a.warc.gz", gzip_compress(there) + "rubbish" + gzip_compress(gone));
  folder.write("crawl/b.warc", gone.substr(0, 100));
  folder.write("list.md", "[One](https://a.cn/one) [Gone](https://a.cn/gone) [Other](https://a.cn/other)\n");
  const std::vector<std::string> words{"check", "--offline", "--format", "jsonl", "list.md", "--from-warc"};
  const auto check = [&](const std::string& archive) {
    std::vector<std::string> all = words;
    all.push_back(archive);
    return run_linkherd(folder.path(), all);
  };
  const ProgramResult damaged = check("crawl/a.warc.gz");
  CHECK(damaged.exit_code == 2);
  CHECK(holds(damaged.err, fmt::format("crawl/a.warc.gz: record at offset {}: ", gzip_compress(there).size())));
  const std::vector<CheckedLine> lines = checked_lines(damaged.out);
  CHECK(line_of(lines, "https://a.cn/one").health == "alive");
  CHECK(line_of(lines, "https://a.cn/gone").health == "dead");
  CHECK(line_of(lines, "https://a.cn/gone").evidence == "HTTP 404: no such page. Archived at 2024-01-02T03:04:05Z.");
  CHECK(line_of(lines, "https://a.cn/other").reason == "not_in_archive");
  CHECK_FALSE(std::filesystem::exists(folder / ".linkherd"));
  folder.write("crawl/c.warc", "");
  const ProgramResult whole_folder = check("crawl");
  CHECK(whole_folder.exit_code == 2);
  CHECK(whole_folder.out == damaged.out);
  for (const char* file : {"crawl/b.warc", "crawl/c.warc"})
    CHECK(holds(whole_folder.err, std::string(file) + " is not a WARC file"));
  CHECK(check("crawl/b.warc").exit_code == 1);
  folder.write("nothing/b.warc", gone.substr(0, 100));
  const ProgramResult no_response = check("nothing");
  CHECK(no_response.exit_code == 1);
  CHECK(holds(no_response.err, "nothing/b.warc is not a WARC file"));
  CHECK(check("list.md").exit_code == 1);
  CHECK(check("missing").exit_code == 1);
  CHECK(run_linkherd(folder.path(), {"check", "--from-warc", "crawl/a.warc.gz", "list.md"}).exit_code == 3);

  const ProgramResult metadata = run_linkherd(folder.path(), {"metadata", "crawl/a.warc.gz"});
  CHECK(metadata.exit_code == 1);
  CHECK(
      holds(metadata.out, R"("url":"https://a.cn/one","offset":0,"archived_at":"2024-01-02T03:04:05Z","title":"One")"));
  CHECK(holds(last_line(metadata.err), "record at offset"));

  folder.write("other.warc", there + response_record("x", "no HTTP"));
  folder.write("old.arc.gz", gzip_compress("filedesc://x 0.0.0.0 20010101000000 text/plain 20\n"));
  const ProgramResult several =
      run_linkherd(folder.path(), {"metadata", "other.warc", "crawl/a.warc.gz", "crawl/c.warc", "old.arc.gz"});
  CHECK(several.exit_code == 1);
  CHECK(count_lines(several.out) == 2);
  CHECK(holds(several.err, fmt::format("other.warc: record at offset {}: it contains no HTTP response", there.size())));
  CHECK(holds(several.err, fmt::format("crawl/a.warc.gz: record at offset {}: ", gzip_compress(there).size())));
  CHECK(holds(several.err, "crawl/c.warc is not a WARC file (and 1 more)"));
  CHECK(holds(run_linkherd(folder.path(), {"metadata", "old.arc.gz"}).err, "old.arc.gz is an ARC file"));
}

TEST_CASE("no verdict depends on a soft-404 probe that the archive lacks") {
  const TempDir folder;
  folder.write("x.warc",
               response_record("project", "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n") +
                   response_record(
                       "", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>The Project</title><p>Text</p>"));
  folder.write("list.md", "[The Project](https://a.cn/project)\n");
  const ProgramResult checked =
      run_linkherd(folder.path(), {"check", "--offline", "--from-warc", "x.warc", "--format", "jsonl", "list.md"});
  CHECK(checked.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(checked.out);
  CHECK(line_of(lines, "https://a.cn/project").health == "redirected");
  CHECK(line_of(lines, "https://a.cn/project").harvest.title == "The Project");
}
