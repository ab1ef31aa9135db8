#include "tests/fuzz/lists_fuzzing.h"

#include <algorithm>
#include <cstdlib>
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

void fuzz_list(const std::uint8_t* data, std::size_t size, DocumentFormat format) {
  if (size == 0) return;
  ExtractOptions options;
  options.include_verbatim = (data[0] & 1U) != 0;
  options.include_wikilinks = (data[0] & 2U) != 0;
  options.include_local = (data[0] & 4U) != 0;
  std::string bytes(data + 1, data + size);
  const std::string text = to_valid_utf8(bytes);
  std::vector<LinkOccurrence> links;
  for_each_link({"list", text, format}, options, [&](LinkOccurrence& link) { links.push_back(link); });
  require(std::ranges::is_sorted(links, {}, &LinkOccurrence::offset));
  for (const LinkOccurrence& link : links) {
    require(link.offset + link.length <= text.size());
    require(text.substr(link.offset, link.length) == link.url);
    require(is_valid_utf8(link.text) && is_valid_utf8(link.heading()) && is_valid_utf8(link.url));
    require(!link.href.empty() || !link.notes.empty());
  }
  find_anchors(text, format);
  detect_document_format("list", text);
}

}  // namespace linkherd::parser
