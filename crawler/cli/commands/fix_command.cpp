// `linkherd fix`: rewrites input documents according to the results of the latest check.
#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "crawler/cli/command.h"
#include "crawler/cli/commands/check_lists.h"
#include "crawler/cli/first_problems.h"
#include "crawler/cli/options/acceptances.h"
#include "crawler/cli/options/list_inputs.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/options/run_choice.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/cli/report_output.h"
#include "crawler/fix/fix_kinds.h"
#include "crawler/fix/link_fixes.h"
#include "crawler/fix/list_bytes.h"
#include "crawler/fix/rewrite_list.h"
#include "crawler/fix/spellings.h"
#include "crawler/fix/unified_diff.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/link_filter.h"
#include "crawler/sources/local_links.h"
#include "parser/ascii.h"
#include "parser/inflate.h"
#include "parser/join.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "storage/checked_links.h"
#include "storage/file_names.h"
#include "storage/link_id.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/store_directory.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

struct FixOptions : CheckOptions {
  bool dry_run = false;
  std::optional<storage::RelocationLevel> relocate;  // the smallest level of new addresses to write
  bool archived = false;
  bool titles = false;
};

// Returns true for kinds that are applied only if the user names them.
bool needs_request(FixKind kind) {
  return kind == FixKind::relocated || kind == FixKind::archived || kind == FixKind::titles;
}

FixKinds kinds_of(const FixOptions& options) {
  FixKinds kinds = options.fix_kinds;
  if (kinds.empty()) {
    for (const auto& [kind, name] : fix_kind_names) {
      if (!needs_request(kind)) kinds.insert(kind);
    }
  }
  if (options.relocate) kinds.insert(FixKind::relocated);
  if (options.archived) kinds.insert(FixKind::archived);
  if (options.titles) kinds.insert(FixKind::titles);
  return kinds;
}

std::string describe_names(const std::vector<FixKind>& kinds) {
  std::vector<std::string_view> names;
  names.reserve(kinds.size());
  for (const FixKind kind : kinds) names.push_back(enum_name(fix_kind_names, kind));
  return join(names, ", ");
}

// A change of a document, as shown to the user.
struct ListedFix {
  std::string location;  // for example "links.md:3:5"
  const LinkFix* fix = nullptr;
  std::string written;

  std::string describe(std::string_view now) const {
    return fmt::format("{}: {}: {} -> {}", location, describe_names(fix->kinds), written, now);
  }
};

// The changes of a document, and how it is parsed.
struct ListWork {
  parser::ExtractOptions extract;
  std::vector<ReadLink> links;
  ListFingerprint found;
  std::vector<WantedChange> changes;
  std::vector<WantedText> texts;
  std::vector<ListedFix> listed_changes;  // by index in `changes`
  std::vector<ListedFix> listed_texts;
};

// Why a document cannot be changed.
struct Refusal {
  std::string why;
};

class ListFixer {
 public:
  ListFixer(const FixOptions& options, const RunFixes& fixes, const Streams& streams)
      : options_(options), fixes_(fixes), streams_(streams), local_(options.selection.local) {}

  void fix(const InputDocument& list) {
    const std::string stored_name = names_.to_shown(names_.to_stored(list.file));
    seen_.insert({list.file, stored_name});
    if (stop_.load() != StopSignal::none) return;
    auto wanted = fixes_.lists.find(list.file);
    if (wanted == fixes_.lists.end()) wanted = fixes_.lists.find(stored_name);
    if (wanted == fixes_.lists.end() || wanted->second.by_url.empty()) return;
    ListWork work;
    const DocumentContext context = local_.context_of(list);
    read(list, context, wanted->second, work);
    const std::size_t count = work.changes.size() + work.texts.size();
    if (count == 0) return;
    try {
      if (!(work.found == wanted->second.checked))
        throw Refusal{"its links have changed since they were checked; run `linkherd check` again"};
      rewrite(list, context, work);
    } catch (const Refusal& refusal) {
      left_ += count;
      problems_.push_back(fmt::format("{} was not changed: {}", list.file, refusal.why));
    }
  }

  // Reports documents of the run that no longer exist.
  void report_vanished() {
    for (const auto& [name, list] : fixes_.lists) {
      std::error_code error;
      if (!list.by_url.empty() && !seen_.contains(name) && !fs::exists(name, error))
        problems_.push_back(fmt::format("{} was checked but no longer exists", name));
    }
    std::ranges::sort(problems_);
  }

  const std::atomic<StopSignal>& stop() const { return stop_; }
  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t changed() const { return changed_; }
  std::size_t lists() const { return lists_; }
  std::size_t left() const { return left_; }

