#include "crawler/cli/command_examples.h"

#include <array>

namespace linkherd::crawler {
namespace {

struct ExampleRow {
  std::string_view command;
  std::string_view arguments;
  std::string_view purpose;
};

constexpr std::array<ExampleRow, 45> example_rows{{
    {"", "check", "Check the documents of this repository"},
    {"", "check README.md docs/", "Check a file and a folder"},
    {"", "check --changed-since main", "Check only links that this branch changed"},
    {"", "report --section broken", "List the broken links of the latest run again"},
    {"", "fix --dry-run", "Show which links can be repaired"},
    {"check", "check", "Check the documents of this repository"},
    {"check", "check README.md docs/", "Check a file and a folder"},
    {"check", "check --offline", "Check only links to local files"},
    {"check", "check --changed-since main", "Check only links that this branch changed"},
    {"check", "check -o links.html docs/", "Write the report as a web page"},
    {"report", "report --section broken", "List all broken links of the latest run"},
    {"report", "report -o links.html", "Write the report as a web page"},
    {"report", "report --changes", "Show what changed since the previous run"},
    {"history", "history https://example.com/page", "Show all checks of a link"},
    {"history", "history --body https://example.com/page", "Print the stored page"},
    {"history", "history --at 2026-03-05 https://example.com/page", "Show the last check on or before that day"},
    {"runs", "runs", "List all runs"},
    {"runs", "runs --format jsonl", "List the runs as JSON Lines for other programs"},
    {"export", "export -o links.csv", "Export titles, authors and dates to a spreadsheet"},
    {"export", "export --format bibtex", "Print a bibliography"},
    {"export", "export --format warc -o pages.warc.gz", "Export the stored pages for web archives"},
    {"fix", "fix --dry-run", "Show the repairs as a diff"},
    {"fix", "fix", "Apply them"},
    {"fix", "fix --only redirects,tracking README.md", "Apply two kinds of repairs to one file"},
    {"accept", "accept --reason \"moves in May\" --until 2026-05-31 https://example.com/", "Accept a known failure"},
    {"links", "links README.md", "List the links of a file"},
    {"links", "links --format jsonl docs/", "List the links as JSON Lines for other programs"},
    {"url", "url https://example.com/?utm_source=x", "Show the normalized forms of a URL"},
    {"metadata", "metadata page.html", "Show title, authors and dates of a saved page"},
    {"metadata", "metadata --explain page.html", "Show why these values were chosen"},
    {"rules", "rules", "List all rules"},
    {"store info", "store info", "Show the size of the store"},
    {"store verify", "store verify", "Look for damage"},
    {"store compact", "store compact --keep-runs 10", "Keep the last ten runs"},
    {"store backup", "store backup /var/backups/linkherd", "Back up the store"},
    {"store restore", "store restore /var/backups/linkherd", "Restore the newest backup"},
    {"store merge", "store merge part-1 part-2", "Merge the stores of two parts"},
    {"store forget", "store forget https://example.com/secret", "Remove a link and its history"},
    {"broker plan", "broker plan --broker amqp://localhost docs/", "Send the links of a folder to the broker"},
    {"broker worker", "broker worker --broker amqp://localhost", "Fetch links on this machine"},
    {"broker collect", "broker collect --broker amqp://localhost", "Check the links and report"},
    {"broker status", "broker status --broker amqp://localhost", "Show the progress of the run"},
    {"init", "init", "Write linkherd.toml at the repository root"},
    {"init", "init --ci github", "Write a workflow that checks pull requests"},
    {"completions", "completions bash > ~/.local/share/bash-completion/completions/linkherd", "Set up completion"},
}};

}  // namespace

std::vector<CommandExample> examples_of(std::string_view command) {
  std::vector<CommandExample> examples;
  for (const ExampleRow& row : example_rows) {
    if (row.command == command)
      examples.push_back({"linkherd " + std::string(row.arguments), std::string(row.purpose)});
  }
  return examples;
}

}  // namespace linkherd::crawler
