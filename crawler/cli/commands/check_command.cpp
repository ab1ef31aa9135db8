// `linkherd check`: extracts links, fetches, classifies, stores and reports.
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "crawler/cli/audit.h"
#include "crawler/cli/command.h"
#include "crawler/cli/commands/check_lists.h"
#include "crawler/cli/first_problems.h"
#include "crawler/cli/options/change_notifier.h"
#include "crawler/cli/options/configuration.h"
#include "crawler/cli/options/option_table.h"
#include "crawler/cli/options/request_options.h"
#include "crawler/cli/options/retention_options.h"
#include "crawler/cli/options/rule_options.h"
#include "crawler/cli/options/run_choice.h"
#include "crawler/cli/options/site_check.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/pdf_process.h"
#include "crawler/cli/process.h"
#include "crawler/cli/progress_line.h"
#include "crawler/cli/report_output.h"
#include "crawler/cli/terminal.h"
#include "crawler/fetch/archive_replay.h"
#include "crawler/run/crawl.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/run/remote_lists.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/utf8.h"
#include "reports/messages.h"
#include "reports/metrics.h"
#include "storage/file_names.h"
#include "storage/link_history.h"
#include "storage/store_directory.h"

namespace linkherd::crawler {
namespace {

using std::chrono::steady_clock;

struct WarcFile {
  std::string name;
  bool is_named = false;    // named by the user; otherwise found in a folder
  bool is_outside = false;  // it is a symbolic link in a folder that leads out of the repository
};

// Returns the named files, and those in the named folders that have an extension of WARC.
std::vector<WarcFile> find_warc_files(const std::vector<std::string>& names) {
  namespace fs = std::filesystem;
  std::vector<WarcFile> files;
  for (const std::string& name : names) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      files.push_back({name, true});
      continue;
    }
    const auto begin = static_cast<std::ptrdiff_t>(files.size());
    const fs::path repository = repository_around(name);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(name)) {
      const std::string file = entry.path().string();
      if (!entry.is_regular_file() || (!file.ends_with(".warc") && !file.ends_with(".warc.gz"))) continue;
      files.push_back({file, false, entry.is_symlink() && !is_inside(repository, fs::canonical(entry.path()))});
    }
    std::sort(files.begin() + begin, files.end(),
              [](const WarcFile& one, const WarcFile& other) { return one.name < other.name; });
    if (files.size() == static_cast<std::size_t>(begin))
      throw InputError(to_valid_utf8(name) + " contains no WARC file");
  }
  return files;
}

// Returns null if the network is used. Unusable files of a folder are skipped.
std::unique_ptr<const ArchiveReplay> read_warc_files(const CheckOptions& options, const Streams& streams) {
  if (options.warc_files.empty()) return nullptr;
  auto saved = std::make_unique<ArchiveReplay>(options.warc_time);
  std::vector<std::string> unread;
  for (const WarcFile& file : find_warc_files(options.warc_files)) {
    const Result<void> read = file.is_outside ? Result<void>(Error{leads_out_message}) : saved->add_file(file.name);
    if (!read.has_error()) continue;
    std::string problem = to_valid_utf8(file.name) + " " + read.error().message;
    if (file.is_named) throw InputError(problem);
    unread.push_back(std::move(problem));
  }
  if (saved->size() == 0) throw InputError("no HTTP response found: " + unread.front());
  saved->build_index();
  if (options.common.quiet) return saved;
  print_first(unread, unread.size(), "files are not used", streams);
  print_first(saved->problems(), saved->problem_count(), "records are damaged", streams);
  return saved;
}

// Adapts the crawl to saved responses. They arrive at once and never change, so delays, retries and politeness are
// useless.
void replay_warc_files(CrawlOptions& crawl, const ArchiveReplay& saved) {
  crawl.fetch.saved = &saved;
  crawl.fetch.robots = RobotsMode::ignore;
  crawl.fetch.method = MethodPlan::get;
  crawl.fetch.retry.max_retries = 0;
  crawl.fetch.retry_as_browser = false;
  crawl.fetch.politeness.host_request_interval = Duration::zero();
  crawl.fetch.politeness.overrides.clear();
  crawl.confirm_wait = Duration::zero();
  crawl.should_use_site_apis = false;
}

