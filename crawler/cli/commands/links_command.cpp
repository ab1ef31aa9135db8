// `linkherd links`: prints the occurrences of links that `check` would check, without the network.
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"
#include "crawler/cli/options/list_inputs.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/process.h"
#include "crawler/sources/local_links.h"
#include "parser/lists/extract_links.h"
#include "reports/escape.h"
#include "storage/record_json.h"

namespace linkherd::crawler {
namespace {

void write_text(std::ostream& out, const parser::LinkOccurrence& link) {
  std::string line = fmt::format("{}:{}:{}: {}", link.file, link.line, link.column, link.url);
  if (link.role == parser::LinkRole::secondary || link.role == parser::LinkRole::mention)
    line += fmt::format("  [{}]", enum_name(parser::link_role_names, link.role));
  for (const parser::LinkNote note : link.notes)
    line += fmt::format("  [{}]", enum_name(parser::link_note_names, note));
  if (!link.ignored_by.empty()) line += fmt::format("  [ignored by {}]", link.ignored_by);
  out << reports::escape_for_terminal(line) << '\n';
}

// Returns the file that a relative link leads to, as in `check`.
std::optional<parser::Url> file_of(const parser::LinkOccurrence& link, const parser::LinkTarget& target,
                                   const DocumentContext& context) {
  if (!context.base || !link.href.empty() || !link.has(parser::LinkNote::relative)) return std::nullopt;
  std::vector<parser::LinkNote> notes;
  return parser::LinkTarget{target.text, &*context.base, target.bare_host}.resolve(notes);
}

// Does the same for a wikilink, "@site/x" and a directive. The path of the document on this machine is not printed.
std::optional<parser::Url> resolved_file(parser::LinkOccurrence& link, const DocumentContext& context,
                                         LocalLinks& local_links) {
  if (!context.base || !local_links.resolve(context, link) || !link.href.starts_with("file:")) return std::nullopt;
  const auto file = parser::Url::parse(link.href);
  link.href.clear();
  link.notes.push_back(parser::LinkNote::relative);
  return file ? std::optional<parser::Url>(*file) : std::nullopt;
}

ExitCode run_links(CheckOptions options, const Streams& streams) {
  start_log(options.common);
  read_ignore_files(options.selection);
  const LinkFilter filter = make_link_filter(options.selection);
  std::string text;
  storage::JsonWriter json(text);
  if (options.format == OutputFormat::json) json.begin_array();
  std::size_t count = 0;
  const std::optional<GitChanges> changes = read_changes(options.lists);
  const SourceList lists = read_lists(options.lists, streams, options.common.quiet);
  LocalLinks local_links({});
  std::vector<std::string> outside;
  for (const InputDocument& document : lists.documents) {
    std::optional<ListChange> change;
    if (changes && !(change = changes->of(document))) {
      outside.push_back(document.file);
      continue;
    }
    const DocumentContext context = local_links.context_of(document);
    parser::ExtractOptions extract = extract_options(options.lists);
    extract.include_local = !document.path.empty() && !extract.base_url;  // `check` uses these occurrences
    extract.entries = document.site.empty();
    extract.read_include = LocalLinks::include_reader_of(context);
    const auto print = [&](parser::LinkOccurrence& link, const parser::LinkTarget& target) {
      if (change && !change->touches(link.offset, link.length)) return;
      target.resolve(link);
      std::optional<parser::Url> file;
      if (extract.include_local) file = resolved_file(link, context, local_links);
      filter.remap(link);
      if (!file) file = file_of(link, target, context);
      if (filter.excludes(link.url, file ? file->href() : link.href)) return;
      const bool may_be_host = file && link.has(parser::LinkNote::missing_scheme);
      if (may_be_host && !LocalLinks::lacks_file(local_links.look_up(context, *file, link.url)))
        std::erase(link.notes, parser::LinkNote::missing_scheme);
      ++count;
      switch (options.format) {
        case OutputFormat::text: write_text(streams.out, link); break;
        case OutputFormat::jsonl:
          text.clear();
          write_json(json, link);
          streams.out << reports::escape_json(text) << '\n';
          break;
        case OutputFormat::json: write_json(json, link); break;
      }
    };
    parser::for_each_target(context.text_of(document), extract, print);
  }
  print_outside(outside, streams, options.common.quiet);
  if (options.format == OutputFormat::json) {
    json.end_array();
    streams.out << reports::escape_json(text) << '\n';
  }
  if (count == 0) {
    const reports::Outcome end = outcome_without_links(options.lists, lists.unread);
    if (end.exit_code != 0 || !options.common.quiet) print_reason(streams, end.why);
    return static_cast<ExitCode>(end.exit_code);
  }
  if (lists.unread.empty()) return ExitCode::ok;
  print_reason(streams, lists.unread.front());
  return ExitCode::could_not_run;
}

}  // namespace

Command add_links_command(CLI::App& app) {
  return add_command<CheckOptions>(app, "links", "List the links in your files, without the network", commands::links,
                                   run_links);
}

}  // namespace linkherd::crawler
