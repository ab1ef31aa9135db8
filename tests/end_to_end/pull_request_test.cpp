// Tests hostile pull requests: file names that look like options, and symbolic links that lead out of the repository.
// Neither may run, show or overwrite anything.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/git_folder.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace fs = std::filesystem;

namespace {

// A repository with a link in docs/guide.md, and a folder outside whose files must not be read or overwritten.
struct Workspace {
  TempDir outside;
  GitFolder repository;

  Workspace() {
    outside.write("secret.md", "[s3cret](gone.md)\n");
    outside.write("secret.toml", "s3cret s3cret\n");
    outside.write("secret_patterns", "s3cret(\n");
    outside.write("victim", "untouched");
    repository.write("docs/guide.md", "# Guide\n\n[guide](#guide)\n");
    repository.commit("Begin");
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_directories((repository / name).parent_path());
    fs::create_symlink(outside / target, repository / name);
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_linkherd(repository.path(), words); }
};

const std::string leads_out = "points outside the repository";

void expect_refused(const ProgramResult& result, int exit_code) {
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(holds(result.err, leads_out));
  CHECK_FALSE(holds(result.out + result.err, "s3cret"));
}

}  // namespace

TEST_CASE("a file name that looks like an option is refused unless it follows --") {
  const TempDir folder;
  folder.write("evil.md", "notify = \"touch pwned\"\nchanges_only = true\n");
  const std::vector<std::string> names{"-cevil.md",  "--config=evil.md",  "-qcevil.md",           "-oevil.md",
                                       "-qoevil.md", "--no-such=evil.md", "--notify=touch pwned", "-c",
                                       "--"};
  for (const std::string& name : names) folder.write(name, "[gone](gone.md)\n");
  for (const std::string& name : names) {
    if (name == "--") continue;  // "--" ends the options
    for (const char* command : {"check", "links", "fix", "metadata", "report", "url", "export", "init", "help"}) {
      CAPTURE(name);
      CAPTURE(command);
      const ProgramResult result = run_linkherd(folder.path(), {command, name, "evil.md"});
      CHECK(result.exit_code == 3);
      CHECK(result.err == "linkherd: " + name +
                              " looks like an option but is the name of a file: write -- before file names, or ./" +
                              name + "\n");
      CHECK(result.out.empty());
    }
    const ProgramResult named = run_linkherd(folder.path(), {"links", "--", name});
    CAPTURE(named.err);
    CHECK(named.exit_code == 0);
    const ProgramResult with_folder = run_linkherd(folder.path(), {"links", "./" + name});
    CHECK(with_folder.exit_code == 0);
    CHECK(with_folder.out == named.out);
    if (name.ends_with(".md")) CHECK(holds(named.out, "gone.md"));
  }
  CHECK(run_linkherd(folder.path(), {"-cevil.md", "check", "evil.md"}).exit_code == 3);
  folder.write("sub/a.md", "[gone](gone.md)\n");
  fs::create_directory(folder / "--notify=touch pwned by");
  folder.write("--notify=touch pwned by/a.md", "");
  CHECK(run_linkherd(folder.path(), {"check", "--notify=touch pwned by/a.md", "sub/a.md"}).exit_code == 3);
  CHECK_FALSE(fs::exists(folder / "pwned"));
  CHECK(run_linkherd(folder.path(), {"check", "--offline", "--no-store", "sub/a.md"}).exit_code == 2);
}

