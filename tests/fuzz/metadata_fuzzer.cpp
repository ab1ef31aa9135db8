// Fuzzes the processing of a saved page: charset, sanitizer, gumbo, HTTP headers, and every extractor with the site
// rules of several hosts. Also fuzzes the readers of documents that are not HTML.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/metadata/plain_document.h"
#include "parser/url/url.h"
#include "tests/fuzz/metadata_fuzzing.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

// One host per kind of site rule. Null if the page must contain its own address.
const Url* page_url(std::size_t choice) {
  static const std::array urls{
      Url::parse("https://mp.weixin.qq.com/s/x").value(),        Url::parse("https://zhuanlan.zhihu.com/p/1").value(),
      Url::parse("https://github.com/o/r/pull/1").value(),       Url::parse("https://arxiv.org/abs/1").value(),
      Url::parse("https://www.toutiao.com/article/1").value(),   Url::parse("https://someone.substack.com/p/x").value(),
      Url::parse("https://huggingface.co/blog/x").value(),       Url::parse("https://www.bilibili.com/opus/1").value(),
      Url::parse("https://example.org/2024/03/05/title").value()};
  return choice % (urls.size() + 1) == urls.size() ? nullptr : &urls[choice % (urls.size() + 1)];
}

}  // namespace

// libFuzzer prescribes this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(data + 1, data + size);
  const DecodedText decoded = decode_html(bytes, data[0] % 7 == 0 ? "gb18030" : "");
  must(is_valid_utf8(decoded.text));
  std::vector<ExplainedCandidate> explanation;
  must_be_sound(extract_metadata(HtmlDocument::parse(decoded.text), page_url(data[0]), fuzzing_now,
                                 parse_page_headers(bytes), &explanation));
  must_be_sound(extract_text_metadata(decoded.text, fuzzing_now));
  is_notebook(bytes);
  must_be_sound(extract_notebook_metadata(bytes, fuzzing_now));
  return 0;
}
