// Answers as the parsers of URLs and robots.txt do, for differential.py: a JSON object per line on stdin and stdout.
//   {"input", "base"} is answered by {"href"}, null for a refusal; {"robots", "agent", "paths"} by {"allowed"}.
#include <iostream>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "crawler/frontier/robots.h"
#include "parser/url/url.h"

namespace linkherd {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& question, std::string_view name) {
  return std::string(question.at(name).as_string());
}

json::value href_of(const Result<parser::Url>& url) { return url ? json::value(url->href()) : json::value(nullptr); }

json::object url_answer(const json::object& question) {
  const std::string input = text_of(question, "input");
  if (question.at("base").is_null()) return {{"href", href_of(parser::Url::parse(input))}};
  const Result<parser::Url> base = parser::Url::parse(text_of(question, "base"));
  return {{"href", base ? href_of(parser::Url::parse(input, *base)) : json::value(nullptr)}};
}

json::object robots_answer(const json::object& question) {
  const auto rules = crawler::RobotsRules::parse(text_of(question, "robots"), text_of(question, "agent"));
  json::array allowed;
  for (const json::value& path : question.at("paths").as_array()) allowed.push_back(rules.allows(path.as_string()));
  return {{"allowed", std::move(allowed)}};
}

}  // namespace
}  // namespace linkherd

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto question = boost::json::parse(line).as_object();
    std::cout << boost::json::serialize(question.contains("robots") ? linkherd::robots_answer(question)
                                                                    : linkherd::url_answer(question))
              << '\n';
  }
  return 0;
}
