#include "storage/link_writer.h"

#include <stdexcept>
#include <utility>

#include "storage/store.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"
#include "storage/value_format.h"

namespace linkherd::storage {

LinkWriter::LinkWriter(const Store& store, const Run& run)
    : rows_(store.rows()), run_(run.number), occurrences_(run.identity) {}

void LinkWriter::add(const CheckedLink& link, std::string_view body, bool is_new) {
  const LinkState& state = link.state;
  const std::string key = link_key(state.id);
  const std::optional<std::string> before = is_new ? std::nullopt : rows_.get(Family::link, key);
  LinkRows rows = encode_link(before, state);
  const bool is_row_lost = rows.same_as && !rows_.contains(Family::history, history_key(state.id, *rows.same_as));
  if (is_row_lost) rows = encode_link(std::nullopt, state);
  batch_.put(Family::link, key, rows.link);
  const std::optional<std::string> body_digest = body_key(state.snapshot.body_digest);
  if (!body.empty()) add_body(body_digest, body);
  if (rows.history) {
    const std::string mark = encode_body_mark(!body.empty() || (body_digest && has_body(*body_digest)));
    batch_.put(Family::history, history_key(state.id, state.snapshot.fetched_at), *rows.history, mark);
  }
  if (rows.replaces) replace(state.id, *rows.replaces);
  LinkResult result = link.result;
  set_state(result, state);
  put_result(batch_, rows_, run_, occurrences_, std::move(result), is_new);
}

void LinkWriter::write() {
  rows_.write(batch_);
  batch_.clear();
  bodies_.clear();
}

void LinkWriter::add_body(const std::optional<std::string>& key, std::string_view body) {
  if (key && has_body(*key)) return;
  // Not a StoreError: this is a programming error, and the body would be stored under a wrong key.
  if (!key || body_key(content_digest(body)) != key)
    throw std::logic_error("the body does not match the digest in its snapshot");
  batch_.put(Family::body, *key, std::string_view(&value_version, 1), body);
  bodies_.insert(*key);
}

void LinkWriter::replace(const LinkId& id, Timestamp at) {
  const std::string key = history_key(id, at);
  if (const std::optional<std::string> row = rows_.get(Family::history, key)) {
    batch_.put(Family::history, key, expect(rows_, "snapshot", id, replaced_row(*row)));
  }
}

bool LinkWriter::has_body(const std::string& key) const {
  return bodies_.contains(key) || rows_.contains(Family::body, key);
}

void put_link(const Store& store, const Run& run, const CheckedLink& link, std::string_view body) {
  LinkWriter writer(store, run);
  writer.add(link, body);
  writer.write();
}

}  // namespace linkherd::storage
