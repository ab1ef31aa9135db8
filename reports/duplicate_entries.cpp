#include "reports/duplicate_entries.h"

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "parser/url/canonical.h"
#include "parser/url/url.h"
#include "reports/messages.h"

namespace linkherd::reports {
namespace {

using parser::Url;
using storage::CheckedLink;
using storage::Health;

// A value that more pages than this share is a template: an application shell, an error page, a bot wall, or a
// canonical URL that a site gives to all its pages.
constexpr std::size_t pages_of_one_payload = 3;

constexpr double min_similarity_to_join = 0.5;  // texts below this similarity are known to differ

std::string joined(std::string_view page, std::string_view fragment) {
  std::string text(page);
  if (!fragment.empty()) text.append("#").append(fragment);
  return text;
}

// Includes the title, because pages of one template have different titles. Empty if the text is not comparable.
std::string main_text_of(const ComparedPage& page) {
  return page.text == 0 ? std::string() : fmt::format("{:016x}-{:08x}", page.text, page.title);
}

std::uint64_t trait_of_address(const ComparedPage::Forms& address) { return text_hash(address.equivalent); }

std::uint64_t trait_of_main_text(const ComparedPage& page) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // spreads the title over all bits
  return page.text ^ page.title * odd;
}

// Shifts the hash to the high bits, because only those are compared.
std::uint64_t trait_of_body(std::uint32_t body_hash) { return std::uint64_t{body_hash} << 32U; }

// The data of an existing page that its links are compared by.
struct TargetTexts {
  std::optional<std::string_view> address;  // normalised, without fragment
  std::string_view fragment = {};
  std::string_view content = {};    // digest; empty: not comparable
  std::string_view main_text = {};  // empty: not comparable
};

void add_keys(ComparedEntry& entry, const parser::LinkOccurrence& occurrence, const ComparedPage& page,
              const TargetTexts& target, std::uint32_t user, KeyTable& keys) {
  const std::string_view fragment = fragment_part(occurrence.href);
  const auto or_own = [&](std::string_view other) { return other.empty() ? fragment : other; };
  const auto key = [&](std::string_view text) { return keys.key(text, user); };
  entry.page = key(page.normalized);
  entry.address = key(joined(page.normalized, fragment));  // "x#" counts as "x"
  const std::string_view unwrapped = fragment.empty() ? std::string_view(page.untracked_fragment) : fragment;
  entry.untracked = key(joined(page.untracked, unwrapped));
  entry.equivalent = key(joined(page.equivalent, unwrapped));
  const std::string_view reached = or_own(target.fragment);
  if (!reached.empty()) entry.fragment = key(joined(std::string_view(), reached));
  if (target.address) entry.target = key(joined(*target.address, reached));
  entry.canonical = key(joined(page.canonical(), reached));
  if (!target.content.empty()) entry.content = key(joined(target.content, reached));
  if (!target.main_text.empty()) entry.main_text = key(joined(target.main_text, reached));
}

// Returns how many mentions repeat an earlier mention of the link with the same fragment. Returns nullopt if entries
// are needed to decide this: an occurrence is a main link, or the address itself has a fragment, which all entries may
// share.
std::optional<std::size_t> duplicate_mentions(const std::vector<parser::LinkOccurrence>& occurrences,
                                              bool has_fragment) {
  // Entries with different fragments do not repeat each other.
  std::vector<std::tuple<std::string_view, std::string_view, std::uint32_t, std::uint32_t>> positions;
  for (const parser::LinkOccurrence& one : occurrences) {
    if (!is_compared(one)) continue;
    if (one.role == parser::LinkRole::main) return std::nullopt;
    positions.emplace_back(fragment_part(one.href), one.file, one.line, one.column);
  }
  if (!std::ranges::is_sorted(positions)) std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  std::size_t fragments = 1;
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (std::get<0>(positions[i]) != std::get<0>(positions[i - 1])) ++fragments;
  }
  if (fragments > 1 && has_fragment) return std::nullopt;
  return positions.size() - fragments;
}

}  // namespace

Key KeyTable::key(std::string_view text, std::uint32_t user) {
  const Key key = find_or_add(text, user);
  if (users_[key] != user) shared_.try_emplace(key, text);
  return key;
}

Key KeyTable::find_or_add(std::string_view text, std::uint32_t user) {
  constexpr std::size_t max_recent_bytes = 512;
  Recent& recent = recent_[std::hash<std::string_view>()(text) % recent_.size()];
  if (recent.key != no_key && recent.text == text) return recent.key;
  const auto [number, is_new] = hashes_.add(storage::LinkId::of_text(text));
  if (is_new) users_.push_back(user);
  const Key key = static_cast<Key>(number + 1);
  if (text.size() <= max_recent_bytes) recent = {std::string(text), key};
  return key;
}

