#include "crawler/run/service_lookups.h"

#include <algorithm>
#include <iterator>

namespace linkherd::crawler {

namespace {

bool is_for_github(LookupKind kind) { return kind == LookupKind::repository || kind == LookupKind::files; }

}  // namespace

bool is_temporary_failure(const storage::Snapshot& response) {
  return response.redirects.empty() && (response.status == 0 || response.status == 429 || response.status >= 500);
}

bool ServiceLookups::add(LookupKind kind, FetchRequest request, std::size_t search) {
  ServiceLookup& lookup = pending_[std::string(request.href())];
  lookup.waiting.push_back(search);
  if (lookup.waiting.size() > 1) return false;
  lookup.kind = kind;
  if (is_for_github(kind)) {
    requests_.push_back(std::move(request));
  } else if (archive_requests_ < max_archive_requests_) {
    ++archive_requests_;
    requests_.push_back(std::move(request));
  } else {
    archive_queue_.push_back(std::move(request));
  }
  return true;
}

std::optional<ServiceLookup> ServiceLookups::take(const std::string& href, const storage::Snapshot& response) {
  auto lookup = pending_.extract(href);
  if (lookup.empty()) return std::nullopt;
  if (is_for_github(lookup.mapped().kind)) {
    note_github_response(response);
  } else {
    note_archive_response(response);
  }
  return std::move(lookup.mapped());
}

void ServiceLookups::note_archive_response(const storage::Snapshot& response) {
  --archive_requests_;
  if (may_ask_archive()) archive_failures_ = is_temporary_failure(response) ? archive_failures_ + 1 : 0;
  if (may_ask_archive()) {
    if (archive_queue_.empty()) return;
    ++archive_requests_;
    requests_.push_back(std::move(archive_queue_.front()));
    archive_queue_.pop_front();
    return;
  }
  for (const FetchRequest& request : std::exchange(archive_queue_, {})) {
    if (const auto lookup = pending_.extract(std::string(request.href())); !lookup.empty())
      std::ranges::copy(lookup.mapped().waiting, std::back_inserter(dropped_));
  }
}

void ServiceLookups::note_github_response(const storage::Snapshot& response) {
  if (!may_ask_github()) return;
  const bool is_refusal = response.status == 401 || response.status == 403;
  github_failures_ = is_refusal || is_temporary_failure(response) ? github_failures_ + 1 : 0;
}

}  // namespace linkherd::crawler
