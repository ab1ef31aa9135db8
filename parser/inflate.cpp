#include "parser/inflate.h"

#include <algorithm>
#include <limits>
#include <new>

#define ZLIB_CONST  // zlib does not write to its input
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

void Inflater::reset() { inflateReset(stream_.get()); }

Inflater::Step Inflater::step(std::string_view& bytes, std::string& out) {
  z_stream& stream = *stream_;
  const std::size_t offered = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(offered);
  stream.next_out = reinterpret_cast<Bytef*>(chunk_.data());
  stream.avail_out = static_cast<uInt>(chunk_.size());
  const int code = inflate(&stream, Z_NO_FLUSH);
  bytes.remove_prefix(offered - stream.avail_in);
  out.append(chunk_, 0, chunk_.size() - stream.avail_out);
  if (code == Z_STREAM_END) return Step::complete;
  if (code == Z_BUF_ERROR) return Step::needs_input;  // zlib could neither read nor write anything
  return code == Z_OK ? Step::has_more : Step::corrupt;
}

Inflater::Outcome Inflater::run(std::string_view& bytes, std::string& out, std::size_t max_bytes) {
  reset();
  const std::size_t max_size = std::max(max_bytes, out.size());
  for (;;) {
    const Step step = this->step(bytes, out);
    if (out.size() > max_size) {
      out.resize(max_size);
      return Outcome::too_large;
    }
    switch (step) {
      case Step::has_more: break;
      case Step::needs_input: return Outcome::truncated;
      case Step::complete: return Outcome::complete;
      case Step::corrupt: return Outcome::corrupt;
    }
  }
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B\x08"); }

GzipResult gunzip(std::string_view bytes, std::size_t max_bytes) {
  GzipResult result;
  if (!is_gzip(bytes)) {
    result.problem = GzipProblem::corrupt;
    return result;
  }
  Inflater inflater(Inflater::Format::gzip);
  do {
    switch (inflater.run(bytes, result.text, max_bytes)) {
      case Inflater::Outcome::complete: break;
      case Inflater::Outcome::truncated: result.problem = GzipProblem::truncated; break;
      case Inflater::Outcome::too_large: result.problem = GzipProblem::too_large; break;
      case Inflater::Outcome::corrupt: result.problem = GzipProblem::corrupt; break;
    }
  } while (result.problem == GzipProblem::none && bytes.starts_with("\x1F\x8B"));  // the rest is padding
  return result;
}

}  // namespace linkherd::parser
