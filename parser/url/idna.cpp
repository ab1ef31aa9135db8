#include <algorithm>
#include <memory>
#include <stdexcept>

#include <unicode/bytestream.h>
#include <unicode/idna.h>

#include "parser/ascii.h"
#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::parser {
namespace {

// Punycode takes quadratic time in the length of a label, so longer names are not tried; DNS ends at 253 bytes.
constexpr std::size_t longest_international_domain = 4096;

// Flags of ICU for what the standard does not check: it calls UTS #46 with CheckHyphens and VerifyDnsLength false.
constexpr std::uint32_t forgiven_errors = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                          UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                          UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

constexpr ByteSet forbidden_domain_characters = ByteSet().with_range(0x00, 0x20).with("#/:<>?@[\\]^|%\x7F");

// Immutable once made, and shared by all threads, as ICU allows.
const icu::IDNA& uts46() {
  static const std::unique_ptr<const icu::IDNA> instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<const icu::IDNA> made(icu::IDNA::createUTS46Instance(
        UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, status));
    if (U_FAILURE(status) != 0 || made == nullptr) {
      throw std::runtime_error("the IDNA data of ICU cannot be loaded");
    }
    return made;
  }();
  return *instance;
}

// Calls `visit` with each label and stops at the first that it refuses.
template <class Visit>
bool all_labels(std::string_view domain, Visit visit) {
  while (true) {
    const std::size_t dot = domain.find('.');
    if (!visit(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

// UTS #46 since revision 31 refuses punycode that stands for nothing or for plain ASCII ("xn--", "xn--abc-"). ICU 72 is
// older.
bool punycode_is_needed(std::string_view label) {
  return !label.starts_with("xn--") || (label.size() > 4 && label.back() != '-');
}

// UTS #46 since revision 31 maps the capital sharp s to the small one; ICU 72 would make it "ss".
std::string with_small_sharp_s(std::string_view domain) {
  constexpr std::string_view capital = "\u1E9E";
  std::string text(domain);
  for (std::size_t at = text.find(capital); at != std::string::npos; at = text.find(capital, at + 1)) {
    text.replace(at, capital.size(), "\u00DF");
  }
  return text;
}

std::optional<std::string> to_ascii_by_icu(std::string_view domain) {
  if (domain.size() > longest_international_domain) return std::nullopt;
  std::string ascii;
  icu::StringByteSink<std::string> sink(&ascii);
  icu::IDNAInfo info;
  UErrorCode status = U_ZERO_ERROR;
  uts46().nameToASCII_UTF8(icu::StringPiece(domain.data(), static_cast<std::int32_t>(domain.size())), sink, info,
                           status);
  if (U_FAILURE(status) != 0 || (info.getErrors() & ~forgiven_errors) != 0) return std::nullopt;
  if (!all_labels(ascii, punycode_is_needed)) return std::nullopt;
  return ascii;
}

}  // namespace

std::optional<std::string> domain_to_ascii(std::string_view utf8_domain) {
  // A domain that is ASCII already is only lowercased, even where UTS #46 would refuse its punycode: so the standard
  // says since 2026, because such names exist and resolve.
  const bool ascii = std::ranges::all_of(utf8_domain, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::optional<std::string> domain;
  if (ascii) {
    domain.emplace(utf8_domain);
    std::ranges::transform(*domain, domain->begin(), ascii_lower);
  } else {
    domain = to_ascii_by_icu(with_small_sharp_s(utf8_domain));
  }
  const auto forbidden = [](char c) { return forbidden_domain_characters.contains(c); };
  if (!domain || domain->empty() || std::ranges::any_of(*domain, forbidden)) return std::nullopt;
  return domain;
}

std::string domain_to_unicode(std::string_view ascii_domain) {
  constexpr std::size_t longest_label = 63;  // of DNS; undoing punycode takes quadratic time
  std::string unicode;
  all_labels(ascii_domain, [&](std::string_view label) {
    if (label.data() != ascii_domain.data()) unicode += '.';
    std::string decoded;
    icu::StringByteSink<std::string> sink(&decoded);
    icu::IDNAInfo info;
    UErrorCode status = U_ZERO_ERROR;
    if (label.starts_with("xn--") && label.size() <= longest_label) {
      uts46().labelToUnicodeUTF8(icu::StringPiece(label.data(), static_cast<std::int32_t>(label.size())), sink, info,
                                 status);
    }
    const bool failed = U_FAILURE(status) != 0 || (info.getErrors() & ~forgiven_errors) != 0;
    unicode += decoded.empty() || failed ? label : std::string_view(decoded);
    return true;
  });
  return unicode;
}

}  // namespace linkherd::parser
