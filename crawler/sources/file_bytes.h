// A regular file's bytes, read so that no pipe, device or growing file can hold the program up.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "parser/result.h"

namespace linkherd::crawler {

// The error says what is wrong with the file, without its name: "is a pipe, and a regular file is wanted".
Result<std::string> read_file_bytes(const std::filesystem::path& path, std::size_t max_bytes);

// How reports call a file.

// Relative where it is below the current folder, else as it was given; always UTF-8.
std::string reported_name(const std::filesystem::path& path);

}  // namespace linkherd::crawler