 private:
  void read(const InputDocument& list, const DocumentContext& context, const ListFixes& fixes, ListWork& work) {
    work.extract = extract_options(options_.lists);
    work.extract.entries = list.site.empty();
    work.extract.read_include = LocalLinks::include_reader_of(context);
    if (!work.extract.base_url) {
      work.extract.base_url = context.base;
      work.extract.include_local = context.base.has_value() && local_.checks_anchors();
    }
    parser::for_each_link(context.text_of(list), work.extract, [&](parser::LinkOccurrence& occurrence) {
      work.links.push_back(read_link(occurrence));
      work.found.add(occurrence);
      const auto fix = fixes.by_url.find(occurrence.url);
      if (fix != fixes.by_url.end() && may_change(occurrence, fix->second))
        want(list, context, occurrence, fix->second, work);
    });
  }

  // Adds the changes for an occurrence in the current document.
  void want(const InputDocument& list, const DocumentContext& read_at, const parser::LinkOccurrence& occurrence,
            const LinkFix& fix, ListWork& work) {
    const std::string_view text = list.text;
    const std::size_t end = occurrence.offset + occurrence.length;
    const WrittenUrl document{list.format, occurrence.element, occurrence.url, text.substr(0, occurrence.offset),
                              text.substr(end)};
    const std::size_t index = work.links.size() - 1;
    ListedFix listed{fmt::format("{}:{}:{}", list.file, occurrence.line, occurrence.column), &fix, occurrence.url};
    WantedChange change;
    change.link = index;
    if (!fix.new_href.empty() && (occurrence.href == fix.old_href || is_missing_file(read_at, occurrence))) {
      change.href = fix.new_href;
      change.spellings = list_url_spellings(document, fix.old_href, fix.new_href);
    } else if (!fix.anchor.empty()) {
      const bool only_ascii = !parser::is_ascii(fix.anchor) && parser::is_ascii(occurrence.url);
      change.spellings = list_fragment_spellings(document, fix.anchor, only_ascii);
      const std::string href =
          occurrence.href.substr(0, occurrence.href.find('#')) + '#' + escape_fragment(fix.anchor, only_ascii);
      if (const auto url = parser::Url::parse(href)) change.href = url->href();
    }
    const bool adds_scheme = fix.kinds.front() == FixKind::schemes;
    if (!change.href.empty() && (adds_scheme || change.href != occurrence.href)) {
      const bool is_text =
          occurrence.element == parser::LinkElement::bare || occurrence.element == parser::LinkElement::autolink;
      change.text_follows_url = is_text || occurrence.text == occurrence.url;
      // The anchor of a heading depends on its text, so a change would break links to it.
      if (is_text && occurrence.heading().find(occurrence.url) != std::string_view::npos) change.spellings.clear();
      work.changes.push_back(std::move(change));
      work.listed_changes.push_back(listed);
    }
    if (!fix.title.empty() && has_listed_title(occurrence) && occurrence.text != fix.title) {
      const parser::TextRange text_span = find_text_span(text, document, occurrence.offset, occurrence.text);
      if (text_span.length == 0) return;  // its syntax is not plain text
      work.texts.push_back({index, text_span, spelling_of_text(list.format, fix.title), fix.title});
      listed.written = occurrence.text;
      work.listed_texts.push_back(std::move(listed));
    }
  }

  // Returns true for a target without a scheme, if there is still no such file.
  bool is_missing_file(const DocumentContext& read_at, const parser::LinkOccurrence& occurrence) {
    const auto url = parser::Url::parse(occurrence.href);
    const bool may_be_file = url && url->scheme() == "file" && occurrence.has(parser::LinkNote::missing_scheme);
    return may_be_file && LocalLinks::lacks_file(local_.look_up(read_at, *url, occurrence.url));
  }

  void rewrite(const InputDocument& list, const DocumentContext& context, const ListWork& work) {
    const std::string target = target_of(list, context);
    Result<std::string> read = read_file_bytes(target, SourceOptions().max_file_bytes);
    if (read.has_error()) throw Refusal{"it " + read.error().message};
    if (parser::is_gzip(*read)) throw Refusal{"it is compressed; unpack it first"};
    const ListBytes file(std::move(read).value(), list.text);
    if (!file.is_same_text()) throw Refusal{"it was modified in the meantime"};

    const Rewritten made = rewrite_list(context.text_of(list), work.extract, work.links, work.changes, work.texts);
    const std::optional<std::vector<TextEdit>> edits =
        made.edits.empty() ? std::vector<TextEdit>() : file.edits_of_bytes(made.edits, made.text);
    if (!edits) throw Refusal{"its encoding does not allow reliable changes; convert the file to UTF-8"};
    if (options_.dry_run) {
      if (!edits->empty()) print_diff(diff_name_of(target), file.bytes(), *edits);
    } else if (!edits->empty()) {
      write(target, file.bytes(), *edits);
    }
    if (!edits->empty()) ++lists_;
    report_changes(work, made);
  }

