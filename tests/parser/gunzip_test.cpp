// Tests compressed lists: their text is bounded and each kind of damage has a name.
#include <string>

#include <doctest/doctest.h>

#include "parser/inflate.h"
#include "tests/support/gzipped.h"

using namespace linkherd::parser;
using linkherd::tests::gzipped;

TEST_CASE("gzip text is unpacked unchanged") {
  const std::string text = "<urlset><url><loc>https://x.org</loc></url></urlset>";
  CHECK(is_gzip(gzipped(text)));
  CHECK(gunzip(gzipped(text), 1000).text == text);
  CHECK(gunzip(gzipped(text), 1000).problem == GzipProblem::none);
  CHECK(gunzip(gzipped(text), text.size()).problem == GzipProblem::none);
  CHECK(gunzip(gzipped("a") + gzipped("b"), 1000).text == "ab");
  CHECK(gunzip(gzipped("a") + std::string(10, '\0'), 1000).text == "a");
  CHECK(gunzip(gzipped(""), 1000).problem == GzipProblem::none);
}

TEST_CASE("each kind of gzip damage is named and costs only the text after it") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string whole = gzipped(text);
  const Gunzipped cut = gunzip(whole.substr(0, whole.size() / 2), 1'000'000);
  CHECK(cut.problem == GzipProblem::truncated);
  CHECK(text.starts_with(cut.text));
  CHECK(cut.text.size() > 10'000);
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  damaged.back() = static_cast<char>(damaged.back() ^ 0x55);
  CHECK(gunzip(damaged, 1'000'000).problem == GzipProblem::broken);
  CHECK(gunzip("no gzip", 1000).problem == GzipProblem::broken);
  CHECK(gunzip("", 1000).problem == GzipProblem::broken);
  CHECK(gunzip("\x1F\x8B\x08", 1000).problem == GzipProblem::truncated);
}

TEST_CASE("a bomb of 1 GB in 1 MB stops at the limit") {
  // Members of 16 MB, one behind the other: 64 of them are a GB.
  const std::string member = gzipped(std::string(std::size_t{16} << 20U, 'x'));
  std::string bomb;
  for (int i = 0; i < 64; ++i) bomb += member;
  CHECK(bomb.size() < 2'000'000);
  const Gunzipped out = gunzip(bomb, std::size_t{5} << 20U);
  CHECK(out.problem == GzipProblem::too_large);
  CHECK(out.text.size() == std::size_t{5} << 20U);
}
