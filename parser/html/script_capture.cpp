#include "parser/html/script_capture.h"

#include <utility>

#include "parser/ascii.h"

namespace linkherd::parser {

void capture_script(const HtmlTag& tag, std::string_view text, const GuardLimits& limits, GuardedHtml& out) {
  if (text.size() > limits.max_script_bytes) {
    out.truncated = true;
    return;
  }
  EmbeddedScript script;
  for (const HtmlAttribute& attribute : tag.attributes) {
    if (equals_ignoring_case(attribute.name, "src")) return;
    if (equals_ignoring_case(attribute.name, "id")) script.id = attribute.value;
    if (equals_ignoring_case(attribute.name, "type")) {
      script.type = to_ascii_lower(trim_ascii(attribute.value.substr(0, attribute.value.find(';'))));
    }
  }
  if (trim_ascii(text).empty()) return;
  // A quarter of the places is kept for data: JSON-LD often follows a crowd of analytics.
  const bool is_data = script.type.find("json") != std::string::npos || !script.id.empty();
  const std::size_t places = is_data ? limits.max_scripts : limits.max_scripts - limits.max_scripts / 4;
  if (out.scripts.size() >= places) {
    out.truncated = true;
    return;
  }
  script.text = text;
  out.scripts.push_back(std::move(script));
}

}  // namespace linkherd::parser
