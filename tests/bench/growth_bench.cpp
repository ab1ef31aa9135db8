// Measures how the running time of each reader grows with the length of its text, over several thousand shapes of
// growth_shapes.h. Lists the shapes that grow beyond n^1.3, and prints a table of the readers. Times are CPU times of
// this process, the minimum of three where more could change the result.
//   growth_bench [--reader NAME] [--shape PART_OF_NAME] [--max-bytes N] [--pairs] [--all]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tests/support/growth_readers.h"
#include "tests/support/growth_shapes.h"

namespace {

namespace testing = linkherd::testing;

constexpr double max_exponent = 1.3;
constexpr std::size_t min_bytes = 100'000;
constexpr std::size_t last_factor = 4;  // between the two largest of three sizes
constexpr double min_seconds = 0.001;   // shorter runs are repeated, because the clock is too inaccurate
constexpr double max_seconds_a_megabyte = 2;
constexpr double min_seconds_a_megabyte = 0.1;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Returns the seconds of one run, as the mean of the runs that fit into min_seconds.
double seconds_once(const testing::GrowthShape& shape, const std::string& text) {
  const double start = cpu_seconds();
  double seconds = 0;
  int runs = 0;
  while (seconds < min_seconds) {
    testing::run_reader(shape.reader, text);
    ++runs;
    seconds = cpu_seconds() - start;
  }
  return seconds / runs;
}

struct Timed {
  std::string text;
  double seconds = 0;

  Timed(const testing::GrowthShape& shape, std::size_t bytes)
      : text(shape.text(bytes)), seconds(seconds_once(shape, text)) {}

  void repeat(const testing::GrowthShape& shape) {
    for (int again = 0; again < 2; ++again) seconds = std::min(seconds, seconds_once(shape, text));
  }
};

double exponent_of(const Timed& small, const Timed& large) {
  return std::log(large.seconds / small.seconds) /
         std::log(static_cast<double>(large.text.size()) / static_cast<double>(small.text.size()));
}

struct Growth {
  double exponent = 0;
  double seconds = 0;  // for the largest text, of `bytes`
  std::size_t bytes = 0;

  double seconds_a_megabyte() const { return seconds * 1e6 / static_cast<double>(bytes); }
  bool is_slow() const { return seconds_a_megabyte() > max_seconds_a_megabyte; }
  // A hash table that outgrows the caches of the processor makes a fast reader seem to grow.
  bool is_named() const {
    return (exponent > max_exponent && seconds_a_megabyte() > min_seconds_a_megabyte) || is_slow();
  }
};

// A step between two sizes may be steep but harmless. For example, a text no longer fits into the processor cache, or a
// reader starts to count what it must limit. Quadratic time shows over all sizes and over the last ones, so the
// exponent is the smaller of the two. Each further measurement can only make it smaller. Therefore, only shapes that
// exceed the limit get more than one measurement of the largest text.
Growth measure(const testing::GrowthShape& shape, std::size_t max_bytes) {
  Timed small(shape, min_bytes);
  small.repeat(shape);
  Timed large(shape, max_bytes);
  if (exponent_of(small, large) > max_exponent) large.repeat(shape);
  double exponent = exponent_of(small, large);
  if (exponent > max_exponent) {
    Timed middle(shape, max_bytes / last_factor);
    middle.repeat(shape);
    exponent = std::min(exponent, exponent_of(middle, large));
  }
  return {exponent, large.seconds, large.text.size()};
}

// A row of the table. All shapes of a reader are consecutive.
struct ReaderRow {
  std::string reader{};
  std::size_t shapes = 0;
  std::size_t named = 0;
  double max_exponent = 0;
  double max_seconds_a_megabyte = 0;
  double total_seconds_a_megabyte = 0;
  double seconds = 0;

  void add(const Growth& growth) {
    ++shapes;
    if (growth.is_named()) ++named;
    max_exponent = std::max(max_exponent, growth.exponent);
    max_seconds_a_megabyte = std::max(max_seconds_a_megabyte, growth.seconds_a_megabyte());
    total_seconds_a_megabyte += growth.seconds_a_megabyte();
  }

  void print() const {
    fmt::print("{:<14} {:>6} {:>6} {:>9.2f} {:>10.4f} {:>10.4f} {:>7.0f}\n", reader, shapes, named, max_exponent,
               total_seconds_a_megabyte / static_cast<double>(shapes), max_seconds_a_megabyte, seconds);
  }
};

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> given(arguments + 1, arguments + count);
  std::string_view reader;
  std::string_view part;
  std::size_t max_bytes = 4'000'000;
  bool pairs = false;
  bool all = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--pairs") pairs = true;
    if (given[i] == "--all") all = true;
    if (given[i] == "--reader" && i + 1 < given.size()) reader = given[++i];
    if (given[i] == "--shape" && i + 1 < given.size()) part = given[++i];
    if (given[i] == "--max-bytes" && i + 1 < given.size()) max_bytes = std::strtoul(given[++i].data(), nullptr, 10);
  }
  std::vector<testing::GrowthShape> shapes = testing::growth_shapes(reader, pairs);
  std::erase_if(shapes, [reader, part](const auto& shape) {
    // Nine dialects would take an hour more. tests/growth counts their operations.
    const bool is_left_out = shape.reader == "dialects" && reader.empty();
    return is_left_out || shape.name().find(part) == std::string::npos;
  });
  fmt::print("{:<14} {:>6} {:>6} {:>9} {:>10} {:>10} {:>7}\n", "reader", "shapes", "named", "exponent", "mean s/MB",
             "max s/MB", "CPU s");
  std::size_t named = 0;
  ReaderRow row;
  double start = cpu_seconds();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const testing::GrowthShape& shape = shapes[i];
    const Growth growth = measure(shape, max_bytes);
    row.reader = shape.reader;
    row.add(growth);
    if (growth.is_named() || all) {
      fmt::print("n^{:.2f} {:7.3f} s for {:9} bytes{} {}\n", growth.exponent, growth.seconds, growth.bytes,
                 growth.is_slow() ? " SLOW" : "", shape.name());
    }
    if (i + 1 == shapes.size() || shapes[i + 1].reader != shape.reader) {
      named += row.named;
      row.seconds = cpu_seconds() - std::exchange(start, cpu_seconds());
      row.print();
      row = {};
    }
    std::fflush(stdout);
  }
  fmt::print("{} shapes of {} to {} bytes, {} of them grow beyond n^{}\n", shapes.size(), min_bytes, max_bytes, named,
             max_exponent);
  return named == 0 && !shapes.empty() ? 0 : 1;
}
