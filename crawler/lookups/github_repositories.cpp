#include "crawler/lookups/github_repositories.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "parser/ascii.h"
#include "parser/metadata/embedded_json.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

namespace json = boost::json;

constexpr std::size_t max_files = 1000;  // with the name of the lost file
constexpr std::size_t max_file_path_bytes = 1000;

// Returns the base of the REST API beside the GraphQL API.
std::string rest_api(const parser::Url& graphql) {
  if (graphql.path() == "/api/graphql") return graphql.origin() + "/api/v3";
  std::string_view path = graphql.path();
  if (const std::size_t end = path.rfind("/graphql"); end != std::string_view::npos) path = path.substr(0, end);
  while (path.ends_with('/')) path.remove_suffix(1);
  return graphql.origin() + std::string(path);
}

FetchRequest get(const GithubApi& api, const std::string& path) {
  std::vector<std::string> lines{"Accept: application/vnd.github+json"};
  if (!api.token.empty()) lines.push_back("Authorization: Bearer " + api.token);
  return FetchRequest::follow_up(Purpose::relocation_lookup, parser::Url::parse(rest_api(api.url) + path).value(),
                                 std::move(lines));
}

std::string encode_path(std::string_view path) {
  std::string encoded;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (!encoded.empty()) encoded += '/';
    encoded += parser::percent_encode_component(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return encoded;
}

// Returns the path of the file within its repository: "docs/a.md" for the git expression "main:docs/a.md".
std::string_view file_path(const GithubLink& link) {
  const std::string_view expression = link.expression;
  return expression.substr(std::min(expression.find(':') + 1, expression.size()));
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string letters_and_digits(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (parser::is_ascii_alphanumeric(c)) letters += parser::ascii_lower(c);
  }
  return letters;
}

}  // namespace

FetchRequest request_repository(const GithubApi& api, const GithubLink& link) {
  return get(api, fmt::format("/repos/{}/{}", link.owner, link.name));
}

FetchRequest request_files(const GithubApi& api, const GithubRepository& repository) {
  return get(api, fmt::format("/repos/{}/git/trees/{}?recursive=1", repository.full_name,
                              parser::percent_encode_component(repository.default_branch)));
}

std::optional<GithubRepository> read_repository(std::string_view json_text) {
  static const re2::RE2 name(R"([A-Za-z0-9_-]{1,100}/[\w.-]{1,100})");
  static const re2::RE2 branch(R"([\w./+#-]{1,200})");
  json::value answer;
  if (!parser::parse_embedded_json(json_text, answer)) return std::nullopt;
  const auto text = [&answer](std::string_view key) { return parser::text_of(parser::at_path(answer, key)); };
  GithubRepository repository{text("full_name"), text("default_branch"), std::nullopt};
  const json::value* is_private = parser::at_path(answer, "private");
  if (is_private == nullptr || !is_private->is_bool() || is_private->get_bool()) return std::nullopt;
  if (repository.full_name.ends_with("/.") || repository.full_name.ends_with("/..")) return std::nullopt;
  if (!re2::RE2::FullMatch(repository.full_name, name) || !re2::RE2::FullMatch(repository.default_branch, branch))
    return std::nullopt;
  const std::string homepage = text("homepage");
  const bool has_scheme = homepage.find("://") != std::string::npos;
  if (homepage.empty()) return repository;
  Result<parser::Url> url = parser::Url::parse(has_scheme ? homepage : "https://" + homepage);
  if (url.has_value() && url->is_http() && url->username().empty() && url->password().empty())
    repository.homepage = std::move(*url);
  return repository;
}

std::vector<std::string> read_files(std::string_view json_text) {
  std::vector<std::string> files;
  json::value answer;
  if (!parser::parse_embedded_json(json_text, answer)) return files;
  const json::value* tree = parser::at_path(answer, "tree");
  if (tree == nullptr || !tree->is_array()) return files;
  for (const json::value& entry : tree->get_array()) {
    std::string path = parser::text_of(parser::at_path(entry, "path"));
    const bool is_file = parser::text_of(parser::at_path(entry, "type")) == "blob";
    if (is_file && path.size() <= max_file_path_bytes && is_valid_utf8(path)) files.push_back(std::move(path));
  }
  return files;
}

std::vector<ListedAddress> files_named_like(const GithubLink& lost_file, const std::vector<std::string>& files,
                                            const GithubRepository& repository, std::string_view host) {
  std::vector<ListedAddress> addresses;
  const std::string lost = parser::to_ascii_lower(file_name(file_path(lost_file)));
  for (const std::string& path : files) {
    if (!parser::equals_ignoring_case(file_name(path), lost) || addresses.size() == max_files) continue;
    auto url = parser::Url::parse(fmt::format("https://{}/{}/blob/{}/{}", host, repository.full_name,
                                              encode_path(repository.default_branch), encode_path(path)));
    if (url.has_value()) addresses.push_back({std::move(*url), {}});
  }
  return addresses;
}

std::string repository_name(const parser::Url& url) {
  constexpr std::array<std::string_view, 4> other_forges{"gitlab.com", "codeberg.org", "bitbucket.org", "git.sr.ht"};
  if (const auto link = github_link(url, "github.com"))
    return link->kind == GithubKind::repository ? link->name : std::string();
  if (!parser::is_one_of(other_forges, url.host()) || url.has_query()) return {};
  std::string_view path = url.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  if (std::ranges::count(path, '/') != 2) return {};
  return parser::percent_decode(file_name(path));
}

bool has_name_of_site(std::string_view repository, const parser::Url& site) {
  constexpr std::size_t min_name_bytes = 3;  // shorter names are equal by chance
  const std::string name = letters_and_digits(repository);
  if (name.size() < min_name_bytes || !site.is_http()) return false;
  std::string_view path = site.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.empty()) return name == letters_and_digits(file_name(path));
  std::string_view host = site.host();
  if (name == letters_and_digits(host)) return true;  // "example.org" is the name of some repositories
  // All labels except the top-level domain
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.')) {
    if (name == letters_and_digits(host.substr(0, dot))) return true;
    host.remove_prefix(dot + 1);
  }
  return false;
}

}  // namespace linkherd::crawler
