#include "crawler/run/link_table_builder.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/bounded_queue.h"
#include "crawler/run/site_crawl.h"
#include "parser/ascii.h"
#include "parser/lists/host_names.h"
#include "parser/url/mail_address.h"
#include "parser/url/percent_encoding.h"
#include "storage/link_state.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkNote;
using parser::LinkOccurrence;
using parser::LinkTarget;
using parser::Url;
using storage::Health;
using storage::Verdict;
using storage::without_request;

// A link of a document, resolved, with its verdict if it needs no request.
struct ResolvedLink {
  storage::LinkId id{};
  std::string href{};  // empty: nothing to fetch
  std::optional<Verdict> verdict{};
  LocalLink local{};  // a link to a file that must be evaluated; otherwise it has no file
};

// A link to a file, which is evaluated when all anchors are known.
struct FileLink {
  std::uint32_t link = 0;  // index in the table
  LocalLink local;
};

// An input document after reading.
struct ReadDocument {
  DocumentContext context;
  parser::DocumentFormat format = parser::DocumentFormat::plain_text;
  parser::DocumentInfo info;
};

// The links of some input documents.
struct TablePart {
  LinkTable table;
  std::vector<FileLink> files;
  std::vector<std::pair<storage::LinkId, LocalLink>> handed_out;  // links to files in tables that were handed out
  std::vector<ReadDocument> documents;
  std::vector<ResolvedLink> unchanged;  // only if a change is checked
};

// Returns true if the checked change adds, moves or breaks the link.
bool is_changed(const ListChange& change, const LinkOccurrence& occurrence, const ResolvedLink& link) {
  return change.touches(occurrence.offset, occurrence.length) ||
         (link.verdict && storage::is_broken_by_change(*link.verdict));
}

// Recognizes "http::StatusCode", in Markdown that documents code.
bool is_path_of_code(std::string_view written) {
  const std::size_t colons = written.find("::");
  const auto is_of_path = [](char c) {
    return parser::is_ascii_alphanumeric(c) || std::string_view("_:()!#").find(c) != std::string_view::npos;
  };
  if (colons == 0 || colons == std::string_view::npos || colons + 2 >= written.size()) return false;
  return !parser::is_ascii_digit(written[colons + 2]) && std::ranges::all_of(written, is_of_path);
}

// Equivalent to operator==, which is not inlined. Most texts here differ in size or are empty.
bool is_same(std::string_view left, std::string_view right) { return std::ranges::equal(left, right); }

// Cache of the links of the last folder that are already in a part, because most pages of a folder have the same links.
// Used by one thread. It stores little per link, because all of it is compared again and again, and reuses the memory
// for the next folder.
class TargetCache {
 public:
  struct Link {
    std::string target;
    std::string url;  // as written; empty: equal to `target`
    std::string href;
    std::vector<LinkNote> notes;
    std::size_t hash = 0;      // of `target`
    std::size_t list = 0;      // the last input document with this link
    std::uint32_t number = 0;  // index in the table of the part
    // The content of the latest occurrence: its index in the table of the part, element and role.
    std::uint32_t content = 0;
    parser::LinkElement element = parser::LinkElement::link;
    parser::LinkRole role = parser::LinkRole::main;
    std::string text, description, rel;

    bool is_written_like(const LinkOccurrence& occurrence) const {
      return is_same(occurrence.text, text) && occurrence.element == element && occurrence.role == role &&
             is_same(occurrence.rel, rel) && is_same(occurrence.description, description);
    }
    void keep_content(const LinkOccurrence& occurrence, std::uint32_t its_number) {
      content = its_number;
      text = occurrence.text;
      rel = occurrence.rel;
      description = occurrence.description;
      element = occurrence.element;
      role = occurrence.role;
    }
  };

  // Longer targets and URLs are not cached.
  static constexpr std::size_t max_bytes = 1024;

  void begin_part() { forget(); }

  // Starts the next input document. `context`: determines what the links mean, except those that lead to the document
  // itself.
  void begin_list(std::string context) {
    ++list_;
    own_page_ = {};
    if (context_ == context) return;
    forget();
    context_ = std::move(context);
  }

