// Builds FetchResults for table-driven tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/classify/classify.h"
#include "crawler/fetch/http/fetch_result.h"

namespace linkherd::crawler {

struct ResultSpec {
  std::string_view url = "https://a.example/page";
  int status = 0;
  FailureKind failure = FailureKind::none;
  std::vector<std::pair<int, std::string_view>> redirects = {};  // status and target
  std::vector<storage::ResponseHeader> headers = {};
  std::string_view failure_detail = {};
  int unverified_status = 0;
};

inline FetchResult build(const ResultSpec& spec) {
  FetchResult result(FetchRequest({}, parser::Url::parse(spec.url).value().href()));
  result.response.status = spec.status;
  result.response.failure = spec.failure;
  result.response.detail = spec.failure_detail;
  result.response.headers = spec.headers;
  result.response.unverified_status = spec.unverified_status;
  for (const auto& [status, to] : spec.redirects) {
    result.redirects.push_back({.from = std::string(result.final_url.href()), .status = status, .to = std::string(to)});
    result.final_url = parser::Url::parse(to).value();
  }
  return result;
}

// Returns a small page whose visible text is as long as its markup, the maximum.
inline PageEvidence small_page(std::string_view title, std::string_view html = "") {
  return {.title = title, .html = html, .text_length = html.size(), .text = html, .main_length = html.size()};
}

inline std::string_view health_name(const storage::Verdict& verdict) {
  return enum_name(storage::health_names, verdict.health);
}

}  // namespace linkherd::crawler
