#include "crawler/cli/options/store_location.h"

#include <chrono>
#include <system_error>
#include <thread>

#include <CLI/Error.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawler/sources/git_files.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/store_directory.h"
#include "storage/store_errors.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// Checks the owner of the path and that of its target.
bool is_of_another_user(const fs::path& path) {
  struct stat own {};
  struct stat target {};
  const bool exists = ::lstat(path.c_str(), &own) == 0;
  const bool leads_somewhere = ::stat(path.c_str(), &target) == 0;
  return (exists && own.st_uid != ::geteuid()) || (leads_somewhere && target.st_uid != ::geteuid());
}

// Returns why the store at the default location is not opened, or nullopt if it is trusted.
std::optional<std::string> reason_for_distrust(const std::string& configured) {
  const fs::path path = store_location(configured);
  if (leads_out(path)) return fmt::format("the store {} {}", path.string(), leads_out_message);
  if (!configured.empty()) return std::nullopt;
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return std::nullopt;
  if (is_of_another_user(path) || is_of_another_user(path / "db") || is_of_another_user(path / "reports")) {
    return fmt::format("the store {} belongs to another user", path.string());
  }
  if (const std::optional<bool> is_in_git = is_tracked(path)) {
    if (!*is_in_git) return std::nullopt;
    return fmt::format("the store {} is tracked by git", path.string());
  }
  return fmt::format("git's index cannot be read, so linkherd does not know whether git tracks the store {}",
                     path.string());
}

std::string describe_trusting_store(const std::string& configured) {
  const fs::path path = store_location(configured);
  if (leads_out(path)) return "if the target folder is yours, name it with --store";
  return fmt::format("if it is yours, specify it with --store {}", path.string());
}

