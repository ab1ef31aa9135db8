// Where the store is: `.linkherd` at the root of the git repository around the current folder, else in the current
// folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <CLI/App.hpp>

namespace linkherd::crawler {

// Relative to the current folder where it is below or above it; nothing outside a repository.
std::optional<std::filesystem::path> repository_root();

CLI::Option* add_store_option(CLI::App& app, std::string& store);
std::filesystem::path store_location(const std::string& configured);

}  // namespace linkherd::crawler
