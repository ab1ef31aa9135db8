// Stores bodies of pages in WARC files (ISO 28500). A worker and its run share the folder of these files, so that the
// bodies need not pass through the broker. A record is the response in the format of `linkherd export --format warc`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "crawler/clock/clock.h"
#include "parser/result.h"
#include "storage/file_descriptor.h"
#include "storage/snapshot.h"
#include "storage/warc/warc_writer.h"

namespace linkherd::crawler {

struct BodyLocation {
  std::string file;          // name in the folder
  std::uint64_t offset = 0;  // of the record

  bool operator==(const BodyLocation&) const = default;
};

// In bytes. Shorter bodies pass through the broker, because a file costs more.
inline constexpr std::size_t min_body_in_file_bytes = std::size_t{16} << 10;

// Writes the bodies of one worker for one run. No other worker uses the same file names: RUN-MACHINE-NUMBER.warc.gz.
class BodyWriter {
 public:
  static constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  // a new file is begun above this size

  // `clock` must outlive this object.
  BodyWriter(std::filesystem::path folder, std::string run, const Clock& clock)
      : folder_(std::move(folder)), run_(std::move(run)), clock_(clock) {}

  // Returns nullopt and logs the problem if the body cannot be written.
  std::optional<BodyLocation> write(const storage::Snapshot& snapshot, const std::string& body);
  // Makes everything written so far readable for other machines.
  void sync();

 private:
  bool open_file();
  void give_up(const char* problem);

  const std::filesystem::path folder_;
  const std::string run_;
  const Clock& clock_;
  std::uint32_t number_ = 0;
  std::string name_;  // of the current file
  std::ofstream file_;
  storage::FileDescriptor synced_;             // the current file
  std::optional<storage::WarcWriter> writer_;  // nullopt if no file is open
  std::uint64_t written_ = 0;                  // bytes in the current file
  bool has_unconfirmed_ = false;
};

// Returns the body of `snapshot`. Returns an Error if the body is missing or damaged, or if its digest is not that of
// `snapshot`.
Result<std::string> read_body(const std::filesystem::path& folder, const BodyLocation& location,
                              const storage::Snapshot& snapshot);

}  // namespace linkherd::crawler
