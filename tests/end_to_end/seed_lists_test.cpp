// Tests the main use: the real program checks the seed lists in a SmallInternet that has all of their sites.
#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/planted_facts.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// One run for all the test cases of this file.
struct SeedRun {
  TempDir folder;
  SmallInternet internet;
  ProgramResult result;
  std::vector<CheckedLine> lines;

  SeedRun() {
    plant_sites(internet);
    const std::string more = folder.write("planted.md", planted_list()).string();
    result = run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--format", "jsonl",
                                                                    "--max-cache-age", "0", seeds_folder, more}));
    REQUIRE_MESSAGE(result.exit_code == 2, result.err);  // some links are planted as dead
    lines = checked_lines(result.out);
  }
};

const SeedRun& seed_run() {
  static const SeedRun run;
  return run;
}

// In markup this is a file next to the list, which does not exist.
const std::string without_scheme = "newsletter.maartengrootendorst.com/p/a-visual-guide-to-mixture-of-experts";

// Returns the URLs to check, each with the number of its occurrences.
std::map<std::string, std::size_t> urls_to_check() {
  std::map<std::string, std::size_t> urls;
  for (const std::string& written : written_links(seeds_folder)) {
    if (written != without_scheme) ++urls[checked_url(written)];
  }
  return urls;
}

std::string authors_of(const Harvest& harvest) {
  std::string all;
  for (const std::string& author : harvest.authors) all += author + "; ";
  return all;
}

bool has_duplicate(const CheckedLine& line, const std::string& layer, const std::string& with) {
  return std::ranges::any_of(line.duplicates, [&](const Duplicate& duplicate) {
    return duplicate.layer == layer && duplicate.is_certain &&
           std::ranges::find(duplicate.with, with) != duplicate.with.end();
  });
}

std::set<std::string> hosts_of_the_lists() {
  std::set<std::string> hosts;
  for (const auto& [url, times] : urls_to_check()) hosts.insert(planted_facts(url, Language::english).host);
  return hosts;
}

}  // namespace

TEST_CASE("a run over the seed lists reports every link once with all its occurrences") {
  const SeedRun& run = seed_run();
  CHECK(written_links(seeds_folder).size() == 253);
  for (const auto& [url, times] : urls_to_check()) {
    CAPTURE(url);
    const CheckedLine& line = line_of(run.lines, url);
    const auto in_seeds = std::ranges::count_if(
        line.occurrences, [](const std::string& place) { return place.find("planted.md") == std::string::npos; });
    CHECK(static_cast<std::size_t>(in_seeds) == times);
  }
  CHECK(run.lines.size() ==
        urls_to_check().size() + 10);  // and the URLs of planted.md, and the target without a scheme
  CHECK(last_line(run.result.err).find("broken") != std::string::npos);
}

TEST_CASE("the target without a scheme is a missing file with a suggested address") {
  const auto line = std::ranges::find_if(seed_run().lines, [](const CheckedLine& each) {
    return each.evidence.ends_with("did you mean https://" + without_scheme + "?");
  });
  REQUIRE(line != seed_run().lines.end());
  CHECK(line->health == "dead");
  CHECK(line->reason == "file_not_found");
}

TEST_CASE("every link of the seed lists gets its planted verdict") {
  for (const auto& [url, times] : urls_to_check()) {
    CAPTURE(url);
    const CheckedLine& line = line_of(seed_run().lines, url);
    const Expectation expected = expectation_of(url);
    CAPTURE(line.evidence);
    CHECK(line.health == expected.health);
    CHECK(line.reason == expected.reason);
  }
  for (const SpecialCase& special : special_cases()) {  // including the cases of planted.md
    CAPTURE(special.url);
    CHECK(line_of(seed_run().lines, special.url).reason == special.reason);
  }
}

