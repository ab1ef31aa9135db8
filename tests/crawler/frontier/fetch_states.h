// Creates fetches for frontier tests, and helpers to inspect the fetches that a frontier returns.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/frontier/frontier.h"

namespace linkherd::crawler {

inline const Timestamp start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 5}};

inline std::unique_ptr<FetchState> fetch(std::string_view url, std::optional<Timestamp> not_before = std::nullopt) {
  auto f = std::make_unique<FetchState>(FetchRequest({}, parser::Url::parse(url).value().href()));
  f->not_before = not_before;
  return f;
}

inline std::unique_ptr<FetchState> hop(std::string_view url) {
  auto f = fetch(url);
  f->redirects.push_back({.from = "https://elsewhere.example/", .status = 301, .to = std::string(url)});
  return f;
}

inline std::string href(const std::unique_ptr<FetchState>& f) { return f ? std::string(f->hop_url.href()) : "nothing"; }
inline std::string pop(Frontier& frontier, Timestamp now) { return href(frontier.pop(now)); }

inline AttemptResult answered(int status) {
  AttemptResult response;
  response.status = status;
  response.connection = ConnectionUse::opened;
  return response;
}

// Returns a contact that ends as soon as it starts.
inline Contact contact(ContactOutcome outcome, Timestamp at) {
  const ContactResult result = outcome == ContactOutcome::failed          ? ContactResult::unconnected
                               : outcome == ContactOutcome::not_contacted ? ContactResult::no_evidence
                                                                          : ContactResult::served;
  return {.outcome = outcome, .result = result, .started = at};
}

inline Politeness pace(int concurrency, Duration interval) {
  return {.host_concurrency = concurrency, .host_request_interval = interval};
}

}  // namespace linkherd::crawler
