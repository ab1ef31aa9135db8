#include "parser/metadata/resolve.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/text_values.h"
#include "parser/url/credentials.h"
#include "parser/url/host_labels.h"

namespace linkherd::parser {

bool SiteNames::contains(std::string_view letters) const {
  return std::ranges::find(stated, letters) != stated.end() || std::ranges::find(from_host, letters) != from_host.end();
}

void reject_headlines_as_site_names(Candidates& candidates, std::string_view host) {
  const auto has_letters = [](const std::string& letters) {
    return [&letters](const Candidate<std::string>& one) { return extract_letters(one.value) == letters; };
  };
  const std::string host_letters = extract_letters(host);
  std::erase_if(candidates.site_name, [&](const Candidate<std::string>& name) {
    const std::string letters = extract_letters(name.value);
    const bool is_headline = std::ranges::any_of(candidates.headings, has_letters(letters)) &&
                             std::ranges::any_of(candidates.titles, has_letters(letters));
    const auto begins_title = [&](const Candidate<std::string>& one) {
      const std::string title = one.source == "title" ? extract_letters(one.value) : std::string();
      return title.size() > letters.size() && title.starts_with(letters);
    };
    // The name of a site is a part of its host, or it is short.
    constexpr std::size_t min_words = 3;
    return is_headline && count_words(name.value) >= min_words && host_letters.find(letters) == std::string::npos &&
           std::ranges::any_of(candidates.titles, begins_title);
  });
}

SiteNames find_site_names(const Page& page, const Candidates& candidates) {
  SiteNames names;
  for (const auto& candidate : candidates.site_name) names.stated.push_back(extract_letters(candidate.value));
  // "www.example.co.uk" is known as "example.co.uk", and by every label except the last.
  const std::string_view host = without_www(page.host());
  names.from_host.push_back(extract_letters(host));
  for (std::string_view rest = host; rest.find('.') != std::string_view::npos;) {
    const std::size_t dot = rest.find('.');
    if (dot > 2) names.from_host.push_back(extract_letters(rest.substr(0, dot)));
    rest.remove_prefix(dot + 1);
    if (rest.find('.') != std::string_view::npos) names.from_host.push_back(extract_letters(rest));
  }
  std::erase(names.stated, std::string());
  std::erase(names.from_host, std::string());
  return names;
}

std::optional<Field<std::string>> find_most_trusted(CandidateList<std::string>& candidates) {
  const auto best = std::ranges::max_element(candidates, {}, &Candidate<std::string>::trust);
  if (best == candidates.end()) return std::nullopt;
  for (Candidate<std::string>& candidate : candidates) {
    if (candidate.value == best->value) candidate.verdict = "same as the chosen value";
  }
  best->verdict = chosen;
  return Field<std::string>{best->value, best->source, best->trust};
}

std::optional<Field<std::string>> resolve_identifier(CandidateList<std::string>& candidates) {
  std::optional<Field<std::string>> best = find_most_trusted(candidates);
  for (Candidate<std::string>& candidate : candidates) {
    if (best && candidate.trust >= best->confidence && candidate.value != best->value) best = std::nullopt;
  }
  if (best) return best;
  for (Candidate<std::string>& candidate : candidates) candidate.verdict = "describes one of several works on the page";
  return best;
}

// Converts "en_US", "zh-cn", "EN" to BCP 47. Drops texts that are not language tags ("English").
std::optional<Field<std::string>> resolve_language(Candidates& candidates) {
  for (Candidate<std::string>& candidate : candidates.language) {
    std::string tag = candidate.value.substr(0, candidate.value.find(','));
    std::ranges::replace(tag, '_', '-');
    const std::size_t primary = std::min(tag.find('-'), tag.size());
    const bool is_tag = primary >= 2 && primary <= 3 && tag.size() <= 35 &&
                        std::ranges::all_of(tag, [](char c) { return is_ascii_alphanumeric(c) || c == '-'; });
    if (!is_tag || tag.back() == '-') {
      candidate.verdict = "not a valid language tag";
      candidate.trust = 0.0;
      continue;
    }
    std::transform(tag.begin(), tag.end(), tag.begin(), ascii_lower);
    // A two-letter region is written in upper case, a script capitalised.
    if (tag.size() == primary + 3) {
      for (std::size_t i = primary + 1; i < tag.size(); ++i)
        tag[i] = static_cast<char>(tag[i] - (is_ascii_letter(tag[i]) ? 32 : 0));
    }
    candidate.value = std::move(tag);
  }
  auto best = find_most_trusted(candidates.language);
  return best && best->confidence > 0.0 ? best : std::nullopt;
}

std::optional<Field<std::string>> resolve_canonical(const Page& page, Candidates& candidates) {
  const auto best = find_most_trusted(candidates.canonical);
  if (!best) return std::nullopt;
  const auto url = page.url == nullptr ? Url::parse(best->value) : Url::parse(best->value, *page.url);
  if (!url || !url->is_http()) return std::nullopt;
  // A relative URL inherits the credentials of the page's URL.
  return Field<std::string>{std::string(without_credentials(*url).href()), best->source, best->confidence};
}

namespace {

using Dated = Candidate<WrittenDate>;

std::chrono::sys_days day_of(const WrittenDate& date) {
  using namespace std::chrono;
  return sys_days(year(date.year) / month(static_cast<unsigned>(date.month)) / day(static_cast<unsigned>(date.day)));
}

// Returns true if the UTC time may fall on that day in the time zone of the page.
bool is_same_moment_elsewhere(const WrittenDate& utc, const WrittenDate& local) {
  if (!utc.has_time() || utc.offset != 0 || !local.has_day() || local.offset == 0) return false;
  const auto days = (day_of(local) - day_of(utc)).count();
  if (local.has_time()) {
    // Time zones are multiples of 15 minutes.
    const bool same_seconds = utc.second < 0 || local.second < 0 || utc.second == local.second;
    if (!same_seconds || (utc.minute - local.minute) % 15 != 0) return false;
  }
  return (days == -1 && utc.hour < 12) || (days == 1 && utc.hour >= 12);
}

// Returns true if the time of day shows that both dates are the same moment: minutes and seconds are equal.
bool is_same_moment(const WrittenDate& utc, const WrittenDate& local) {
  const bool precise = utc.has_time() && local.has_time() && utc.second >= 0 && local.second >= 0;
  if (!precise || utc.minute != local.minute || utc.second != local.second) return false;
  return !local.offset || start_of_date(utc) == start_of_date(local);
}

bool is_on_page(const Dated& candidate) {
  return candidate.source == "text" || candidate.source == "time" || candidate.source == "url";
}

// Returns the local date of the same moment, or null. Publishing systems write UTC to the head, and the local day to
// the visible page and its URL.
Dated* local_day_of(Dated& best, CandidateList<WrittenDate>& dates) {
  constexpr double min_confidence = 0.45;
  Dated* local = nullptr;
  for (Dated& other : dates) {
    if (other.trust >= min_confidence && is_same_moment_elsewhere(best.value, other.value) &&
        is_same_moment(best.value, other.value))
      return &other;
  }
  for (Dated& other : dates) {
    if (other.trust < min_confidence) continue;
    if (is_on_page(other) && other.value.same_day(best.value) && other.value.offset != 0) return nullptr;
    if (!is_same_moment_elsewhere(best.value, other.value)) continue;
    if (local == nullptr || other.trust > local->trust) local = &other;
  }
  return local;
}

// Returns true if the dates differ only in the order of day and month, as two readings of 3/4/2024 do.
bool is_swapped(const WrittenDate& one, const WrittenDate& other) {
  return one.year == other.year && one.month == other.day && one.day == other.month;
}

// Returns the only dateline near the headline if its day is earlier, and if the page does not show the day of the head.
// Returns null otherwise. Publishing systems write the day of the last publication to the head.
Dated* earlier_dateline(const Dated& best, CandidateList<WrittenDate>& dates) {
  constexpr double min_confidence = 0.48;  // trust of a line near the headline that is little more than a date
  if (is_on_page(best) || best.source.starts_with("site:") || !best.value.has_day()) return nullptr;
  Dated* dateline = nullptr;
  for (Dated& other : dates) {
    if (!is_on_page(other)) continue;
    if (other.value.same_day(best.value) || is_swapped(other.value, best.value)) return nullptr;
    if (other.source == "url" || other.trust < min_confidence || !other.value.has_day()) continue;
    if (dateline != nullptr && !dateline->value.same_day(other.value)) return nullptr;
    if (dateline == nullptr) dateline = &other;
  }
  if (dateline == nullptr || day_of(dateline->value) >= day_of(best.value)) return nullptr;
  // A much older date belongs to the content.
  constexpr std::chrono::days max_distance(366);
  return day_of(best.value) - day_of(dateline->value) <= max_distance ? dateline : nullptr;
}

// Returns the most trusted date and its trust; null if there are no dates.
std::pair<Dated*, double> best_of(CandidateList<WrittenDate>& dates) {
  // Every further source that has the same day raises the confidence by this.
  constexpr double agreement = 0.05;
  Dated* best = nullptr;
  double best_trust = 0.0;
  for (Dated& candidate : dates) {
    double trust = candidate.trust - (candidate.value.has_day() ? 0.0 : 0.4);
    std::vector<std::string_view> sources{candidate.source};
    for (const auto& other : dates) {
      const bool counts = other.trust >= 0.3 && std::ranges::find(sources, other.source) == sources.end();
      if (!counts || !other.value.same_day(candidate.value)) continue;
      sources.push_back(other.source);
      trust += agreement;
    }
    if (best == nullptr || trust > best_trust) {
      best = &candidate;
      best_trust = trust;
    }
  }
  return {best, best_trust};
}

}  // namespace

std::optional<Field<std::string>> resolve_date(CandidateList<WrittenDate>& dates, LaterDatePolicy policy) {
  auto [best, trust] = best_of(dates);
  if (best == nullptr) return std::nullopt;
  if (Dated* local = local_day_of(*best, dates); local != nullptr) {
    best->verdict = "the same moment in UTC; the page itself gives the local date";
    best = local;
  } else if (Dated* dateline = earlier_dateline(*best, dates);
             policy == LaterDatePolicy::prefer_dateline && dateline != nullptr) {
    best->verdict = "later than the only date that the page shows";
    best = dateline;
  }
  for (Dated& candidate : dates) {
    if (!candidate.verdict.empty()) continue;
    if (!candidate.value.has_day() && best->value.has_day())
      candidate.verdict = "less precise than the chosen value";
    else if (candidate.value.same_day(best->value))
      candidate.verdict = "same as the chosen value";
  }
  best->verdict = chosen;
  return Field<std::string>{to_iso8601(best->value), best->source, std::clamp(trust, 0.05, 1.0)};
}

}  // namespace linkherd::parser
