#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/resolve.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// Titles that a site uses for every page, or for its error pages.
constexpr std::array<std::string_view, 44> generic_titles{
    "Notion – The all-in-one workspace for your notes, tasks, wikis, and databases.",
    "Notion – The all-in-one workspace", "微信公众平台", "安全验证 - 知乎", "安全验证", "访问验证", "人机验证",
    "百度安全验证", "Just a moment...", "Attention Required! | Cloudflare", "Please Wait... | Cloudflare",
    "出错啦! - bilibili.com", "Checking your browser", "Checking your browser...",
    "Checking your browser before accessing the website", "Access denied", "Are you a robot?", "Robot Check",
    "Security Check", "Human Verification", "Verify you are human", "Please verify you are a human", "Bot Verification",
    "Pardon Our Interruption", "DDoS-Guard", "One more step", "Vercel Security Checkpoint", "Client Challenge",
    "Attention Required!", "Just a moment", "Please wait...", "Loading...",
    // Titles of redirect pages that were not followed, because they wait longer or need a script.
    "Redirecting...", "Redirecting you...", "Redirecting, please wait...", "You are being redirected...",
    "Page Redirection", "Redirect Notice", "Weiterleitung...", "Redirection en cours...", "Redireccionando...",
    "Redirecionando...", "正在跳转...", "页面跳转中..."};

bool is_shell(std::string_view title) {
  static const auto letters_of_shells = [] {
    std::array<std::string, generic_titles.size()> all;
    std::ranges::transform(generic_titles, all.begin(), extract_letters);
    return all;
  }();
  const std::string letters = extract_letters(title);
  return letters.empty() || is_one_of(letters_of_shells, letters);
}

// A known site name may also follow a bare hyphen ("文章-哔哩哔哩").
constexpr auto site_name_separators = [] {
  std::array<std::string_view, title_separators.size() + 1> all{};
  std::ranges::copy(title_separators, all.begin());
  all.back() = "-";
  return all;
}();

bool is_site(std::string_view part, const SiteNames& site_names) {
  const std::string letters = extract_letters(part);
  return letters.empty() || site_names.contains(letters);
}

// The last letters of the names of Chinese sites.
constexpr std::array<std::string_view, 14> chinese_site_endings{
    "网", "網", "论坛", "論壇", "日报", "晚报", "在线", "频道", "博客", "社区", "门户", "网站", "新闻", "客户端"};

// Removes "-中国诗歌网" from the end of a title. Chinese titles have no spaces around the separator.
std::string without_chinese_site(std::string title) {
  constexpr std::size_t max_site_bytes = 36;
  for (const std::string_view separator : {"-", "_", "|", "—"}) {
    const std::size_t at = title.rfind(separator);
    if (at == std::string::npos || at == 0 || title.size() - at > max_site_bytes) continue;
    const std::string_view site = std::string_view(title).substr(at + separator.size());
    const bool is_site =
        std::ranges::none_of(site, [](char c) { return is_ascii(c); }) &&
        std::ranges::any_of(chinese_site_endings, [&](std::string_view end) { return site.ends_with(end); });
    if (is_site && is_not_ascii(title[at - 1])) title.resize(at);
  }
  return title;
}

