#include "crawler/broker/body_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "crawler/broker/message_checks.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/saved_response.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/warc/warc_export.h"
#include "storage/warc/warc_reader.h"

namespace linkherd::crawler {
namespace {

constexpr std::uint64_t max_body_bytes = std::uint64_t{1} << 30;  // above the maximum of --max-body-size

std::string machine_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "worker";
  std::string text(name.data());
  text.resize(std::min<std::size_t>(text.size(), 64));
  std::ranges::replace_if(
      text, [](char c) { return !is_name_character(c); }, '-');
  return text;
}

}  // namespace

bool BodyWriter::open_file() {
  const std::string prefix = fmt::format("{}-{}", run_, machine_name());
  int created = -1;
  do {
    name_ = fmt::format("{}-{:05}.warc.gz", prefix, ++number_);
    created = ::open((folder_ / name_).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  } while (created < 0 && errno == EEXIST);
  synced_ = storage::FileDescriptor(created);
  if (!synced_.is_open()) return false;
  file_.open(folder_ / name_, std::ios::binary | std::ios::app);
  writer_.emplace(file_, storage::WarcVersion::v1_1, true);
  const storage::WarcExport options{.software = default_user_agent(), .file_name = name_};
  written_ = writer_->write(storage::warc_info(options, clock_.now(), "run " + run_ + " through a broker")).length;
  return file_.good();
}

void BodyWriter::give_up(const char* problem) {
  spdlog::warn(fmt::format("{}: {}: {}; bodies go through the broker", (folder_ / name_).string(), problem,
                           std::strerror(errno)));
  file_.clear();
  file_.close();
  // Removes an incomplete record at the end.
  if (synced_.is_open() && ::ftruncate(synced_.number(), static_cast<off_t>(written_)) != 0)
    spdlog::debug(fmt::format("{} ends with an incomplete record", name_));
  synced_.close();
  writer_.reset();
}

std::optional<BodyLocation> BodyWriter::write(const storage::Snapshot& snapshot, const std::string& body) {
  const Result<parser::Url> url = parser::Url::parse(snapshot.final_url);
  if (!url) return std::nullopt;
  if (writer_ && written_ >= max_file_bytes) {
    sync();
    file_.close();
    writer_.reset();
  }
  errno = 0;
  if (!writer_ && !open_file()) {
    give_up("cannot be created");
    return std::nullopt;
  }
  const storage::WarcWriter::Written record = writer_->write(storage::warc_answer(snapshot, *url, &body));
  file_.flush();
  if (!file_.good()) {
    give_up("cannot be written");
    return std::nullopt;
  }
  written_ = record.offset + record.length;
  has_unconfirmed_ = true;
  return BodyLocation{name_, record.offset};
}

void BodyWriter::sync() {
  if (!std::exchange(has_unconfirmed_, false)) return;
  if (::fdatasync(synced_.number()) != 0)
    spdlog::warn(fmt::format("{}: cannot be synced: {}", (folder_ / name_).string(), std::strerror(errno)));
}

Result<std::string> read_body(const std::filesystem::path& folder, const BodyLocation& location,
                              const storage::Snapshot& snapshot) {
  if (!is_name(location.file) || snapshot.body_bytes > max_body_bytes) return Error{"its location is invalid"};
  const std::filesystem::path path = folder / location.file;
  const auto error = [&path](std::string_view problem) { return Error{fmt::format("{}: {}", path.string(), problem)}; };
  std::error_code code;
  // A symbolic link could lead out of the folder.
  if (std::filesystem::symlink_status(path, code).type() != std::filesystem::file_type::regular)
    return error("does not exist or is not a regular file");
  std::ifstream in(path, std::ios::binary);
  storage::WarcReader reader(in, location.offset);
  const std::optional<storage::WarcRecord> record = reader.next();
  if (!record || record->offset != location.offset) return error("has no record at that position");
  std::optional<AttemptResult> response =
      read_saved_response(reader, *record, static_cast<std::size_t>(snapshot.body_bytes));
  if (!response || storage::content_digest(response->body) != snapshot.body_digest)
    return error("has a different body at that position");
  return {boost::system::in_place_value, std::move(response->body)};
}

}  // namespace linkherd::crawler
