// Reads regular files. Pipes, devices and growing files cannot block the program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "parser/result.h"

namespace linkherd::crawler {

// Returns the content of a file. The text of an error does not include the file name: "is a pipe, not a regular file".
// `inside` is the real path of a folder, or empty. It is an error if symbolic links lead to a file outside of it, or to
// a file inside its ".git". The check applies to the file that was opened, so a path that changes meanwhile cannot
// evade it.
Result<std::string> read_file_bytes(const std::filesystem::path& path, std::size_t max_bytes,
                                    const std::filesystem::path& inside = {});
// Like read_file_bytes(), but reads at most the first `max_bytes` of the file.
Result<std::string> read_file_start(const std::filesystem::path& path, std::size_t max_bytes,
                                    const std::filesystem::path& inside = {});

// Returns the absolute path without "." and "..". Does not access the file system.
std::filesystem::path full_path(const std::filesystem::path& path);

// Returns true if the path is the folder or below it, judged by the names alone.
bool is_below(const std::filesystem::path& folder, const std::filesystem::path& path);

// Returns the name of a file in reports. It is relative if the file is below the current folder, otherwise as given. It
// is always UTF-8: other bytes are escaped. `here` is the current folder, for callers that need many names; empty if
// there is none.
std::string reported_name(const std::filesystem::path& path, const std::filesystem::path& here);
std::string reported_name(const std::filesystem::path& path);
// Returns the current folder. Empty if it was removed.
std::filesystem::path current_folder();

// Returns true if the file has the extension of a picture.
bool is_picture(const std::filesystem::path& file);

}  // namespace linkherd::crawler
