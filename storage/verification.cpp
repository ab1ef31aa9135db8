#include "storage/verification.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "storage/key_layout.h"
#include "storage/link_history.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/store_errors.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

class Verifier {
 public:
  explicit Verifier(const Store& store) : store_(store), rows_(store.rows()) {}

  Verification run() {
    for (const std::string& file : rows_.list_damaged_files())
      add_problem(fmt::format("file {} is missing or damaged", file));
    guarded("links", [this] { check_links(); });
    guarded("the history", [this] { check_history(); });
    guarded("runs", [this] { check_runs(); });
    guarded("the lists of occurrences", [this] { check_occurrences(); });
    return std::move(result_);
  }

 private:
  void add_problem(std::string problem) {
    constexpr std::size_t max_reported = 1000;
    ++result_.problem_count;
    if (result_.problems.size() < max_reported) result_.problems.push_back(std::move(problem));
  }

  // Runs a check that ends at a damaged file, so that the other checks still run.
  template <class Work>
  void guarded(std::string_view subject, Work work) {
    try {
      work();
    } catch (const StoreError& error) {
      add_problem(fmt::format("{} cannot be read completely: {}", subject, error.what()));
    }
  }

  void check_links() {
    KeyValueStore::Cursor history(rows_, Family::history);
    rows_.scan(Family::link, {}, [&](std::string_view key, std::string_view value) {
      ++result_.links;
      const std::optional<LinkId> id = parse_link_key(key);
      if (!id) {
        add_problem("a link has an invalid key");
        return true;
      }
      const Result<StoredLink> link = decode_link(value, *id);
      if (link.has_error()) {
        add_problem(fmt::format("link {}: {}", id->to_hex(), link.error().message));
      } else if (link->snapshot_at && !history.get(history_key(*id, *link->snapshot_at))) {
        add_problem(fmt::format("link {}: its last snapshot is lost", link->state.url));
      }
      return true;
    });
  }

  void check_history() {
    rows_.scan(Family::history, {}, [&](std::string_view key, std::string_view value) {
      ++result_.history_rows;
      const std::optional<LinkId> id = parse_link_key(key);
      const Result<BodyReference> reference = body_reference(value);
      if (!id || reference.has_error()) {
        add_problem(fmt::format("history of {}: {}", id ? id->to_hex() : "no link",
                                reference.has_error() ? reference.error().message : "the key is invalid"));
        return true;
      }
      if (reference->is_stored) check_body(*id, reference->digest);
      return true;
    });
  }

  void check_body(const LinkId& id, const std::string& digest) {
    if (!checked_.insert(LinkId::of_text(digest)).second) return;
    try {
      const std::optional<std::string> body = LinkHistory(store_).body(digest);
      ++result_.bodies;
      if (!body) {
        add_problem(fmt::format("link {}: its page {} is lost", id.to_hex(), digest));
      } else if (content_digest(*body) != digest) {
        add_problem(fmt::format("link {}: its page {} is not the one that was stored", id.to_hex(), digest));
      }
    } catch (const StoreError& error) {
      add_problem(fmt::format("link {}: its page {} cannot be read: {}", id.to_hex(), digest, error.what()));
    }
  }

  void check_runs() {
    for (const Run& run : store_.runs()) {
      ++result_.runs;
      KeyValueStore::Cursor links(rows_, Family::link);
      KeyValueStore::Cursor occurrences(rows_, Family::occurrences);
      const OccurrencesKeys keys(run.identity);
      rows_.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view value) {
        if (const std::optional<LinkId> id = parse_result_key(key))
          check_result(run, *id, value, links, [&] { return occurrences.get(keys.of(*id)).has_value(); });
        return true;
      });
      if (!run.by_health.empty() && run.by_health != RunResults(store_, run).count_by_health()) {
        add_problem(fmt::format("run {}: its links do not match the count recorded at its end", run.number));
      }
    }
  }

  // Checks the occurrences of all runs, each row once.
  void check_occurrences() {
    rows_.scan(Family::occurrences, {}, [&](std::string_view key, std::string_view value) {
      const std::optional<LinkId> id = parse_occurrences_key(key);
      const auto occurrences = decode_occurrences(value);
      if (!id) {
        add_problem("a list of occurrences has an invalid key");
      } else if (occurrences.has_error()) {
        add_problem(fmt::format("link {}: its occurrences: {}", id->to_hex(), occurrences.error().message));
      }
      return true;
    });
  }

  void check_result(const Run& run, const LinkId& id, std::string_view value, KeyValueStore::Cursor& links,
                    const std::function<bool()>& has_occurrences) {
    ++result_.entries;
    const Result<LinkResult> result = decode_result(value, id);
    if (result.has_error()) {
      add_problem(fmt::format("run {}, link {}: {}", run.number, id.to_hex(), result.error().message));
      return;
    }
    if (result->check && !links.get(link_key(id)))
      add_problem(fmt::format("run {}, link {}: the link is lost", run.number, id.to_hex()));
    if (!has_occurrences())
      add_problem(fmt::format("run {}, link {}: its occurrences are lost", run.number, id.to_hex()));
  }

  const Store& store_;
  const KeyValueStore& rows_;
  std::unordered_set<LinkId> checked_;  // checked bodies, by the hash of their digest
  Verification result_;
};

}  // namespace

Verification verify(const Store& store) {
  Verification found = Verifier(store).run();
  const auto add_problem = [&found](const std::string& problem) {
    ++found.problem_count;
    found.problems.push_back(problem);
  };
  for (const std::string& loss : store.losses()) add_problem(loss);  // found when the store was opened
  if (!store.is_checkpoint()) return found;
  const auto add_database_problem = [&add_problem](const std::string& problem) {
    add_problem("the database db: " + problem);
  };
  try {
    const std::unique_ptr<Store> live = Store::open_unwritten(store.path());
    if (!live) return found;
    found.has_read_database = true;
    if (live->losses().empty() && live->rows().has_files_of(store.rows())) return found;
    for (const std::string& loss : live->losses()) add_database_problem(loss);
    if (!live->is_current())
      add_database_problem("its latest changes are lost because one of its files was truncated or replaced");
    for (const std::string& problem : Verifier(*live).run().problems) {
      if (std::ranges::find(found.problems, problem) == found.problems.end()) add_database_problem(problem);
    }
  } catch (const StoreError& error) {
    found.has_read_database = true;
    add_database_problem(error.what());
  }
  return found;
}

}  // namespace linkherd::storage
