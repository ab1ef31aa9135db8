// RocksDB options of this store. The implementation explains each of them.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/options.h>

#include "storage/key_layout.h"

namespace linkherd::storage {

// A RocksDB environment that creates files and folders accessible by the owner only, because bodies may come from
// authenticated requests.
rocksdb::Env* owner_only_env();

// Replaces the file system below it; for tests of faults, before the first database is opened.
void set_file_system(std::shared_ptr<rocksdb::FileSystem> files);

// RocksDB's own log. It is not written: RocksDB's writer of it aborts the process when the disk is full (assertions are
// enabled in Debian's build), and errors are returned as a status. But only there RocksDB tells that it did not read a
// write-ahead log to its end. Thread-safe.
class RecoveryLog : public rocksdb::Logger {
 public:
  RecoveryLog() : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using rocksdb::Logger::Logv;
  [[gnu::format(printf, 2, 0)]] void Logv(const char* format, va_list arguments) override;

  // The names of damaged write-ahead logs. One that just ends, as a killed process leaves it, is not damaged.
  std::set<std::string> damaged_logs() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> damaged_logs_;
};

rocksdb::DBOptions database_options(std::shared_ptr<RecoveryLog> log = std::make_shared<RecoveryLog>());
rocksdb::ColumnFamilyOptions family_options(Family family);

// For column families of a newer version of linkherd: they are kept but never read.
rocksdb::ColumnFamilyOptions unknown_family_options();

}  // namespace linkherd::storage
