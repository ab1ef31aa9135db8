#include "parser/lists/markup/antora_resources.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace linkherd::parser {

bool is_antora_resource(std::string_view target) {
  constexpr std::array<std::string_view, 6> families{"page$", "partial$", "image$", "img$", "attachment$", "example$"};
  const std::string_view path = target.substr(0, target.find('#'));
  if (path.find("://") != std::string_view::npos) return false;
  return path.find_first_of(":@") != std::string_view::npos ||
         std::ranges::any_of(families,
                             [path](std::string_view one) { return path.find(one) != std::string_view::npos; });
}

std::optional<std::string> path_of_antora_resource(std::string_view id, std::string_view family) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> folders{{{"page", "pages/"},
                                                                                  {"partial", "partials/"},
                                                                                  {"image", "images/"},
                                                                                  {"img", "images/"},
                                                                                  {"attachment", "attachments/"},
                                                                                  {"example", "examples/"}}};
  const std::size_t hash = std::min(id.find('#'), id.size());
  const std::string_view fragment = id.substr(hash);
  std::string_view path = id.substr(0, hash);
  if (path.find_first_of("{}") != std::string_view::npos) return std::nullopt;
  const std::size_t last = path.rfind(':');
  const std::size_t first = path.find(':');
  const bool has_component = first != last;
  if (!has_component && path.find('@') != std::string_view::npos) return std::nullopt;
  std::string_view module;
  const bool has_module = last != std::string_view::npos;
  if (has_module) {
    module = path.substr(0, last);
    if (has_component) module.remove_prefix(first + 1);
    path.remove_prefix(last + 1);
    if (module.empty()) module = "ROOT";
  }
  if (const std::size_t mark = path.find('$'); mark != std::string_view::npos) {
    family = path.substr(0, mark);
    path.remove_prefix(mark + 1);
  }
  const auto* const folder = std::ranges::find(folders, family, &std::pair<std::string_view, std::string_view>::first);
  if (folder == folders.end() || path.empty() || module.find_first_of(":/") != std::string_view::npos)
    return std::nullopt;
  std::string result = has_module ? "../../" : "../";
  if (has_module) result.append(module).append(1, '/');
  result.append(folder->second).append(path);
  const bool has_extension = path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos;
  if (family == "page" && !has_extension) result += ".adoc";
  return result.append(fragment);
}

std::optional<std::string> path_to_antora_pages(std::string_view file) {
  const bool is_first = file.starts_with("modules/");
  const std::size_t modules = is_first ? 0 : file.rfind("/modules/");
  if (modules == std::string_view::npos) return std::nullopt;
  const std::size_t end = file.find('/', modules + (is_first ? 8 : 9));
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = file.substr(end + 1);
  const bool is_page = rest.starts_with("pages/");
  if (!is_page && !rest.starts_with("partials/") && !rest.starts_with("nav")) return std::nullopt;
  std::string path;
  for (auto folders = std::ranges::count(rest, '/') - (is_page ? 1 : 0); folders > 0; --folders) path += "../";
  return is_page ? path : path + "pages/";
}

}  // namespace linkherd::parser
