// Tests that a report from stored excerpts equals the report from whole snapshots.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reports/report_rows.h"
#include "storage/checked_links.h"
#include "storage/link_id.h"
#include "storage/link_writer.h"
#include "storage/store.h"
#include "tests/reports/report_fixture.h"
#include "tests/support/temp_dir.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::Health;
namespace reason = storage::reason;

// Links that share URLs, payloads, texts, titles and canonical URLs.
class Pages {
 public:
  explicit Pages(std::uint32_t seed) : random_(seed) {}

  CheckedLink page(unsigned number) {
    static constexpr std::array<std::pair<Health, std::string_view>, 8> verdicts{
        {{Health::alive, reason::ok},
         {Health::alive, reason::ok},
         {Health::alive, reason::not_modified},
         {Health::redirected, "redirected"},
         {Health::redirected, reason::moved_permanently},
         {Health::dead, "http_404"},
         {Health::suspect, reason::content_changed},
         {Health::blocked, "http_403"}}};
    const auto& [health, why] = verdicts[below(verdicts.size())];
    const std::string url = "https://" + host() + "/" + std::to_string(number) + (below(4) == 0 ? "?utm_source=x" : "");
    CheckedLink made = link(below(2) == 0 ? "a.md" : "b.md", number, url, verdict(health, why));
    made.result.id = made.state.id = storage::LinkId::of_text(url);
    made.state.first_seen = at("2026-03-01T10:20:00Z");
    storage::Snapshot& snapshot = made.state.snapshot;
    if (health == Health::redirected) snapshot.final_url = "https://" + host() + "/" + std::to_string(below(50));
    if (below(3) != 0) snapshot.body_digest = storage::content_digest(std::to_string(below(200)));
    if (below(3) != 0) snapshot.main_text = text();
    if (below(4) != 0) snapshot.metadata.title = field("Title " + std::to_string(below(60)), "title");
    if (below(4) == 0) snapshot.metadata.published = field("2026-01-01", "meta");
    if (below(5) == 0) snapshot.metadata.authors = {.value = {"Ann"}, .source = "meta", .confidence = 0.5};
    if (below(3) == 0)
      snapshot.metadata.canonical =
          field("https://" + host() + "/" + std::to_string(below(40)), below(2) == 0 ? "link:canonical" : "og:url");
    if (below(3) == 0) snapshot.metadata.canonical = field(snapshot.final_url, "http:link");
    if (below(6) == 0) snapshot.facts = {{"archived", "the repository is archived"}};
    if (below(3) == 0)
      snapshot.certificate = {"CN=x", "CN=y", at("2026-03-0" + std::to_string(1 + below(9)) + "T00:00:00Z")};
    if (below(9) == 0) made.result.verdict = verdict(Health::deferred, reason::interrupted);  // only of this run
    return made;
  }

 private:
  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  std::string host() { return (below(2) == 0 ? "www.host" : "host") + std::to_string(below(9)) + ".example"; }
  static parser::Field<std::string> field(std::string value, std::string source) {
    return {.value = std::move(value), .source = std::move(source), .confidence = 0.8};
  }
  parser::TextSignature text() {
    std::mt19937_64 bits(below(100));
    parser::TextSignature made{.digest = bits(), .simhash = bits(), .length = 4000, .minhash = {}};
    for (std::uint64_t& word : made.minhash) word = bits();
    if (below(2) == 0) made.minhash[0] ^= 7U;
    return made;
  }

  std::mt19937 random_;
};

TEST_CASE("a report from stored excerpts equals the report from whole links") {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const tests::TempDir dir;
    const auto store = storage::Store::open(dir / "store");
    storage::Run run = store->begin_run("identity", {"a.md"}, at("2026-03-05T10:00:00Z"));
    Pages pages(seed);
    for (unsigned number = 0; number < 300; ++number) storage::put_link(*store, run, pages.page(number), {});
    run.state = storage::RunState::complete;
    run.finished_at = at("2026-03-05T11:00:00Z");
    store->put_run(run);

    const storage::StoredLinks stored(*store, run);
    LinksInMemory whole;
    for (std::size_t number = 0; number < stored.size(); ++number) whole.push_back(stored.at(number));
    const auto report_of = [&run](const storage::CheckedLinks& links) {
      return report_on(
          links,
          {.run = run, .duplicates = DuplicateScope::across, .now = at("2026-03-05T11:00:00Z"), .certificate_days = 2});
    };
    const Report one = report_of(stored);
    const Report other = report_of(whole);
    CHECK(one.summary.by_health == other.summary.by_health);
    CHECK(one.summary.fine == other.summary.fine);
    CHECK(one.summary.hosts == other.summary.hosts);
    CHECK(one.summary.pages == other.summary.pages);
    CHECK(one.summary.titles == other.summary.titles);
    CHECK(one.summary.authors == other.summary.authors);
    CHECK(one.summary.dates == other.summary.dates);
    CHECK(one.certificates == other.certificates);
    CHECK_FALSE(one.certificates.empty());
    CHECK(one.duplicates == other.duplicates);
    CHECK_FALSE(one.duplicates.empty());
    for (const auto& [section, name] : section_names) {
      CAPTURE(name);
      const auto links_of = [section = section](const Report& report) {
        std::vector<std::pair<std::uint32_t, std::string>> links;
        for (const ReportRow& row : rows(report, section)) links.emplace_back(row.link, row.cause->name);
        return links;
      };
      CHECK(links_of(one) == links_of(other));
    }
  }
}

}  // namespace
}  // namespace linkherd::reports
