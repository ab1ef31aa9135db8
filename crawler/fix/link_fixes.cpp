#include "crawler/fix/link_fixes.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "crawler/classify/usable_target.h"
#include "parser/ascii.h"
#include "parser/lists/host_names.h"
#include "parser/nearest_name.h"
#include "parser/url/tracking_parameters.h"
#include "parser/url/url.h"
#include "storage/link_id.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkElement;
using parser::LinkNote;
using parser::LinkOccurrence;
using parser::Url;
using storage::Health;

// Returns nullopt if the target is written with escapes or character references.
std::optional<Url> meant_address(const storage::CheckedLink& link, const LinkOccurrence& occurrence) {
  const storage::Verdict& verdict = link.result.verdict;
  const bool is_missing = verdict.health == Health::dead && verdict.reason == reason::file_not_found;
  const bool is_plain = occurrence.url.find('\\') == std::string::npos && occurrence.url.find(';') == std::string::npos;
  if (!is_missing || !is_plain || !occurrence.has(LinkNote::missing_scheme) || !occurrence.ignored_by.empty())
    return std::nullopt;
  return web_address(parser::add_https_scheme(occurrence.url));
}

std::string with_scheme(std::string_view href, std::string_view from, std::string_view to) {
  return href.starts_with(from) ? std::string(to).append(href.substr(from.size())) : std::string();
}

// Returns the same URL with https if the web server redirects http there.
std::optional<std::string> by_https(const storage::CheckedLink& link) {
  const std::vector<storage::Redirect>& hops = link.state.snapshot.redirects;
  if (!page_exists_as_stored(link) || hops.empty()) return std::nullopt;
  const auto to = web_address(hops.front().to);
  const std::string wanted = with_scheme(link.state.url, "http://", "https://");
  if (!to || wanted.empty() || to->href_without_fragment() != wanted) return std::nullopt;
  return wanted;
}

// The new target of a link. Moves are followed from link to link, because a target may be another link of the
// documents.
struct Move {
  std::string url;
  std::vector<FixKind> kinds;
};

class FixFinder {
 public:
  FixFinder(const FixKinds& kinds, const parser::TrackingRules* rules,
            const std::function<bool(const storage::CheckedLink&)>& is_accepted, const std::set<std::string>& answered,
            storage::RelocationLevel min_level)
      : kinds_(kinds), rules_(rules), is_accepted_(is_accepted), answered_(answered), min_level_(min_level) {}

  void add(const storage::CheckedLink& link) {
    bool is_broken = link.result.verdict.health == Health::dead || link.result.verdict.health == Health::insecure;
    std::optional<Move> move = move_of(link);
    const std::string anchor = move ? std::string() : anchor_of(link.result.verdict);
    const std::string title = title_of(link);
    for (const LinkOccurrence& occurrence : link.result.occurrences) {
      ListFixes& list = list_of(occurrence.file);
      list.checked.add(occurrence);
      std::optional<LinkFix> fix = fix_of(link, occurrence, move, anchor, title);
      if (!fix) continue;
      if (fix->kinds.size() > 1 || fix->kinds.front() != FixKind::titles) is_broken = false;
      const auto known = list.by_url.find(occurrence.url);
      const bool is_less = known != list.by_url.end() && fix->kinds.size() < known->second.kinds.size();
      if (!is_less) list.by_url.insert_or_assign(occurrence.url, *std::move(fix));
    }
    if (is_broken && !(is_accepted_ && is_accepted_(link))) {
      ++fixes_.broken;
      const bool is_dead_page = link.result.verdict.health == Health::dead && web_address(link.state.url);
      if (is_dead_page && !link.state.archived_copy) ++fixes_.without_archive;
      if (is_dead_page && !link.state.relocation) ++fixes_.without_search;
    }
    if (move) keep(link, *std::move(move));
  }

  RunFixes finish() {
    for (auto& [name, list] : fixes_.lists) {
      for (auto fix = list.by_url.begin(); fix != list.by_url.end();) {
        fix = follow(fix->second) ? std::next(fix) : list.by_url.erase(fix);
      }
    }
    return std::move(fixes_);
  }

