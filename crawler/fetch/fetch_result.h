// What became of a FetchRequest: the answer of the last hop with the whole way there, or why there is none. Data, never
// an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/fetch/byte_budget.h"
#include "crawler/fetch/failure.h"
#include "crawler/fetch/header.h"
#include "crawler/frontier/fetch_request.h"
#include "parser/timestamp.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct FetchResult {
  FetchRequest request;
  Timestamp fetched_at;   // when the last hop was started
  parser::Url final_url;  // of the last hop that was tried
  int status = 0;         // 0: no status line came
  FailureKind failure = FailureKind::none;
  // For people: "certificate expired on 2024-05-01", "connection refused by 192.0.2.1:443"; with a status and no
  // failure, what is wrong with its headers.
  std::string failure_detail;
  std::vector<Header> headers;  // of the last hop
  std::string body;             // capped; as it was sent until decode_content() undoes its content coding
  bool body_decoded = false;
  bool body_complete = true;  // false: cut by a cap, the network or a broken content coding
  bool body_wanted = true;    // false: of a kind that is not kept (an image, a video): aborted after the headers
  std::vector<storage::Redirect> redirects;
  std::vector<storage::Attempt> attempts;
  std::string remote_address;
  std::optional<storage::Certificate> certificate;
  // After a refused certificate: what a second request without verification got. 0: nothing.
  int unverified_status = 0;
  std::optional<Timestamp> retry_at;  // from Retry-After, where the last answer had one
  bool against_robots = false;        // robots.txt asks not to fetch the last hop, but a person listed the link
  ByteBudget::Lease lease;            // holds the body's bytes against the budget

  explicit FetchResult(FetchRequest r) : request(std::move(r)), final_url(request.url) {}
  // The value of the last header of that (lower-case) name; empty where there is none.
  std::string_view header(std::string_view name) const { return find_header(headers, name); }
};

}  // namespace linkherd::crawler
