#include "reports/harvested.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/display_width.h"
#include "reports/escape.h"
#include "reports/naming.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t date_width = 10;
constexpr std::size_t title_width = 48;
constexpr std::size_t authors_width = 24;

bool says_something(const parser::Metadata& metadata) {
  return metadata.title || metadata.authors || metadata.published;
}

// Escaped before it is measured: what a title shows is not always what it is.
std::string cell(std::string_view text, std::size_t width) {
  return padded(shortened(escape_for_terminal(text.empty() ? "-" : text), width), width);
}

std::string row(std::string_view date, std::string_view title, std::string_view authors, std::string_view url) {
  return fmt::format("  {}  {}  {}  {}", cell(date, date_width), cell(title, title_width), cell(authors, authors_width),
                     url);
}

}  // namespace

void HarvestFigures::add(const storage::CheckedLink& link) {
  const parser::Metadata& metadata = link.record.snapshot.metadata;
  pages += says_something(metadata) ? 1U : 0U;
  titles += metadata.title ? 1U : 0U;
  authors += metadata.authors ? 1U : 0U;
  dates += metadata.published ? 1U : 0U;
}

std::string harvested_in_figures(const HarvestFigures& figures) {
  if (figures.pages == 0) return "";
  return fmt::format("{} harvested: {}, {}, {}", counted(figures.pages, "page"), counted(figures.titles, "title"),
                     counted(figures.authors, "author"), counted(figures.dates, "date"));
}

void write_harvested(TextWriter& writer, const storage::CheckedLinks& links, const HarvestFigures& figures) {
  if (figures.pages == 0) return;
  writer.blank();
  writer.line(harvested_in_figures(figures), Tone::strong);
  writer.line(row("date", "title", "authors", "address"), Tone::faint);
  for (std::size_t number = 0; number < links.size(); ++number) {
    const storage::CheckedLink link = links.at(number);
    const parser::Metadata& metadata = link.record.snapshot.metadata;
    if (!says_something(metadata)) continue;
    const std::string_view date =
        metadata.published ? std::string_view(metadata.published->value).substr(0, date_width) : std::string_view();
    const std::string_view title = metadata.title ? std::string_view(metadata.title->value) : std::string_view();
    const std::string authors = metadata.authors ? fmt::format("{}", fmt::join(metadata.authors->value, ", ")) : "";
    writer.line(row(date, title, authors, link_url(link)));
  }
}

}  // namespace linkherd::reports
