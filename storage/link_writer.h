// Writes checked links in batches, which takes less work than writing them one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::storage {

class Store;

class LinkWriter {
 public:
  LinkWriter(const Store& store, const Run& run);  // `store` must outlive this object
  LinkWriter(const LinkWriter&) = delete;
  LinkWriter& operator=(const LinkWriter&) = delete;

  // Adds what one check of a link found:
  //
  // - the state of the link
  // - its snapshot, if it differs from the latest history row; none if the link was never fetched
  // - the body, once per digest; none if it is empty
  // - the result of the link, as RunResults::put() does. Its check and its page are those of the snapshot.
  //
  // A link must not be added twice before write(). `is_new` promises that the store has no state of the link, so none
  // is read. Throws std::logic_error if a new body does not match the digest in the snapshot.
  void add(const CheckedLink& link, std::string_view body, bool is_new = false);
  std::size_t bytes() const { return batch_.bytes(); }  // bytes added since the last write()
  // Writes everything added so far atomically.
  void write();

 private:
  bool has_body(const std::string& key) const;
  void add_body(const std::optional<std::string>& key, std::string_view body);
  void replace(const LinkId& id, Timestamp at);

  KeyValueStore& rows_;
  const std::uint64_t run_;
  const OccurrencesKeys occurrences_;
  KeyValueStore::Batch batch_;
  std::set<std::string> bodies_;  // keys of the bodies in the batch
};

// Writes one link; see LinkWriter::add().
void put_link(const Store& store, const Run& run, const CheckedLink& link, std::string_view body);

}  // namespace linkherd::storage
