#include "storage/key_value_store.h"

#include <algorithm>
#include <random>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/utilities/checkpoint.h>

#include "parser/join.h"
#include "storage/backup.h"
#include "storage/rocks_options.h"
#include "storage/store_directory.h"
#include "storage/store_errors.h"
#include "storage/table_repair.h"

namespace linkherd::storage {
namespace {

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// Returns the first key after all keys with the prefix, or an empty text if there is none.
std::string end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

// Returns true if CURRENT is missing although data exists. RocksDB would then create a new, empty database.
bool has_data_without_current(const std::filesystem::path& database) {
  if (std::filesystem::exists(database / "CURRENT") || !std::filesystem::exists(database)) return false;
  const bool data = std::ranges::any_of(std::filesystem::directory_iterator(database), [](const auto& entry) {
    const std::filesystem::path extension = entry.path().extension();
    return extension == ".sst" || extension == ".blob" || extension == ".log";
  });
  // Checks again, because another process may have created it.
  return data && !std::filesystem::exists(database / "CURRENT");
}

rocksdb::Status list_families(const std::filesystem::path& database, std::vector<std::string>& names) {
  return rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), database.string(), &names);
}

bool are_all_families(const std::vector<std::string>& names) {
  return std::ranges::all_of(family_names, [&names](const EnumName<Family>& family) {
    return std::ranges::find(names, family.name) != names.end();
  });
}

// Returns the families that a writer opens: all existing ones and all of this version. Throws StoreDamaged if their
// list is damaged.
std::vector<std::string> families_to_write(const std::filesystem::path& store, const std::filesystem::path& database) {
  std::vector<std::string> names = {rocksdb::kDefaultColumnFamilyName};
  if (std::filesystem::exists(database / "CURRENT")) {
    const rocksdb::Status status = list_families(database, names);
    if (is_damage(status)) throw store_damaged(store, status.ToString());
    if (!status.ok()) throw_status(store, "open", status);
  }
  for (const EnumName<Family>& family : family_names) {
    if (std::ranges::find(names, family.name) == names.end()) names.emplace_back(family.name);
  }
  return names;
}

std::vector<rocksdb::ColumnFamilyDescriptor> descriptors(const std::vector<std::string>& names) {
  std::vector<rocksdb::ColumnFamilyDescriptor> result;
  result.reserve(names.size());
  for (const std::string& name : names) {
    const std::optional<Family> family = enum_value(family_names, name);
    result.emplace_back(name, family ? family_options(*family) : unknown_family_options());
  }
  return result;
}

rocksdb::ReadOptions scan_options(Family family, std::string_view prefix = {}) {
  rocksdb::ReadOptions options;
  // `history` has a prefix extractor. Without one of these options, a scan may skip keys.
  options.prefix_same_as_start = family == Family::history && !prefix.empty();
  options.total_order_seek = !options.prefix_same_as_start;
  options.fill_cache = false;  // a caller that reads many rows rarely reads them again soon
  return options;
}

std::string left_out_line(const std::vector<DamagedFile>& tables) {
  std::set<std::string> families;
  for (const DamagedFile& table : tables) families.insert(table.family);
  return fmt::format(
      "{} of its tables (of {}) cannot be read and were left out: for their rows, the store has older values or none",
      tables.size(), join(families, ", "));
}

std::string random_identity() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

bool has_all_families(const std::filesystem::path& store, const std::filesystem::path& database) {
  if (!std::filesystem::exists(database / "CURRENT")) return false;
  std::vector<std::string> names;
  const rocksdb::Status status = list_families(database, names);
  if (is_damage(status)) throw store_damaged(store, status.ToString());
  if (!status.ok()) throw_status(store, "open", status);
  return are_all_families(names);
}

KeyValueStore::KeyValueStore(std::filesystem::path store, std::filesystem::path database)
    : directory_(std::move(store)), folder_(std::move(database)) {}

KeyValueStore::~KeyValueStore() { close(); }

void KeyValueStore::close() {
  if (database_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* handle : handles_)
    database_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  handles_.clear();
  known_.fill(nullptr);
  database_->Close().PermitUncheckedError();  // acknowledged writes are in the write-ahead log
  database_.reset();
}

rocksdb::Status KeyValueStore::try_open(const std::vector<std::string>& names) {
  const auto log = std::make_shared<RecoveryLog>();
  rocksdb::DBOptions options = database_options(log);
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = descriptors(names);
  // Opens a new database with only its first family, `default`. Opening it with more would write a file of all options
  // for each family.
  const bool is_new = !std::filesystem::exists(folder_ / "CURRENT");
  const auto others = is_new ? families.begin() + 1 : families.end();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, folder_.string(), {families.begin(), others}, &handles, &raw);
  database_.reset(raw);
  if (!status.ok()) return status;
  if (is_new) {
    std::vector<rocksdb::ColumnFamilyHandle*> created;
    status = database_->CreateColumnFamilies({others, families.end()}, &created);
    handles.insert(handles.end(), created.begin(), created.end());
  }
  adopt(handles);
  report_damaged_logs(log->damaged_logs());
  return status;
}

