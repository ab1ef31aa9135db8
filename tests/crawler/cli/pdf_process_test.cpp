#include "crawler/cli/pdf_process.h"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>

#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

const Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();

bool has_children() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

}  // namespace

TEST_CASE("a PDF process is always ended and reaped" * doctest::test_suite("timing")) {
  const tests::TempDir folder;
  for (const char* what : {
           "exec sleep 600",                                      // says nothing
           "exec >&-; exec sleep 600",                            // closes its output and stays
           "echo '{\"title\":\"x\"}'; exec >&-; exec sleep 600",  // the same after an answer
           "exec yes",                                            // says too much
           "exit 1",
       }) {
    CAPTURE(what);
    folder.write("reader", std::string("#!/bin/sh\n") + what + "\n");
    std::filesystem::permissions(folder / "reader", std::filesystem::perms::owner_all);
    const auto started = std::chrono::steady_clock::now();
    const parser::PdfInfo facts = read_pdf_with((folder / "reader").string(), 300ms, "%PDF-1.4", now);
    CHECK_FALSE(facts.metadata.title.has_value());
    CHECK(facts.pages == 0);
    CHECK(std::chrono::steady_clock::now() - started < 60s);
    CHECK_FALSE(has_children());
  }
}

TEST_CASE("the facts that a PDF process writes count even if it fails later") {
  const tests::TempDir folder;
  struct Row {
    const char* script;
    std::size_t pages;
  };
  for (const auto& [script, pages] : {
           Row{"echo '{\"metadata\":{},\"pages\":7}'; kill -9 $$", 7},
           Row{"echo '{\"metadata\":{},\"pages\":7}'; printf '{\"metadata\":{},\"pa'; exit 1", 7},
           Row{"echo '{\"metadata\":{},\"pages\":7}'; echo '{\"metadata\":{},\"pages\":8}'", 8},
           Row{"printf '{\"metadata\":{},\"pages\":7}'", 0},  // not a whole line
       }) {
    CAPTURE(script);
    folder.write("reader", std::string("#!/bin/sh\n") + script + "\n");
    std::filesystem::permissions(folder / "reader", std::filesystem::perms::owner_all);
    CHECK(read_pdf_with((folder / "reader").string(), 60s, "%PDF-1.4", now).pages == pages);
  }
}

TEST_CASE("a PDF process gets no secret of linkherd") {
  const tests::TempDir folder;
  folder.write("reader", "#!/bin/sh\nenv > \"$(dirname \"$0\")/told\"\n");
  std::filesystem::permissions(folder / "reader", std::filesystem::perms::owner_all);
  const auto set = [](const char* name, const char* value) {
    setenv(name, value, 1);
  };  // NOLINT(concurrency-mt-unsafe): one thread
  set("GITHUB_TOKEN", "s3cret-token");
  set("LINKHERD_WEBHOOK_SECRET", "s3cret-of-webhook");
  set("LINKHERD_BROKER", "amqp://me:s3cret@broker.herd/");
  set("GITHUB_TOKENS", "another's");
  read_pdf_with((folder / "reader").string(), 60s, "%PDF-1.4", now);
  for (const char* const name : {"GITHUB_TOKEN", "LINKHERD_WEBHOOK_SECRET", "LINKHERD_BROKER", "GITHUB_TOKENS"})
    unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  const std::string environment = tests::read_file(folder / "told");
  CHECK(environment.find("s3cret") == std::string::npos);
  CHECK(environment.find("\nGITHUB_TOKENS=another's\n") != std::string::npos);
}
