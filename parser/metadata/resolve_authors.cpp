#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/resolve.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

using Names = std::vector<std::string>;
using Named = Candidate<Names>;

// "Autoblog Staff" is Autoblog.
std::string without_staff(const std::string& name) {
  constexpr std::string_view staff = " staff";
  const std::string lower = to_ascii_lower(name);
  return lower.ends_with(staff) ? name.substr(0, name.size() - staff.size()) : name;
}

// janedoe.com is written by Jane Doe; a name of one word is rather the site's.
bool is_site(const std::string& name, const SiteNames& site_names) {
  const std::string letters = letters_of(without_staff(name));
  const bool is_stated = std::ranges::find(site_names.stated, letters) != site_names.stated.end();
  return site_names.contain(letters) && (is_stated || !looks_like_person(name) || count_words(name) < 2);
}

// "The Daily Site - Jane Doe", "Jane Doe | The Daily Site"
std::string without_site(const std::string& name, const SiteNames& site_names) {
  for (const std::string_view separator : {" - ", " | ", " / ", ", "}) {
    const std::size_t at = name.find(separator);
    if (at == std::string::npos) continue;
    std::string before = name.substr(0, at);
    std::string behind = name.substr(at + separator.size());
    if (is_site(before, site_names)) return behind;
    if (is_site(behind, site_names)) return before;
  }
  return name;
}

// "The Worcester Telegram & Gazette" was cut into two names.
bool is_divided_site(const Names& names, const SiteNames& site_names) {
  if (names.size() != 2) return false;
  const std::string letters = letters_of(names.front()) + letters_of(names.back());
  return site_names.contain(letters);
}

// "Jane Doe Daily Site Staff" beside "Jane Doe" is the same person with what stands around her name.
void drop_longer_forms(Names& names) {
  const Names all = names;
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const std::string& other) {
      return other.size() < name.size() && name.starts_with(other + " ") && count_words(other) > 1;
    });
  });
}

}  // namespace

std::optional<Field<Names>> resolve_authors(Candidates& candidates, const SiteNames& site_names) {
  struct Choice {
    Named* candidate;
    Names names;
    double trust;
  };
  std::vector<Choice> people;
  std::vector<Choice> houses;
  for (Named& candidate : candidates.authors) {
    // Site rules know whom they name; on a blog that is often also the name of the host.
    Names names = candidate.value;
    if (!candidate.source.starts_with("site:")) {
      for (std::string& name : names) name = without_site(name, site_names);
      std::erase_if(names, [&](const std::string& name) { return is_site(name, site_names); });
      if (is_divided_site(candidate.value, site_names)) names.clear();
    }
    if (!names.empty()) {
      people.push_back({&candidate, std::move(names), candidate.trust});
    } else {
      candidate.verdict = "names the site, not a person";
      if (candidate.may_be_house) houses.push_back({&candidate, candidate.value, candidate.trust * 0.6});
    }
  }
  std::vector<Choice>& choices = people.empty() ? houses : people;
  const auto best = std::ranges::max_element(choices, {}, &Choice::trust);
  if (best == choices.end()) return std::nullopt;
  Names names = best->names;
  for (const Choice& choice : choices) {
    // Several <meta> tags name an author each; several nodes or elements are about several things.
    const bool same_tag =
        best->candidate->source.starts_with("meta:") && choice.candidate->source == best->candidate->source;
    if (same_tag) add_names(names, choice.names);
    if (same_tag || choice.names == best->names) choice.candidate->verdict = "agrees with the choice";
  }
  drop_longer_forms(names);
  best->candidate->verdict = chosen;
  return Field<Names>{std::move(names), best->candidate->source, best->trust};
}

}  // namespace linkherd::parser
