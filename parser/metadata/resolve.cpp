#include "parser/metadata/resolve.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "parser/html/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {

std::vector<std::string> names_of_site(const Page& page, const Candidates& candidates) {
  std::vector<std::string> names;
  for (const auto& candidate : candidates.site_name) names.push_back(letters_of(candidate.value));
  // "www.example.co.uk": every label and the whole without "www" and the last label.
  std::string_view host = page.host();
  if (host.starts_with("www.")) host.remove_prefix(4);
  if (!host.empty()) names.push_back(letters_of(host));
  for (std::string_view rest = host; rest.find('.') != std::string_view::npos;) {
    const std::size_t dot = rest.find('.');
    if (dot > 2) names.push_back(letters_of(rest.substr(0, dot)));
    rest.remove_prefix(dot + 1);
  }
  std::erase(names, std::string());
  return names;
}

std::optional<Field<std::vector<std::string>>> resolve_authors(const Candidates& candidates,
                                                               const std::vector<std::string>& site_names) {
  struct Choice {
    std::vector<std::string> names;
    const Candidate<std::vector<std::string>>* candidate = nullptr;
  };
  std::vector<Choice> choices;
  for (const auto& candidate : candidates.authors) {
    Choice choice{.names = candidate.value, .candidate = &candidate};
    std::erase_if(choice.names, [&](const std::string& name) {
      return std::ranges::find(site_names, letters_of(name)) != site_names.end();
    });
    if (!choice.names.empty()) choices.push_back(std::move(choice));
  }
  const auto best = std::ranges::max_element(choices, {}, [](const Choice& choice) { return choice.candidate->trust; });
  if (best == choices.end()) return std::nullopt;
  // One <meta> each, or one JSON-LD node each: the same source speaks several times.
  std::vector<std::string> names;
  for (const Choice& choice : choices) {
    if (choice.candidate->source == best->candidate->source && choice.candidate->trust == best->candidate->trust) {
      add_names(names, choice.names);
    }
  }
  return Field<std::vector<std::string>>{names, best->candidate->source, best->candidate->trust};
}

std::optional<Field<std::string>> resolve_date(const CandidateList<WrittenDate>& dates) {
  // A day gains from every source that names it as well.
  constexpr double agreement = 0.05;
  const Candidate<WrittenDate>* best = nullptr;
  double best_trust = 0.0;
  for (const auto& candidate : dates) {
    double trust = candidate.trust - (candidate.value.has_day() ? 0.0 : 0.4);
    std::vector<std::string_view> sources{candidate.source};
    for (const auto& other : dates) {
      if (!other.value.same_day(candidate.value) || std::ranges::find(sources, other.source) != sources.end()) continue;
      sources.push_back(other.source);
      trust += agreement;
    }
    if (best == nullptr || trust > best_trust) {
      best = &candidate;
      best_trust = trust;
    }
  }
  if (best == nullptr) return std::nullopt;
  return Field<std::string>{to_iso8601(best->value), best->source, std::clamp(best_trust, 0.05, 1.0)};
}

std::optional<Field<std::string>> most_trusted(const CandidateList<std::string>& candidates) {
  const auto best = std::ranges::max_element(candidates, {}, &Candidate<std::string>::trust);
  if (best == candidates.end()) return std::nullopt;
  return Field<std::string>{best->value, best->source, best->trust};
}

// BCP 47 out of "en_US", "zh-cn", "EN"; texts that are no tag ("English") are dropped.
std::optional<Field<std::string>> resolve_language(const Candidates& candidates) {
  CandidateList<std::string> tags;
  for (const auto& candidate : candidates.language) {
    std::string tag = candidate.value.substr(0, candidate.value.find(','));
    std::ranges::replace(tag, '_', '-');
    const std::size_t primary = std::min(tag.find('-'), tag.size());
    const bool is_tag = primary >= 2 && primary <= 3 && tag.size() <= 35 && std::ranges::all_of(tag, [](char c) {
                          return is_ascii_letter(c) || is_ascii_digit(c) || c == '-';
                        });
    if (!is_tag || tag.back() == '-') continue;
    std::transform(tag.begin(), tag.end(), tag.begin(), ascii_lower);
    // A region of two letters is written in capitals, a script with one.
    if (tag.size() == primary + 3) {
      for (std::size_t i = primary + 1; i < tag.size(); ++i)
        tag[i] = static_cast<char>(tag[i] - (is_ascii_letter(tag[i]) ? 32 : 0));
    }
    add(tags, std::move(tag), candidate.source, candidate.trust);
  }
  return most_trusted(tags);
}

std::optional<Field<std::string>> resolve_canonical(const Page& page, const Candidates& candidates) {
  const auto best = most_trusted(candidates.canonical);
  if (!best) return std::nullopt;
  const auto url = page.url == nullptr ? Url::parse(best->value) : Url::parse(best->value, *page.url);
  if (!url || !url->is_http()) return std::nullopt;
  return Field<std::string>{std::string(url->href()), best->source, best->confidence};
}

}  // namespace linkherd::parser