TEST_CASE("settings behind a symbolic link out of the repository are refused and not quoted") {
  for (const char* const name : {"linkherd.toml", ".linkherdignore", ".lycheeignore"}) {
    CAPTURE(name);
    const Workspace workspace;
    workspace.link(name, std::string(name) == "linkherd.toml" ? "secret.toml" : "secret_patterns");
    const ProgramResult refused = workspace.run({"check", "--offline", "--no-store"});
    expect_refused(refused, 3);
    CHECK(holds(refused.err, "replace it with a copy"));
    const ProgramResult below =
        run_linkherd(workspace.repository / "docs", {"check", "--offline", "--no-store", "guide.md"});
    expect_refused(below, 3);
  }
  // A file named on the command line is read even if it is a link to another folder.
  const Workspace workspace;
  workspace.outside.write("settings.toml", "skip_missing = true\n");
  workspace.link("linkherd.toml", "settings.toml");
  const ProgramResult named =
      workspace.run({"check", "--offline", "--no-store", "--config", "linkherd.toml", "docs", "missing.md"});
  CAPTURE(named.err);
  CHECK(named.exit_code == 0);
  // A link to a file inside the repository is harmless.
  fs::remove(workspace.repository / "linkherd.toml");
  workspace.repository.write("ci/settings.toml", "skip_missing = true\n");
  fs::create_symlink("ci/settings.toml", workspace.repository / "linkherd.toml");
  CHECK(workspace.run({"check", "--offline", "--no-store", "docs", "missing.md"}).exit_code == 0);
}

TEST_CASE("init does not quote settings of other checkers behind a symbolic link out of the repository") {
  for (const char* const name : {"lychee.toml", ".lycheeignore", ".markdown-link-check.json", ".htmlproofer.yml"}) {
    CAPTURE(name);
    const Workspace workspace;
    workspace.link(name, "secret.toml");
    expect_refused(workspace.run({"init", "--dry-run"}), 3);
  }
  const Workspace workspace;
  fs::create_directories(workspace.repository / ".github");
  workspace.outside.write("workflows/s3cret.yml", "htmlproofer\n");
  workspace.link(".github/workflows", "workflows");
  const ProgramResult result = workspace.run({"init", "--dry-run"});
  CHECK_FALSE(holds(result.out + result.err, "s3cret"));
}

TEST_CASE("globs and folders read nothing behind symbolic links out of the repository") {
  const Workspace workspace;
  const GitFolder& repository = workspace.repository;
  workspace.outside.write("sub/deep.md", "[s3cret](deep.md)\n");
  workspace.link("stolen.md", "secret.md");
  workspace.link("docs/linked", "sub");
  fs::create_symlink("docs/guide.md", repository / "inner.md");
  repository.write(".git/secret.md", "[s3cret](deep.md)\n");  // files of git are treated as outside
  fs::create_symlink(".git/secret.md", repository / "kept.md");
  fs::create_directory_symlink("../.git", repository / "docs/kept");
  for (const char* const pattern :
       {"*.md", "**/*.md", "docs/*/*.md", "*/linked/deep.md", "d*/**/*.md", "[s]tolen.md"}) {
    CAPTURE(pattern);
    const ProgramResult result = workspace.run({"links", "--skip-missing", pattern});
    CAPTURE(result.out);
    CAPTURE(result.err);
    CHECK_FALSE(holds(result.out + result.err, "s3cret"));
    CHECK_FALSE(holds(result.out, "deep.md"));
  }
  const ProgramResult all = workspace.run({"links", "*.md"});
  CHECK(all.exit_code == 0);
  CHECK(holds(all.err, "stolen.md: is reached through a symbolic link that points outside the repository"));
  CHECK(holds(all.err, "kept.md: is reached through a symbolic link that points outside the repository"));
  CHECK(holds(all.out, "inner.md:3"));
  CHECK(holds(workspace.run({"links", ".git/*.md"}).out, "deep.md"));  // named explicitly

  // Links replace files that git tracks.
  repository.write("tracked.md", "[own](#x)\n");
  repository.write("folder/deep.md", "[own](#x)\n");
  repository.commit("Two more");
  fs::remove(repository / "tracked.md");
  workspace.link("tracked.md", "secret.md");
  fs::remove_all(repository / "folder");
  workspace.link("folder", "sub");
  const ProgramResult tracked = workspace.run({"links", "."});
  CAPTURE(tracked.err);
  CHECK(tracked.exit_code == 0);
  CHECK_FALSE(holds(tracked.out + tracked.err, "s3cret"));
  CHECK(holds(tracked.err, leads_out));
  CHECK(holds(tracked.out, "docs/guide.md"));

  // Paths named on the command line are intended.
  CHECK(holds(workspace.run({"links", "stolen.md"}).out, "gone.md"));
  CHECK(holds(workspace.run({"links", "docs/linked/*.md"}).out, "deep.md"));
  CHECK(holds(workspace.run({"links", "docs/linked/"}).out, "deep.md"));
}