TEST_CASE("every host of the seed lists has a link with its known verdict") {
  const std::map<std::string, std::string> verdicts{
      {"alexzhang13.github.io", "alive"},
      {"arxiv.org", "alive"},
      {"blog.51cto.com", "blocked"},
      {"blog.csdn.net", "alive"},
      {"blog.eleuther.ai", "alive"},
      {"blog.ezyang.com", "redirected"},
      {"deepspeed.readthedocs.io", "alive"},
      {"developer.download.nvidia.com", "alive"},
      {"developer.nvidia.com", "alive"},
      {"docs.nvidia.com", "alive"},
      {"docs.vllm.ai", "redirected"},
      {"fazzie-key.cool", "insecure"},
      {"github.com", "redirected"},
      {"horace.io", "alive"},
      {"huggingface.co", "redirected"},
      {"jalammar.github.io", "alive"},
      {"juejin.cn", "alive"},
      {"lilianweng.github.io", "alive"},
      {"link.zhihu.com", "redirected"},
      {"lunar-joke-35b.notion.site", "alive"},
      {"medium.com", "dead"},
      {"mp.weixin.qq.com", "dead"},
      {"nvidia.github.io", "redirected"},
      {"open.atatech.org", "dead"},
      {"opencs.app", "alive"},
      {"pytorch.org", "alive"},
      {"ramsayleung.github.io", "alive"},
      {"search.bilibili.com", "alive"},
      {"simonwillison.net", "alive"},
      {"sourcecode.gitbook.io", "alive"},
      {"space.bilibili.com", "blocked"},
      {"sungenglab.github.io", "alive"},
      {"timdettmers.com", "alive"},
      {"tridao.me", "alive"},
      {"www.51cto.com", "alive"},
      {"www.baidu.com", "blocked"},
      {"www.bilibili.com", "dead"},
      {"www.cnblogs.com", "alive"},
      {"www.deepspeed.ai", "redirected"},
      {"www.latent.space", "alive"},
      {"www.youtube.com", "alive"},
      {"www.zhihu.com", "blocked"},
      {"zh-v2.d2l.ai", "alive"},
      {"zhuanlan.zhihu.com", "dead"},
  };
  std::map<std::string, std::set<std::string>> found;
  for (const CheckedLine& line : seed_run().lines) {
    if (line.url != without_scheme) found[planted_facts(line.url, Language::english).host].insert(line.health);
  }
  for (const std::string& host : hosts_of_the_lists()) {
    CAPTURE(host);
    REQUIRE(verdicts.contains(host));
    CHECK(found[host].contains(verdicts.at(host)));
  }
}

TEST_CASE("every planted redirect chain is recorded whole") {
  std::size_t chains = 0;
  for (const SpecialCase& special : special_cases()) {
    if (special.hops.empty()) continue;
    CAPTURE(special.url);
    const CheckedLine& line = line_of(seed_run().lines, special.url);
    CHECK(line.redirects == special.hops);
    if (special.has_page) CHECK(line.final_url == special.hops.back().to);
    ++chains;
  }
  CHECK(chains >= 9);
}

TEST_CASE("title and authors and date of every planted page are extracted") {
  std::size_t harvested = 0;
  for (const auto& [url, times] : urls_to_check()) {
    const Expectation expected = expectation_of(url);
    if (!expected.harvest) continue;
    CAPTURE(url);
    const Harvest& harvest = line_of(seed_run().lines, url).harvest;
    CHECK(harvest.title == expected.harvest->title);
    CHECK(authors_of(harvest) == authors_of(*expected.harvest));
    CHECK(harvest.published == expected.harvest->published);
    ++harvested;
  }
  CHECK(harvested > 200);
}

TEST_CASE("every planted duplicate is found") {
  const std::vector<CheckedLine>& lines = seed_run().lines;
  const std::string megatron = "https://zhuanlan.zhihu.com/p/622212228";
  const CheckedLine& thrice = line_of(lines, megatron);
  CHECK(thrice.occurrences.size() == 3);
  CHECK(has_duplicate(thrice, "address", megatron));
  const std::string tracked = "https://zhuanlan.zhihu.com/p/678903537?utm_campaign=";
  const std::string untracked = "https://zhuanlan.zhihu.com/p/678903537";
  CHECK(has_duplicate(line_of(lines, tracked), "equivalent", untracked));
  CHECK(has_duplicate(line_of(lines, untracked), "equivalent", tracked));
  const std::string video = "https://www.bilibili.com/video/BV1P3411y7nn/";
  CHECK(has_duplicate(line_of(lines, video), "equivalent",
                      video + "?spm_id_from=333.999.0.0&vd_source=c9745e4447536b28b2b0735071d30bd6"));
  const std::string redirector = "https://link.zhihu.com/?target=https%3A//juejin.cn/post/7290740395913969705";
  const std::string target = "https://juejin.cn/post/7290740395913969705";
  CHECK(has_duplicate(line_of(lines, redirector), "equivalent", target));
  CHECK(has_duplicate(line_of(lines, target), "equivalent", redirector));
  const std::string original = "https://www.cnblogs.com/rossiXYZ/p/15840803.html";
  const std::string copy = "https://juejin.cn/post/7057837676430360584";
  CHECK(has_duplicate(line_of(lines, original), "content", copy));
  CHECK(has_duplicate(line_of(lines, copy), "content", original));
}

TEST_CASE("hosts get polite requests and each page only as many as needed") {
  const SmallInternet& internet = seed_run().internet;
  CHECK(internet.max_concurrent("zhuanlan.zhihu.com") <= 6);
  CHECK(internet.count("zhuanlan.zhihu.com", "/p/622212228") == 1);
  CHECK(internet.count("zhuanlan.zhihu.com", "/p/699376156") == 2);              // dead: confirmed by a second check
  CHECK(internet.count("www.youtube.com", "/watch?v=U0s0f995w14&t=824s") == 2);  // 429, then again after Retry-After
  CHECK(internet.requests("www.baidu.com").size() == 1);                         // an hour is too long to wait
  const std::vector<ReceivedRequest> requests = internet.requests();
  CHECK(std::ranges::all_of(requests, [](const ReceivedRequest& request) {
    return request.header("User-Agent").starts_with("linkherd/") && request.method == "GET";
  }));
}
