#include "crawler/commands/store_location.h"

#include <system_error>

namespace linkherd::crawler {

namespace fs = std::filesystem;

std::optional<fs::path> repository_root() {
  std::error_code error;
  const fs::path start = fs::current_path(error);
  if (error) return std::nullopt;
  fs::path relative = ".";
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return relative;
    if (folder == folder.parent_path()) return std::nullopt;
    relative = relative == "." ? fs::path("..") : relative / "..";
  }
}

CLI::Option* add_store_option(CLI::App& app, std::string& store) {
  return app.add_option("--store", store, "Where results are kept (default: .linkherd at the root of the repository)")
      ->type_name("DIR");
}

fs::path store_location(const std::string& configured) {
  if (!configured.empty()) return configured;
  const fs::path root = repository_root().value_or(".");
  return root == "." ? fs::path(".linkherd") : root / ".linkherd";
}

}  // namespace linkherd::crawler
