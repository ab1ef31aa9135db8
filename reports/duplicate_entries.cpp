#include "reports/duplicate_entries.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "parser/url/canonical.h"
#include "parser/url/url.h"
#include "reports/naming.h"

namespace linkherd::reports {
namespace {

using parser::CanonicalLayer;
using parser::LinkElement;
using parser::Url;
using storage::CheckedLink;
using storage::Health;

// So many different pages may have one payload; from then on it is a template: an application's shell, an error page, a
// wall.
constexpr std::size_t pages_of_one_payload = 3;

struct Address {
  std::string_view page, fragment;
};

Address split(std::string_view href) {
  const std::size_t hash = href.find('#');
  if (hash == std::string_view::npos) return {href, {}};
  return {href.substr(0, hash), href.substr(hash + 1)};
}

std::string joined(std::string_view page, std::string_view fragment) {
  std::string text(page);
  if (!fragment.empty()) text.append("#").append(fragment);
  return text;
}

std::string canonical_page(const Url& url, CanonicalLayer layer) {
  return std::string(split(parser::canonical_form(url, layer).url).page);
}

bool is_there(const CheckedLink& link) { return storage::is_there(link.entry.verdict); }

bool is_listed(const parser::LinkOccurrence& occurrence) {
  switch (occurrence.element) {
    case LinkElement::image:
    case LinkElement::resource:
    case LinkElement::form:
    case LinkElement::refresh: return false;
    default: return !occurrence.href.empty() && !occurrence.has(parser::LinkNote::placeholder);
  }
}

// The digests that say nothing about sameness: shared by many pages, or seen where a page was missing or refused.
std::unordered_set<std::string_view> find_templates(const std::vector<CheckedLink>& links) {
  std::unordered_set<std::string_view> templates;
  std::unordered_map<std::string_view, std::vector<std::string>> pages;
  for (const CheckedLink& link : links) {
    const storage::Snapshot& snapshot = link.record.snapshot;
    if (snapshot.body_digest.empty()) continue;
    if (snapshot.verdict.health == Health::dead || snapshot.verdict.health == Health::blocked ||
        link.entry.verdict.health == Health::dead || link.entry.verdict.health == Health::blocked) {
      templates.insert(snapshot.body_digest);
    }
    const auto url = Url::parse(snapshot.final_url);
    std::vector<std::string>& known = pages[snapshot.body_digest];
    if (!url.has_value() || known.size() > pages_of_one_payload) continue;
    std::string page = canonical_page(*url, CanonicalLayer::equivalent);
    if (std::ranges::find(known, page) == known.end()) known.push_back(std::move(page));
    if (known.size() > pages_of_one_payload) templates.insert(snapshot.body_digest);
  }
  return templates;
}

// What all occurrences of one link have in common.
struct LinkForms {
  std::string normalized, untracked;
  std::string untracked_fragment;     // that of a redirector's target
  std::optional<std::string> target;  // normalised final URL, without fragment
  std::string target_fragment;
  std::string content;  // digest; empty: nothing to compare
};

std::string target_fragment_of(const Url& url, const parser::TrackingRules* rules) {
  const std::optional<Url> target = parser::unwrap_redirector(url, rules);
  return target ? std::string(target->fragment()) : std::string();
}

LinkForms forms_of(const CheckedLink& link, const Url& url, const std::unordered_set<std::string_view>& templates,
                   const parser::TrackingRules* rules) {
  LinkForms forms;
  forms.normalized = canonical_page(url, CanonicalLayer::normalized);
  forms.untracked = split(parser::canonical_form(url, CanonicalLayer::untracked, rules).url).page;
  forms.untracked_fragment = target_fragment_of(url, rules);
  if (!is_there(link)) return forms;
  const storage::Snapshot& snapshot = link.record.snapshot;
  if (const auto final_url = Url::parse(snapshot.final_url)) {
    forms.target = canonical_page(*final_url, CanonicalLayer::normalized);
    forms.target_fragment = final_url->fragment();
  }
  if (snapshot.body_complete && !templates.contains(snapshot.body_digest)) forms.content = snapshot.body_digest;
  return forms;
}

void add_keys(ComparedEntry& entry, const parser::LinkOccurrence& occurrence, const LinkForms& forms, KeyTable& keys) {
  const std::string_view fragment = split(occurrence.href).fragment;
  const auto or_own = [&](std::string_view other) { return other.empty() ? fragment : other; };
  entry.href = keys.key(joined(split(occurrence.href).page, fragment));
  // Most are written as they are serialised: no other spelling has that key.
  entry.text = occurrence.url == occurrence.href ? entry.href : keys.key(occurrence.url + '\n' + occurrence.href);
  entry.page = keys.key(forms.normalized);
  entry.normalized = keys.key(joined(forms.normalized, fragment));
  entry.untracked = keys.key(joined(forms.untracked, fragment.empty() ? forms.untracked_fragment : fragment));
  if (forms.target) entry.target = keys.key(joined(*forms.target, or_own(forms.target_fragment)));
  if (!forms.content.empty()) entry.content = keys.key(joined(forms.content, or_own(forms.target_fragment)));
}

std::vector<Key> hops_of(const CheckedLink& link, KeyTable& keys) {
  std::vector<Key> hops;
  for (const storage::Redirect& redirect : link.record.snapshot.redirects) {
    if (const auto to = Url::parse(redirect.to)) {
      hops.push_back(keys.key(canonical_page(*to, CanonicalLayer::normalized)));
    }
  }
  return hops;
}

// Links come in the order of their first occurrence, so that their first places give the order of the files.
class FileRanks {
 public:
  explicit FileRanks(const std::vector<CheckedLink>& links) {
    for (const CheckedLink& link : links) {
      if (!link.entry.occurrences.empty()) rank(link.entry.occurrences.front().file);
    }
  }
  std::size_t rank(const std::string& file) { return ranks_.try_emplace(file, ranks_.size()).first->second; }
  std::vector<std::string> names() const {
    std::vector<std::string> names(ranks_.size());
    for (const auto& [name, rank] : ranks_) names[rank] = name;
    return names;
  }

