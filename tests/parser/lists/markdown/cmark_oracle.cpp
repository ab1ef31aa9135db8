#include "tests/parser/lists/markdown/cmark_oracle.h"

#include <memory>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm.h>

#include "parser/lists/readers.h"

namespace linkherd::parser {

std::set<std::string> cmark_targets(std::string_view text, bool autolinks) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(cmark_parser_new(CMARK_OPT_UNSAFE),
                                                                           &cmark_parser_free);
  for (const char* name : {"table", "strikethrough", "tasklist", "autolink"}) {
    if (autolinks || std::string_view(name) != "autolink")
      cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser.get(), text.data(), text.size());
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(cmark_parser_finish(parser.get()),
                                                                         &cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> nodes(cmark_iter_new(document.get()), &cmark_iter_free);
  std::set<std::string> targets;
  while (cmark_iter_next(nodes.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(nodes.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE) targets.insert(cmark_node_get_url(node));
    // cmark leaves raw HTML unchanged.
    if (type == CMARK_NODE_HTML_INLINE || type == CMARK_NODE_HTML_BLOCK) {
      for (const FoundLink& link : read_html_links(cmark_node_get_literal(node), false).links)
        targets.emplace(link.target.view());
    }
  }
  targets.erase("");
  return targets;
}

}  // namespace linkherd::parser
