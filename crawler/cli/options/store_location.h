// Locates and opens the store: `.linkherd` at the root of the git repository around the current folder, otherwise in
// the current folder. A store that was found there, and not named by the user, is opened only if nobody else can have
// created it: a checked repository could contain one.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "crawler/run/crawl.h"
#include "parser/timestamp.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Relative to the current folder if one contains the other; nullopt outside of a repository.
std::optional<std::filesystem::path> repository_root();

CLI::Option* add_store_option(CLI::App& app, std::string& store);
std::filesystem::path store_location(const std::string& configured);

// How long to wait for a store that another process is writing, unless a signal ends that.
struct LockWait {
  Duration timeout{};
  const std::atomic<StopSignal>* stop = nullptr;
};
CLI::Option* add_wait_lock_option(CLI::App& app, Duration& timeout);

// Opens the store for writing. Returns null if a store that was found is not trusted. Logs that, and losses of a
// damaged store. Throws StoreError.
std::unique_ptr<storage::Store> open_store(const std::string& configured, const LockWait& wait);

// Throws storage::StoreError where there is no store at the path. Writes nothing.
void require_store(const std::filesystem::path& path);

// Opens a store that exists for writing. Throws StoreError, also if there is none or it is not trusted.
std::unique_ptr<storage::Store> open_existing_store(const std::string& configured, Duration timeout);

// Likewise; makes the store if there is none.
std::unique_ptr<storage::Store> open_store_to_fill(const std::string& configured, Duration timeout);

// Restores the store from a backup; see storage::Store::restore. Throws StoreError.
storage::Restored restore_store(const std::string& configured, const std::string& folder,
                                std::optional<std::uint32_t> backup, Duration timeout);

// Opens the store for reports. Logs losses and unfinished runs. Throws StoreError, also if the store is not trusted.
std::unique_ptr<storage::Store> open_store_for_reading(const std::string& configured);

// Returns the id of a link as it is written in a list; links are stored without their fragment (L1). Throws
// CLI::ValidationError.
storage::LinkId stored_link_id(const std::string& url);

// Throws CLI::ValidationError if the output `file` of `option` is inside this or another store, or if a symbolic link
// in this repository leads it out of that.
void refuse_unsafe_output(const std::string& configured, const std::string& option, const std::string& file);

// Throws CLI::ValidationError if the output `file` of `option` is the file `other`, maybe by another name.
void refuse_same_output(const std::string& option, const std::string& file, const std::string& other);

}  // namespace linkherd::crawler
