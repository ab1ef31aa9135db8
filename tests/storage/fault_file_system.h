// A file system for RocksDB that simulates a power failure, or a disk that can no longer be read or written. Use it
// only in a separate process, see store_writer.cpp. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include <rocksdb/file_system.h>

namespace linkherd::storage {

class FaultFileSystem : public rocksdb::FileSystemWrapper {
 public:
  using Options = rocksdb::FileOptions;
  using Debug = rocksdb::IODebugContext;

  explicit FaultFileSystem(std::uint32_t seed) : FileSystemWrapper(rocksdb::FileSystem::Default()), random_(seed) {}
  const char* Name() const override { return "FaultFileSystem"; }

  // Ends the process. Every file keeps its synced part and a random part of the rest. Files and names are lost if their
  // folder was not synced after they were created.
  [[noreturn]] void lose_power();
  void fail_writes() { writes_fail_ = true; }  // all later writes fail with EIO
  void fail_reads() { reads_fail_ = true; }    // all later reads of table and blob files fail with EIO

  rocksdb::IOStatus NewWritableFile(const std::string& name, const Options& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result, Debug* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const Options& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result, Debug* debug) override;
  rocksdb::IOStatus NewSequentialFile(const std::string& name, const Options& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result, Debug* debug) override;
  rocksdb::IOStatus FileExists(const std::string& name, const rocksdb::IOOptions& options, Debug* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options, std::uint64_t* size,
                                Debug* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result, Debug* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               Debug* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                             Debug* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options, Debug* debug) override;

 private:
  friend class FaultWritableFile;
  friend class FaultReadableFile;
  friend class FaultDirectory;

  struct File {
    std::optional<std::uint64_t> written;  // nullopt for another name of a file that is tracked elsewhere
    std::uint64_t synced = 0;
    bool is_named = false;                               // its folder was synced since it was created
    std::optional<std::string> replaced = std::nullopt;  // the content of the file that had this name before
  };

  rocksdb::IOStatus status(const std::atomic<bool>& fails) const;
  void sync_folder(const std::string& name);

  std::mutex mutex_;
  std::map<std::string, File> files_;  // created since the process started; guarded by mutex_
  std::mt19937 random_;
  std::atomic<bool> writes_fail_{false};
  std::atomic<bool> reads_fail_{false};
};

}  // namespace linkherd::storage
