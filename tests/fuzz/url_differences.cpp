#include "tests/fuzz/url_differences.h"

#include <algorithm>
#include <array>
#include <memory>

#include <unicode/bytestream.h>
#include <unicode/idna.h>
#include <unicode/uchar.h>

#include "parser/url/unicode_host.h"
#include "parser/url/url.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Returns an href up to its query or fragment, including a "/." in front of the path.
std::string_view up_to_query(std::string_view href) { return href.substr(0, href.find_first_of("?#")); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Returns true if both parsers accept the text and the hrefs are equal after `normalize`.
template <class Normalize>
bool same_after(const UrlAnswer& ours, const UrlAnswer& theirs, Normalize normalize) {
  return ours && theirs && normalize(*ours) == normalize(*theirs);
}

std::string without_caret_escapes(const std::string& href) {
  const std::string_view path = up_to_query(href);
  return replaced(std::string(path), "%5E", "^") + href.substr(path.size());
}

std::string without_opaque_space_escape(const std::string& href) {
  const std::string_view path = up_to_query(href);
  if (!path.ends_with("%20")) return href;
  return std::string(path.substr(0, path.size() - 3)) + ' ' + href.substr(path.size());
}

bool has_opaque_path(const UrlAnswer& href) {
  const Result<Url> url = Url::parse(href.value_or(""));
  return url && url->host_kind() == HostKind::none && !url->path().starts_with('/');
}

bool is_caret_in_path(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  return same_after(ours, theirs, without_caret_escapes);
}

bool is_space_of_opaque_path(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  return has_opaque_path(ours) && same_after(ours, theirs, without_opaque_space_escape);
}

bool is_ascii_punycode(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs) {
  if (!ours || theirs) return false;
  const Result<Url> base = Url::parse(text.base.value_or(""));
  const Result<Url> url = base ? Url::parse(text.text, *base) : Url::parse(text.text);
  if (!url || url->host_kind() != HostKind::domain || has_note(url->notes(), UrlNote::non_ascii_host)) return false;
  return url->host().starts_with("xn--") || url->host().find(".xn--") != std::string_view::npos;
}

bool is_relative_to_opaque_base(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs) {
  return !ours && theirs && has_opaque_path(text.base) && text.text.find('#') != std::string::npos &&
         !Url::parse(text.text);
}

// Returns ICU's errors for a host that only the other parser accepts, as bits of UIDNA_ERROR_….
std::uint32_t idna_errors(const UrlAnswer& ours, const UrlAnswer& theirs) {
  if (ours || !theirs) return 0;
  const Result<Url> url = Url::parse(*theirs);
  if (!url || url->host_kind() != HostKind::domain) return 0;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<const icu::IDNA> uts46(
      icu::IDNA::createUTS46Instance(UIDNA_CHECK_BIDI | UIDNA_NONTRANSITIONAL_TO_UNICODE, status));
  if (U_FAILURE(status) != 0) return 0;
  std::string unicode;
  icu::StringByteSink<std::string> sink(&unicode);
  icu::IDNAInfo info;
  const std::string host(url->host());
  uts46->nameToUnicodeUTF8(host, sink, info, status);
  return U_FAILURE(status) != 0 ? 0 : info.getErrors();
}

bool breaks_bidi_rule(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  return (idna_errors(ours, theirs) & UIDNA_ERROR_BIDI) != 0;
}

bool begins_with_combining_mark(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  return (idna_errors(ours, theirs) & UIDNA_ERROR_LEADING_COMBINING_MARK) != 0;
}

bool is_punycode_of_ascii(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs) {
  if (ours || !theirs || text.text.size() == count_code_points(text.text)) return false;
  const Result<Url> url = Url::parse(*theirs);
  if (!url) return false;
  std::string_view rest = url->host();
  while (!rest.empty()) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), label.size() + 1));
    if (label.starts_with("xn--") && (label.ends_with('-') || label[4] == '-')) return true;
  }
  return false;
}

bool has_capital_sharp_s(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs) {
  return ours && theirs && text.text.find("\u1E9E") != std::string::npos && theirs->find("ss") != std::string::npos;
}

bool keeps_dot_segments(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  if (!ours || !theirs) return false;
  const Result<Url> again = Url::parse(*theirs);
  return again && again->href() == *ours && theirs->find("/.") != std::string::npos;
}

