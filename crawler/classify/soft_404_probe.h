// Soft 404s that are known by comparison: what a host answers for a path that cannot exist (its control answer) beside
// the page of a link. Pure rules; who asks the host, and when, is crawler/run/follow_ups.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crawler/classify/classify.h"
#include "parser/url/url.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

// What is compared of a page: as it is, and without the address that was asked for, which many messages repeat. Neither
// is enough: a word of an address ("/page") may be one of the message, too.
storage::PageFeatures page_features(const PageEvidence& page);
storage::PageFeatures features_without_url(const PageEvidence& page, const parser::Url& url);

// What the status of a page says of it, where a control answer may change `verdict`: a weak mark of a soft 404 or a
// wall; or a page that is there, but shows little text or no title of its own, or another path than was asked for.
std::optional<storage::Verdict> uncertain(const FetchResult& result, const storage::Verdict& verdict,
                                          const storage::PageFeatures& features);

// A path beside that of `url` that cannot exist, the same one for a day.
std::string probe_href(const parser::Url& url, Timestamp now);

struct UncertainPage {
  const parser::Url& url;                 // that was asked for
  const storage::Snapshot& found;         // and what came
  const storage::PageFeatures& features;  // of it, without its address
  const storage::PageFeatures& whole;     // and as it is
  const storage::Verdict& by_status;
  bool can_ask = true;  // false: a web archive, whose hosts have no control answers: nothing is made of their lack
};

// The verdict of the page beside the control answer of its host; null where there is none. `home`: the host's page
// without path, where it is known.
storage::Verdict apply_probe(const UncertainPage& page, const storage::ProbeResult* probe,
                             const storage::PageFeatures* home);

}  // namespace linkherd::crawler
