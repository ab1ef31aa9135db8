// What became of a FetchRequest: the answer of the last hop with the whole way there, or why there is none. Data, never
// an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/fetch/http/byte_budget.h"
#include "crawler/fetch/http/certificate.h"
#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/response_headers.h"
#include "parser/timestamp.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// What one hop got, before it is decided what follows from it.
struct HopAnswer {
  int status = 0;  // 0: no status line came; else the host lives, whatever became of its headers and of the body
  FailureKind failure = FailureKind::none;
  // For people: "certificate expired on 2024-05-01", "connection refused by 192.0.2.1:443"; with a status and no
  // failure, what is wrong with its headers.
  std::string detail;
  std::vector<Header> headers;
  std::string body;  // capped; as it was sent until decode_content() undoes its content coding
  bool is_body_decoded = false;
  bool is_body_complete = true;  // false: cut by a cap, the network or a broken content coding
  bool is_body_wanted = true;    // false: of a kind that is not kept (an image, a video): aborted after the headers
  std::string remote_address;
  std::string relayed_by;  // the proxy that passed on, or made up, an answer without a tunnel; empty: none
  std::optional<CertificateFacts> certificate;
  std::optional<CertificateFault> certificate_fault;  // why it was refused
  bool lacks_client_certificate = false;              // the server asked for one, and there was none for it
  // After a refused certificate: what a second request without verification got. 0: nothing.
  int unverified_status = 0;
  std::string tls_version;            // of that second request: "TLSv1.1"
  bool is_connection_reused = false;  // the connection had served before
  bool has_timed_out = false;         // also in the middle of a body
  bool contacted = false;             // a connection was tried
  bool has_offered_http2 = false;
  bool is_http2 = false;
  bool is_version_in_doubt = false;  // the server may answer in the other version of HTTP
  bool is_local_exhaustion = false;  // descriptors, ports or memory ran out here: says nothing about the host
  bool has_slept = false;            // the process was suspended for most of the time: a failure says nothing
  std::optional<Timestamp>
      address_busy_until;             // nothing was tried: too much goes to this address already, come again then
  bool is_against_robots = false;     // robots.txt asks not to fetch this, but a person listed it
  std::optional<Timestamp> saved_at;  // an archive's answer, of that time: the network was not asked
  ByteBudget::Lease lease;            // holds the body's bytes against the budget

  std::optional<Timestamp> retry_at;        // from Retry-After
  std::optional<Timestamp> quota_reset_at;  // from the RateLimit headers, where no request is left

  // The value of the last header of that (lower-case) name; empty where there is none.
  std::string_view header(std::string_view name) const { return find_header(headers, name); }

  // Our machine was to blame: it says nothing about the host.
  bool is_no_evidence() const { return is_local_exhaustion || has_slept; }
};

inline HopAnswer failed_hop(FailureKind failure, std::string detail) {
  HopAnswer answer;
  answer.failure = failure;
  answer.detail = std::move(detail);
  return answer;
}

struct FetchResult {
  FetchRequest request;
  parser::Url url;        // the request's, parsed
  Timestamp fetched_at;   // when the last hop was started
  parser::Url final_url;  // of the last hop that was tried
  HopAnswer answer;       // of the last hop
  std::vector<storage::Redirect> redirects;
  std::vector<storage::Attempt> attempts;

  // Takes over what `fetch` has come to; what its last hop got is still to be set.
  explicit FetchResult(PendingFetch& fetch)
      : request(std::move(fetch.request)),
        url(std::move(fetch.link_url)),
        final_url(std::move(fetch.url)),
        redirects(std::move(fetch.redirects)),
        attempts(std::move(fetch.attempts)) {}
};

}  // namespace linkherd::crawler