// Removes site names from both ends of a title, but never its last part.
std::string without_site_name(std::string title, const SiteNames& site_names) {
  constexpr int max_rounds = 8;  // a limit; real titles repeat the name less often
  const bool may_be_cut = std::ranges::any_of(title, [](char c) {
    return c == '|' || c == '-' || c == ':' || c == '_' || static_cast<unsigned char>(c) > 0x7F;
  });
  bool cut = may_be_cut;
  for (int round = 0; cut && round < max_rounds; ++round) {
    cut = false;
    for (const std::string_view separator : site_name_separators) {
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
  return clean_value(without_chinese_site(without_appendix(std::move(title))), max_title);
}

// Returns true for "- Daily Food": a program had no title to write before the name of the site.
bool begins_with_separator(std::string_view title) {
  static constexpr std::array<std::string_view, 5> signs{"-", "|", "_", "–", "｜"};
  return std::ranges::any_of(signs, [&](std::string_view sign) {
    // "-x" may be an option of a program.
    return title.starts_with(sign) && title.size() > sign.size() &&
           (title[sign.size()] == ' ' || is_not_ascii(title[sign.size()]));
  });
}

// The trust in a heading that its class marks as the headline.
constexpr double marked_heading = 0.6;

struct NamedTitle {
  std::string value;
  std::string letters;
  Candidate<std::string>* candidate;
  double trust() const { return candidate->trust; }
};

std::vector<NamedTitle> usable(CandidateList<std::string>& list, const SiteNames& site_names) {
  std::vector<NamedTitle> result;
  for (Candidate<std::string>& candidate : list) {
    if (is_shell(candidate.value)) {
      candidate.verdict = "the title of every page on the site";
      continue;
    }
    if (candidate.source == "title" && begins_with_separator(candidate.value)) {
      candidate.verdict = "has only the name of the site";
      continue;
    }
    std::string value = without_site_name(candidate.value, site_names);
    std::string letters = extract_letters(value);
    if (letters.empty() || is_site(value, site_names)) {
      candidate.verdict = "names the site";
      continue;
    }
    result.push_back({std::move(value), std::move(letters), &candidate});
  }
  return result;
}

double support_of(const NamedTitle& heading, const std::vector<NamedTitle>& stated) {
  double support = 0.0;
  for (const NamedTitle& title : stated) {
    if (title.letters == heading.letters)
      support += 0.15;
    else if (agree(title.letters, heading.letters))
      support += 0.08;
  }
  return std::min(support, 0.3);
}

// Handles the title "Site: Article" if both parts are headings of the page: drops the one that is the name of the site.
void drop_headings_of_site(std::vector<NamedTitle>& seen, const std::vector<NamedTitle>& stated) {
  const auto whole =
      std::ranges::find(stated, "title", [](const NamedTitle& title) { return title.candidate->source; });
  if (whole == stated.end()) return;
  const auto stated_elsewhere = [&](const std::string& letters) {
    return std::ranges::any_of(stated,
                               [&](const NamedTitle& one) { return &one != &*whole && one.letters == letters; });
  };
  const auto is_site_beside = [&](const NamedTitle& heading, const NamedTitle& other) {
    const bool first = whole->letters == heading.letters + other.letters;
    const bool last = whole->letters == other.letters + heading.letters;
    if (heading.letters == other.letters || (!first && !last)) return false;
    if (stated_elsewhere(heading.letters) || stated_elsewhere(other.letters)) return stated_elsewhere(other.letters);
    const bool is_marked = heading.candidate->source != "h1" && heading.trust() >= marked_heading;
    const bool other_is_marked = other.candidate->source != "h1" && other.trust() >= marked_heading;
    return is_marked == other_is_marked ? last : other_is_marked;
  };
  std::erase_if(seen, [&, all = seen](const NamedTitle& heading) {
    const bool is_site =
        std::ranges::any_of(all, [&](const NamedTitle& other) { return is_site_beside(heading, other); });
    if (is_site) heading.candidate->verdict = "names the site";
    return is_site;
  });
}

struct Choice {
  const NamedTitle* title = nullptr;
  double confidence = 0.0;
};

// Returns a visible heading that the head of the page confirms.
Choice confirmed_heading(const std::vector<NamedTitle>& seen, const std::vector<NamedTitle>& stated) {
  Choice best;
  for (const NamedTitle& heading : seen) {
    const double support = support_of(heading, stated);
    if (support == 0.0) {
      heading.candidate->verdict = "a heading that nothing in the page's <head> confirms";
      continue;
    }
    if (heading.trust() + support > best.confidence) best = {&heading, heading.trust() + support};
  }
  if (best.title == nullptr) return best;
  // A heading may begin with a kicker ("Politics | …") that the head omits or that is an element of its own.
  const auto is_without_kicker = [&](const NamedTitle& title) {
    const std::string& whole = best.title->letters;
    return title.letters != whole && whole.ends_with(title.letters) && title.letters.size() * 2 > whole.size();
  };
  for (const NamedTitle& title : stated) {
    if (title.candidate->source != "title" && is_without_kicker(title)) return {&title, best.confidence};
  }
  // A heading may contain a category, a date or a subtitle as further elements. In that case the head has only the
  // rest.
  const auto is_stated = [&](const NamedTitle& title) {
    return std::ranges::find(stated, title.letters, &NamedTitle::letters) != stated.end();
  };
  const auto is_stated_part = [&](const NamedTitle& title) {
    const std::string& whole = best.title->letters;
    const bool is_end = whole.starts_with(title.letters) || whole.ends_with(title.letters);
    return is_end && title.letters.size() < whole.size() && is_stated(title);
  };
  const bool is_whole_stated = is_stated(*best.title);
  for (const NamedTitle& part : seen) {
    const bool is_line = part.candidate->source == "line" || part.candidate->source == "headline";
    const bool is_part = is_line || part.candidate->source == "h1:part";
    if (is_line && is_without_kicker(part)) return {&part, best.confidence};
    if (is_part && !is_whole_stated && is_stated_part(part)) return {&part, best.confidence};
  }
  return best;
}

// Returns true if both texts have a word of at least four bytes in common.
bool share_word(std::string_view a, std::string_view b) {
  constexpr std::size_t min_bytes = 4;  // bytes; shorter words occur in every text
  const auto words_of = [](std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (std::string word = extract_letters(text.substr(0, end)); word.size() >= min_bytes)
        words.push_back(std::move(word));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
  };
  const std::vector<std::string> others = words_of(b);
  return std::ranges::any_of(words_of(a), [&](const std::string& word) { return is_one_of(others, word); });
}

// Returns the only h1 if it has the same subject as the head, or null. Some pages have different titles for search
// engines and for readers.
const NamedTitle* only_h1(const std::vector<NamedTitle>& stated, const std::vector<NamedTitle>& seen) {
  const NamedTitle* only = nullptr;
  for (const NamedTitle& heading : seen) {
    if (heading.candidate->source != "h1") continue;
    if (only != nullptr && heading.letters != only->letters) return nullptr;
    if (only == nullptr) only = &heading;
  }
  const bool related = only != nullptr && std::ranges::any_of(stated, [&](const NamedTitle& title) {
                         return share_word(title.value, only->value);
                       });
  return related ? only : nullptr;
}

Choice choose(const std::vector<NamedTitle>& stated, const std::vector<NamedTitle>& seen) {
  // Site rules need no agreement of other sources.
  for (const NamedTitle& title : stated) {
    if (title.candidate->source.starts_with("site:")) return {&title, title.trust()};
  }
  const bool is_repeated = std::ranges::any_of(seen, [&](const NamedTitle& heading) {
    return std::ranges::find(stated, heading.letters, &NamedTitle::letters) != stated.end();
  });
  const NamedTitle* h1 = is_repeated ? nullptr : only_h1(stated, seen);
  if (h1 != nullptr && support_of(*h1, stated) == 0.0) return {h1, h1->trust()};
  if (const Choice heading = confirmed_heading(seen, stated); heading.title != nullptr) return heading;
  const auto statement = std::ranges::max_element(stated, {}, &NamedTitle::trust);
  if (statement != stated.end()) return {&*statement, statement->trust()};
  const auto heading = std::ranges::max_element(seen, {}, &NamedTitle::trust);
  if (heading != seen.end()) return {&*heading, heading->trust() * 0.7};
  return {};
}

}  // namespace

std::optional<Field<std::string>> resolve_title(const Page& page, Candidates& candidates, const SiteNames& site_names) {
  std::vector<NamedTitle> stated = usable(candidates.titles, site_names);
  std::vector<NamedTitle> seen = usable(candidates.headings, site_names);
  // The title of a home page is the name of the site.
  if (stated.empty() && page.path() == "/") {
    stated = usable(candidates.titles, {});
    seen.clear();
  }
  drop_headings_of_site(seen, stated);
  const Choice choice = choose(stated, seen);
  if (choice.title == nullptr) return std::nullopt;
  for (const auto* list : {&stated, &seen}) {
    for (const NamedTitle& title : *list) {
      if (title.letters == choice.title->letters) title.candidate->verdict = "same as the chosen value";
    }
  }
  choice.title->candidate->verdict = chosen;
  return Field<std::string>{choice.title->value, choice.title->candidate->source, std::min(choice.confidence, 1.0)};
}

}  // namespace linkherd::parser
