#include "crawler/sources/sitemaps.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/lists/extract_links.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t most_sitemaps = 1000;
constexpr std::size_t most_bytes = std::size_t{128} << 20U;  // of their texts, all together
constexpr std::size_t at_once = 8;                           // each may have 64 MiB
constexpr int deepest = 3;                                   // an index of indexes of sitemaps

struct Sitemap {
  std::string href;
  int level = 0;
  bool is_named = true;  // else only looked for
};

bool is_index(const Seed& seed) {
  constexpr std::size_t head = 4096;
  return seed.format == parser::ListFormat::xml && seed.text.substr(0, head).find("<sitemapindex") != std::string::npos;
}

std::vector<std::string> hrefs_in(const Seed& seed) {
  std::vector<std::string> hrefs;
  parser::for_each_link({seed.file, seed.text, seed.format}, {.base_url = seed.base_url},
                        [&hrefs](parser::LinkOccurrence& link) { hrefs.push_back(std::move(link.href)); });
  return hrefs;
}

class SitemapReader {
 public:
  SitemapReader(const FetchLists& fetch, const std::function<void(Seed)>& take) : fetch_(fetch), take_(take) {}

  Sitemaps read(const std::vector<parser::Url>& sites) {
    look_for(sites);
    while (!waiting_.empty()) read_some();
    return std::move(found_);
  }

 private:
  void add(std::string href, int level, bool is_named) {
    const Result<parser::Url> url = parser::Url::parse(href);
    if (!url || !url->is_http() || !known_.insert(href).second) return;
    if (level > deepest || known_.size() > most_sitemaps) {
      leave_out(href);
    } else {
      waiting_.push_back({std::move(href), level, is_named});
    }
  }

  // The first that is left out stands for the others.
  void leave_out(const std::string& href) {
    if (std::exchange(has_left_out_, true)) return;
    found_.problems.push_back(fmt::format("{} and sitemaps after it are not read: there are too many", href));
  }

  void look_for(const std::vector<parser::Url>& sites) {
    std::vector<std::string> robots;
    for (const parser::Url& site : sites) {
      const std::string origin = site.origin();
      if (std::ranges::find(robots, origin + "/robots.txt") == robots.end()) robots.push_back(origin + "/robots.txt");
    }
    read_lists(robots, [this](const Seed& seed) {
      for (const std::string& written : sitemaps_in_robots(seed.text)) {
        const Result<parser::Url> url = parser::Url::parse(written, *seed.base_url);
        if (url) add(std::string(url->href()), 0, true);
      }
    });
    for (const parser::Url& site : sites) add(site.origin() + "/sitemap.xml", 0, false);
  }

  // Those that are looked for and those that are named do not come together: of the former, mistakes are not told.
  void read_some() {
    const Sitemap first = waiting_.front();
    std::vector<std::string> hrefs;
    while (!waiting_.empty() && hrefs.size() < at_once && waiting_.front().level == first.level &&
           waiting_.front().is_named == first.is_named) {
      hrefs.push_back(std::move(waiting_.front().href));
      waiting_.pop_front();
    }
    std::vector<std::string> problems = read_lists(hrefs, [&](Seed seed) { enter(std::move(seed), first); });
    if (first.is_named) std::ranges::move(problems, std::back_inserter(found_.problems));
  }

  void enter(Seed seed, const Sitemap& like) {
    if (seed.format == parser::ListFormat::html) {
      if (like.is_named) found_.problems.push_back(seed.file + " is a page and no sitemap");
    } else if ((bytes_ += seed.text.size()) > most_bytes) {
      leave_out(seed.file);
    } else if (is_index(seed)) {
      for (std::string& href : hrefs_in(seed)) add(std::move(href), like.level + 1, true);
    } else {
      ++found_.read;
      take_(std::move(seed));
    }
  }

  // Returns what could not be read, or not completely.
  std::vector<std::string> read_lists(const std::vector<std::string>& hrefs, const std::function<void(Seed)>& take) {
    SourceOptions options;
    options.fetch = fetch_;
    options.take = take;
    SourceList list = read_sources(hrefs, options);
    std::ranges::move(list.warnings, std::back_inserter(list.missed));
    return std::move(list.missed);
  }

  const FetchLists& fetch_;
  const std::function<void(Seed)>& take_;
  Sitemaps found_;
  std::deque<Sitemap> waiting_;
  std::set<std::string> known_;
  std::size_t bytes_ = 0;
  bool has_left_out_ = false;
};

}  // namespace

Sitemaps read_sitemaps(const std::vector<parser::Url>& sites, const FetchLists& fetch,
                       const std::function<void(Seed)>& take) {
  return SitemapReader(fetch, take).read(sites);
}

std::vector<std::string> sitemaps_in_robots(std::string_view text) {
  constexpr std::string_view field = "sitemap:";
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = parser::trim_ascii(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!parser::starts_ignoring_case(line, field)) continue;
    const std::string_view address = parser::trim_ascii(line.substr(field.size()));
    if (!address.empty()) found.emplace_back(address);
  }
  return found;
}

}  // namespace linkherd::crawler
