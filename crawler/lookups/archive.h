// Finds copies of dead links in a web archive: builds the requests and interprets the answers. At most two requests are
// made per link. The first goes to the availability API of the Wayback Machine. If it names no copy, the second
// requests the link's TimeMap (RFC 7089). The search for new addresses uses the index of captures (CDX) instead.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crawler/fetch/http/fetch_request.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_state.h"

namespace linkherd::crawler {

// A link whose copy is wanted.
struct DeadLink {
  std::size_t index = 0;  // in the link table
  parser::Url url;
  Timestamp wanted;  // the copy nearest to this time is the best
};

// Names captures of a page by their dates, as the archive writes them: "20260305102000". Each may be empty.
struct PageCaptures {
  std::string copy;      // the last good page before it was redirected
  std::string redirect;  // the first redirect after that
};

// The URLs and answers of one archive. Pure functions.
class Archive {
 public:
  Archive();  // the Internet Archive
  // Uses another archive below an http or https URL, with the same interface: BASE/wayback/available,
  // BASE/web/timemap/link/, BASE/cdx/search/cdx and BASE/web/.
  explicit Archive(const parser::Url& base);

  // Returns true if the archive may be asked about a link. The host must be below a public top-level domain and the
  // length usual. The URL must not be a copy itself, nor contain another URL with credentials, nor a parameter that is
  // likely a secret. Credentials and fragment of the link itself are never sent.
  bool may_know(const parser::Url& link) const;
  parser::Url availability(const DeadLink& link) const;
  parser::Url timemap(const DeadLink& link) const;

  // Returns the copy that an answer of the availability API names. Returns nullopt if it names none that can be
  // trusted, for example because of another page, another host or an impossible date. Returns an error if the text is
  // not such an answer. `now` is the time of the request.
  Result<std::optional<storage::ArchivedCopy>> available_copy(std::string_view json, const DeadLink& link,
                                                              Timestamp now) const;
  // Returns the nearest copy of a TimeMap in link format. Returns an error if the text is not a TimeMap, or if it has
  // more entries than are read and no copy among the first.
  Result<std::optional<storage::ArchivedCopy>> nearest_copy(std::string_view timemap, const DeadLink& link,
                                                            Timestamp now) const;

  // Returns the URL of the index of a page's captures. With `last_good`, only redirects after it are wanted.
  parser::Url captures(const parser::Url& page, std::optional<Timestamp> last_good) const;
  // Returns the captures that an answer of the index names, as far as they are of this page. Returns an error if the
  // text is not such an answer.
  Result<PageCaptures> read_captures(std::string_view json, const parser::Url& page, Timestamp now) const;
  // Returns the URL of one capture, as the page was, without changes by the archive.
  parser::Url capture(const parser::Url& page, std::string_view date) const;
  // Returns the address that the URL of a capture contains. Returns nullopt for other URLs.
  std::optional<parser::Url> captured_url(const parser::Url& capture) const;
  // Returns the last address that a captured redirect leads to, if it is another page. `answer` is that of the capture.
  std::optional<parser::Url> redirect_target(const storage::Snapshot& answer, const parser::Url& page) const;

 private:
  std::optional<storage::ArchivedCopy> copy(std::string_view href, std::optional<Timestamp> date, const DeadLink& link,
                                            Timestamp now) const;

  std::string availability_;
  std::string timemap_;
  std::string captures_;
  std::string copies_;  // the beginning of the URLs of copies, without the scheme: "//web.archive.org/web/"
  bool is_https_ = true;
};

// The archive lookups of a run, one at a time. If several lookups in a row fail, the archive is not used again. Used by
// one thread.
class ArchiveLookups {
 public:
  explicit ArchiveLookups(Archive archive) : archive_(std::move(archive)) {}

  bool may_know(const parser::Url& link) const { return archive_.may_know(link); }
  bool is_pending() const { return link_.has_value(); }
  bool is_abandoned() const { return failures_ >= max_failures; }

  // Returns the first request about a link. Call it only while is_pending() is false.
  FetchRequest make_request(DeadLink link);

  // The outcome of a request: the next request about the same link, or the result for the link with that index.
  struct Outcome {
    std::optional<FetchRequest> next;
    std::optional<std::pair<std::size_t, storage::ArchivedCopy>> known;
  };
  // `body` is decoded.
  Outcome handle_response(const storage::Snapshot& response, std::string_view body);

 private:
  static constexpr int max_failures = 3;

  Result<Outcome> read(const storage::Snapshot& response, std::string_view body, const DeadLink& link);

  Archive archive_;
  std::optional<DeadLink> link_;  // the current link
  bool requests_timemap_ = false;
  int failures_ = 0;  // consecutive failed links
};

}  // namespace linkherd::crawler