  // Returns the file of the page that a target leads to; `target` has no fragment. Returns null if it is not known to
  // be a file. An empty target means the input document itself.
  const LocalLink* page(std::string_view target) {
    if (target.empty()) return own_page_.file ? &own_page_ : nullptr;
    if (leads_to_list(target)) return nullptr;
    const std::uint32_t number = page_numbers_.intern(target);
    return number < pages_.size() && pages_[number].file ? &pages_[number] : nullptr;
  }
  void keep_page(std::string_view target, const LocalLink& page) {
    if (target.empty()) {
      own_page_ = page;
      return;
    }
    if (leads_to_list(target)) return;
    const std::uint32_t number = page_numbers_.intern(target);
    if (number >= pages_.size()) pages_.resize(std::size_t{number} + 1);
    pages_[number] = page;
  }

  // A link of the current input document. `is_new`: only its URL as written is set. Valid until the next call of
  // find_or_add().
  struct Found {
    Link& link;
    bool is_new;
  };
  Found find_or_add(std::string_view target, std::string_view url) {
    if (is_same(url, target)) url = {};
    const std::size_t hash = std::hash<std::string_view>()(target);
    if (count_ == max_links) forget();
    std::uint32_t& number = slot_of(hash, target);
    const bool is_new = number == none;
    if (is_new) {
      number = count_++;
      if (number == links_.size()) links_.emplace_back();
      links_[number].hash = hash;
      links_[number].target = target;
    }
    Link& link = links_[number];
    const bool is_of_list = std::exchange(link.list, list_) == list_;
    if (!is_new && is_same(link.url, url) && (is_of_list || !leads_to_list(target))) return {link, false};
    link.url = url;
    return {link, true};
  }

 private:
  static constexpr std::uint32_t max_links = 2048;
  static constexpr std::size_t max_slots = std::size_t{2} * max_links;
  static constexpr std::uint32_t none = UINT32_MAX;

  // Returns true for "#section", "?page=2" and "".
  static bool leads_to_list(std::string_view target) {
    target = parser::trim_ascii(target);
    return target.empty() || target.front() == '#' || target.front() == '?' || target.front() <= ' ';
  }

  void forget() {
    if (count_ > 0) std::ranges::fill(slots_, none);
    count_ = 0;
    page_numbers_ = {};
    pages_.clear();
  }

  // Returns the slot of the link with that target, or a free one. Uses linear probing.
  std::uint32_t& slot_of(std::size_t hash, std::string_view target) {
    for (std::size_t at = hash;; ++at) {
      std::uint32_t& number = slots_[at % max_slots];
      if (number == none || (links_[number].hash == hash && is_same(links_[number].target, target))) return number;
    }
  }

