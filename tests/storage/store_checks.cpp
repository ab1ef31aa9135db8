#include "tests/storage/store_checks.h"

#include <doctest/doctest.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "tests/storage/samples.h"

namespace linkherd::storage {

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "no StoreError";
}

void check_error(const std::filesystem::path& store, std::string_view words, const std::function<void()>& work) {
  const std::string message = message_of(work);
  CAPTURE(message);
  CHECK(message.starts_with("store " + store.string() + " "));
  CHECK(message.find(words) != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

void make_store(const std::filesystem::path& path, bool publish) {
  const auto store = Store::open(path);
  const Run run = store->begin_run("identity", {"list.md"}, sample_time(0));
  for (std::uint64_t number = 0; number < 10; ++number) put_link(*store, run, sample_link(number), sample_body(number));
  store->put_hosts({{"https://example.org", std::nullopt, 1.0}});
  if (publish) store->publish();
}

void read_all(const Store& store) {
  const std::optional<Run> run = store.latest_run();
  if (!run) return;
  RunResults(store, *run).for_each_link([&](const CheckedLink& link) {
    LinkHistory(store).snapshots(link.result.id, 10);
    LinkHistory(store).body(link.state.snapshot.body_digest);
    return true;
  });
  store.hosts();
}

}  // namespace linkherd::storage