// --- the first pass

void LinkTraits::add(std::uint64_t hash, bool is_address) {
  for (Trait& known : std::span(traits).first(count)) {
    if (known.hash != hash) continue;
    known.is_address = known.is_address || is_address;
    return;
  }
  traits[count++] = {hash, is_address};
}

// Only the coarsest form is used, because addresses that are equal in a finer layer are equal in the coarsest one as
// well.
LinkTraits traits_of(std::size_t index, const storage::PageSummary& features, const ComparedPage& page) {
  LinkTraits traits;
  const std::uint64_t own = text_hash(page.equivalent);
  const auto trait_of = [&](const ComparedPage::Forms& address) {
    return address.equivalent == page.equivalent ? own : trait_of_address(address);  // mostly the same
  };
  const std::uint64_t reached = page.reached ? trait_of(*page.reached) : 0;
  if (page.is_web) traits.add(own, true);
  if (page.is_web && page.exists && page.reached) traits.add(reached, true);
  if (page.declared) traits.add(trait_of(*page.declared), false);
  if (features.body_hash) traits.add(trait_of_body(*features.body_hash), false);
  traits.page = static_cast<std::uint32_t>(reached);
  traits.has_fragment = !page.untracked_fragment.empty() || (page.reached && !page.reached->fragment.empty());
  if (!page.exists || !page.reached || page.text == 0) return traits;
  traits.add(trait_of_main_text(page), false);
  traits.text = {features.main_text.minhash, static_cast<std::uint32_t>(index), traits.page, page.reached->host,
                 page.title};
  return traits;
}

std::uint32_t EntryCollector::ListedFiles::intern(std::string_view name, const FirstLink& seen) {
  const std::uint32_t index = names_.intern(name);
  if (index == first_.size()) first_.push_back(seen);
  first_[index] = std::min(first_[index], seen);
  return index;
}

EntryCollector::ListedFiles::Ranked EntryCollector::ListedFiles::ranked() const {
  std::vector<std::tuple<FirstLink, std::string_view, std::uint32_t>> order;
  for (std::uint32_t number = 0; number < first_.size(); ++number)
    order.emplace_back(first_[number], names_.text(number), number);
  std::ranges::sort(order);
  Ranked ranked;
  ranked.ranks.resize(order.size());
  for (const auto& [first, name, number] : order) {
    ranked.ranks[number] = static_cast<std::uint32_t>(ranked.names.size());
    ranked.names.emplace_back(name);
  }
  return ranked;
}

void EntryCollector::note(std::size_t index, const storage::LinkResult& result, bool is_web, const LinkTraits& traits) {
  const auto link_index = static_cast<std::uint32_t>(index);
  const std::vector<parser::LinkOccurrence>& occurrences = result.occurrences;
  const storage::FirstOccurrence& first = result.first;
  if (result.occurrence_count > 0) files_.intern(first.file, {false, link_index, 0});
  if (!is_web && traits.count == 0) return;
  const std::uint64_t position = noted_.size();
  Noted& noted = noted_.emplace_back(Noted{.link = link_index, .page = traits.page});
  for (const LinkTraits::Trait& trait : std::span(traits.traits).first(traits.count))
    traits_.push_back((trait_hash(trait.hash) << 1U | (trait.is_address ? 1U : 0U)) << index_bits_ | position);
  if (traits.text) compared_.texts.push_back(*traits.text);
  if (!is_web) return;
  if (occurrences.empty() && result.occurrence_count == 1 && !first.is_placeholder && is_compared(first.element)) {
    const std::uint32_t file = files_.intern(first.file, {true, link_index, 0});
    noted.single_file = file | (first.role == parser::LinkRole::main ? main_bit : 0);
  }
  bool repeats_itself = false;
  for (std::uint32_t i = 0; i < occurrences.size(); ++i) {
    if (!is_compared(occurrences[i])) continue;
    const std::uint32_t file = files_.intern(occurrences[i].file, {true, link_index, i});
    if (noted.single_file != no_file) repeats_itself = true;
    noted.single_file = file | (occurrences[i].role == parser::LinkRole::main ? main_bit : 0);
  }
  if (!repeats_itself) return;
  const std::optional<std::size_t> mentions =
      counts_mentions_ ? duplicate_mentions(occurrences, traits.has_fragment) : std::nullopt;
  if (mentions) {
    mentions_.emplace(link_index, *mentions);
  } else {
    candidates_.push_back(link_index);
  }
}

