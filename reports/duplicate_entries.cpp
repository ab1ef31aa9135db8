#include "reports/duplicate_entries.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "parser/url/canonical.h"
#include "parser/url/url.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using parser::CanonicalLayer;
using parser::LinkElement;
using parser::Url;
using storage::CheckedLink;
using storage::Health;

// A payload of more different pages is a template: an application shell, an error page, a bot wall.
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

// Returns the URL of the link, or the final URL parsed into `other`; null if there is none.
const Url* final_url_of(const storage::Snapshot& snapshot, const Url* url, std::optional<Url>& other) {
  if (url != nullptr && snapshot.final_url == url->href()) return url;
  if (snapshot.final_url.empty()) return nullptr;
  Result<Url> parsed = Url::parse(snapshot.final_url);
  if (parsed.has_error()) return nullptr;
  return &other.emplace(std::move(*parsed));
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

// Properties of a link that all its occurrences share.
struct LinkForms {
  std::string normalized, untracked;
  std::string untracked_fragment;     // of the target of a redirector
  std::optional<std::string> target;  // normalised final URL, without fragment
  std::string target_fragment;
  std::string content;  // digest; empty: not comparable
};

std::string target_fragment_of(const Url& url, const parser::TrackingRules* rules) {
  const std::optional<Url> target = parser::unwrap_redirector(url, rules);
  return target ? std::string(target->fragment()) : std::string();
}

// `final_url`: may be null.
LinkForms forms_of(const CheckedLink& link, const Url& url, const Url* final_url, const parser::TrackingRules* rules) {
  LinkForms forms;
  forms.normalized = canonical_page(url, CanonicalLayer::normalized);
  forms.untracked = split(parser::canonical_form(url, CanonicalLayer::untracked, rules).url).page;
  forms.untracked_fragment = target_fragment_of(url, rules);
  if (!is_there(link)) return forms;
  const storage::Snapshot& snapshot = link.record.snapshot;
  if (final_url != nullptr) {
    forms.target = final_url == &url ? forms.normalized : canonical_page(*final_url, CanonicalLayer::normalized);
    forms.target_fragment = final_url->fragment();
  }
  if (snapshot.body_complete) forms.content = snapshot.body_digest;
  return forms;
}

void add_keys(ComparedEntry& entry, const parser::LinkOccurrence& occurrence, const LinkForms& forms,
              std::uint32_t user, KeyTable& keys) {
  const std::string_view fragment = split(occurrence.href).fragment;
  const auto or_own = [&](std::string_view other) { return other.empty() ? fragment : other; };
  const auto key = [&](std::string_view text) { return keys.key(text, user); };
  entry.href = key(joined(split(occurrence.href).page, fragment));
  // Most URLs are written in their serialised form; then one key is enough.
  entry.text = occurrence.url == occurrence.href ? entry.href : key(occurrence.url + '\n' + occurrence.href);
  entry.page = key(forms.normalized);
  entry.normalized = key(joined(forms.normalized, fragment));
  entry.untracked = key(joined(forms.untracked, fragment.empty() ? forms.untracked_fragment : fragment));
  if (forms.target) entry.target = key(joined(*forms.target, or_own(forms.target_fragment)));
  if (!forms.content.empty()) entry.content = key(joined(forms.content, or_own(forms.target_fragment)));
}

}  // namespace

Key KeyTable::key(std::string_view text, std::uint32_t user) {
  if (last_ == no_key || last_text_ != text) {
    const auto [number, is_new] = hashes_.add(storage::LinkId::of_text(text));
    last_ = static_cast<Key>(number + 1);
    last_text_ = text;
    if (is_new) users_.push_back(user);
  }
  if (users_[last_] != user) shared_.try_emplace(last_, text);
  return last_;
}

std::uint32_t EntryCollector::file_of(const std::string& name, Sighting seen) {
  seen.file = static_cast<std::uint32_t>(files_.size());
  Sighting& first = files_.try_emplace(name, seen).first->second;
  seen.file = first.file;
  first = std::min(first, seen);
  return first.file;
}