// Returns true if the output may become a mail: cron sends everything that is printed.
bool is_for_mail(const CheckOptions& options, const Streams& streams) {
  return options.notification.changes_only && !streams.is_err_terminal;
}

LinkTable plan_links(const CheckOptions& options, LinkTableOptions plan, SiteCheck* site, const Clock& clock,
                     const Streams& streams, Work& work) {
  const FetchLists from_web = [&options, &clock](const std::vector<parser::Url>& urls) {
    return fetch_lists(urls, options.crawl.fetch, clock, options.crawl.deadline);
  };
  if (site != nullptr) {
    LinkTable made = site->plan(from_web, streams, options.common.quiet);
    work.planned = made.size();
    return made;
  }
  LocalLinks local(options.selection.local, plan.changes);
  plan.local = &local;
  LinkTableBuilder planner(plan);
  ListInputs inputs = options.lists;
  inputs.should_report_untracked = !is_for_mail(options, streams);
  SourceList lists = read_lists(inputs, streams, options.common.quiet, options.offline ? FetchLists() : from_web,
                                [&planner](InputDocument list) { planner.add(std::move(list)); });
  work.unread = std::move(lists.unread);
  LinkTable made = planner.finish(&work.unchanged);
  work.planned = made.size();
  print_outside(work.unchanged.outside, streams, options.common.quiet);
  return made;
}

// Describes the selected links if --changed-since leaves some out; otherwise empty.
std::string describe_scope(const CheckOptions& options, const GitChanges* changes, const Unchanged& unchanged) {
  if (changes == nullptr) return {};
  std::string words = fmt::format("Only links that were added, moved or broken since {} (merge base {})",
                                  to_valid_utf8(options.lists.changed_since), changes->merge_base());
  if (unchanged.links > 0)
    words += fmt::format("; {} of the changed documents not checked", reports::counted(unchanged.links, "other link"));
  if (unchanged.broken > 0) words += fmt::format(", {} of them broken before", unchanged.broken);
  return words + ".";
}

// Returns true if the run writes page data other than what verdicts need.
bool shows_harvest(const CheckOptions& options) {
  const ReportOptions& report = options.report;
  const bool shows_pages = report.all || !report.sections.empty();
  const auto shows = [shows_pages](reports::ReportFormat format) {
    return reports::description_of(format).shows_metadata || (format == reports::ReportFormat::text && shows_pages);
  };
  return options.should_suggest_copies || options.should_relocate || (report.outputs.empty() && shows(report.format)) ||
         std::ranges::any_of(report.outputs,
                             [&](const ReportOutput& output) { return shows(format_of(output, report)); });
}

// Adds the lookups of dead links that the user asked for.
void use_lookups(CrawlOptions& crawl, const CheckOptions& options) {
  if (!options.should_suggest_copies && !options.should_relocate) return;
  const std::string& url = options.archive_url;
  Archive archive = url.empty() ? Archive() : Archive(parser::Url::parse(url).value());
  if (options.should_relocate) {
    crawl.relocation = options.relocation;
    crawl.relocation->archive = archive;
    crawl.relocation->github = crawl.github ? *crawl.github : anonymous_github_api(options.github);
  }
  if (options.should_suggest_copies) crawl.archive = std::move(archive);
}

