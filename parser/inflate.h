// Decompresses gzip, zlib and raw deflate streams. The caller bounds the size of the output, regardless of the sizes
// that the input claims. Corrupt input never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace linkherd::parser {

class Inflater {
 public:
  enum class Format : std::uint8_t { gzip, zlib, raw };
  // How decompression ended: the stream is complete, the input ended too early, the output reached its limit, or the
  // data is corrupt.
  enum class Outcome : std::uint8_t { complete, truncated, too_large, corrupt };

  explicit Inflater(Format format);  // throws std::bad_alloc
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decompresses one stream (in gzip, one member) and appends it to `out`. Removes the consumed bytes from the front of
  // `bytes`. `out` never grows beyond `max_bytes`. The output of an incomplete stream is kept.
  Outcome run(std::string_view& bytes, std::string& out, std::size_t max_bytes);

  // Incremental decompression, for input that is too large for memory. Call reset(), then step() until it returns
  // `complete` or `corrupt`. A step removes bytes from the front of `bytes` and appends at most 64 KiB to `out`.
  enum class Step : std::uint8_t { has_more, needs_input, complete, corrupt };
  void reset();
  Step step(std::string_view& bytes, std::string& out);

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::string chunk_;
};

// The reason why gunzip() stopped early. The output before the error is kept.
enum class GzipProblem : std::uint8_t { none, truncated, too_large, corrupt };

struct GzipResult {
  std::string text;
  GzipProblem problem = GzipProblem::none;
};

// Returns true if the bytes begin with the gzip magic number.
bool is_gzip(std::string_view bytes);

// Decompresses all members of a gzip file, up to `max_bytes` of output. Padding after the last member is ignored.
GzipResult gunzip(std::string_view bytes, std::size_t max_bytes);

}  // namespace linkherd::parser
