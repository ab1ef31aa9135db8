// Checks a very large number of links with random faults in a long run, and watches the memory of linkherd. At the end,
// every link must have exactly one verdict, the correct one, and no other link may exist.
//   soak LINKHERD [LINKS [HOSTS [MINUTES]]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/fault_mix.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace linkherd::tests;
using std::chrono::steady_clock;

struct Size {
  std::size_t links = 1'000'000;
  std::size_t hosts = 2'000;
  double minutes = 30;
};

double megabytes(int process, std::string_view field) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size() + 1, nullptr) / 1000;
  }
  return 0;
}

void write_lists(const FaultMix& mix, const Size& size, const std::filesystem::path& folder) {
  constexpr std::size_t links_a_file = 10'000;
  std::filesystem::create_directory(folder);
  for (std::size_t from = 0; from < size.links; from += links_a_file) {
    std::ofstream file(folder / fmt::format("{:05}.md", from / links_a_file));
    file << mix.markdown(from, std::min(from + links_a_file, size.links));
  }
}

// The pace of the hosts determines the duration. Confirmations and retries add a tenth.
std::vector<std::string> check_arguments(const Size& size) {
  const double requests_a_host = 1.1 * static_cast<double>(size.links) / static_cast<double>(size.hosts);
  const double interval = size.minutes * 60'000 / requests_a_host;
  return {"check",
          "lists",
          "--store",
          "store",
          "--allow-private",
          "--timeout",
          "5s",
          "--host-request-interval",
          fmt::format("{:.0f}ms", std::max(1.0, interval)),
          "--format",
          "jsonl",
          "--output",
          "out.jsonl"};
}

// Prints the memory after every tenth of the expected requests.
void watch(RunningProgram& program, const FaultServer& server, const Size& size) {
  const auto started = steady_clock::now();
  for (std::size_t tenth = 0; program.running();) {
    if (server.requests() * 10 >= tenth * size.links) {
      fmt::print("{:>4} %   {:6.0f} s   {:>9} requests   rss {:6.0f} MB   peak {:6.0f} MB\n", tenth * 10,
                 std::chrono::duration<double>(steady_clock::now() - started).count(), server.requests(),
                 megabytes(program.pid(), "VmRSS:"), megabytes(program.pid(), "VmHWM:"));
      std::fflush(stdout);
      tenth = server.requests() * 10 / size.links + 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

struct Findings {
  std::map<std::string, std::size_t> by_health;
  std::map<std::string, std::size_t> wrong;  // the number of wrong verdicts by fault and verdict
  std::size_t invented = 0;
  std::size_t twice = 0;
  std::size_t missing = 0;

  bool good() const { return wrong.empty() && invented == 0 && twice == 0 && missing == 0; }
};

Findings compare(const FaultMix& mix, const Size& size, const std::filesystem::path& output) {
  Findings found;
  std::vector<bool> seen(size.links);
  std::ifstream file(output);
  for (std::string line; std::getline(file, line);) {
    const boost::json::object link = boost::json::parse(line).as_object();
    if (!link.contains("url")) continue;
    const std::string url(link.at("url").as_string());
    const std::string health(link.at("health").as_string());
    const std::size_t number = std::strtoull(url.c_str() + url.rfind('/') + 1, nullptr, 10);
    ++found.by_health[health];
    if (number >= size.links || mix.url(number) != url) {
      ++found.invented;
      continue;
    }
    if (seen[number]) ++found.twice;
    seen[number] = true;
    if (mix.health(number) != health)
      ++found.wrong[fmt::format("{}: {} {}", enum_name(fault_names, mix.fault(number)), health,
                                std::string(link.at("reason").as_string()))];
  }
  for (const bool there : seen) found.missing += there ? 0 : 1;
  return found;
}

int soak(const std::filesystem::path& linkherd, const Size& size) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  errno = 0;
  if (nice(10) == -1 && errno != 0) throw std::system_error(errno, std::generic_category(), "nice");

  const FaultServer server;
  const FaultMix mix{server.port(), size.hosts};
  const TempDir folder;
  write_lists(mix, size, folder / "lists");
  ProgramOptions options;
  options.arguments = check_arguments(size);
  options.working_directory = folder.path();
  options.deadline = std::chrono::hours(6);
  RunningProgram program(linkherd, options);
  watch(program, server, size);
  const ProgramResult ended = program.wait();
  fmt::print(
      "exit code {} signal {} after {} s, {} requests, peak of its whole life {} MB\n{}", ended.exit_code, ended.signal,
      ended.elapsed.count() / 1000, server.requests(),
      [] {
        rusage usage{};
        getrusage(RUSAGE_CHILDREN, &usage);
        return usage.ru_maxrss / 1000;
      }(),
      ended.err);

  const Findings found = compare(mix, size, folder / "out.jsonl");
  for (const auto& [health, count] : found.by_health) fmt::print("{:<12} {:>9}\n", health, count);
  for (const auto& [what, count] : found.wrong) fmt::print("WRONG {} x {}\n", what, count);
  fmt::print("invented {}, twice {}, missing {}: {}\n", found.invented, found.twice, found.missing,
             found.good() ? "good" : "BAD");
  return found.good() && ended.signal == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) throw std::invalid_argument("usage: soak LINKHERD [LINKS [HOSTS [MINUTES]]]");
  Size size;
  if (count > 2) size.links = std::strtoull(arguments[2], nullptr, 10);
  if (count > 3) size.hosts = std::strtoull(arguments[3], nullptr, 10);
  if (count > 4) size.minutes = std::strtod(arguments[4], nullptr);
  return soak(std::filesystem::absolute(arguments[1]), size);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return EXIT_FAILURE;
}
