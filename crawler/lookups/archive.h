// Copies of dead links in a web archive: what is asked, and what its answers say. Two questions a link: the
// availability API of the Wayback Machine, and where that names no copy the link's TimeMap (RFC 7089).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/api_answer.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_record.h"

namespace linkherd::crawler {

// A link that an archive is asked about.
struct DeadLink {
  std::size_t number = 0;  // in the plan
  parser::Url url;
  Timestamp wanted;  // the copy nearest to this is the best
};

// Where an archive is asked. Pure.
class Archive {
 public:
  Archive();  // the Internet Archive
  // Another one, that answers below an http or https URL as the Internet Archive does: BASE/wayback/available and
  // BASE/web/timemap/link/.
  explicit Archive(const parser::Url& base);

  // Whether a link may be asked about: on a host below a public top-level domain, of a usual length, without a login in
  // a URL inside it, and no copy itself. Its own login and fragment are never sent.
  bool may_know(const parser::Url& link) const;
  parser::Url availability(const DeadLink& link) const;
  parser::Url timemap(const DeadLink& link) const;

  // The copy that an answer of the availability API names. Nothing where it names none that can be trusted: another
  // page, another place than the archive's, an impossible date. An error where it is no such answer. `now`: when it was
  // asked.
  Result<std::optional<storage::ArchivedCopy>> available_copy(std::string_view json, const DeadLink& link,
                                                              Timestamp now) const;
  // The nearest copy of a TimeMap in link format. An error where the answer is no TimeMap, or one with more entries
  // than are read and no copy among these.
  Result<std::optional<storage::ArchivedCopy>> nearest_copy(std::string_view timemap, const DeadLink& link,
                                                            Timestamp now) const;

 private:
  std::optional<storage::ArchivedCopy> copy(std::string_view href, std::optional<Timestamp> date, const DeadLink& link,
                                            Timestamp now) const;

  std::string availability_;
  std::string timemap_;
  std::string copies_;  // how their URLs begin, without the scheme: "//web.archive.org/web/"
  bool is_https_ = true;
};

// The questions of a run, one at a time. An archive that says nothing of several links in a row is not asked again.
// Used by one thread.
class ArchiveLookups {
 public:
  explicit ArchiveLookups(Archive archive) : archive_(std::move(archive)) {}

  bool is_asking() const { return link_.has_value(); }
  bool has_given_up() const { return failures_ >= max_failures; }

  // The first question about a link. Only while is_asking() is false.
  FetchRequest ask(DeadLink link);

  // What came of a question: the next one about the same link; or what is known now, for the link of that number.
  struct Outcome {
    std::optional<FetchRequest> next;
    std::optional<std::pair<std::size_t, storage::ArchivedCopy>> known;
  };
  Outcome enter(const ApiAnswer& answer);

 private:
  static constexpr int max_failures = 3;

  Result<Outcome> read(const ApiAnswer& answer, const DeadLink& link);

  Archive archive_;
  std::optional<DeadLink> link_;  // that is asked about
  bool asks_timemap_ = false;
  int failures_ = 0;  // links in a row
};

}  // namespace linkherd::crawler
