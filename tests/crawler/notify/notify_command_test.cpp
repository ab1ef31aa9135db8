#include "crawler/notify/notify_command.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

using Words = std::vector<std::string>;

bool never() { return false; }

// Returns the failure of a shell script, or an empty string.
std::string failure_of(const std::string& script, const std::string& text,
                       std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  const Result<void> ran = run_notify_command({"sh", "-c", script}, {{"LINKHERD_NEW", "2"}}, text, never, timeout);
  return ran.has_error() ? ran.error().message : std::string();
}

}  // namespace

TEST_CASE("a notify command is split into words without a shell") {
  CHECK(split_command("mail -s 'Broken links' me@a.cn").value() == Words{"mail", "-s", "Broken links", "me@a.cn"});
  CHECK(split_command(R"(  a\ b "c \" d" e''f ''  )").value() == Words{"a b", "c \" d", "ef", ""});
  CHECK(split_command("a ; b | $c *").value() == Words{"a", ";", "b", "|", "$c", "*"});
  for (const char* const bad : {"", "   ", "''", "a 'b", "a \"b", "a \\"}) {
    CAPTURE(bad);
    CHECK(split_command(bad).has_error());
  }
}

TEST_CASE("a notify program gets the report and the counts and its exit code decides success") {
  const tests::TempDir folder;
  const std::string seen = (folder / "seen").string();
  const std::string long_text(200'000, 'x');
  CHECK(failure_of("cat > " + seen + "; echo \"$LINKHERD_NEW\" >> " + seen, long_text) == "");
  CHECK(tests::read_file(seen) == long_text + "2\n");
  CHECK(failure_of("exit 0", long_text) == "");  // does not read its input
  CHECK(failure_of("echo one; echo two >&2; exit 3", "") == "sh ended with exit code 3: two");
  CHECK(failure_of("kill -9 $$", "") == "sh was terminated by signal 9");
  CHECK(failure_of("kill -PIPE $$", "") == "sh was terminated by signal 13");
}

TEST_CASE("a notify program gets no secret of the environment") {
  const tests::TempDir folder;
  const std::string seen = (folder / "seen").string();
  for (const char* const name : {"GITHUB_TOKEN", "LINKHERD_WEBHOOK_SECRET", "LINKHERD_BROKER", "GITHUB_TOKENS"})
    setenv(name, "s3cret", 1);  // NOLINT(concurrency-mt-unsafe): one thread
  const std::string failure = failure_of("env | grep s3cret > " + seen, "");
  for (const char* const name : {"GITHUB_TOKEN", "LINKHERD_WEBHOOK_SECRET", "LINKHERD_BROKER", "GITHUB_TOKENS"})
    unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  CHECK(failure == "");
  CHECK(tests::read_file(seen) == "GITHUB_TOKENS=s3cret\n");
}

TEST_CASE("a notify program that floods or hangs or does not exist is ended and reported") {
  CHECK(failure_of("head -c 20000000 /dev/zero; echo; echo end; exit 1", "") == "sh ended with exit code 1: end");
  CHECK(failure_of("sleep 600 & wait", "", std::chrono::milliseconds(200)) == "sh took longer than 0 s");
  CHECK(failure_of("exec >&- 2>&-; exec sleep 600", "", std::chrono::milliseconds(200)) == "sh took longer than 0 s");
  const Result<void> none = run_notify_command({"./no-such-program"}, {}, "", never);
  CHECK(none.error().message == "cannot start ./no-such-program: No such file or directory");
  const Result<void> stopped = run_notify_command({"sleep", "600"}, {}, "", [] { return true; });
  CHECK(stopped.error().message == "sleep was stopped together with this run");
}
