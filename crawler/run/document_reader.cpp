#include "crawler/run/document_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "crawler/run/site_crawl.h"
#include "crawler/run/unfetched_links.h"
#include "parser/lists/host_names.h"
#include "parser/url/percent_encoding.h"
#include "storage/verdict.h"

namespace linkherd::crawler {
namespace {

using parser::LinkNote;
using parser::LinkOccurrence;
using parser::LinkTarget;
using parser::Url;

// A link of a document, resolved, with its verdict if it needs no request.
struct ResolvedLink {
  storage::LinkId id{};
  std::string href{};  // empty: nothing to fetch
  std::optional<storage::Verdict> verdict{};
  LocalLink local{};  // a link to a file that must be evaluated; otherwise it has no file
};

bool is_dead(const std::optional<storage::Verdict>& verdict) {
  return verdict && verdict->health == storage::Health::dead;
}

// Returns true if the checked change adds, moves or breaks the link.
bool is_changed(const ListChange& change, const LinkOccurrence& occurrence, const ResolvedLink& link) {
  return change.touches(occurrence.offset, occurrence.length) ||
         (link.verdict && storage::is_broken_by_change(*link.verdict));
}

// An input document while its links are resolved.
class DocumentReader {
 public:
  // `number`: index of the input document. `change`: the change to check; null: the whole document is resolved. `known`
  // must have begun the part.
  DocumentReader(const InputDocument& list, std::uint32_t number, const LinkTableOptions& options,
                 const ListChange* change, TargetCache& known, TablePart& part)
      : list_(list),
        options_(options),
        change_(change),
        extract_(options.extract),
        known_(known),
        part_(part),
        order_(std::uint64_t{number} << 32U) {
    read_.format = list.format;
    extract_.entries = options.site == nullptr && list.site.empty();
    if (options.local != nullptr) {
      read_.context = options.local->context_of(list);
      extract_.read_include = LocalLinks::include_reader_of(read_.context);
    }
    if (list.base_url) {
      extract_.base_url = list.base_url;
      extract_.include_local = options.site != nullptr && options.web_anchors;
    } else if (options.local != nullptr && !extract_.base_url) {
      extract_.base_url = read_.context.base;
      is_local_ = extract_.base_url.has_value();
      extract_.include_local = is_local_ && options.local->checks_anchors();
    }
  }

  void read() {
    parser::DocumentInfo* const info = read_.context.base ? &read_.info : nullptr;
    const auto take = [this](LinkOccurrence& occurrence, const LinkTarget& target) {
      if (!std::exchange(has_links_, true)) begin(target);
      add(occurrence, target);
    };
    parser::for_each_target(read_.context.text_of(list_), extract_, take, info);
    if (options_.take_part) hand_out();
    part_.documents.push_back(std::move(read_));
  }

 private:
  // Called once the base of all targets of the document is known.
  void begin(const LinkTarget& first) {
    DocumentContext& context = read_.context;
    context.has_base_element = read_.info.has_base;
    context.is_template = read_.info.is_template && context.site.empty();
    std::string key;
    if (first.base != nullptr) {
      const Result<Url> folder = Url::parse(".", *first.base);
      key = folder ? folder->href() : first.base->href();
    }
    key += fmt::format("\n{} {} {} {} {} {} {} {}\n", fmt::ptr(context.folders), is_local_, context.has_base_element,
                       context.is_template, context.is_stylesheet, context.may_be_included,
                       static_cast<int>(context.is_page_source), list_.format == parser::DocumentFormat::bookmarks);
    key += context.site.native();
    if (context.repository != nullptr) key += '\n' + context.repository->native();
    // The page of a source file may be a folder with its name.
    const bool is_folder = context.is_page_source == IsPageSource::yes;
    key += '\n' + (is_folder || context.may_be_included ? context.full : context.full.parent_path()).native();
    known_.begin_list(std::move(key));
  }

  void add(LinkOccurrence& occurrence, const LinkTarget& target) {
    const bool is_sent = occurrence.element == parser::LinkElement::form;
    if (is_sent && options_.site != nullptr) return;
    const bool is_bookmark = !occurrence.tags.empty() || occurrence.added;
    const bool is_plain = change_ == nullptr && occurrence.ignored_by.empty() && occurrence.notes.empty() &&
                          occurrence.element != parser::LinkElement::wikilink &&
                          occurrence.element != parser::LinkElement::include && !is_bookmark;
    const bool is_short =
        target.text.size() <= TargetCache::max_bytes && occurrence.url.size() <= TargetCache::max_bytes;
    // "www.python.org" is a host in running text, but a file as the target of a link.
    const bool may_be_host =
        target.bare_host == parser::BareHost::is_host && target.text.find("://") == std::string_view::npos;
    if (!is_plain || !is_short || may_be_host) return add_other(occurrence, target);
    const auto [known, is_new] = known_.find_or_add(target.text, occurrence.url);
    const bool is_known_content = !is_new && known.is_written_like(occurrence);
    if (is_new) {
      known.number = index_of(resolve_plain(occurrence, target));
      known.href = occurrence.href;
      known.notes = occurrence.notes;
    } else if (!is_known_content || options_.site != nullptr) {
      occurrence.href = known.href;
      occurrence.notes = known.notes;
    }
    if (!is_known_content) known.keep_content(occurrence, part_.table.content_index(occurrence));
    add_occurrence(known.number, occurrence, known.content);
  }

