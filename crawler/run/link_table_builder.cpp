#include "crawler/run/link_table_builder.h"

#include <utility>

#include "crawler/run/document_reader.h"
#include "crawler/run/file_verdicts.h"
#include "crawler/run/reader_threads.h"

namespace linkherd::crawler {
namespace {

TablePart read_alone(const InputDocument& list, const LinkTableOptions& options, const ListChange* change) {
  TablePart part;
  TargetCache known;
  known.begin_part();
  read_document(list, 0, options, change, known, part);
  return part;
}

class UnchangedLinks {
 public:
  void add(const storage::LinkId& id, bool is_broken) {
    if (ids_.add(id).is_new) is_broken_.push_back(is_broken);
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

}  // namespace

struct LinkTableBuilder::State {
  explicit State(LinkTableOptions given) : options(std::move(given)) {}

  LinkTableOptions options;
  LinkTable table;
  FileVerdicts files{options, table};
  UnchangedLinks unchanged;
  ReaderThreads threads{options, [this](TablePart part) { append(std::move(part)); }};

  // Called by one thread at a time.
  void append(TablePart part) {
    for (ReadDocument& read : part.documents) {
      if (options.local != nullptr && read.context.base)
        options.local->keep_anchors(read.context, read.format, std::move(read.info.anchors));
    }
    const std::size_t before = table.size();
    const std::vector<std::uint32_t> indices = table.append(std::move(part.table));
    for (FileLink& file : part.files) {
      file.link = indices[file.link];
      if (file.link >= before) files.add(std::move(file));
    }
    for (auto& [id, local] : part.handed_out) files.add_handed_out(id, std::move(local));
    for (const auto& [id, is_broken] : part.unchanged) unchanged.add(id, is_broken);
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
  state_->files.evaluate();
  state_->files.hand_out();
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
