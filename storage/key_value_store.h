// RocksDB with the column families of this store: keys and values are bytes, failures are StoreErrors. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/key_layout.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Iterator;
class Snapshot;
class Status;
class WriteBatch;
}  // namespace rocksdb

namespace linkherd::storage {

// Whether there is a database with all the families of this version in `database`. Throws StoreError where it is
// damaged.
bool has_our_families(const std::filesystem::path& store, const std::filesystem::path& database);

class KeyValueStore {
 public:
  // `store`: the directory that messages name. For writing, `database` is created where it is missing, files that are
  // lost or damaged are replaced by those of `spare`, a checkpoint of it, or else left out (see losses()), and
  // StoreDamaged is thrown where nothing can be read. For reading, it is a checkpoint that nobody changes.
  static std::unique_ptr<KeyValueStore> open_for_writing(std::filesystem::path store,
                                                         const std::filesystem::path& database,
                                                         const std::optional<std::filesystem::path>& spare = {});
  static std::unique_ptr<KeyValueStore> open_for_reading(std::filesystem::path store,
                                                         const std::filesystem::path& database);
  ~KeyValueStore();
  KeyValueStore(const KeyValueStore&) = delete;
  KeyValueStore& operator=(const KeyValueStore&) = delete;

  class Cursor;

  // A state of the whole store that stays as it is while others write; valid as long as the store is open.
  class View {
   public:
    explicit View(const KeyValueStore& store);
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    std::optional<std::string> get(Family family, std::string_view key) const;
    // Every key that starts with `prefix`, in order; stops when `visit` returns false. The texts live as long as the
    // call.
    using Visit = std::function<bool(std::string_view key, std::string_view value)>;
    void scan(Family family, std::string_view prefix, const Visit& visit) const;
    std::optional<std::string> last_key(Family family) const;

   private:
    friend class Cursor;
    const KeyValueStore& store_;
    const rocksdb::Snapshot* snapshot_;
  };

  // Looks up values of a view whose keys are asked for in rising order: faster than a search for each.
  class Cursor {
   public:
    Cursor(const View& view, Family family);
    ~Cursor();
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    std::optional<std::string_view> get(std::string_view key);  // valid until the next call

   private:
    const KeyValueStore& store_;
    std::unique_ptr<rocksdb::Iterator> row_;  // null: there is no such family
  };

  std::optional<std::string> get(Family family, std::string_view key) const;
  // Whether there is a value that can be read.
  bool contains(Family family, std::string_view key) const;
  // Whether there is a value that cannot be read.
  bool is_unreadable(Family family, std::string_view key) const;

  // One atomic write of what was put into the batch.
  class Batch {
   public:
    Batch();
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    void put(const KeyValueStore& store, Family family, std::string_view key, std::string_view value);
    // The value in two parts, so that a large one need not be copied first.
    void put(const KeyValueStore& store, Family family, std::string_view key, std::string_view head,
             std::string_view tail);
    void erase(const KeyValueStore& store, Family family, std::string_view key);
    std::size_t bytes() const;
    void clear();

   private:
    friend class KeyValueStore;
    std::unique_ptr<rocksdb::WriteBatch> batch_;
  };
  void write(Batch& batch);

  // What was replaced or left out when it was opened, a line each.
  const std::vector<std::string>& losses() const { return losses_; }
  bool has_left_out_tables() const { return has_left_out_tables_; }
  // Whether every file of large values is there and has its size.
  bool has_whole_blob_files() const;
  std::uint64_t sequence() const;  // the number of the last change
  void compact(Family family);     // reclaims the space of what was erased

  void sync();                                                // what was written survives a power cut
  void checkpoint(const std::filesystem::path& destination);  // an absolute path that does not exist yet
  const std::filesystem::path& directory() const { return directory_; }

 private:
  KeyValueStore(std::filesystem::path store, std::filesystem::path database);
  rocksdb::Status try_open(const std::vector<std::string>& names);
  void close();
  rocksdb::Status open_without_damage(const std::vector<std::string>& names,
                                      const std::optional<std::filesystem::path>& spare);
  std::optional<std::string> get(Family family, std::string_view key, const rocksdb::Snapshot* snapshot) const;
  rocksdb::ColumnFamilyHandle* handle(Family family) const;  // null: a checkpoint from before this family
  void adopt(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  void check(const rocksdb::Status& status, std::string_view doing) const;
  // Serialises writes, and refuses all after the first failure.
  void change(const std::function<rocksdb::Status()>& work);

  std::filesystem::path directory_;
  std::filesystem::path folder_;  // RocksDB's own
  std::vector<std::string> losses_;
  bool has_left_out_tables_ = false;
  bool writable_ = false;
  std::mutex changing_;
  std::string failure_;  // what the first failed change said; guarded by changing_
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // all; released in the destructor
  std::array<rocksdb::ColumnFamilyHandle*, family_names.size()> known_{};
};

}  // namespace linkherd::storage
