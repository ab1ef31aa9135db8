#include "reports/ordered_links.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;

namespace {

LinksInMemory links_of(std::size_t size) {
  LinksInMemory links;
  for (std::size_t i = 0; i < size; ++i) {
    links.emplace_back();
    links.back().record.url = "u" + std::to_string(i);
  }
  return links;
}

}  // namespace

TEST_CASE("links are written in the requested order whatever order they are read in") {
  const std::size_t size = 40'000;
  const LinksInMemory links = links_of(size);
  std::vector<std::uint32_t> numbers;
  std::string expected;
  for (std::uint32_t i = 0; i < size; ++i) {
    numbers.push_back((i * 7919U) % static_cast<std::uint32_t>(size));  // each once
    expected += std::to_string(i) + ":u" + std::to_string(numbers.back()) + "\n";
  }
  std::ostringstream out;
  const auto render = [](std::size_t position, const storage::CheckedLink& link, std::string& text) {
    text += std::to_string(position) + ":" + link.record.url;
  };
  const auto append = [](std::size_t /*position*/, std::string_view text, std::string& to) {
    to.append(text).append("\n");
  };
  write_in_order(out, links, numbers, render, append);
  const bool is_same = out.str() == expected;  // not printed
  CHECK(is_same);

  std::ostringstream nothing;
  write_in_order(nothing, links, {}, render, append);
  CHECK(nothing.str().empty());
}

TEST_CASE("texts beyond memory are written in order and rendered once each") {
  const LinksInMemory links = links_of(5);
  const std::vector<std::uint32_t> numbers{0, 1, 2, 3, 4};
  std::size_t rendered = 0;
  std::string order;
  std::ostringstream out;
  write_in_order(
      out, links, numbers,
      [&rendered](std::size_t position, const storage::CheckedLink& /*link*/, std::string& text) {
        ++rendered;
        if (position != 3) text.append(std::size_t{10} << 20, static_cast<char>('a' + position));
      },
      [&order](std::size_t position, std::string_view text, std::string& to) {
        CHECK(text.size() == (position == 3 ? 0 : std::size_t{10} << 20));
        if (!text.empty()) order += text.front();
        to += std::to_string(position);
      });
  CHECK(order == "abce");
  CHECK(out.str() == "01234");
  CHECK(rendered == 5);
}
