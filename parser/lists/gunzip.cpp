#include "parser/lists/gunzip.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <zlib.h>

namespace linkherd::parser {
namespace {

constexpr std::size_t chunk_bytes = 65536;

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }  // 16: gzip, and nothing else
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream& stream() { return stream_; }
  bool ready() const { return ready_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B\x08"); }

Gunzipped gunzip(std::string_view bytes, std::size_t max_bytes) {
  Gunzipped result;
  Inflater inflater;
  if (!is_gzip(bytes) || !inflater.ready()) {
    result.problem = GzipProblem::broken;
    return result;
  }
  z_stream& stream = inflater.stream();
  // zlib reads through a pointer that is not const, and writes nothing there.
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  std::size_t left = bytes.size();
  std::vector<char> chunk(chunk_bytes);
  while (true) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max() / 2));
      left -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = chunk.size() - stream.avail_out;
    const std::size_t kept = std::min(made, max_bytes - result.text.size());
    result.text.append(chunk.data(), kept);
    if (kept < made) {
      result.problem = GzipProblem::too_large;
      return result;
    }
    if (status == Z_STREAM_END) {
      const bool more = stream.avail_in > 1 && stream.next_in[0] == 0x1F && stream.next_in[1] == 0x8B;
      if (!more) return result;  // what follows the last member is padding
      inflateReset(&stream);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      result.problem = GzipProblem::broken;
      return result;
    } else if (made == 0 && stream.avail_in == 0 && left == 0) {
      result.problem = GzipProblem::truncated;
      return result;
    }
  }
}

}  // namespace linkherd::parser
