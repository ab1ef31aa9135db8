// Counts the operations of every reader over the shapes of growth_shapes.h, and fails if a count grows beyond n^1.3. An
// operation is one executed basic block, or sixteen bytes that a function of the C library processes. Operations in
// gumbo and md4c are not counted; growth_bench measures them.
//   growth_test [--reader NAME] [--shape PART_OF_NAME] [--all]
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "tests/support/growth_readers.h"
#include "tests/support/growth_shapes.h"

namespace {

std::uint64_t operations = 0;

void* pass_over(void* found, const void* text, std::size_t size) {
  const auto* const end = static_cast<const char*>(found);
  operations += (found == nullptr ? size : static_cast<std::size_t>(end - static_cast<const char*>(text))) / 16;
  return found;
}

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() { ++operations; }

void* __real_memchr(const void* text, int byte, std::size_t size);
void* __real_memrchr(const void* text, int byte, std::size_t size);
void* __real_memmem(const void* text, std::size_t size, const void* part, std::size_t part_size);
int __real_memcmp(const void* one, const void* other, std::size_t size);
void* __real_memmove(void* to, const void* from, std::size_t size);
void* __real_memcpy(void* to, const void* from, std::size_t size);

void* __wrap_memchr(const void* text, int byte, std::size_t size) {
  return pass_over(__real_memchr(text, byte, size), text, size);
}
void* __wrap_memrchr(const void* text, int byte, std::size_t size) {
  operations += size / 16;  // at most
  return __real_memrchr(text, byte, size);
}
void* __wrap_memmem(const void* text, std::size_t size, const void* part, std::size_t part_size) {
  return pass_over(__real_memmem(text, size, part, part_size), text, size);
}
int __wrap_memcmp(const void* one, const void* other, std::size_t size) {
  operations += size / 16;
  return __real_memcmp(one, other, size);
}
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  operations += size / 16;
  return __real_memmove(to, from, size);
}
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  operations += size / 16;
  return __real_memcpy(to, from, size);
}

}  // extern "C"

namespace {

namespace testing = linkherd::testing;

constexpr double max_exponent = 1.3;
constexpr std::size_t first_bytes = 8'000;
constexpr std::size_t step = 4;  // the factor between two sizes
constexpr int max_steps = 3;

std::uint64_t count(const testing::GrowthShape& shape, std::size_t bytes) {
  const std::string text = shape.text(bytes);
  const std::uint64_t before = operations;
  testing::run_reader(shape.reader, text);
  return operations - before;
}

// Returns the smallest exponent of all steps between two sizes. A limit in a reader causes a steep step only where it
// starts to apply. Larger texts are read only if the smaller ones are inconclusive.
double exponent_of(const testing::GrowthShape& shape) {
  double min_value = 9;
  std::uint64_t last = count(shape, first_bytes);
  std::size_t bytes = first_bytes;
  for (int i = 0; i < max_steps && min_value > max_exponent; ++i) {
    bytes *= step;
    const std::uint64_t next = count(shape, bytes);
    min_value = std::min(min_value,
                         std::log(static_cast<double>(next) / static_cast<double>(std::max<std::uint64_t>(last, 1))) /
                             std::log(static_cast<double>(step)));
    last = next;
  }
  return min_value;
}

}  // namespace

int main(int size, char** arguments) {
  const std::vector<std::string_view> given(arguments + 1, arguments + size);
  std::string_view reader;
  std::string_view part;
  bool all = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--all") all = true;
    if (given[i] == "--reader" && i + 1 < given.size()) reader = given[++i];
    if (given[i] == "--shape" && i + 1 < given.size()) part = given[++i];
  }
  std::size_t tried = 0;
  std::size_t named = 0;
  for (const testing::GrowthShape& shape : testing::growth_shapes(reader)) {
    if (shape.name().find(part) == std::string::npos) continue;
    const double exponent = exponent_of(shape);
    ++tried;
    if (exponent > max_exponent) ++named;
    if (exponent > max_exponent || all) fmt::print("n^{:.2f} {}\n", exponent, shape.name());
  }
  fmt::print("{} shapes, {} of them grow beyond n^{}; {} operations\n", tried, named, max_exponent, operations);
  if (operations == 0) fmt::print("nothing was counted: the readers are not instrumented\n");
  return named == 0 && tried != 0 && operations != 0 ? 0 : 1;
}
