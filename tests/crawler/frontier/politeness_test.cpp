#include "crawler/frontier/politeness.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/frontier/fetch_states.h"

using namespace linkherd::crawler;

TEST_CASE("one contact changes the pace of a host") {
  struct Row {
    const char* what;
    HostPace before;
    ContactOutcome outcome;
    HostPace after;
  };
  const std::vector<Row> rows{
      {"a clean contact counts", {1.0, 0}, ContactOutcome::clean, {1.0, 1}},
      {"the eighth raises", {1.0, 7}, ContactOutcome::clean, {2.0, 0}},
      {"a fraction is raised too", {1.5, 7}, ContactOutcome::clean, {2.5, 0}},
      {"never above the ceiling", {6.0, 7}, ContactOutcome::clean, {6.0, 0}},
      {"what is above the ceiling comes down", {60.0, 0}, ContactOutcome::clean, {6.0, 1}},
      {"overload halves", {6.0, 5}, ContactOutcome::overloaded, {3.0, 0}},
      {"overload halves fractions", {3.0, 0}, ContactOutcome::overloaded, {1.5, 0}},
      {"never below one", {1.0, 3}, ContactOutcome::overloaded, {1.0, 0}},
      {"a failure ends the row", {4.0, 5}, ContactOutcome::failed, {4.0, 0}},
      {"no contact changes nothing", {4.0, 5}, ContactOutcome::not_contacted, {4.0, 5}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(adapt(row.before, row.outcome, 6) == row.after);
  }
}

TEST_CASE("the pace grows up to the ceiling and no further") {
  HostPace pace;
  for (int i = 0; i < 39; ++i) pace = adapt(pace, ContactOutcome::clean, 6);
  CHECK(pace.concurrency == 5.0);
  for (int i = 0; i < 100; ++i) pace = adapt(pace, ContactOutcome::clean, 6);
  CHECK(pace.concurrency == 6.0);
  for (int i = 0; i < 10; ++i) pace = adapt(pace, ContactOutcome::overloaded, 6);
  CHECK(pace.concurrency == 1.0);
}

TEST_CASE("a ceiling below one means one") {
  HostPace pace;
  for (int i = 0; i < 20; ++i) pace = adapt(pace, ContactOutcome::clean, 0);
  CHECK(pace.concurrency == 1.0);
}

TEST_CASE("every answer maps to a contact outcome") {
  const auto failed = [](FailureKind failure, bool contacted) {
    AttemptResult response = failed_attempt(failure, "");
    if (contacted) response.connection = ConnectionUse::opened;
    return contact_outcome(response);
  };
  CHECK(contact_outcome(answered(200)) == ContactOutcome::clean);
  CHECK(contact_outcome(answered(404)) == ContactOutcome::clean);
  CHECK(contact_outcome(answered(429)) == ContactOutcome::overloaded);
  CHECK(contact_outcome(answered(503)) == ContactOutcome::overloaded);
  CHECK(failed(FailureKind::timeout, true) == ContactOutcome::overloaded);
  CHECK(failed(FailureKind::connection_reset, true) == ContactOutcome::overloaded);
  CHECK(failed(FailureKind::connection_refused, true) == ContactOutcome::failed);
  CHECK(failed(FailureKind::bad_response, true) == ContactOutcome::clean);
  CHECK(failed(FailureKind::dns_not_found, false) == ContactOutcome::not_contacted);
  AttemptResult ours = failed_attempt(FailureKind::connection_refused, "");
  ours.connection = ConnectionUse::opened;
  ours.local_cause = LocalCause::exhausted;
  CHECK(contact_outcome(ours) == ContactOutcome::not_contacted);
}
