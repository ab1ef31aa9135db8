// Measures how the running time of each reader grows with the length of its text, over several thousand shapes of
// growth_shapes.h. Lists the shapes that grow beyond n^1.3. Times are CPU times of this process, the minimum of three.
//   growth_bench [--reader NAME] [--shape PART_OF_NAME] [--max-bytes N] [--pairs] [--all]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "tests/support/growth_readers.h"
#include "tests/support/growth_shapes.h"

namespace {

namespace testing = linkherd::testing;

constexpr double max_exponent = 1.3;
constexpr std::size_t first_bytes = 100'000;
constexpr std::size_t step = 4;        // the factor between two sizes
constexpr double min_seconds = 0.001;  // shorter times are too inaccurate
constexpr double max_seconds = 3;      // larger sizes of a slower shape are skipped
constexpr double max_seconds_a_megabyte = 2;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds_once(const testing::GrowthShape& shape, const std::string& text) {
  const double start = cpu_seconds();
  testing::run_reader(shape.reader, text);
  return cpu_seconds() - start;
}

struct Growth {
  std::string name;
  double exponent = 0;  // over the sizes that take at least min_seconds
  double seconds = 0;   // for the largest measured text, of `bytes`
  std::size_t bytes = 0;
  bool is_slow = false;

  bool is_named() const { return exponent > max_exponent || is_slow; }
};

struct Timed {
  double bytes = 0;
  double seconds = 0;
};

// A step between two sizes may be steep but harmless. For example, a text no longer fits into the processor cache, or a
// reader starts to count what it must limit. Quadratic time shows over all sizes and over the last ones.
double exponent_of(const std::vector<Timed>& times) {
  constexpr std::size_t last_steps = 2;
  const auto exponent_since = [&times](std::size_t first) {
    return std::log(times.back().seconds / times[first].seconds) / std::log(times.back().bytes / times[first].bytes);
  };
  if (times.size() < 2) return 0;
  return std::min(exponent_since(0), exponent_since(times.size() - 1 - std::min(last_steps, times.size() - 1)));
}

Growth measure(const testing::GrowthShape& shape, std::size_t max_bytes) {
  Growth growth{shape.name()};
  std::vector<Timed> times;
  for (std::size_t bytes = first_bytes; bytes <= max_bytes; bytes *= step) {
    const std::string text = shape.text(bytes);
    Timed timed{static_cast<double>(text.size()), seconds_once(shape, text)};
    if (timed.seconds < min_seconds) continue;
    times.push_back(timed);
    // Repeats the measurement only if it can change the result: the minimum of three is at most the first.
    for (int again = 0; again < 2 && (times.size() == 1 || exponent_of(times) > max_exponent); ++again)
      times.back().seconds = std::min(times.back().seconds, seconds_once(shape, text));
    growth.exponent = exponent_of(times);
    growth.seconds = times.back().seconds;
    growth.bytes = text.size();
    growth.is_slow = growth.seconds > max_seconds_a_megabyte * timed.bytes / 1e6;
    if (growth.seconds > max_seconds) break;
  }
  return growth;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> given(arguments + 1, arguments + count);
  std::string_view reader;
  std::string_view part;
  std::size_t max_bytes = 6'400'000;
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
  std::erase_if(shapes, [part](const auto& shape) { return shape.name().find(part) == std::string::npos; });
  std::size_t named = 0;
  double worst = 0;
  for (const testing::GrowthShape& shape : shapes) {
    const Growth growth = measure(shape, max_bytes);
    worst = std::max(worst, growth.exponent);
    if (growth.is_named()) ++named;
    if (growth.is_named() || all) {
      fmt::print("n^{:.2f} {:7.3f} s for {:9} bytes{} {}\n", growth.exponent, growth.seconds, growth.bytes,
                 growth.is_slow ? " SLOW" : "", growth.name);
    }
    std::fflush(stdout);
  }
  fmt::print("{} shapes, {} of them grow beyond n^{}; the greatest exponent is {:.2f}\n", shapes.size(), named,
             max_exponent, worst);
  return named == 0 ? 0 : 1;
}