 private:
  std::unordered_map<std::string, std::size_t> ranks_;
};

}  // namespace

Key KeyTable::key(std::string text) {
  if (last_ != no_key && texts_[last_] == text) return last_;
  const auto found = keys_.find(text);
  if (found != keys_.end()) return last_ = found->second;
  last_ = static_cast<Key>(texts_.size());
  texts_.push_back(std::move(text));
  keys_.emplace(texts_.back(), last_);
  return last_;
}

ComparedEntries compared_entries(const std::vector<CheckedLink>& links, const parser::TrackingRules* rules) {
  ComparedEntries compared;
  compared.hops.resize(links.size());
  FileRanks files(links);
  const std::unordered_set<std::string_view> templates = find_templates(links);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto url = Url::parse(link_url(links[i]));
    if (!url.has_value() || !url->is_http()) continue;
    const LinkForms forms = forms_of(links[i], *url, templates, rules);
    compared.hops[i] = hops_of(links[i], compared.keys);
    const std::vector<parser::LinkOccurrence>& occurrences = links[i].entry.occurrences;
    for (std::size_t j = 0; j < occurrences.size(); ++j) {
      if (!is_listed(occurrences[j])) continue;
      ComparedEntry entry;
      entry.link = i;
      entry.occurrence = j;
      entry.file = files.rank(occurrences[j].file);
      entry.line = occurrences[j].line;
      entry.column = occurrences[j].column;
      add_keys(entry, occurrences[j], forms, compared.keys);
      compared.entries.push_back(entry);
    }
  }
  compared.files = files.names();
  const auto where = [](const ComparedEntry& e) {
    return std::tuple(e.file, e.line, e.column, e.href, e.link, e.occurrence);
  };
  std::ranges::sort(compared.entries, {}, where);
  // One definition that several labels use is one place, however often it is read.
  const auto same_place = [](const ComparedEntry& a, const ComparedEntry& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column && a.href == b.href;
  };
  compared.entries.erase(std::unique(compared.entries.begin(), compared.entries.end(), same_place),
                         compared.entries.end());
  return compared;
}

}  // namespace linkherd::reports
