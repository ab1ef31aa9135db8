#include "storage/rocks_options.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "storage/file_descriptor.h"
#include "storage/table_properties.h"

namespace linkherd::storage {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::shared_ptr<rocksdb::FileSystem>& file_system() {
  static std::shared_ptr<rocksdb::FileSystem> files = rocksdb::FileSystem::Default();
  return files;
}

// Creates each file here first, accessible by the owner only. RocksDB cannot set the mode of its files, but keeps the
// mode of existing files. There is no moment at which other users could open the file. Refuses to open tables on which
// RocksDB could abort.
class OwnerOnlyFiles : public rocksdb::FileSystemWrapper {
 public:
  using Options = rocksdb::FileOptions;
  using Debug = rocksdb::IODebugContext;
  using RandomAccessFile = std::unique_ptr<rocksdb::FSRandomAccessFile>;
  using WritableFile = std::unique_ptr<rocksdb::FSWritableFile>;

  OwnerOnlyFiles() : rocksdb::FileSystemWrapper(file_system()) {}
  const char* Name() const override { return "OwnerOnlyFiles"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const Options& options, RandomAccessFile* result,
                                        Debug* debug) override {
    rocksdb::IOStatus opened = target()->NewRandomAccessFile(name, options, result, debug);
    if (!opened.ok() || !name.ends_with(".sst")) return opened;
    std::uint64_t bytes = 0;
    if (rocksdb::IOStatus sized = target()->GetFileSize(name, {}, &bytes, debug); !sized.ok()) return sized;
    rocksdb::IOStatus checked = check_table_properties(**result, bytes);
    if (checked.IsCorruption()) return rocksdb::IOStatus::Corruption(checked.getState(), name);
    return checked;
  }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const Options& options, WritableFile* result,
                                    Debug* debug) override {
    make_file(name);
    return target()->NewWritableFile(name, options, result, debug);
  }
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const Options& options, WritableFile* result,
                                       Debug* debug) override {
    make_file(name);
    return target()->ReopenWritableFile(name, options, result, debug);
  }
  rocksdb::IOStatus LockFile(const std::string& name, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             Debug* debug) override {
    make_file(name);
    return target()->LockFile(name, options, lock, debug);
  }
  rocksdb::IOStatus CreateDir(const std::string& name, const rocksdb::IOOptions& options, Debug* debug) override {
    if (::mkdir(name.c_str(), 0700) == 0) return rocksdb::IOStatus::OK();
    return target()->CreateDir(name, options, debug);  // fails as well, and returns the reason
  }

 private:
  // Ignores errors, because RocksDB's own attempt then fails too and returns the reason.
  static void make_file(const std::string& name) {
    const FileDescriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  }
};

// Leaves descriptors for sockets: RocksDB keeps all its files open only if the limit is high.
int max_open_files() {
  constexpr rlim_t plenty = 8192;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  if (limit.rlim_cur >= plenty) return -1;
  return static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur / 4, 32, 512));
}

// Returns the first algorithm that this build of RocksDB supports.
rocksdb::CompressionType best_of(std::initializer_list<rocksdb::CompressionType> wanted) {
  static const std::vector<rocksdb::CompressionType> supported = rocksdb::GetSupportedCompressions();
  for (const rocksdb::CompressionType type : wanted) {
    if (std::ranges::find(supported, type) != supported.end()) return type;
  }
  return rocksdb::kNoCompression;
}

std::shared_ptr<rocksdb::TableFactory> table_factory(bool mostly_found) {
  // All families of the process share one cache with few shards. An entry larger than a shard is never cached, and the
  // index of a large table did not fit into one of 64 shards of 1 MiB.
  constexpr int shard_bits = 2;
  static const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(64 * mebibyte, shard_bits);
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.checksum = table_checksum;
  table.format_version = table_format_version;  // so that stores can move between versions of RocksDB
  // To read a block, zstd first reads its dictionary, which costs as much as 10 KiB of content. Most rows are read in
  // key order.
  table.block_size = 32 << 10;
  table.block_restart_interval = 32;           // keys are half of most rows, and a restart point stores the whole key
  table.cache_index_and_filter_blocks = true;  // keeps memory bounded for any store size
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;  // a lookup loads only a part of the index
  table.partition_filters = !mostly_found;
  table.whole_key_filtering = true;
  if (!mostly_found) table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  return std::shared_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(table));
}