// Restores or drops unreadable files, so that damage affects only the data in them.
rocksdb::Status KeyValueStore::open_without_damage(const std::vector<std::string>& names,
                                                   const std::optional<std::filesystem::path>& spare) {
  rocksdb::Status status = try_open(names);
  if (!status.ok() && !is_damage(status)) return status;
  const std::vector<DamagedFile> damaged =
      status.ok() ? damaged_files(*database_, folder_) : damaged_files(folder_, descriptors(names));
  if (damaged.empty()) return status;
  close();
  std::vector<DamagedFile> lost = spare ? restore_from(*spare, folder_, damaged) : damaged;
  if (lost.size() < damaged.size()) {
    losses_.push_back(
        fmt::format("{} of its files were missing or damaged and were restored from its latest checkpoint",
                    damaged.size() - lost.size()));
  }
  // Missing large values are detected one by one; see has_whole_blob_files().
  std::erase_if(lost, [](const DamagedFile& file) { return !file.is_table(); });
  status = drop_tables(folder_, descriptors(names), lost);
  if (!status.ok()) return status;
  has_left_out_tables_ = !lost.empty();
  if (has_left_out_tables_) losses_.push_back(left_out_line(lost));
  return try_open(names);
}

std::unique_ptr<KeyValueStore> KeyValueStore::open_for_writing(std::filesystem::path store,
                                                               const std::filesystem::path& database,
                                                               const std::optional<std::filesystem::path>& spare) {
  if (has_data_without_current(database)) throw store_damaged(store, "db/CURRENT is missing");
  const std::vector<std::string> names = families_to_write(store, database);
  std::unique_ptr<KeyValueStore> opened(new KeyValueStore(std::move(store), database));
  const rocksdb::Status status = opened->open_without_damage(names, spare);
  if (is_damage(status)) throw store_damaged(opened->directory_, status.ToString());
  opened->check(status, "open");
  opened->writable_ = true;
  return opened;
}

std::unique_ptr<KeyValueStore> KeyValueStore::open_for_reading(std::filesystem::path store,
                                                               const std::filesystem::path& database) {
  std::vector<std::string> names;
  std::unique_ptr<KeyValueStore> opened(new KeyValueStore(std::move(store), database));
  opened->check(list_families(database, names), "open");
  if (!are_all_families(names)) opened->check(rocksdb::Status::Corruption("a column family is missing"), "open");
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  const auto log = std::make_shared<RecoveryLog>();
  const rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(database_options(log), database.string(), descriptors(names), &handles, &raw);
  opened->check(status, "open");
  opened->database_.reset(raw);
  opened->adopt(handles);
  opened->report_damaged_logs(log->damaged_logs());
  return opened;
}

void KeyValueStore::adopt(const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  handles_ = handles;
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    const std::optional<Family> family = enum_value(family_names, handle->GetName());
    if (family) known_[static_cast<std::size_t>(*family)] = handle;
  }
}

// RocksDB opens a database with damaged logs, and reads each log up to the damage.
void KeyValueStore::report_damaged_logs(const std::set<std::string>& logs) {
  for (const std::string& name : logs) {
    losses_.push_back(fmt::format("its file {} is damaged: the changes after the damaged position are lost", name));
  }
}

rocksdb::ColumnFamilyHandle* KeyValueStore::handle(Family family) const {
  return known_[static_cast<std::size_t>(family)];
}

void KeyValueStore::check(const rocksdb::Status& status, std::string_view doing) const {
  if (status.ok()) return;
  if (writable_ && is_damage(status)) record_damage(directory_);  // makes the next writer check for damaged bodies
  throw_status(directory_, doing, status);
}

std::optional<std::string> KeyValueStore::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), handle(family), slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  check(status, "read");
  return value;
}

bool KeyValueStore::contains(Family family, std::string_view key) const {
  // KeyMayExist() does not work here: it returns true for missing keys if the index of a table is not in the cache.
  rocksdb::PinnableSlice value;
  const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), handle(family), slice(key), &value);
  if (!status.IsNotFound() && !is_damage(status)) check(status, "read");
  return status.ok();
}

bool KeyValueStore::is_unreadable(Family family, std::string_view key) const {
  rocksdb::PinnableSlice value;
  const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), handle(family), slice(key), &value);
  return !status.IsNotFound() && is_damage(status);
}