  std::string context_;
  std::size_t list_ = 0;
  std::vector<Link> links_;
  std::uint32_t count_ = 0;  // of valid elements in `links_`; the others are reusable memory
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(max_slots, none);  // hash table of indices in `links_`
  // Files of pages by target: see page(). An element has no file if none is known.
  LocalLink own_page_;
  parser::TextTable page_numbers_;
  std::vector<LocalLink> pages_;
};

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
        if (!change_->added.empty()) part_.unchanged.push_back(std::move(resolved));
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
    if (page == nullptr || !is_same(occurrence.url, target)) return std::nullopt;
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
    const bool is_as_written = is_same(occurrence.url, target.text) && occurrence.href.empty() &&
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
    link.verdict = left_out(occurrence);
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
      if (!link.verdict) link.verdict = evaluate(occurrence, target);
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

  // Returns a verdict if the input document or the user excludes the link.
  std::optional<Verdict> left_out(const LinkOccurrence& occurrence) const {
    if (!occurrence.ignored_by.empty()) {
      return without_request(Health::skipped, reason::ignored, "list", "the document says " + occurrence.ignored_by);
    }
    if (options_.filter == nullptr) return std::nullopt;
    auto exclusion = options_.filter->excludes(occurrence.url, occurrence.href);
    if (!exclusion) return std::nullopt;
    return without_request(Health::skipped, reason::excluded, exclusion->rule, std::move(exclusion->evidence));
  }

  // Returns a verdict that needs no request, or nullopt if the link must be fetched.
  std::optional<Verdict> evaluate(const LinkOccurrence& occurrence, const std::optional<Url>& url) const {
    const bool is_missing_include =
        occurrence.element == parser::LinkElement::include && !url && !parser::has_placeholder(occurrence.url);
    if (is_missing_include && occurrence.has(LinkNote::placeholder)) {
      return without_request(Health::skipped, reason::relative_link, "file",
                             "the file may be generated, ignored by git, or in another folder of the site generator");
    }
    if (occurrence.has(LinkNote::placeholder)) {
      return without_request(Health::skipped, reason::placeholder, "placeholder", "example address, not checked");
    }
    if (occurrence.has(LinkNote::empty_target)) {
      return without_request(Health::skipped, reason::empty_target, "empty_target",
                             occurrence.url.empty()
                                 ? "the link has no target"
                                 : fmt::format("the link has no target: no definition of [{}]", occurrence.url));
    }
    if (url && url->is_http()) {
      if (!options_.offline) return std::nullopt;
      return without_request(Health::skipped, reason::offline, "offline", "--offline checks only files and anchors");
    }
    if (url && url->scheme() == "mailto") return evaluate_mail_address(*url);
    if (url) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "only http and https links are fetched, not " + std::string(url->scheme()));
    }
    if (occurrence.has(LinkNote::relative)) {
      return without_request(Health::skipped, reason::relative_link, "relative",
                             "a relative link without a base URL" +
                                 (occurrence.has(LinkNote::missing_scheme)
                                      ? fmt::format("; did you mean {}?", parser::add_https_scheme(occurrence.url))
                                      : std::string()));
    }
    if (is_path_of_code(occurrence.url)) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "a Rust path, which rustdoc resolves");
    }
    const auto parsed = Url::parse(occurrence.url);
    return without_request(Health::dead, reason::invalid_url, "url",
                           parsed.has_error() ? parsed.error().message : "not a valid URL");
  }

  Verdict evaluate_mail_address(const Url& url) const {
    if (!options_.include_mail) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "mail addresses are checked only with --include-mail");
    }
    if (auto problem = parser::find_mailto_problem(url)) {
      return without_request(Health::dead, reason::invalid_mail_address, "mail", std::move(*problem));
    }
    return without_request(Health::alive, reason::ok, "mail", "a valid mail address; no mail was sent");
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

TablePart read_alone(const InputDocument& list, const LinkTableOptions& options, const ListChange* change) {
  TablePart part;
  TargetCache known;
  known.begin_part();
  DocumentReader(list, 0, options, change, known, part).read();
  return part;
}

class UnchangedLinks {
 public:
  void add(const ResolvedLink& link) {
    if (ids_.add(link.id).is_new) is_broken_.push_back(link.verdict && link.verdict->health == Health::dead);
  }
  void add_outside(const std::string& list) { outside_.push_back(list); }

  // Counts the unchanged links, except those that are in `table` because of another occurrence.
  Unchanged counted(const LinkTable& table) const {
    Unchanged count;
    for (std::size_t number = 0; number < ids_.size(); ++number) {
      if (table.find(ids_.id(number))) continue;
      ++count.links;
      count.broken += is_broken_[number] ? 1U : 0U;
    }
    count.outside = outside_;
    return count;
  }

 private:
  storage::LinkIdTable ids_;
  std::vector<bool> is_broken_;  // by index in `ids_`
  std::vector<std::string> outside_;
};

// Plans input documents in several threads, some at a time, and hands out the parts in the order of the documents. The
// amount of text in progress is limited.
class ReaderThreads {
 public:
  // `take`: called for one part at a time, by any of the threads.
  ReaderThreads(const LinkTableOptions& options, std::function<void(TablePart)> take)
      : options_(options), take_(std::move(take)) {}
  ~ReaderThreads() { tasks_.close(); }
  ReaderThreads(const ReaderThreads&) = delete;
  ReaderThreads& operator=(const ReaderThreads&) = delete;

  // Waits until there is room. Rethrows the exception of a thread.
  void add(InputDocument list) {
    if (next_ == nullptr) {
      next_ = std::make_unique<Task>();
      next_->first = lists_added_;
    }
    ++lists_added_;
    bytes_added_ += list.text.size();
    next_->bytes += list.text.size();
    next_->lists.push_back(std::move(list));
    // A small folder provides work for all threads; in a large one, few tasks have to be joined.
    const std::uint64_t enough = std::clamp<std::uint64_t>(bytes_added_ / 16, min_task_bytes, max_task_bytes);
    if (next_->lists.size() == max_task_lists || next_->bytes >= enough) begin_next();
  }

  // Waits until all parts were taken. Rethrows the exception of a thread.
  void finish() {
    if (next_ != nullptr) begin_next();
    wait_until([this] { return pending_tasks_.empty(); });
  }

