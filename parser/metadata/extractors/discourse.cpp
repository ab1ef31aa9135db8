// Extracts metadata of Discourse, the software of many forums. An attribute contains the whole topic as JSON, which
// contains strings of JSON.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "parser/metadata/authors.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {

void extract_discourse(const Page& page, Candidates& candidates) {
  for (const HtmlElement element : page.searched_elements()) {
    const auto preloaded = element.attribute("data-preloaded");
    if (!preloaded) continue;
    boost::json::value all;
    if (!parse_embedded_json(*preloaded, all) || !all.is_object()) return;
    for (const auto& [key, value] : all.get_object()) {
      boost::json::value topic;
      if (!key.starts_with("topic_") || !parse_embedded_json(text_of(&value), topic)) continue;
      const std::string name = clean_name(text_of(at_path(topic, "post_stream.posts.0.username")));
      if (!name.empty()) add(candidates.authors, std::vector{name}, "state:discourse", 0.9);
      const auto date = parse_written_date(text_of(at_path(topic, "created_at")));
      if (date && is_plausible(*date, page.now)) add(candidates.published, *date, "state:discourse", 0.9);
      return;
    }
    return;
  }
}

}  // namespace linkherd::parser
