// Checks links with an API of their site: a public reader, an oEmbed or view API. An API is used if the page itself
// refused, looks gone, or is a shell without a title. The site APIs are data, like page rules: the [[site_api]] tables
// of users and of site_apis.toml, which documents their fields. Pure functions. crawler/run/follow_ups.h sends the
// requests.
//
// For example, https://www.youtube.com/watch?v=dQw4w9WgXcQ matches the site API "youtube". linkherd then requests
// https://www.youtube.com/oembed with the URL of the video. A 200 with a title means that the video exists; a 404 with
// "Not Found" means that it is gone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/classify/lazy_pattern.h"
#include "parser/enum_names.h"
#include "parser/metadata/metadata.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// The formats of dates in an answer. Users write the names: DO NOT CHANGE them.
enum class DateForm : std::uint8_t { written, unix_utc, unix_china };
inline constexpr std::array<EnumName<DateForm>, 3> date_form_names{
    {{DateForm::written, "written"}, {DateForm::unix_utc, "unix"}, {DateForm::unix_china, "unix_china"}}};

// Conditions on an answer, all of which must hold.
struct SiteApiSign {
  using Value = std::pair<std::string, std::vector<std::string>>;  // a JSON pointer, and the accepted values

  std::vector<int> statuses;
  std::vector<Value> values;
  std::string text;  // contained in the body; empty: no condition
};

// A JSON pointer to a value, and a CSS selector of elements if the value is HTML.
struct ValuePath {
  std::string pointer;
  std::string selector;
  bool operator==(const ValuePath&) const = default;
};

struct SiteApi {
  std::string name;
  std::string site;     // only links on this host and its subdomains; empty: anywhere
  std::string pattern;  // for the link's URL; empty: use the oEmbed URL that the page itself names
  std::shared_ptr<const LazyPattern> expression;
  std::string except;  // pattern of links that are not looked up; empty: none
  std::shared_ptr<const LazyPattern> exception;
  std::string url;                                           // with {1}, {2}, … and {url}
  std::vector<std::pair<std::string, std::string>> headers;  // of the request: name, value
  std::string variable;             // the script variable that holds the JSON; empty: the body is JSON
  std::vector<SiteApiSign> exists;  // one of them must match
  std::vector<SiteApiSign> missing;
  std::vector<std::pair<std::string, std::string>> same;  // pointer and value; another value means another page
  std::optional<ValuePath> title, authors, published, modified, site_name;
  DateForm dates = DateForm::written;
  double date_confidence = 0.6;
  std::string pause;       // pointer to a pause in seconds that the API requests; empty: none
  std::string definition;  // the table as TOML
  bool built_in = true;
};

// A request about one link.
struct SiteApiRequest {
  std::shared_ptr<const SiteApi> site_api;
  std::vector<std::string> captures;  // decoded; the first one is {url}
  std::string href;                   // of the request
  std::string link;                   // the link or one of its redirect targets, whichever the request is about
};

// The statement of a reply about the link. `unknown` means none. Metadata is set only with `exists`.
struct SiteApiResult {
  enum class Kind : std::uint8_t { unknown, exists, missing };
  Kind kind = Kind::unknown;
  parser::Metadata metadata;
  Duration pause{};  // the pause that this site API requests
};

class SiteApiSet {
 public:
  SiteApiSet() = default;
  static const SiteApiSet& built_in();

  // Reads the [[site_api]] tables of a TOML text, in their order. An error names the table and the problem.
  static Result<SiteApiSet> read(std::string_view toml);

  // Adds the site APIs of another set, such as the user's. They replace built-in ones for the same links.
  void append(const SiteApiSet& others);

  const std::vector<std::shared_ptr<const SiteApi>>& site_apis() const { return site_apis_; }

  // Returns the request about the page of a link, or nullopt if no site API knows such links. `oembed` is the oEmbed
  // URL that the page names for itself; empty if none.
  std::optional<SiteApiRequest> make_request(const parser::Url& link, const std::vector<storage::Redirect>& redirects,
                                             std::string_view oembed) const;

 private:
  std::vector<std::shared_ptr<const SiteApi>> site_apis_;
};

// Returns true if a site API could improve the result: access was denied, the page seems gone, or it has no title.
bool is_worth_a_site_api(const storage::Snapshot& page, parser::Harvest harvest = parser::Harvest::full);

// `body` is decoded and complete. `now` is the upper bound of the dates in it.
SiteApiResult read_site_api_reply(const SiteApiRequest& request, int status, std::string_view body, Timestamp now);

// Applies the statement to the page. Returns true if the page exists according to the statement, although the server
// sent another page (a refusal) for it. `remark`, about how the site API was used, is added to the evidence.
bool apply_result(const SiteApiRequest& request, const SiteApiResult& result, std::string_view remark,
                  storage::Snapshot& page);

}  // namespace linkherd::crawler