// `spent`: time already used for reading the input documents.
CrawlResult run_crawl(LinkTable plan, const CheckOptions& options, SiteCheck* site, const Clock& clock,
                      steady_clock::duration spent, storage::Store* store, const std::atomic<StopSignal>& stop,
                      const Streams& streams) {
  std::optional<ProgressLine> progress;
  CrawlControls controls;
  controls.stop = &stop;
  const std::vector<storage::Health>& fail_on = options.report.outcome.fail_on;
  ProgressLog log(streams.err, steady_clock::now(), fail_on);
  if (!options.common.quiet && !options.no_progress && !is_for_mail(options, streams)) {
    if (streams.is_err_terminal && !is_dumb_terminal()) {
      progress.emplace(streams.err, fail_on);
      controls.on_progress = [&progress](const CrawlProgress& now) { progress->show(now); };
    } else {
      controls.on_progress = [&log](const CrawlProgress& now) { log.show(now, steady_clock::now()); };
    }
  }
  if (options.common.verbose > 0 && !options.common.quiet) {
    controls.on_finished = [&progress, &streams](const FinishedLink& link) {
      if (progress) return progress->print_above(finished_text(link));
      streams.err << finished_text(link) << '\n';
    };
  }
  CrawlOptions crawl_options = options.crawl;
  if (crawl_options.deadline)
    *crawl_options.deadline -= std::min(*crawl_options.deadline, std::chrono::duration_cast<Duration>(spent));
  crawl_options.site = site == nullptr ? nullptr : &site->crawl();
  const bool keeps_bodies = store != nullptr && options.crawl.retention.bodies != storage::KeptBodies::none;
  crawl_options.make_backend = broker_backend(options.broker, site == nullptr && !keeps_bodies, clock);
  if (crawl_options.make_backend) crawl_options.github.reset();  // otherwise the token would go through the broker
  crawl_options.inputs = input_names(options.lists);
  crawl_options.configuration = configuration_of(options);
  if (options.crawl.shard) {
    CheckOptions whole = options;
    whole.crawl.shard.reset();
    crawl_options.whole_configuration = configuration_of(whole);
  }
  crawl_options.is_partial = options.is_partial || !options.only.empty() || !options.lists.changed_since.empty();
  crawl_options.read_pdf = read_pdf_in_subprocess;
  if (!options.names_harvest && store == nullptr && !shows_harvest(options))
    crawl_options.harvest = parser::Harvest::none;
  if (!options.offline) use_lookups(crawl_options, options);
  if (options.should_use_browser) crawl_options.browser = options.browser;
  CrawlResult result = crawl(std::move(plan), crawl_options, clock, store, controls);
  result.elapsed += std::chrono::duration_cast<Duration>(spent);
  return result;
}

// Returns the run to compare with, or nullopt if there is none. `store` and `notifier` may be null.
std::optional<reports::EarlierRun> earlier(const storage::Run& run, const storage::Store* store,
                                           const ChangeNotifier* notifier) {
  if (store == nullptr) return std::nullopt;
  const std::vector<storage::Run> runs = store->runs();
  if (notifier != nullptr) return reports::read_notified_run(*store, notifier->last_notified_run(runs));
  const storage::Run* const before = earlier_run(runs, run);
  return before == nullptr ? std::nullopt : std::optional(reports::read_earlier_run(*store, *before));
}

reports::Report report_of(CrawlResult& result, const CheckOptions& options, const parser::TrackingRules* rules,
                          Timestamp now, const std::optional<reports::EarlierRun>& since) {
  reports::Report report =
      make_run_report(*result.links, std::move(result.run), since ? &*since : nullptr, options.report, rules, now);
  report.elapsed = result.elapsed;
  report.slowest_hosts = std::move(result.slowest_hosts);
  // Verdicts need titles even then, but they are not reported.
  if (options.names_harvest && options.crawl.harvest == parser::Harvest::none) {
    reports::Summary& summary = report.summary;
    summary.pages = summary.titles = summary.authors = summary.dates = 0;
  }
  return report;
}

// Returns null if the disk is full: the run continues without a store.
std::unique_ptr<storage::Store> open_store_unless_full(const std::string& configured, Duration timeout,
                                                       const std::atomic<StopSignal>& stop, bool& disk_was_full) {
  try {
    return open_store(configured, timeout, stop);
  } catch (const storage::StoreFull& error) {
    spdlog::warn(fmt::format("{}: the run continues as with --no-store", error.what()));
    disk_was_full = true;
    return nullptr;
  }
}

