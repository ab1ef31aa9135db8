// Tests bodies whose coding does not match their header, and bodies that decompress to excessive sizes.
#include <brotli/encode.h>
#include <zlib.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"

namespace linkherd::tests {

namespace {

// Window bits of zlib: 31 for gzip, 15 for zlib, -15 for raw deflate.
std::string deflated(std::string text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

std::string brotli(const std::string& text) {
  std::size_t size = BrotliEncoderMaxCompressedSize(text.size()) + 64;
  std::string packed(size, '\0');
  BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()),
                        &size, reinterpret_cast<std::uint8_t*>(packed.data()));
  packed.resize(size);
  return packed;
}

std::string coded(std::string_view coding, const std::string& body) {
  return ok("Content-Encoding: " + std::string(coding) + "\r\n", body);
}

std::function<void(const crawler::FetchResult&)> gives(std::string body, bool complete = true) {
  return [body = std::move(body), complete](const crawler::FetchResult& result) {
    CHECK(result.response.body == body);
    CHECK(result.response.is_body_complete() == complete);
  };
}

std::function<void(const crawler::FetchResult&)> expect_body_up_to(std::size_t bytes) {
  return [bytes](const crawler::FetchResult& result) {
    CHECK(result.response.body.size() <= bytes);
    CHECK_FALSE(result.response.is_body_complete());
  };
}

const std::string page = "<p>hello</p>";

}  // namespace

TEST_CASE("a gzip body is decoded") {
  survive(respond_with(coded("gzip", deflated(page, 31))), {}, {.check_result = gives(page)});
}
TEST_CASE("a deflate body with zlib header is decoded") {
  survive(respond_with(coded("deflate", deflated(page, 15))), {}, {.check_result = gives(page)});
}
TEST_CASE("a deflate body without zlib header is decoded") {
  survive(respond_with(coded("deflate", deflated(page, -15))), {}, {.check_result = gives(page)});
}
TEST_CASE("a brotli body is decoded") {
  survive(respond_with(coded("br", brotli(page))), {}, {.check_result = gives(page)});
}
TEST_CASE("a body that was compressed twice is decoded twice") {
  survive(respond_with(coded("gzip, gzip", deflated(deflated(page, 31), 31))), {}, {.check_result = gives(page)});
}
TEST_CASE("a plain body labelled gzip passes through") {
  survive(respond_with(coded("gzip", page)), {}, {.check_result = gives(page)});
}
TEST_CASE("a plain body labelled br passes through") {
  survive(respond_with(coded("br", page)), {}, {.check_result = gives(page)});
}
TEST_CASE("a plain body labelled deflate passes through") {
  survive(respond_with(coded("deflate", page)), {}, {.check_result = gives(page)});
}
TEST_CASE("an unlabelled gzip body is left as it is") {
  survive(respond_with(ok("", deflated(page, 31))), {}, {.check_result = gives(deflated(page, 31))});
}
TEST_CASE("a truncated gzip body is decoded up to the cut") {
  const std::string packed = deflated(std::string(100'000, 'x') + page, 31);
  survive(respond_with(coded("gzip", packed.substr(0, packed.size() - 20))), {},
          {.check_result = expect_body_up_to(100'012)});
}
TEST_CASE("garbage after a gzip body is ignored") {
  survive(respond_with(coded("gzip", deflated(page, 31) + "garbage")), {}, {.check_result = gives(page)});
}
TEST_CASE("a gzip body with a bad checksum is incomplete") {
  std::string packed = deflated(page, 31);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  survive(respond_with(coded("gzip", packed)), {}, {.check_result = gives(page, false)});
}
TEST_CASE("a gzip body of 2000 members is decoded whole") {
  std::string packed, whole;
  for (int i = 0; i < 2000; ++i) packed += deflated("x", 31), whole += "x";
  survive(respond_with(coded("gzip", packed)), {}, {.check_result = gives(whole)});
}
TEST_CASE("an empty body labelled gzip is empty") {
  survive(respond_with(coded("gzip", "")), {}, {.check_result = gives("")});
}
TEST_CASE("a gzip bomb is cut at the limit") {
  survive(respond_with(coded("gzip", deflated(std::string(std::size_t{64} << 20, '\0'), 31))), {},
          {.check_result = expect_body_up_to(1 << 20)});
}
TEST_CASE("a gzip bomb inside a gzip bomb is cut at the limit") {
  survive(respond_with(coded("gzip, gzip", deflated(deflated(std::string(std::size_t{64} << 20, '\0'), 31), 31))), {},
          {.check_result = expect_body_up_to(1 << 20)});
}
TEST_CASE("a brotli bomb is cut at the limit") {
  survive(respond_with(coded("br", brotli(std::string(std::size_t{64} << 20, '\0')))), {},
          {.check_result = expect_body_up_to(1 << 20)});
}
TEST_CASE("a bomb below the size limit is cut by its compression ratio") {
  survive(respond_with(coded("br", brotli(std::string(std::size_t{16} << 20, '\0')))), {},
          {.adjust = [](crawler::FetchOptions& options) { options.max_body = std::size_t{32} << 20; },
           .check_result = expect_body_up_to(3 << 20)});
}
TEST_CASE("an unrequested zstd body is dropped") {
  survive(respond_with(coded("zstd", "\x28\xb5\x2f\xfd\x20\x0c")), {}, {.check_result = gives("", false)});
}
TEST_CASE("a body with an unknown coding passes through") {
  survive(respond_with(coded("foo", page)), {}, {.check_result = gives(page)});
}
TEST_CASE("a body with the identity coding passes through") {
  survive(respond_with(coded("identity", page)), {}, {.check_result = gives(page)});
}
TEST_CASE("a body with six codings is dropped") {
  survive(respond_with(coded("gzip, gzip, gzip, gzip, gzip, gzip", page)), {}, {.check_result = gives("", false)});
}
TEST_CASE("a body with ten thousand codings is dropped") {
  std::string codings = "gzip";
  for (int i = 0; i < 9'999; ++i) codings += ",br";
  survive(respond_with(coded(codings, page)), {}, {.check_result = gives("", false)});
}

}  // namespace linkherd::tests
