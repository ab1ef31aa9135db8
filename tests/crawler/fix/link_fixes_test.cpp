#include "crawler/fix/link_fixes.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/url.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

namespace reason = storage::reason;
using storage::RelocationLevel;

storage::CheckedLink checked(const std::string& url, storage::Health health, std::string_view why) {
  storage::CheckedLink link;
  link.result.id = storage::LinkId::of(parser::Url::parse(url).value());
  link.result.verdict = storage::without_request(health, why, "status", "");
  parser::LinkOccurrence occurrence;
  occurrence.file = "list.md";
  occurrence.url = occurrence.href = url;
  link.result.occurrences.push_back(occurrence);
  link.state.url = url;
  link.state.snapshot.verdict = link.result.verdict;
  link.state.snapshot.status = 200;
  link.state.snapshot.final_url = url;
  return link;
}

storage::CheckedLink moved(const std::string& from, const std::vector<std::string>& hops, int status = 301) {
  const bool permanent = status == 301 || status == 308;
  storage::CheckedLink link =
      checked(from, storage::Health::redirected, permanent ? reason::moved_permanently : reason::moved_temporarily);
  std::string at = from;
  for (const std::string& hop : hops) {
    link.state.snapshot.redirects.push_back({at, status, hop});
    at = hop;
  }
  link.state.snapshot.final_url = at;
  return link;
}

storage::CheckedLink relocated(const std::string& from, const std::string& to,
                               RelocationLevel level = RelocationLevel::sure) {
  storage::CheckedLink link = checked(from, storage::Health::dead, "http_404");
  link.state.relocation =
      storage::Relocation{.url = to, .level = level, .similarity = {}, .evidence = "same title", .searched_at = {}};
  return link;
}

const FixKinds usual{FixKind::redirects,   FixKind::https,   FixKind::tracking,
                     FixKind::redirectors, FixKind::schemes, FixKind::anchors};

RunFixes fixes_of(const std::vector<storage::CheckedLink>& links, const FixKinds& kinds = usual,
                  RelocationLevel min_level = RelocationLevel::sure) {
  return find_fixes([&links](const VisitLink& visit) { std::ranges::for_each(links, visit); }, kinds, nullptr, {}, {},
                    min_level);
}

// Returns the new target of the first link. Empty if the link is unchanged.
std::string fixed(const std::vector<storage::CheckedLink>& links, const FixKinds& kinds = usual,
                  RelocationLevel min_level = RelocationLevel::sure) {
  const std::string url = links.front().result.occurrences.front().url;
  const RunFixes fixes = fixes_of(links, kinds, min_level);
  const auto& all = fixes.lists.at("list.md").by_url;
  return all.contains(url) ? all.at(url).new_href : "";
}

}  // namespace

TEST_CASE("the new address of a permanently moved page is used unless it may be another page") {
  CHECK(moved_to(moved("https://a.herd/x", {"https://a.herd/y", "https://b.herd/z"})) == "https://b.herd/z");
  CHECK(moved_to(moved("http://a.herd/", {"https://www.a.herd/en/"})) == "https://www.a.herd/en/");
  for (const char* const target :
       {"https://a.herd/", "https://a.herd/index.html", "https://a.herd/en/", "https://a.herd/login?x=1",
        "https://a.herd/y?session=1", "https://a.herd/y;jsessionid=1", "https://a.herd/404.html", "http://a.herd/x",
        "https://u:p@a.herd/y", "ftp://a.herd/y"}) {
    CAPTURE(target);
    CHECK(!moved_to(moved("https://a.herd/x", {target})));
  }
  CHECK(!moved_to(moved("https://a.herd/x", {"https://a.herd/y"}, 302)));
  CHECK(!moved_to(moved("https://doi.org/10.1/2", {"https://a.herd/y"})));
  storage::CheckedLink partly = moved("https://a.herd/x", {"https://a.herd/y", "https://a.herd/z"});
  partly.state.snapshot.redirects[1].status = 302;
  CHECK(!moved_to(partly));
}

TEST_CASE("redirects and redirector links and moved targets are rewritten to the final URL") {
  CHECK(fixed({moved("http://a.herd/x", {"https://a.herd/x"}, 302)}) == "https://a.herd/x");
  CHECK(fixed({moved("http://a.herd/x?utm_source=b", {"https://a.herd/y?utm_source=b"})}) == "https://a.herd/y");
  const std::string led = "https://link.zhihu.com/?target=https%3A%2F%2Fa.herd%2Fx";
  CHECK(fixed({checked(led, storage::Health::alive, reason::ok)}) == "https://a.herd/x");
  CHECK(fixed({checked(led, storage::Health::alive, reason::ok), moved("https://a.herd/x", {"https://a.herd/y"})}) ==
        "https://a.herd/y");
  CHECK(fixed({checked(led, storage::Health::alive, reason::ok)}, {FixKind::redirects}).empty());
  CHECK(fixed({checked("https://a.herd/?utm_source=b", storage::Health::suspect, reason::soft_404)}).empty());
  CHECK(fixed({checked("https://a.herd/?utm_source=b", storage::Health::dead, "http_404")}).empty());
  CHECK(fixed({checked("https://u:p@a.herd/?utm_source=b", storage::Health::alive, reason::ok)}).empty());

  storage::CheckedLink ignored = moved("https://a.herd/x", {"https://a.herd/y"});
  ignored.result.occurrences[0].ignored_by = "linkherd-ignore";
  CHECK(fixed({ignored}).empty());
  storage::CheckedLink script = moved("https://a.herd/x", {"https://a.herd/y"});
  script.result.occurrences[0].element = parser::LinkElement::resource;
  CHECK(fixed({script}).empty());
}

