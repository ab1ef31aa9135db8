// Tests compressed lists: their text is bounded and each kind of damage has a name.
#include <string>

#include <doctest/doctest.h>

#include "parser/inflate.h"
#include "tests/support/gzip_compress.h"

using namespace linkherd::parser;
using linkherd::tests::gzip_compress;

TEST_CASE("gzip text is unpacked unchanged") {
  const std::string text = "<urlset><url><loc>https://x.org</loc></url></urlset>";
  CHECK(is_gzip(gzip_compress(text)));
  CHECK(gunzip(gzip_compress(text), 1000).text == text);
  CHECK(gunzip(gzip_compress(text), 1000).problem == GzipProblem::none);
  CHECK(gunzip(gzip_compress(text), text.size()).problem == GzipProblem::none);
  CHECK(gunzip(gzip_compress("a") + gzip_compress("b"), 1000).text == "ab");
  CHECK(gunzip(gzip_compress("a") + std::string(10, '\0'), 1000).text == "a");
  CHECK(gunzip(gzip_compress(""), 1000).problem == GzipProblem::none);
}

TEST_CASE("each kind of gzip damage is named and costs only the text after it") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string whole = gzip_compress(text);
  const GzipResult cut = gunzip(whole.substr(0, whole.size() / 2), 1'000'000);
  CHECK(cut.problem == GzipProblem::truncated);
  CHECK(text.starts_with(cut.text));
  CHECK(cut.text.size() > 10'000);
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  damaged.back() = static_cast<char>(damaged.back() ^ 0x55);
  CHECK(gunzip(damaged, 1'000'000).problem == GzipProblem::corrupt);
  CHECK(gunzip("no gzip", 1000).problem == GzipProblem::corrupt);
  CHECK(gunzip("", 1000).problem == GzipProblem::corrupt);
  CHECK(gunzip("\x1F\x8B\x08", 1000).problem == GzipProblem::truncated);
}

TEST_CASE("a bomb of 1 GB in 1 MB stops at the limit") {
  // A sequence of members of 16 MB each; 64 of them expand to 1 GB.
  const std::string member = gzip_compress(std::string(std::size_t{16} << 20U, 'x'));
  std::string bomb;
  for (int i = 0; i < 64; ++i) bomb += member;
  CHECK(bomb.size() < 2'000'000);
  const GzipResult out = gunzip(bomb, std::size_t{5} << 20U);
  CHECK(out.problem == GzipProblem::too_large);
  CHECK(out.text.size() == std::size_t{5} << 20U);
}
