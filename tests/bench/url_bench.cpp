// Compares the cost of linkherd's URL parser and canonical forms with Node's URL, on the same texts in the same run:
//   url_bench [FILE_OF_LINES]
// Without a file, the texts come from the generator of the differential test, and from typical links of lists. Limits:
// parsing costs at most as much as Node's; parsing and all canonical forms at most 4 times that.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "parser/url/canonical.h"
#include "parser/url/url.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::parser {
namespace {

constexpr int rounds = 15;

// Nanoseconds per text in the best round.
template <class Work>
double measure(const std::vector<std::string>& texts, Work work) {
  double best = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : texts) work(text);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / static_cast<double>(texts.size()));
  }
  return best;
}

// Prevents the optimiser from removing unused results.
volatile std::size_t sink = 0;

double measure_node(const std::string& file) {
  tests::ProgramOptions options;
  options.arguments = {"node", LINKHERD_URL_BENCH, file, std::to_string(rounds)};
  const tests::ProgramResult result = tests::run_program("/usr/bin/env", options);
  return result.exit_code == 0 ? std::strtod(result.out.c_str(), nullptr) : 0;
}

void compare(std::string_view name, const std::vector<std::string>& texts) {
  const tests::TempDir folder;
  std::string lines;
  for (const std::string& text : texts) lines.append(text).append(1, '\n');
  const double node = measure_node(folder.write("texts", lines).string());
  const double parse = measure(texts, [](const std::string& text) {
    const Result<Url> url = Url::parse(text);
    if (url) sink = sink + url->href().size();
  });
  const double forms = measure(texts, [](const std::string& text) {
    const Result<Url> url = Url::parse(text);
    if (!url) return;
    for (const CanonicalForm& form : canonical_forms(*url)) sink = sink + form.url.size();
  });
  fmt::print("{:10} {:8} texts  node {:6.0f} ns  parse {:6.0f} ns ({:.2f} x)  with all forms {:6.0f} ns ({:.2f} x)\n",
             name, texts.size(), node, parse, parse / node, forms, forms / node);
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Returns typical links of lists in many variants, so that caches do not distort the result.
std::vector<std::string> usual_links() {
  constexpr std::array shapes = {
      "https://github.com/owner{0}/project-{0}",
      "https://zhuanlan.zhihu.com/p/{0}?utm_psn=18588279{0}",
      "https://mp.weixin.qq.com/s?__biz=MzA5NzE0OTY1OQ==&mid=2247484{0}&idx=1&sn=8e{0}&chksm=fe#rd",
      "https://www.bilibili.com/video/BV1ts4y{0}/?spm_id_from=333.999.0.0&vd_source=c9745e4447536b28",
      "https://link.zhihu.com/?target=https%3A//juejin.cn/post/72907{0}",
      "http://www.example{0}.com/a/b/../c/index.html",
      "https://en.wikipedia.org/wiki/Article_{0}_(disambiguation)#Section",
      "https://zh.wikipedia.org/wiki/统一资源定位符{0}",
      "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html?highlight={0}#warp",
      "https://arxiv.org/abs/2401.{0}",
      "https://blog.csdn.net/user{0}/article/details/1?spm=1001.2014&ops_request_misc=a",
      "https://subdomain{0}.example.co.uk:8443/path%20with/escapes?q={0}&page=2",
  };
  std::vector<std::string> links;
  for (int number = 10'000; number < 12'000; ++number) {
    for (const char* shape : shapes) links.push_back(fmt::format(fmt::runtime(shape), number));
  }
  return links;
}

}  // namespace
}  // namespace linkherd::parser

int main(int argc, char** argv) {
  using namespace linkherd::parser;
  if (argc > 1) {
    compare("file", lines_of(argv[1]));
  } else {
    compare("links", usual_links());
  }
  return EXIT_SUCCESS;
}