bool KeyValueStore::has_whole_blob_files() const {
  rocksdb::ColumnFamilyMetaData family;
  database_->GetColumnFamilyMetaData(handle(Family::body), &family);
  return std::ranges::all_of(family.blob_files, [this](const rocksdb::BlobMetaData& file) {
    std::error_code error;
    // The name begins with a slash.
    return std::filesystem::file_size(folder_.string() + file.blob_file_name, error) == file.blob_file_size && !error;
  });
}

bool KeyValueStore::has_files_of(const KeyValueStore& other) const {
  const auto data_files = [](const std::filesystem::path& folder) {
    std::set<std::filesystem::path> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::filesystem::path extension = entry.path().extension();
      if (extension == ".sst" || extension == ".blob") names.insert(entry.path().filename());
    }
    return names;
  };
  const std::set<std::filesystem::path> names = data_files(folder_);
  return sequence() == other.sequence() && names == data_files(other.folder_) &&
         std::ranges::all_of(names, [&](const std::filesystem::path& name) {
           return std::filesystem::equivalent(folder_ / name, other.folder_ / name);
         });
}

std::uint64_t KeyValueStore::sequence() const { return database_->GetLatestSequenceNumber(); }

std::vector<std::string> KeyValueStore::list_damaged_files() const {
  std::vector<std::string> names;
  for (const DamagedFile& file : damaged_files(*database_, folder_)) {
    names.push_back(fmt::format("{} of {}", file.name, file.family));
  }
  return names;
}

void KeyValueStore::back_up(const std::filesystem::path& folder, std::uint32_t keep) {
  // A random identity that a restored store keeps. RocksDB's own identity changes when a store is restored.
  constexpr std::string_view identity_key = "identity";
  std::optional<std::string> identity = get(Family::meta, identity_key);
  if (!identity) {
    identity = random_identity();
    Batch batch;
    batch.put(Family::meta, identity_key, *identity);
    write(batch);
  }
  prepare_backup_folder(folder, *identity);
  // Flushes here, so that later failures concern only the backup folder.
  change([&] { return database_->Flush(rocksdb::FlushOptions(), handles_); });
  sync();
  write_backup(*database_, folder, keep);
}

std::uint64_t KeyValueStore::row_count(Family family) const {
  std::uint64_t count = 0;
  if (family == Family::body) {
    // Counting by a scan would read the bodies. No body is written twice, so the estimate is exact for a store without
    // memtables.
    database_->GetIntProperty(handle(family), rocksdb::DB::Properties::kEstimateNumKeys, &count);
    return count;
  }
  scan(family, {}, [&count](std::string_view /*key*/, std::string_view /*value*/) {
    ++count;
    return true;
  });
  return count;
}

std::uint64_t KeyValueStore::bytes(Family family) const {
  rocksdb::ColumnFamilyMetaData data;
  database_->GetColumnFamilyMetaData(handle(family), &data);
  return data.size + data.blob_file_size;
}

std::uint64_t KeyValueStore::uncompacted_bytes(Family family) const {
  rocksdb::ColumnFamilyMetaData data;
  database_->GetColumnFamilyMetaData(handle(family), &data);
  return data.levels.empty() ? 0 : data.size - data.levels.back().size;
}

void KeyValueStore::compact(Family family, std::atomic<bool>* canceled) {
  rocksdb::CompactRangeOptions options;
  options.canceled = canceled;
  if (canceled == nullptr) {
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    options.blob_garbage_collection_policy = rocksdb::BlobGarbageCollectionPolicy::kForce;
    options.blob_garbage_collection_age_cutoff = 1.0;
  }
  change([&] {
    const rocksdb::Status status = database_->CompactRange(options, handle(family), nullptr, nullptr);
    return canceled != nullptr && canceled->load() && status.IsIncomplete() ? rocksdb::Status::OK() : status;
  });
}

// After a failed write, RocksDB aborts the process at its next use (assertions are enabled in Debian's build).
// Therefore all later writes fail with the first error. Acknowledged writes are in the log.
void KeyValueStore::change(const std::function<rocksdb::Status()>& work) {
  if (!writable_) throw store_error(directory_, "is open for reading only");
  const std::lock_guard lock(changing_);
  if (!failure_.empty()) throw StoreError(failure_);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);  // for this thread: nobody reads the counters
  try {
    check(work(), "write");
  } catch (const StoreError& error) {
    failure_ = error.what();
    throw;
  }
}

