#include "parser/metadata/link_values.h"

#include <algorithm>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

// Returns the length of the parameters at the start of `text`. They end at a comma that is not in quotes.
std::size_t parameters_length(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ',') return at;
    if (text[at] == '"') at = std::min(text.find('"', at + 1), text.size());
  }
  return text.size();
}

}  // namespace

std::string_view find_parameter(std::string_view parameters, std::string_view name) {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view one = trim_ascii(parameters.substr(0, end));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && equals_ignoring_case(trim_ascii(one.substr(0, equals)), name)) {
      return trim_ascii(unquoted(one.substr(equals + 1)));
    }
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return {};
}

std::string_view LinkValue::parameter(std::string_view name) const { return find_parameter(parameters, name); }

bool LinkValue::has_relation(std::string_view name) const {
  std::string_view relations = parameter("rel");
  while (!relations.empty()) {
    const std::size_t end = std::min(relations.find(' '), relations.size());
    if (equals_ignoring_case(relations.substr(0, end), name)) return true;
    relations.remove_prefix(std::min(end + 1, relations.size()));
  }
  return false;
}

std::vector<LinkValue> parse_link_values(std::string_view text, std::size_t limit) {
  std::vector<LinkValue> links;
  for (std::size_t open = text.find('<'); open != std::string_view::npos && links.size() < limit;
       open = text.find('<')) {
    text.remove_prefix(open + 1);
    const std::size_t close = text.find('>');
    if (close == std::string_view::npos) break;
    const std::string_view target = trim_ascii(text.substr(0, close));
    text.remove_prefix(close + 1);
    const std::string_view parameters = text.substr(0, parameters_length(text));
    text.remove_prefix(parameters.size());
    links.push_back({target, parameters});
  }
  return links;
}

}  // namespace linkherd::parser