bool takes_file_name_for_drive(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  const Result<Url> url = Url::parse(theirs.value_or(""));
  if (!ours || !url || url->scheme() != "file") return false;
  const std::string_view path = url->path();
  const std::string_view segment = path.substr(1, path.find('/', 1) - 1);
  if (segment.size() <= 2 || segment[1] != ':') return false;
  const auto at = static_cast<std::size_t>(segment.data() - url->href().data());
  std::string without(url->href());
  without.erase(at, std::min(segment.size() + 1, path.size() - 1));
  return without == *ours;
}

bool has_newer_character(const UrlText&, const UrlAnswer& ours, const UrlAnswer& theirs) {
  constexpr std::uint8_t known_to_ada = 12;
  const auto is_newer = [](char32_t character) {
    UVersionInfo age;
    u_charAge(static_cast<UChar32>(character), age);
    return age[0] > known_to_ada;
  };
  const Result<Url> url = Url::parse(ours.value_or(""));
  if (!url || theirs) return false;
  const std::string host = unicode_host(*url).text;
  std::size_t at = 0;
  while (at < host.size()) {
    const CodePoint point = decode_utf8(host, at);
    if (is_newer(point.value)) return true;
    at += point.length;
  }
  return false;
}

bool loses_last_segment(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs) {
  if (!ours || !theirs || text.text.find('.') == std::string::npos) return false;
  const Result<Url> url = Url::parse(*ours);
  const std::string_view start = up_to_query(*theirs);
  return url && !url->is_special() && url->path() == "/" &&
         *ours == std::string(start) + '/' + theirs->substr(start.size());
}

constexpr std::array<KnownDifference, 12> known_differences = {{
    {"caret_in_path", "URL Standard, November 2024 (whatwg/url#817): ^ is in the path percent-encode set",
     is_caret_in_path},
    {"space_of_opaque_path",
     "URL Standard, March 2025 (whatwg/url#844): a space that ends an opaque path before ? or # is escaped",
     is_space_of_opaque_path},
    {"ascii_punycode",
     "URL Standard, June 2026 (whatwg/url#914): a domain that is ASCII is not refused for its punycode",
     is_ascii_punycode},
    {"relative_to_opaque_base",
     "URL Standard, no scheme state: against a base such as mailto: only a fragment can be resolved; ada 2.9.2 takes "
     "everything that has one",
     is_relative_to_opaque_base},
    {"bidi_rule",
     "UTS #46, CheckBidi, and IdnaTestV2.json (B1, B5, B6): in a name with a label from right to left each label "
     "must obey RFC 5893; ada 2.9.2 looks only at labels that begin from right to left",
     breaks_bidi_rule},
    {"punycode_of_ascii",
     "UTS #46, revision 31: punycode that stands for plain ASCII, or that RFC 3492 cannot decode, is refused where the "
     "domain is not all ASCII; ada 2.9.2 has revision 30",
     is_punycode_of_ascii},
    {"combining_mark", "Unicode 14: newer combining marks may not begin a label; ada 2.9.2 knows only older ones",
     begins_with_combining_mark},
    {"capital_sharp_s", "UTS #46, revision 31: the capital sharp s becomes the small one, no longer \"ss\"",
     has_capital_sharp_s},
    {"newer_character", "Unicode 13 and later: their characters may stand in a label; ada 2.9.2 does not know them all",
     has_newer_character},
    {"dot_segments",
     "URL Standard, path state: every dot segment goes; ada 2.9.2 misses those behind a name that begins with a dot",
     keeps_dot_segments},
    {"file_name_for_drive",
     "URL Standard, shorten a path: only a drive letter of two characters stays; ada 2.9.2 keeps \"C:name\" as well",
     takes_file_name_for_drive},
    {"last_segment",
     "URL Standard, path state: a dot segment at the end leaves an empty segment; ada 2.9.2 forgets it where nothing "
     "else is left of the path",
     loses_last_segment},
}};

}  // namespace

const KnownDifference* explain_difference(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs) {
  const auto* found = std::ranges::find_if(
      known_differences, [&](const KnownDifference& row) { return row.explains(text, ours, theirs); });
  return found == known_differences.end() ? nullptr : found;
}

}  // namespace linkherd::parser
