#include "reports/duplicate_entries.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "parser/metadata/text_values.h"
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

// What more different pages share is a template: an application shell, an error page, a bot wall; or a canonical URL
// that a site gives to all its pages.
constexpr std::size_t pages_of_one_payload = 3;

constexpr double least_in_common = 0.5;  // of texts that are not known to differ

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

// Pages of one template have different titles.
std::uint32_t title_hash(const storage::Snapshot& snapshot) {
  if (!snapshot.metadata.title) return 0;
  const storage::LinkId hash = storage::LinkId::of_text(parser::letters_of(snapshot.metadata.title->value));
  return std::uint32_t{hash.bytes[0]} << 24U | std::uint32_t{hash.bytes[1]} << 16U |
         std::uint32_t{hash.bytes[2]} << 8U | hash.bytes[3];
}

// Only what the page itself declares, and not the address that it has for social networks. `page`: its own address,
// normalised.
std::optional<std::string> declared_canonical(const storage::Snapshot& snapshot, const std::string& page) {
  const auto& canonical = snapshot.metadata.canonical;
  if (!canonical || (canonical->source != "link:canonical" && canonical->source != "http:link")) return std::nullopt;
  if (!page.empty() && canonical->value == page) return page;  // most do; a normal form stays as it is
  const auto url = Url::parse(canonical->value);
  if (url.has_error() || !url->is_http()) return std::nullopt;
  return canonical_page(*url, CanonicalLayer::normalized);
}

std::string target_fragment_of(const Url& url, const parser::TrackingRules* rules) {
  const std::optional<Url> target = parser::unwrap_redirector(url, rules);
  return target ? std::string(target->fragment()) : std::string();
}

// The canonical forms of a link's URL, without fragments.
struct LinkForms {
  std::string normalized, untracked, equivalent;
  std::string untracked_fragment;  // of the target of a redirector
};

LinkForms forms_of(const Url& url, const parser::TrackingRules* rules) {
  const std::array<parser::CanonicalForm, 4> layers = parser::canonical_forms(url, rules);
  LinkForms forms;
  forms.normalized = split(layers[1].url).page;
  forms.untracked = split(layers[2].url).page;
  forms.equivalent = split(layers[3].url).page;
  forms.untracked_fragment = target_fragment_of(url, rules);
  return forms;
}

}  // namespace

// What is known of the page that a link leads to. The forms of its address are without fragment, and by the built-in
// rules alone.
struct EntryCollector::Page {
  const Url* url = nullptr;  // null: none was read
  std::string normalized, equivalent;
  // Only of a page that is there.
  std::optional<std::string> canonical;
  std::string main_text;  // digest, with a hash of the title; empty: not comparable
  std::uint32_t title = 0;
};

namespace {

// What a page that is there adds to the keys of its links.
struct TargetTexts {
  std::optional<std::string_view> target;  // its normalised address, without fragment
  std::string_view fragment;
  std::string_view content;  // digest; empty: not comparable
  std::string_view canonical;
  std::string_view main_text;  // empty: not comparable
};

void add_keys(ComparedEntry& entry, const parser::LinkOccurrence& occurrence, const LinkForms& forms,
              const TargetTexts& page, std::uint32_t user, KeyTable& keys) {
  const std::string_view fragment = split(occurrence.href).fragment;
  const auto or_own = [&](std::string_view other) { return other.empty() ? fragment : other; };
  const auto key = [&](std::string_view text) { return keys.key(text, user); };
  entry.href = key(joined(split(occurrence.href).page, fragment));
  // Most URLs are written in their serialised form; then one key is enough.
  entry.text = occurrence.url == occurrence.href ? entry.href : key(occurrence.url + '\n' + occurrence.href);
  entry.page = key(forms.normalized);
  entry.normalized = key(joined(forms.normalized, fragment));
  const std::string_view unwrapped = fragment.empty() ? std::string_view(forms.untracked_fragment) : fragment;
  entry.untracked = key(joined(forms.untracked, unwrapped));
  entry.equivalent = key(joined(forms.equivalent, unwrapped));
  const std::string_view reached = or_own(page.fragment);
  if (!reached.empty()) entry.fragment = key(joined(std::string_view(), reached));
  if (page.target) entry.target = key(joined(*page.target, reached));
  entry.canonical = key(joined(page.canonical, reached));
  if (!page.content.empty()) entry.content = key(joined(page.content, reached));
  if (!page.main_text.empty()) entry.main_text = key(joined(page.main_text, reached));
}

}  // namespace

