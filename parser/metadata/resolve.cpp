#include "parser/metadata/resolve.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {

bool SiteNames::contain(std::string_view letters) const {
  return std::ranges::find(stated, letters) != stated.end() || std::ranges::find(of_host, letters) != of_host.end();
}

SiteNames names_of_site(const Page& page, const Candidates& candidates) {
  SiteNames names;
  for (const auto& candidate : candidates.site_name) names.stated.push_back(letters_of(candidate.value));
  // "www.example.co.uk": the whole without "www", and every label but the last.
  std::string_view host = page.host();
  if (host.starts_with("www.")) host.remove_prefix(4);
  names.of_host.push_back(letters_of(host));
  for (std::string_view rest = host; rest.find('.') != std::string_view::npos;) {
    const std::size_t dot = rest.find('.');
    if (dot > 2) names.of_host.push_back(letters_of(rest.substr(0, dot)));
    rest.remove_prefix(dot + 1);
  }
  std::erase(names.stated, std::string());
  std::erase(names.of_host, std::string());
  return names;
}

std::optional<Field<std::vector<std::string>>> resolve_authors(const Candidates& candidates,
                                                               const SiteNames& site_names) {
  using Named = Candidate<std::vector<std::string>>;
  const auto is_site = [&](const std::string& name) {
    const std::string letters = letters_of(name);
    // janedoe.com is written by Jane Doe; a name of one word is rather the site's.
    const bool named_like_host = std::ranges::find(site_names.stated, letters) == site_names.stated.end();
    return site_names.contain(letters) && !(named_like_host && looks_like_person(name) && count_words(name) > 1);
  };
  std::vector<Named> choices;
  for (Named candidate : candidates.authors) {
    // Site rules know whom they name; on a blog that is often also the name of the host.
    if (!candidate.source.starts_with("site:")) std::erase_if(candidate.value, is_site);
    if (!candidate.value.empty()) choices.push_back(std::move(candidate));
  }
  const auto best = std::ranges::max_element(choices, {}, &Named::trust);
  if (best == choices.end()) return std::nullopt;
  std::vector<std::string> names = best->value;
  // Several <meta> tags name an author each; several nodes or elements are about several things.
  if (best->source.starts_with("meta:")) {
    for (const Named& choice : choices) {
      if (choice.source == best->source) add_names(names, choice.value);
    }
  }
  return Field<std::vector<std::string>>{names, best->source, best->trust};
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
