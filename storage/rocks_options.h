// The RocksDB options of this store. The implementation explains each option.
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

// Returns a RocksDB environment that creates files and folders accessible by the owner only, because bodies may come
// from authenticated requests.
rocksdb::Env* owner_only_env();

// Replaces the file system of that environment. Tests of faults call it before the first database is opened.
void set_file_system(std::shared_ptr<rocksdb::FileSystem> files);

// Receives RocksDB's own log, and keeps only the names of damaged write-ahead logs. The log is not written to disk:
// RocksDB's log writer aborts the process when the disk is full (assertions are enabled in Debian's build). Errors are
// returned as a status anyway. Only this log reports that RocksDB did not read a write-ahead log to its end.
// Thread-safe.
class RecoveryLog : public rocksdb::Logger {
 public:
  RecoveryLog() : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using rocksdb::Logger::Logv;
  [[gnu::format(printf, 2, 0)]] void Logv(const char* format, va_list arguments) override;

  // Returns the names of damaged write-ahead logs. A log that ends early, as a killed process leaves it, is not
  // damaged.
  std::set<std::string> damaged_logs() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> damaged_logs_;
};

rocksdb::DBOptions database_options(std::shared_ptr<RecoveryLog> log = std::make_shared<RecoveryLog>());
rocksdb::ColumnFamilyOptions family_options(Family family);

// Returns options for column families of a newer version of linkherd. They are kept but never read.
rocksdb::ColumnFamilyOptions unknown_family_options();

}  // namespace linkherd::storage