TEST_CASE("a redirect target shared by three links is not written") {
  const std::string to = "https://a.herd/sorry";
  CHECK(fixed({moved("https://a.herd/x", {to}), moved("https://a.herd/y", {to})}) == to);
  CHECK(fixed({moved("https://a.herd/x", {to}), moved("https://a.herd/y", {to}), moved("https://a.herd/z", {to})})
            .empty());
}

TEST_CASE("the archived copy of a dead link is written only on request") {
  storage::CheckedLink dead = checked("https://a.herd/x", storage::Health::dead, "http_404");
  CHECK(fixes_of({dead}).without_archive == 1);
  dead.state.archived_copy = storage::ArchivedCopy{"https://archive.herd/1/https://a.herd/x", {}, {}};
  CHECK(fixed({dead}).empty());
  CHECK(fixes_of({dead}).broken == 1);
  FixKinds kinds = usual;
  kinds.insert(FixKind::archived);
  CHECK(fixed({dead}, kinds) == "https://archive.herd/1/https://a.herd/x");
  CHECK(fixes_of({dead}, kinds).broken == 0);
}

TEST_CASE("the new address of a dead link is written only on request and if it is proven") {
  const std::string from = "https://a.herd/x";
  const std::string to = "https://b.herd/y";
  FixKinds kinds = usual;
  kinds.insert(FixKind::relocated);
  CHECK(fixed({relocated(from, to)}).empty());
  CHECK(fixes_of({relocated(from, to)}).broken == 1);
  CHECK(fixed({relocated(from, to)}, kinds) == to);
  CHECK(fixes_of({relocated(from, to)}, kinds).broken == 0);
  CHECK(fixed({relocated(from, to, RelocationLevel::probably)}, kinds).empty());
  CHECK(fixed({relocated(from, to, RelocationLevel::probably)}, kinds, RelocationLevel::probably) == to);
  CHECK(fixed({relocated(from, to)}, kinds, RelocationLevel::probably) == to);
  for (const RelocationLevel level : {RelocationLevel::newer, RelocationLevel::project, RelocationLevel::possibly})
    CHECK(fixed({relocated(from, to, level)}, kinds, RelocationLevel::probably).empty());

  storage::CheckedLink alive = relocated(from, to);
  alive.result.verdict.health = storage::Health::alive;
  CHECK(fixed({alive}, kinds).empty());
  storage::CheckedLink script = relocated(from, to);
  script.result.occurrences[0].element = parser::LinkElement::resource;
  CHECK(fixed({script}, kinds).empty());
}

TEST_CASE("a new address that may be another page or is unusable is not written") {
  const FixKinds kinds{FixKind::relocated};
  for (const char* const target : {"", "x y", "javascript:alert(1)", "ftp://b.herd/y", "https://u:p@b.herd/y",
                                   "http://b.herd/y", "https://b.herd/", "https://b.herd/login?x=1",
                                   "https://b.herd/y?session=1", "https://b.herd/404.html", "\x1b[1m"}) {
    CAPTURE(target);
    CHECK(fixed({relocated("https://a.herd/x", target)}, kinds).empty());
  }
  CHECK(fixed({relocated("https://doi.org/10.1/2", "https://b.herd/y")}, kinds).empty());
  CHECK(fixed({relocated("https://a.herd/x", "https://a.herd/x")}, kinds).empty());
}

TEST_CASE("a new address comes before an archived copy and keeps the fragment as a redirect does") {
  storage::CheckedLink dead = relocated("https://a.herd/x", "https://b.herd/y");
  dead.state.archived_copy = storage::ArchivedCopy{"https://archive.herd/1/https://a.herd/x", {}, {}};
  const FixKinds kinds{FixKind::relocated, FixKind::archived};
  CHECK(fixed({dead}, kinds) == "https://b.herd/y");
  CHECK(fixed({dead}, {FixKind::archived}) == dead.state.archived_copy->url);
  dead.state.relocation->level = RelocationLevel::newer;
  CHECK(fixed({dead}, kinds) == dead.state.archived_copy->url);

  storage::CheckedLink part = relocated("https://a.herd/x", "https://b.herd/y");
  part.result.occurrences[0].url = part.result.occurrences[0].href = "https://a.herd/x#part";
  CHECK(fixed({part}, kinds) == "https://b.herd/y#part");
  part.state.relocation->url = "https://b.herd/y#new";
  CHECK(fixed({part}, kinds) == "https://b.herd/y#new");
}

TEST_CASE("a new address that moved itself is followed but not that of another dead link") {
  FixKinds kinds = usual;
  kinds.insert(FixKind::relocated);
  const storage::CheckedLink first = relocated("https://a.herd/x", "https://b.herd/y");
  CHECK(fixed({first, moved("https://b.herd/y", {"https://b.herd/z"})}, kinds) == "https://b.herd/z");
  CHECK(fixed({first, relocated("https://b.herd/y", "https://c.herd/z")}, kinds) == "https://b.herd/y");
}

TEST_CASE("dead links without a search for a new address are counted") {
  const storage::CheckedLink dead = checked("https://a.herd/x", storage::Health::dead, "http_404");
  CHECK(fixes_of({dead}).without_search == 1);
  CHECK(fixes_of({relocated("https://a.herd/x", "")}).without_search == 0);  // the search found none
  CHECK(fixes_of({checked("https://a.herd/x", storage::Health::insecure, "tls_expired")}).without_search == 0);
}
