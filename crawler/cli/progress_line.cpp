#include "crawler/cli/progress_line.h"

#include <algorithm>
#include <atomic>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "crawler/cli/terminal.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t usual_columns = 80;
constexpr std::string_view empty_line = "\r\x1b[K";

std::atomic<bool> is_progress_shown = false;

std::string_view without_scheme(std::string_view origin) {
  const auto slashes = origin.find("://");
  return slashes == std::string_view::npos ? origin : origin.substr(slashes + 3);
}

// Returns an empty string if the host only waits for its next request.
std::string describe(const HostWait& wait) {
  const std::string time = reports::whole_seconds(wait.time);
  const std::string status = wait.status == 0 ? std::string() : fmt::format("{}, ", wait.status);
  switch (wait.reason) {
    case WaitReason::turn: break;
    case WaitReason::host_pause: return fmt::format("{}asked to wait {}", status, time);
    case WaitReason::own_pause: return fmt::format("{}waiting {}", status, time);
    case WaitReason::crawl_delay: return fmt::format("robots.txt asks for one request per {}", time);
    case WaitReason::no_answer: return "no answer";
    case WaitReason::confirmation: return fmt::format("second check in {}", time);
    case WaitReason::retry: return fmt::format("retry in {}", time);
  }
  return {};
}

}  // namespace

std::size_t count_failures(const CrawlProgress& progress, const std::vector<storage::Health>& fail_on) {
  std::size_t count = 0;
  for (const auto& [health, links] : progress.by_health) {
    if (std::ranges::find(fail_on, health) != fail_on.end()) count += links;
  }
  return count;
}

std::string progress_text(const CrawlProgress& progress, const ProgressFigures& figures, std::size_t columns) {
  const auto elapsed = std::chrono::floor<std::chrono::seconds>(figures.elapsed);
  std::string text = fmt::format("[{}] {}/{} links, {} failed, {:.0f}/s", format_duration(elapsed), progress.done,
                                 progress.total, figures.failures, figures.links_per_second);
  std::vector<HostBacklog> hosts = progress.pool.biggest_backlogs;
  std::stable_partition(hosts.begin(), hosts.end(),
                        [](const HostBacklog& host) { return host.wait.reason != WaitReason::turn; });
  for (const HostBacklog& host : hosts) {
    const std::string name = reports::escape_for_terminal(without_scheme(host.origin));
    const std::string reason = describe(host.wait);
    std::string part = fmt::format("; {}: {}{}{} left", name, reason, reason.empty() ? "" : ", ", host.pending);
    if (text.size() + part.size() >= columns) part = fmt::format("; {}: {} left", name, host.pending);
    if (text.size() + part.size() >= columns) break;
    text += part;
  }
  return std::string(truncate_utf8(text, columns > 0 ? columns - 1 : 0));
}

std::string finished_text(const FinishedLink& link) {
  std::string how;
  if (link.is_from_store) {
    how = ", from the store";
  } else if (link.duration) {
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(*link.duration);
    how = time.count() == 0 ? ", under 1 ms" : fmt::format(", {} ms", time.count());
  }
  return fmt::format("{:<11} {} ({}{})", enum_name(storage::health_names, link.health),
                     reports::escape_for_terminal(link.url), reports::escape_for_terminal(link.reason), how);
}

ProgressLine::ProgressLine(std::ostream& err, std::vector<storage::Health> fail_on)
    : err_(err), fail_on_(std::move(fail_on)) {}

ProgressLine::~ProgressLine() {
  if (!text_.empty()) err_ << empty_line << std::flush;
  is_progress_shown = false;
}

void ProgressLine::show(const CrawlProgress& progress) {
  if (text_.empty()) done_at_start_ = progress.done;
  ProgressFigures figures{.elapsed = std::chrono::steady_clock::now() - started_,
                          .failures = count_failures(progress, fail_on_)};
  figures.links_per_second =
      static_cast<double>(progress.done - done_at_start_) / std::max(figures.elapsed.count(), 0.1);
  const std::size_t columns = terminal_columns(STDERR_FILENO);
  text_ = progress_text(progress, figures, columns == 0 ? usual_columns : columns);
  is_progress_shown = true;
  err_ << '\r' << text_ << "\x1b[K" << std::flush;
}

void ProgressLine::print_above(std::string_view text) {
  if (!text_.empty()) err_ << empty_line;
  err_ << text << '\n' << text_ << std::flush;
}

std::string_view line_start_beside_progress() { return is_progress_shown ? empty_line : std::string_view(); }

ProgressLog::ProgressLog(std::ostream& err, Time now, std::vector<storage::Health> fail_on)
    : err_(err), started_(now), printed_(now), fail_on_(std::move(fail_on)) {}

void ProgressLog::show(const CrawlProgress& progress, Time now) {
  constexpr std::size_t max_line_bytes = 200;
  if (now - printed_ < std::chrono::minutes(1)) return;
  printed_ = now;
  ProgressFigures figures{.elapsed = now - started_, .failures = count_failures(progress, fail_on_)};
  figures.links_per_second = static_cast<double>(progress.done) / figures.elapsed.count();
  err_ << "linkherd: " << progress_text(progress, figures, max_line_bytes) << std::endl;
}

}  // namespace linkherd::crawler
