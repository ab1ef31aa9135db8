#include "crawler/run/plan.h"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/bounded_queue.h"
#include "parser/url/mail_address.h"
#include "parser/url/registrable_domain.h"
#include "storage/link_record.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkNote;
using parser::LinkOccurrence;
using parser::Url;
using storage::Health;
using storage::Verdict;
using storage::without_request;

// What is to be done with a link.
struct PlannedLink {
  storage::LinkId id;
  std::string href;  // empty: nothing to fetch
  std::optional<Verdict> verdict;
  LocalLink local;       // a link to a file that is to be judged; else without one
  bool is_file = false;  // on this machine
};

// A link of a plan to a file that is to be judged.
struct PlannedFile {
  std::uint32_t link = 0;
  LocalLink local;
};

// What a list adds to the plan.
struct ListPart {
  Plan plan;
  std::vector<PlannedFile> files;
  ListPlace place;
  parser::ListFormat format = parser::ListFormat::plain_text;
  parser::ListFacts facts;
  std::vector<PlannedLink> unchanged;  // where a change is checked
};

bool is_left_out(const Verdict* verdict) {
  return verdict != nullptr && (verdict->reason == reason::ignored || verdict->reason == reason::excluded);
}

// A change is checked: whether it adds or moves the link, or breaks it.
bool is_changed(const ListChange& change, const LinkOccurrence& occurrence, const PlannedLink& link) {
  return change.touches(occurrence.offset, occurrence.length) ||
         (link.verdict && storage::is_broken_by_change(*link.verdict));
}

// One list while its links are planned.
class ListPlan {
 public:
  // `change`: that of the list, which is checked; null: all of the list is.
  ListPlan(const Seed& list, const PlanOptions& options, const ListChange* change)
      : list_(list), options_(options), change_(change), extract_(options.extract) {
    part_.format = list.format;
    if (options.local != nullptr) part_.place = options.local->place_of(list);
    if (list.base_url) {
      extract_.base_url = list.base_url;
    } else if (options.local != nullptr && !extract_.base_url) {
      extract_.base_url = part_.place.base;
      is_local_ = extract_.base_url.has_value();
      extract_.include_local = is_local_ && options.local->checks_anchors();
    }
  }

  ListPart read() {
    parser::ListFacts* const facts = part_.place.base ? &part_.facts : nullptr;
    parser::for_each_link(
        {list_.file, list_.text, list_.format}, extract_, [this](LinkOccurrence& occurrence) { add(occurrence); },
        facts);
    return std::move(part_);
  }

 private:
  // A link that the list has already, by how it is written.
  struct Known {
    std::string href;  // what it means there
    std::uint32_t link = 0;
    bool is_file = false;
  };

  void add(LinkOccurrence& occurrence) {
    part_.place.has_base_element = part_.facts.has_base;
    remap(occurrence);
    const bool is_plain = occurrence.ignored_by.empty() && change_ == nullptr;
    if (is_plain) {
      const auto known = known_.find(occurrence.url);
      if (known != known_.end() && known->second.href == occurrence.href) {
        if (known->second.is_file && is_local_) forget_folder(occurrence);
        return part_.plan.add_occurrence(known->second.link, occurrence);
      }
    }
    PlannedLink planned = plan(occurrence);
    if (change_ != nullptr) {
      if (planned.local.file) {  // only the verdict tells whether the change breaks it
        if (!std::exchange(has_anchors_, true)) keep_anchors();
        planned.verdict = options_.local->judge(planned.local);
        planned.local = {};
      }
      if (!is_changed(*change_, occurrence, planned)) {
        if (!change_->added.empty()) part_.unchanged.push_back(std::move(planned));
        return;
      }
    }
    const std::uint32_t link = number_of(planned);
    if (is_plain) known_.insert_or_assign(occurrence.url, Known{occurrence.href, link, planned.is_file});
    if (planned.is_file && is_local_) forget_folder(occurrence);
    part_.plan.add_occurrence(link, occurrence);
  }

  void keep_anchors() { options_.local->keep_anchors(part_.place, part_.format, part_.facts.anchors); }

  std::uint32_t number_of(PlannedLink& planned) {
    Plan& plan = part_.plan;
    const std::optional<std::size_t> known = plan.find(planned.id);
    const std::size_t link = known ? *known : plan.add(planned.id, planned.href, planned.verdict);
    // One place that wants it is enough.
    if (known && is_left_out(plan.verdict(link)) && !is_left_out(planned.verdict ? &*planned.verdict : nullptr))
      plan.set_verdict(link, planned.verdict);
    if (!known && planned.local.file)
      part_.files.push_back({static_cast<std::uint32_t>(link), std::move(planned.local)});
    return static_cast<std::uint32_t>(link);
  }

