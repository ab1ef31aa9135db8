// SiteApis: what a site says of a link elsewhere than on its page (a public reader, an oEmbed or view API), where the
// page itself refused, looks gone, or is a shell without title. Data, like the rules of pages: [[site_api]] tables of
// site_apis.toml, which says what their fields mean, and of users. Pure; who asks, and when, is
// crawler/run/follow_ups.h.
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

// How dates are written in an answer. Names are written by users: DO NOT CHANGE them.
enum class DateForm : std::uint8_t { written, unix_utc, unix_china };
inline constexpr std::array<EnumName<DateForm>, 3> date_form_names{
    {{DateForm::written, "written"}, {DateForm::unix_utc, "unix"}, {DateForm::unix_china, "unix_china"}}};

// What an answer must show, all of it.
struct SiteApiSign {
  using Value = std::pair<std::string, std::vector<std::string>>;  // a JSON pointer, and what may stand there

  std::vector<int> statuses;
  std::vector<Value> values;
  std::string text;  // that the body contains; empty: any
};

// A pointer to a value; where that is HTML, a selector of elements in it.
struct ValuePath {
  std::string pointer;
  std::string selector;
  bool operator==(const ValuePath&) const = default;
};

struct SiteApi {
  std::string name;
  std::string site;     // only links on this host and below it; empty: anywhere
  std::string pattern;  // of the link's URL; empty: asked at the oEmbed address that the page itself names
  std::shared_ptr<const LazyPattern> expression;
  std::string except;  // links whose URL matches this are not asked about; empty: none
  std::shared_ptr<const LazyPattern> exception;
  std::string url;                                           // with {1}, {2}, … and {url}
  std::vector<std::pair<std::string, std::string>> headers;  // of the request: name, value
  std::string variable;                                      // of a script, that holds the JSON; empty: the body does
  std::vector<SiteApiSign> there;                            // any of them
  std::vector<SiteApiSign> gone;
  std::vector<std::pair<std::string, std::string>> same;  // pointer, value: another one means another page
  std::optional<ValuePath> title, authors, published, modified, site_name;
  DateForm dates = DateForm::written;
  double date_confidence = 0.6;
  std::string pause;       // pointer to the seconds for which it wants no other question; empty: it does not say
  std::string definition;  // its table as TOML
  bool built_in = true;
};

// What is asked about one link.
struct SiteApiRequest {
  std::shared_ptr<const SiteApi> site_api;
  std::vector<std::string> captures;  // decoded; that of {url} is the first
  std::string href;                   // of the site API
  std::string link;                   // that the site API speaks of: the link's URL, or one that it was redirected to
};

struct SiteApiReply {
  int status = 0;
  std::string_view body;  // decoded, whole
};

// What a reply says of the link. `unknown`: nothing; metadata is there only with `there`.
struct SiteApiResult {
  enum class Kind : std::uint8_t { unknown, there, gone };
  Kind kind = Kind::unknown;
  parser::Metadata metadata;
  Duration pause{};  // for which this site API wants no other question
};

class SiteApiSet {
 public:
  SiteApiSet() = default;
  static const SiteApiSet& built_in();

  // The [[site_api]] tables of a TOML text, in its order. An error says which table and what is wrong with it.
  static Result<SiteApiSet> read(std::string_view toml);

  // Another set's site APIs, a user's own: they are asked instead of built-in ones for the same links.
  void append(const SiteApiSet& others);

  const std::vector<std::shared_ptr<const SiteApi>>& site_apis() const { return site_apis_; }

  // What to ask about the page of a link. `oembed`: the address that the page names for itself; empty: none. Nothing
  // where no site API knows such links.
  std::optional<SiteApiRequest> question(const parser::Url& link, const std::vector<storage::Redirect>& redirects,
                                         std::string_view oembed) const;

 private:
  std::vector<std::shared_ptr<const SiteApi>> site_apis_;
};

// Returns true if a site API could improve the result: access was denied, the page seems gone, or it has no title.
bool is_worth_a_site_api(const storage::Snapshot& page, parser::Harvest harvest = parser::Harvest::full);

// `now` bounds the dates that an answer may claim.
SiteApiResult read_site_api_reply(const SiteApiRequest& question, const SiteApiReply& reply, Timestamp now);

// What the page is by that statement. True: it is there, and what the server sent for it is another page. `remark`,
// about how the site API was asked, goes into the evidence.
bool settle(const SiteApiRequest& question, const SiteApiResult& statement, std::string_view remark,
            storage::Snapshot& page);

}  // namespace linkherd::crawler