 private:
  bool wants(FixKind kind) const { return kinds_.contains(kind); }

  ListFixes& list_of(const std::string& file) {
    if (last_list_ == nullptr || file != last_file_) {
      last_file_ = file;
      last_list_ = &fixes_.lists[file];
    }
    return *last_list_;
  }

  // Returns nullopt if the target stays.
  std::optional<Move> move_of(const storage::CheckedLink& link) {
    const std::optional<Url> asked = web_address(link.state.url);
    if (!asked) return std::nullopt;
    const storage::Verdict& verdict = link.result.verdict;
    if (verdict.health == Health::dead) {
      std::optional<Move> relocation = relocation_of(link, *asked);
      return relocation ? std::move(relocation) : archived_copy_of(link);
    }
    const bool may_be_edited =
        verdict.health != Health::suspect && (verdict.health != Health::skipped || verdict.reason == reason::offline ||
                                              verdict.reason == reason::robots_disallowed);
    if (!may_be_edited) return std::nullopt;
    Move move{link.state.url, {}};
    if (wants(FixKind::redirectors)) lead_on(move);
    if (move.kinds.empty()) {
      if (const auto target = wants(FixKind::redirects) ? moved_to(link) : std::nullopt) {
        const bool only_scheme = *target == with_scheme(link.state.url, "http://", "https://");
        if (only_scheme ? wants(FixKind::https) : true)
          take(move, only_scheme ? FixKind::https : FixKind::redirects, *target);
      }
      if (const auto target = wants(FixKind::https) && move.kinds.empty() ? by_https(link) : std::nullopt)
        take(move, FixKind::https, *target);
    }
    strip(move);
    return move.kinds.empty() ? std::nullopt : std::optional(std::move(move));
  }

  std::optional<Move> relocation_of(const storage::CheckedLink& link, const Url& asked) const {
    const auto& relocation = link.state.relocation;
    if (!wants(FixKind::relocated) || !relocation || relocation->level < min_level_) return std::nullopt;
    std::optional<std::string> target = usable_target(asked, relocation->url);
    if (!target) return std::nullopt;
    return Move{*std::move(target), {FixKind::relocated}};
  }

  std::optional<Move> archived_copy_of(const storage::CheckedLink& link) const {
    const auto& copy = link.state.archived_copy;
    if (!wants(FixKind::archived) || !copy || !web_address(copy->url)) return std::nullopt;
    return Move{copy->url, {FixKind::archived}};
  }

  static void take(Move& move, FixKind kind, std::string url) {
    move.url = std::move(url);
    move.kinds.push_back(kind);
  }

  void lead_on(Move& move) const {
    const std::optional<Url> url = web_address(move.url);
    const std::optional<Url> target = url ? parser::unwrap_redirector(*url, rules_) : std::nullopt;
    if (target && web_address(target->href())) take(move, FixKind::redirectors, std::string(target->href()));
  }

  void strip(Move& move) const {
    const std::optional<Url> url = wants(FixKind::tracking) ? web_address(move.url) : std::nullopt;
    if (!url) return;
    std::optional<Url> plain = parser::remove_tracking_parameters(*url, rules_);
    if (plain) take(move, FixKind::tracking, std::string(plain->href()));
  }

  // Returns "install" for evidence that ends with "did you mean #install?".
  std::string anchor_of(const storage::Verdict& verdict) const {
    constexpr std::string_view before = "did you mean #";
    if (!wants(FixKind::anchors) || verdict.health != Health::dead || verdict.reason != reason::anchor_not_found)
      return {};
    std::string_view words = parser::find_suggestion(verdict.evidence);
    if (!words.starts_with(before) || !words.ends_with('?')) return {};
    words.remove_prefix(before.size());
    words.remove_suffix(1);
    return std::string(words);
  }

  std::string title_of(const storage::CheckedLink& link) const {
    constexpr std::size_t max_bytes = 300;
    if (!wants(FixKind::titles) || !page_exists_as_stored(link)) return {};
    const auto& title = link.state.snapshot.metadata.title;
    return title && title->value.size() <= max_bytes && title->confidence >= sure_title ? title->value : std::string();
  }