  // May change the occurrence: where it leads, as the user rewrites it.
  PlannedLink plan(LinkOccurrence& occurrence) const {
    PlannedLink link;
    std::optional<Url> target = url_of(occurrence.href);
    const bool is_file = link.is_file = target && target->scheme() == "file";
    link.verdict = left_out(occurrence);
    if (is_file && !link.verdict && !occurrence.has(LinkNote::placeholder) && options_.local != nullptr) {
      link.local = options_.local->look_up(part_.place, *target, occurrence.url);
      link.id = storage::LinkId::of_text("file:" + link.local.name());
    } else {
      if (!link.verdict) link.verdict = judge(occurrence, target);
      if (target && target->has_fragment()) target = url_of(target->href_without_fragment());
      link.id = target ? storage::LinkId::of(*target) : storage::LinkId::of_text(occurrence.url);
      if (!is_file && target) link.href = std::move(*target).take_href();
    }
    return link;
  }

  static std::optional<Url> url_of(std::string_view href) {
    if (href.empty()) return std::nullopt;
    const auto parsed = Url::parse(href);
    return parsed ? std::optional<Url>(*parsed) : std::nullopt;
  }

  void remap(LinkOccurrence& occurrence) const {
    if (options_.filter == nullptr || occurrence.href.empty()) return;
    const std::optional<std::string> text = options_.filter->remapped(occurrence.href);
    if (!text) return;
    const auto url = Url::parse(*text);
    occurrence.href = url ? std::string(url->href()) : std::string();
    if (!url) occurrence.notes.push_back(LinkNote::invalid_url);
    std::erase(occurrence.notes, LinkNote::placeholder);  // whoever rewrites it means something by it
  }

  // Left out because somebody wants it so: the list itself, or the user.
  std::optional<Verdict> left_out(const LinkOccurrence& occurrence) const {
    if (!occurrence.ignored_by.empty()) {
      return without_request(Health::skipped, reason::ignored, "list", "the list says " + occurrence.ignored_by);
    }
    if (options_.filter == nullptr) return std::nullopt;
    auto exclusion = options_.filter->excludes(occurrence.url, occurrence.href);
    if (!exclusion) return std::nullopt;
    return without_request(Health::skipped, reason::excluded, exclusion->rule, std::move(exclusion->evidence));
  }

  // What can be said without a request; nothing for what must be fetched.
  std::optional<Verdict> judge(const LinkOccurrence& occurrence, const std::optional<Url>& url) const {
    if (occurrence.has(LinkNote::placeholder)) {
      return without_request(Health::skipped, reason::placeholder, "placeholder", "an illustration, not a link");
    }
    if (url && url->is_http()) {
      if (!options_.offline) return std::nullopt;
      return without_request(Health::skipped, reason::offline, "offline", "--offline looks at files and anchors alone");
    }
    if (url && url->scheme() == "mailto") return judge_mail(*url);
    if (url) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "only http and https links are fetched, not " + std::string(url->scheme()));
    }
    if (occurrence.has(LinkNote::relative)) {
      return without_request(Health::skipped, reason::relative_link, "relative",
                             "points into this site or folder, and there is no base URL");
    }
    const auto parsed = Url::parse(occurrence.url);
    return without_request(Health::dead, reason::invalid_url, "url",
                           parsed.has_error() ? parsed.error().message : "not a URL that a browser could open");
  }

  Verdict judge_mail(const Url& url) const {
    if (!options_.include_mail) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "mail addresses are looked at only with --include-mail");
    }
    if (auto problem = parser::mailto_problem(url)) {
      return without_request(Health::dead, reason::invalid_mail_address, "mail", std::move(*problem));
    }
    return without_request(Health::alive, reason::ok, "mail", "a mail address; whether anybody reads it was not asked");
  }

  // Where a list lies on this machine is nobody's business: such an occurrence stays relative in all that is stored and
  // reported.
  static void forget_folder(LinkOccurrence& occurrence) {
    if (occurrence.url.starts_with("file:") || occurrence.has(LinkNote::relative)) return;
    occurrence.href.clear();
    occurrence.notes.push_back(LinkNote::relative);
  }

  const Seed& list_;
  const PlanOptions& options_;
  const ListChange* change_;
  parser::ExtractOptions extract_;
  bool is_local_ = false;
  ListPart part_;
  bool has_anchors_ = false;
  std::unordered_map<std::string, Known> known_;
};

