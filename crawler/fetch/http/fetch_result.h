// The result of a FetchRequest: the response of the last hop and the whole redirect chain, or the reason why there is
// none. Failures are data here, never errors.
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

enum class BodyState : std::uint8_t {
  complete,
  cut,        // by a limit, the network or a broken content coding
  timed_out,  // cut by the timeout of the attempt
  dropped,    // a type that is not kept (image, video); aborted after the headers
};

enum class ConnectionUse : std::uint8_t {
  none,    // linkherd has not tried to connect
  opened,  // at least tried
  reused,  // the connection had served an earlier request
};

enum class HttpVersion : std::uint8_t {
  http1,
  http2,
  in_doubt,  // the server may answer in the version that was not offered
};

// A cause on this machine, because of which an attempt is no evidence about its host.
enum class LocalCause : std::uint8_t {
  none,
  address_busy,  // nothing was sent, because too many requests to this address were in flight, until `retry_at`
  exhausted,     // descriptors, ports or memory ran out
  asleep,        // a failure, and the process was suspended for most of the time
};

// The outcome of one attempt, before linkherd decides how to go on: a response, or why there is none.
struct AttemptResult {
  Timestamp started{};  // start of the request for the page, after robots.txt; zero if it was not sent
  // 0: no status line arrived; any other value shows that the host is alive, even if its headers or body failed.
  int status = 0;
  FailureKind failure = FailureKind::none;
  // A message for people, such as "certificate expired on 2024-05-01" or "connection refused by 192.0.2.1:443". With a
  // status and no failure, it says what is wrong with the headers.
  std::string detail;
  std::vector<storage::ResponseHeader> headers;  // values as sent, in no particular encoding
  std::string body;                              // capped; content-coded until decode_content() has run
  bool is_body_decoded = false;
  BodyState body_state = BodyState::complete;
  std::string remote_address;
  std::string relayed_by;  // the proxy that relayed or created a response without a tunnel; empty: none
  std::optional<CertificateFacts> certificate;
  std::optional<CertificateFault> certificate_fault;  // why the certificate was refused
  bool lacks_client_certificate = false;  // the server requested a client certificate, and none is configured for it
  // After a refused certificate: the status of a second request without verification. 0: no status.
  int unverified_status = 0;
  std::string tls_version;  // of that second request, such as "TLSv1.1"
  ConnectionUse connection = ConnectionUse::none;
  HttpVersion version = HttpVersion::http1;
  LocalCause local_cause = LocalCause::none;
  bool is_disallowed_by_robots = false;  // robots.txt disallows this URL, but an input document lists it
  // The date of an archived response; set if the response did not come from the network.
  std::optional<Timestamp> saved_at;
  ByteBudget::Lease lease;  // counts the bytes of the body against the budget

  std::optional<Timestamp> retry_at;        // from Retry-After, or the end of a busy time
  std::optional<Timestamp> quota_reset_at;  // from the RateLimit headers, if no request is left

  // Returns the value of the last header with this lower-case name. Empty if there is none.
  std::string_view header(std::string_view name) const { return find_header(headers, name); }

  bool is_body_complete() const { return body_state == BodyState::complete || body_state == BodyState::dropped; }
  bool was_contacted() const { return connection != ConnectionUse::none; }
  bool is_connection_reused() const { return connection == ConnectionUse::reused; }
  bool is_no_evidence() const { return local_cause != LocalCause::none; }
};

inline AttemptResult failed_attempt(FailureKind failure, std::string detail) {
  AttemptResult response;
  response.failure = failure;
  response.detail = std::move(detail);
  return response;
}

struct FetchResult : FetchChain {
  Timestamp fetched_at;    // start of the last hop
  parser::Url final_url;   // the URL of the last hop
  AttemptResult response;  // the response of the last hop

  // The caller sets the response of the last hop.
  FetchResult(FetchChain chain, parser::Url last_hop_url)
      : FetchChain(std::move(chain)), final_url(std::move(last_hop_url)) {}
  // The result of a request that is answered without an attempt.
  explicit FetchResult(FetchRequest r) : FetchChain(std::move(r)), final_url(link_url) {}
};

}  // namespace linkherd::crawler
