#include "parser/url/unicode_host.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <unicode/bytestream.h>
#include <unicode/idna.h>
#include <unicode/uspoof.h>

#include "parser/ascii.h"
#include "parser/url/host.h"

namespace linkherd::parser {
namespace {

struct CloseChecker {
  void operator()(USpoofChecker* checker) const { uspoof_close(checker); }
};
using SpoofChecker = std::unique_ptr<USpoofChecker, CloseChecker>;

// Returns an immutable checker, which threads may share according to the ICU documentation. It applies the level
// "highly restrictive" of UTS #39: a single script, or Latin together with one of the East Asian combinations with Han.
const USpoofChecker& checker() {
  static const SpoofChecker instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    SpoofChecker made(uspoof_open(&status));
    uspoof_setChecks(made.get(), USPOOF_RESTRICTION_LEVEL | USPOOF_MIXED_NUMBERS, &status);
    uspoof_setRestrictionLevel(made.get(), USPOOF_HIGHLY_RESTRICTIVE);
    if (U_FAILURE(status) != 0) throw std::runtime_error("ICU's data on confusable characters cannot be loaded");
    return made;
  }();
  return *instance;
}

bool mixes_scripts(std::string_view label) {
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t failed =
      uspoof_check2UTF8(&checker(), label.data(), static_cast<std::int32_t>(label.size()), nullptr, &status);
  return U_FAILURE(status) != 0 || failed != 0;
}

// Compares UTS #39 skeletons, which are equal for texts that look alike.
bool looks_like_ascii(std::string_view label) {
  UErrorCode status = U_ZERO_ERROR;
  std::string skeleton(4 * label.size() + 16, '\0');
  const std::int32_t length =
      uspoof_getSkeletonUTF8(&checker(), 0, label.data(), static_cast<std::int32_t>(label.size()), skeleton.data(),
                             static_cast<std::int32_t>(skeleton.size()), &status);
  if (U_FAILURE(status) != 0) return false;
  skeleton.resize(static_cast<std::size_t>(length));
  return is_ascii(skeleton);
}

}  // namespace

UnicodeHost unicode_host(const Url& url) {
  UnicodeHost host{std::string(url.host())};
  if (url.host_kind() != HostKind::domain || host.text.find("xn--") == std::string::npos) return host;
  host.text = domain_to_unicode(url.host());
  std::string_view rest = host.text;
  while (!rest.empty()) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), label.size() + 1));
    if (is_ascii(label)) continue;
    host.has_mixed_scripts = host.has_mixed_scripts || mixes_scripts(label);
    host.imitates_ascii = host.imitates_ascii || looks_like_ascii(label);
  }
  return host;
}

}  // namespace linkherd::parser
