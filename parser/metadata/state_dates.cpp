// Dates in the embedded data of a page: keys such as "publishedDate" in its JSON scripts. Weak, as such data may be
// about anything; used where a page says nothing better.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "parser/metadata/embedded_json.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_nodes = 20'000;  // of all scripts together
constexpr std::array<std::string_view, 8> keys{"datePublished", "publishedDate", "publishDate", "published_at",
                                               "publishedAt",   "pubDate",       "publishTime", "firstPublished"};

// The dates under such keys, breadth first: what is about the page itself lies less deep than what it lists.
std::vector<WrittenDate> dates_in(const boost::json::value& root, const Page& page, std::size_t& budget) {
  std::vector<WrittenDate> dates;
  std::vector<const boost::json::value*> waiting{&root};
  for (std::size_t next = 0; next < waiting.size() && budget > 0; ++next, --budget) {
    if (const auto* list = waiting[next]->if_array()) {
      for (const auto& item : *list) waiting.push_back(&item);
    } else if (const auto* object = waiting[next]->if_object()) {
      for (const auto& [key, value] : *object) {
        if (value.is_structured()) waiting.push_back(&value);
        if (std::ranges::find(keys, std::string_view(key.data(), key.size())) == keys.end()) continue;
        const auto date = parse_written_date(text_of(&value), page.day_order);
        if (date && date->has_day() && is_plausible(*date, page.now)) dates.push_back(*date);
      }
    }
  }
  return dates;
}

}  // namespace

void extract_state_dates(const Page& page, Candidates& candidates) {
  constexpr std::size_t max_script = std::size_t{256} << 10;
  constexpr double trust = 0.25;
  std::size_t budget = max_nodes;
  for (const EmbeddedScript& script : page.document.scripts()) {
    if (script.type != "application/json" || script.text.size() > max_script || budget == 0) continue;
    boost::json::value root;
    if (!parse_embedded_json(script.text, root)) continue;
    const std::vector<WrittenDate> dates = dates_in(root, page, budget);
    // Several days are those of a list.
    const bool one_day = !dates.empty() && std::ranges::all_of(dates, [&](const WrittenDate& date) {
      return date.same_day(dates.front());
    });
    if (one_day) add(candidates.published, dates.front(), "state", trust);
  }
}

}  // namespace linkherd::parser