  // Returns the file to write, after symbolic links.
  static std::string target_of(const InputDocument& list, const DocumentContext& context) {
    if (list.path.empty()) throw Refusal{"it is not a regular file"};
    if (context.folders != nullptr && context.folders->inspect(context.full).outside)
      throw Refusal{"it is a symbolic link that points outside this repository or folder"};
    std::error_code error;
    const fs::path real = fs::canonical(list.path, error);
    if (error) throw Refusal{"it cannot be found: " + error.message()};
    constexpr fs::perms writers = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    const bool is_writable = (fs::status(real, error).permissions() & writers) != fs::perms::none;
    if (!is_writable || ::access(real.c_str(), W_OK) != 0) throw Refusal{"it is not writable (use chmod u+w)"};
    return real.string();
  }

  // Returns the path for `git apply` in the current folder: without symbolic links, in its original bytes.
  static std::string diff_name_of(const fs::path& target) {
    std::error_code error;
    const fs::path here = fs::canonical(".", error);
    const fs::path name = target.lexically_relative(here);
    if (error || name.empty() || *name.begin() == "..")
      throw Refusal{"it is outside the current folder, where `git apply` changes no files; run linkherd in its folder"};
    return name.string();
  }

  static void write(const std::string& target, const std::string& bytes, const std::vector<TextEdit>& edits) {
    const std::string changed = with_edits(bytes, edits);
    const Result<std::string> now = read_file_bytes(target, SourceOptions().max_file_bytes);
    if (now.has_error() || *now != bytes) throw Refusal{"it was modified in the meantime"};
    const Replacement replacement =
        replace_file(target, [&changed](std::ostream& out) { out.write(changed.data(), std::ssize(changed)); });
    if (!replacement.is_possible)
      throw Refusal{"no replacement file can be created next to it; check the permissions of its folder"};
    if (!replacement.is_written) {
      throw Refusal{
          "the changed file cannot be written: " +
          (replacement.error == 0 ? "the disk may be full" : std::generic_category().message(replacement.error))};
    }
  }

  void print_diff(const std::string& name, const std::string& bytes, const std::vector<TextEdit>& edits) {
    const std::string diff = unified_diff(name, bytes, edits);
    if (!streams_.is_out_terminal) {
      streams_.out << diff;
      return;
    }
    std::string_view rest = diff;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      streams_.out << reports::escape_for_terminal(to_valid_utf8(line)) << '\n';
    }
  }

  void report_changes(const ListWork& work, const Rewritten& made) {
    const auto is_refused = [](const std::vector<std::size_t>& refused, std::size_t index) {
      return std::ranges::binary_search(refused, index);
    };
    const auto report_change = [&](const ListedFix& listed, std::string_view now, bool refused) {
      if (refused) {
        ++left_;
        problems_.push_back(listed.describe(now) + ": not changed, because linkherd would read the result differently");
        return;
      }
      ++changed_;
      if (!options_.dry_run && !options_.common.quiet)
        streams_.out << reports::escape_for_terminal(listed.describe(now)) << '\n';
    };
    for (std::size_t i = 0; i < work.changes.size(); ++i) {
      const ListedFix& listed = work.listed_changes[i];
      report_change(listed, listed.fix->anchor.empty() ? work.changes[i].href : '#' + listed.fix->anchor,
                    is_refused(made.refused_changes, i));
    }
    for (std::size_t i = 0; i < work.texts.size(); ++i)
      report_change(work.listed_texts[i], work.texts[i].text, is_refused(made.refused_texts, i));
  }

  const FixOptions& options_;
  const RunFixes& fixes_;
  const Streams& streams_;
  const std::atomic<StopSignal>& stop_ = watch_signals();
  LocalLinks local_;
  const storage::FileNames names_ = storage::FileNames::of_store(store_location(options_.store));
  std::unordered_set<std::string> seen_;
  std::vector<std::string> problems_;
  std::size_t changed_ = 0;
  std::size_t lists_ = 0;
  std::size_t left_ = 0;
};