  void add_other(LinkOccurrence& occurrence, const LinkTarget& target) {
    ResolvedLink resolved = resolve(occurrence, target);
    if (change_ != nullptr) {
      if (resolved.local.file) {  // only the verdict shows whether the change breaks it
        if (!std::exchange(has_anchors_, true)) keep_anchors();
        resolved.verdict = options_.local->evaluate(resolved.local);
        resolved.local = {};
      }
      if (!is_changed(*change_, occurrence, resolved)) {
        if (!change_->added.empty()) part_.unchanged.emplace_back(resolved.id, is_dead(resolved.verdict));
        return;
      }
    }
    const std::uint32_t link = index_of(resolved);
    add_occurrence(link, occurrence, part_.table.content_index(occurrence));
  }

  // A site controls how often its pages repeat a link, so only the first occurrences on each page are kept.
  void add_occurrence(std::uint32_t link, const LinkOccurrence& occurrence, std::uint32_t content) {
    constexpr std::uint8_t max_per_page = 10;
    if (options_.site != nullptr) {
      const std::size_t fragment = options_.web_anchors ? occurrence.href.find('#') : std::string::npos;
      if (counts_.size() <= link) counts_.resize(std::size_t{link} + 1);
      std::uint8_t& count = fragment == std::string::npos ? counts_[link] : fragment_counts_[occurrence.href];
      if (count == max_per_page) return;
      ++count;
    }
    if (!file_) file_ = part_.table.file_index(list_.file);
    part_.table.add_occurrence(link, occurrence, *file_, content);
    if (options_.take_part && part_.table.occurrence_count() == max_in_part) hand_out();
  }

  void hand_out() {
    options_.take_part(part_.table, order_);
    order_ += part_.table.size();
    for (FileLink& file : part_.files) part_.handed_out.emplace_back(part_.table.id(file.link), std::move(file.local));
    part_.files.clear();
    part_.table = {};
    known_.begin_part();  // the indices are no longer valid
    file_.reset();
  }

  void keep_anchors() { options_.local->keep_anchors(read_.context, read_.format, read_.info.anchors); }

  std::uint32_t index_of(const ResolvedLink& resolved) {
    const std::size_t before = part_.table.size();
    const std::size_t link = part_.table.find_or_add(resolved.id, resolved.href, resolved.verdict);
    if (link == before && resolved.local.file)
      part_.files.push_back({static_cast<std::uint32_t>(link), resolved.local});
    return static_cast<std::uint32_t>(link);
  }

  // Plans a link to an anchor of a page that an earlier link leads to, if the fragment changes nothing else. Most links
  // of documentation are like this. Returns nullopt if that is not the case or not known.
  std::optional<ResolvedLink> resolve_anchor(LinkOccurrence& occurrence, std::string_view target) const {
    const auto [page_target, fragment] = split_fragment(target);
    const LocalLink* const page = fragment.empty() ? nullptr : known_.page(page_target);
    if (page == nullptr || !is_same_text(occurrence.url, target)) return std::nullopt;
    const auto is_encoded = [](char c) { return parser::fragment_encode_set.contains(c); };
    if (std::ranges::any_of(fragment, is_encoded) || parser::has_placeholder(target)) return std::nullopt;
    ResolvedLink link;
    link.local = options_.local->with_fragment(*page, fragment);
    link.id = id_of(link.local);
    forget_folder(occurrence);
    return link;
  }

  // Does the same as resolve(), and uses and extends the cache of pages.
  ResolvedLink resolve_plain(LinkOccurrence& occurrence, const LinkTarget& target) {
    if (std::optional<ResolvedLink> anchor = resolve_anchor(occurrence, target.text)) return std::move(*anchor);
    ResolvedLink link = resolve(occurrence, target);
    const bool is_as_written = is_same_text(occurrence.url, target.text) && occurrence.href.empty() &&
                               occurrence.notes == std::vector{LinkNote::relative};
    const bool is_of_all = !read_.context.has_base_element && !read_.context.has_references &&
                           (options_.filter == nullptr || options_.filter->leaves_all());
    if (is_as_written && is_of_all && link.local.file) known_.keep_page(split_fragment(target.text).first, link.local);
    return link;
  }

