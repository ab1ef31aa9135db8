// Bodies of pages in WARC files (ISO 28500) of a folder that a worker and its run both see, so that they do not pass
// the broker. A record is the response as `linkherd export --format warc` writes it.
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
  std::string file;          // its name in the folder
  std::uint64_t offset = 0;  // of the record

  bool operator==(const BodyLocation&) const = default;
};

// Bytes. Shorter bodies pass the broker: a file costs more.
inline constexpr std::size_t min_body_in_file_bytes = std::size_t{16} << 10;

// What one worker writes for one run. Files have names that no other worker uses: RUN-MACHINE-NUMBER.warc.gz.
class BodyWriter {
 public:
  static constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  // then there is a new one

  // The clock outlives this.
  BodyWriter(std::filesystem::path folder, std::string run, const Clock& clock)
      : folder_(std::move(folder)), run_(std::move(run)), clock_(clock) {}

  // nullopt: it cannot be written, which is logged.
  std::optional<BodyLocation> write(const storage::Snapshot& snapshot, const std::string& body);
  // Other machines can read what was written so far.
  void sync();

 private:
  bool open_file();
  void give_up(const char* problem);

  const std::filesystem::path folder_;
  const std::string run_;
  const Clock& clock_;
  std::uint32_t number_ = 0;
  std::string name_;  // of the file
  std::ofstream file_;
  storage::FileDescriptor synced_;             // the same file
  std::optional<storage::WarcWriter> writer_;  // none: there is no file
  std::uint64_t written_ = 0;                  // bytes
  bool has_news_ = false;
};

// The body of `snapshot`, whose digest it must have. Error: it is not there, damaged, or another.
Result<std::string> read_body(const std::filesystem::path& folder, const BodyLocation& location,
                              const storage::Snapshot& snapshot);

}  // namespace linkherd::crawler
