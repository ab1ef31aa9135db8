// A child for store tests: opens the store STORE, then writes links from number FIRST on and says on stdout when each
// is acknowledged, until it is killed. With COUNT it writes so many, and then keeps the store open.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include <unistd.h>

#include "storage/store.h"
#include "tests/storage/samples.h"

namespace {

void write_links(const char* path, unsigned long long first, unsigned long long count) {
  using namespace linkherd::storage;
  const auto store = Store::open(path);
  const Run run = store->begin_run("killed", {"list.md"}, sample_time(0));
  std::printf("run %llu\n", static_cast<unsigned long long>(run.number));
  std::fflush(stdout);
  for (unsigned long long number = first; number - first < count; ++number) {
    store->put_link(run, sample_link(number), sample_body(number));
    std::printf("%llu\n", number);
    std::fflush(stdout);
    if (number % 100 == 99) store->publish();
  }
  for (;;) pause();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 3;
  try {
    const unsigned long long count =
        argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::numeric_limits<unsigned long long>::max();
    write_links(argv[1], std::strtoull(argv[2], nullptr, 10), count);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
