#include "tests/fuzz/lists_fuzzing.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "parser/lists/anchors.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

void fuzz_list(const std::uint8_t* data, std::size_t size, std::span<const DocumentFormat> formats) {
  constexpr std::size_t header = 2;
  constexpr unsigned generators = static_cast<unsigned>(SiteGenerator::eleventy) + 1;
  if (size < header) return;
  ExtractOptions options;
  options.include_verbatim = (data[0] & 1U) != 0;
  options.include_wikilinks = (data[0] & 2U) != 0;
  options.include_local = (data[0] & 4U) != 0;
  const DocumentFormat format = formats[(data[0] >> 3U) % formats.size()];
  const auto generator = static_cast<SiteGenerator>((data[1] >> 1U) % generators);
  const std::string bytes(data + header, data + size);
  const std::string text = to_valid_utf8(bytes);
  // An include yields the document itself, so that includes never end.
  options.read_include = [&text](const std::string&) { return std::optional(text); };
  std::vector<LinkOccurrence> links;
  for_each_link({"list", text, format, generator}, options, [&](LinkOccurrence& link) { links.push_back(link); });
  require(std::ranges::is_sorted(links, {}, &LinkOccurrence::offset));
  for (const LinkOccurrence& link : links) {
    require(link.offset + link.length <= text.size());
    require(text.substr(link.offset, link.length) == link.url);
    require(is_valid_utf8(link.text) && is_valid_utf8(link.heading()) && is_valid_utf8(link.url));
    require(!link.href.empty() || !link.notes.empty());
  }
  find_anchors(text, format, generator);
  detect_document_format("list", text);
}

}  // namespace linkherd::parser
