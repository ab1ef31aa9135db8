// Fuzzes the URL parser. Parsing an href must give the same href, and parsing a canonical form must give the same form.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "parser/url/canonical.h"
#include "parser/url/credentials.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/unicode_host.h"

namespace {

using linkherd::parser::CanonicalForm;
using linkherd::parser::Url;

void require(bool holds) {
  if (!holds) std::abort();
}

// Checks that the components of `edited`, whose offsets have moved, are those that the parser finds.
void require_same_parts(const Url& edited, const Url& parsed) {
  require(edited.scheme() == parsed.scheme() && edited.username() == parsed.username());
  require(edited.password() == parsed.password() && edited.host() == parsed.host());
  require(edited.port() == parsed.port() && edited.path() == parsed.path());
  require(edited.has_query() == parsed.has_query() && edited.query() == parsed.query());
  require(edited.has_fragment() == parsed.has_fragment() && edited.fragment() == parsed.fragment());
}

void check(const Url& url) {
  const auto again = Url::parse(url.href());
  require(again.has_value() && again->href() == url.href());
  require_same_parts(url, *again);
  const Url bare = linkherd::parser::without_credentials(url);
  const auto read_bare = Url::parse(bare.href());
  require(read_bare.has_value() && read_bare->href() == bare.href());
  require_same_parts(bare, *read_bare);
  for (const CanonicalForm& form : linkherd::parser::canonical_forms(url)) {
    const auto read = Url::parse(form.url);
    require(read.has_value() && read->href() == form.url);
  }
  require(linkherd::parser::registrable_domain(url).size() <= url.host().size());
  require(!linkherd::parser::surt_key(url).empty());
  linkherd::parser::unicode_host(url);
}

}  // namespace

// A NUL separates the base from the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  std::string_view text(bytes);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    const auto base = Url::parse(text.substr(0, nul));
    text.remove_prefix(nul + 1);
    if (base) {
      check(*base);
      if (const auto url = Url::parse(text, *base)) check(*url);
    }
  }
  if (const auto url = Url::parse(text)) check(*url);
  return 0;
}
