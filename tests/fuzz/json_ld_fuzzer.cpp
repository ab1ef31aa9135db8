// Fuzzes the JSON of pages: JSON-LD, the state of a script, and the small readers that use it.
#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "parser/html/html_document.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/url/url.h"
#include "tests/fuzz/metadata_fuzzing.h"

using namespace linkherd;
using namespace linkherd::parser;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = to_valid_utf8(std::string(data, data + size));
  boost::json::value value;
  if (parse_embedded_json(text, value)) {
    must(!boost::json::serialize(value).empty());
    text_of(at_path(value, "a.0.b"));
    text_of(at_path(value, "@graph.0.author.name"));
  }
  const std::string_view assigned = find_assigned_value(text, "state");
  must(is_valid_utf8(parse_string_literal(assigned)));
  must(is_valid_utf8(parse_string_literal(text)));

  static const Url zhihu = Url::parse("https://zhuanlan.zhihu.com/p/1").value();
  static const Url bilibili = Url::parse("https://www.bilibili.com/opus/1").value();
  const std::string page = "<title>Fish</title><h1>Fish</h1><script type=application/ld+json>" + text +
                           "</script><script id=js-initialData type=text/json>" + text +
                           "</script><script>window.__INITIAL_STATE__=" + text + "</script>";
  const HtmlDocument document = HtmlDocument::parse(page);
  for (const Url* url : {&zhihu, &bilibili}) must_be_sound(extract_metadata(document, url, fuzzing_now));
  return 0;
}
