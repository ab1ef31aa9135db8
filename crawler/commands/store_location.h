// Where the store is: `.linkherd` at the root of the git repository around the current folder, else in the current
// folder; and how commands open it. One that was found so, and not named by the user, is opened only where it can be
// nobody else's: a repository that is checked could bring its own.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "storage/store.h"

namespace linkherd::crawler {

// Relative to the current folder where it is below or above it; nothing outside a repository.
std::optional<std::filesystem::path> repository_root();

CLI::Option* add_store_option(CLI::App& app, std::string& store);
std::filesystem::path store_location(const std::string& configured);

// For writing. Null where the store was found by itself and is not to be trusted. Says that, and what was lost of a
// store that is damaged, in the log. Throws StoreError.
std::unique_ptr<storage::Store> open_store(const std::string& configured);

// For reports. Says in the log what was lost, and whether a run is unfinished. Throws StoreError, also where the store
// is not to be trusted.
std::unique_ptr<storage::Store> open_store_for_reading(const std::string& configured);

// Throws CLI::ValidationError where `file`, which `option` is to write, lies in the store or in another one.
void refuse_output_in_store(const std::string& configured, const std::string& option, const std::string& file);

}  // namespace linkherd::crawler
