// Fuzzes the values of a store; the first byte selects the kind. A parsed value must survive a round trip through the
// writer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "storage/stored_values.h"

using namespace linkherd;
using namespace linkherd::storage;

namespace {

void must(bool condition) {
  if (!condition) std::abort();
}

void read_link(const std::string& stored) {
  const LinkId id = LinkId::of_text("a link");
  const Result<StoredLink> link = decode_link(stored, id);
  if (link.has_error()) return;
  const Result<Snapshot> latest = latest_snapshot(*link, encode_snapshot(link->state.snapshot));
  LinkState state = link->state;
  if (latest.has_value()) state.snapshot = *latest;
  const LinkRows rows = encode_link(stored, state);
  const Result<StoredLink> again = decode_link(rows.link, id);
  must(again.has_value() && again->checks.size() <= 32);
  state.snapshot = {};
  must(again->state == state);
}

void read_snapshot(const std::string& stored) {
  const Result<Snapshot> snapshot = decode_snapshot(stored);
  if (snapshot.has_error()) return;
  must(decode_snapshot(encode_snapshot(*snapshot)).value() == *snapshot);
  LinkState state;
  state.snapshot = *snapshot;
  const LinkRows rows = encode_link({}, state);
  if (!rows.history) return;
  must(latest_snapshot(decode_link(rows.link, state.id).value(), *rows.history).value() == *snapshot);
}

void read_occurrences(const std::string& stored) {
  const auto occurrences = decode_occurrences(stored);
  if (occurrences.has_error()) return;
  const std::string again = encode_occurrences(*occurrences);
  must(decode_occurrences(again).value() == *occurrences);
}

void read_run(const std::string& stored) {
  const Result<Run> run = decode_run(stored);
  if (run.has_error()) return;
  must(decode_run(encode_run(*run)).value() == *run);
}

void read_result(const std::string& stored) {
  const LinkId id = LinkId::of_text("a link");
  const Result<LinkResult> result = decode_result(stored, id);
  if (result.has_error()) return;
  must(decode_result(encode_result(*result), id).value() == *result);
  must(decode_health(stored).value() == result->verdict.health);
}

void read_host(const std::string& stored) {
  const Result<HostState> host = decode_host(stored, "https://example.org");
  if (host.has_error()) return;
  must(decode_host(encode_host(*host), host->origin).value() == *host);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string stored(data + 1, data + size);
  switch (*data % 6) {
    case 0: read_link(stored); break;
    case 1: read_snapshot(stored); break;
    case 2: read_occurrences(stored); break;
    case 3: read_run(stored); break;
    case 4: read_result(stored); break;
    default: read_host(stored); break;
  }
  return 0;
}