TEST_CASE("nothing is written through symbolic links out of the repository") {
  const Workspace workspace;
  const auto outside = [&workspace](const char* name) { return (workspace.outside / name).string(); };
  workspace.link("out.md", "victim");
  workspace.link("linkherd", "");
  workspace.link("dangling.md", "made");
  fs::create_symlink("dangling.md", workspace.repository / "twice.md");
  fs::create_symlink(fs::path("..") / workspace.outside.path().filename() / "made",
                     workspace.repository / "relative.md");
  fs::create_symlink(".git/config", workspace.repository / "settings.md");  // files of git are treated as outside
  fs::create_symlink(".git/hooks", workspace.repository / "hooks");
  const std::vector<std::string> places{"settings.md",      "hooks/pre-push",
                                        "out.md",           "linkherd/victim",
                                        "dangling.md",      "twice.md",
                                        "relative.md",      "docs/../out.md",
                                        "linkherd/../made", (workspace.repository / "out.md").string()};
  for (const std::string& place : places) {
    CAPTURE(place);
    const std::vector<std::string> check{"check", "--offline", "--no-store", "docs"};
    const auto with = [&check](std::vector<std::string> more) {
      more.insert(more.begin(), check.begin(), check.end());
      return more;
    };
    expect_refused(workspace.run(with({"--output", "markdown:" + place})), 3);
    expect_refused(workspace.run(with({"-o", place})), 3);
    expect_refused(workspace.run(with({"--metrics", place})), 3);
    expect_refused(workspace.run(with({"--log-file", place})), 3);
    expect_refused(workspace.run({"check", "--store", place + "/store", "docs"}), 1);
    expect_refused(workspace.run({"check", "--store", place, "docs"}), 1);
  }
  expect_refused(workspace.run({"init", "linkherd/new.toml"}), 1);
  workspace.link("linkherd.toml", "victim");
  expect_refused(workspace.run({"accept", "http://a.herd/", "--reason", "old", "--until", "2099-01-01"}), 3);
  CHECK(read_file(outside("victim")) == "untouched");
  CHECK_FALSE(fs::exists(outside("made")));
  CHECK_FALSE(fs::exists(outside("new.toml")));
  CHECK_FALSE(fs::exists(outside("store")));
  fs::remove(workspace.repository / "linkherd.toml");

  // The default store is not used. A path outside of the repository is written if it is named.
  workspace.link(".linkherd", "");
  const ProgramResult unused = workspace.run({"check", "docs"});
  CHECK(unused.exit_code == 0);
  CHECK(holds(unused.err, leads_out));
  CHECK_FALSE(fs::exists(outside("linkherd-store")));
  CHECK(workspace.run({"check", "--store", outside("store"), "--output", "markdown:" + outside("made"), "docs"})
            .exit_code == 0);
  CHECK(fs::exists(outside("made")));
  CHECK(fs::exists(outside("store/linkherd-store")));
  CHECK(fs::is_symlink(workspace.repository / "out.md"));
}

TEST_CASE("the notify program gets no secret of linkherd") {
  const TempDir folder;
  folder.write("list.md", "[gone](gone.md)\n");
  ProgramOptions options = linkherd_options(
      folder.path(), {"check", "--changes-only", "--store", "store", "--notify", "sh -c 'env > told'", "list.md"});
  options.environment["GITHUB_TOKEN"] = "s3cret-token";
  options.environment["LINKHERD_WEBHOOK_SECRET"] = "s3cret-of-webhook";
  options.environment["GITHUB_TOKENS"] = "another's";
  const ProgramResult result = run_program(LINKHERD_PROGRAM, options);
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  const std::string seen_environment = read_file(folder / "told");
  CHECK_FALSE(holds(seen_environment, "s3cret"));
  CHECK(holds(seen_environment, "\nGITHUB_TOKENS=another's\n"));
  CHECK(holds(seen_environment, "LINKHERD_NEW=1\n"));
}
