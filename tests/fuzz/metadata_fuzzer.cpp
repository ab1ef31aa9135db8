// Any bytes as a saved page: charset, guard, gumbo, every extractor with the site rules of several hosts, and the
// readers of what is no HTML.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/metadata/plain_document.h"
#include "parser/url/url.h"
#include "parser/utf8.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

const Url& page_url(std::size_t choice) {
  static const std::array urls{Url::parse("https://mp.weixin.qq.com/s/x").value(),
                               Url::parse("https://zhuanlan.zhihu.com/p/1").value(),
                               Url::parse("https://github.com/o/r/issues/1").value(),
                               Url::parse("https://example.org/2024/03/05/title").value()};
  return urls[choice % urls.size()];
}

void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

// libFuzzer names its entry.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  const Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);
  const DecodedText decoded = decode_html(bytes, size > 0 && data[0] % 2 == 0 ? "gb18030" : "");
  must(is_valid_utf8(decoded.text));
  std::vector<ExplainedCandidate> explanation;
  const Metadata metadata = extract_metadata(HtmlDocument::parse(decoded.text), &page_url(size), now,
                                             parse_page_headers(bytes), &explanation);
  if (metadata.title) must(!metadata.title->value.empty());
  if (metadata.authors) must(!metadata.authors->value.empty() && metadata.authors->value.size() <= 50);
  for (const auto* date : {&metadata.published, &metadata.modified}) {
    if (*date) must((*date)->value >= "1995" && (*date)->value < "2026-08-03");
  }
  text_metadata(decoded.text, now);
  notebook_metadata(bytes, now);
  return 0;
}
