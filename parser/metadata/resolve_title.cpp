#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/generic_titles.h"
#include "parser/metadata/resolve.h"
#include "parser/metadata/text_values.h"
#include "parser/metadata/title_appendix.h"

namespace linkherd::parser {
namespace {

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

// Returns true for the last part of a title if the host is named after it: "Example Tyres" or "Example US" on
// tyres.example.com.
bool is_named_like_host(std::string_view part, const SiteNames& site_names) {
  constexpr std::size_t max_words = 4;
  constexpr std::size_t min_bytes = 5;
  part = trim_ascii(part);
  if (count_words(part) > max_words) return false;
  const std::string letters = extract_letters(part);
  const std::string first = extract_letters(part.substr(0, part.find(' ')));
  return letters.size() >= min_bytes && std::ranges::any_of(site_names.from_host, [&](const std::string& host) {
           return host.find(letters) != std::string::npos || (first.size() >= min_bytes && host == first);
         });
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

// Selects the ends of a title that lose the name of the site. A home page begins with its name and loses only the end.
enum class SiteNameCut : std::uint8_t { both_ends, end };

// Removes site names from the ends of a title, but never its last part.
std::string without_site_name(std::string title, const SiteNames& site_names, SiteNameCut where) {
  constexpr int max_rounds = 8;  // a limit; real titles repeat the name less often
  const bool may_be_cut = std::ranges::any_of(title, [](char c) {
    return c == '|' || c == '-' || c == ':' || c == '_' || static_cast<unsigned char>(c) > 0x7F;
  });
  bool cut = may_be_cut;
  for (int round = 0; cut && round < max_rounds; ++round) {
    cut = false;
    for (const std::string_view separator : site_name_separators) {
      if (const std::size_t last = title.rfind(separator); last != std::string::npos && last > 0) {
        const std::string_view part = std::string_view(title).substr(last + separator.size());
        if (is_site(part, site_names) || (separator.front() == ' ' && is_named_like_host(part, site_names))) {
          title.resize(last);
          cut = true;
        }
      }
      if (where == SiteNameCut::end) continue;
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

std::vector<NamedTitle> usable(CandidateList<std::string>& list, const HtmlDocument& document,
                               const SiteNames& site_names, SiteNameCut where = SiteNameCut::both_ends) {
  std::vector<NamedTitle> result;
  for (Candidate<std::string>& candidate : list) {
    if (candidate.source == "title" && begins_with_separator(candidate.value)) {
      candidate.verdict = "has only the name of the site";
      continue;
    }
    std::string value = without_site_name(candidate.value, site_names, where);
    std::string letters = extract_letters(value);
    if (is_generic_title(candidate.value, document) || is_generic_title(value, document)) {
      candidate.verdict = "the title of every page on the site";
      continue;
    }
    if (letters.empty() || is_site(value, site_names)) {
      candidate.verdict = "names the site";
      continue;
    }
    result.push_back({std::move(value), std::move(letters), &candidate});
  }
  return result;
}

void rename(NamedTitle& title, std::string value) {
  title.letters = extract_letters(value);
  title.value = std::move(value);
}

// Removes counts, prices, labels and slogans from the titles of an offer or a list if another title of the page has
// only the rest.
void drop_confirmed_parts(std::vector<NamedTitle>& titles, const std::vector<NamedTitle>& others) {
  for (NamedTitle& title : titles) {
    std::string rest = without_unconfirmed_parts(title.value);
    const std::string letters = extract_letters(rest);
    const bool is_confirmed = !letters.empty() && std::ranges::any_of(others, [&](const NamedTitle& other) {
      return (other.letters == letters || other.letters == letters + "archives") && other.candidate->source != "line";
    });
    if (is_confirmed) rename(title, std::move(rest));
  }
}

// Returns true if the title begins with these letters and a separator follows them.
bool begins_with_part(std::string_view title, const std::string& letters) {
  return std::ranges::any_of(title_separators, [&](std::string_view separator) {
    const std::size_t at = title.find(separator);
    return at != std::string_view::npos && extract_letters(title.substr(0, at)) == letters;
  });
}

double support_of(const NamedTitle& heading, const std::vector<NamedTitle>& stated) {
  double support = 0.0;
  for (const NamedTitle& title : stated) {
    if (title.letters == heading.letters)
      support += 0.15;
    else if (agree(title.letters, heading.letters) ||
             (heading.candidate->source.starts_with("h1") && begins_with_part(title.value, heading.letters)))
      support += 0.08;
  }
  return std::min(support, 0.3);
}

// Handles the titles "Site: Article" and "Article | Site" if both parts, or the last one, are headings of the page:
// drops the name of the site.
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
  // In "Article | Site" the last part is no title, unless another title of the head has only this part.
  const std::size_t bar = std::min(whole->value.rfind(" | "), whole->value.size());
  const std::string last_part = extract_letters(std::string_view(whole->value).substr(bar));
  std::erase_if(seen, [&, all = seen](const NamedTitle& heading) {
    const bool is_last_part = heading.letters == last_part && !stated_elsewhere(last_part);
    const bool is_site = is_last_part || std::ranges::any_of(all, [&](const NamedTitle& other) {
                           return is_site_beside(heading, other);
                         });
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

// Returns the words of a text as normalized letters, each once.
std::vector<std::string> find_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" -_+/|&:,."), text.size());
    if (std::string word = extract_letters(text.substr(0, end)); !word.empty() && !is_one_of(words, word))
      words.push_back(std::move(word));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Returns true if both texts have three signs of Chinese or Japanese in common, which have no spaces between words.
bool share_signs(std::string_view a, std::string_view b) {
  constexpr std::size_t bytes = 9;
  for (std::size_t at = 0; at + bytes <= a.size(); ++at) {
    const auto is_lead = [&](std::size_t offset) { return a[at + offset] >= '\xE3' && a[at + offset] <= '\xE9'; };
    if (is_lead(0) && is_lead(3) && is_lead(6) && b.find(a.substr(at, bytes)) != std::string_view::npos) return true;
  }
  return false;
}

// Returns true if both texts have a word of at least four bytes in common.
bool share_word(std::string_view a, std::string_view b) {
  if (share_signs(a, b)) return true;
  constexpr std::size_t min_bytes = 4;  // bytes; shorter words occur in every text
  const std::vector<std::string> others = find_words(b);
  return std::ranges::any_of(
      find_words(a), [&](const std::string& word) { return word.size() >= min_bytes && is_one_of(others, word); });
}

// Returns the words at the end of an address: "travel" and "insurance" of /products/travel-insurance.html.
std::vector<std::string> find_address_words(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  path.remove_prefix(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  constexpr std::size_t max_bytes = 200;  // longer ends are no names of pages
  if (path.size() > max_bytes) return {};
  std::vector<std::string> words = find_words(path.substr(0, path.rfind('.')));
  std::erase_if(words, [](const std::string& word) { return std::ranges::all_of(word, is_ascii_digit); });
  return words;
}

// Returns the share of words that a title and an address have in common, from 0 to 1.
double find_similarity(std::string_view title, const std::vector<std::string>& address) {
  const std::vector<std::string> words = find_words(title);
  const auto common = std::ranges::count_if(words, [&](const std::string& word) { return is_one_of(address, word); });
  return words.empty() ? 0.0 : 2.0 * static_cast<double>(common) / static_cast<double>(words.size() + address.size());
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

// Removes a slogan or a list of subjects from a title that only the head has: "Payments | One platform for everything".
std::string without_slogan(std::string title) {
  if (const std::size_t bar = title.find(" | "); bar != std::string::npos && bar > 0) title.resize(bar);
  return title;
}

// Returns the most trusted title of the head if its words are closer to the address of the page than those of the
// heading, or null. The heading of an offer is often a slogan.
const NamedTitle* closer_to_address(const std::vector<NamedTitle>& stated, const NamedTitle& heading,
                                    std::string_view path) {
  constexpr double min_difference = 0.1;
  constexpr std::size_t max_words = 5;  // the address of an article repeats its headline
  const std::vector<std::string> address = find_address_words(path);
  const auto best = std::ranges::max_element(stated, {}, &NamedTitle::trust);
  if (address.empty() || address.size() > max_words || best == stated.end()) return nullptr;
  const double similarity = find_similarity(without_slogan(best->value), address);
  return similarity > find_similarity(heading.value, address) + min_difference ? &*best : nullptr;
}

// `path` is the address of a page that may be an offer; it is empty for an article.
Choice choose(const std::vector<NamedTitle>& stated, const std::vector<NamedTitle>& seen, std::string_view path) {
  // Site rules need no agreement of other sources.
  for (const NamedTitle& title : stated) {
    if (title.candidate->source.starts_with("site:")) return {&title, title.trust()};
  }
  const bool is_repeated = std::ranges::any_of(seen, [&](const NamedTitle& heading) {
    return std::ranges::find(stated, heading.letters, &NamedTitle::letters) != stated.end();
  });
  const NamedTitle* h1 = is_repeated ? nullptr : only_h1(stated, seen);
  const auto is_confirmed_part = [&](const NamedTitle& heading) {
    return heading.candidate->source == "h1:part" && support_of(heading, stated) > 0.0;
  };
  if (h1 != nullptr && support_of(*h1, stated) == 0.0 && std::ranges::none_of(seen, is_confirmed_part)) {
    const NamedTitle* closer = closer_to_address(stated, *h1, path);
    if (closer != nullptr) h1->candidate->verdict = "less like the address than the title of the head";
    return closer != nullptr ? Choice{closer, closer->trust()} : Choice{h1, h1->trust()};
  }
  if (const Choice heading = confirmed_heading(seen, stated); heading.title != nullptr) return heading;
  const auto statement = std::ranges::max_element(stated, {}, &NamedTitle::trust);
  if (statement != stated.end()) return {&*statement, statement->trust()};
  const auto heading = std::ranges::max_element(seen, {}, &NamedTitle::trust);
  if (heading != seen.end()) return {&*heading, heading->trust() * 0.7};
  return {};
}

// Returns true if the head names an author or a date of publication.
bool is_article(const Candidates& candidates) {
  const auto is_from_head = [](const auto& candidate) {
    return candidate.source.starts_with("meta:") || candidate.source == "json_ld" || candidate.source == "microdata";
  };
  return std::ranges::any_of(candidates.authors, is_from_head) ||
         std::ranges::any_of(candidates.published, is_from_head);
}

}  // namespace

std::optional<Field<std::string>> resolve_title(const Page& page, Candidates& candidates, const SiteNames& site_names) {
  const bool is_home_page = page.path() == "/";
  std::vector<NamedTitle> stated =
      usable(candidates.titles, page.document, site_names, is_home_page ? SiteNameCut::end : SiteNameCut::both_ends);
  std::vector<NamedTitle> seen = usable(candidates.headings, page.document, site_names);
  // The title of a home page is the name of the site.
  if (stated.empty() && is_home_page) {
    stated = usable(candidates.titles, page.document, {});
    if (!stated.empty()) seen.clear();
  }
  drop_headings_of_site(seen, stated);
  const std::string_view path_of_offer = is_article(candidates) ? std::string_view() : page.path();
  if (!path_of_offer.empty()) {
    for (auto* titles : {&stated, &seen}) {
      for (NamedTitle& title : *titles) rename(title, without_price(title.value));
    }
    drop_confirmed_parts(seen, stated);
    drop_confirmed_parts(stated, seen);
  }
  const Choice choice = choose(stated, seen, path_of_offer);
  if (choice.title == nullptr) return std::nullopt;
  for (const auto* list : {&stated, &seen}) {
    for (const NamedTitle& title : *list) {
      if (title.letters == choice.title->letters) title.candidate->verdict = "same as the chosen value";
    }
  }
  choice.title->candidate->verdict = chosen;
  const bool is_from_head =
      std::ranges::any_of(stated, [&](const NamedTitle& title) { return &title == choice.title; });
  const bool may_have_slogan = is_from_head && !is_home_page && !choice.title->candidate->source.starts_with("site:");
  return Field<std::string>{may_have_slogan ? without_slogan(choice.title->value) : choice.title->value,
                            choice.title->candidate->source, std::min(choice.confidence, 1.0)};
}

}  // namespace linkherd::parser