  std::optional<LinkFix> fix_of(const storage::CheckedLink& link, const LinkOccurrence& occurrence,
                                const std::optional<Move>& move, const std::string& anchor,
                                const std::string& title) const {
    LinkFix fix;
    const std::optional<Url> was = web_address(occurrence.href);
    if (!anchor.empty()) {
      fix.kinds.push_back(FixKind::anchors);
      fix.anchor = anchor;
    } else if (const auto meant = meant_address(link, occurrence); meant && has_answered(*meant)) {
      fix.kinds.push_back(FixKind::schemes);
      fix.new_href = meant->href();
    } else if (was && was->href_without_fragment() == link.state.url) {
      fix.old_href = occurrence.href;
      const bool is_absolute = parser::starts_ignoring_case(occurrence.url, "http://") ||
                               parser::starts_ignoring_case(occurrence.url, "https://");
      const bool lacks_scheme =
          occurrence.has(LinkNote::missing_scheme) && wants(FixKind::schemes) && page_exists_as_stored(link);
      if (lacks_scheme) {
        fix.kinds.push_back(FixKind::schemes);
        fix.new_href = occurrence.href;
      }
      if (move && (is_absolute || lacks_scheme)) {
        fix.kinds.insert(fix.kinds.end(), move->kinds.begin(), move->kinds.end());
        fix.new_href = with_fragment(move->url, was->fragment());
      }
    }
    if (has_listed_title(occurrence) && !title.empty() && title != occurrence.text) {
      fix.kinds.push_back(FixKind::titles);
      fix.title = title;
    }
    const bool is_any = !fix.kinds.empty() && may_change(occurrence, fix);
    return is_any ? std::optional(std::move(fix)) : std::nullopt;
  }

  bool has_answered(const Url& url) const {
    return wants(FixKind::schemes) && answered_.contains(std::string(url.href_without_fragment()));
  }

  static std::string with_fragment(std::string url, std::string_view fragment) {
    if (!fragment.empty() && url.find('#') == std::string::npos) url.append(1, '#').append(fragment);
    return url;
  }

  void keep(const storage::CheckedLink& link, Move move) {
    if (const auto url = web_address(move.url); url && move.kinds.front() == FixKind::redirects) {
      const auto asked = web_address(link.state.url);
      sources_[std::string(url->href_without_fragment())].insert(
          parser::canonical_form(*asked, parser::CanonicalLayer::equivalent, rules_).url);
    }
    moves_.emplace(link.result.id, std::move(move));
  }

  // Returns true if several unrelated pages redirect to the same target. They no longer exist, whatever the target is.
  bool is_catch_all(const LinkFix& fix) const {
    constexpr std::size_t max_sources = 2;
    if (std::ranges::find(fix.kinds, FixKind::redirects) == fix.kinds.end()) return false;
    const std::optional<Url> url = web_address(fix.new_href);
    const auto known = url ? sources_.find(std::string(url->href_without_fragment())) : sources_.end();
    return known != sources_.end() && known->second.size() > max_sources;
  }

  static bool is_of_dead_page(const Move& move) {
    return move.kinds.front() == FixKind::relocated || move.kinds.front() == FixKind::archived;
  }

  // Follows the new target if it is a link of the documents that moved itself, so that the final target is written at
  // once. Returns false if nothing is left to change.
  bool follow(LinkFix& fix) const {
    constexpr int max_chain_length = 5;
    if (fix.new_href.empty() || fix.kinds.back() == FixKind::archived) return true;
    if (is_catch_all(fix)) return false;
    for (int i = 0; i < max_chain_length; ++i) {
      const std::optional<Url> url = web_address(fix.new_href);
      if (!url) break;
      const auto next = moves_.find(storage::LinkId::of(*Url::parse(url->href_without_fragment())));
      if (next == moves_.end() || is_of_dead_page(next->second)) break;
      LinkFix longer = fix;
      longer.new_href = with_fragment(next->second.url, url->fragment());
      for (const FixKind kind : next->second.kinds) {
        if (std::ranges::find(longer.kinds, kind) == longer.kinds.end()) longer.kinds.push_back(kind);
      }
      if (longer.new_href == fix.new_href || longer.new_href == fix.old_href || is_catch_all(longer)) break;
      fix = std::move(longer);
    }
    if (fix.new_href != fix.old_href || fix.kinds.front() == FixKind::schemes) return true;
    fix.new_href.clear();
    fix.kinds.assign(1, FixKind::titles);
    return !fix.title.empty();
  }

