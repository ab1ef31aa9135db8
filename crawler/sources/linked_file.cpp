#include "crawler/sources/linked_file.h"

#include <cstddef>
#include <optional>

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_linked_files = std::size_t{1} << 16;

std::uint64_t key_of(std::uint32_t context, std::uint32_t path) { return std::uint64_t{context} << 32U | path; }

}  // namespace

const RarePaths& LinkedFile::rare_paths() const {
  static const RarePaths none;
  return rare_paths_ ? *rare_paths_ : none;
}

void LinkedFile::set(std::string_view RarePaths::*member, std::string_view value) {
  if (rare_paths().*member == value) return;
  RarePaths changed = rare_paths();
  changed.*member = value;
  rare_paths_ = std::make_shared<const RarePaths>(changed);
}

std::shared_ptr<const LinkedFile> LinkedFiles::find(std::string_view context, std::string_view path) const {
  const std::scoped_lock lock(mutex_);
  const std::optional<std::uint32_t> context_index = contexts_.find(context);
  const std::optional<std::uint32_t> path_index = context_index ? paths_.find(path) : std::nullopt;
  if (!path_index) return nullptr;
  const auto known = files_.find(key_of(*context_index, *path_index));
  return known == files_.end() ? nullptr : known->second;
}

std::shared_ptr<const LinkedFile> LinkedFiles::keep(std::string_view context, std::string_view path,
                                                    const std::shared_ptr<LinkedFile>& file) {
  const std::scoped_lock lock(mutex_);
  if (files_.size() >= max_linked_files) files_.clear();
  file->path_index = paths_.intern(file->path);
  file->page_index = paths_.intern(file->page());
  return files_.try_emplace(key_of(contexts_.intern(context), paths_.intern(path)), file).first->second;
}

std::string_view LinkedFiles::intern(std::string_view path) {
  const std::scoped_lock lock(mutex_);
  return paths_.text(paths_.intern(path));
}

std::uint32_t LinkedFiles::index_of(std::string_view path) {
  const std::scoped_lock lock(mutex_);
  return paths_.intern(path);
}

}  // namespace linkherd::crawler
