#include "tests/end_to_end/entry_figures.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "crawler/classify/words.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/utf8.h"
#include "tests/end_to_end/confusion_table.h"

namespace linkherd::tests {
namespace {

// Returns a Markdown link with this title.
std::string entry_of(const std::string& title, const std::string& url) {
  std::string text;
  for (const char c : title) {
    if (parser::is_ascii_punctuation(c)) text += '\\';
    text += parser::is_ascii_space(c) ? ' ' : c;
  }
  return fmt::format("- [{}]({})", text, url);
}

bool is_contradicted(const EvaluatedCase& one) { return one.verdict == "suspect other_content (entry)"; }

std::string figure(const char* name, std::size_t part, std::size_t all) {
  return fmt::format("{}: {} of {}, {:.2f} %\n", name, part, all,
                     100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(1, all)));
}

struct Named {
  const VerdictCase* page = nullptr;
  std::string language;
};

// Gives each page the title of a page of another host, from the other half of the candidates. Leaves out pages without
// a match.
std::vector<VerdictCase> shuffled(const std::vector<Named>& pages) {
  std::vector<VerdictCase> made;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    for (std::size_t step = 0; step < pages.size(); ++step) {
      const Named& other = pages[(i + pages.size() / 2 + step) % pages.size()];
      if (other.page->host == pages[i].page->host) continue;
      made.push_back(*pages[i].page);
      made.back().title = other.page->title;
      made.back().entry = entry_of(made.back().title, made.back().url);
      break;
    }
  }
  return made;
}

std::vector<VerdictCase> shuffled_within_languages(const std::vector<Named>& pages) {
  std::map<std::string, std::vector<Named>> groups;
  for (const Named& page : pages) groups[page.language].push_back(page);
  groups.erase("");
  std::vector<VerdictCase> made;
  for (const auto& [language, group] : groups) {
    for (VerdictCase& one : shuffled(group)) made.push_back(std::move(one));
  }
  return made;
}

// Returns true for "News" and "What is project management?": fewer than two words, or four Chinese characters, describe
// the content.
bool is_general(const std::string& title) {
  std::set<std::uint64_t> words;
  std::set<std::uint64_t> pairs;
  crawler::for_each_word(title, [&](const crawler::Word& word) {
    if (crawler::is_specific(word)) (word.is_pair ? pairs : words).insert(word.stem);
  });
  return words.size() + pairs.size() < 2 || 2 * words.size() + pairs.size() < 3;
}

// Returns true for a page that a script fills in.
bool is_shell(const VerdictCase& page) {
  constexpr std::size_t min_letters = 300;
  const auto document = parser::HtmlDocument::parse(parser::decode_html(page.answers.back().page.body, {}).text);
  const auto bodies = document.by_name("body");
  return bodies.empty() || count_code_points(bodies.front().text()) < min_letters;
}

std::string found_among(const char* name, const std::vector<VerdictCase>& cases) {
  const std::vector<EvaluatedCase> evaluated = evaluate(cases);
  std::string missed;
  std::size_t found = 0;
  std::size_t all = 0;
  std::size_t general = 0;
  std::size_t shells = 0;
  for (const EvaluatedCase& one : evaluated) {
    if (!is_contradicted(one) && one.found != Found::alive)
      continue;  // pages with other verdicts are not compared with their entry
    if (is_general(one.of->title)) {
      ++general;
      continue;
    }
    if (is_shell(*one.of)) {
      ++shells;
      continue;
    }
    ++all;
    if (is_contradicted(one)) {
      ++found;
    } else {
      missed += fmt::format("  missed: {}\n", one.of->entry);
    }
  }
  return figure(name, found, all) +
         fmt::format("  left out: {} titles too general, {} pages without text\n", general, shells) + missed;
}

std::string suspected_among(const char* name, const std::vector<EvaluatedCase>& evaluated) {
  std::string wrong;
  std::size_t suspected = 0;
  for (const EvaluatedCase& one : evaluated) {
    if (!is_contradicted(one)) continue;
    ++suspected;
    wrong += fmt::format("  {}: {}\n", one.of->url, one.evidence);
  }
  return figure(name, suspected, evaluated.size()) + wrong;
}

}  // namespace

std::string entry_figures(std::vector<VerdictCase> pages) {
  std::set<std::string> urls;
  std::erase_if(pages,
                [&urls](const VerdictCase& page) { return page.title.empty() || !urls.insert(page.url).second; });
  std::vector<VerdictCase> translated;
  for (VerdictCase& page : pages) {
    page.entry = entry_of(page.title, page.url);
    if (page.translated.empty()) continue;
    translated.push_back(page);
    translated.back().entry = entry_of(page.translated, page.url);
  }
  std::vector<Named> named;
  const std::vector<EvaluatedCase> evaluated = evaluate(pages);
  for (const EvaluatedCase& one : evaluated) {
    const std::string& known = one.of->language;
    named.push_back({one.of, known.empty() ? one.language : known == "-" ? std::string() : known});
  }
  return suspected_among("own titles, suspected", evaluated) +
         suspected_among("own titles in another language, suspected", evaluate(translated)) +
         found_among("titles of other hosts in the same language, found", shuffled_within_languages(named)) +
         found_among("titles of other hosts, found", shuffled(named));
}

}  // namespace linkherd::tests
