// Shared helpers of the store tests: a small store, reading all of it, and the form of its errors.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "storage/store.h"

namespace linkherd::storage {

// What a StoreError says; "no StoreError" where there is none.
std::string message_of(const std::function<void()>& work);

// The message of a StoreError: one line that names the store and holds `words`.
void check_error(const std::filesystem::path& store, std::string_view words, const std::function<void()>& work);

// A store with ten links, closed, and published unless told otherwise: its data are in table and blob files.
void make_store(const std::filesystem::path& path, bool publish = true);

// Everything that a run and a report read.
void read_all(const Store& store);

}  // namespace linkherd::storage