// Marks the links with this trait as candidates. `same` are traits with one hash, addresses last. A trait that more
// pages share than drop_templates() allows is a template and is not compared.
void EntryCollector::mark_candidates(std::span<const std::uint64_t> same) {
  std::array<std::uint32_t, pages_of_one_payload> pages{};
  std::size_t count = 0;
  for (auto trait = same.begin(); trait != same.end() && !is_address(*trait); ++trait) {
    const std::uint32_t page = noted_[noted_index(*trait)].page;
    const std::span known(pages.data(), count);
    if (page == 0 || std::ranges::find(known, page) != known.end()) continue;
    if (count == pages.size()) {
      templates_.push_back(trait_hash(same.front()));  // ascending
      same = {std::ranges::find_if(same, [this](std::uint64_t other) { return is_address(other); }), same.end()};
      break;
    }
    pages[count++] = page;
  }
  if (same.size() < 2) return;
  for (const std::uint64_t trait : same) candidates_.push_back(noted_[noted_index(trait)].link);
}

std::vector<std::uint32_t> EntryCollector::candidates() {
  // Runs in a separate thread, because both parts take a good part of a second for a million links.
  auto near = std::async(std::launch::async, [this] {
    std::ranges::sort(compared_.texts, {}, &NearText::link);
    return find_near_texts(compared_.texts);
  });
  std::ranges::sort(traits_);
  for (auto same = traits_.begin(); same != traits_.end();) {
    const auto end =
        std::find_if(same, traits_.end(), [&](std::uint64_t trait) { return trait_hash(trait) != trait_hash(*same); });
    mark_candidates({same, end});
    same = end;
  }
  traits_ = {};
  near_ = near.get();
  for (const NearGroup& group : near_) {
    for (const std::uint32_t text : group.texts) candidates_.push_back(compared_.texts[text].link);
  }
  std::vector<std::uint32_t> numbers = std::move(candidates_);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const auto is_candidate = [&numbers](std::uint32_t link) { return std::ranges::binary_search(numbers, link); };
  for (const auto& [link, mentions] : mentions_) {
    if (!is_candidate(link)) compared_.more_mentions += mentions;
  }
  for (Noted& noted : noted_) {
    if (is_candidate(noted.link)) noted.single_file = no_file;
  }
  return numbers;
}

// --- the second pass

void EntryCollector::add(std::size_t index, const CheckedLink& link, const Url* url) {
  const auto link_index = static_cast<std::uint32_t>(index);
  const storage::Snapshot& snapshot = link.state.snapshot;
  const ComparedPage page = compared_page(link.result, url, rules_);
  const std::string main_text = main_text_of(page);
  const Key page_key = page.reached ? compared_.keys.key(page.reached->equivalent, user()) : no_key;
  add_payload(link_index, link, page_key);
  if (page.reached && page.exists) add_shares(link_index, page, main_text, page_key);
  if (!page.is_web) return;
  for (const storage::Redirect& redirect : snapshot.redirects) {
    const auto to = Url::parse(redirect.to);
    if (to.has_error()) continue;
    const std::string normalized = parser::canonical_form(*to, parser::CanonicalLayer::normalized).url;
    compared_.hops.emplace_back(link_index, compared_.keys.key(page_part(normalized), user()));
  }
  TargetTexts target;
  if (page.exists) {
    if (page.reached) {
      target.address = page.reached->normalized;
      target.fragment = page.reached->fragment;
    }
    if (snapshot.is_body_complete) target.content = snapshot.body_digest;
    target.main_text = main_text;
  }
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  const parser::LinkOccurrence* last = nullptr;
  std::size_t alike = 0;  // number of consecutive occurrences that are written alike
  for (std::uint32_t i = 0; i < occurrences.size(); ++i) {
    if (!is_compared(occurrences[i])) continue;
    const bool is_alike = last != nullptr && occurrences[i].href == last->href && occurrences[i].url == last->url;
    alike = is_alike ? alike + 1 : 1;
    last = &occurrences[i];
    // The second user of a key makes it a shared key. Further users add nothing, so their keys are copied.
    ComparedEntry entry = alike > 2 ? compared_.entries.back() : ComparedEntry();
    entry.link = link_index;
    entry.occurrence = i;
    entry.file = files_.intern(occurrences[i].file, {true, link_index, i});
    entry.line = occurrences[i].line;
    entry.column = occurrences[i].column;
    entry.url = compared_.urls.intern(occurrences[i].url);
    entry.is_main = occurrences[i].role == parser::LinkRole::main;
    if (alike <= 2) add_keys(entry, occurrences[i], page, target, user(), compared_.keys);
    compared_.entries.push_back(entry);
  }
}