// Calls `work` until it no longer throws StoreLocked, because another process is writing, or until `stop` is set, which
// may be null. Returns the result of `work`.
template <class Work>
auto when_unlocked(Duration timeout, const std::atomic<StopSignal>* stop, Work work) {
  constexpr auto poll_interval = std::chrono::milliseconds(100);
  const auto until = std::chrono::steady_clock::now() + timeout;
  for (bool is_reported = false;; is_reported = true) {
    try {
      return work();
    } catch (const storage::StoreLocked& locked) {
      const bool is_stopped = stop != nullptr && stop->load() != StopSignal::none;
      if (is_stopped || std::chrono::steady_clock::now() >= until) throw;
      if (!is_reported) spdlog::warn(fmt::format("{}: waiting for the lock", locked.what()));
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

void refuse_distrusted(const std::string& configured) {
  const auto reason = reason_for_distrust(configured);
  if (!reason) return;
  throw storage::StoreError(fmt::format("{}: the store is not read; {}", *reason, describe_trusting_store(configured)));
}

// Logs the losses of the store. With -q they stay there, and the next command without -q logs them.
void log_losses(const storage::Store& store) {
  if (!spdlog::should_log(spdlog::level::warn)) return;
  for (const std::string& loss : store.take_losses()) spdlog::warn(loss);
}

// Describes the part of an unfinished run that a report shows.
std::string_view shown_part(const storage::Store& store, const storage::Run& unfinished) {
  const std::optional<storage::Run> shown = store.latest_whole_run();
  if (!shown || shown->number != unfinished.number) return "the state before this run";
  return store.is_current() ? "its results" : "an earlier part of its results";
}

void log_unfinished_run(const storage::Store& store) {
  const std::optional<storage::Run> run = store.unfinished_run();
  if (!run) return;
  spdlog::warn(fmt::format("run {}, started {}, {}: the report shows {}; the same `linkherd check` continues it",
                           run->number, format_timestamp(run->started_at),
                           store.is_being_written() ? "is still running" : "was interrupted", shown_part(store, *run)));
}

}  // namespace

std::optional<fs::path> repository_root() {
  std::error_code error;
  const fs::path start = fs::current_path(error);
  if (error) return std::nullopt;
  fs::path relative = ".";
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return relative;
    if (folder == folder.parent_path()) return std::nullopt;
    relative = relative == "." ? fs::path("..") : relative / "..";
  }
}

fs::path store_location(const std::string& configured) {
  if (!configured.empty()) return configured;
  const fs::path root = repository_root().value_or(".");
  return root == "." ? fs::path(".linkherd") : root / ".linkherd";
}

std::unique_ptr<storage::Store> open_store(const std::string& configured, Duration timeout,
                                           const std::atomic<StopSignal>& stop) {
  if (const auto reason = reason_for_distrust(configured)) {
    if (!configured.empty()) refuse_distrusted(configured);
    spdlog::warn(fmt::format("{}: linkherd does not use it, as with --no-store; {}", *reason,
                             describe_trusting_store(configured)));
    return nullptr;
  }
  const fs::path path = store_location(configured);
  std::unique_ptr<storage::Store> store = when_unlocked(timeout, &stop, [&path] { return storage::Store::open(path); });
  log_losses(*store);
  return store;
}

void require_store(const fs::path& path) {
  // Opening decides about a store whose mark was lost.
  if (storage::is_marked_store(path) || storage::StoreDirectory(path).has_database()) return;
  throw storage::StoreError(fmt::format("the store {} does not exist; `linkherd check` creates it", path.string()));
}

std::unique_ptr<storage::Store> open_existing_store(const std::string& configured, Duration timeout) {
  require_store(store_location(configured));
  return open_store_to_fill(configured, timeout);
}

std::unique_ptr<storage::Store> open_store_to_fill(const std::string& configured, Duration timeout) {
  refuse_distrusted(configured);
  const fs::path path = store_location(configured);
  std::unique_ptr<storage::Store> store =
      when_unlocked(timeout, nullptr, [&path] { return storage::Store::open(path); });
  log_losses(*store);
  return store;
}

storage::Restored restore_store(const std::string& configured, const std::string& folder,
                                std::optional<std::uint32_t> backup, Duration timeout) {
  refuse_distrusted(configured);
  const fs::path path = store_location(configured);
  storage::Restored restored =
      when_unlocked(timeout, nullptr, [&] { return storage::Store::restore(folder, path, backup); });
  open_existing_store(configured, {})->publish();  // for reports
  return restored;
}

std::unique_ptr<storage::Store> open_store_for_reading(const std::string& configured) {
  const fs::path path = store_location(configured);
  refuse_distrusted(configured);
  std::unique_ptr<storage::Store> store = storage::Store::open_for_reading(path);
  log_losses(*store);
  log_unfinished_run(*store);
  return store;
}

storage::LinkId stored_link_id(const std::string& text) {
  const Result<parser::Url> url = parser::Url::parse(text);
  if (url.has_error() && text.find(':') == std::string::npos) {
    throw CLI::ValidationError(
        "URL", text + " is a file or not a URL: every run checks files again, and `linkherd report` shows them");
  }
  if (url.has_error()) throw CLI::ValidationError("URL", text + " is not a valid URL: " + url.error().message);
  return storage::LinkId::of(parser::Url::parse(url->href_without_fragment()).value());
}

namespace {

// Returns the path that writing to `file` would create, even through a symbolic link to a missing file.
fs::path resolve_written_path(const fs::path& file, std::error_code& error) {
  constexpr int max_links = 40;
  fs::path path = fs::absolute(file);
  for (int links = 0; links < max_links; ++links) {
    std::error_code no_link;
    const fs::path target = fs::read_symlink(path, no_link);
    if (no_link) break;
    path = path.parent_path() / target;
  }
  return fs::weakly_canonical(path, error);
}

}  // namespace

void refuse_unsafe_output(const std::string& configured, const std::string& option, const std::string& file) {
  if (file.empty()) return;
  if (leads_out(file))
    throw CLI::ValidationError(option,
                               fmt::format("{} {}: choose the file that it points to", file, leads_out_message));
  std::error_code error;
  const fs::path store = fs::weakly_canonical(fs::absolute(store_location(configured)), error);
  if (error) return;  // opening the store fails too
  for (fs::path path = resolve_written_path(file, error); !error; path = path.parent_path()) {
    if (path == store || storage::is_marked_store(path)) {
      throw CLI::ValidationError(option,
                                 fmt::format("{} is inside the store {}: write it elsewhere", file, path.string()));
    }
    if (path == path.parent_path()) return;
  }
}

void refuse_same_output(const std::string& option, const std::string& file, const std::string& other) {
  if (file.empty() || other.empty()) return;
  std::error_code error;
  const fs::path path = resolve_written_path(file, error);
  if (error) return;  // writing the file fails too
  const bool is_same = path == resolve_written_path(other, error) || fs::equivalent(file, other, error);
  if (is_same)
    throw CLI::ValidationError(option,
                               fmt::format("{} is already used for the other output; choose another file", file));
}

}  // namespace linkherd::crawler