void keep_in_blob_files(rocksdb::ColumnFamilyOptions& options) {
  options.enable_blob_files = true;
  options.min_blob_size = 4 << 10;
  options.blob_file_size = 256 * mebibyte;
  options.blob_compression_type = best_of({rocksdb::kZSTD, rocksdb::kLZ4Compression});
  options.enable_blob_garbage_collection = true;
  options.blob_garbage_collection_age_cutoff = 0.25;
  options.blob_garbage_collection_force_threshold = 0.5;  // the default of 1.0 never forces a collection
}

}  // namespace

rocksdb::Env* owner_only_env() {
  static const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(std::make_shared<OwnerOnlyFiles>());
  return env.get();
}

void set_file_system(std::shared_ptr<rocksdb::FileSystem> files) { file_system() = std::move(files); }

// The lines have the form "[WARN] [SOURCE] FILE: dropping N bytes; Corruption: REASON".
void RecoveryLog::Logv(const char* format, va_list arguments) {
  constexpr std::string_view dropping = ": dropping ";
  std::array<char, 1024> buffer{};
  if (std::vsnprintf(buffer.data(), buffer.size(), format, arguments) < 0) return;
  const std::string_view line = buffer.data();
  const std::size_t end = line.find(dropping);
  if (end == std::string_view::npos || line.find("truncated", end) != std::string_view::npos ||
      line.find("trailing data", end) != std::string_view::npos) {
    return;
  }
  const std::size_t begin = line.substr(0, end).find_last_of("/ ") + 1;
  const std::lock_guard lock(mutex_);
  damaged_logs_.emplace(line.substr(begin, end - begin));
}

std::set<std::string> RecoveryLog::damaged_logs() const {
  const std::lock_guard lock(mutex_);
  return damaged_logs_;
}

rocksdb::DBOptions database_options(std::shared_ptr<RecoveryLog> log) {
  rocksdb::DBOptions options;
  options.env = owner_only_env();
  options.max_open_files = max_open_files();
  // RocksDB aborts if it cannot start threads for opening files, and a store has few files.
  options.max_file_opening_threads = 1;
  options.max_background_jobs = 2;
  options.info_log = std::move(log);
  options.max_total_wal_size = 256 * mebibyte;  // otherwise one idle family keeps every write-ahead log alive
  options.db_write_buffer_size = 128 * mebibyte;
  options.bytes_per_sync = mebibyte;
  options.max_bgerror_resume_count = 0;  // the user must free disk space; see KeyValueStore::change()
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // With this option, RocksDB 7.8 may refuse to open after SyncWAL() ("Missing WAL with log number", fixed in 7.10).
  options.track_and_verify_wals_in_manifest = false;
  return options;
}

rocksdb::ColumnFamilyOptions family_options(Family family) {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = 32 * mebibyte;
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = best_of({rocksdb::kLZ4Compression, rocksdb::kSnappyCompression});
  options.bottommost_compression = best_of({rocksdb::kZSTD, rocksdb::kLZ4Compression});
  // Small, similar records compress only with a dictionary.
  options.bottommost_compression_opts.level = 6;  // 4 % smaller than with the default of 3, for 2 us more per link
  options.bottommost_compression_opts.max_dict_bytes = 16 << 10;
  options.bottommost_compression_opts.zstd_max_train_bytes = 100 * (16 << 10);
  options.bottommost_compression_opts.use_zstd_dict_trainer = false;  // training took a sixth of the time of a run
  options.bottommost_compression_opts.enabled = true;
  options.table_factory = table_factory(family == Family::meta);
  // Most lookups in these two families find a row. The filters of the other families identify new rows.
  options.optimize_filters_for_hits = family == Family::history || family == Family::run;
  // Most rows of a run are new. This filter shows without a search that they are missing.
  options.memtable_whole_key_filtering = true;
  options.memtable_prefix_bloom_size_ratio = 0.005;  // small, because it is zeroed for each new memtable
  // The rows of a batch are mostly in key order, so each insertion starts at the position of the row before it.
  options.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(0));
  // Length of a link id.
  if (family == Family::history) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(16));
  if (family == Family::body) keep_in_blob_files(options);
  return options;
}

rocksdb::ColumnFamilyOptions unknown_family_options() { return {}; }

}  // namespace linkherd::storage
