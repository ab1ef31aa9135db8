#include "crawler/cli/options/site_check.h"

#include <utility>

#include <CLI/Error.hpp>
#include <fmt/format.h>

#include "crawler/cli/first_problems.h"
#include "crawler/sources/sitemaps.h"
#include "parser/url/credentials.h"
#include "parser/utf8.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

using parser::Url;

std::vector<Url> start_pages(const std::vector<std::string>& inputs) {
  if (inputs.empty()) throw InputError("--recursive needs the URL of a site: linkherd check --recursive https://…");
  std::vector<Url> pages;
  for (const std::string& input : inputs) {
    const Result<Url> url = Url::parse(input);
    if (!url || !url->is_http())
      throw InputError(to_valid_utf8(input) + " is not an http or https URL, and --recursive can crawl only those");
    pages.push_back(*url);
  }
  return pages;
}

std::optional<LinkFilter> follow_filter(const std::string& pattern) {
  if (pattern.empty()) return std::nullopt;
  LinkFilterOptions options;
  options.include.push_back({"--follow", pattern});
  Result<LinkFilter> filter = LinkFilter::make(options);
  if (filter.has_error()) throw CLI::ConfigError(filter.error().message);
  return std::move(filter).value();
}

// Returns an input document in which the start pages occur.
InputDocument list_of(const std::vector<Url>& pages) {
  InputDocument list;
  list.file = "start pages";
  list.format = parser::DocumentFormat::markdown;
  for (const Url& page : pages) list.text += fmt::format("<{}>\n\n", page.href());
  return list;
}

}  // namespace

SiteCheck::SiteCheck(const SiteOptions& options, const std::vector<std::string>& inputs, const LinkTableOptions& lists,
                     Timestamp now)
    : options_(options),
      start_(start_pages(inputs)),
      follow_(follow_filter(options.follow)),
      scope_(start_, follow_ ? &*follow_ : nullptr, lists),
      crawl_(scope_, {.max_pages = options.max_pages, .depth = options.depth}, now) {}

LinkTable SiteCheck::plan(const FetchLists& fetch, const Streams& streams, bool quiet) {
  LinkTableBuilder planner(scope_.lists());
  planner.add(list_of(start_));
  if (options_.depth != 0U) {
    const std::vector<std::string> problems =
        read_sitemaps(start_, fetch, [&planner](InputDocument list) { planner.add(std::move(list)); });
    if (!quiet) print_first(problems, problems.size(), "sitemaps are not read", streams);
  }
  return planner.finish();
}

std::string SiteCheck::describe() const {
  const SiteCrawl::Counts& counts = crawl_.counts();
  std::string words = reports::counted(counts.pages, "page") + " crawled";
  const auto add = [&words](std::size_t count, std::string_view noun, const std::string& why) {
    if (count > 0) words += fmt::format("; {} {}", reports::counted(count, noun), why);
  };
  add(counts.beyond_pages, "page", fmt::format("not followed, beyond --max-pages {}", options_.max_pages));
  add(counts.beyond_depth, "page", fmt::format("not followed, beyond --depth {}", options_.depth.value_or(0)));
  add(counts.beyond_links, "page", "not followed, because the crawl has too many links");
  add(counts.repeated, "page", "not followed, because a page with another query is the same");
  add(counts.cut, "page", "read only up to --max-body");
  add(counts.endless, "link", "not fetched, one of an endless series of pages (section skipped)");
  add(counts.forbidden, "link", "not fetched, because robots.txt disallows it");
  return words + ".";
}

std::vector<std::string> SiteCheck::unread() const {
  std::vector<std::string> lines;
  for (const Url& page : start_) {
    if (!crawl_.has_read(page))
      lines.push_back(
          fmt::format("{} was not crawled: no page with links was received", parser::mask_password(page.href())));
  }
  return lines;
}

}  // namespace linkherd::crawler