class UnchangedLinks {
 public:
  void add(const PlannedLink& link) {
    if (ids_.add(link.id).is_new) is_broken_.push_back(link.verdict && link.verdict->health == Health::dead);
  }
  void add_outside(const std::string& list) { outside_.push_back(list); }

  // Without those that another place of the plan has.
  Unchanged counted(const Plan& plan) const {
    Unchanged count;
    for (std::size_t number = 0; number < ids_.size(); ++number) {
      if (plan.find(ids_.id(number))) continue;
      ++count.links;
      count.broken += is_broken_[number] ? 1U : 0U;
    }
    count.outside = outside_;
    return count;
  }

 private:
  storage::LinkIdTable ids_;
  std::vector<bool> is_broken_;  // by number
  std::vector<std::string> outside_;
};

// Whether a text is written out, or equal to another that is known.
enum class Spelling : std::uint8_t { own, as_link, as_url };

// --- numbers of 7 bits a byte, and texts behind their length

void put_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>(0x80U | (number & 0x7FU));
  out += static_cast<char>(number);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

void put_spelling(std::string& out, Spelling spelling, std::string_view text) {
  put_number(out, static_cast<std::uint64_t>(spelling));
  if (spelling == Spelling::own) put_text(out, text);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
  }
  template <class T>
  T number_as() {
    return static_cast<T>(number());
  }
  std::string text() {
    const std::size_t length = number();
    std::string text(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
    return text;
  }
  std::string_view rest() const { return bytes_; }
  std::string spelled(std::string_view link_href, std::string_view url) {
    switch (number_as<Spelling>()) {
      case Spelling::as_link: return std::string(link_href);
      case Spelling::as_url: return std::string(url);
      case Spelling::own: break;
    }
    return text();
  }

 private:
  std::string_view bytes_;
};

}  // namespace

TextArena::Place TextArena::add(std::string_view text, std::string_view continued) {
  constexpr std::size_t smallest = std::size_t{1} << 12U, largest = std::size_t{1} << 20U;
  const std::size_t length = text.size() + continued.size();
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < length) {
    const std::size_t usual = chunks_.empty() ? smallest : std::min(std::size_t{4} * chunks_.back().size, largest);
    const std::size_t size = std::max(usual, length);
    if (size > UINT32_MAX) throw std::length_error("a text above 4 GiB");
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): left uninitialised on purpose
    chunks_.push_back({std::unique_ptr<char[]>(new char[size]), 0, static_cast<std::uint32_t>(size)});
  }
  Chunk& chunk = chunks_.back();
  const Place place = (static_cast<Place>(chunks_.size() - 1) << 32U) | chunk.used;
  if (!text.empty()) std::memcpy(chunk.bytes.get() + chunk.used, text.data(), text.size());
  chunk.used += static_cast<std::uint32_t>(text.size());
  if (!continued.empty()) std::memcpy(chunk.bytes.get() + chunk.used, continued.data(), continued.size());
  chunk.used += static_cast<std::uint32_t>(continued.size());
  return place;
}

std::string_view TextArena::from(Place place) const {
  const Chunk& chunk = chunks_[place >> 32U];
  const auto at = static_cast<std::uint32_t>(place);
  return {chunk.bytes.get() + at, chunk.used - at};
}

std::uint32_t NameTable::number_of(std::string_view name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  const std::string& kept = names_.emplace_back(name);
  const auto number = static_cast<std::uint32_t>(names_.size() - 1);
  numbers_.emplace(kept, number);
  return number;
}

std::uint32_t PathTable::number_of(const std::vector<std::string>& path) {
  if (path == last_) return last_number_;
  std::uint32_t number = 0;
  std::string step;
  for (const std::string& name : path) {
    step.clear();
    put_number(step, number);
    step += name;
    number = steps_.number_of(step) + 1;
  }
  last_ = path;
  last_number_ = number;
  return number;
}

