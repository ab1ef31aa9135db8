#include "crawler/run/link_sorter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <queue>
#include <string_view>
#include <tuple>
#include <utility>

#include "crawler/run/link_table_builder.h"
#include "parser/url/registrable_domain.h"
#include "storage/stored_values.h"

namespace linkherd::crawler {
namespace {

using parser::LinkOccurrence;

constexpr std::size_t max_occurrences_per_record = 1000;
constexpr std::size_t max_occurrence_bytes = std::size_t{1} << 20U;  // per visited link
constexpr std::size_t read_ahead_bytes = std::size_t{128} << 20U;
constexpr std::size_t min_read_ahead_bytes = std::size_t{16} << 10U;

// Groups links by registrable domain. Links without a domain come first.
std::uint64_t domain_key(const std::optional<parser::Url>& url) {
  if (!url) return 0;
  std::uint64_t key = 0;
  const storage::LinkId hash = storage::LinkId::of_text(parser::registrable_domain(*url));
  for (std::size_t i = 0; i < sizeof key; ++i) key = key << 8U | hash.bytes[i];
  return key;
}

std::optional<parser::Url> web_link(std::string_view href) {
  Result<parser::Url> url = parser::Url::parse(href);
  if (!url || !url->is_http() || url->href() != href) return std::nullopt;
  return std::move(*url);
}

bool is_in_shard(const std::optional<storage::Shard>& shard, const std::optional<parser::Url>& url) {
  if (!shard) return true;
  return (url ? part_of_domain(*url, shard->count) + 1 : 1) == shard->number;
}

}  // namespace

// Header of a link's texts, in memory and in the temporary file, which no other program reads.
struct LinkSorter::Record {
  std::uint64_t domain = 0;
  storage::LinkId id;
  std::uint64_t order = 0;
  std::uint32_t href = 0;  // sizes of the texts
  std::uint32_t verdict = 0;
  std::uint32_t occurrences = 0;
  bool is_in_shard = true;

  auto key() const { return std::tie(domain, id, order); }  // same order as Index
  std::size_t size() const { return sizeof(Record) + href + verdict + occurrences; }
};

// Reads the records of a run in order.
class LinkSorter::RunReader {
 public:
  RunReader(const storage::SpillFile& file, Run run, std::size_t read_ahead)
      : file_(file), run_(run), read_ahead_(read_ahead) {}

  // Returns false after the last record.
  bool next() {
    at_ += size_;
    size_ = 0;
    if (at_ == buffer_.size() && run_.size == 0) return false;
    const std::string_view head = bytes(sizeof(Record));
    std::memcpy(&record_, head.data(), sizeof(Record));
    size_ = record_.size();
    bytes(size_);
    return true;
  }
  const Record& record() const { return record_; }
  std::string_view href() const { return text(0, record_.href); }
  std::string_view verdict() const { return text(record_.href, record_.verdict); }
  std::string_view occurrences() const { return text(record_.href + record_.verdict, record_.occurrences); }

 private:
  std::string_view text(std::size_t offset, std::size_t size) const {
    return std::string_view(buffer_).substr(at_ + sizeof(Record) + offset, size);
  }
  std::string_view bytes(std::size_t count) {
    if (buffer_.size() - at_ < count) {
      const std::size_t missing = count - (buffer_.size() - at_);
      const auto more = static_cast<std::uint32_t>(std::min<std::uint64_t>(run_.size, std::max(missing, read_ahead_)));
      buffer_.erase(0, at_);
      at_ = 0;
      buffer_ += file_.read({run_.offset, more});
      run_.offset += more;
      run_.size -= more;
    }
    return std::string_view(buffer_).substr(at_, count);
  }

