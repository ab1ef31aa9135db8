// Opens RocksDB with the column families of this store, and reads and writes their rows. Keys and values are bytes.
// Throws StoreError if RocksDB fails. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/file_names.h"
#include "storage/key_layout.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Iterator;
class Slice;
class Status;
class WriteBatch;
}  // namespace rocksdb

namespace linkherd::storage {

// Returns true if `database` has a database with all families of a store. Throws StoreError if it is damaged.
bool has_all_families(const std::filesystem::path& store, const std::filesystem::path& database);

class KeyValueStore {
 public:
  // `store` is the directory that messages name.
  //
  // open_for_writing() creates a missing `database`. It replaces missing and damaged files by those of `spare` (a
  // checkpoint of the database), or drops them; see losses(). It throws StoreDamaged if nothing can be read.
  // open_for_reading() opens a checkpoint, which never changes. It throws StoreError if a family is missing.
  static std::unique_ptr<KeyValueStore> open_for_writing(std::filesystem::path store,
                                                         const std::filesystem::path& database,
                                                         const std::optional<std::filesystem::path>& spare = {});
  static std::unique_ptr<KeyValueStore> open_for_reading(std::filesystem::path store,
                                                         const std::filesystem::path& database);
  ~KeyValueStore();
  KeyValueStore(const KeyValueStore&) = delete;
  KeyValueStore& operator=(const KeyValueStore&) = delete;

  // Visits every key with the prefix in order, until `visit` returns false. The arguments are valid only during the
  // call.
  //
  // scan(), Cursor and Rows see the family as it was when they began; the objects must not outlive the store. They do
  // not use a RocksDB snapshot, because RocksDB rewrites tables when a snapshot is released.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  void scan(Family family, std::string_view prefix, const Visit& visit) const;
  std::optional<std::string> last_key(Family family) const;

  // Looks up values by ascending keys, which is faster than single lookups.
  class Cursor {
   public:
    Cursor(const KeyValueStore& store, Family family);
    ~Cursor();
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    std::optional<std::string_view> get(std::string_view key);  // valid until the next call

   private:
    const KeyValueStore& store_;
    std::unique_ptr<rocksdb::Iterator> row_;
  };

  // Iterates over the rows of a family in order: the rows with a prefix, or those from the key `begin` up to and
  // excluding `end`.
  class Rows {
   public:
    Rows(const KeyValueStore& store, Family family, std::string_view prefix = {});
    Rows(const KeyValueStore& store, Family family, std::string_view begin, std::string_view end);
    ~Rows();
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    bool is_at_end() const;
    std::string_view key() const;  // like value(), valid until the next call of next()
    std::string_view value() const;
    void next();

   private:
    void begin_at(Family family, std::string_view begin, std::string_view prefix);
    void check() const;

    const KeyValueStore& store_;
    std::string end_;  // empty: no upper bound
    std::unique_ptr<rocksdb::Slice> upper_bound_;
    std::unique_ptr<rocksdb::Iterator> row_;
  };

  std::optional<std::string> get(Family family, std::string_view key) const;
  // Returns true if the key has a readable value.
  bool contains(Family family, std::string_view key) const;
  // Returns true if the key has a value that cannot be read.
  bool is_unreadable(Family family, std::string_view key) const;

  // Collects changes that are written atomically. Several changes of one key apply in the order in which they were
  // added.
  class Batch {
   public:
    void put(Family family, std::string_view key, std::string_view value) { put(family, key, value, {}); }
    // Writes the concatenation of `head` and `tail`.
    void put(Family family, std::string_view key, std::string_view head, std::string_view tail);
    void erase(Family family, std::string_view key);
    std::size_t bytes() const { return bytes_.size() + changes_.size() * sizeof(Change); }  // memory in use
    void clear();

   private:
    friend class KeyValueStore;

    struct Change {
      Family family = Family::meta;
      bool is_put = false;  // false: the row is erased
      std::size_t key = 0;  // offset of the key in bytes_; the value follows it
      std::size_t value = 0;
      std::size_t end = 0;
    };

    std::string_view key_of(const Change& change) const;

    std::string bytes_;
    std::vector<Change> changes_;
  };
  void write(Batch& batch);

  // Converts the file names in values. By default, names stay unchanged.
  FileNames file_names;

  // Describes what was replaced or dropped when the store was opened, one entry per line.
  const std::vector<std::string>& losses() const { return losses_; }
  bool has_left_out_tables() const { return has_left_out_tables_; }
  // Returns true if every blob file exists and has the right size.
  bool has_whole_blob_files() const;
  // Returns true if both stores consist of the same files (hard links to one another) and neither has later changes.
  bool has_files_of(const KeyValueStore& other) const;
  std::uint64_t sequence() const;                       // sequence number of the last change
  std::vector<std::string> list_damaged_files() const;  // "FILE of FAMILY"; reads every block of every table
  // Copies the database to `folder`, which must be new, empty, or contain backups of this store. Files that an earlier
  // backup has are not copied again. Reads the new backup again, and then keeps only the last `keep` backups. See
  // storage/backup.h.
  void back_up(const std::filesystem::path& folder, std::uint32_t keep);
  std::uint64_t row_count(Family family) const;
  std::uint64_t bytes(Family family) const;  // size of the table and blob files
  // Returns the bytes in the tables of all levels except the last. The last level has each row once; rows there that
  // these tables replace still take space.
  std::uint64_t uncompacted_bytes(Family family) const;
  // Reclaims the space of erased values. With `canceled`, it works with low priority until the flag is set. Otherwise
  // it does all of the work.
  void compact(Family family, std::atomic<bool>* canceled = nullptr);

  void sync();                                                // makes everything written so far durable
  void checkpoint(const std::filesystem::path& destination);  // must be an absolute path that does not exist
  const std::filesystem::path& directory() const { return directory_; }

 private:
  KeyValueStore(std::filesystem::path store, std::filesystem::path database);
  rocksdb::Status try_open(const std::vector<std::string>& names);
  void close();
  rocksdb::Status open_without_damage(const std::vector<std::string>& names,
                                      const std::optional<std::filesystem::path>& spare);
  rocksdb::ColumnFamilyHandle* handle(Family family) const;
  void adopt(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  void report_damaged_logs(const std::set<std::string>& logs);
  void check(const rocksdb::Status& status, std::string_view doing) const;
  // Serialises writes. Rejects all writes after one has failed.
  void change(const std::function<rocksdb::Status()>& work);

  std::filesystem::path directory_;
  std::filesystem::path folder_;  // RocksDB's folder
  std::vector<std::string> losses_;
  bool has_left_out_tables_ = false;
  bool writable_ = false;
  std::mutex changing_;
  std::string failure_;  // message of the first failed write; guarded by changing_
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // released in the destructor
  std::array<rocksdb::ColumnFamilyHandle*, family_names.size()> known_{};
};

}  // namespace linkherd::storage
