// Detects soft 404s by comparing the page of a link with the soft-404 probe of its host: the answer to a path that
// cannot exist. Pure rules. crawler/run/follow_ups.h sends the probes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crawler/classify/classify.h"
#include "parser/url/url.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

// Returns the features of a page that are compared: for the page as it is, and without the requested URL, which many
// messages repeat. Neither suffices alone, because a word of a URL ("/page") may also be a word of the message.
storage::PageFeatures page_features(const PageEvidence& page);
storage::PageFeatures features_without_url(const PageEvidence& page, const parser::Url& url);

// Returns the verdict of the status alone if a probe may change `verdict`; otherwise nullopt. That is the case for weak
// signs of a soft 404 or a wall. It is also the case for a live page with little text, a generic title, or another path
// than requested.
std::optional<storage::Verdict> uncertain(const FetchResult& result, const storage::Verdict& verdict,
                                          const storage::PageFeatures& features);

// Returns a URL in the folder of `url` that cannot exist. It is the same for a whole day.
std::string probe_href(const parser::Url& url, Timestamp now);

struct UncertainPage {
  const parser::Url& url;                          // the requested URL
  const storage::Snapshot& found;                  // the answer to it
  const storage::PageFeatures& features;           // of the page without the URL
  const storage::PageFeatures& features_with_url;  // of the page as it is
  const storage::Verdict& by_status;
  bool can_probe = true;  // false for a web archive, whose hosts have no probes: a missing probe then means nothing
};

// Returns the verdict of the page after comparing it with the probe of its host. `probe` is null if there is none.
// `home` holds the features of the host's home page, or null if unknown.
storage::Verdict apply_probe(const UncertainPage& page, const storage::ProbeResult* probe,
                             const storage::PageFeatures* home);

}  // namespace linkherd::crawler
