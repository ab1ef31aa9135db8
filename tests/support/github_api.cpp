#include "tests/support/github_api.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <re2/re2.h>

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

// One aliased field of a query: an owner or a repository.
struct Question {
  std::string alias, login, owner, name, fields;
  std::string thing() const { return login.empty() ? owner + "/" + name : login; }
};

std::vector<Question> questions_of(const std::string& query) {
  static const RE2 question(
      R"re((l\d+):repository(?:Owner\(login:"([^"]*)"\)|\(owner:"([^"]*)",name:"([^"]*)"\))\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\})re");
  std::vector<Question> questions;
  re2::StringPiece rest(query);
  for (Question one; RE2::FindAndConsume(&rest, question, &one.alias, &one.login, &one.owner, &one.name, &one.fields);)
    questions.push_back(one);
  return questions;
}

// Extracts the query from {"query":"..."}, whose only escapes are quotes.
std::string query_of(const std::string& body) {
  std::string query;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\' && i + 1 < body.size()) ++i;
    query += body[i];
  }
  return query;
}

}  // namespace

void FakeGithub::add(const std::string& full_name, const std::string& description) {
  objects[lower(full_name)] = R"("nameWithOwner":")" + full_name +
                              R"(","isPrivate":false,"isDisabled":false,"archivedAt":null,"description":")" +
                              description + R"(","createdAt":"2019-03-05T06:07:08Z","pushedAt":"2024-05-06T07:08:09Z")";
}

Page FakeGithub::answer(const ReceivedRequest& request) {
  if (request.header("Authorization") != "Bearer " + token || request.header("User-Agent").empty())
    return json_page(401, R"({"message":"Bad credentials"})");
  if (request.method != "POST") return json_page(404, R"({"message":"Not Found"})");
  if (remaining_rate_limit == 0) {
    return json_page(200, R"({"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]})");
  }
  const std::vector<Question> questions = questions_of(query_of(request.body));
  if (questions.size() > max_links) return json_page(502, "<html><title>502 Bad Gateway</title></html>");
  --remaining_rate_limit;
  std::string data = R"("rateLimit":{"remaining":)" + std::to_string(remaining_rate_limit) + "}";
  std::string problems;
  for (const Question& question : questions) {
    const std::string name = question.thing();
    const auto thing = objects.find(lower(name));
    const auto error = errors.find(lower(name));
    data += ",\"" + question.alias + "\":";
    if (thing == objects.end() || error != errors.end()) {
      data += "null";
      if (!question.login.empty() && error == errors.end()) continue;
      const std::string type = error == errors.end() ? "NOT_FOUND" : error->second;
      problems += (problems.empty() ? "" : ",") + std::string(R"({"type":")") + type + R"(","path":[")" +
                  question.alias + R"("],"message":"Could not resolve to a Repository with the name ')" + name +
                  R"('."})";
      continue;
    }
    data += "{" + thing->second;
    static const RE2 further(R"re(it:(\w+\((?:[^()"]|"[^"]*")*\)))re");
    std::string inside;
    if (RE2::PartialMatch(question.fields, further, &inside)) {
      const auto what = nested_objects.find(name + " " + inside);
      data += ",\"it\":" + (what == nested_objects.end() ? "null" : what->second);
    }
    data += "}";
  }
  return json_page(200, "{\"data\":{" + data + "}" + (problems.empty() ? "" : ",\"errors\":[" + problems + "]") + "}");
}

}  // namespace linkherd::tests
