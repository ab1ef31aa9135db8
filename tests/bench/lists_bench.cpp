// Compares the cost of reading lists with md4c and cmark-gfm on the same bytes, and with `grep -aoP` for the same URLs.
// Compares the whole program with `lychee --dump` if installed. Figures are ratios within one run.
//   lists_bench [MEGABYTES] [FILE.md…]
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm.h>
#include <fmt/core.h>
#include <md4c.h>
#include <sys/resource.h>

#include "parser/lists/extract_links.h"

namespace {

namespace parser = linkherd::parser;

// Returns the CPU time of this program or of its child processes. Other load on the machine does not count.
double processor_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class F>
double seconds(F&& work, int who) {
  const double start = processor_seconds(who);
  work();
  return processor_seconds(who) - start;
}

template <class F>
double best_of(int runs, F&& work, int who = RUSAGE_SELF) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) best = std::min(best, seconds(work, who));
  return best;
}

long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns a typical list: headings, entries with links, and prose in between.
std::string made_markdown(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) {
    if (i % 20 == 0)
      text +=
          fmt::format("\n## Section {} 第{}节\n\nSome words of *prose* about the `things` below, at length.\n\n", i, i);
    text += fmt::format(
        "- [x] **[Title {} 标题（一）](https://site{}.org/path/{}/page.html?id={})** @ author, see "
        "https://b{}.org/{}\n",
        i, i % 97, i, i * 7, i % 31, i);
  }
  return text;
}

// `words` is the number of lines without a link after each entry.
std::string made_plain_text(std::size_t bytes, unsigned words) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) {
    text += fmt::format("Some title of an entry {} - 知乎，还有别的话\nhttps://zhuanlan.zhihu.com/p/{}?utm_id={}\n", i,
                        100000 + i * 13, i % 7);
    for (unsigned line = 0; line < words; ++line)
      text += "words and more words that hold no link at all, as most of a text does; 没有链接的一行文字。\n";
  }
  return text;
}

// Reads links one at a time, as `check` and `links` do.
std::size_t count_links(const parser::DocumentText& list) {
  std::size_t links = 0;
  parser::for_each_link(list, {}, [&links](const parser::LinkOccurrence& /*occurrence*/) { ++links; });
  return links;
}

void parse_by_md4c(const std::string& text) {
  MD_PARSER nothing{};
  nothing.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEAUTOLINKS;
  nothing.enter_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
  nothing.leave_block = nothing.enter_block;
  nothing.enter_span = [](MD_SPANTYPE, void*, void*) { return 0; };
  nothing.leave_span = nothing.enter_span;
  nothing.text = [](MD_TEXTTYPE, const MD_CHAR*, MD_SIZE, void*) { return 0; };
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &nothing, nullptr);
}

void parse_by_cmark(const std::string& text) {
  cmark_gfm_core_extensions_ensure_registered();
  cmark_parser* reader = cmark_parser_new(CMARK_OPT_DEFAULT);
  for (const char* name : {"table", "strikethrough", "tasklist", "autolink"})
    cmark_parser_attach_syntax_extension(reader, cmark_find_syntax_extension(name));
  cmark_parser_feed(reader, text.data(), text.size());
  cmark_node_free(cmark_parser_finish(reader));
  cmark_parser_free(reader);
}

void compare_markdown(const std::string& name, const std::string& text) {
  // Small files are read repeatedly, so that the time is measurable.
  const int rounds = static_cast<int>(std::max<std::size_t>(1, 4'000'000 / std::max<std::size_t>(text.size(), 1)));
  std::size_t links = 0;
  const auto repeat = [&](auto&& work) {
    return best_of(3, [&] {
      for (int i = 0; i < rounds; ++i) work();
    });
  };
  const double ours = repeat([&] { links = count_links({name, text, parser::DocumentFormat::markdown}); });
  const double md4c = repeat([&] { parse_by_md4c(text); });
  const double cmark = repeat([&] { parse_by_cmark(text); });
  const double megabytes = static_cast<double>(text.size()) * rounds / 1e6;
  fmt::print(
      "{:<28} {:>9} bytes {:>7} links | ours {:6.1f} MB/s  md4c {:6.1f} MB/s  cmark-gfm {:6.1f} MB/s | {:.2f} x md4c\n",
      name, text.size(), links, megabytes / ours, megabytes / md4c, megabytes / cmark, ours / md4c);
}

void compare_plain_text(std::size_t megabytes, unsigned words) {
  const std::string text = made_plain_text(megabytes << 20U, words);
  const std::string path = (std::filesystem::temp_directory_path() / "linkherd_lists_bench.txt").string();
  std::ofstream(path, std::ios::binary) << text;
  std::size_t links = 0;
  const long before = peak_megabytes();
  const double ours = best_of(2, [&] { links = count_links({"list.txt", text, parser::DocumentFormat::plain_text}); });
  const long after = peak_megabytes();
  // For the same URLs, the pattern for grep must end them at full-width punctuation and at ideographs.
  const std::string command =
      "LC_ALL=C.UTF-8 grep -aoP 'https?://[^\\s\"<>\\x{2018}-\\x{201D}\\x{3000}-\\x{9FFF}\\x{FF00}-\\x{FFEF}]+' '" +
      path + "' | wc -c > /dev/null";
  const double grep = best_of(
      2, [&] { static_cast<void>(std::system(command.c_str())); }, RUSAGE_CHILDREN);
  std::filesystem::remove(path);
  fmt::print(
      "plain text {} MB, {} links | ours {:.2f} s  grep -aoP {:.2f} s | {:.2f} x grep | {} MB more at the peak, {} "
      "bytes a link\n",
      megabytes, links, ours, grep, ours / grep, after - before,
      links == 0 ? 0 : static_cast<std::size_t>(after - before) * 1024 * 1024 / links);
}

// Measures whole programs, from their start to the last printed line.
void compare_programs(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  std::ofstream(path, std::ios::binary) << text;
  const auto cost = [&](const std::string& command) {
    return best_of(
        2, [&] { static_cast<void>(std::system((command + " '" + path.string() + "' > /dev/null").c_str())); },
        RUSAGE_CHILDREN);
  };
  const double ours = cost(LINKHERD_PROGRAM " links");
  const bool has_lychee = std::system("command -v lychee > /dev/null") == 0;
  if (has_lychee) {
    const double lychee = cost("lychee --dump --no-progress");
    fmt::print("{:<28} linkherd links {:.2f} s  lychee --dump {:.2f} s | {:.2f} x lychee\n", name, ours, lychee,
               ours / lychee);
  } else {
    fmt::print("{:<28} linkherd links {:.2f} s (there is no lychee on PATH)\n", name, ours);
  }
  std::filesystem::remove(path);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t megabytes = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100;
  for (int i = 2; i < count; ++i)
    compare_markdown(std::filesystem::path(arguments[i]).filename().string(), file_bytes(arguments[i]));
  compare_markdown("a made list", made_markdown(10'000'000));
  compare_plain_text(megabytes, 20);  // prose
  compare_plain_text(megabytes, 0);   // only links and titles
  compare_programs("linkherd_lists_bench.md", made_markdown(10'000'000));
  compare_programs("linkherd_lists_bench_links.txt", made_plain_text(megabytes << 20U, 0));
  return 0;
}
