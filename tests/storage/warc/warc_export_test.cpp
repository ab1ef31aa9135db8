#include "storage/warc/warc_export.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include "storage/link_writer.h"
#include "storage/store.h"
#include "storage/warc/warc_reader.h"
#include "storage/warc/warc_writer.h"
#include "tests/storage/samples.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

struct WarcText {
  WarcRecord record;
  std::string block;
};

std::vector<WarcText> records_in(const std::string& file) {
  std::istringstream in(file);
  WarcReader reader(in);
  std::vector<WarcText> records;
  while (auto record = reader.next()) {
    std::string block = reader.read_block(SIZE_MAX);
    records.push_back({std::move(*record), std::move(block)});
  }
  CHECK(reader.problems().empty());
  return records;
}

struct ExportBench {
  TempDir dir;
  std::unique_ptr<Store> store = Store::open(dir / "store");
  Run run = store->begin_run("identity", {"list.md"}, sample_time(0));

  // Returns a check of link `number`, which is listed.
  CheckedLink look(std::uint64_t number, std::int64_t seconds, const std::string& body) const {
    CheckedLink link = sample_link(number);
    link.result.occurrences.resize(1);
    link.result.occurrences[0].file = "list.md";
    Snapshot& snapshot = link.state.snapshot;
    snapshot.fetched_at = sample_time(seconds);
    snapshot.status = 200;
    snapshot.final_url = link.state.url;
    snapshot.redirects.clear();
    snapshot.attempts = {{snapshot.fetched_at, link.state.url, 200, {}, 5}};
    snapshot.headers = {{"content-type", "text/html"}, {"set-cookie", "***"}};
    snapshot.body_digest = body.empty() ? std::string() : content_digest(body);
    snapshot.body_bytes = body.size();
    snapshot.is_body_complete = true;
    return link;
  }
  std::string warc(bool should_export_all = false, bool gzip = false) const {
    std::ostringstream out;
    exported = write_warc(out, LinkHistory(*store), StoredLinks(*store, run), run,
                          {"linkherd/1", "x.warc", gzip, should_export_all, true, version});
    return out.str();
  }
  mutable ExportedWarc exported;
  WarcVersion version = WarcVersion::v1_1;
};

std::vector<WarcText> of_type(const std::vector<WarcText>& records, std::string_view type) {
  std::vector<WarcText> some;
  std::ranges::copy_if(records, std::back_inserter(some),
                       [type](const WarcText& one) { return one.record.type == type; });
  return some;
}

TEST_CASE("a snapshot becomes a response record with its request and metadata") {
  ExportBench bench;
  CheckedLink link = bench.look(1, 100, "a page");
  link.state.snapshot.headers = {
      {"content-encoding", "gzip"}, {"content-length", "3"}, {"transfer-encoding", "chunked"}};
  put_link(*bench.store, bench.run, link, "a page");
  const std::vector<WarcText> records = records_in(bench.warc());
  REQUIRE(records.size() == 4);
  CHECK(records[0].record.type == "warcinfo");
  CHECK(records[1].record.type == "response");
  CHECK(records[1].block ==
        "HTTP/1.1 200 \r\nx-orig-content-encoding: gzip\r\nx-orig-content-length: 3\r\n"
        "x-orig-transfer-encoding: chunked\r\ncontent-length: 6\r\n\r\na page");
  CHECK(records[1].record.target_uri() == link.state.url);
  CHECK(records[1].record.field("warc-date") == format_timestamp(sample_time(100)));
  CHECK(records[1].record.field("warc-payload-digest") == warc_digest("a page"));
  CHECK(records[1].record.field("warc-block-digest") == warc_digest(records[1].block));
  CHECK(records[2].record.type == "request");
  CHECK(records[2].record.field("warc-concurrent-to") == records[1].record.field("warc-record-id"));
  CHECK(records[3].record.type == "metadata");
  CHECK(records[3].block.find(R"("status":200)") != std::string::npos);
  CHECK(bench.warc() == bench.warc());
}

