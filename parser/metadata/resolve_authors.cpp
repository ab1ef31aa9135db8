#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/resolve.h"
#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

using Names = std::vector<std::string>;
using Named = Candidate<Names>;

// Converts "Autoblog Staff" to "Autoblog".
std::string without_staff(const std::string& name) {
  constexpr std::string_view staff = " staff";
  const std::string lower = to_ascii_lower(name);
  return lower.ends_with(staff) ? name.substr(0, name.size() - staff.size()) : name;
}

// Returns true if the host is named after the person: by the full name (lilianweng.github.io), or by the initial and
// the last name (jalammar.github.io).
bool is_host_of(const std::string& name, const SiteNames& site_names) {
  const std::string letters = extract_letters(name);
  const std::size_t first_length = decode_utf8(letters, 0).length;
  const std::string short_form = letters.substr(0, first_length) + extract_letters(name.substr(name.rfind(' ') + 1));
  return std::ranges::any_of(site_names.from_host,
                             [&](const std::string& host) { return host.starts_with(letters) || host == short_form; });
}

// The known facts about the publisher of a page.
struct Publisher {
  const SiteNames& names;
  std::vector<std::string> signed_by;  // normalized letters of the visible author names
};

bool is_seen_by_readers(const Named& candidate) {
  static constexpr std::array<std::string_view, 8> seen{"microdata", "rel:author", "class:author", "link:author",
                                                        "byline",    "byline:far", "credit",       "dateline"};
  return is_one_of(seen, candidate.source);
}

bool is_from_head(const Named& candidate) {
  return candidate.source.starts_with("meta:") || candidate.source == "json_ld";
}

std::vector<std::string> names_seen_by_readers(const CandidateList<Names>& authors) {
  std::vector<std::string> letters;
  for (const Named& candidate : authors) {
    if (is_seen_by_readers(candidate))
      std::ranges::transform(candidate.value, std::back_inserter(letters), extract_letters);
  }
  return letters;
}

// The visible text of a page. It is read on first use.
class VisibleText {
 public:
  explicit VisibleText(const Page& page) : page_(page) {}

  bool has(std::string_view name) { return letters().find(extract_letters(name)) != std::string::npos; }

  // Returns true if the page has nearly no text. Scripts fill such a page, and their result is unknown.
  bool is_empty() {
    constexpr std::size_t min_bytes = 200;
    return letters().size() < min_bytes;
  }

 private:
  const std::string& letters() {
    if (!letters_) letters_ = read();
    return *letters_;
  }

  std::string read() const {
    for (const HtmlElement body : page_.document.by_name("body")) return extract_letters(body.text());
    return {};
  }

  const Page& page_;
  std::optional<std::string> letters_;
};

// Returns true if the visible page has other author names, and none of these names.
bool is_contradicted(const Names& names, const std::vector<std::string>& signed_by, VisibleText& text) {
  if (signed_by.empty()) return false;
  return std::ranges::none_of(
      names, [&](const std::string& name) { return is_one_of(signed_by, extract_letters(name)) || text.has(name); });
}

bool shares_name(const Names& names, const Names& others) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    const std::string letters = extract_letters(name);
    return std::ranges::any_of(others, [&](const std::string& other) { return extract_letters(other) == letters; });
  });
}

// Returns true if a single source in the head has these names, and the text has none of them. Templates and accounts of
// editors leave names in the head of unsigned pages. Bibliographic tags and lists of people are exempt: they are
// written with care, and the page may show their names in another order.
bool is_unconfirmed(const Named& candidate, const Names& names, const CandidateList<Names>& all, VisibleText& text) {
  if (names.empty() || !is_from_head(candidate) || candidate.source == "meta:citation_author") return false;
  if (names.size() > 1 && std::ranges::all_of(names, is_full_name)) return false;
  const bool confirmed = std::ranges::any_of(
      all, [&](const Named& other) { return other.source != candidate.source && shares_name(names, other.value); });
  return !confirmed && !text.is_empty() &&
         std::ranges::none_of(names, [&](const std::string& name) { return text.has(name); });
}

// Hosting services with one host name per user.
bool is_personal_hosting(const SiteNames& names) {
  static constexpr std::array<std::string_view, 8> hosts{"githubio",    "gitlabio",     "netlifyapp",  "vercelapp",
                                                         "blogspotcom", "wordpresscom", "substackcom", "hashnodedev"};
  return std::ranges::any_of(
      hosts, [&](std::string_view host) { return std::ranges::find(names.from_host, host) != names.from_host.end(); });
}

// Returns true if a person and the site have the same name, as on a personal blog. The host must be named after a
// visible author, or after any author if the hosting service gives each user a host name.
bool is_person_named_like_site(const std::string& name, const std::string& letters, const Publisher& publisher) {
  const std::size_t words = count_words(name);
  if (words < 2 || words > 3 || !looks_like_person(name) || name.starts_with("The ")) return false;
  const bool is_signed = std::ranges::find(publisher.signed_by, letters) != publisher.signed_by.end();
  return (is_signed || is_personal_hosting(publisher.names)) && is_host_of(name, publisher.names);
}