 private:
  // Most pages of a folder have the same links, so a task merges them before they are joined with those of other parts.
  static constexpr std::size_t max_task_lists = 256;
  static constexpr std::size_t min_task_bytes = std::size_t{1} << 18U;
  static constexpr std::size_t max_task_bytes = std::size_t{2} << 20U;
  // Limits the tasks that are in progress or wait to be joined in order. Their additions to the table take memory until
  // then.
  static constexpr std::size_t max_tasks = 96;
  static constexpr std::size_t max_bytes_in_flight = 12 * max_task_bytes;

  struct Task {
    std::uint32_t first = 0;  // index of the first input document
    std::vector<InputDocument> lists;
    std::size_t bytes = 0;
    TablePart part;
    bool is_done = false;
  };

  // If no thread can be started, the calling thread does all the work.
  void start() {
    if (std::exchange(is_started_, true)) return;
    try {
      for (unsigned i = 0; i < threads_to_start_; ++i)
        threads_.emplace_back([this] {
          TargetCache known;
          while (const std::optional<Task*> task = tasks_.pop()) read(**task, known);
        });
    } catch (const std::system_error& error) {
      spdlog::info(fmt::format("could start only {} threads that read documents: {}", threads_.size(), error.what()));
    }
  }

  void begin_next() {
    start();
    Task* task = next_.get();
    {
      const std::scoped_lock lock(mutex_);
      unread_bytes_ += task->bytes;
      pending_bytes_ += task->bytes;
      pending_tasks_.push_back(std::move(next_));
    }
    if (threads_.empty()) {
      read(*task, known_);
    } else {
      tasks_.push(task);
    }
    // A large document at the front does not delay the others, because tasks that are done hold no text.
    wait_until([this] {
      return pending_tasks_.size() < max_tasks && pending_bytes_ < max_bytes_in_flight && unread_bytes_ <= max_bytes_;
    });
  }

  template <class Condition>
  void wait_until(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
    lock.unlock();
    failure_.rethrow();
  }

  void read(Task& task, TargetCache& known) {
    try {
      known.begin_part();
      for (std::uint32_t i = 0; i < task.lists.size(); ++i) {
        DocumentReader(task.lists[i], task.first + i, options_, nullptr, known, task.part).read();
        task.lists[i] = {};  // frees the text
      }
    } catch (...) {
      failure_.keep(std::current_exception());
    }
    std::unique_lock lock(mutex_);
    unread_bytes_ -= task.bytes;
    task.is_done = true;
    changed_.notify_one();
    join(lock);
  }

  // Hands out the parts that are ready, unless another thread is doing it.
  void join(std::unique_lock<std::mutex>& lock) {
    if (std::exchange(is_joining_, true)) return;
    for (; !pending_tasks_.empty() && pending_tasks_.front()->is_done; pending_tasks_.pop_front()) {
      Task& task = *pending_tasks_.front();
      lock.unlock();
      try {
        take_(std::move(task.part));
      } catch (...) {
        failure_.keep(std::current_exception());
      }
      lock.lock();
      pending_bytes_ -= task.bytes;
      changed_.notify_one();
    }
    is_joining_ = false;
  }

  const LinkTableOptions& options_;
  const std::function<void(TablePart)> take_;
  const unsigned threads_to_start_ = std::max(1U, std::thread::hardware_concurrency());
  // one task more than threads, so that the next task is always ready
  const std::size_t max_bytes_ = max_task_bytes * (threads_to_start_ + 1);
  bool is_started_ = false;
  TargetCache known_;  // used if no threads were started
  std::uint32_t lists_added_ = 0;
  std::uint64_t bytes_added_ = 0;
  std::unique_ptr<Task> next_;  // not started yet
  BoundedQueue<Task*> tasks_{max_tasks + 1};
  ThreadFailure failure_;
  std::mutex mutex_;                                 // protects the next five members and Task::is_done
  std::deque<std::unique_ptr<Task>> pending_tasks_;  // in the order of the input documents
  std::size_t pending_bytes_ = 0;
  std::size_t unread_bytes_ = 0;  // of tasks that are not done
  bool is_joining_ = false;       // true while a thread hands out parts
  std::condition_variable changed_;
  std::vector<std::jthread> threads_;  // the last member, so that the threads end before the members they use
};

}  // namespace

