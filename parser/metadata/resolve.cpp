#include "parser/metadata/resolve.h"

#include <algorithm>
#include <cstddef>

#include "parser/ascii.h"
#include "parser/metadata/text_values.h"
#include "parser/url/credentials.h"

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
    if (rest.find('.') != std::string_view::npos) names.of_host.push_back(letters_of(rest));
  }
  std::erase(names.stated, std::string());
  std::erase(names.of_host, std::string());
  return names;
}

std::optional<Field<std::string>> most_trusted(CandidateList<std::string>& candidates) {
  const auto best = std::ranges::max_element(candidates, {}, &Candidate<std::string>::trust);
  if (best == candidates.end()) return std::nullopt;
  for (Candidate<std::string>& candidate : candidates) {
    if (candidate.value == best->value) candidate.verdict = "agrees with the choice";
  }
  best->verdict = chosen;
  return Field<std::string>{best->value, best->source, best->trust};
}

// BCP 47 out of "en_US", "zh-cn", "EN"; texts that are no tag ("English") are dropped.
std::optional<Field<std::string>> resolve_language(Candidates& candidates) {
  for (Candidate<std::string>& candidate : candidates.language) {
    std::string tag = candidate.value.substr(0, candidate.value.find(','));
    std::ranges::replace(tag, '_', '-');
    const std::size_t primary = std::min(tag.find('-'), tag.size());
    const bool is_tag = primary >= 2 && primary <= 3 && tag.size() <= 35 && std::ranges::all_of(tag, [](char c) {
                          return is_ascii_letter(c) || is_ascii_digit(c) || c == '-';
                        });
    if (!is_tag || tag.back() == '-') {
      candidate.verdict = "no language tag";
      candidate.trust = 0.0;
      continue;
    }
    std::transform(tag.begin(), tag.end(), tag.begin(), ascii_lower);
    // A region of two letters is written in capitals, a script with one.
    if (tag.size() == primary + 3) {
      for (std::size_t i = primary + 1; i < tag.size(); ++i)
        tag[i] = static_cast<char>(tag[i] - (is_ascii_letter(tag[i]) ? 32 : 0));
    }
    candidate.value = std::move(tag);
  }
  auto best = most_trusted(candidates.language);
  return best && best->confidence > 0.0 ? best : std::nullopt;
}

std::optional<Field<std::string>> resolve_canonical(const Page& page, Candidates& candidates) {
  const auto best = most_trusted(candidates.canonical);
  if (!best) return std::nullopt;
  const auto url = page.url == nullptr ? Url::parse(best->value) : Url::parse(best->value, *page.url);
  if (!url || !url->is_http()) return std::nullopt;
  // A relative one takes the login of the page's own URL along.
  return Field<std::string>{std::string(without_credentials(*url).href()), best->source, best->confidence};
}

}  // namespace linkherd::parser