// Describes what was changed and what remains.
std::string describe_end(const FixOptions& options, const ListFixer& fixer, const RunFixes& fixes) {
  using reports::counted;
  std::vector<std::string> parts;
  if (fixer.changed() > 0) {
    parts.push_back(fmt::format("{} {} in {}", counted(fixer.changed(), "link"),
                                options.dry_run ? "would be changed" : "changed", counted(fixer.lists(), "file")));
  } else {
    parts.emplace_back("nothing changed");
  }
  if (fixer.left() > 0) parts.push_back(fmt::format("{} that could not be written", counted(fixer.left(), "change")));
  if (fixes.broken > 0) parts.push_back(counted(fixes.broken, "broken link") + " left");
  std::string words = join(parts, ", ");
  if (kinds_of(options).contains(FixKind::relocated) && fixes.without_search > 0)
    words += fmt::format("; {} not searched for a new address: run `linkherd check --relocate`", fixes.without_search);
  if (kinds_of(options).contains(FixKind::archived) && fixes.without_archive > 0)
    words += fmt::format("; {} not looked up in an archive: run `linkherd check --suggest`", fixes.without_archive);
  return words;
}

// Returns the URLs that have a page. Requests that no document causes are made only for kinds that the user named.
std::set<std::string> ask_addresses(const FixOptions& options, const ForEachLink& for_each_link,
                                    const Streams& streams) {
  std::set<std::string> answered;
  if (!options.fix_kinds.contains(FixKind::schemes) || options.offline) return answered;
  InputDocument list;
  list.file = "addresses";
  for (const std::string& address : meant_addresses(for_each_link)) list.text += address + '\n';
  if (list.text.empty()) return answered;
  CheckOptions check = options;
  check.no_store = true;
  check.common.quiet = true;
  const LinkFilter filter = make_link_filter(check.selection);
  GivenPlan asked;
  asked.plan = build_link_table({list}, plan_options(check, filter));
  asked.all_links = asked.plan.size();
  const auto take = [&answered](Checked& checked) {
    if (checked.result.failure) std::rethrow_exception(checked.result.failure);
    if (checked.result.run.state != storage::RunState::complete) return ExitCode::inconclusive;
    checked.result.links->for_each([&answered](std::size_t, const storage::CheckedLink& link) {
      if (page_exists_as_stored(link)) answered.insert(link.state.url);
    });
    return ExitCode::ok;
  };
  check_lists(check, streams, take, std::move(asked));
  return answered;
}

// `are_inputs_reported`: problems with the inputs were already reported when they were checked.
ExitCode fix_lists(const FixOptions& options, const ForEachLink& for_each_link, Timestamp now, bool are_inputs_reported,
                   const Streams& streams) {
  const bool quiet = options.common.quiet;
  const auto rules = read_tracking_rules(options.report.tracking_rules, streams, quiet);
  const FixKinds kinds = kinds_of(options);
  const reports::FindAcceptance accepted = find_accepted(options.report.accepted, now);
  const std::set<std::string> answered = ask_addresses(options, for_each_link, streams);
  const RunFixes fixes = find_fixes(
      for_each_link, kinds, rules ? &*rules : nullptr,
      [&](const storage::CheckedLink& link) { return accepted && accepted(link.result) != nullptr; }, answered,
      options.relocate.value_or(storage::RelocationLevel::sure));
  ListFixer fixer(options, fixes, streams);
  const SourceList lists = read_lists(options.lists, streams, quiet || are_inputs_reported, {},
                                      [&fixer](const InputDocument& list) { fixer.fix(list); });
  if (fixer.stop().load() != StopSignal::none) {
    print_reason(streams, fmt::format("interrupted: {}", describe_end(options, fixer, fixes)));
    return stopped_by(fixer.stop());
  }
  fixer.report_vanished();
  print_first(fixer.problems(), fixer.problems().size(), "changes or documents were not changed", streams);
  const bool is_left = fixer.left() > 0 || fixes.broken > 0 || (options.dry_run && fixer.changed() > 0);
  if (is_left || !quiet) print_reason(streams, describe_end(options, fixer, fixes));
  if (is_left) return ExitCode::broken_links;
  return lists.unread.empty() ? ExitCode::ok : ExitCode::could_not_run;
}

// Returns true if the run has all links to fix. The partial run of an earlier `fix` with the same settings has them
// too.
bool has_all_links(const storage::Run& run, const CheckOptions& check) {
  if (run.state != storage::RunState::complete || run.shard) return false;
  if (run.is_partial) return run.identity == storage::content_digest(configuration_of(check));
  const storage::FileNames names = storage::FileNames::of_store(store_location(check.store));
  std::vector<std::string> inputs = input_names(check.lists);
  for (std::string& input : inputs) input = names.to_shown(names.to_stored(input));
  return sorted_inputs(run.inputs) == sorted_inputs(std::move(inputs));
}

