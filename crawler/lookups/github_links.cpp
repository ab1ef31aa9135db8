#include "crawler/lookups/github_links.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "crawler/classify/site_facts.h"
#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/text_values.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

namespace json = boost::json;
using parser::Field;
using re2::RE2;

constexpr std::size_t max_link_path_bytes = 1000;
constexpr double confidence_of_text = 0.7;
constexpr double confidence_of_dates = 0.6;

bool is_owner_name(std::string_view text) {
  static const RE2 pattern("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern) && !is_reserved_on_github(text);
}

// Excludes names that end in ".git": GitHub redirects these clone URLs.
bool is_repository_name(std::string_view text) {
  static const RE2 pattern(R"([\w.-]{1,100})");
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern) && text != "." && text != ".." &&
         !text.ends_with(".git");
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::ranges::all_of(text, parser::is_ascii_digit);
}

// Returns true if git takes the text as a plain name, not as an expression.
bool is_plain_name(std::string_view text) {
  return !text.empty() && text.find_first_of(" ~^:?*[\\@{") == std::string_view::npos &&
         text.find("..") == std::string_view::npos && !text.starts_with('-');
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(parser::percent_decode(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return parts;
}

std::string joined(std::span<const std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : "/").append(part);
  return text;
}

// Reads the path after the repository. Returns false if the API does not know such paths.
bool read_rest(std::span<const std::string> rest, GithubLink& link) {
  const std::string& kind = rest.front();
  if (rest.size() == 1) {
    link.kind = GithubKind::releases;
    return kind == "releases";
  }
  if (rest.size() == 2 && is_number(rest[1])) {
    link.number = rest[1];
    link.kind = kind == "issues" ? GithubKind::issue
                : kind == "pull" ? GithubKind::pull_request
                                 : GithubKind::discussion;
    return kind == "issues" || kind == "pull" || kind == "discussions";
  }
  if (kind == "releases" && rest.size() > 2 && rest[1] == "tag") {
    link.kind = GithubKind::release;
    link.expression = joined(rest.subspan(2));
    return is_plain_name(link.expression);
  }
  // A branch name may contain slashes. If this split finds no file, the page may still exist.
  if ((kind != "blob" || rest.size() < 3) && kind != "tree") return false;
  if (!is_plain_name(rest[1]) || std::ranges::find(rest, "..") != rest.end()) return false;
  link.kind = kind == "blob" ? GithubKind::file : GithubKind::folder;
  link.expression = rest[1];
  if (rest.size() > 2) link.expression.append(":").append(joined(rest.subspan(2)));
  return true;
}

bool is_same_name(std::string_view one, std::string_view other) {
  return parser::equals_ignoring_case(one, parser::to_ascii_lower(other));
}

std::string graphql_string(std::string_view text) { return json::serialize(json::value(json::string(text))); }

// Returns the query fields for the target, within its repository.
std::string fields_of(const GithubLink& link) {
  static const std::string post = "__typename title createdAt updatedAt author{login}";
  switch (link.kind) {
    case GithubKind::issue:
    case GithubKind::pull_request:
      return fmt::format("it:issueOrPullRequest(number:{0}){{...on Issue{{{1}}}...on PullRequest{{{1}}}}}", link.number,
                         post);
    case GithubKind::discussion: return fmt::format("it:discussion(number:{}){{{}}}", link.number, post);
    case GithubKind::release:
      return fmt::format("it:release(tagName:{}){{__typename name tagName publishedAt author{{login}}}}",
                         graphql_string(link.expression));
    case GithubKind::file:
    case GithubKind::folder:
      return fmt::format("it:object(expression:{}){{__typename}}", graphql_string(link.expression));
    case GithubKind::repository: return "description createdAt pushedAt";
    default: return "";
  }
}

Field<std::string> words(std::string_view text, std::size_t max_length = parser::max_title) {
  return {parser::clean_value(text, max_length), "site_api:github_api", confidence_of_text};
}

std::optional<Field<std::string>> date(const std::string& text, Timestamp now) {
  constexpr std::size_t max_length = 40;
  if (text.size() > max_length) return std::nullopt;
  const auto date = parser::parse_written_date(text);
  if (!date || !parser::is_plausible(*date, now)) return std::nullopt;
  return Field<std::string>{parser::to_iso8601(*date), "site_api:github_api", confidence_of_dates};
}

// Uses the wording of GitHub's pages, so that the fact is the same whether the API or the page was used.
std::optional<storage::Fact> archived(const std::string& text, Timestamp now) {
  static constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto date = text.size() > 40 ? std::nullopt : parser::parse_written_date(text);
  if (!date || !date->has_day() || !parser::is_plausible(*date, now)) return std::nullopt;
  return storage::Fact{"archived",
                       fmt::format("the repository was archived by its owner on {} {}, {}: it is read-only",
                                   months.at(static_cast<std::size_t>(date->month - 1)), date->day, date->year)};
}

// One link and the API's answer about it.
class GithubResultReader {
 public:
  GithubResultReader(const GithubLink& link, const json::value& value, Timestamp now)
      : link_(link), value_(value), now_(now) {}

  GithubResult read() && {
    const bool is_known = link_.kind == GithubKind::owner ? read_owner() : read_repository();
    if (!is_known) return {};
    return std::move(result_);
  }

 private:
  std::string text(std::string_view path) const { return parser::text_of(parser::at_path(value_, path)); }

  std::optional<bool> flag(std::string_view path) const {
    const json::value* value = parser::at_path(value_, path);
    return value != nullptr && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
  }

  void set_author(const std::string& login) {
    if (std::string name = parser::clean_name(login); !name.empty())
      result_.metadata.authors = Field<std::vector<std::string>>{{name}, "site_api:github_api", confidence_of_text};
  }

  bool read_owner() {
    const std::string login = text("login");
    if (!is_same_name(login, link_.owner)) return false;
    const std::string name = text("name");
    result_.state = GithubState::exists;
    result_.metadata.title = words(name.empty() ? login : fmt::format("{} ({})", login, name));
    result_.metadata.site_name = words("GitHub");
    return true;
  }

  bool read_repository() {
    static const RE2 pattern(R"(([A-Za-z0-9_-]{1,100})/[\w.-]{1,100})");
    const std::string full_name = text("nameWithOwner");
    std::string owner;
    if (!RE2::FullMatch(full_name, pattern, &owner)) return false;
    const std::optional<bool> is_private = flag("isPrivate");
    if (!is_private || flag("isDisabled") != false) return false;
    result_.state = *is_private ? GithubState::is_secret : GithubState::exists;
    if (!is_same_name(full_name, fmt::format("{}/{}", link_.owner, link_.name))) {
      if (link_.has_query) return false;
      result_.moved_to = fmt::format("/{}{}", full_name, link_.rest);
    }
    if (auto fact = archived(text("archivedAt"), now_)) result_.facts.push_back(std::move(*fact));
    result_.metadata.site_name = words("GitHub");
    return read_thing(full_name, owner);
  }

  bool read_thing(const std::string& full_name, const std::string& owner) {
    parser::Metadata& metadata = result_.metadata;
    const std::string type = text("it.__typename");
    switch (link_.kind) {
      case GithubKind::repository:
        metadata.title = words(full_name);
        if (std::string about = text("description"); !about.empty())
          metadata.description = words(about, parser::max_description);
        metadata.published = date(text("createdAt"), now_);
        metadata.modified = date(text("pushedAt"), now_);
        set_author(owner);
        return true;
      case GithubKind::releases: metadata.title = words(fmt::format("Releases · {}", full_name)); return true;
      case GithubKind::issue: return type == "Issue" && read_post();
      case GithubKind::pull_request: return type == "PullRequest" && read_post();
      case GithubKind::discussion: return type == "Discussion" && read_post();
      case GithubKind::release: {
        // A tag without a release has a page too.
        if (type != "Release" || text("it.tagName") != link_.expression) return false;
        const std::string name = text("it.name");
        metadata.title = words(fmt::format("Release {} · {}", name.empty() ? link_.expression : name, full_name));
        metadata.published = date(text("it.publishedAt"), now_);
        set_author(text("it.author.login"));
        return true;
      }
      case GithubKind::file:
      case GithubKind::folder: return read_file(type, full_name, owner);
      case GithubKind::owner: break;
    }
    return false;
  }

  bool read_post() {
    parser::Metadata& metadata = result_.metadata;
    metadata.title = words(text("it.title"));
    if (metadata.title->value.empty()) return false;
    metadata.published = date(text("it.createdAt"), now_);
    metadata.modified = date(text("it.updatedAt"), now_);
    set_author(text("it.author.login"));
    return true;
  }

  bool read_file(std::string_view type, const std::string& full_name, const std::string& owner) {
    const std::size_t colon = link_.expression.find(':');
    const bool is_root = colon == std::string::npos;
    const bool fits = link_.kind == GithubKind::file ? type == "Blob"
                      : is_root                      ? type == "Commit" || type == "Tag"
                                                     : type == "Tree";
    if (!fits) return false;
    const std::string path = is_root ? "" : "/" + link_.expression.substr(colon + 1);
    result_.metadata.title = words(fmt::format("{}{} at {} · {}", full_name.substr(owner.size() + 1), path,
                                               link_.expression.substr(0, colon), full_name));
    set_author(owner);
    return true;
  }

  const GithubLink& link_;
  const json::value& value_;
  Timestamp now_;
  GithubResult result_;
};

// Returns the types of the errors, by the alias of the link that they concern; errors of the whole query are under "".
std::unordered_map<std::string, std::string> errors_of(const json::value& answer) {
  std::unordered_map<std::string, std::string> errors;
  const json::value* list = parser::at_path(answer, "errors");
  if (list == nullptr || !list->is_array()) return errors;
  for (const json::value& error : list->get_array()) {
    const json::value* path = parser::at_path(error, "path");
    const bool has_path = path != nullptr && path->is_array() && !path->get_array().empty();
    // An error within a repository says nothing about the repository.
    const bool is_inner = has_path && path->get_array().size() > 1;
    std::string type = parser::text_of(parser::at_path(error, "type"));
    errors.insert_or_assign(has_path ? parser::text_of(path->get_array().data()) : std::string(),
                            is_inner ? "inner" : std::move(type));
  }
  return errors;
}

}  // namespace

