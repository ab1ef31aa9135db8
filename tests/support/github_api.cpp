#include "tests/support/github_api.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace linkherd::tests {

namespace {

Page json_page(int status, std::string body) {
  Page page = html_page(std::move(body), "application/json; charset=utf-8");
  page.status = status;
  return page;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The query out of {"query":"..."}: it has no escapes but quotes.
std::string query_of(const std::string& body) {
  std::string query;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\' && i + 1 < body.size()) ++i;
    query += body[i];
  }
  return query;
}

}  // namespace

void GithubStandIn::add(const std::string& full_name, const std::string& description) {
  known[lower(full_name)] = R"("nameWithOwner":")" + full_name +
                            R"(","isPrivate":false,"isDisabled":false,"archivedAt":null,"description":")" +
                            description + R"(","createdAt":"2019-03-05T06:07:08Z","pushedAt":"2024-05-06T07:08:09Z")";
}

Page GithubStandIn::answer(const SeenRequest& request) {
  if (request.header("Authorization") != "Bearer " + token || request.header("User-Agent").empty())
    return json_page(401, R"({"message":"Bad credentials"})");
  if (request.method != "POST") return json_page(404, R"({"message":"Not Found"})");
  if (points == 0) {
    return json_page(200, R"({"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]})");
  }
  const std::string query = query_of(request.body);
  static const std::regex field(
      R"re((l\d+):repository(?:Owner\(login:"([^"]*)"\)|\(owner:"([^"]*)",name:"([^"]*)"\))\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\})re");
  const auto begin = std::sregex_iterator(query.begin(), query.end(), field);
  if (static_cast<std::size_t>(std::distance(begin, std::sregex_iterator())) > most_links)
    return json_page(502, "<html><title>502 Bad Gateway</title></html>");
  --points;
  std::string data = R"("rateLimit":{"remaining":)" + std::to_string(points) + "}";
  std::string problems;
  for (auto found = begin; found != std::sregex_iterator(); ++found) {
    const std::smatch& match = *found;
    const std::string alias = match[1];
    const std::string name = match[2].matched ? match[2].str() : match[3].str() + "/" + match[4].str();
    const auto thing = known.find(lower(name));
    const auto error = errors.find(lower(name));
    data += ",\"" + alias + "\":";
    if (thing == known.end() || error != errors.end()) {
      data += "null";
      if (match[2].matched && error == errors.end()) continue;
      const std::string type = error == errors.end() ? "NOT_FOUND" : error->second;
      problems += (problems.empty() ? "" : ",") + std::string(R"({"type":")") + type + R"(","path":[")" + alias +
                  R"("],"message":"Could not resolve to a Repository with the name ')" + name + R"('."})";
      continue;
    }
    data += "{" + thing->second;
    static const std::regex further(R"re(it:(\w+\((?:[^()"]|"[^"]*")*\)))re");
    std::smatch inside;
    const std::string fields = match[5];
    if (std::regex_search(fields, inside, further)) {
      const auto what = inner.find(name + " " + inside[1].str());
      data += ",\"it\":" + (what == inner.end() ? "null" : what->second);
    }
    data += "}";
  }
  return json_page(200, "{\"data\":{" + data + "}" + (problems.empty() ? "" : ",\"errors\":[" + problems + "]") + "}");
}

}  // namespace linkherd::tests
