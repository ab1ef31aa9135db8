// Copies of dead links in a web archive: what is asked, and what its answers say. Two questions a link: the
// availability API of the Wayback Machine, and where that names no copy the link's TimeMap (RFC 7089).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/run/page_analysis.h"
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

  // Whether a link may be asked about: on a host of the public internet, of a usual length, and no copy itself. Its
  // login and fragment are never sent.
  bool may_know(const parser::Url& link) const;
  parser::Url availability(const DeadLink& link) const;
  parser::Url timemap(const DeadLink& link) const;

  // The copy that an answer names. Nothing where it names none that can be trusted: another page, another host than the
  // archive's, an impossible date. `now`: when it was asked.
  std::optional<storage::ArchivedCopy> available_copy(std::string_view json, const DeadLink& link, Timestamp now) const;
  // The nearest copy of a TimeMap in link format. An error where the answer is no TimeMap.
  Result<std::optional<storage::ArchivedCopy>> nearest_copy(std::string_view timemap, const DeadLink& link,
                                                            Timestamp now) const;

 private:
  std::optional<storage::ArchivedCopy> copy(std::string_view href, std::optional<Timestamp> date, const DeadLink& link,
                                            Timestamp now) const;

  std::string availability_;
  std::string timemap_;
  std::string domain_;  // registrable, below which its copies are
  bool is_https_ = true;
};

// The questions of a run, one at a time. An archive that fails several times in a row is not asked again. Used by one
// thread.
class ArchiveQuestions {
 public:
  explicit ArchiveQuestions(Archive archive) : archive_(std::move(archive)) {}

  bool is_asking() const { return link_.has_value(); }
  bool has_given_up() const { return failures_ >= most_failures; }
  void give_up() { failures_ = most_failures; }

  // The first question about a link. Only while is_asking() is false.
  FetchRequest ask(DeadLink link);

  // What came of a question: the next one about the same link; or what is known now, for the link of that number.
  struct Outcome {
    std::optional<FetchRequest> next;
    std::optional<std::pair<std::size_t, storage::ArchivedCopy>> known;
  };
  Outcome enter(const AnalyzedPage& answer);

 private:
  static constexpr int most_failures = 3;

  void fail(std::string_view why);

  Archive archive_;
  std::optional<DeadLink> link_;  // that is asked about
  bool asks_timemap_ = false;
  int failures_ = 0;  // in a row
};

}  // namespace linkherd::crawler
