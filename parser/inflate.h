// Decompresses gzip, zlib and raw deflate within a bound: the output never takes more memory than asked for, whatever
// the input claims.
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

  // One stream (of gzip: one member) off the front of `bytes`, appended to `out`, which never gets longer than
  // `max_bytes`. Where it was not whole, what came out until then counts all the same.
  Ending run(std::string_view& bytes, std::string& out, std::size_t max_bytes);

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::string chunk_;
};

// What is wrong with the bytes; what came out until then counts all the same.
enum class GzipProblem : std::uint8_t { none, truncated, too_large, broken };

struct Gunzipped {
  std::string text;
  GzipProblem problem = GzipProblem::none;
};

// Whether the bytes begin as gzip does.
bool is_gzip(std::string_view bytes);

// All members of the file, one behind the other, but no more than `max_bytes`.
Gunzipped gunzip(std::string_view bytes, std::size_t max_bytes);

}  // namespace linkherd::parser