std::vector<std::string> PathTable::path(std::uint32_t number) const {
  std::vector<std::string> path;
  while (number != 0) {
    Reader step(steps_.name(number - 1));
    number = step.number_as<std::uint32_t>();
    path.emplace_back(step.rest());
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<std::uint32_t> PathTable::append(const PathTable& other) {
  std::vector<std::uint32_t> numbers{0};  // the empty path
  std::string step;
  for (std::uint32_t i = 0; i < other.steps_.size(); ++i) {
    Reader read(other.steps_.name(i));
    step.clear();
    put_number(step, numbers[read.number()]);
    step += read.rest();
    numbers.push_back(steps_.number_of(step) + 1);
  }
  return numbers;
}

std::size_t Plan::add(const storage::LinkId& id, std::string_view href,
                      const std::optional<storage::Verdict>& verdict) {
  const std::size_t number = ids_.add(id).number;
  Link& link = links_.emplace_back();
  link.href = texts_.add(href);
  link.href_length = static_cast<std::uint32_t>(href.size());
  set_verdict(number, verdict);
  return number;
}

void Plan::set_verdict(std::size_t number, const std::optional<storage::Verdict>& verdict) {
  links_[number].verdict = none;
  if (!verdict) return;
  std::string key;
  put_number(key, static_cast<std::uint64_t>(verdict->health));
  put_number(key, std::bit_cast<std::uint64_t>(verdict->confidence));
  put_text(key, verdict->reason);
  put_text(key, verdict->rule);
  put_text(key, verdict->evidence);
  const auto [known, is_new] = verdict_numbers_.try_emplace(std::move(key), verdicts_.size());
  if (is_new) verdicts_.push_back(*verdict);
  links_[number].verdict = known->second;
}

void Plan::keep_only(const std::function<bool(std::size_t link)>& wanted) {
  Plan kept;
  for (std::size_t link = 0; link < size(); ++link) {
    if (!wanted(link)) continue;
    const storage::Verdict* const known = verdict(link);
    const std::size_t number = kept.add(id(link), href(link), known != nullptr ? std::optional(*known) : std::nullopt);
    for (const LinkOccurrence& occurrence : unpacked(links_[link])) kept.add_occurrence(number, occurrence);
  }
  *this = std::move(kept);
}

void Plan::add_occurrence(std::size_t number, const LinkOccurrence& occurrence) {
  Link& link = links_[number];
  // Every member by name: one that is added to the struct and forgotten here does not compile.
  const auto& [file, line, column, offset, length, url, href, element, text, headings, entry, role, rel, ignored_by,
               notes] = occurrence;
  std::string& packed = packed_;
  packed.clear();
  put_number(packed, std::uint64_t{entry} * parser::link_role_names.size() + static_cast<std::uint64_t>(role));
  put_number(packed, line);
  put_number(packed, column);
  put_number(packed, offset);
  put_number(packed, length);
  put_number(packed, static_cast<std::uint64_t>(element));
  const std::string_view link_href = this->href(link);
  const auto spelling = [&link_href](std::string_view written) {
    return !link_href.empty() && written == link_href ? Spelling::as_link : Spelling::own;
  };
  put_spelling(packed, spelling(url), url);
  put_spelling(packed, href == url ? Spelling::as_url : spelling(href), href);
  put_text(packed, text);
  put_text(packed, rel);
  put_text(packed, ignored_by);
  put_number(packed, notes.size());
  for (const parser::LinkNote note : notes) put_number(packed, static_cast<std::uint64_t>(note));

  add_packed(link, files_.number_of(file), headings_.number_of(headings), packed);
}

void Plan::add_packed(Link& link, std::uint32_t file, std::uint32_t headings, std::string_view rest) {
  prefix_.clear();
  put_number(prefix_, file);
  put_number(prefix_, headings);
  put_number(prefix_, rest.size());
  const TextArena::Place place = texts_.add(prefix_, rest);
  const auto added = static_cast<std::uint32_t>(occurrences_.size());
  occurrences_.push_back({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32U), none});
  if (link.last == none) {
    link.first = added;
  } else {
    occurrences_[link.last].next = added;
  }
  link.last = added;
}

std::vector<std::uint32_t> Plan::append(const Plan& list) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(list.size());
  std::vector<std::uint32_t> files;
  for (std::uint32_t file = 0; file < list.files_.size(); ++file)
    files.push_back(files_.number_of(list.files_.name(file)));
  const std::vector<std::uint32_t> headings = headings_.append(list.headings_);
  for (std::size_t link = 0; link < list.size(); ++link) {
    const Verdict* const verdict = list.verdict(link);
    const auto given = verdict != nullptr ? std::optional(*verdict) : std::nullopt;
    const std::optional<std::size_t> known = find(list.id(link));
    const std::size_t number = known ? *known : add(list.id(link), list.href(link), given);
    // One place that wants it is enough.
    if (known && is_left_out(this->verdict(number)) && !is_left_out(verdict)) set_verdict(number, given);
    numbers.push_back(static_cast<std::uint32_t>(number));
    for (std::uint32_t at = list.links_[link].first; at != none; at = list.occurrences_[at].next) {
      Reader packed(list.texts_.from(place_of(list.occurrences_[at])));
      const std::uint32_t file = files[packed.number()];
      const std::uint32_t heading = headings[packed.number()];
      const std::size_t length = packed.number();
      add_packed(links_[number], file, heading, packed.rest().substr(0, length));
    }
  }
  return numbers;
}

