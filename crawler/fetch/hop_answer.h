// What one hop got, before it is decided what follows from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crawler/fetch/byte_budget.h"
#include "crawler/fetch/certificate.h"
#include "crawler/fetch/failure.h"
#include "crawler/fetch/header.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

struct HopAnswer {
  int status = 0;  // not 0: the host lives, whatever became of the rest of its headers and of the body
  FailureKind failure = FailureKind::none;
  std::string detail;  // of the failure, or what is wrong with the headers behind the status
  std::vector<Header> headers;
  std::string body;  // as sent
  bool body_complete = true;
  bool body_wanted = true;
  std::string remote_address;
  std::optional<CertificateFacts> certificate;
  int unverified_status = 0;
  bool reused_connection = false;  // the connection had served before
  bool timed_out = false;          // also in the middle of a body
  bool contacted = false;          // a connection was tried
  bool own_trouble = false;        // descriptors, ports or memory ran out here: says nothing about the host
  bool slept = false;              // this process was stopped meanwhile, for most of the time: a failure says nothing
  std::optional<Timestamp> turned_away;  // nothing was tried: too much goes to this address already, come again then
  bool against_robots = false;           // robots.txt asks not to fetch this, but a person listed it
  ByteBudget::Lease lease;
};

inline HopAnswer failed_hop(FailureKind failure, std::string detail) {
  HopAnswer answer;
  answer.failure = failure;
  answer.detail = std::move(detail);
  return answer;
}

}  // namespace linkherd::crawler
