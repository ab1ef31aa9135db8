// Reads a regular file. Pipes, devices and growing files cannot block the program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "parser/result.h"

namespace linkherd::crawler {

// The error text does not include the file name: "is a pipe, not a regular file". `inside`: a real path; a file that
// symbolic links lead out of it, or to what git keeps in it, is an error. The file that was opened counts, not what a
// path led to before.
Result<std::string> read_file_bytes(const std::filesystem::path& path, std::size_t max_bytes,
                                    const std::filesystem::path& inside = {});
// Reads at most that many bytes from the start of one.
Result<std::string> read_file_start(const std::filesystem::path& path, std::size_t max_bytes,
                                    const std::filesystem::path& inside = {});

// The absolute path without "." and "..", by its text alone.
std::filesystem::path full_path(const std::filesystem::path& path);

// The name of a file in reports: relative if the file is below the current folder, otherwise as given; always UTF-8:
// other bytes are escaped. `here`: that folder, for who asks often; empty if there is none.
std::string reported_name(const std::filesystem::path& path, const std::filesystem::path& here);
std::string reported_name(const std::filesystem::path& path);
// Empty if it was removed.
std::filesystem::path current_folder();

// Returns true if the file is a picture by its extension.
bool is_picture(const std::filesystem::path& file);

}  // namespace linkherd::crawler