void EntryCollector::add(std::size_t number, const CheckedLink& link, const Url* url) {
  const auto link_number = static_cast<std::uint32_t>(number);
  const std::vector<parser::LinkOccurrence>& occurrences = link.entry.occurrences;
  if (!occurrences.empty()) file_of(occurrences.front().file, {false, link_number, 0, 0});
  std::optional<Url> other;  // rarely used, because most links are not redirected
  const Url* const final_url = final_url_of(link.record.snapshot, url, other);
  add_payload(link_number, link, final_url);
  if (url == nullptr || !url->is_http()) return;
  const LinkForms forms = forms_of(link, *url, final_url, rules_);
  for (const storage::Redirect& redirect : link.record.snapshot.redirects) {
    const auto to = Url::parse(redirect.to);
    if (to.has_error()) continue;
    compared_.hops.emplace_back(link_number,
                                compared_.keys.key(canonical_page(*to, CanonicalLayer::normalized), user()));
  }
  for (std::uint32_t i = 0; i < occurrences.size(); ++i) {
    if (!is_listed(occurrences[i])) continue;
    ComparedEntry entry;
    entry.link = link_number;
    entry.occurrence = i;
    entry.file = file_of(occurrences[i].file, {true, link_number, i, 0});
    entry.line = occurrences[i].line;
    entry.column = occurrences[i].column;
    entry.is_main = occurrences[i].role == parser::LinkRole::main;
    add_keys(entry, occurrences[i], forms, user(), compared_.keys);
    compared_.entries.push_back(entry);
  }
}

void EntryCollector::add_payload(std::uint32_t link, const CheckedLink& checked, const Url* final_url) {
  const storage::Snapshot& snapshot = checked.record.snapshot;
  if (snapshot.body_digest.empty()) return;
  const auto was_refused = [](const storage::Verdict& verdict) {
    return verdict.health == Health::dead || verdict.health == Health::suspect || verdict.health == Health::blocked;
  };
  const Key digest = compared_.keys.key(snapshot.body_digest, user());
  if (digests_.size() <= link) digests_.resize(std::size_t{link} + 1, no_key);
  digests_[link] = digest;
  if (was_refused(snapshot.verdict) || was_refused(checked.entry.verdict)) refusals_.push_back(digest);
  if (final_url == nullptr) return;
  payloads_.push_back({digest, compared_.keys.key(canonical_page(*final_url, CanonicalLayer::equivalent), user())});
}

// Removes digests of templates: those of many pages, and those of missing or refused pages.
void EntryCollector::drop_templates() {
  std::vector<bool> is_template(compared_.keys.size(), false);
  for (const Key digest : refusals_) is_template[digest] = true;
  std::ranges::sort(payloads_);
  payloads_.erase(std::unique(payloads_.begin(), payloads_.end()), payloads_.end());
  std::size_t pages = 0;
  for (std::size_t i = 0; i < payloads_.size(); ++i) {
    pages = i > 0 && payloads_[i].digest == payloads_[i - 1].digest ? pages + 1 : 1;
    if (pages > pages_of_one_payload) is_template[payloads_[i].digest] = true;
  }
  for (ComparedEntry& entry : compared_.entries) {
    if (entry.content != no_key && is_template[digests_[entry.link]]) entry.content = no_key;
  }
}

void EntryCollector::rank_files() {
  std::vector<std::pair<Sighting, std::string_view>> order;
  for (const auto& [name, first] : files_) order.emplace_back(first, name);
  std::ranges::sort(order);
  std::vector<std::uint32_t> ranks(order.size());
  for (const auto& [first, name] : order) {
    ranks[first.file] = static_cast<std::uint32_t>(compared_.files.size());
    compared_.files.emplace_back(name);
  }
  for (ComparedEntry& entry : compared_.entries) entry.file = ranks[entry.file];
}

ComparedEntries EntryCollector::take() {
  drop_templates();
  rank_files();
  std::ranges::sort(compared_.hops);
  const auto where = [](const ComparedEntry& e) {
    return std::tuple(e.file, e.line, e.column, e.link, e.href, e.occurrence);
  };
  std::ranges::sort(compared_.entries, {}, where);
  // A link definition that several references use is one position.
  const auto same_place = [](const ComparedEntry& a, const ComparedEntry& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column && a.href == b.href;
  };
  compared_.entries.erase(std::unique(compared_.entries.begin(), compared_.entries.end(), same_place),
                          compared_.entries.end());
  return std::move(compared_);
}

}  // namespace linkherd::reports
