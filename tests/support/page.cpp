#include "tests/support/page.h"

#include <algorithm>

#include "parser/ascii.h"

namespace linkherd::tests {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, parser::ascii_lower, parser::ascii_lower);
}

}  // namespace

std::string header_value(const Headers& headers, std::string_view name) {
  const auto found =
      std::ranges::find_if(headers, [name](const auto& header) { return same_name(header.first, name); });
  return found == headers.end() ? std::string() : found->second;
}

Page html_page(std::string body, std::string content_type) {
  Page page;
  page.headers.emplace_back("Content-Type", std::move(content_type));
  page.body = std::move(body);
  return page;
}

Page status_page(int status, Headers headers) {
  Page page = html_page("<!DOCTYPE html><html><head><title>" + std::to_string(status) + "</title></head><body><h1>" +
                        std::to_string(status) + "</h1></body></html>");
  page.status = status;
  page.headers.insert(page.headers.end(), headers.begin(), headers.end());
  return page;
}

Page redirect_page(int status, std::string location) {
  return status_page(status, {{"Location", std::move(location)}});
}

}  // namespace linkherd::tests
