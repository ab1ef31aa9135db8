#include "tests/storage/fault_file_system.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace linkherd::storage {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

std::string normal(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace

class FaultWritableFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultWritableFile(FaultFileSystem& files, std::string name, std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files), name_(std::move(name)) {}

  using FSWritableFileOwnerWrapper::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);
    if (IOStatus fault = files_.status(files_.writes_fail_); !fault.ok()) return fault;
    IOStatus done = FSWritableFileOwnerWrapper::Append(data, options, debug);
    if (done.ok()) written_ += data.size();
    if (const auto file = files_.files_.find(name_); file != files_.files_.end()) file->second.written = written_;
    return done;
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& /*info*/,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);
    if (IOStatus fault = files_.status(files_.writes_fail_); !fault.ok()) return fault;
    IOStatus done = FSWritableFileOwnerWrapper::Sync(options, debug);
    const auto file = files_.files_.find(name_);
    if (done.ok() && file != files_.files_.end()) file->second.synced = written_;
    return done;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override { return Sync(options, debug); }

 private:
  FaultFileSystem& files_;
  std::string name_;
  std::uint64_t written_ = 0;
};

class FaultReadableFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultReadableFile(FaultFileSystem& files, std::unique_ptr<rocksdb::FSRandomAccessFile> file)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), files_(files) {}
  IOStatus Read(std::uint64_t offset, std::size_t count, const IOOptions& options, rocksdb::Slice* result,
                char* scratch, IODebugContext* debug) const override {
    const std::lock_guard lock(files_.mutex_);  // prevents truncation during the read
    if (IOStatus fault = files_.status(files_.reads_fail_); !fault.ok()) return fault;
    return FSRandomAccessFileOwnerWrapper::Read(offset, count, options, result, scratch, debug);
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, std::size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);  // prevents truncation during the read
    if (IOStatus fault = files_.status(files_.reads_fail_); !fault.ok()) return fault;
    return FSRandomAccessFileOwnerWrapper::MultiRead(requests, count, options, debug);
  }

 private:
  FaultFileSystem& files_;
};

class FaultDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  FaultDirectory(FaultFileSystem& files, std::string name, std::unique_ptr<rocksdb::FSDirectory> folder)
      : FSDirectoryWrapper(std::move(folder)), files_(files), name_(std::move(name)) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return FsyncWithDirOptions(options, debug, rocksdb::DirFsyncOptions());
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& more) override {
    const std::lock_guard lock(files_.mutex_);
    if (IOStatus fault = files_.status(files_.writes_fail_); !fault.ok()) return fault;
    files_.sync_folder(name_);
    return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, more);
  }

 private:
  FaultFileSystem& files_;
  std::string name_;
};

IOStatus FaultFileSystem::status(const std::atomic<bool>& fails) const {
  return fails ? IOStatus::IOError("injected", "Input/output error") : IOStatus::OK();
}

void FaultFileSystem::sync_folder(const std::string& name) {
  for (auto& [file, state] : files_) {
    if (fs::path(file).parent_path() != name) continue;
    state.is_named = true;
    state.replaced.reset();
  }
}

void FaultFileSystem::lose_power() {
  mutex_.lock();  // never released, so no thread continues
  for (const auto& [name, file] : files_) {
    if (!fs::exists(name)) continue;
    if (!file.is_named) fs::remove(name);
    if (!file.is_named && file.replaced) std::ofstream(name, std::ios::binary) << *file.replaced;
    if (!file.is_named || !file.written) continue;
    fs::resize_file(name, std::uniform_int_distribution<std::uint64_t>(file.synced, *file.written)(random_));
  }
  ::_exit(0);
}

IOStatus FaultFileSystem::NewWritableFile(const std::string& name, const Options& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* result, Debug* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus fault = status(writes_fail_); !fault.ok()) return fault;
  IOStatus made = FileSystemWrapper::NewWritableFile(name, options, result, debug);
  if (!made.ok()) return made;
  files_[normal(name)] = {.written = 0};
  *result = std::make_unique<FaultWritableFile>(*this, normal(name), std::move(*result));
  return made;
}

IOStatus FaultFileSystem::NewRandomAccessFile(const std::string& name, const Options& options,
                                              std::unique_ptr<rocksdb::FSRandomAccessFile>* result, Debug* debug) {
  const std::lock_guard lock(mutex_);  // prevents threads from seeing files that have lost data or names
  IOStatus opened = FileSystemWrapper::NewRandomAccessFile(name, options, result, debug);
  if (opened.ok()) *result = std::make_unique<FaultReadableFile>(*this, std::move(*result));
  return opened;
}

IOStatus FaultFileSystem::NewSequentialFile(const std::string& name, const Options& options,
                                            std::unique_ptr<rocksdb::FSSequentialFile>* result, Debug* debug) {
  const std::lock_guard lock(mutex_);
  return FileSystemWrapper::NewSequentialFile(name, options, result, debug);
}

IOStatus FaultFileSystem::FileExists(const std::string& name, const IOOptions& options, Debug* debug) {
  const std::lock_guard lock(mutex_);
  return FileSystemWrapper::FileExists(name, options, debug);
}

IOStatus FaultFileSystem::GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* size,
                                      Debug* debug) {
  const std::lock_guard lock(mutex_);
  return FileSystemWrapper::GetFileSize(name, options, size, debug);
}

IOStatus FaultFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                       std::unique_ptr<rocksdb::FSDirectory>* result, Debug* debug) {
  IOStatus opened = FileSystemWrapper::NewDirectory(name, options, result, debug);
  if (opened.ok()) *result = std::make_unique<FaultDirectory>(*this, normal(name), std::move(*result));
  return opened;
}

IOStatus FaultFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                     Debug* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus fault = status(writes_fail_); !fault.ok()) return fault;
  std::optional<std::string> replaced;
  if (fs::is_regular_file(to)) replaced = tests::read_file(to);
  IOStatus done = FileSystemWrapper::RenameFile(from, to, options, debug);
  if (!done.ok()) return done;
  const std::string old_name = normal(from);
  std::map<std::string, File> moved;
  for (const auto& [name, file] : files_) {  // the names of a folder
    const bool is_moved = name == old_name || name.starts_with(old_name + '/');
    moved.emplace(is_moved ? normal(to) + name.substr(old_name.size()) : name, file);
  }
  files_ = std::move(moved);
  if (const auto file = files_.find(normal(to)); file != files_.end()) {
    file->second.is_named = false;
    file->second.replaced = std::move(replaced);
  }
  return done;
}

IOStatus FaultFileSystem::LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                                   Debug* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus fault = status(writes_fail_); !fault.ok()) return fault;
  IOStatus done = FileSystemWrapper::LinkFile(from, to, options, debug);
  if (done.ok()) files_[normal(to)] = {};
  return done;
}

IOStatus FaultFileSystem::DeleteFile(const std::string& name, const IOOptions& options, Debug* debug) {
  const std::lock_guard lock(mutex_);
  if (IOStatus fault = status(writes_fail_); !fault.ok()) return fault;
  files_.erase(normal(name));
  return FileSystemWrapper::DeleteFile(name, options, debug);
}

}  // namespace linkherd::storage