TEST_CASE("digests equal those of sha1sum and base32") {
  CHECK(warc_digest("abc") == "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
  CHECK(warc_digest("") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
}

TEST_CASE("a body is written once and other pages refer to it") {
  ExportBench bench;
  for (const std::uint64_t number : {1U, 2U, 3U})
    put_link(*bench.store, bench.run, bench.look(number, 100, "same"), "same");
  put_link(*bench.store, bench.run, bench.look(4, 200, "other"), "other");
  const std::vector<WarcText> records = records_in(bench.warc());
  const std::vector<WarcText> responses = of_type(records, "response");
  const std::vector<WarcText> revisits = of_type(records, "revisit");
  REQUIRE(responses.size() == 2);
  REQUIRE(revisits.size() == 2);
  const WarcText& first = responses[responses[0].block.ends_with("same") ? 0 : 1];
  for (const WarcText& revisit : revisits) {
    CHECK(revisit.record.field("warc-profile") == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    CHECK(revisit.record.field("warc-refers-to") == first.record.field("warc-record-id"));
    CHECK(revisit.record.field("warc-refers-to-target-uri") == first.record.target_uri());
    CHECK(revisit.record.field("warc-refers-to-date") == first.record.field("warc-date"));
    CHECK(revisit.record.field("warc-payload-digest") == first.record.field("warc-payload-digest"));
    CHECK(revisit.block.ends_with("\r\n\r\n"));
  }
}

TEST_CASE("an unmodified page refers to the snapshot with its body") {
  ExportBench bench;
  put_link(*bench.store, bench.run, bench.look(1, 100, "a page"), "a page");
  CheckedLink later = bench.look(1, 200, "a page");
  later.state.snapshot.status = 304;
  put_link(*bench.store, bench.run, later, {});
  const std::vector<WarcText> records = records_in(bench.warc());
  const std::vector<WarcText> responses = of_type(records, "response");
  const std::vector<WarcText> revisits = of_type(records, "revisit");
  REQUIRE(responses.size() == 1);
  REQUIRE(revisits.size() == 1);
  CHECK(responses[0].block.ends_with("a page"));
  CHECK(responses[0].record.field("warc-date") == format_timestamp(sample_time(100)));
  CHECK(revisits[0].record.field("warc-profile") == "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
  CHECK(revisits[0].record.field("warc-date") == format_timestamp(sample_time(200)));
}

TEST_CASE("WARC 1.0 has whole seconds and its own profiles") {
  ExportBench bench;
  for (const std::uint64_t number : {1U, 2U}) {
    CheckedLink link = bench.look(number, 100, "same");
    link.state.snapshot.fetched_at += std::chrono::milliseconds(250);
    put_link(*bench.store, bench.run, link, "same");
  }
  CHECK(bench.warc().starts_with("WARC/1.1\r\n"));
  CHECK(of_type(records_in(bench.warc()), "response")[0].record.field("warc-date").ends_with(".25Z"));
  bench.version = WarcVersion::v1_0;
  CHECK(bench.warc().starts_with("WARC/1.0\r\n"));
  const std::vector<WarcText> records = records_in(bench.warc());
  for (const WarcText& one : records) CHECK(one.record.field("warc-date").find('.') == std::string_view::npos);
  CHECK(of_type(records, "revisit").at(0).record.field("warc-profile") ==
        "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest");
}

TEST_CASE("unstored bodies are marked as missing") {
  ExportBench bench;
  put_link(*bench.store, bench.run, bench.look(1, 100, "not stored"), {});
  CheckedLink cut = bench.look(2, 100, "cut");
  cut.state.snapshot.is_body_complete = false;
  put_link(*bench.store, bench.run, cut, "cut");
  CheckedLink gone = bench.look(3, 100, {});
  gone.state.snapshot.status = 0;
  gone.state.snapshot.headers.clear();
  put_link(*bench.store, bench.run, gone, {});
  const std::vector<WarcText> records = records_in(bench.warc());
  const std::vector<WarcText> responses = of_type(records, "response");
  REQUIRE(responses.size() == 2);
  for (const WarcText& response : responses) CHECK(response.record.field("warc-truncated") == "unspecified");
  CHECK(of_type(records, "metadata").size() == 3);
  CHECK(bench.exported.responses == 2);
  CHECK(bench.exported.without_body == 1);
  const auto without = std::ranges::find_if(responses, [](const WarcText& one) { return !one.block.ends_with("cut"); });
  REQUIRE(without != responses.end());
  CHECK(without->record.field("warc-payload-digest").empty());
}

TEST_CASE("hops of a redirect chain are responses and a bad end is written once") {
  ExportBench bench;
  CheckedLink link = bench.look(1, 100, "a page");
  link.state.snapshot.final_url = "https://example.org/b#part";
  link.state.snapshot.redirects = {{link.state.url, 301, "https://example.org/a\r\nX: y"},
                                   {"https://example.org/a", 302, "https://example.org/b"}};
  put_link(*bench.store, bench.run, link, "a page");
  CheckedLink loop = bench.look(2, 100, {});
  loop.state.snapshot.status = 302;
  loop.state.snapshot.redirects = {{loop.state.url, 302, loop.state.url}};
  put_link(*bench.store, bench.run, loop, {});
  const std::vector<WarcText> responses = of_type(records_in(bench.warc()), "response");
  REQUIRE(responses.size() == 4);
  const auto answers = [&responses](const std::string& uri) {
    return std::ranges::count_if(responses, [&uri](const WarcText& one) { return one.record.target_uri() == uri; });
  };
  CHECK(answers(link.state.url) == 1);
  CHECK(answers("https://example.org/a") == 1);
  CHECK(answers("https://example.org/b") == 1);
  CHECK(answers(loop.state.url) == 1);
  const bool is_injected =
      std::ranges::any_of(responses, [](const WarcText& one) { return one.block.find("\nX: y") != std::string::npos; });
  CHECK_FALSE(is_injected);
}

TEST_CASE("the index is sorted and has the offsets of the records") {
  ExportBench bench;
  for (std::uint64_t number = 1; number < 30; ++number) {
    const std::string body = "page " + std::to_string(number % 20);
    put_link(*bench.store, bench.run, bench.look(number, 100, body), body);
  }
  for (const bool gzip : {false, true}) {
    const std::string file = bench.warc(false, gzip);
    std::set<std::string> offsets;
    for (const WarcText& one : records_in(file)) {
      if (one.record.type == "response" || one.record.type == "revisit")
        offsets.insert(std::to_string(one.record.offset));
    }
    std::istringstream lines(bench.exported.index);
    std::string before;
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      CHECK(before <= line);
      before = line;
      const std::size_t begin = line.find(R"("offset":")") + 10;
      CHECK(offsets.contains(line.substr(begin, line.find('"', begin) - begin)));
    }
    CHECK(count == 29);
  }
}

TEST_CASE("all snapshots are written on request") {
  ExportBench bench;
  put_link(*bench.store, bench.run, bench.look(1, 100, "old"), "old");
  put_link(*bench.store, bench.run, bench.look(1, 200, "new"), "new");
  CHECK(of_type(records_in(bench.warc(false)), "response").size() == 1);
  const std::vector<WarcText> responses = of_type(records_in(bench.warc(true)), "response");
  REQUIRE(responses.size() == 2);
  CHECK(responses[0].block.ends_with("old"));
  CHECK(responses[1].block.ends_with("new"));
}

TEST_CASE("pages are sorted as web archives sort them") {
  const std::map<std::string, std::string> forms{{"https://Example.org/A/b?z=1&A=2", "org,example)/a/b?a=2&z=1"},
                                                 {"http://www2.example.co.uk/", "uk,co,example)/"},
                                                 {"http://www.example.org:8080/x/", "org,example:8080)/x"},
                                                 {"http://127.0.0.1/x?", "1,0,0,127)/x"},
                                                 {"http://[::1]/", "[::1])/"},
                                                 {"http://a.cn/?b=1&a-b=2&a=3", "cn,a)/?a=3&a-b=2&b=1"},
                                                 {"http://wwwx.org/", "org,wwwx)/"},
                                                 {"dns:example.org", "dns:example.org"}};
  for (const auto& [url, expected] : forms) CHECK(to_surt(url) == expected);
}

}  // namespace
}  // namespace linkherd::storage