struct LinkTableBuilder::State {
  explicit State(LinkTableOptions given) : options(std::move(given)) {}

  LinkTableOptions options;
  LinkTable table;
  std::vector<FileLink> files;  // not evaluated yet
  // By index of a file's path: a link to the file, and a link to an anchor of it. Both exist, and other links to the
  // file and its anchors share their verdicts.
  static constexpr std::uint32_t none = UINT32_MAX;
  struct LinksToFile {
    std::uint32_t page = none;
    std::uint32_t anchor = none;
  };
  std::vector<LinksToFile> by_path;
  std::unordered_map<storage::LinkId, LocalLink> handed_out;
  UnchangedLinks unchanged;
  ReaderThreads threads{options, [this](TablePart part) { append(std::move(part)); }};

  void append(TablePart part) {
    for (ReadDocument& read : part.documents) {
      if (options.local != nullptr && read.context.base)
        options.local->keep_anchors(read.context, read.format, std::move(read.info.anchors));
    }
    const std::size_t before = table.size();
    const std::vector<std::uint32_t> indices = table.append(std::move(part.table));
    for (FileLink& file : part.files) {
      file.link = indices[file.link];
      if (file.link >= before && !evaluate_existing(file)) files.push_back(std::move(file));
    }
    for (auto& [id, local] : part.handed_out) handed_out.try_emplace(id, std::move(local));
    for (const ResolvedLink& link : part.unchanged) unchanged.add(link);
  }

  // Sets the verdict of a link if its file and anchor are known to exist. Most do, in this input document or an earlier
  // one.
  bool evaluate_existing(const FileLink& link) {
    const auto& [index, local] = link;
    if (!options.local->exists_with_anchor(*local.file, local.fragment)) return false;
    const std::uint32_t path = LocalLinks::index_of(*local.file);
    if (path >= by_path.size()) by_path.resize(std::size_t{path} + 1);
    std::uint32_t& like = local.fragment.empty() ? by_path[path].page : by_path[path].anchor;
    if (like == none) {
      table.set_verdict(like = index, LocalLinks::alive_verdict(*local.file, local.fragment));
    } else {
      table.set_verdict_of(index, like);
    }
    return true;
  }

  // Evaluates links whose anchors were read later or do not exist.
  void evaluate_files() {
    for (FileLink& file : files) {
      if (!evaluate_existing(file)) table.set_verdict(file.link, options.local->evaluate(file.local));
      file.local = {};  // a hostile list may have a million links to files that do not exist
    }
  }

  void hand_out_files() {
    constexpr std::size_t at_once = 10'000;
    LinkTable evaluated;
    const auto hand_out = [&] {
      if (!evaluated.empty()) options.take_part(evaluated, late_order);
      evaluated = {};
    };
    for (auto& [id, local] : handed_out) {
      evaluated.find_or_add(id, {}, options.local->evaluate(local));
      local = {};
      if (evaluated.size() == at_once) hand_out();
    }
    hand_out();
  }
};

LinkTableBuilder::LinkTableBuilder(const LinkTableOptions& options) : state_(std::make_unique<State>(options)) {}
LinkTableBuilder::~LinkTableBuilder() = default;

void LinkTableBuilder::add(InputDocument list) {
  if (state_->options.changes == nullptr) return state_->threads.add(std::move(list));
  // Few documents change, and libgit2 is used by one thread only.
  const std::optional<ListChange> change = state_->options.changes->of(list);
  if (!change) return state_->unchanged.add_outside(list.file);
  state_->append(read_alone(list, state_->options, &*change));
}

LinkTable LinkTableBuilder::finish(Unchanged* unchanged) {
  LinkTable& table = state_->table;
  state_->threads.finish();
  state_->evaluate_files();
  state_->hand_out_files();
  if (unchanged != nullptr) *unchanged = state_->unchanged.counted(table);
  return std::move(table);
}

LinkTable read_link_table(const InputDocument& list, const LinkTableOptions& options) {
  return read_alone(list, options, nullptr).table;
}

LinkTable build_link_table(const std::vector<InputDocument>& documents, const LinkTableOptions& options,
                           Unchanged* unchanged) {
  LinkTableBuilder planner(options);
  for (const InputDocument& document : documents) planner.add(document);
  return planner.finish(unchanged);
}

}  // namespace linkherd::crawler