LinkOccurrence Plan::unpack(TextArena::Place place, std::string_view link_href) const {
  Reader reader(texts_.from(place));
  LinkOccurrence occurrence;
  occurrence.file = files_.name(reader.number_as<std::uint32_t>());
  occurrence.headings = headings_.path(reader.number_as<std::uint32_t>());
  reader.number();  // bytes that follow
  const std::uint64_t entry_and_role = reader.number();
  occurrence.entry = static_cast<std::uint32_t>(entry_and_role / parser::link_role_names.size());
  occurrence.role = static_cast<parser::LinkRole>(entry_and_role % parser::link_role_names.size());
  occurrence.line = reader.number_as<std::uint32_t>();
  occurrence.column = reader.number_as<std::uint32_t>();
  occurrence.offset = reader.number();
  occurrence.length = reader.number();
  occurrence.element = reader.number_as<parser::LinkElement>();
  occurrence.url = reader.spelled(link_href, {});
  occurrence.href = reader.spelled(link_href, occurrence.url);
  occurrence.text = reader.text();
  occurrence.rel = reader.text();
  occurrence.ignored_by = reader.text();
  occurrence.notes.resize(reader.number());
  for (parser::LinkNote& note : occurrence.notes) note = reader.number_as<parser::LinkNote>();
  return occurrence;
}

std::vector<LinkOccurrence> Plan::occurrences(std::size_t number) const {
  std::vector<LinkOccurrence> all = unpacked(links_[number]);
  const auto is_wanted = [](const LinkOccurrence& occurrence) { return occurrence.ignored_by.empty(); };
  std::stable_partition(all.begin(), all.end(), is_wanted);
  return all;
}

std::vector<LinkOccurrence> Plan::unpacked(const Link& link) const {
  std::vector<LinkOccurrence> unpacked;
  for (std::uint32_t at = link.first; at != none; at = occurrences_[at].next) {
    unpacked.push_back(unpack(place_of(occurrences_[at]), href(link)));
  }
  return unpacked;
}

std::string Plan::first_url(std::size_t number) const {
  const Link& link = links_[number];
  std::string first;
  for (std::uint32_t at = link.first; at != none; at = occurrences_[at].next) {
    LinkOccurrence occurrence = unpack(place_of(occurrences_[at]), href(link));
    if (occurrence.ignored_by.empty()) return std::move(occurrence.url);
    if (at == link.first) first = std::move(occurrence.url);
  }
  return first;
}

const storage::Verdict* Plan::verdict(std::size_t number) const {
  const std::uint32_t verdict = links_[number].verdict;
  return verdict == none ? nullptr : &verdicts_[verdict];
}

void keep_shard(Plan& plan, std::uint32_t number, std::uint32_t count) {
  plan.keep_only([&](std::size_t link) {
    const Result<parser::Url> url = parser::Url::parse(plan.href(link));
    if (url.has_error() || !url->is_http()) return number == 1;
    std::uint64_t hash = 0;
    for (const std::uint8_t byte : storage::LinkId::of_text(parser::registrable_domain(*url)).bytes)
      hash = (hash << 8U | byte) % count;
    return hash + 1 == number;
  });
}

namespace {

// Plans lists by several threads and hands out their parts in the order of the lists. Only so much text is under way.
class ListThreads {
 public:
  explicit ListThreads(const PlanOptions& options) : options_(options) {}
  ~ListThreads() { lists_.close(); }
  ListThreads(const ListThreads&) = delete;
  ListThreads& operator=(const ListThreads&) = delete;