Key KeyTable::key(std::string_view text, std::uint32_t user) {
  const auto* known =
      std::ranges::find_if(recent_, [text](const Recent& one) { return one.key != no_key && one.text == text; });
  if (known == recent_.end()) {
    const auto [number, is_new] = hashes_.add(storage::LinkId::of_text(text));
    if (is_new) users_.push_back(user);
    Recent& replaced = recent_[oldest_++ % recent_.size()];
    replaced.text = text;
    replaced.key = static_cast<Key>(number + 1);
    known = &replaced;
  }
  if (users_[known->key] != user) shared_.try_emplace(known->key, text);
  return known->key;
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
  const storage::Snapshot& snapshot = link.record.snapshot;
  const bool is_web = url != nullptr && url->is_http();
  const LinkForms forms = is_web ? forms_of(*url, rules_) : LinkForms();
  Page page;
  std::optional<Url> other;  // rarely used, because most links are not redirected
  page.url = final_url_of(snapshot, url, other);
  if (is_web && page.url == url && rules_ == nullptr) {
    page.normalized = forms.normalized;
    page.equivalent = forms.equivalent;
  } else if (page.url != nullptr) {
    LinkForms own = forms_of(*page.url, nullptr);
    page.normalized = std::move(own.normalized);
    page.equivalent = std::move(own.equivalent);
  }
  if (is_there(link)) {
    page.canonical = declared_canonical(snapshot, page.normalized);
    if (snapshot.main_text.is_comparable()) {
      page.title = title_hash(snapshot);
      page.main_text = fmt::format("{:016x}-{:08x}", snapshot.main_text.digest, page.title);
    }
  }
  const Key page_key = page.url == nullptr ? no_key : compared_.keys.key(page.equivalent, user());
  add_payload(link_number, link, page_key);
  if (page.url != nullptr && is_there(link)) add_text(link_number, snapshot, page, page_key);
  if (!is_web) return;
  for (const storage::Redirect& redirect : snapshot.redirects) {
    const auto to = Url::parse(redirect.to);
    if (to.has_error()) continue;
    compared_.hops.emplace_back(link_number,
                                compared_.keys.key(canonical_page(*to, CanonicalLayer::normalized), user()));
  }
  TargetTexts target{.target = {}, .fragment = {}, .content = {}, .canonical = forms.normalized, .main_text = {}};
  if (is_there(link)) {
    if (page.url != nullptr) {
      target.target = page.normalized;
      target.fragment = page.url->fragment();
      target.canonical = page.normalized;
    }
    if (page.canonical) target.canonical = *page.canonical;
    if (snapshot.body_complete) target.content = snapshot.body_digest;
    target.main_text = page.main_text;
  }
  const parser::LinkOccurrence* last = nullptr;
  std::size_t alike = 0;  // occurrences up to the last that are written alike
  for (std::uint32_t i = 0; i < occurrences.size(); ++i) {
    if (!is_listed(occurrences[i])) continue;
    const bool is_alike = last != nullptr && occurrences[i].href == last->href && occurrences[i].url == last->url;
    alike = is_alike ? alike + 1 : 1;
    last = &occurrences[i];
    // The second user of a key makes it a shared one; those behind it add nothing.
    ComparedEntry entry = alike > 2 ? compared_.entries.back() : ComparedEntry();
    entry.link = link_number;
    entry.occurrence = i;
    entry.file = file_of(occurrences[i].file, {true, link_number, i, 0});
    entry.line = occurrences[i].line;
    entry.column = occurrences[i].column;
    entry.is_main = occurrences[i].role == parser::LinkRole::main;
    if (alike <= 2) add_keys(entry, occurrences[i], forms, target, user(), compared_.keys);
    compared_.entries.push_back(entry);
  }
}

