// A child for store tests: opens the store STORE, then writes links from number FIRST on and says on stdout when each
// is acknowledged, until it is killed. With COUNT it writes so many, and then keeps the store open. With a FAULT it
// also says when all until then was synced, forgets links, reads bodies, and meets the fault after some milliseconds:
// "power" ends it as a power failure would; after "write" or "read" every write or read fails, and it must go on.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include <unistd.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/pruning.h"
#include "storage/rocks_options.h"
#include "storage/store.h"
#include "tests/storage/fault_file_system.h"
#include "tests/storage/samples.h"

namespace {

using namespace linkherd::storage;
using Number = unsigned long long;

void say(const char* word, Number number) {
  std::printf("%s%llu\n", word, number);
  std::fflush(stdout);
}

void write_links(const char* path, Number first, Number count) {
  const auto store = Store::open(path);
  const Run run = store->begin_run("killed", {"list.md"}, sample_time(0));
  say("run ", run.number);
  for (Number number = first; number - first < count; ++number) {
    put_link(*store, run, sample_link(number), sample_body(number));
    say("", number);
    if (number % 100 == 99) store->publish();
  }
  for (;;) pause();
}

// All links except forgotten ones exist, in the order of their numbers.
void write_more(Store& store, const Run& run, Number number) {
  put_link(store, run, sample_link(number), sample_body(number));
  say("", number);
  if (number % 60 == 59) forget(store.rows(), {sample_link(number - 30).result.id, sample_link(number - 29).result.id});
  if (number % 100 == 99) store.publish();
  if (number % 37 == 0) store.sync();
  if (number % 100 == 99 || number % 37 == 0) say("synced ", number);
  LinkHistory(store).body(sample_link(number * 7 % (number + 1)).state.snapshot.body_digest);
}

void write_until_fault(const char* path, const std::string& fault, std::uint32_t milliseconds) {
  const auto files = std::make_shared<FaultFileSystem>(milliseconds);
  set_file_system(files);
  const auto store = Store::open(path);
  const Run run = store->begin_run("faults", {"list.md"}, sample_time(0));
  say("run ", run.number);
  std::jthread trouble([&](const std::stop_token&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    if (fault == "power") files->lose_power();
    fault == "write" ? files->fail_writes() : files->fail_reads();
  });
  int refused = 0;
  for (Number number = 0; refused < 50; ++number) {
    try {
      write_more(*store, run, number);
    } catch (const StoreError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ++refused;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 3;
  const auto number_of = [&](int index, Number otherwise) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : otherwise;
  };
  try {
    if (argc > 5) {
      write_until_fault(argv[1], argv[4], static_cast<std::uint32_t>(number_of(5, 0)));
    } else {
      write_links(argv[1], number_of(2, 0), number_of(3, std::numeric_limits<Number>::max()));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
