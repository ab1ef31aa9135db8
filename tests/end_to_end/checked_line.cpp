#include "tests/end_to_end/checked_line.h"

#include <algorithm>
#include <stdexcept>

#include <boost/json/object.hpp>

#include "tests/end_to_end/linkherd_run.h"

namespace linkherd::tests {
namespace {

namespace json = boost::json;

std::string text_at(const json::object& object, const char* key) {
  const json::value& value = object.at(key);
  return value.is_null() ? std::string() : std::string(value.as_string());
}

int number_at(const json::object& object, const char* key) {
  const json::value& value = object.at(key);
  return value.is_null() ? 0 : value.to_number<int>();
}

Duplicate duplicate_of(const json::object& object) {
  Duplicate duplicate{text_at(object, "layer"), object.at("certain").as_bool(), {}};
  for (const json::value& entry : object.at("with").as_array()) {
    duplicate.with.push_back(text_at(entry.as_object(), "url"));
  }
  return duplicate;
}

Harvest harvest_in(const json::object& metadata) {
  Harvest harvest{text_at(metadata, "title"), {}, text_at(metadata, "published")};
  for (const json::value& author : metadata.at("authors").as_array()) {
    harvest.authors.emplace_back(author.as_string());
  }
  return harvest;
}

CheckedLine checked_line(const json::object& object) {
  CheckedLine line;
  line.url = text_at(object, "url");
  line.final_url = text_at(object, "final_url");
  line.health = text_at(object, "health");
  line.reason = text_at(object, "reason");
  line.rule = text_at(object, "rule");
  line.evidence = text_at(object, "evidence");
  line.status = number_at(object, "status");
  line.is_from_store = object.at("from_store").as_bool();
  line.strikes = number_at(object, "strikes");
  for (const json::value& hop : object.at("redirects").as_array()) {
    const json::object& fields = hop.as_object();
    line.redirects.push_back(
        {text_at(fields, "from"), number_at(fields, "status"), text_at(fields, "to"), text_at(fields, "kind")});
  }
  for (const json::value& occurrence : object.at("occurrences").as_array()) {
    const json::object& fields = occurrence.as_object();
    line.occurrences.push_back(text_at(fields, "file") + ":" + std::to_string(number_at(fields, "line")));
  }
  line.harvest = harvest_in(object.at("metadata").as_object());
  for (const json::value& duplicate : object.at("duplicates").as_array()) {
    line.duplicates.push_back(duplicate_of(duplicate.as_object()));
  }
  return line;
}

}  // namespace

std::vector<CheckedLine> checked_lines(const std::string& jsonl) {
  std::vector<CheckedLine> lines;
  for (const json::object& object : json_lines(jsonl)) lines.push_back(checked_line(object));
  return lines;
}

const CheckedLine& line_of(const std::vector<CheckedLine>& lines, const std::string& url) {
  const auto found = std::ranges::find(lines, url, &CheckedLine::url);
  if (found == lines.end()) throw std::runtime_error("the report has no line for " + url);
  return *found;
}

}  // namespace linkherd::tests
