#include "crawler/sources/generators/asciidoc_documents.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/lists/document_format.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_document_bytes = std::size_t{4} << 20U;
constexpr std::size_t max_documents = 20'000;         // documents that are searched for includes
constexpr std::size_t max_including_documents = 200;  // per included file

std::optional<std::string> read_text(const fs::path& file) {
  const Result<std::string> bytes = read_file_bytes(file, max_document_bytes);
  if (bytes.has_error() || parser::is_binary(*bytes)) return std::nullopt;
  return parser::decode_text(*bytes).text;
}

// Returns the name of the file that a line "include::path/name[…]" includes. Empty for other lines.
std::string_view included_name(std::string_view line) {
  constexpr std::string_view macro = "include::";
  if (!line.starts_with(macro)) return {};
  std::string_view target = line.substr(macro.size());
  target = target.substr(0, target.find('['));
  const std::size_t start = target.find_last_of("/$");
  return start == std::string_view::npos ? target : target.substr(start + 1);
}

}  // namespace

bool is_asciidoc(const fs::path& file) {
  return parser::prose_format_for_extension(file.filename().string()) == parser::DocumentFormat::asciidoc;
}

parser::ReadInclude include_reader(const fs::path& list, const AllowedFolders& folders) {
  return [folder = list.parent_path(), &folders](const std::string& path) -> std::optional<std::string> {
    const fs::path file = (folder / path).lexically_normal();
    if (path.find('\0') != std::string::npos || folders.inspect(file).type != fs::file_type::regular)
      return std::nullopt;
    return read_text(file);
  };
}

const parser::IncludedFile* AsciidocDocuments::Document::part(const fs::path& file) const {
  const auto found = std::ranges::find(parts, file.native(), &parser::IncludedFile::path);
  return found == parts.end() ? nullptr : &*found;
}

const AsciidocDocuments::Document& AsciidocDocuments::document_at(const fs::path& file, const AllowedFolders& folders) {
  const auto [known, is_new] = documents_.try_emplace(file.native());
  Document& document = known->second;
  if (!is_new) return document;
  const auto charge = [this](std::size_t bytes) {
    const bool has_room = bytes <= bytes_left_;
    bytes_left_ -= has_room ? bytes : 0;
    return has_room;
  };
  const std::optional<std::string> text = read_text(file);
  if (!text || !charge(text->size())) {
    document.has_unknown = true;
    return document;
  }
  parser::AsciidocOptions options;
  options.has_included_anchors = true;
  options.read_include = [&, read = include_reader(file, folders)](const std::string& path) {
    std::optional<std::string> part = read(path);
    if (part && !charge(part->size())) part.reset();
    return part;
  };
  parser::FoundLinks found = parser::read_asciidoc_links(*text, file.native(), options);
  document.has_unknown = found.has_unknown_anchors;
  document.anchors = parser::AnchorSet::of(found, parser::DocumentFormat::asciidoc);
  document.parts = std::move(found.includes);
  for (parser::IncludedFile& part : document.parts)
    part.path = (file.parent_path() / part.path).lexically_normal().native();
  return document;
}

const AsciidocDocuments::Includes& AsciidocDocuments::includes_below(const fs::path& top) {
  const auto [known, is_new] = includes_.try_emplace(top.native());
  Includes& includes = known->second;
  if (!is_new) return includes;
  FolderDocuments documents = find_files(top, is_asciidoc);
  includes.is_complete = documents.files.size() <= max_documents;
  if (!includes.is_complete) documents.files.resize(max_documents);
  for (const std::string& file : documents.files) {
    const std::optional<std::string> text = read_text(file);
    if (!text || text->size() > bytes_left_) {
      includes.is_complete = false;
      continue;
    }
    bytes_left_ -= text->size();
    for (std::size_t at = text->starts_with("include::") ? 0 : text->find("\ninclude::"); at != std::string::npos;
         at = text->find("\ninclude::", at + 1)) {
      const std::size_t start = (*text)[at] == '\n' ? at + 1 : at;
      const std::string_view line =
          std::string_view(*text).substr(start, parser::find_line_break(*text, start) - start);
      const std::string_view name = included_name(line);
      const std::size_t attribute = name.rfind('}');
      if (name.find('{') != std::string_view::npos) {
        includes.unresolved.emplace_back(attribute == std::string_view::npos ? "" : name.substr(attribute + 1));
      } else if (!name.empty()) {
        includes.files[std::string(name)].push_back(full_path(file).native());
      }
    }
  }
  return includes;
}

std::vector<std::string> AsciidocDocuments::including(const fs::path& file, const fs::path& top, bool& is_complete) {
  const Includes& includes = includes_below(top);
  is_complete = includes.is_complete;
  std::vector<std::string> documents;
  std::set<std::string> seen{file.native()};
  std::vector<std::string> names{file.filename().native()};
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    const bool may_be_included =
        std::ranges::any_of(includes.unresolved, [&name](const std::string& end) { return name.ends_with(end); });
    is_complete = is_complete && !may_be_included;
    const auto found = includes.files.find(name);
    if (found == includes.files.end()) continue;
    for (const std::string& document : found->second) {
      if (!seen.insert(document).second) continue;
      if (documents.size() == max_including_documents) {
        is_complete = false;
        return documents;
      }
      documents.push_back(document);
      names.push_back(fs::path(document).filename().native());
    }
  }
  return documents;
}

AnchorStatus AsciidocDocuments::find_anchor(const fs::path& file, std::string_view fragment, const fs::path& top,
                                            const AllowedFolders& folders) {
  const std::scoped_lock lock(mutex_);
  const Document& own = document_at(file, folders);
  if (own.anchors.has(fragment)) return AnchorStatus::found;
  bool is_complete = true;
  bool is_unknown = own.has_unknown;
  for (const std::string& path : including(file, top, is_complete)) {
    const Document& document = document_at(path, folders);
    if (document.part(file) != nullptr && document.anchors.has(fragment)) return AnchorStatus::found;
    is_unknown = is_unknown || document.has_unknown;
  }
  return is_unknown || !is_complete ? AnchorStatus::maybe_generated : AnchorStatus::missing;
}

std::vector<fs::path> AsciidocDocuments::image_folders(const fs::path& file, const fs::path& top,
                                                       const AllowedFolders& folders) {
  const std::scoped_lock lock(mutex_);
  std::vector<fs::path> images;
  bool is_complete = true;
  for (const std::string& path : including(file, top, is_complete)) {
    const parser::IncludedFile* part = document_at(path, folders).part(file);
    if (part == nullptr) continue;
    const fs::path folder = fs::path(path).parent_path();
    images.push_back((folder / part->images_folder).lexically_normal());
    images.push_back(folder);
  }
  return images;
}

}  // namespace linkherd::crawler