  // Returns the parts that are ready.
  void add(Seed list, const std::function<void(ListPart)>& take) {
    start();
    auto task = std::make_unique<Task>(std::move(list));
    bytes_ += task->list.text.size();
    Task* pointer = task.get();
    under_way_.push_back(std::move(task));
    if (threads_.empty()) {
      plan(*pointer);
    } else {
      lists_.push(pointer);
    }
    while (!under_way_.empty() && (under_way_.size() > most_lists || bytes_ > most_bytes || front_is_done()))
      take(take_front());
  }

  void finish(const std::function<void(ListPart)>& take) {
    while (!under_way_.empty()) take(take_front());
  }

 private:
  static constexpr std::size_t most_lists = 64;
  static constexpr std::size_t most_bytes = std::size_t{32} << 20U;

  struct Task {
    explicit Task(Seed given) : list(std::move(given)), bytes(list.text.size()) {}
    Seed list;
    std::size_t bytes;
    ListPart part;
    std::exception_ptr failure;
    bool is_done = false;
  };

  // Where no thread can be started, this one does all the work.
  void start() {
    if (std::exchange(is_started_, true)) return;
    try {
      for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        threads_.emplace_back([this] {
          while (const std::optional<Task*> task = lists_.pop()) plan(**task);
        });
    } catch (const std::system_error& error) {
      spdlog::info(fmt::format("lists are read by {} other threads: {}", threads_.size(), error.what()));
    }
  }

  void plan(Task& task) {
    try {
      task.part = ListPlan(task.list, options_, nullptr).read();
    } catch (...) {
      task.failure = std::current_exception();
    }
    task.list = {};  // its text is no longer needed
    const std::scoped_lock lock(mutex_);
    task.is_done = true;
    done_.notify_one();
  }

  bool front_is_done() {
    const std::scoped_lock lock(mutex_);
    return under_way_.front()->is_done;
  }
  ListPart take_front() {
    const std::unique_ptr<Task> task = std::move(under_way_.front());
    under_way_.pop_front();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&task] { return task->is_done; });
    lock.unlock();
    bytes_ -= task->bytes;
    if (task->failure) std::rethrow_exception(task->failure);
    return std::move(task->part);
  }

  const PlanOptions& options_;
  bool is_started_ = false;
  std::size_t bytes_ = 0;
  std::deque<std::unique_ptr<Task>> under_way_;  // in the order of the lists
  BoundedQueue<Task*> lists_{most_lists + 1};
  std::mutex mutex_;  // of Task::is_done
  std::condition_variable done_;
  std::vector<std::jthread> threads_;  // the last member: they end before what they use
};

}  // namespace

struct Planner::State {
  explicit State(PlanOptions given) : options(std::move(given)) {}

  PlanOptions options;
  Plan plan;
  std::vector<PlannedFile> files;
  UnchangedLinks left;
  ListThreads threads{options};

  void append(ListPart part) {
    const std::size_t before = plan.size();
    const std::vector<std::uint32_t> numbers = plan.append(part.plan);
    for (PlannedFile& file : part.files) {
      if (numbers[file.link] >= before) files.push_back({numbers[file.link], std::move(file.local)});
    }
    for (const PlannedLink& link : part.unchanged) left.add(link);
    if (options.local != nullptr && part.place.base)
      options.local->keep_anchors(part.place, part.format, std::move(part.facts.anchors));
  }
};

Planner::Planner(const PlanOptions& options) : state_(std::make_unique<State>(options)) {}
Planner::~Planner() = default;

void Planner::add(Seed list) {
  const auto append = [this](ListPart part) { state_->append(std::move(part)); };
  if (state_->options.changes == nullptr) return state_->threads.add(std::move(list), append);
  // Only few lists change, and libgit2 is used by one thread.
  const std::optional<ListChange> change = state_->options.changes->of(list);
  if (!change) return state_->left.add_outside(list.file);
  append(ListPlan(list, state_->options, &*change).read());
}

Plan Planner::finish(Unchanged* unchanged) {
  Plan& plan = state_->plan;
  state_->threads.finish([this](ListPart part) { state_->append(std::move(part)); });
  for (const PlannedFile& file : state_->files) plan.set_verdict(file.link, state_->options.local->judge(file.local));
  if (unchanged != nullptr) *unchanged = state_->left.counted(plan);
  return std::move(plan);
}

Plan make_plan(const std::vector<Seed>& seeds, const PlanOptions& options, Unchanged* unchanged) {
  Planner planner(options);
  for (const Seed& seed : seeds) planner.add(seed);
  return planner.finish(unchanged);
}

}  // namespace linkherd::crawler
