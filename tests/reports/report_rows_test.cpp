#include "reports/report_rows.h"

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
    links.back().state.url = "u" + std::to_string(i);
  }
  return links;
}

std::vector<ReportRow> rows_of(const std::vector<std::uint32_t>& numbers) {
  std::vector<ReportRow> rows(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) rows[i].link = numbers[i];
  return rows;
}

}  // namespace

TEST_CASE("rows are written in the requested order whatever order they are read in") {
  const std::size_t size = 40'000;
  const LinksInMemory links = links_of(size);
  Report report;
  report.links = &links;
  std::vector<std::uint32_t> numbers;
  std::string expected;
  for (std::uint32_t i = 0; i < size; ++i) {
    numbers.push_back((i * 7919U) % static_cast<std::uint32_t>(size));  // each once
    expected += std::to_string(i) + ":" + std::to_string(numbers.back()) + "u" + std::to_string(numbers.back()) + "\n";
  }
  std::ostringstream out;
  const auto render = [](const ReportRow& row, const storage::CheckedLink& link, std::string& text) {
    text += std::to_string(row.link) + link.state.url;
  };
  const auto append = [](std::size_t position, std::string_view text, std::string& to) {
    to.append(std::to_string(position)).append(":").append(text).append("\n");
  };
  write_rows(out, report, rows_of(numbers), render, append);
  const bool is_same = out.str() == expected;  // not printed
  CHECK(is_same);

  std::ostringstream nothing;
  write_rows(nothing, report, {}, render, append);
  CHECK(nothing.str().empty());
}

TEST_CASE("texts beyond memory are written in order and rendered once each") {
  const LinksInMemory links = links_of(5);
  Report report;
  report.links = &links;
  std::size_t rendered = 0;
  std::string order;
  std::ostringstream out;
  write_rows(
      out, report, rows_of({0, 1, 2, 3, 4}),
      [&rendered](const ReportRow& row, const storage::CheckedLink& /*link*/, std::string& text) {
        ++rendered;
        if (row.link != 3) text.append(std::size_t{10} << 20, static_cast<char>('a' + row.link));
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