  const storage::SpillFile& file_;
  Run run_;  // the part that has not been read yet
  std::size_t read_ahead_;
  std::string buffer_;
  std::size_t at_ = 0;    // offset of the current record in `buffer_`
  std::size_t size_ = 0;  // size of the current record
  Record record_;
};

LinkSorter::LinkSorter(std::optional<storage::Shard> shard, std::size_t in_memory)
    : shard_(std::move(shard)), in_memory_(in_memory) {}

void LinkSorter::add(const LinkTable& part, std::uint64_t order) {
  for (std::size_t number = 0; number < part.size(); ++number) {
    const std::string_view href = part.href(number);
    const std::optional<parser::Url> url = web_link(href);
    Record record;
    record.domain = domain_key(url);
    record.id = part.id(number);
    record.order = order == late_order ? late_order : order + number;
    record.is_in_shard = is_in_shard(shard_, url);
    if (!record.is_in_shard) {
      add_record(record, {}, {}, {});
      continue;
    }
    const storage::Verdict* const known = part.verdict(number);
    const std::string verdict = known == nullptr ? std::string() : storage::encode_verdict(*known);
    std::vector<LinkOccurrence> occurrences;
    const auto flush = [&] {
      add_record(record, href, verdict, occurrences.empty() ? std::string() : storage::encode_occurrences(occurrences));
      occurrences.clear();
    };
    part.for_each_occurrence(number, [&](LinkOccurrence& occurrence) {
      occurrences.push_back(std::move(occurrence));
      if (occurrences.size() == max_occurrences_per_record) flush();
      return true;
    });
    if (!occurrences.empty() || part.occurrence_count(number) == 0) flush();
  }
}

void LinkSorter::add_record(const Record& given, std::string_view href, std::string_view verdict,
                            std::string_view occurrences) {
  Record record = given;
  record.href = static_cast<std::uint32_t>(href.size());
  record.verdict = static_cast<std::uint32_t>(verdict.size());
  record.occurrences = static_cast<std::uint32_t>(occurrences.size());
  std::array<char, sizeof(Record)> head{};
  std::memcpy(head.data(), &record, sizeof(Record));
  const std::scoped_lock lock(mutex_);
  index_.push_back({record.domain, record.id, record.order, records_.size()});
  records_.append(head.data(), head.size()).append(href).append(verdict).append(occurrences);
  if (records_.size() >= in_memory_) write_run();
}

void LinkSorter::write_run() {
  std::ranges::sort(index_);
  Run run;
  for (const Index& index : index_) {
    Record record;
    std::memcpy(&record, records_.data() + index.at, sizeof(Record));
    const auto occurrence = sorted_.add(std::string_view(records_).substr(index.at, record.size()));
    if (run.size == 0) run.offset = occurrence.offset;
    run.size += occurrence.size;
  }
  if (run.size > 0) runs_.push_back(run);
  records_.clear();
  index_.clear();
}

LinkSorter::Count LinkSorter::for_each(const std::function<void(LinkPart& link)>& visit) {
  write_run();
  const std::size_t read_ahead =
      std::max(min_read_ahead_bytes, read_ahead_bytes / std::max<std::size_t>(1, runs_.size()));
  std::vector<RunReader> readers;
  readers.reserve(runs_.size());
  // Equal records keep the order of their runs.
  const auto is_later = [&readers](std::size_t one, std::size_t other) {
    const auto key = readers[one].record().key(), other_key = readers[other].record().key();
    return key != other_key ? key > other_key : one > other;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> next(is_later);
  for (const Run& run : runs_) {
    readers.emplace_back(sorted_, run, read_ahead);
    if (readers.back().next()) next.push(readers.size() - 1);
  }
  Count count;
  std::optional<storage::LinkId> last;
  std::optional<LinkPart> link;
  std::size_t occurrences = 0;
  while (!next.empty()) {
    const std::size_t reader = next.top();
    next.pop();
    const RunReader& at = readers[reader];
    const Record& record = at.record();
    if (last != record.id) {
      last = record.id;
      ++count.all;
      count.in_shard += record.is_in_shard ? 1U : 0U;
    }
    const bool continues = link && link->id == record.id && link->verdict == at.verdict() &&
                           record.order != late_order && occurrences + record.occurrences <= max_occurrence_bytes;
    if (!continues) {
      if (link) visit(*link);
      link.reset();
      occurrences = 0;
      if (record.is_in_shard)
        link.emplace(LinkPart{record.id, record.order, std::string(at.href()), std::string(at.verdict()), {}});
    }
    if (link && record.occurrences > 0) link->occurrences.emplace_back(at.occurrences());
    occurrences += record.occurrences;
    if (readers[reader].next()) next.push(reader);
  }
  if (link) visit(*link);
  return count;
}

Result<void> LinkJoiner::add(const LinkPart& link) {
  const Result<std::optional<storage::Verdict>> verdict = storage::decode_verdict(link.verdict);
  if (!verdict) return verdict.error();
  std::vector<LinkOccurrence> occurrences;
  for (const std::string& some : link.occurrences) {
    Result<std::vector<LinkOccurrence>> more = storage::decode_occurrences(some);
    if (!more) return more.error();
    std::ranges::move(*more, std::back_inserter(occurrences));
  }
  const std::size_t number = table_.find_or_add(link.id, link.href, *verdict);
  if (number == orders_.size()) orders_.push_back(late_order);
  orders_[number] = std::min(orders_[number], link.order);
  if (link.order == late_order) table_.set_verdict(number, *verdict);
  for (const LinkOccurrence& occurrence : occurrences) table_.add_occurrence(number, occurrence);
  return {};
}

LinkTable LinkJoiner::finish() {
  for (std::size_t link = 0; link < table_.size(); ++link) {
    if (table_.verdict(link) != nullptr) continue;
    const std::optional<parser::Url> url = web_link(table_.href(link));
    if (url && storage::LinkId::of(*url) == table_.id(link)) continue;
    table_.set_verdict(link, storage::without_request(storage::Health::dead, storage::reason::invalid_url, "url",
                                                      "the plan does not say where the link leads"));
  }
  table_.sort_by(orders_);
  return std::move(table_);
}

}  // namespace linkherd::crawler
