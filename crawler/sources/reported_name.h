// How reports call a file.
#pragma once

#include <filesystem>
#include <string>

namespace linkherd::crawler {

// Relative where it is below the current folder, else as it was given; always UTF-8.
std::string reported_name(const std::filesystem::path& path);

}  // namespace linkherd::crawler