// Returns true for an account of the site, such as "sina_mobile" on sina.com.cn.
bool is_account_of_site(std::string_view name, const SiteNames& names) {
  const std::size_t end = name.find('_');
  if (end == std::string_view::npos || name.find(' ') != std::string_view::npos) return false;
  return std::ranges::find(names.from_host, extract_letters(name.substr(0, end))) != names.from_host.end();
}

// Returns true if the name is that of the site. janedoe.com is written by Jane Doe, but a single word is the name of
// the site.
bool is_site(const std::string& name, const Publisher& publisher) {
  if (is_account_of_site(name, publisher.names)) return true;
  const std::string letters = extract_letters(without_staff(name));
  const bool is_stated = std::ranges::find(publisher.names.stated, letters) != publisher.names.stated.end();
  if (is_stated && is_person_named_like_site(name, letters, publisher)) return false;
  return publisher.names.contains(letters) && (is_stated || !looks_like_person(name) || count_words(name) < 2);
}

// Removes the site from "The Daily Site - Jane Doe" and "Jane Doe | The Daily Site".
std::string without_site(const std::string& name, const Publisher& publisher) {
  for (const std::string_view separator : {" - ", " | ", " / ", ", "}) {
    const std::size_t at = name.find(separator);
    if (at == std::string::npos) continue;
    std::string before = name.substr(0, at);
    std::string after = name.substr(at + separator.size());
    if (is_site(before, publisher)) return after;
    if (is_site(after, publisher)) return before;
  }
  return name;
}

// Returns true if the name of the site was split at "&" into two names, such as "The Worcester Telegram & Gazette".
bool is_divided_site(const Names& names, const SiteNames& site_names) {
  if (names.size() != 2) return false;
  const std::string letters = extract_letters(names.front()) + extract_letters(names.back());
  return site_names.contains(letters);
}

// Returns true for the name of an organisation, by its words. The list has only words that are no family names.
bool is_organization(const std::string& name) {
  static constexpr std::array<std::string_view, 34> words{
      "institute",  "media",     "news",       "network",    "magazine", "times",       "press",
      "daily",      "agency",    "foundation", "university", "college",  "inc",         "llc",
      "gmbh",       "team",      "staff",      "committee",  "society",  "association", "council",
      "department", "ministry",  "newsroom",   "redaktion",  "verlag",   "zeitung",     "nachrichten",
      "noticias",   "redacción", "editorial",  "community",  "center",   "us"};
  constexpr std::string_view initials = "us";
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    const std::string lower = to_ascii_lower(word);
    if (is_one_of(words, lower) && (lower != initials || word == "US")) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Returns true if only a tag in the head has a name that is like that of a person and is the name of the site, as on
// the blog of a person. A newspaper also states itself in JSON-LD.
bool is_person_or_shop(const Named& candidate, const CandidateList<Names>& all) {
  constexpr std::size_t max_words = 3;
  if (candidate.source != "meta:author" || candidate.value.size() != 1) return false;
  const std::string& name = candidate.value.front();
  const bool is_in_json = std::ranges::any_of(all, [](const Named& other) { return other.source == "json_ld"; });
  return !is_in_json && is_full_name(name) && count_words(name) <= max_words && !is_organization(name) &&
         !name.starts_with("The ");
}

// Removes organisations from a list that names a person: the publisher of a person is not another author.
void drop_organizations(Names& names) {
  const auto is_person = [](const std::string& name) { return is_full_name(name) && !is_organization(name); };
  if (std::ranges::any_of(names, is_person)) std::erase_if(names, is_organization);
}

// Removes names that contain another one: "Jane Doe Daily Site Staff" next to "Jane Doe" is the same person.
void drop_longer_forms(Names& names) {
  const Names all = names;
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const std::string& other) {
      return other.size() < name.size() && name.starts_with(other + " ") && count_words(other) > 1;
    });
  });
}

// Shortens "Jane Doe Co-founder" to "Jane Doe" if another candidate has the short name and no other has the long one.
void shorten_names(Names& names, const CandidateList<Names>& all) {
  for (std::string& name : names) {
    const auto says = [&](const Named& candidate) { return is_one_of(candidate.value, name); };
    if (std::ranges::count_if(all, says) > 1) continue;
    const std::string longer = name + " ";
    for (const Named& candidate : all) {
      const auto shorter = std::ranges::find_if(candidate.value, [&](const std::string& other) {
        return other.size() < name.size() && longer.starts_with(other + " ") && is_full_name(other);
      });
      if (shorter != candidate.value.end()) name = std::string(*shorter);
    }
  }
}

}  // namespace

