// Tests reading lists from files, folders, globs and stdin: what is read, what is skipped, what is an error.
#include "crawler/sources/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/crawler/sources/test_folder.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd;
using namespace linkherd::crawler;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

SourceList sources(const std::vector<std::string>& inputs, const SourceOptions& options = {}) {
  return read_sources(inputs, options);
}

Names names(const SourceList& list) {
  Names result;
  for (const InputDocument& document : list.documents) result.push_back(document.file);
  return result;
}

std::string joined(const Names& list) {
  std::string text;
  for (const std::string& name : list) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string read_names(const std::vector<std::string>& inputs) { return joined(names(sources(inputs))); }

std::string error_of(const std::vector<std::string>& inputs, const SourceOptions& options = {}) {
  try {
    sources(inputs, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

bool is_root() { return ::geteuid() == 0; }

}  // namespace

TEST_CASE("named files are read in input order and only once each") {
  const TestFolder folder;
  folder.write("b.md");
  folder.write("a.html", "<a href=x>");
  folder.write("data.tsv");
  fs::create_symlink("b.md", "link.md");
  const SourceList list =
      sources({"b.md", "./a.html", "data.tsv", "b.md", "link.md", (folder.path() / "b.md").string()});
  CHECK(joined(names(list)) == "b.md a.html data.tsv");
  CHECK(list.documents[0].format == parser::DocumentFormat::markdown);
  CHECK(list.documents[1].format == parser::DocumentFormat::html);
  CHECK(list.documents[2].format == parser::DocumentFormat::csv);
  CHECK(list.documents[0].text == "https://x.org\n");
}

TEST_CASE("files below the current folder get relative names") {
  const TestFolder folder;
  folder.write("in/a.md");
  folder.write("out/b.md");
  fs::current_path(folder.path() / "in");
  CHECK(read_names({(folder.path() / "in/a.md").string(), "../out/b.md", "../out"}) == "a.md ../out/b.md");
}

TEST_CASE("an empty file is a list without links") {
  const TestFolder folder;
  folder.write("empty.md", "");
  const SourceList list = sources({"empty.md"});
  REQUIRE(list.documents.size() == 1);
  CHECK(list.documents[0].text.empty());
}

TEST_CASE("texts are decoded") {
  const TestFolder folder;
  folder.write("bom.txt", "\xEF\xBB\xBFhttps://x.org");
  folder.write("gbk.txt",
               "\xD6\xD0\xCE\xC4\xC1\xD0\xB1\xED\xA3\xBA "
               "https://x.org/1\n\xD6\xD0\xCE\xC4\xB5\xC4\xD5\xE2\xD2\xBB\xD0\xD0 https://x.org/2\n");
  folder.write("broken.txt", "https://x.org/a\xFF https://x.org/b");
  const SourceList list = sources({"bom.txt", "gbk.txt", "broken.txt"});
  CHECK(list.documents[0].text == "https://x.org");
  CHECK(list.documents[1].text.starts_with("中文列表："));
  CHECK(parser::extract_links({"", list.documents[2].text, list.documents[2].format}, {}).size() == 2);
}

TEST_CASE("files with non-UTF-8 names have different names in reports") {
  const TestFolder folder;
  folder.write("\xFF.md", "https://x.org/1");
  folder.write("\xFE\x80图.md", "https://x.org/2");
  const SourceList list = sources({"\xFF.md", "\xFE\x80图.md"});
  REQUIRE(list.documents.size() == 2);
  CHECK(list.documents[0].file == "\\xFF.md");
  CHECK(list.documents[1].file == "\\xFE\\x80图.md");
}

TEST_CASE("a folder outside a repository is walked by gitignore rules") {
  const TestFolder folder;
  for (const char* name : {"b.md", "a/c.txt", "a/deep/d.html", "a/e.markdown", "a/f.HTM", "a/g.mkd", "a/h.mdown"})
    folder.write(name);
  for (const char* name : {"no.tsv", "no.json", "no.yaml", ".git-like/no.md", ".hidden/no.md", "ignored/no.md",
                           "a/no.md", "a/deep/x.md"}) {
    folder.write(name);
  }
  folder.write(".gitignore", "ignored/\n/a/no.md\n");
  folder.write("a/.gitignore", "x.md\n");
  CHECK(read_names({"."}) == "a/c.txt a/deep/d.html a/e.markdown a/f.HTM a/g.mkd a/h.mdown b.md");
  CHECK(read_names({"a/deep/"}) == "a/deep/d.html a/deep/x.md");
  CHECK(read_names({"ignored/no.md"}) == "ignored/no.md");
}

TEST_CASE("a folder in a repository yields its tracked lists") {
  const TestFolder folder;
  for (const char* name : {"b.md", "lists/a.md", "lists/z.txt", "lists-too/c.md", "new/untracked.md"})
    folder.write(name);
  folder.write("lists/untracked.md");
  folder.write("lists/data.csv");
  folder.track({"b.md", "lists/a.md", "lists/z.txt", "lists/data.csv", "lists-too/c.md"});
  CHECK(read_names({"."}) == "b.md lists/a.md lists/z.txt lists-too/c.md");
  CHECK(read_names({"lists"}) == "lists/a.md lists/z.txt");
  CHECK(read_names({"lists/untracked.md"}) == "lists/untracked.md");
  // Git does not track any file of this folder, so the folder itself is read.
  CHECK(read_names({"new"}) == "new/untracked.md");
}

TEST_CASE("deleted tracked files are skipped") {
  const TestFolder folder;
  folder.write("a.md");
  folder.write("b.md");
  folder.track({"a.md", "b.md"});
  fs::remove("a.md");
  const SourceList list = sources({"."});
  CHECK(joined(names(list)) == "b.md");
  CHECK(joined(list.skipped) == "a.md: does not exist");
}

TEST_CASE("nothing that a repository configures is executed") {
  const TestFolder folder;
  folder.write("a.md");
  folder.track({"a.md"});
  std::ofstream(folder.path() / ".git/config", std::ios::app)
      << "[core]\n\tfsmonitor = touch ran\n\tsshCommand = touch ran\n\tpager = touch ran\n[filter \"x\"]\n\tsmudge = "
         "touch ran\n\tclean = touch ran\n";
  folder.write(".gitattributes", "*.md filter=x\n");
  CHECK(read_names({"."}) == "a.md");
  CHECK_FALSE(fs::exists("ran"));
}

TEST_CASE("an unreadable repository is read as a plain folder") {
  const TestFolder folder;
  folder.write("a.md");
  folder.track({"a.md"});
  folder.write(".git/index", "no index");
  CHECK(read_names({"."}) == "a.md");
  folder.write(".git/config", "[broken");
  CHECK(read_names({"."}) == "a.md");
}

TEST_CASE("a repository with a pipe instead of a file is read as a plain folder") {
  for (const char* file : {".git/index", ".git/config"}) {
    CAPTURE(file);
    const TestFolder folder;
    folder.write("a.md");
    folder.track({"a.md"});
    fs::remove(file);
    ::mkfifo(file, 0600);
    folder.write("b.md");
    CHECK(read_names({"."}) == "a.md b.md");
  }
}

TEST_CASE("symbolic links in folders are not followed") {
  const TestFolder folder;
  folder.write("a/b.md");
  fs::create_directory_symlink("..", "a/up");
  fs::create_symlink("b.md", "a/link.md");
  fs::create_symlink("nowhere", "a/broken.md");
  CHECK(read_names({"."}) == "a/b.md");
  CHECK(read_names({"**/*.md"}) == "a/b.md");
  fs::create_symlink("loop.md", "loop.md");
  const SourceList circle = sources({"loop.md"});
  REQUIRE(circle.unread.size() == 1);
  CHECK(circle.unread[0].starts_with("loop.md cannot be read: "));
}

TEST_CASE("globs match files as shells do") {
  const TestFolder folder;
  for (const char* name :
       {"a.md", "b.md", "c.txt", "x/a.md", "x/y/a.md", "x/y/z/b.md", "x/.h/a.md", ".dot.md", "x/data.tsv"})
    folder.write(name);
  struct Row {
    std::string pattern;
    std::string files;
  };
  const std::vector<Row> rows{{"*.md", "a.md b.md"},
                              {"?.md", "a.md b.md"},
                              {"[ac].*", "a.md c.txt"},
                              {"x/*", "x/a.md x/data.tsv"},
                              {"**/a.md", "a.md x/a.md x/y/a.md"},
                              {"x/**/*.md", "x/a.md x/y/a.md x/y/z/b.md"},
                              {"x/**/**/b.md", "x/y/z/b.md"},
                              {"x/**", "x/a.md x/data.tsv x/y/a.md x/y/z/b.md"},
                              {"*/y/*.md", "x/y/a.md"},
                              {"./*.txt", "c.txt"},
                              {"{a,c}.*", "a.md c.txt"},
                              {"{a,b}.md", "a.md b.md"},
                              {"{c.txt,x/{a,none}.md}", "c.txt x/a.md"},
                              {"x/{,y/}a.md", "x/a.md x/y/a.md"},
                              {"**/{a,b}.{md,txt}", "a.md b.md x/a.md x/y/a.md x/y/z/b.md"},
                              {".*.md", ".dot.md"}};
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CHECK(read_names({row.pattern}) == row.files);
  }
  CHECK(read_names({(folder.path() / "x" / "*.md").string()}) == "x/a.md");
  CHECK(sources({"*.nothing"}).unread ==
        Names{"*.nothing matches no document: check the pattern, and quote it so that the shell does not expand it"});
  folder.write("[a].md");
  CHECK(read_names({"[a].md"}) == "[a].md");
}

TEST_CASE("standard input is read once") {
  std::istringstream input("see https://x.org");
  SourceOptions options;
  options.stdin_stream = &input;
  const SourceList list = sources({"-", "-"}, options);
  REQUIRE(list.documents.size() == 1);
  CHECK(list.documents[0].file == "-");
  CHECK(list.documents[0].text == "see https://x.org");
  CHECK(error_of({"-"}).find("no standard input") != std::string::npos);
}

TEST_CASE("an unreadable input is a one-line error that names it") {
  const TestFolder folder;
  folder.write("image.md", std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16));
  folder.write("a.md/c.txt");
  fs::create_directory("empty");
  folder.write("data/x.json");
  ::mkfifo("pipe.md", 0600);
  struct Row {
    std::string input;
    std::string error;
  };
  const std::vector<Row> rows{
      {"missing.md", "missing.md does not exist: pass an existing file or folder, or a glob that matches one"},
      {"a.md/c.txt/d", "a.md/c.txt/d does not exist: pass an existing file or folder, or a glob that matches one"},
      {"", "an input is an empty string: pass a file or folder, or leave the input out"},
      {"https://x.org/list.md",
       "https://x.org/list.md is on the web: only `linkherd check` without --offline reads such documents"},
      {"https://[x/list.md", "https://[x/list.md is not a valid URL: the host \"[x\" has no closing bracket"}};
  for (const Row& row : rows) {
    CAPTURE(row.input);
    CHECK(error_of({row.input}) == row.error);
  }
}

TEST_CASE("a folder without lists is named and the other inputs are read") {
  const TestFolder folder;
  fs::create_directory("empty");
  folder.write("data/x.json");
  folder.write("a.md");
  const std::string why =
      " contains no readable document (.md, .html, .txt): pass a file by name; it is read whatever its extension";
  const SourceList list = sources({"empty", "data/", "a.md"});
  CHECK(joined(names(list)) == "a.md");
  CHECK(list.unread == Names{"empty" + why, "data" + why});
}

TEST_CASE("an unreadable file or binary file is named and the others are read") {
  const TestFolder folder;
  folder.write("image.md", std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16));
  folder.write("a.md");
  ::mkfifo("pipe.md", 0600);
  const SourceList list = sources({"image.md", "pipe.md", "/dev/null", "a.md"});
  CHECK(joined(names(list)) == "a.md");
  CHECK(list.unread == Names{"image.md is not a text file: pass a document in Markdown, HTML or plain text",
                             "pipe.md is a pipe, not a regular file", "/dev/null is a device, not a regular file"});
}

