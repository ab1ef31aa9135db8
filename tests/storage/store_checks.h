// Helpers of the store tests: create a small store, read all of it, and check its errors.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "storage/store.h"

namespace linkherd::storage {

// Runs `work` and returns the message of its StoreError, or "no StoreError".
std::string message_of(const std::function<void()>& work);

// Checks that `work` throws a StoreError whose message is one line, names the store and contains `words`.
void check_error(const std::filesystem::path& store, std::string_view words, const std::function<void()>& work);

// Creates a store with ten links and closes it. With `publish`, its data are in table and blob files.
void make_store(const std::filesystem::path& path, bool publish = true);

// Reads everything that a run and a report read.
void read_all(const Store& store);

}  // namespace linkherd::storage
