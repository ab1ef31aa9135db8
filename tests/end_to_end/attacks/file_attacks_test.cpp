// Tests attacks through files of others: lists, pull requests, stores and archives.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/end_to_end/attacks/attack_family.h"
#include "tests/support/git_folder.h"
#include "tests/support/gzip_compress.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace fs = std::filesystem;

namespace {

using FileWords = std::vector<std::string>;

const std::string secret = "hunter2-of-the-machine";  // NOLINT(cert-err58-cpp)

// Returns all that a folder and the folders in it contain, in the same order on every machine.
std::vector<fs::path> sorted_paths(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

// A repository, and files outside of it that its pull requests must neither read nor write.
struct AttackedMachine {
  TempDir folder;
  fs::path outside = folder / "outside";
  fs::path repository = folder / "repository";

  AttackedMachine() {
    folder.write("outside/secret.md", "# " + secret + "\n[" + secret + "](https://" + secret + ".herd/)\n");
    folder.write("outside/secret.toml", "exclude = [\"" + secret + "\"]\nunknown_" + secret + " = 1\n");
    folder.write("repository/readme.md", "[a](https://a.herd/) [b](readme.md)\n");
  }
  std::string outside_now() const {
    std::string all;
    for (const fs::path& path : sorted_paths(outside))
      all += path.string() + "\n" + (fs::is_regular_file(path) ? read_file(path) : "");
    return all;
  }
};

bool quotes_secret(const ProgramResult& result) { return holds(result.out, secret) || holds(result.err, secret); }

std::string warc_record(const std::string& uri, const std::string& block, const std::string& more = {}) {
  return fmt::format(
      "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n{}"
      "Content-Length: {}\r\n\r\n{}\r\n\r\n",
      uri, more, block.size(), block);
}

}  // namespace

TEST_CASE("attacks: path traversal reads and writes no file outside the repository") {
  AttackFamily family("path traversal");
  AttackedMachine machine;
  const std::string before = machine.outside_now();
  std::string list;
  std::size_t links = 0;
  for (const char* const target :
       {"../outside/secret.md", "../outside/secret.md#x", "..%2foutside%2fsecret.md", "%2e%2e/outside/secret.md",
        "....//outside/secret.md", "..\\outside\\secret.md", "/etc/passwd", "file:///etc/passwd", "file://../outside",
        "/proc/self/environ", "/dev/zero", "/dev/stdin", "//../outside/secret.md", "readme.md/../../outside/secret.md",
        "/../../../../../../../../etc/passwd", "\\\\?\\C:\\x", "~/.ssh/id_rsa"}) {
    list += fmt::format("- [link]({})\n- ![image]({})\n<img src='{}'>\n", target, target, target);
    ++links;
  }
  machine.folder.write("repository/traversal.md", list);
  machine.folder.write("repository/traversal.html", list);
  machine.folder.write("repository/traversal.rst", ".. include:: ../outside/secret.md\n.. _x: ../outside/secret.md\n");
  machine.folder.write("repository/traversal.adoc", "include::../outside/secret.md[]\nlink:../outside/secret.md[x]\n");
  for (const char* const command : {"check", "links", "fix"}) {
    FileWords words{command, "traversal.md", "traversal.html", "traversal.rst", "traversal.adoc"};
    if (words.front() == "check") words.insert(words.end(), {"--offline", "--include-fragments=file", "--all"});
    if (words.front() == "fix") words.insert(words.end(), {"--offline"});
    const ProgramResult result = family.run(machine.repository, words, links);
    family.expect(!quotes_secret(result) && !holds(result.out, "root:"), "a file outside is quoted");
  }
  family.expect(machine.outside_now() == before, "a file outside was written");
}

TEST_CASE("attacks: symbolic links of a pull request expose and overwrite no file outside") {
  AttackFamily family("symbolic links", true);
  AttackedMachine machine;
  fs::create_symlink("../outside/secret.toml", machine.repository / "linkherd.toml");
  fs::create_symlink("../outside/secret.md", machine.repository / ".linkherdignore");
  fs::create_symlink("../outside/secret.md", machine.repository / ".lycheeignore");
  fs::create_symlink("../outside/secret.md", machine.repository / "linked.md");
  fs::create_symlink("../outside", machine.repository / "docs");
  fs::create_symlink("../outside", machine.repository / "linkherd");
  run_git(machine.repository, {"init", "-q"});
  run_git(machine.repository, {"add", "-A"});
  run_git(machine.repository, {"commit", "-q", "-m", "a pull request"});
  const std::string before = machine.outside_now();
  for (const FileWords& words :
       {FileWords{"check", "--offline"}, FileWords{"check", "--offline", "."},
        FileWords{"check", "--offline", "**/*.md"}, FileWords{"links"}, FileWords{"links", "."},
        FileWords{"check", "--offline", "--output", "linkherd/out.md"},
        FileWords{"check", "--offline", "--store", "linkherd/store"}, FileWords{"fix", "--offline"},
        FileWords{"init"}}) {
    const ProgramResult result = family.run(machine.repository, words);
    family.expect(!quotes_secret(result), fmt::format("{}: a file outside is quoted", fmt::join(words, " ")));
    family.expect(machine.outside_now() == before,
                  fmt::format("{}: a file outside was written", fmt::join(words, " ")));
  }
}

TEST_CASE("attacks: file names that look like options run no program") {
  AttackFamily family("file names as options", true);
  AttackedMachine machine;
  machine.folder.write("repository/evil.md", "notify = \"touch pwned\"\nchanges_only = true\n[a](gone.md)\n");
  for (const char* const name : {"-cevil.md", "--config=evil.md", "--notify=touch pwned.md", "-o.md", "--output=x.md",
                                 "-h.md", "--help.md", "-", "--", "-q.md", "@evil.md"}) {
    machine.folder.write(fmt::format("repository/{}", name), "[a](gone.md)\n");
    for (const char* const command : {"check", "links", "fix"}) {
      FileWords words{command};
      if (words.front() != "links") words.emplace_back("--offline");
      words.emplace_back(name);
      const ProgramResult result = family.run(machine.repository, words);
      family.expect(!fs::exists(machine.repository / "pwned"), fmt::format("{} ran a program", name));
    }
  }
}

TEST_CASE("attacks: hostile stores take bounded time and memory") {
  AttackFamily family("hostile stores");
  const TempDir folder;
  std::string list;
  for (int i = 0; i < 200; ++i) list += fmt::format("- [page {}](gone{}.md)\n", i, i);
  folder.write("list.md", list);
  SmallInternet internet;
  internet.host("a.herd").default_page(html_page("<title>A page</title><p>With words.</p>"));
  std::string web;
  for (int i = 0; i < 50; ++i) web += fmt::format("- [page](https://a.herd/{})\n", i);
  folder.write("web.md", web);
  const FileWords filling = check_arguments(internet, {"--store", "store", "web.md", "list.md"});
  run_linkherd(folder.path(), filling);
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const fs::path copy = folder / fmt::format("damaged{}", round);
    fs::copy(folder / "store", copy, fs::copy_options::recursive);
    for (const fs::path& file : sorted_paths(copy)) {
      if (!fs::is_regular_file(file) || random() % 2 == 0) continue;
      std::string bytes = read_file(file);
      if (bytes.empty()) continue;
      for (auto n = random() % 20 + 1; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (random() % 4 == 0) bytes.resize(random() % bytes.size());
      std::ofstream(file, std::ios::binary) << bytes;
    }
    const std::string store = copy.string();
    for (const FileWords& words :
         {FileWords{"report", "--store", store}, FileWords{"report", "--store", store, "--format", "json"},
          FileWords{"store", "verify", "--store", store}, FileWords{"export", "--store", store},
          FileWords{"history", "--store", store, "https://a.herd/1"}, FileWords{"runs", "--store", store}})
      family.run(folder.path(), words);
    fs::remove_all(copy);
  }
}

TEST_CASE("attacks: hostile archives take bounded time and memory") {
  AttackFamily family("hostile archives");
  const TempDir folder;
  const std::string page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>";
  folder.write("list.md", "[a](https://a.herd/)\n");
  std::string versions = "WARC/1.0\r\n";
  while (versions.size() < 400'000) versions += "WARC/1.0\r\n";
  std::string fields;
  for (int i = 0; i < 100'000; ++i) fields += fmt::format("X-{}: y\r\n", i);
  const std::string zeros(std::size_t{256} << 20, '\0');
  const std::vector<std::pair<std::string, std::string>> archives{
      {"versions.warc", versions},
      {"fields.warc", warc_record("https://a.herd/", page, fields)},
      {"length.warc", "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999999999999\r\n\r\n"},
      {"negative.warc", "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -1\r\n\r\n"},
      {"target.warc", warc_record("file:///etc/passwd", page) + warc_record("https://a.herd/\x1b[2J", page)},
      {"gzip_bomb.warc.gz", gzip_compress(warc_record("https://a.herd/", page + zeros))},
      {"bomb_in_page.warc", warc_record("https://a.herd/",
                                        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                                        "Content-Type: text/html\r\n\r\n" +
                                            gzip_compress(zeros))},
      {"chunks.warc", warc_record("https://a.herd/",
                                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "FFFFFFFFFFFFFFFF\r\nx")},
      {"empty.warc.gz", ""},
      {"members.warc.gz",
       [] {
         std::string all;
         for (int i = 0; i < 20'000; ++i) all += gzip_compress("");
         return all;
       }()},
  };
  for (const auto& [name, bytes] : archives) {
    folder.write(name, bytes);
    family.run(folder.path(), {"check", "--no-store", "--offline", "--from-warc", name, "list.md"});
  }
}
