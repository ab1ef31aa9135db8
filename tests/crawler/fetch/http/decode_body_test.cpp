#include "crawler/fetch/http/decode_body.h"

#include <string>

#include <brotli/encode.h>
#include <doctest/doctest.h>
#include <zlib.h>

namespace linkherd::crawler {

namespace {

constexpr std::size_t cap = std::size_t{1} << 20;

// `window_bits`: 31 for gzip, 15 for zlib, -15 for raw deflate.
std::string deflated(std::string text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string brotlied(const std::string& text) {
  std::size_t size = BrotliEncoderMaxCompressedSize(text.size()) + 64;
  std::string out(size, '\0');
  BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                        reinterpret_cast<std::uint8_t*>(out.data()));
  out.resize(size);
  return out;
}

std::string sample() {
  std::string text = "<!doctype html>";
  for (int i = 0; i < 2000; ++i) text += "<p>" + std::to_string(i * 7919) + "</p>";
  return text;
}

}  // namespace

TEST_CASE("each single and each double content coding is decoded") {
  const std::string text = sample();
  struct Row {
    std::string encoding;
    std::string raw;
  };
  const Row rows[] = {{"", text},
                      {"identity", text},
                      {"utf-8", text},
                      {"gzip", deflated(text, 31)},
                      {" X-GZIP ", deflated(text, 31)},
                      {"deflate", deflated(text, 15)},
                      {"deflate", deflated(text, -15)},
                      {"br", brotlied(text)},
                      {"gzip, br", brotlied(deflated(text, 31))},
                      {"br,identity,gzip", deflated(brotlied(text), 31)},
                      {"gzip", deflated(text.substr(0, 1000), 31) + deflated(text.substr(1000), 31)},
                      {"gzip", deflated(text, 31) + "trailing garbage"}};
  for (const Row& row : rows) {
    CAPTURE(row.encoding);
    const DecodedBody body = decode_body(row.encoding, row.raw, cap);
    CHECK(body.complete);
    CHECK(body.bytes == text);
  }
}

TEST_CASE("a plain body with a coding label passes through") {
  for (const std::string encoding : {"gzip", "deflate", "br"}) {
    for (const std::string& text : {sample(), std::string("x"), std::string("{\"a\":1}"), std::string("\n\n<html>")}) {
      CAPTURE(encoding);
      CAPTURE(text.substr(0, 20));
      const DecodedBody body = decode_body(encoding, text, cap);
      CHECK(body.bytes == text);
      CHECK(body.complete);
    }
  }
}

TEST_CASE("a truncated coded body is decoded up to the cut") {
  const std::string text = sample();
  for (const auto& [encoding, raw] : {std::pair("gzip", deflated(text, 31)), std::pair("deflate", deflated(text, 15)),
                                      std::pair("br", brotlied(text))}) {
    CAPTURE(encoding);
    const DecodedBody body = decode_body(encoding, raw.substr(0, raw.size() / 2), cap);
    CHECK_FALSE(body.complete);
    CHECK(body.bytes.size() > 100);
    CHECK(text.starts_with(body.bytes));
  }
  std::string corrupt = deflated(text, 31);
  for (std::size_t i = corrupt.size() / 2; i < corrupt.size(); ++i) corrupt[i] = '\x55';
  const DecodedBody body = decode_body("gzip", corrupt, cap);
  CHECK_FALSE(body.complete);
  CHECK(body.bytes.starts_with("<!doctype html>"));
}

TEST_CASE("decompression bombs stop at the limit") {
  const std::string zeros(std::size_t{32} << 20, '\0');
  for (const auto& [encoding, raw] :
       {std::pair("gzip", deflated(zeros, 31)), std::pair("gzip, gzip", deflated(deflated(zeros, 31), 31)),
        std::pair("deflate", deflated(zeros, -15)), std::pair("br", brotlied(zeros))}) {
    CAPTURE(encoding);
    const DecodedBody body = decode_body(encoding, raw, cap);
    CHECK(body.bytes.size() == cap);
    CHECK_FALSE(body.complete);
  }
}

TEST_CASE("many small gzip members stop at the limit") {
  const std::string member = deflated("", 31);
  std::string raw;
  while (raw.size() < (std::size_t{2} << 20)) raw += member;
  const DecodedBody body = decode_body("gzip", raw, cap);
  CHECK(body.complete);
  CHECK(body.bytes.empty());
}

TEST_CASE("too many codings and unrequested codings give an empty body") {
  for (const std::string encoding : {"gzip, gzip, gzip", "zstd", "compress", "gzip,br,gzip,br,gzip,br"}) {
    CAPTURE(encoding);
    const DecodedBody body = decode_body(encoding, sample(), cap);
    CHECK(body.bytes.empty());
    CHECK_FALSE(body.complete);
  }
}

TEST_CASE("empty bodies are complete and plain bodies are cut at the limit") {
  for (const std::string encoding : {"", "gzip", "deflate", "br", "gzip, br"}) {
    const DecodedBody body = decode_body(encoding, "", cap);
    CHECK(body.bytes.empty());
    CHECK(body.complete);
  }
  const DecodedBody body = decode_body("", std::string(2000, 'x'), 1000);
  CHECK(body.bytes.size() == 1000);
  CHECK_FALSE(body.complete);
}

}  // namespace linkherd::crawler
