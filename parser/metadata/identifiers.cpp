#include "parser/metadata/identifiers.h"

#include <algorithm>
#include <cstddef>

#include "parser/ascii.h"
#include "parser/url/host_labels.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_bytes = 500;  // bytes; real identifiers have far fewer

// Returns true for "10.", a registrant's number, a slash and a name: "10.1002/(sici)1097-0258".
bool is_doi(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (!text.starts_with("10.") || slash == std::string_view::npos || slash + 1 == text.size()) return false;
  const std::string_view registrant = text.substr(3, slash - 3);
  const bool is_registrant =
      registrant.size() >= 4 && std::ranges::all_of(registrant, [](char c) { return is_ascii_digit(c) || c == '.'; });
  return is_registrant && text.size() <= max_bytes && is_valid_utf8(text) &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
}

// Returns true for "2401.01234", and for "hep-th/9901001", the form until 2007.
bool is_arxiv_id(std::string_view text) {
  const std::size_t mark = text.find_first_of("./");
  if (mark == std::string_view::npos || text.size() > max_bytes) return false;
  const std::string_view front = text.substr(0, mark), back = text.substr(mark + 1);
  if (!std::ranges::all_of(back, is_ascii_digit)) return false;
  if (text[mark] == '/') {
    return back.size() == 7 && !front.empty() &&
           std::ranges::all_of(front, [](char c) { return is_ascii_letter(c) || c == '-'; });
  }
  return front.size() == 4 && std::ranges::all_of(front, is_ascii_digit) && (back.size() == 4 || back.size() == 5);
}

// Removes the version: "2401.01234v2" is the second version of 2401.01234.
std::string_view without_version(std::string_view id) {
  const std::size_t version = id.rfind('v');
  const bool has_version = version != std::string_view::npos && version + 1 < id.size() &&
                           std::ranges::all_of(id.substr(version + 1), is_ascii_digit);
  return has_version ? id.substr(0, version) : id;
}

bool is_resolver(const Url& url) {
  const std::string_view host = without_www(url.host());
  return host == "doi.org" || host == "dx.doi.org";
}

bool is_url(std::string_view text) { return starts_ignoring_case(text, "http"); }

bool has_isbn_10_check(std::string_view digits) {
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i)
    sum += (digits[i] == 'X' ? 10 : digits[i] - '0') * static_cast<int>(10 - i);
  return sum % 11 == 0;
}

bool has_isbn_13_check(std::string_view digits) {
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

}  // namespace

std::string parse_doi(std::string_view text) {
  text = trim_ascii(text);
  if (text.size() > max_bytes) return {};
  if (is_url(text)) {
    const auto url = Url::parse(text);
    return url && is_resolver(*url) ? find_doi(*url) : std::string();
  }
  for (const std::string_view scheme : {"info:doi/", "doi:"}) {
    if (starts_ignoring_case(text, scheme)) text = trim_ascii(text.substr(scheme.size()));
  }
  return is_doi(text) ? std::string(text) : std::string();
}

std::string parse_arxiv_id(std::string_view text) {
  text = trim_ascii(text);
  if (text.size() > max_bytes) return {};
  if (is_url(text)) {
    const auto url = Url::parse(text);
    return url ? find_arxiv_id(*url) : std::string();
  }
  if (starts_ignoring_case(text, "arxiv:")) text = trim_ascii(text.substr(6));
  const std::string_view id = without_version(text);
  return is_arxiv_id(id) ? std::string(id) : std::string();
}

std::string parse_isbn(std::string_view text) {
  text = trim_ascii(text);
  if (starts_ignoring_case(text, "urn:isbn:")) text.remove_prefix(9);
  if (starts_ignoring_case(text, "isbn")) text.remove_prefix(4);
  std::string digits;
  for (const char c : text.substr(0, max_bytes)) {
    if (c == '-' || c == ' ' || (c == ':' && digits.empty())) continue;
    const bool is_last_x = (c == 'X' || c == 'x') && digits.size() == 9;
    if (!is_ascii_digit(c) && !is_last_x) return {};
    digits += is_last_x ? 'X' : c;
  }
  if (digits.size() == 10 && has_isbn_10_check(digits)) return digits;
  const bool is_book = digits.starts_with("978") || digits.starts_with("979");
  return digits.size() == 13 && is_book && has_isbn_13_check(digits) ? digits : std::string();
}

std::string find_doi(const Url& url) {
  if (url.path().empty()) return {};
  if (is_resolver(url)) {
    std::string path = percent_decode(url.path().substr(1));
    return is_doi(path) ? path : std::string();
  }
  const std::string id = find_arxiv_id(url);
  return id.empty() ? id : "10.48550/arXiv." + id;
}

std::string find_arxiv_id(const Url& url) {
  if (without_www(url.host()) != "arxiv.org" || url.path().empty()) return {};
  const std::string path = percent_decode(url.path().substr(1));
  std::string_view id(path);
  const std::size_t folder_end = std::min(id.find('/'), id.size());
  const std::string_view folder = id.substr(0, folder_end);
  if (folder != "abs" && folder != "pdf" && folder != "html") return {};
  id.remove_prefix(std::min(folder_end + 1, id.size()));
  if (id.ends_with(".pdf")) id.remove_suffix(4);
  id = without_version(id);
  return is_arxiv_id(id) ? std::string(id) : std::string();
}

}  // namespace linkherd::parser