namespace {

struct AuthorChoice {
  Named* candidate;
  Names names;
  double trust;
};

bool are_among(const Names& names, const Names& others) {
  return std::ranges::all_of(names, [&](const std::string& name) { return shares_name({name}, others); });
}

// Returns true for a person with a short name. Other texts beside the names in a byline are longer, or are offices.
bool is_plain_person(const std::string& name) {
  constexpr std::size_t max_words = 3;
  return is_full_name(name) && count_words(name) <= max_words && !is_degree_or_office(name) && !is_organization(name) &&
         !ends_with_particle(name);
}

// Returns true if a name contains another one: "About Jane Doe".
bool contains_name_of(const std::string& name, const Names& others) {
  return std::ranges::any_of(
      others, [&](const std::string& other) { return name != other && name.find(other) != std::string::npos; });
}

// Returns true if a byline names the same people and more.
bool names_more_people(const AuthorChoice& byline, const Names& names) {
  if (byline.names.size() <= names.size() || !are_among(names, byline.names)) return false;
  const std::string& source = byline.candidate->source;
  if (source == "rel:author" || source == "link:author") return std::ranges::all_of(byline.names, is_full_name);
  return (source == "byline" || source == "class:author") &&
         std::ranges::all_of(byline.names, [&](const std::string& name) {
           return is_plain_person(name) && !contains_name_of(name, names);
         });
}

// Returns the most trusted choice. If it is from the head, and a byline names the same people and more, returns that of
// the byline. Tags in the head often have only one author.
const AuthorChoice* best_authors(const std::vector<AuthorChoice>& choices) {
  const auto best = std::ranges::max_element(choices, {}, &AuthorChoice::trust);
  if (best == choices.end()) return nullptr;
  if (!is_from_head(*best->candidate)) return &*best;
  const auto longer =
      std::ranges::find_if(choices, [&](const AuthorChoice& other) { return names_more_people(other, best->names); });
  return longer == choices.end() ? &*best : &*longer;
}

}  // namespace

std::optional<Field<Names>> resolve_authors(const Page& page, Candidates& candidates, const SiteNames& site_names) {
  const Publisher publisher{.names = site_names, .signed_by = names_seen_by_readers(candidates.authors)};
  std::vector<AuthorChoice> people;
  std::vector<AuthorChoice> publishers;
  constexpr double share_of_unseen = 0.5;
  VisibleText text(page);
  const bool has_other_person = std::ranges::any_of(candidates.authors, [&](const Named& candidate) {
    return is_seen_by_readers(candidate) && std::ranges::any_of(candidate.value, [&](const std::string& name) {
             return is_full_name(name) && !is_organization(name) && !site_names.contains(extract_letters(name));
           });
  });
  for (Named& candidate : candidates.authors) {
    // Site rules are reliable. On a blog the author often has the same name as the host.
    Names names = candidate.value;
    if (!candidate.source.starts_with("site:")) {
      for (std::string& name : names) name = without_site(name, publisher);
      std::erase_if(names, [&](const std::string& name) {
        // janedoe.com may be written by Jane Doe, but not beside another person.
        return is_site(name, publisher) || (has_other_person && site_names.contains(extract_letters(name)));
      });
      if (is_divided_site(candidate.value, site_names)) names.clear();
    }
    if (is_unconfirmed(candidate, names, candidates.authors, text)) {
      candidate.verdict = "does not appear in the text, and nothing else confirms it";
    } else if (!names.empty()) {
      const bool unseen = is_from_head(candidate) && is_contradicted(names, publisher.signed_by, text);
      people.push_back({&candidate, std::move(names), candidate.trust * (unseen ? share_of_unseen : 1.0)});
    } else {
      candidate.verdict = "names the site, not a person";
      if (candidate.may_be_publisher || (is_seen_by_readers(candidate) && candidate.source != "microdata") ||
          is_person_or_shop(candidate, candidates.authors))
        publishers.push_back({&candidate, candidate.value, candidate.trust * 0.6});
    }
  }
  std::vector<AuthorChoice>& choices = people.empty() ? publishers : people;
  const AuthorChoice* best = best_authors(choices);
  if (best == nullptr) return std::nullopt;
  Names names = best->names;
  for (const AuthorChoice& choice : choices) {
    // Several <meta> tags of one name have one author each. Several nodes or elements describe different things.
    const bool same_tag =
        best->candidate->source.starts_with("meta:") && choice.candidate->source == best->candidate->source;
    if (same_tag) add_names(names, choice.names);
    if (same_tag || choice.names == best->names) choice.candidate->verdict = "same as the chosen value";
  }
  shorten_names(names, candidates.authors);
  drop_organizations(names);
  drop_longer_forms(names);
  best->candidate->verdict = chosen;
  return Field<Names>{std::move(names), best->candidate->source, best->trust};
}

}  // namespace linkherd::parser