EntryCollector::Shared& EntryCollector::shared_of(std::uint32_t link) {
  if (shared_.size() <= link) shared_.resize(std::size_t{link} + 1);
  return shared_[link];
}

// `page`: no_key if the address of the page is unknown.
void EntryCollector::add_payload(std::uint32_t link, const CheckedLink& checked, Key page) {
  const storage::Snapshot& snapshot = checked.record.snapshot;
  if (snapshot.body_digest.empty()) return;
  const auto was_refused = [](const storage::Verdict& verdict) {
    return verdict.health == Health::dead || verdict.health == Health::suspect || verdict.health == Health::blocked;
  };
  const Key digest = compared_.keys.key(snapshot.body_digest, user());
  shared_of(link).digest = digest;
  if (was_refused(snapshot.verdict) || was_refused(checked.entry.verdict)) refusals_.push_back(digest);
  if (page != no_key) shares_.push_back({digest, page});
}

// Of a page that is there.
void EntryCollector::add_text(std::uint32_t link, const storage::Snapshot& snapshot, const Page& page, Key page_key) {
  Shared& shared = shared_of(link);
  if (page.canonical && *page.canonical != page.normalized) {
    shared.canonical = compared_.keys.key(*page.canonical, user());
    shares_.push_back({shared.canonical, page_key});
  }
  if (page.main_text.empty()) return;
  shared.main_text = compared_.keys.key(page.main_text, user());
  shares_.push_back({shared.main_text, page_key});
  const auto host = static_cast<std::uint32_t>(std::hash<std::string_view>()(page.url->host()));
  compared_.texts.push_back({snapshot.main_text.minhash, link, page_key, host, page.title});
}

// Removes what templates have: what many pages share, and the digests of missing or refused pages.
void EntryCollector::drop_templates() {
  std::vector<bool> is_template(compared_.keys.size(), false);
  for (const Key digest : refusals_) is_template[digest] = true;
  std::ranges::sort(shares_);
  shares_.erase(std::unique(shares_.begin(), shares_.end()), shares_.end());
  std::size_t pages = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    pages = i > 0 && shares_[i].what == shares_[i - 1].what ? pages + 1 : 1;
    if (pages > pages_of_one_payload) is_template[shares_[i].what] = true;
  }
  for (ComparedEntry& entry : compared_.entries) {
    if (entry.link >= shared_.size()) continue;
    const Shared& shared = shared_[entry.link];
    if (is_template[shared.digest]) entry.content = no_key;
    if (is_template[shared.main_text]) entry.main_text = no_key;
    if (is_template[shared.canonical]) entry.canonical = entry.target;
  }
}

void EntryCollector::find_near() {
  std::ranges::sort(compared_.texts, {}, &NearText::link);
  std::size_t number = 0;
  std::unordered_map<std::uint32_t, std::string> groups;  // by link
  for (const NearGroup& group : find_near_texts(compared_.texts)) {
    const std::string name = fmt::format("similarity {:.2f}, group {}", group.similarity, ++number);
    for (const std::uint32_t text : group.texts) groups.emplace(compared_.texts[text].link, name);
  }
  if (groups.empty()) return;
  for (std::uint32_t i = 0; i < compared_.entries.size(); ++i) {
    ComparedEntry& entry = compared_.entries[i];
    const auto group = groups.find(entry.link);
    if (group == groups.end()) continue;
    entry.near = compared_.keys.key(
        entry.fragment == no_key ? group->second : fmt::format("{} #{}", group->second, entry.fragment), i);
  }
}

const NearText* ComparedEntries::text_of(std::uint32_t link) const {
  const auto found = std::ranges::lower_bound(texts, link, {}, &NearText::link);
  return found == texts.end() || found->link != link ? nullptr : &*found;
}

bool ComparedEntries::differ(const ComparedEntry& one, const ComparedEntry& other) const {
  const NearText* const a = text_of(one.link);
  const NearText* const b = text_of(other.link);
  return a != nullptr && b != nullptr && parser::similarity(a->minhash, b->minhash) < least_in_common;
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
  find_near();
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
