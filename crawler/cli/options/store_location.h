// Locates and opens the store. Its default is `.linkherd` at the root of the git repository around the current folder,
// or else in the current folder. A store at the default location is opened only if no other user can have created it,
// because a cloned repository could contain one.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "crawler/run/crawl.h"
#include "parser/timestamp.h"
#include "storage/store.h"

namespace linkherd::crawler {

// Returns a relative path if the repository and the current folder contain each other. Returns nullopt outside of a
// repository.
std::optional<std::filesystem::path> repository_root();

std::filesystem::path store_location(const std::string& configured);

// Opens the store for writing. If another process is writing it, waits at most `timeout`, or until a signal. Returns
// null and logs the reason if the store at the default location is not trusted. Logs losses of a damaged store. Throws
// StoreError.
std::unique_ptr<storage::Store> open_store(const std::string& configured, Duration timeout,
                                           const std::atomic<StopSignal>& stop);

// Throws storage::StoreError if there is no store at the path. Writes nothing.
void require_store(const std::filesystem::path& path);

// Opens an existing store for writing. Throws StoreError, also if there is no store or if it is not trusted.
std::unique_ptr<storage::Store> open_existing_store(const std::string& configured, Duration timeout);

// Does the same, but creates the store if there is none.
std::unique_ptr<storage::Store> open_store_to_fill(const std::string& configured, Duration timeout);

// Restores the store from a backup; see storage::Store::restore. Throws StoreError.
storage::Restored restore_store(const std::string& configured, const std::string& folder,
                                std::optional<std::uint32_t> backup, Duration timeout);

// Opens the store for reports. Logs losses and unfinished runs. Throws StoreError, also if the store is not trusted.
std::unique_ptr<storage::Store> open_store_for_reading(const std::string& configured);

// Returns the ID of a link as written in a document. Links are stored without their fragment (L1). Throws
// CLI::ValidationError.
storage::LinkId stored_link_id(const std::string& url);

// Throws CLI::ValidationError if the output `file` of `option` is inside this or another store. Also throws if a
// symbolic link in this repository points the output outside of it.
void refuse_unsafe_output(const std::string& configured, const std::string& option, const std::string& file);

// Throws CLI::ValidationError if the output `file` of `option` is the same file as `other`, even under another name.
void refuse_same_output(const std::string& option, const std::string& file, const std::string& other);

}  // namespace linkherd::crawler