  static std::pair<std::string_view, std::string_view> split_fragment(std::string_view target) {
    const std::size_t hash = std::min(target.find('#'), target.size());
    return {target.substr(0, hash), target.substr(std::min(hash + 1, target.size()))};
  }

  storage::LinkId id_of(const LocalLink& link) const {
    std::string text = "file:" + options_.names.to_stored(link.file_name());
    if (!link.fragment.empty()) text.append(1, '#').append(link.fragment);
    return storage::LinkId::of_text(text);
  }

  // Sets the target of the occurrence and applies the user's --remap rules.
  ResolvedLink resolve(LinkOccurrence& occurrence, const LinkTarget& written) const {
    std::optional<Url> target = written.resolve(occurrence);
    const bool is_resolved = is_local_ && options_.local->resolve(read_.context, occurrence);
    if (options_.filter != nullptr) options_.filter->remap(occurrence);
    if (occurrence.href != (target ? target->href() : std::string_view())) target = url_of(occurrence.href);
    if (options_.site != nullptr && target) allow_in_site(*target, occurrence);
    ResolvedLink link;
    const bool is_file = target && target->scheme() == "file";
    link.verdict = verdict_if_excluded(occurrence, options_.filter);
    // "example.org" is an example address, unless a file with this name exists.
    const bool may_be_file = is_file && occurrence.has(LinkNote::missing_scheme);
    const bool may_be_local =
        options_.local != nullptr && target && !link.verdict && (may_be_file || !occurrence.has(LinkNote::placeholder));
    if (may_be_local && is_file) {
      const std::string_view address = is_resolved ? target->href() : std::string_view(occurrence.url);
      link.local = options_.local->look_up(read_.context, *target, address, may_be_file);
      if (may_be_file) forget_host(occurrence, link.local);
    } else if (may_be_local && target->is_http()) {
      link.local = options_.local->look_up_page(read_.context, *target, occurrence.url).value_or(LocalLink());
    }
    if (link.local.file) {
      link.id = id_of(link.local);
    } else {
      if (!link.verdict)
        link.verdict = verdict_without_request(occurrence, target, options_.offline, options_.include_mail);
      link.id = target ? storage::LinkId::of(*target) : storage::LinkId::of_text(occurrence.url);
      if (!is_file && target) link.href = target->href_without_fragment();
    }
    if (is_file && is_local_) forget_folder(occurrence);
    return link;
  }

  static std::optional<Url> url_of(std::string_view href) {
    if (href.empty()) return std::nullopt;
    const auto parsed = Url::parse(href);
    return parsed ? std::optional<Url>(*parsed) : std::nullopt;
  }

  // A crawled site may be on localhost, so its links are not example addresses.
  void allow_in_site(const Url& target, LinkOccurrence& occurrence) const {
    if (!occurrence.has(LinkNote::placeholder) || occurrence.url.find_first_of("{<") != std::string::npos) return;
    if (options_.site->contains(target)) std::erase(occurrence.notes, LinkNote::placeholder);
  }

  // A target that looks like a host but is a file beside the input document is treated only as a file.
  static void forget_host(LinkOccurrence& occurrence, LocalLink& link) {
    if (LocalLinks::lacks_file(link)) {
      if (occurrence.has(LinkNote::placeholder)) link = {};
      return;
    }
    std::erase(occurrence.notes, LinkNote::missing_scheme);
    std::erase(occurrence.notes, LinkNote::placeholder);
  }

  // Nobody needs to know where an input document is on this machine. Such an occurrence stays relative in all that is
  // stored and reported.
  static void forget_folder(LinkOccurrence& occurrence) {
    if (occurrence.url.starts_with("file:") || occurrence.has(LinkNote::relative)) return;
    occurrence.href.clear();
    occurrence.notes.push_back(LinkNote::relative);
  }

  static constexpr std::size_t max_in_part = 10'000;  // occurrences

  const InputDocument& list_;
  const LinkTableOptions& options_;
  const ListChange* change_;
  parser::ExtractOptions extract_;
  TargetCache& known_;
  TablePart& part_;
  ReadDocument read_;
  std::optional<std::uint32_t> file_;  // index of the input document in the table of the part
  std::uint64_t order_;                // position of the first link of the table
  bool is_local_ = false;
  bool has_links_ = false;
  bool has_anchors_ = false;
  std::vector<std::uint8_t> counts_;                               // by index of the link; only for a crawled site
  std::unordered_map<std::string, std::uint8_t> fragment_counts_;  // by href; only if fragments are checked
};

}  // namespace

void read_document(const InputDocument& list, std::uint32_t number, const LinkTableOptions& options,
                   const ListChange* change, TargetCache& known, TablePart& part) {
  DocumentReader(list, number, options, change, known, part).read();
}

}  // namespace linkherd::crawler
