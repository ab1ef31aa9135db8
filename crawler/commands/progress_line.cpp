#include "crawler/commands/progress_line.h"

#include <ostream>

#include <fmt/format.h>
#include <unistd.h>

#include "crawler/commands/terminal.h"
#include "parser/utf8.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t usual_columns = 80;

std::string_view without_scheme(std::string_view origin) {
  const auto slashes = origin.find("://");
  return slashes == std::string_view::npos ? origin : origin.substr(slashes + 3);
}

}  // namespace

std::string progress_text(const CrawlProgress& progress, double links_per_second, std::size_t columns) {
  std::string text = fmt::format("{}/{} links, {:.0f}/s", progress.done, progress.total, links_per_second);
  const char* separator = ", waiting for ";
  for (const HostBacklog& host : progress.pool.slowest) {
    const std::string part =
        fmt::format("{}{} ({})", separator, reports::escape_for_terminal(without_scheme(host.origin)), host.pending);
    if (text.size() + part.size() >= columns) break;
    text += part;
    separator = ", ";
  }
  return std::string(truncate_utf8(text, columns > 0 ? columns - 1 : 0));
}

ProgressLine::ProgressLine(std::ostream& err) : err_(err) {}

ProgressLine::~ProgressLine() {
  if (shown_) err_ << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(const CrawlProgress& progress) {
  if (!shown_) done_at_start_ = progress.done;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  const double rate = static_cast<double>(progress.done - done_at_start_) / std::max(elapsed.count(), 0.1);
  const std::size_t columns = terminal_columns(STDERR_FILENO);
  err_ << '\r' << progress_text(progress, rate, columns == 0 ? usual_columns : columns) << "\x1b[K" << std::flush;
  shown_ = true;
}

void ProgressLog::show(const CrawlProgress& progress, Time now) {
  constexpr std::size_t longest_line = 200;
  if (now - told_ < std::chrono::minutes(1)) return;
  told_ = now;
  const std::chrono::duration<double> elapsed = now - started_;
  const double rate = static_cast<double>(progress.done) / elapsed.count();
  err_ << "linkherd: " << progress_text(progress, rate, longest_line) << std::endl;
}

}  // namespace linkherd::crawler
