// Bodies that are not coded as they say, or unpack to more than anybody wants.
#include <brotli/encode.h>
#include <zlib.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"

namespace linkherd::tests {

namespace {

// Window bits as zlib has them: 31 for gzip, 15 for zlib, -15 for raw deflate.
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
    CHECK(result.answer.body == body);
    CHECK(result.answer.is_body_complete == complete);
  };
}

std::function<void(const crawler::FetchResult&)> expect_body_up_to(std::size_t bytes) {
  return [bytes](const crawler::FetchResult& result) {
    CHECK(result.answer.body.size() <= bytes);
    CHECK_FALSE(result.answer.is_body_complete);
  };
}

const std::string page = "<p>hello</p>";

}  // namespace

TEST_CASE("gzip") { survive(says(coded("gzip", deflated(page, 31))), {}, {.look = gives(page)}); }
TEST_CASE("deflate with its header") { survive(says(coded("deflate", deflated(page, 15))), {}, {.look = gives(page)}); }
TEST_CASE("deflate without its header") {
  survive(says(coded("deflate", deflated(page, -15))), {}, {.look = gives(page)});
}
TEST_CASE("br") { survive(says(coded("br", brotli(page))), {}, {.look = gives(page)}); }
TEST_CASE("gzip twice") {
  survive(says(coded("gzip, gzip", deflated(deflated(page, 31), 31))), {}, {.look = gives(page)});
}
TEST_CASE("Labelled gzip but plain") { survive(says(coded("gzip", page)), {}, {.look = gives(page)}); }
TEST_CASE("Labelled br but plain") { survive(says(coded("br", page)), {}, {.look = gives(page)}); }
TEST_CASE("Labelled deflate but plain") { survive(says(coded("deflate", page)), {}, {.look = gives(page)}); }
TEST_CASE("Plain but gzip inside is taken as it is") {
  survive(says(ok("", deflated(page, 31))), {}, {.look = gives(deflated(page, 31))});
}
TEST_CASE("gzip that is cut") {
  const std::string packed = deflated(std::string(100'000, 'x') + page, 31);
  survive(says(coded("gzip", packed.substr(0, packed.size() - 20))), {}, {.look = expect_body_up_to(100'012)});
}
TEST_CASE("gzip with garbage behind it") {
  survive(says(coded("gzip", deflated(page, 31) + "garbage")), {}, {.look = gives(page)});
}
TEST_CASE("gzip with a broken checksum") {
  std::string packed = deflated(page, 31);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  survive(says(coded("gzip", packed)), {}, {.look = gives(page, false)});
}
TEST_CASE("gzip in many small members") {
  std::string packed, whole;
  for (int i = 0; i < 2000; ++i) packed += deflated("x", 31), whole += "x";
  survive(says(coded("gzip", packed)), {}, {.look = gives(whole)});
}
TEST_CASE("Nothing at all labelled gzip") { survive(says(coded("gzip", "")), {}, {.look = gives("")}); }
TEST_CASE("A gzip bomb") {
  survive(says(coded("gzip", deflated(std::string(std::size_t{64} << 20, '\0'), 31))), {},
          {.look = expect_body_up_to(1 << 20)});
}
TEST_CASE("A gzip bomb inside a gzip bomb") {
  survive(says(coded("gzip, gzip", deflated(deflated(std::string(std::size_t{64} << 20, '\0'), 31), 31))), {},
          {.look = expect_body_up_to(1 << 20)});
}
TEST_CASE("A brotli bomb") {
  survive(says(coded("br", brotli(std::string(std::size_t{64} << 20, '\0')))), {},
          {.look = expect_body_up_to(1 << 20)});
}
TEST_CASE("A bomb below the size limit but above any sensible ratio") {
  survive(says(coded("br", brotli(std::string(std::size_t{16} << 20, '\0')))), {},
          {.adjust = [](crawler::FetchOptions& options) { options.max_body = std::size_t{32} << 20; },
           .look = expect_body_up_to(3 << 20)});
}
TEST_CASE("zstd that nobody asked for") {
  survive(says(coded("zstd", "\x28\xb5\x2f\xfd\x20\x0c")), {}, {.look = gives("", false)});
}
TEST_CASE("An unknown coding means not coded") { survive(says(coded("foo", page)), {}, {.look = gives(page)}); }
TEST_CASE("The coding identity") { survive(says(coded("identity", page)), {}, {.look = gives(page)}); }
TEST_CASE("Six codings") {
  survive(says(coded("gzip, gzip, gzip, gzip, gzip, gzip", page)), {}, {.look = gives("", false)});
}
TEST_CASE("Ten thousand codings") {
  std::string codings = "gzip";
  for (int i = 0; i < 9'999; ++i) codings += ",br";
  survive(says(coded(codings, page)), {}, {.look = gives("", false)});
}

}  // namespace linkherd::tests