// Returns the key of a value that a template may have. `hash` is its trait.
Key EntryCollector::shared_key(std::string_view text, std::uint64_t hash) {
  const Key key = compared_.keys.key(text, user());
  if (std::ranges::binary_search(templates_, trait_hash(hash))) dropped_.push_back(key);
  return key;
}

// `page` is no_key if the address of the page is unknown.
void EntryCollector::add_payload(std::uint32_t link, const CheckedLink& checked, Key page) {
  const storage::Snapshot& snapshot = checked.state.snapshot;
  const std::optional<std::uint32_t> hash = storage::hash_digest(snapshot.body_digest);
  if (!hash) return;
  const auto was_refused = [](const storage::Verdict& verdict) {
    return verdict.health == Health::dead || verdict.health == Health::suspect || verdict.health == Health::blocked;
  };
  const Key digest = shared_key(snapshot.body_digest, trait_of_body(*hash));
  shared_[link].digest = digest;
  if (was_refused(snapshot.verdict) || was_refused(checked.result.verdict)) dropped_.push_back(digest);
  if (page != no_key) shares_.push_back({digest, page});
}

// Adds the values of an existing page.
void EntryCollector::add_shares(std::uint32_t link, const ComparedPage& page, const std::string& main_text,
                                Key page_key) {
  Shared& shared = shared_[link];
  if (page.declared && page.declared->normalized != page.reached->normalized) {
    shared.canonical = shared_key(page.declared->normalized, trait_of_address(*page.declared));
    shares_.push_back({shared.canonical, page_key});
  }
  if (main_text.empty()) return;
  shared.main_text = shared_key(main_text, trait_of_main_text(page));
  shares_.push_back({shared.main_text, page_key});
}

// Removes the keys of templates, which many pages share, and the digests of missing or refused pages.
void EntryCollector::drop_templates() {
  std::vector<bool> is_template(compared_.keys.size(), false);
  for (const Key digest : dropped_) is_template[digest] = true;
  std::ranges::sort(shares_);
  shares_.erase(std::unique(shares_.begin(), shares_.end()), shares_.end());
  std::size_t pages = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    pages = i > 0 && shares_[i].shared == shares_[i - 1].shared ? pages + 1 : 1;
    if (pages > pages_of_one_payload) is_template[shares_[i].shared] = true;
  }
  for (ComparedEntry& entry : compared_.entries) {
    const auto shared = shared_.find(entry.link);
    if (shared == shared_.end()) continue;
    if (is_template[shared->second.digest]) entry.content = no_key;
    if (is_template[shared->second.main_text]) entry.main_text = no_key;
    if (is_template[shared->second.canonical]) entry.canonical = entry.target;
  }
}

void EntryCollector::find_near() {
  std::size_t number = 0;
  std::unordered_map<std::uint32_t, std::string> groups;  // by link
  for (const NearGroup& group : near_) {
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
  return a != nullptr && b != nullptr && parser::similarity(a->minhash, b->minhash) < min_similarity_to_join;
}

void EntryCollector::count_singles(const ListedFiles::Ranked& files) {
  compared_.single_entries.resize(files.names.size());
  compared_.single_mains.resize(files.names.size());
  for (const Noted& noted : noted_) {
    if (noted.single_file == no_file) continue;
    const std::uint32_t rank = files.ranks[noted.single_file & ~main_bit];
    ++compared_.single_entries[rank];
    if ((noted.single_file & main_bit) != 0) ++compared_.single_mains[rank];
  }
}

ComparedEntries EntryCollector::take() {
  drop_templates();
  find_near();
  ListedFiles::Ranked files = files_.ranked();
  count_singles(files);
  for (ComparedEntry& entry : compared_.entries) entry.file = files.ranks[entry.file];
  compared_.files = std::move(files.names);
  std::ranges::sort(compared_.hops);
  const auto where = [](const ComparedEntry& e) {
    return std::tuple(e.file, e.line, e.column, e.link, e.address, e.occurrence);
  };
  std::ranges::sort(compared_.entries, {}, where);
  // Several references to one link definition have one position.
  const auto is_same_location = [](const ComparedEntry& a, const ComparedEntry& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column && a.link == b.link && a.address == b.address;
  };
  compared_.entries.erase(std::unique(compared_.entries.begin(), compared_.entries.end(), is_same_location),
                          compared_.entries.end());
  return std::move(compared_);
}

}  // namespace linkherd::reports