  static constexpr double sure_title = 0.8;

  const FixKinds& kinds_;
  const parser::TrackingRules* rules_;
  const std::function<bool(const storage::CheckedLink&)>& is_accepted_;
  const std::set<std::string>& answered_;
  const storage::RelocationLevel min_level_;  // of new addresses
  RunFixes fixes_;
  ListFixes* last_list_ = nullptr;  // cached, because neighboring links are mostly in the same file
  std::string last_file_;
  std::unordered_map<storage::LinkId, Move> moves_;
  std::unordered_map<std::string, std::unordered_set<std::string>> sources_;  // of redirects, by target
};

}  // namespace

// Requires that the last hop succeeded and that the snapshot belongs to the verdict.
bool page_exists_as_stored(const storage::CheckedLink& link) {
  const storage::Snapshot& snapshot = link.state.snapshot;
  return storage::page_exists(link.result.verdict) && snapshot.verdict.health == link.result.verdict.health &&
         (snapshot.status == 0 || snapshot.status / 100 == 2 || snapshot.status == 304);
}

std::set<std::string> meant_addresses(const ForEachLink& for_each_link) {
  std::set<std::string> addresses;
  for_each_link([&addresses](const storage::CheckedLink& link) {
    for (const LinkOccurrence& occurrence : link.result.occurrences) {
      if (const auto meant = meant_address(link, occurrence)) addresses.emplace(meant->href_without_fragment());
    }
  });
  return addresses;
}

bool may_change(const LinkOccurrence& occurrence, const LinkFix& fix) {
  if (!occurrence.ignored_by.empty() || occurrence.has(LinkNote::placeholder)) return false;
  switch (occurrence.element) {
    case LinkElement::bare: return fix.kinds.front() != FixKind::schemes;  // part of running text
    case LinkElement::link:
    case LinkElement::image:
    case LinkElement::autolink:
    case LinkElement::definition:
    case LinkElement::data: return true;
    case LinkElement::resource:  // a digest may pin its bytes
    case LinkElement::form:
    case LinkElement::refresh:
    case LinkElement::wikilink:
    case LinkElement::include: return false;
  }
  return false;
}

bool has_listed_title(const LinkOccurrence& occurrence) {
  return occurrence.element == LinkElement::link && occurrence.role == parser::LinkRole::main &&
         !occurrence.text.empty();
}

void ListFingerprint::add(const LinkOccurrence& occurrence) {
  const std::hash<std::string_view> hash;
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  std::uint64_t value = (occurrence.offset + odd) * odd;
  value ^= (hash(occurrence.url) + (value << 6U) + (value >> 2U));
  sum_ += value * odd;
  ++links_;
}

std::optional<std::string> moved_to(const storage::CheckedLink& link) {
  const storage::Snapshot& snapshot = link.state.snapshot;
  const bool is_moved = link.result.verdict.health == Health::redirected &&
                        link.result.verdict.reason == reason::moved_permanently && page_exists_as_stored(link) &&
                        !snapshot.redirects.empty() &&
                        std::ranges::all_of(snapshot.redirects, &storage::Redirect::permanent);
  if (!is_moved) return std::nullopt;
  const std::optional<Url> from = web_address(link.state.url);
  return from ? usable_target(*from, snapshot.final_url) : std::nullopt;
}

RunFixes find_fixes(const ForEachLink& for_each_link, const FixKinds& kinds, const parser::TrackingRules* rules,
                    const std::function<bool(const storage::CheckedLink&)>& is_accepted,
                    const std::set<std::string>& answered, storage::RelocationLevel min_level) {
  FixFinder finder(kinds, rules, is_accepted, answered, min_level);
  for_each_link([&finder](const storage::CheckedLink& link) { finder.add(link); });
  return finder.finish();
}

}  // namespace linkherd::crawler