std::string github_host(const parser::Url& api) {
  constexpr std::string_view start = "api.";
  if (api.path() == "/api/graphql") return std::string(api.host());
  return api.host().starts_with(start) ? std::string(api.host().substr(start.size())) : "github.com";
}

std::optional<GithubLink> github_link(const parser::Url& url, std::string_view host) {
  if (!url.is_http() || url.host() != host || url.port()) return std::nullopt;
  if (!url.username().empty() || !url.password().empty() || url.path().size() > max_link_path_bytes)
    return std::nullopt;
  std::vector<std::string> parts = parts_of(url.path());
  if (parts.size() > 1 && parts.size() < 4 && parts.back().empty()) parts.pop_back();
  const auto is_usable = [](const std::string& part) {
    return !part.empty() && is_valid_utf8(part) && !parser::has_ascii_control(part);
  };
  if (parts.empty() || !std::ranges::all_of(parts, is_usable) || !is_owner_name(parts.front())) return std::nullopt;
  GithubLink link{.owner = parts.front(), .has_query = url.has_query()};
  // "?tab=readme-ov-file" shows the same page. The API does not know other queries.
  if (link.has_query && (parts.size() > 2 || !url.query().starts_with("tab="))) return std::nullopt;
  if (parts.size() == 1) {
    link.kind = GithubKind::owner;
    return link;
  }
  if (!is_repository_name(parts[1])) return std::nullopt;
  link.name = parts[1];
  if (parts.size() == 2) return link;
  link.rest = url.path().substr(parts[0].size() + parts[1].size() + 2);
  if (!read_rest(std::span(parts).subspan(2), link)) return std::nullopt;
  return link;
}