// Writes in key order, because RocksDB writes neighbouring keys faster.
void KeyValueStore::write(Batch& batch) {
  change([&] {
    std::ranges::stable_sort(batch.changes_, [&batch](const Batch::Change& left, const Batch::Change& right) {
      return left.family == right.family ? batch.key_of(left) < batch.key_of(right) : left.family < right.family;
    });
    rocksdb::WriteBatch rows(batch.bytes());  // RocksDB needs less than sizeof(Change) for each change
    for (const Batch::Change& change : batch.changes_) {
      const std::string_view key = batch.key_of(change);
      const std::string_view value = std::string_view(batch.bytes_).substr(change.value, change.end - change.value);
      rocksdb::Status added = change.is_put ? rows.Put(handle(change.family), slice(key), slice(value))
                                            : rows.Delete(handle(change.family), slice(key));
      if (!added.ok()) return added;
    }
    return database_->Write(rocksdb::WriteOptions(), &rows);
  });
}

void KeyValueStore::sync() {
  change([&] { return database_->FlushWAL(true); });
}

void KeyValueStore::checkpoint(const std::filesystem::path& destination) {
  sync();  // before RocksDB 9.4, a checkpoint may miss unsynced data of the write-ahead log
  change([&] {
    rocksdb::Checkpoint* raw = nullptr;
    const rocksdb::Status created = rocksdb::Checkpoint::Create(database_.get(), &raw);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
    return created.ok() ? checkpoint->CreateCheckpoint(destination.string()) : created;
  });
}

void KeyValueStore::scan(Family family, std::string_view prefix, const Visit& visit) const {
  for (Rows row(*this, family, prefix); !row.is_at_end(); row.next()) {
    if (!visit(row.key(), row.value())) break;
  }
}

KeyValueStore::Rows::Rows(const KeyValueStore& store, Family family, std::string_view prefix)
    : store_(store), end_(end_of_prefix(prefix)) {
  begin_at(family, prefix, prefix);
}

KeyValueStore::Rows::Rows(const KeyValueStore& store, Family family, std::string_view begin, std::string_view end)
    : store_(store), end_(end) {
  begin_at(family, begin, {});
}

void KeyValueStore::Rows::begin_at(Family family, std::string_view begin, std::string_view prefix) {
  rocksdb::ReadOptions options = scan_options(family, prefix);
  upper_bound_ = std::make_unique<rocksdb::Slice>(slice(end_));
  if (!end_.empty()) options.iterate_upper_bound = upper_bound_.get();
  row_.reset(store_.database_->NewIterator(options, store_.handle(family)));
  row_->Seek(slice(begin));
  check();
}

KeyValueStore::Rows::~Rows() = default;

void KeyValueStore::Rows::check() const {
  if (!row_->Valid()) store_.check(row_->status(), "read");
}

bool KeyValueStore::Rows::is_at_end() const { return !row_->Valid(); }
std::string_view KeyValueStore::Rows::key() const { return view(row_->key()); }
std::string_view KeyValueStore::Rows::value() const { return view(row_->value()); }

void KeyValueStore::Rows::next() {
  row_->Next();
  check();
}

std::optional<std::string> KeyValueStore::last_key(Family family) const {
  const std::unique_ptr<rocksdb::Iterator> row(database_->NewIterator(scan_options(family), handle(family)));
  row->SeekToLast();
  check(row->status(), "read");
  if (!row->Valid()) return std::nullopt;
  return row->key().ToString();
}

KeyValueStore::Cursor::Cursor(const KeyValueStore& store, Family family)
    : store_(store), row_(store.database_->NewIterator(scan_options(family), store.handle(family))) {}

KeyValueStore::Cursor::~Cursor() = default;

std::optional<std::string_view> KeyValueStore::Cursor::get(std::string_view key) {
  constexpr int max_steps = 8;  // more steps cost as much as a seek
  for (int step = 0; step < max_steps && row_->Valid() && view(row_->key()) < key; ++step) row_->Next();
  if (!row_->Valid() || view(row_->key()) < key) row_->Seek(slice(key));
  if (!row_->Valid()) store_.check(row_->status(), "read");
  if (!row_->Valid() || view(row_->key()) != key) return std::nullopt;
  return view(row_->value());
}

void KeyValueStore::Batch::put(Family family, std::string_view key, std::string_view head, std::string_view tail) {
  const std::size_t begin = bytes_.size();
  bytes_.append(key).append(head).append(tail);
  changes_.push_back({family, true, begin, begin + key.size(), bytes_.size()});
}

void KeyValueStore::Batch::erase(Family family, std::string_view key) {
  const std::size_t begin = bytes_.size();
  bytes_.append(key);
  changes_.push_back({family, false, begin, bytes_.size(), bytes_.size()});
}

void KeyValueStore::Batch::clear() {
  bytes_.clear();
  changes_.clear();
}

std::string_view KeyValueStore::Batch::key_of(const Change& change) const {
  return std::string_view(bytes_).substr(change.key, change.value - change.key);
}

}  // namespace linkherd::storage