TEST_CASE("missing inputs are skipped on request") {
  const TestFolder folder;
  folder.write("a.md");
  fs::create_symlink("nowhere", "broken.md");
  SourceOptions options;
  options.skip_missing = true;
  const SourceList list = sources({"gone.md", "gone/[x].md", "broken.md", "a.md"}, options);
  CHECK(joined(names(list)) == "a.md");
  CHECK(list.skipped ==
        Names{"gone.md: does not exist", "gone/[x].md: matches no document", "broken.md: does not exist"});
  CHECK(list.unread.empty());
}

TEST_CASE("a gitignore that is huge or no regular file neither blocks nor takes memory") {
  const TestFolder folder;
  for (const char* name : {"pipe/a.md", "pipe/sub/b.md", "huge/c.md", "device/d.md", "fine/e.md", "fine/no.md"}) {
    folder.write(name);
  }
  folder.write(".gitignore", "no.md\n");
  ::mkfifo("pipe/.gitignore", 0600);
  folder.write("huge/.gitignore");
  fs::resize_file("huge/.gitignore", std::uintmax_t{1} << 40U);
  fs::create_symlink("/dev/zero", "device/.gitignore");
  const SourceList list = sources({"."});
  CHECK(joined(names(list)) == "device/d.md fine/e.md huge/c.md pipe/a.md pipe/sub/b.md");
  Names skipped = list.skipped;
  std::ranges::sort(skipped);
  CHECK(skipped == Names{"./device/.gitignore: is a device, not a regular file",
                         "./huge/.gitignore: is larger than 1 MB: split it",
                         "./pipe/.gitignore: is a pipe, not a regular file"});
  CHECK(read_names({"pipe"}) == "pipe/a.md pipe/sub/b.md");
}

