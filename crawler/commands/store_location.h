// Locates and opens the store: `.linkherd` at the root of the git repository around the current folder, otherwise in
// the current folder. A store that was found there, and not named by the user, is opened only if nobody else can have
// created it: a checked repository could contain one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "storage/store.h"

namespace linkherd::crawler {

// Relative to the current folder if one contains the other; nullopt outside of a repository.
std::optional<std::filesystem::path> repository_root();

CLI::Option* add_store_option(CLI::App& app, std::string& store);
std::filesystem::path store_location(const std::string& configured);

// Opens the store for writing. Returns null if a store that was found is not trusted. Logs that, and losses of a
// damaged store. Throws StoreError.
std::unique_ptr<storage::Store> open_store(const std::string& configured);

// Opens the store for reports. Logs losses and unfinished runs. Throws StoreError, also if the store is not trusted.
std::unique_ptr<storage::Store> open_store_for_reading(const std::string& configured);

// Throws CLI::ValidationError if the output `file` of `option` is inside this or another store.
void refuse_output_in_store(const std::string& configured, const std::string& option, const std::string& file);

}  // namespace linkherd::crawler
