#include "parser/inflate.h"

#include <algorithm>
#include <limits>
#include <new>

#define ZLIB_CONST  // input is never written to
#include <zlib.h>

namespace linkherd::parser {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} << 10;

int window_bits(Inflater::Format format) {
  switch (format) {
    case Inflater::Format::gzip: return 15 + 16;  // 16: gzip format only
    case Inflater::Format::zlib: return 15;
    case Inflater::Format::raw: break;
  }
  return -15;
}

}  // namespace

Inflater::Inflater(Format format) : stream_(std::make_unique<z_stream>()), chunk_(chunk_size, '\0') {
  if (inflateInit2(stream_.get(), window_bits(format)) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { inflateEnd(stream_.get()); }

Inflater::Ending Inflater::run(std::string_view& bytes, std::string& out, std::size_t max_bytes) {
  z_stream& stream = *stream_;
  inflateReset(&stream);
  for (;;) {
    const std::size_t offered = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(chunk_.data());
    stream.avail_out = static_cast<uInt>(chunk_.size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(offered - stream.avail_in);
    const std::size_t made = chunk_.size() - stream.avail_out;
    const std::size_t room = max_bytes - std::min(max_bytes, out.size());
    out.append(chunk_, 0, std::min(made, room));
    if (made > room) return Ending::capped;
    if (code == Z_STREAM_END) return Ending::whole;
    if (code == Z_BUF_ERROR) return Ending::cut;  // no input and no output was possible
    if (code != Z_OK) return Ending::broken;
  }
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B\x08"); }

Gunzipped gunzip(std::string_view bytes, std::size_t max_bytes) {
  Gunzipped result;
  if (!is_gzip(bytes)) {
    result.problem = GzipProblem::broken;
    return result;
  }
  Inflater inflater(Inflater::Format::gzip);
  do {
    switch (inflater.run(bytes, result.text, max_bytes)) {
      case Inflater::Ending::whole: break;
      case Inflater::Ending::cut: result.problem = GzipProblem::truncated; break;
      case Inflater::Ending::capped: result.problem = GzipProblem::too_large; break;
      case Inflater::Ending::broken: result.problem = GzipProblem::broken; break;
    }
  } while (result.problem == GzipProblem::none && bytes.starts_with("\x1F\x8B"));  // the rest is padding
  return result;
}

}  // namespace linkherd::parser