// Uses the latest complete run of the inputs. Returns nullopt if the store has none.
std::optional<ExitCode> fix_by_store(const FixOptions& options, Timestamp now, const Streams& streams) {
  const CheckOptions& check = options;
  const bool is_stored = !check.no_store && !check.offline && storage::is_marked_store(store_location(check.store));
  if (!is_stored) return std::nullopt;
  const std::unique_ptr<storage::Store> store = open_store_for_reading(check.store);
  const std::vector<storage::Run> runs = store->runs();
  const auto run =
      std::ranges::find_if(runs, [&check](const storage::Run& each) { return has_all_links(each, check); });
  if (run == runs.end()) return std::nullopt;
  if (!check.common.quiet) {
    print_reason(streams, fmt::format("based on run {} of {}", run->number,
                                      reports::minute(run->finished_at.value_or(run->started_at))));
  }
  // The links are not needed in document order, which would take another pass over the store.
  const auto for_each_link = [&](const VisitLink& visit) {
    storage::RunResults(*store, *run).for_each_link([&visit](const storage::CheckedLink& link) {
      visit(link);
      return true;
    });
  };
  return fix_lists(options, for_each_link, now, false, streams);
}

void require_files(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code error;
    const bool is_on_web =
        parser::starts_ignoring_case(input, "http://") || parser::starts_ignoring_case(input, "https://");
    if (input == "-" || (is_on_web && !fs::exists(input, error)))
      throw CLI::ValidationError("INPUT", to_valid_utf8(input) + " is not a file that can be changed");
  }
}

// The level is optional. It must follow an equals sign, so that it cannot be confused with an input.
OptionTarget read_relocate(std::optional<storage::RelocationLevel>& value) {
  return {[&value](CLI::App& app, const std::string& names) {
    return app.add_flag(names)->check([&value](const std::string& text) {
      value = enum_value(storage::relocation_level_names, text == "true" ? "sure" : text);
      const bool is_same_page = value >= storage::RelocationLevel::probably;  // other levels are never written
      return is_same_page ? std::string() : is_none_of(text, {"sure", "probably"});
    });
  }};
}

ExitCode run_fix(FixOptions options, const Streams& streams) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  start_log(options.common);
  require_files(options.lists.inputs);
  if (kinds_of(options).contains(FixKind::relocated)) options.should_relocate = true;
  if (kinds_of(options).contains(FixKind::archived)) options.should_suggest_copies = true;
  const Timestamp now = Clock(options.common.now).now();
  if (const std::optional<ExitCode> done = fix_by_store(options, now, streams)) return *done;
  if (!options.common.quiet && !options.offline) print_reason(streams, "no run yet: checking first");
  options.is_partial = true;  // the links are about to change, so no report or comparison uses this run
  return check_lists(options, streams, [&](const Checked& checked) {
    if (checked.work.planned == 0) {
      const reports::Outcome end = outcome_without_links(options.lists, checked.work.unread);
      if (end.exit_code != 0 || !options.common.quiet) print_reason(streams, end.why);
      return static_cast<ExitCode>(end.exit_code);
    }
    switch (checked.result.run.state) {
      case storage::RunState::interrupted:
        print_reason(streams, "interrupted: no file was changed");
        return stopped_by(checked.stop);
      case storage::RunState::outage:
        print_reason(streams, "no file was changed: your network failed");
        return ExitCode::inconclusive;
      case storage::RunState::open:
      case storage::RunState::complete: break;
    }
    if (checked.result.failure) std::rethrow_exception(checked.result.failure);
    const auto for_each_link = [&links = *checked.result.links](const VisitLink& visit) {
      links.for_each([&visit](std::size_t, const storage::CheckedLink& link) { visit(link); });
    };
    return fix_lists(options, for_each_link, now, true, streams);
  });
}

}  // namespace

Command add_fix_command(CLI::App& app) {
  return add_command<FixOptions>(
      app, "fix", "Repair links in your files, based on the latest check", commands::fix, run_fix,
      [](FixOptions& o) -> std::vector<Option> {
        return {
            {"--dry-run", read_flag(o.dry_run), "Print a diff for git apply and change nothing"},
            {"--relocate", read_relocate(o.relocate),
             "Also replace dead links with the new addresses of their pages, if they are sure; --relocate=probably: "
             "also if they are probable"},
            {"--archived", read_flag(o.archived), "Also replace dead links with copies in the Internet Archive"},
            {"--titles", read_flag(o.titles), "Also replace the text of listed links with the titles of their pages"}};
      });
}

}  // namespace linkherd::crawler
