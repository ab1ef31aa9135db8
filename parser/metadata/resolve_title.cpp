#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "parser/metadata/resolve.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// Titles that a site gives to every page, or to the page that says no.
constexpr std::array<std::string_view, 12> shells{
    "Notion – The all-in-one workspace for your notes, tasks, wikis, and databases.",
    "Notion – The all-in-one workspace",
    "微信公众平台",
    "安全验证 - 知乎",
    "安全验证",
    "访问验证",
    "人机验证",
    "百度安全验证",
    "Just a moment...",
    "Attention Required! | Cloudflare",
    "Please Wait... | Cloudflare",
    "出错啦! - bilibili.com"};

bool is_shell(std::string_view title) {
  const std::string letters = letters_of(title);
  return letters.empty() ||
         std::ranges::any_of(shells, [&](std::string_view shell) { return letters_of(shell) == letters; });
}

constexpr std::array<std::string_view, 13> separators{" | ", " - ", " – ", " — ", " :: ", " · ", " » ",
                                                      " • ", " ‹ ", "_",   "｜",  " : ",  "-"};

bool is_site(std::string_view part, const SiteNames& site_names) {
  const std::string letters = letters_of(part);
  return letters.empty() || site_names.contain(letters);
}

// Cuts parts that are a known name of the site off both ends, never the last part that is left.
std::string without_site_name(std::string title, const SiteNames& site_names) {
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view separator : separators) {
      if (const std::size_t last = title.rfind(separator); last != std::string::npos && last > 0) {
        if (is_site(std::string_view(title).substr(last + separator.size()), site_names)) {
          title.resize(last);
          cut = true;
        }
      }
      if (const std::size_t first = title.find(separator); first != std::string::npos && first > 0) {
        if (first + separator.size() < title.size() && is_site(std::string_view(title).substr(0, first), site_names)) {
          title.erase(0, first + separator.size());
          cut = true;
        }
      }
    }
  }
  return clean_value(title, max_title);
}

}  // namespace

std::optional<Field<std::string>> resolve_title(const Candidates& candidates, const SiteNames& site_names) {
  struct Named {
    std::string value;
    std::string letters;
    const Candidate<std::string>* candidate;
  };
  const auto usable = [&](const CandidateList<std::string>& list) {
    std::vector<Named> result;
    for (const auto& candidate : list) {
      if (is_shell(candidate.value)) continue;
      std::string value = without_site_name(candidate.value, site_names);
      std::string letters = letters_of(value);
      if (letters.empty() || is_site(value, site_names)) continue;
      result.push_back({std::move(value), std::move(letters), &candidate});
    }
    return result;
  };
  const std::vector<Named> stated = usable(candidates.titles);
  const std::vector<Named> seen = usable(candidates.headings);

  // What the site rules know is not put to the vote.
  for (const Named& title : stated) {
    if (title.candidate->source.starts_with("site:")) {
      return Field<std::string>{title.value, title.candidate->source, title.candidate->trust};
    }
  }
  // A heading that the head of the page confirms is what a reader would call the title.
  const Named* best = nullptr;
  double best_score = 0.0;
  for (const Named& heading : seen) {
    double support = 0.0;
    for (const Named& title : stated) {
      if (title.letters == heading.letters)
        support += 0.15;
      else if (agree(title.letters, heading.letters))
        support += 0.08;
    }
    if (support == 0.0) continue;
    const double score = heading.candidate->trust + std::min(support, 0.3);
    if (score > best_score) {
      best = &heading;
      best_score = score;
    }
  }
  // A heading may begin with a kicker ("Politics | …") that the head leaves out.
  for (const Named& title : stated) {
    const bool is_end = best != nullptr && title.letters != best->letters && best->letters.ends_with(title.letters) &&
                        title.letters.size() * 2 > best->letters.size() && title.candidate->source != "title";
    if (is_end) return Field<std::string>{title.value, title.candidate->source, std::min(best_score, 1.0)};
  }
  if (best != nullptr) return Field<std::string>{best->value, best->candidate->source, std::min(best_score, 1.0)};

  const auto trust = [](const Named& title) { return title.candidate->trust; };
  const auto statement = std::ranges::max_element(stated, {}, trust);
  if (statement != stated.end())
    return Field<std::string>{statement->value, statement->candidate->source, trust(*statement)};
  const auto heading = std::ranges::max_element(seen, {}, trust);
  if (heading == seen.end()) return std::nullopt;
  return Field<std::string>{heading->value, heading->candidate->source, trust(*heading) * 0.7};
}

}  // namespace linkherd::parser
