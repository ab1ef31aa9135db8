// Compares linkherd's URL parser with Node's on generated texts: `url_differential COUNT [SEED]`. Every difference must
// be one of url_differences.cpp. Exit code 0 means that all differences are explained. Exit code 1 means that some are
// not; they are printed. Exit code 77 means that Node is not installed.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "parser/url/url.h"
#include "tests/fuzz/url_differences.h"
#include "tests/fuzz/url_generator.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::parser {
namespace {

constexpr int skipped = 77;
constexpr std::size_t texts_a_round = 50'000;
constexpr std::size_t max_shown = 40;
constexpr std::uint32_t none = UINT32_MAX;

void append(std::string& out, const std::optional<std::string>& text) {
  const std::uint32_t length = text ? static_cast<std::uint32_t>(text->size()) : none;
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(length >> shift & 0xFF);
  if (text) out += *text;
}

UrlAnswer next_answer(std::string_view& answers) {
  std::uint32_t length = 0;
  for (unsigned i = 0; i < 4; ++i) length |= std::uint32_t{static_cast<unsigned char>(answers.at(i))} << (8 * i);
  answers.remove_prefix(4);
  if (length == none) return std::nullopt;
  const UrlAnswer answer(answers.substr(0, length));
  answers.remove_prefix(length);
  return answer;
}

UrlAnswer our_answer(const UrlText& text) {
  const auto href = [](const Result<Url>& url) { return url ? UrlAnswer(url->href()) : std::nullopt; };
  if (!text.base) return href(Url::parse(text.text));
  const Result<Url> base = Url::parse(*text.base);
  return base ? href(Url::parse(text.text, *base)) : std::nullopt;
}

bool has_node() {
  tests::ProgramOptions options;
  options.arguments = {"-c", "command -v node"};
  return tests::run_program("/bin/sh", options).exit_code == 0;
}

std::vector<UrlAnswer> answers_of_node(const std::vector<UrlText>& texts) {
  const tests::TempDir folder;
  std::string asked;
  for (const UrlText& text : texts) {
    append(asked, text.text);
    append(asked, text.base);
  }
  folder.write("texts", asked);
  tests::ProgramOptions options;
  options.arguments = {"node", LINKHERD_URL_ORACLE, (folder / "texts").string(), (folder / "answers").string()};
  options.deadline = std::chrono::minutes(5);
  const tests::ProgramResult result = tests::run_program("/usr/bin/env", options);
  if (result.exit_code != 0) throw std::runtime_error("node failed: " + result.err);
  const std::string read = tests::read_file(folder / "answers");
  std::string_view rest = read;
  std::vector<UrlAnswer> answers;
  for (std::size_t i = 0; i < texts.size(); ++i) answers.push_back(next_answer(rest));
  return answers;
}

// Formats a text as JSON, so that a failing text can be pasted into either parser.
std::string shown(const UrlAnswer& text) {
  if (!text) return "refused";
  std::string out = "\"";
  for (const char c : *text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

int run(std::size_t count, std::uint64_t seed) {
  if (!has_node()) {
    fmt::print("skipped: there is no node to compare with; install nodejs\n");
    return skipped;
  }
  UrlGenerator generator(seed);
  std::map<std::string_view, std::size_t> known;
  std::size_t accepted = 0;
  std::size_t unexplained = 0;
  for (std::size_t done = 0; done < count;) {
    std::vector<UrlText> texts(std::min(texts_a_round, count - done));
    for (UrlText& text : texts) text = generator.next();
    const std::vector<UrlAnswer> theirs = answers_of_node(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const UrlAnswer ours = our_answer(texts[i]);
      if (ours) ++accepted;
      if (ours == theirs[i]) continue;
      if (const KnownDifference* difference = explain_difference(texts[i], ours, theirs[i])) {
        ++known[difference->name];
      } else if (++unexplained <= max_shown) {
        fmt::print("unexplained: {} base {}\n  ours {}\n  node {}\n", shown(texts[i].text), shown(texts[i].base),
                   shown(ours), shown(theirs[i]));
      }
    }
    done += texts.size();
  }
  fmt::print("{} texts, {} of them URLs; seed {}\n", count, accepted, seed);
  for (const auto& [name, times] : known) fmt::print("{:8} {}\n", times, name);
  fmt::print("{:8} unexplained\n", unexplained);
  return unexplained == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace linkherd::parser

int main(int argc, char** argv) {
  constexpr std::uint64_t fixed_seed = 20'260'305;  // failures must be reproducible
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : fixed_seed;
  try {
    return linkherd::parser::run(count, seed);
  } catch (const std::exception& error) {
    fmt::print(stderr, "url_differential: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
