#include "crawler/cli/report_output.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/Error.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawler/cli/options/acceptances.h"
#include "crawler/cli/options/option.h"
#include "crawler/cli/options/store_location.h"
#include "crawler/cli/process.h"
#include "crawler/cli/terminal.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/utf8.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "storage/file_descriptor.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// Returns the plain style for files, and for stdout if it is not a terminal.
reports::TextStyle text_style(const ReportOptions& options, const std::string& path, const Streams& streams) {
  reports::TextStyle style;
  const bool to_terminal = path.empty() && streams.is_out_terminal;
  if (to_terminal) style.columns = terminal_columns(STDOUT_FILENO);
  const bool may_decorate = to_terminal && options.color != ColorMode::never && !no_color_wanted();
  style.hyperlinks = may_decorate && terminal_has_hyperlinks();
  style.color = options.color == ColorMode::always || may_decorate;
  return style;
}

// `error`: an errno value; 0: unknown.
[[noreturn]] void refuse_output(const std::string& file, int error) {
  const std::string why = error == 0 ? "" : std::generic_category().message(error) + "; ";
  throw std::runtime_error("cannot write to " + to_valid_utf8(file) + ": " + why + "choose another file");
}

// Returns the file to replace, or nullopt if the report must be written in place: devices and pipes.
std::optional<fs::path> replaceable(const std::string& output) {
  std::error_code error;
  const fs::path path = fs::absolute(output, error).lexically_normal();
  // /dev/stdout may be a regular file that is open elsewhere and must not be replaced.
  const fs::path first = *std::next(path.begin());
  if (error || first == "dev" || first == "proc") return std::nullopt;
  if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return path;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  const fs::path real = fs::canonical(path, error);
  return error ? std::nullopt : std::optional(real);
}

// A new, empty file next to the one that it will replace. The destructor removes it unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target) {
    constexpr std::size_t max_name_length = 200;
    constexpr int attempts = 100;
    const std::string name = '.' + target.filename().string().substr(0, max_name_length);
    for (int i = 0; i < attempts && !made_; ++i) {
      path_ = target.parent_path() / fmt::format("{}.{}-{}.new", name, ::getpid(), i);
      // The umask determines the mode.
      const storage::FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (!file.is_open() && errno != EEXIST) return;
      made_ = file.is_open();
      if (made_) has_owner_and_mode_ = copy_owner_and_mode(file.number());
    }
  }
  ~TemporaryFile() {
    if (made_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Returns true if the file was created and has the owner and mode of the old file.
  bool usable() const { return made_ && has_owner_and_mode_; }
  const fs::path& path() const { return path_; }
  bool replace() {
    if (std::rename(path_.c_str(), target_.c_str()) == 0) made_ = false;
    return !made_;
  }

 private:
  bool copy_owner_and_mode(int file) const {
    struct stat old {};
    if (::stat(target_.c_str(), &old) != 0) return true;  // there is no old file
    const bool same_owner = old.st_uid == ::geteuid() || ::fchown(file, old.st_uid, old.st_gid) == 0;
    return same_owner && ::fchmod(file, old.st_mode & 07777U) == 0;
  }

  fs::path target_;
  fs::path path_;
  bool made_ = false;
  bool has_owner_and_mode_ = false;
};

bool is_on_disk(const fs::path& path) {
  const storage::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && ::fsync(file.number()) == 0;
}

// For callers without an earlier refuse_unsafe_output(): `init` and `accept` write settings.
void refuse_leading_out(const std::string& name) {
  if (!leads_out(name)) return;
  throw std::runtime_error(fmt::format("{} {}: nothing is written; choose the file that it points to",
                                       to_valid_utf8(name), leads_out_message));
}

void append_to_file(const std::string& name, const std::function<void(std::ostream&)>& write) {
  refuse_leading_out(name);
  errno = 0;
  std::ofstream file(name, std::ios::binary | std::ios::app);
  if (file) write(file);
  file.flush();
  if (!file) refuse_output(name, errno);
}

// Returns the root of the repository around the current folder. Outside of a repository, returns the working folder
// that GitHub or GitLab names, if it contains the current folder.
std::string root_around(const fs::path& folder) {
  if (const std::optional<fs::path> root = repository_root()) return (folder / *root).lexically_normal().string();
  for (const char* const name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const fs::path root = fs::path(environment_variable(name)).lexically_normal();
    const fs::path below = folder.lexically_relative(root);
    if (!below.empty() && *below.begin() != "..") return root.string();
  }
  return {};
}

}  // namespace