TEST_CASE("binary files and pipes in folders are skipped") {
  const TestFolder folder;
  folder.write("a.md");
  folder.write("image.txt", std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16));
  ::mkfifo("pipe.md", 0600);
  const SourceList list = sources({"."});
  CHECK(joined(names(list)) == "a.md");
  CHECK(joined(list.skipped) == "image.txt: not a text file");
}

TEST_CASE("files above the size limit are reported") {
  const TestFolder folder;
  folder.write("a.md", std::string(3U << 20U, 'x'));
  folder.write("b.md");
  SourceOptions options;
  options.max_file_bytes = 2U << 20U;
  CHECK(sources({"a.md"}, options).unread == Names{"a.md is larger than 2 MB: split it"});
  const SourceList list = sources({"."}, options);
  CHECK(joined(names(list)) == "b.md");
  CHECK(list.unread == Names{"a.md: is larger than 2 MB: split it"});
  std::istringstream input(std::string(3U << 20U, 'x'));
  options.stdin_stream = &input;
  CHECK(error_of({"-"}, options) == "standard input is larger than 2 MB: split it");
}

TEST_CASE("lists above the total size limit are refused") {
  const TestFolder folder;
  for (const char* name : {"a.md", "b.md", "c.md"}) folder.write(name, std::string(1U << 20U, 'x'));
  SourceOptions options;
  options.max_text_bytes = 2U << 20U;
  CHECK(error_of({"."}, options) == "the documents up to c.md have more than 2 MB in total: check them in parts");
  options.max_text_bytes = 3U << 20U;
  CHECK(sources({"."}, options).lists == 3);
}

TEST_CASE("files without read permission are reported") {
  if (is_root()) return;  // root may read every file
  const TestFolder folder;
  folder.write("a.md");
  fs::permissions("a.md", fs::perms::none);
  CHECK(sources({"a.md"}).unread == Names{"a.md cannot be read (permission denied): change its permissions"});
}
