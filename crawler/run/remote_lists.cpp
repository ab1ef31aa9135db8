#include "crawler/run/remote_lists.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/run/page_analysis.h"
#include "parser/metadata/page_headers.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t max_total_bytes = std::size_t{512} << 20;  // of all documents together
constexpr auto sample_interval = std::chrono::milliseconds(100);

Result<FetchedList> list_of(FetchResult result, Timestamp now) {
  parser::PageHeaders headers;
  parser::add_page_header("content-type", result.response.header("content-type"), headers);
  const bool complete = result.response.is_body_complete();
  parser::Url url = result.final_url;
  AnalyzedPage page = analyze(
      std::move(result), {.max_body = max_remote_list_bytes, .read_pdf = {}, .rules = nullptr, .secrets = {}}, now);
  const storage::Verdict& verdict = page.snapshot.verdict;
  if (!page_exists(verdict)) return Error{verdict.evidence.empty() ? verdict.reason : verdict.evidence};
  return {boost::system::in_place_value,
          FetchedList{std::move(url), headers.charset, parser::is_html_type(headers.content_type), std::move(page.body),
                      complete}};
}

}  // namespace

std::vector<Result<FetchedList>> fetch_lists(const std::vector<parser::Url>& urls, FetchOptions options,
                                             const Clock& clock, std::optional<Duration> deadline) {
  options.max_body = max_remote_list_bytes;
  options.should_keep_any_body = true;
  if (deadline) options.shutdown_grace = Duration::zero();
  const auto started = std::chrono::steady_clock::now();
  std::unordered_map<storage::LinkId, std::size_t> index;
  std::vector<Result<FetchedList>> lists(urls.size(), Error{"the run ended before the response arrived"});
  ByteBudget bodies(options.body_budget);
  BoundedQueue<FetchResult> results(urls.size() + 1);
  FetchPool pool(options, clock, bodies, results);  // one or two documents cannot show an outage
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const auto id = storage::LinkId::of(urls[i]);
    if (index.emplace(id, i).second) pool.submit(FetchRequest(id, urls[i].href()));
  }
  std::size_t held = 0;
  for (std::size_t outstanding = index.size(); outstanding > 0;) {
    if (deadline && std::chrono::steady_clock::now() - started >= *deadline) pool.stop(FailureKind::deadline);
    std::optional<FetchResult> result = results.pop_for(sample_interval);
    if (!result) {
      pool.rethrow_failure();
      continue;
    }
    const std::size_t position = index.at(result->request.id());
    Result<FetchedList> list = list_of(std::move(*result), clock.now());
    if (list) held += list->bytes.size();
    lists[position] = held <= max_total_bytes ? std::move(list)
                                              : Error{"the input documents on the web have too many bytes in total"};
    --outstanding;
  }
  // Equivalent URLs share one request.
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const std::size_t first = index.at(storage::LinkId::of(urls[i]));
    if (first != i) lists[i] = lists[first];
  }
  return lists;
}

}  // namespace linkherd::crawler