std::string github_query(std::span<const GithubLink> links) {
  std::string query = "query{rateLimit{remaining}";
  for (std::size_t i = 0; i < links.size(); ++i) {
    const GithubLink& link = links[i];
    if (link.kind == GithubKind::owner) {
      query += fmt::format(" l{}:repositoryOwner(login:{}){{login ...on User{{name}}...on Organization{{name}}}}", i,
                           graphql_string(link.owner));
    } else {
      query += fmt::format(" l{}:repository(owner:{},name:{}){{nameWithOwner isPrivate isDisabled archivedAt {}}}", i,
                           graphql_string(link.owner), graphql_string(link.name), fields_of(link));
    }
  }
  return json::serialize(json::value{{"query", query + "}"}});
}

GithubReply read_github_reply(std::string_view json_text, std::span<const GithubLink> links, Timestamp now) {
  GithubReply reply;
  json::value answer;
  if (!parser::parse_embedded_json(json_text, answer)) {
    reply.problem = "its answer is not JSON";
    return reply;
  }
  const std::unordered_map<std::string, std::string> errors = errors_of(answer);
  const json::value* data = parser::at_path(answer, "data");
  const auto of_all = errors.find("");
  if (of_all != errors.end() && of_all->second == "RATE_LIMITED") {
    reply.is_limit = true;
    reply.problem = "the rate limit of the token is used up";
    return reply;
  }
  if (data == nullptr || !data->is_object()) {
    reply.problem = "its answer has no data";
    return reply;
  }
  const json::value* remaining = parser::at_path(*data, "rateLimit.remaining");
  reply.is_last = remaining != nullptr && remaining->is_int64() && remaining->get_int64() <= 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string alias = fmt::format("l{}", i);
    const json::value* value = data->get_object().if_contains(alias);
    const auto error = errors.find(alias);
    const bool is_denied = error == errors.end() ? links[i].kind == GithubKind::owner : error->second == "NOT_FOUND";
    if (value != nullptr && value->is_null() && is_denied) {
      reply.results.push_back({.state = GithubState::missing, .moved_to = {}, .metadata = {}, .facts = {}});
    } else if (value == nullptr || !value->is_object() || error != errors.end()) {
      reply.results.emplace_back();
    } else {
      reply.results.push_back(GithubResultReader(links[i], *value, now).read());
    }
  }
  return reply;
}

}  // namespace linkherd::crawler
