// Undoes gzip, zlib and raw deflate, within a bound: what comes out never takes more room than asked for, whatever the
// bytes promise.
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

}  // namespace linkherd::parser
