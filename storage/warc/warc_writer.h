// Writes WARC files (ISO 28500) record by record. In a gzipped file, each record is a gzip member of its own. Equal
// records have equal bytes: the id of a record is a UUID of version 5, derived from its content.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/enum_names.h"
#include "parser/timestamp.h"

namespace linkherd::storage {

// Names are printed: DO NOT CHANGE them.
enum class WarcVersion : std::uint8_t { v1_0, v1_1 };
inline constexpr std::array<EnumName<WarcVersion>, 2> warc_version_names{
    {{WarcVersion::v1_0, "1.0"}, {WarcVersion::v1_1, "1.1"}}};

// Returns a WARC-Date. Version 1.0 has only whole seconds.
std::string warc_date(Timestamp date, WarcVersion version);

struct NewWarcRecord {
  std::string_view type;
  std::string target_uri;  // empty if the record has none
  Timestamp date;
  std::string content_type;  // media type of the block
  // Additional fields; the id, the length and the block's digest are added automatically.
  std::vector<std::pair<std::string_view, std::string>> fields;
  std::string block;
};

// Returns "sha1:" and the digest in base 32, the form that all tools read.
std::string warc_digest(std::string_view bytes);

class WarcWriter {
 public:
  WarcWriter(std::ostream& out, WarcVersion version, bool gzip) : out_(out), version_(version), gzip_(gzip) {}

  struct Written {
    std::string id;  // "<urn:uuid:…>"
    std::uint64_t offset = 0;
    std::uint64_t length = 0;  // bytes in the file
  };
  Written write(const NewWarcRecord& record);

 private:
  std::ostream& out_;
  WarcVersion version_;
  bool gzip_;
  std::uint64_t offset_ = 0;
};

}  // namespace linkherd::storage
