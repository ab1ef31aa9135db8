// The requests of a search for new addresses to a web archive and to GitHub's API. A service that fails several times
// in a row is not used again. Does no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// The subject of a request.
enum class LookupKind : std::uint8_t {
  captures,    // the archive's index of a page
  copy,        // an archived page
  redirect,    // an archived redirect
  repository,  // the properties of a repository on GitHub
  files,       // the names of its files
};

struct ServiceLookup {
  LookupKind kind = LookupKind::captures;
  std::vector<std::size_t> waiting;  // the searches that need the response
};

// Returns true if the response shows that the host or the service may answer another time.
bool is_temporary_failure(const storage::Snapshot& response);

// Not thread-safe.
class ServiceLookups {
 public:
  // At most `max_archive_requests` requests to the archive are in flight.
  explicit ServiceLookups(std::size_t max_archive_requests) : max_archive_requests_(max_archive_requests) {}

  bool may_ask_archive() const { return archive_failures_ < max_failures; }
  bool may_ask_github() const { return github_failures_ < max_failures; }

  // Adds a request for a search. Returns false if the response is awaited already, so that nothing is sent.
  bool add(LookupKind kind, FetchRequest request, std::size_t search);
  std::vector<FetchRequest> take_requests() { return std::exchange(requests_, {}); }
  bool is_pending() const { return !pending_.empty(); }

  // Returns the awaited lookup, or nullopt if the response belongs to no lookup.
  std::optional<ServiceLookup> take(const std::string& href, const storage::Snapshot& response);
  // Returns the searches whose requests were dropped because the archive failed.
  std::vector<std::size_t> take_dropped() { return std::exchange(dropped_, {}); }

 private:
  static constexpr int max_failures = 3;  // in a row

  void note_archive_response(const storage::Snapshot& response);
  void note_github_response(const storage::Snapshot& response);

  std::size_t max_archive_requests_;
  std::unordered_map<std::string, ServiceLookup> pending_;  // by href
  std::deque<FetchRequest> archive_queue_;
  std::vector<FetchRequest> requests_;
  std::vector<std::size_t> dropped_;
  std::size_t archive_requests_ = 0;  // in flight
  int archive_failures_ = 0;          // in a row
  int github_failures_ = 0;           // in a row
};

}  // namespace linkherd::crawler
