// Keeps the files that linkherd finds, matches and writes inside a repository. A pull request may bring symbolic links
// that lead anywhere. A user who names a path on the command line may read through any link.
//
// Example: the current folder is the repository /r.
//     path               leads_out()
//     docs/a.md          false   a file
//     docs/img/x.png     false   docs/img is a symbolic link to ../assets, which stays inside
//     docs/home/x.txt    true    docs/home is a symbolic link to /home/user
//     docs/config        true    a symbolic link to ../.git/config: what git keeps does not belong to the tree
//     ../other/b.md      false   no symbolic link: the user wrote ".."
#pragma once

#include <filesystem>

namespace linkherd::crawler {

// Returns the real path of the repository that contains a folder. Empty if there is none.
std::filesystem::path repository_around(const std::filesystem::path& folder);

// Returns the repository of the current folder. Empty if there is none.
std::filesystem::path own_repository();

// Returns true if a real path is `folder` or below it. Every path is inside an empty folder.
bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& real);

// Returns true if the path leaves the repository of the current folder through a symbolic link in the repository. The
// target of the link need not exist. A path that leaves by a literal ".." is allowed.
bool leads_out(const std::filesystem::path& path);

inline constexpr const char* leads_out_message =
    "is reached through a symbolic link that points outside the repository";

}  // namespace linkherd::crawler
