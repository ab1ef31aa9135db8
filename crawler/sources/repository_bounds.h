// Keeps what linkherd finds, matches and writes inside a repository: a pull request may bring symbolic links that lead
// anywhere. Whoever names a path on the command line may read through any link.
#pragma once

#include <filesystem>

namespace linkherd::crawler {

// The real path of the repository that contains a folder; empty if there is none.
std::filesystem::path repository_around(const std::filesystem::path& folder);

// That of the current folder.
std::filesystem::path own_repository();

// Whether a real path is that folder or below it. Every path is inside an empty one.
bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& real);

// Whether a path leaves the repository of the current folder through a symbolic link in it, also where the file behind
// the link does not exist yet. ".." as it is written may leave.
bool leads_out(const std::filesystem::path& path);

inline constexpr const char* leads_out_words = "is reached through a symbolic link that points outside the repository";

}  // namespace linkherd::crawler
