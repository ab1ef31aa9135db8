#include "crawler/sources/repository_bounds.h"

#include <string_view>
#include <system_error>

#include "crawler/sources/file_bytes.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

constexpr int max_symbolic_links = 40;  // per path, as in Linux

// Resolves the symbolic links of a path whose end need not exist. fs::weakly_canonical() does not resolve links without
// a target.
class Resolution {
 public:
  explicit Resolution(fs::path repository) : repository_(std::move(repository)) {}

  // Returns true if a link in the repository leads out of it, or to a file inside its ".git".
  bool leads_out(const fs::path& path) {
    fs::path at = path.root_path();
    for (const fs::path& part : path.relative_path()) {
      fs::path next = follow(at, part);
      const bool is_of_tree = is_inside(repository_, next) && !is_inside(repository_ / ".git", next);
      if (is_link_ && is_inside(repository_, at) && !is_of_tree) return true;
      at = std::move(next);
    }
    return false;
  }

 private:
  fs::path follow(const fs::path& at, const fs::path& part) {
    is_link_ = false;
    if (part.empty() || part == ".") return at;
    if (part == "..") return at.parent_path();
    std::error_code error;
    const fs::path target = fs::read_symlink(at / part, error);
    if (error || ++links_ > max_symbolic_links) return at / part;
    fs::path end = target.is_absolute() ? target.root_path() : at;
    for (const fs::path& inner : target.relative_path()) end = follow(end, inner);
    is_link_ = true;
    return end;
  }

  fs::path repository_;
  bool is_link_ = false;
  int links_ = 0;
};

}  // namespace

fs::path repository_around(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = fs::canonical(folder, error); !error; at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) return at;
    if (!at.has_relative_path()) break;
  }
  return {};
}

fs::path own_repository() { return repository_around(current_folder()); }

bool is_inside(const fs::path& folder, const fs::path& real) {
  const std::string_view outer = folder.native();
  const std::string_view inner = real.native();
  if (!inner.starts_with(outer)) return false;
  return outer.empty() || outer.ends_with('/') || inner.size() == outer.size() || inner[outer.size()] == '/';
}

bool leads_out(const fs::path& path) {
  const fs::path repository = own_repository();
  return !repository.empty() && Resolution(repository).leads_out(current_folder() / path);
}

}  // namespace linkherd::crawler
