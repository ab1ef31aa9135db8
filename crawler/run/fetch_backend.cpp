#include "crawler/run/fetch_backend.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "crawler/classify/page_rules.h"
#include "crawler/run/crawl.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/site_crawl.h"

namespace linkherd::crawler {
namespace {

std::size_t parse_thread_count(int configured) {
  if (configured > 0) return static_cast<std::size_t>(configured);
  return std::max(1U, std::thread::hardware_concurrency());
}

// Passes the rules that recognize pages to the fetch stage, which cannot depend on them.
FetchOptions with_rules(const CrawlOptions& options) {
  FetchOptions fetch = options.fetch;
  const RuleSet& rules = options.rules == nullptr ? RuleSet::built_in() : *options.rules;
  fetch.is_wall = [&rules](const AttemptResult& response) { return rules.is_wall(response); };
  fetch.is_known_page = [&rules](const FetchState& link, AttemptResult& response) {
    return is_known_page(rules, link, response);
  };
  return fetch;
}

}  // namespace

AnalysisOptions analysis_options(const CrawlOptions& options) {
  return {options.fetch.max_body, options.read_pdf,      options.harvest,
          options.rules,          options.fetch.headers, options.site == nullptr ? nullptr : &options.site->scope()};
}

LocalFetchBackend::LocalFetchBackend(const CrawlOptions& options, const Clock& clock, HandOver hand_over)
    : bodies_(options.fetch.body_budget),
      results_(max_queued_pages),
      pages_(max_queued_pages),
      outage_(options.fetch.questions_denials()),
      analysis_(parse_thread_count(options.parse_threads), analysis_options(options), clock, results_, pages_),
      pool_(
          with_rules(options), clock, bodies_, results_,
          [this](const parser::Url& url, int status, FailureKind failure) { outage_.on_attempt(url, status, failure); },
          std::move(hand_over)) {}

void LocalFetchBackend::restore(const std::vector<storage::HostState>& hosts) {
  outage_.restore(hosts);
  pool_.restore(hosts);
}

std::optional<AnalyzedPage> LocalFetchBackend::pop_for(std::chrono::milliseconds timeout) {
  std::optional<AnalyzedPage> page = pages_.pop_for(timeout);
  analysis_.rethrow_failure();
  pool_.rethrow_failure();
  return page;
}

}  // namespace linkherd::crawler
