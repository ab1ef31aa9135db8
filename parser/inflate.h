// Decompresses gzip, zlib and raw deflate. The output is bounded by the caller, whatever the input claims.
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
  enum class Ending : std::uint8_t { whole, cut, capped, broken };

  explicit Inflater(Format format);  // throws std::bad_alloc
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decompresses one stream (for gzip: one member) from the front of `bytes` and appends it to `out`, which never
  // exceeds `max_bytes`. The output of an incomplete stream is kept.
  Ending run(std::string_view& bytes, std::string& out, std::size_t max_bytes);

  // The same piece by piece, for input that is too large for memory: begin() a stream, then step() until it has ended.
  // A step takes bytes from the front of `bytes` and appends at most 64 KiB to `out`.
  enum class Step : std::uint8_t { more, needs_input, whole, broken };
  void begin();
  Step step(std::string_view& bytes, std::string& out);

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::string chunk_;
};

// What is wrong with the input. The output up to the error is kept.
enum class GzipProblem : std::uint8_t { none, truncated, too_large, broken };

struct Gunzipped {
  std::string text;
  GzipProblem problem = GzipProblem::none;
};

// Returns true if the bytes begin with the gzip magic number.
bool is_gzip(std::string_view bytes);

// Decompresses all members of the file, up to `max_bytes` of output.
Gunzipped gunzip(std::string_view bytes, std::size_t max_bytes);

}  // namespace linkherd::parser