// Keeps the links that the store has with one of these healths.
void keep_only(LinkTable& plan, const std::vector<storage::Health>& only, const storage::Store* store) {
  if (store == nullptr) throw storage::StoreError("--only needs the store, but no usable store was found");
  plan.keep_only([&](std::size_t link) {
    const std::optional<storage::LinkState> known = storage::LinkHistory(*store).state(plan.id(link));
    return known && known->snapshot.fetched_at != Timestamp{} &&
           std::ranges::find(only, known->snapshot.verdict.health) != only.end();
  });
}

// Returns the error that ended the run, or an empty string.
std::string describe_failure(const CrawlResult& result) {
  if (!result.failure) return {};
  try {
    std::rethrow_exception(result.failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Returns the outcome of the run. `failure`: the error that ended it; empty for a signal or a normal end.
reports::Outcome end_of_check(const reports::Report& report, const CheckOptions& options, const Work& work,
                              bool disk_was_full, const std::string& failure, const std::atomic<StopSignal>& stop) {
  constexpr int could_not_run = static_cast<int>(ExitCode::could_not_run);
  if (!failure.empty()) return {could_not_run, failure};
  if (work.planned == 0) return outcome_without_links(options.lists, work.unread);
  if (work.empty && work.unread.empty()) {
    const std::optional<storage::Shard>& shard = options.crawl.shard;
    return {0, "nothing to check: " +
                   (options.only.empty()
                        ? fmt::format("part {} contains none of the {} links", describe(*shard), work.planned)
                        : fmt::format("the store has none of {} links in the states given with --only", work.planned))};
  }
  if (report.run.state == storage::RunState::interrupted) {
    const std::string_view next = report.store.empty() ? "" : "; run the same command again to continue";
    return {static_cast<int>(stopped_by(stop)),
            fmt::format("interrupted: the report covers the finished links{}", next)};
  }
  const reports::Summary& summary = report.summary;
  const storage::RunState state = report.run.state;
  const bool by_changes = report.changes.is_since_notification;
  reports::Outcome end = by_changes ? reports::news_outcome(report.news, summary, state, options.report.outcome)
                                    : reports::outcome(summary, state, options.report.outcome);
  if (by_changes && end.exit_code != 4) end.why = reports::describe_changes(report.changes);
  if (end.exit_code != 0) return end;
  if (disk_was_full) return {could_not_run, end.why + ", but nothing was stored: the store cannot be written"};
  if (!work.unread.empty()) return {could_not_run, work.unread.front()};
  return end;
}

// Rejects an output that would overwrite an input document or the configuration.
void refuse_output_over_input(const CheckOptions& options, const char* option, const std::string& output) {
  const auto is_output = [&output](const std::string& input) {
    std::error_code error;
    return std::filesystem::equivalent(input, output, error);
  };
  const bool is_read = std::ranges::any_of(options.lists.inputs, is_output) ||
                       std::ranges::any_of(options.common.config_files, is_output) ||
                       is_output(discovered_configuration());
  if (is_read)
    throw CLI::ValidationError(option, output + " is an input of this command; choose another file for the output");
}

// In GitHub Actions, adds annotations and a job summary if no other output is requested.
void report_to_github(CheckOptions& options) {
  ReportOptions& report = options.report;
  const bool asks_for_text = report.all || !report.sections.empty() || report.only_changes || options.common.quiet;
  if (environment_variable("GITHUB_ACTIONS") != "true" || report.names_format || !report.outputs.empty() ||
      asks_for_text)
    return;
  report.outputs.push_back({reports::ReportFormat::github, ""});
  const std::string summary = environment_variable("GITHUB_STEP_SUMMARY");
  if (!summary.empty() && access(summary.c_str(), W_OK) == 0)
    report.outputs.push_back({reports::ReportFormat::markdown, summary, true});
}

// Checks the output files before the run.
void check_outputs(const CheckOptions& options) {
  refuse_issue_of_changes(options.report);
  for (const ReportOutput& output : options.report.outputs) {
    refuse_output_over_input(options, "--output", output.path);
    require_writable(output.path);
  }
  refuse_output_over_input(options, "--metrics", options.notification.metrics);
  require_writable(options.notification.metrics);
  require_new_folder(options.report.audit);
}

// Uses the state of the run in the store.
void write_audit_of_check(const reports::Report& report, const CheckOptions& options, const storage::Store* store,
                          const parser::TrackingRules* rules, const Streams& streams) {
  if (store == nullptr) throw std::runtime_error("this run has no store, so no audit was written");
  const std::vector<storage::Run> runs = store->runs();
  const auto is_this = [&report](const storage::Run& run) { return run.number == report.run.number; };
  const auto run = std::ranges::find_if(runs, is_this);
  if (run == runs.end()) throw std::runtime_error("the store does not have this run, so no audit was written");
  write_audit(options.report.audit, {*store, *run, earlier_run(runs, *run)}, options.report, rules, streams);
}

// The store of a run. An existing store is opened before the input documents are read, so that a lock is reported at
// once. A new store is created only if there is a link for it.
class RunStore {
 public:
  RunStore(const CheckOptions& options, const std::atomic<StopSignal>& stop)
      : location_(options.store), timeout_(options.wait_lock), stop_(stop) {
    // into a store named by the user
    const bool is_harvest = options.crawl.fetch.saved != nullptr && !location_.empty();
    is_wanted_ = !options.no_store && (!options.offline || is_harvest);
  }

  void open_existing() {
    if (is_wanted_ && storage::is_marked_store(store_location(location_))) open();
  }
  void open_or_make() {
    if (is_wanted_ && !is_tried_) open();
  }
  void close() { store_.reset(); }
  bool is_wanted() const { return is_wanted_; }

  storage::Store* get() const { return store_.get(); }
  bool disk_was_full() const { return disk_was_full_; }

 private:
  void open() {
    is_tried_ = true;
    store_ = open_store_unless_full(location_, timeout_, stop_, disk_was_full_);
  }

  std::string location_;
  Duration timeout_;
  const std::atomic<StopSignal>& stop_;
  bool is_wanted_ = false;
  bool is_tried_ = false;
  bool disk_was_full_ = false;
  std::unique_ptr<storage::Store> store_;
};

// Keeps the links that this run checks, unless they were already selected (`is_chosen`), and opens the store for them.
void choose_links(LinkTable& plan, CheckOptions& options, RunStore& store, Work& work, bool is_chosen) {
  std::optional<storage::Shard>& shard = options.crawl.shard;
  if (shard && !is_chosen) {
    if (options.only.empty()) shard->links = work.planned;
    keep_shard(plan, shard->number, shard->count);
  }
  if (work.planned > 0) store.open_or_make();
  if (!options.only.empty() && work.planned > 0) keep_only(plan, options.only, store.get());
  work.empty = plan.empty();
  if (work.empty && !shard) store.close();  // nothing to store; but a shard without links is still a shard
}

// Everything that finishing a report requires.
struct ReportEnd {
  const CheckOptions& options;
  const Work& work;
  const ChangeNotifier* notifier = nullptr;      // null: no subscribers
  storage::Store* store = nullptr;               // may be null
  const parser::TrackingRules* rules = nullptr;  // may be null
  const std::atomic<StopSignal>& stop;
  const Streams& streams;
};

std::string report_for_people(const reports::Report& report) {
  std::ostringstream text;
  reports::write_text(text, report, {.changes = true});
  return std::move(text).str();
}

// Returns true if all subscribers were notified. Returns nullopt without a notifier. No notification is sent if some
// links of the run were not checked; the next complete run reports those changes as well. Sets `failures` to messages
// about what went wrong.
std::optional<bool> notify_subscribers(const reports::Report& report, const ReportEnd& end,
                                       std::vector<std::string>& failures) {
  if (end.notifier == nullptr) return std::nullopt;
  const bool is_whole = end.store != nullptr && report.run.state == storage::RunState::complete &&
                        end.work.unread.empty() && end.work.planned > 0;
  if (is_whole) {
    failures = end.notifier->notify(report, report.changes.should_notify() ? report_for_people(report) : std::string(),
                                    *end.store, end.options.crawl.fetch, end.stop);
  } else {
    failures.emplace_back("no notifications about changes were sent: the next complete run sends them");
  }
  return is_whole && failures.empty();
}

// Writes the report, notifies subscribers and returns the exit code.
ExitCode report_check(reports::Report& report, const CrawlResult& result, const ReportEnd& end) {
  const CheckOptions& options = end.options;
  const Streams& streams = end.streams;
  reports::Outcome& outcome = report.outcome;
  const bool nothing_changed = report.changes.is_since_notification && !report.changes.should_notify();
  const bool is_quiet = (options.common.quiet || nothing_changed) && outcome.exit_code == 0;
  write_report(report, options.report, is_quiet || nothing_changed || end.work.empty, streams);
  if (!report.store.empty()) log_pruning(result.pruned);
  std::vector<std::string> failures;
  const std::optional<bool> was_notified = result.failure ? std::nullopt : notify_subscribers(report, end, failures);
  for (const std::string& failure : failures) {
    outcome.why += "; " + failure;
    if (outcome.exit_code == 0) outcome.exit_code = static_cast<int>(ExitCode::could_not_run);
  }
  if (!failures.empty() && end.stop.load() != StopSignal::none)
    outcome.exit_code = static_cast<int>(stopped_by(end.stop));
  if (!options.notification.metrics.empty()) {
    write_file(options.notification.metrics,
               [&](std::ostream& out) { reports::write_metrics(out, report, was_notified); });
  }
  if (result.failure) std::rethrow_exception(result.failure);
  // After an interruption, the command that resumes the run writes the audit.
  const bool is_interrupted = report.run.state == storage::RunState::interrupted;
  if (!options.report.audit.empty() && !end.work.empty && !is_interrupted)
    write_audit_of_check(report, options, end.store, end.rules, streams);
  if (!is_quiet || !failures.empty()) print_reason(streams, outcome.why);
  return static_cast<ExitCode>(outcome.exit_code);
}

// Returns nullopt without --changes-only. Two calls count as the same scope if they find the same documents in the same
// way.
std::optional<ChangeNotifier> make_notifier(const CheckOptions& options) {
  if (!options.notification.changes_only) return std::nullopt;
  const storage::FileNames names = storage::FileNames::of_store(store_location(options.store));
  std::vector<std::string> scope = input_names(options.lists);
  for (std::string& input : scope) input = names.to_stored(input);
  std::ranges::sort(scope);
  scope.insert(scope.end(), {"files_from=" + options.lists.files_from, "vantage=" + options.crawl.vantage});
  return ChangeNotifier(options.notification, scope);
}

}  // namespace

ExitCode check_lists(CheckOptions options, const Streams& streams, const std::function<ExitCode(Checked&)>& finish,
                     std::optional<GivenPlan> given) {
  check_request_options(options.crawl.fetch);
  if (!options.offline) options.crawl.github = github_api(options.github);
  if (!given) read_ignore_files(options.selection);
  const std::optional<GitChanges> changes = read_changes(options.lists);
  const GitChanges* const changed = changes ? &*changes : nullptr;
  raise_file_limit();
  const std::atomic<StopSignal>& stop = watch_signals();
  std::optional<ImmediateExitOnSignal> reading(std::in_place, "the archives");
  const std::unique_ptr<const ArchiveReplay> saved = read_warc_files(options, streams);
  if (saved) replay_warc_files(options.crawl, *saved);

  const LinkFilter filter = make_link_filter(options.selection);
  options.crawl.web_anchors = options.selection.web_anchors;
  options.crawl.filter = &filter;
  RunStore store(options, stop);
  if (options.offline && options.report.has_store_option && !store.is_wanted() && !options.common.quiet)
    print_reason(streams, fmt::format("--offline does not change the store {}", options.store));
  if (!options.report.audit.empty() && !store.is_wanted())
    throw CLI::ValidationError("--audit", "it is written from the store, which --offline does not change");
  const Clock clock(options.common.now);  // one time for the whole run
  LinkTableOptions lists = plan_options(options, filter);
  lists.changes = changed;
  std::optional<SiteCheck> crawled;
  if (options.site.recursive) crawled.emplace(options.site, options.lists.inputs, lists, clock.now());
  SiteCheck* const site = crawled ? &*crawled : nullptr;
  Work work;
  LinkTable plan;
  reading.emplace("the documents");
  store.open_existing();
  const auto started = steady_clock::now();
  if (given) {
    plan = std::move(given->plan);
    work.planned = given->all_links;
    work.unread = std::move(given->unread);
  } else {
    plan = plan_links(options, lists, site, clock, streams, work);
    release_freed_memory();  // the texts of the input documents
  }
  reading.reset();
  choose_links(plan, options, store, work, given.has_value());
  CrawlResult result =
      run_crawl(std::move(plan), options, site, clock, steady_clock::now() - started, store.get(), stop, streams);
  release_freed_memory();  // data that the report does not need
  if (site != nullptr) work.unread = site->unread();
  std::string scope = site != nullptr ? site->describe() : describe_scope(options, changed, work.unchanged);
  if (site != nullptr && !options.common.quiet && options.report.format != reports::ReportFormat::text)
    print_reason(streams, scope);
  Checked checked{options, work,        std::move(scope), store.get(), store.disk_was_full(),
                  stop,    clock.now(), std::move(result)};
  return finish(checked);
}

LinkTableOptions plan_options(const CheckOptions& options, const LinkFilter& filter) {
  LinkTableOptions plan;
  plan.extract = extract_options(options.lists);
  plan.names = storage::FileNames::of_store(store_location(options.store));
  plan.filter = &filter;
  plan.include_mail = options.selection.include_mail;
  plan.web_anchors = options.selection.web_anchors;
  plan.offline = options.offline && options.crawl.fetch.saved == nullptr;
  return plan;
}

ExitCode check_and_report(CheckOptions options, const Streams& streams, std::optional<GivenPlan> given,
                          const std::function<void()>& on_complete) {
  refuse_unsafe_output(options.store, "--log-file", options.common.log_file);
  for (const ReportOutput& output : options.report.outputs)
    refuse_unsafe_output(options.store, "--output", output.path);
  refuse_unsafe_output(options.store, "--metrics", options.notification.metrics);
  refuse_unsafe_output(options.store, "--audit", options.report.audit);
  options.report.only_changes = options.report.only_changes || options.notification.changes_only;
  report_to_github(options);
  start_log(options.common);
  const auto rules = read_tracking_rules(options.report.tracking_rules, streams, options.common.quiet);
  check_outputs(options);
  if (options.should_use_browser && options.browser.has_sandbox && geteuid() == 0)
    throw CLI::ValidationError("--browser",
                               "the browser has no sandbox if root runs it; run linkherd as another user, or add "
                               "--browser-no-sandbox");
  const std::optional<ChangeNotifier> notifier = make_notifier(options);
  const ChangeNotifier* const notifier_if_any = notifier ? &*notifier : nullptr;
  const auto finish = [&](Checked& checked) {
    CrawlResult& result = checked.result;
    const auto since = earlier(result.run, checked.store, notifier_if_any);
    reports::Report report = report_of(result, checked.options, rules ? &*rules : nullptr, checked.now, since);
    if (checked.store != nullptr) report.store = store_location(checked.options.store).string();
    report.scope = checked.scope;
    report.outcome = end_of_check(report, checked.options, checked.work, checked.disk_was_full,
                                  describe_failure(result), checked.stop);
    const bool is_complete = report.run.state == storage::RunState::complete && !checked.disk_was_full;
    const ExitCode code = report_check(report, result,
                                       {checked.options, checked.work, notifier_if_any, checked.store,
                                        rules ? &*rules : nullptr, checked.stop, streams});
    if (is_complete && on_complete) on_complete();
    return code;
  };
  return check_lists(std::move(options), streams, finish, std::move(given));
}

Command add_check_command(CLI::App& app) {
  return add_command<CheckOptions>(
      app, "check", "Check every link in your files and report what is broken", commands::check,
      [](const CheckOptions& o, const Streams& streams) { return check_and_report(o, streams); });
}

}  // namespace linkherd::crawler
