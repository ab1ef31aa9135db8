#include "crawler/fetch/http/decode_body.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <brotli/decode.h>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/ascii.h"
#include "parser/inflate.h"

namespace linkherd::crawler {

namespace {

using parser::Inflater;
using Outcome = Inflater::Outcome;

enum class Coding { none, gzip, deflate, brotli, foreign };

constexpr std::size_t chunk_size = std::size_t{64} << 10;
// Real pages compress less than this; the maximum of gzip is 1,032 to 1.
constexpr std::size_t max_compression_ratio = 1000;
constexpr std::size_t free_bytes = std::size_t{1} << 20;

Coding coding_of(std::string_view word) {
  std::string name;
  for (const char c : word) {
    if (c != ' ' && c != '\t') name += parser::ascii_lower(c);
  }
  if (name == "gzip" || name == "x-gzip") return Coding::gzip;
  if (name == "deflate") return Coding::deflate;
  if (name == "br") return Coding::brotli;
  if (name == "zstd" || name == "compress" || name == "x-compress" || name == "dcb" || name == "dcz")
    return Coding::foreign;
  return Coding::none;
}

// Returns the codings in the order in which they were applied.
std::vector<Coding> codings_of(std::string_view header) {
  std::vector<Coding> codings;
  while (!header.empty()) {
    const std::size_t comma = header.find(',');
    const Coding coding = coding_of(header.substr(0, comma));
    if (coding != Coding::none) codings.push_back(coding);
    if (comma == std::string_view::npos) break;
    header.remove_prefix(comma + 1);
  }
  return codings;
}

// Returns false once the limit is reached. Bytes beyond it are dropped.
bool append_capped(std::string& out, std::string_view piece, std::size_t max_bytes) {
  const std::size_t room = max_bytes - std::min(max_bytes, out.size());
  out.append(piece.substr(0, room));
  return piece.size() <= room;
}

bool has_gzip_magic(std::string_view raw) { return raw.starts_with("\x1f\x8b"); }

bool has_zlib_header(std::string_view raw) {
  if (raw.size() < 2) return false;
  const unsigned first = static_cast<unsigned char>(raw[0]);
  const unsigned second = static_cast<unsigned char>(raw[1]);
  return (first & 0x0fU) == 8 && (first << 8 | second) % 31 == 0;
}

DecodedBody passed_through(std::string_view raw) { return {std::string(raw), true}; }

DecodedBody decode_gzip(std::string_view raw, std::size_t max_bytes) {
  if (!has_gzip_magic(raw)) return passed_through(raw);
  DecodedBody body;
  Outcome ending = Outcome::complete;
  Inflater inflater(Inflater::Format::gzip);
  // There may be several members; other trailing bytes are ignored.
  while (ending == Outcome::complete && has_gzip_magic(raw)) {
    ending = inflater.run(raw, body.bytes, max_bytes);
  }
  body.complete = ending == Outcome::complete;
  return body;
}

// Neither raw deflate nor Brotli has a signature. A body that cannot be decoded to its end, and has no control
// characters at its start, was never coded.
bool looks_like_text(std::string_view raw) {
  return std::ranges::none_of(raw.substr(0, 512), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

DecodedBody decode_deflate(std::string_view raw, std::size_t max_bytes) {
  DecodedBody body;
  std::string_view rest = raw;
  // Half of the servers send deflate without the zlib header.
  Inflater inflater(has_zlib_header(raw) ? Inflater::Format::zlib : Inflater::Format::raw);
  const Outcome ending = inflater.run(rest, body.bytes, max_bytes);
  if (ending != Outcome::complete && ending != Outcome::too_large && looks_like_text(raw)) return passed_through(raw);
  body.complete = ending == Outcome::complete;
  return body;
}

DecodedBody decode_brotli(std::string_view raw, std::size_t max_bytes) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
  if (!state) throw std::bad_alloc();
  DecodedBody body;
  const auto* next_in = reinterpret_cast<const std::uint8_t*>(raw.data());
  std::size_t left = raw.size();
  std::string chunk(chunk_size, '\0');
  BrotliDecoderResult code = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
  while (code == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
    auto* next_out = reinterpret_cast<std::uint8_t*>(chunk.data());
    std::size_t room = chunk.size();
    code = BrotliDecoderDecompressStream(state.get(), &left, &next_in, &room, &next_out, nullptr);
    const std::string_view piece = std::string_view(chunk).substr(0, chunk.size() - room);
    if (!append_capped(body.bytes, piece, max_bytes)) {
      body.complete = false;
      return body;
    }
  }
  if (code != BROTLI_DECODER_RESULT_SUCCESS && looks_like_text(raw)) return passed_through(raw);
  body.complete = code == BROTLI_DECODER_RESULT_SUCCESS;
  return body;
}

DecodedBody decode_one(Coding coding, std::string_view raw, std::size_t max_bytes) {
  if (raw.empty()) return {};
  switch (coding) {
    case Coding::gzip: return decode_gzip(raw, max_bytes);
    case Coding::deflate: return decode_deflate(raw, max_bytes);
    case Coding::brotli: return decode_brotli(raw, max_bytes);
    case Coding::foreign: return {{}, false};
    case Coding::none: break;
  }
  return passed_through(raw);
}

}  // namespace

DecodedBody decode_body(std::string_view content_encoding, std::string raw, std::size_t max_bytes) {
  const std::vector<Coding> codings = codings_of(content_encoding);
  if (!codings.empty()) max_bytes = std::min(max_bytes, free_bytes + max_compression_ratio * raw.size());
  constexpr std::size_t max_codings = 2;
  if (codings.size() > max_codings) return {{}, false};
  DecodedBody body{std::move(raw), true};
  for (std::size_t i = codings.size(); i-- > 0;) {
    DecodedBody inner = decode_one(codings[i], body.bytes, max_bytes);
    inner.complete = inner.complete && body.complete;
    body = std::move(inner);
  }
  if (body.bytes.size() > max_bytes) {
    body.bytes.resize(max_bytes);
    body.complete = false;
  }
  return body;
}

void decode_content(AttemptResult& response, std::size_t max_bytes) {
  if (std::exchange(response.is_body_decoded, true)) return;
  DecodedBody body = decode_body(response.header("content-encoding"), std::move(response.body), max_bytes);
  response.body = std::move(body.bytes);
  if (!body.complete) response.body_state = BodyState::cut;
  response.lease.resize(response.body.size());
}

}  // namespace linkherd::crawler