reports::Report make_run_report(const storage::CheckedLinks& links, storage::Run run, const reports::EarlierRun* since,
                                const ReportOptions& options, const parser::TrackingRules* rules, Timestamp now) {
  reports::Report report =
      reports::report_on(links, {std::move(run), options.duplicates, rules, find_accepted(options.accepted, now), now,
                                 options.certificate_days, since, options.only_changes});
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  if (!error) {
    report.repository = root_around(folder);
    report.folder = folder.string();
  }
  report.policy = options.outcome;
  return report;
}

void require_writable(const std::string& output) {
  if (output.empty()) return;
  const std::filesystem::path path(output);
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(path, error)) refuse_output(output, EISDIR);
  if (access((exists ? path : folder).c_str(), W_OK) != 0) refuse_output(output, errno);
}

Replacement replace_file(const std::string& name, const std::function<void(std::ostream&)>& write) {
  const std::optional<fs::path> target = replaceable(name);
  if (!target) return {.is_possible = false};
  TemporaryFile beside(*target);
  if (!beside.usable()) return {.is_possible = false};
  errno = 0;
  std::ofstream file(beside.path(), std::ios::binary | std::ios::trunc);
  if (file) write(file);
  file.close();
  if (!file || !is_on_disk(beside.path())) return {.is_written = false, .error = errno};
  return {.is_possible = beside.replace()};
}

void write_file(const std::string& name, const std::function<void(std::ostream&)>& write) {
  refuse_leading_out(name);
  const Replacement replacement = replace_file(name, write);
  if (!replacement.is_written) refuse_output(name, replacement.error);
  if (replacement.is_possible) return;
  errno = 0;
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  if (file) write(file);
  file.flush();
  if (!file) refuse_output(name, errno);
}

void write_output(const std::string& output, const Streams& streams, const std::function<void(std::ostream&)>& write) {
  if (!output.empty()) return write_file(output, write);
  write(streams.out);
  streams.out.flush();
  if (!streams.out) throw std::ios_base::failure("standard output");
}

void refuse_issue_of_changes(const ReportOptions& options) {
  const auto is_issue = [&options](const ReportOutput& output) {
    return format_of(output, options) == reports::ReportFormat::issue;
  };
  std::vector<ReportOutput> outputs = options.outputs;
  if (outputs.empty()) outputs.emplace_back();
  if (options.only_changes && std::ranges::any_of(outputs, is_issue)) {
    throw CLI::ValidationError("issue",
                               "it lists all open problems, but --changes lists only new ones; write it afterwards "
                               "with `linkherd report --format issue`");
  }
}

void write_report(const reports::Report& report, const ReportOptions& options, bool is_quiet, const Streams& streams) {
  std::vector<ReportOutput> outputs = options.outputs;
  if (outputs.empty()) outputs.emplace_back();
  std::exception_ptr failure;  // the first one; the other outputs are still written
  for (const ReportOutput& output : outputs) {
    const reports::ReportFormat format = format_of(output, options);
    if (is_quiet && format == reports::ReportFormat::text && output.path.empty()) continue;
    const reports::TextStyle style = text_style(options, output.path, streams);
    const reports::FormatOptions format_options{
        style, options.all, options.sections, options.group_by, options.only_changes, options.language};
    const auto write = [&](std::ostream& out) {
      if (options.byte_order_mark && format == reports::ReportFormat::csv) out << byte_order_mark;
      reports::description_of(format).write(out, report, format_options);
      out.flush();
    };
    try {
      output.append ? append_to_file(output.path, write) : write_output(output.path, streams, write);
      if (format == reports::ReportFormat::github && output.path.empty())
        streams.has_github_annotation = !reports::other_reason(report).empty();
    } catch (const std::runtime_error&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace linkherd::crawler
