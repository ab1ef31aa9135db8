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

constexpr std::size_t max_sitemaps = 1000;
constexpr std::size_t max_bytes = std::size_t{128} << 20U;         // total size of their texts
constexpr std::size_t max_sitemap_bytes = std::size_t{50} << 20U;  // limit of the sitemap protocol
constexpr std::size_t max_sitemap_links = 50'000;                  // limit of the sitemap protocol
constexpr std::size_t max_links = 1'000'000;                       // total of all sitemaps
constexpr int max_depth = 3;                                       // nesting of sitemap indexes

struct Sitemap {
  std::string href;
  int level = 0;
  bool is_named = true;  // false if nothing names it and it may not exist
};

bool is_index(const InputDocument& document) {
  return document.format == parser::DocumentFormat::xml && parser::is_sitemap_index(document.text);
}

struct Beginning {
  std::size_t links = 0;
  std::size_t bytes = 0;  // up to the end of the last link
  bool has_more = false;
};

// Returns the beginning of the text with at most `max_links` links. Reads it in pieces, because the links of a text
// take many times its memory.
Beginning beginning_with(const InputDocument& document, std::size_t max_links) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20U;
  const std::string_view text = document.text;
  Beginning found;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = std::min(start + piece_bytes, text.size());
    const std::size_t line_end = text.find_last_of(">\n", end - 1);
    if (end < text.size() && line_end != std::string_view::npos && line_end > start) end = line_end + 1;
    parser::for_each_link({document.file, text.substr(start, end - start), document.format},
                          {.base_url = document.base_url}, [&](const parser::LinkOccurrence& link) {
                            found.has_more = found.has_more || found.links == max_links;
                            if (found.has_more) return;
                            ++found.links;
                            found.bytes = start + link.offset + link.length;
                          });
    if (found.has_more) break;
    start = end;
  }
  return found;
}

std::vector<std::string> hrefs_in(const InputDocument& document) {
  std::vector<std::string> hrefs;
  parser::for_each_link({document.file, document.text, document.format}, {.base_url = document.base_url},
                        [&hrefs](parser::LinkOccurrence& link) { hrefs.push_back(std::move(link.href)); });
  return hrefs;
}

class SitemapReader {
 public:
  SitemapReader(const FetchLists& fetch, const std::function<void(InputDocument)>& take) : fetch_(fetch), take_(take) {}

  std::vector<std::string> read(const std::vector<parser::Url>& sites) {
    add_sitemaps_of(sites);
    while (!waiting_.empty()) read_next();
    return std::move(problems_);
  }

 private:
  void add(std::string href, int level, bool is_named) {
    const Result<parser::Url> url = parser::Url::parse(href);
    if (!url || !url->is_http() || known_.contains(href)) return;
    if (level > max_depth || known_.size() == max_sitemaps) return report_too_many(href);
    known_.insert(href);
    waiting_.push_back({std::move(href), level, is_named});
  }

  // Reports only the first sitemap that is left out.
  void report_too_many(const std::string& href) {
    if (std::exchange(has_reported_too_many_, true)) return;
    problems_.push_back(fmt::format("{} and the sitemaps after it are not read: there are too many sitemaps", href));
  }

  void add_sitemaps_of(const std::vector<parser::Url>& sites) {
    std::vector<std::string> robots;
    for (const parser::Url& site : sites) {
      const std::string origin = site.origin();
      if (std::ranges::find(robots, origin + "/robots.txt") == robots.end()) robots.push_back(origin + "/robots.txt");
    }
    read_lists(robots, [this](const InputDocument& document) {
      for (const std::string& written : sitemaps_in_robots(document.text)) {
        const Result<parser::Url> url = parser::Url::parse(written, *document.base_url);
        if (url) add(std::string(url->href()), 0, true);
      }
    });
    for (const parser::Url& site : sites) add(site.origin() + "/sitemap.xml", 0, false);
  }

  // Reads one sitemap at a time, because each may be long. Problems of sitemaps that nothing names are not reported.
  void read_next() {
    const Sitemap next = std::move(waiting_.front());
    waiting_.pop_front();
    std::vector<std::string> problems =
        read_lists({next.href}, [&](InputDocument document) { handle_document(std::move(document), next); });
    if (next.is_named) std::ranges::move(problems, std::back_inserter(problems_));
  }

  void handle_document(InputDocument document, const Sitemap& sitemap) {
    if (document.format == parser::DocumentFormat::html) {
      if (sitemap.is_named) problems_.push_back(document.file + " is a page, not a sitemap");
    } else if ((bytes_ += document.text.size()) > max_bytes || links_ == max_links) {
      report_too_many(document.file);
      waiting_.clear();
    } else {
      if (document.format != parser::DocumentFormat::xml) document.format = parser::DocumentFormat::plain_text;
      cut(document);
      if (!is_index(document)) return take_(std::move(document));
      for (std::string& href : hrefs_in(document)) add(std::move(href), sitemap.level + 1, true);
    }
  }

  // Cuts the text at the limits of a sitemap.
  void cut(InputDocument& document) {
    const bool is_longer = document.text.size() > max_sitemap_bytes;
    if (is_longer) {
      const std::size_t line_end = document.text.find_last_of(">\n", max_sitemap_bytes - 1);
      document.text.resize(line_end == std::string::npos ? 0 : line_end + 1);
    }
    const Beginning read = beginning_with(document, std::min(max_sitemap_links, max_links - links_));
    document.text.resize(read.bytes);
    links_ += read.links;
    if (is_longer || read.has_more)
      problems_.push_back(fmt::format("{} exceeds the size limit for sitemaps: only its first {} links are read",
                                      document.file, read.links));
  }

  // Returns the problems of lists that could not be read, or not completely.
  std::vector<std::string> read_lists(const std::vector<std::string>& hrefs,
                                      const std::function<void(InputDocument)>& take) {
    SourceOptions options;
    options.fetch = fetch_;
    options.take = take;
    options.max_unpacked_bytes = max_sitemap_bytes;
    SourceList list = read_sources(hrefs, options);
    std::ranges::move(list.warnings, std::back_inserter(list.unread));
    return std::move(list.unread);
  }

  const FetchLists& fetch_;
  const std::function<void(InputDocument)>& take_;
  std::vector<std::string> problems_;
  std::deque<Sitemap> waiting_;
  std::set<std::string> known_;
  std::size_t bytes_ = 0;
  std::size_t links_ = 0;
  bool has_reported_too_many_ = false;
};

}  // namespace

std::vector<std::string> read_sitemaps(const std::vector<parser::Url>& sites, const FetchLists& fetch,
                                       const std::function<void(InputDocument)>& take) {
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
