#include "tests/end_to_end/page_template.h"

#include <filesystem>
#include <stdexcept>

#include <unicode/unistr.h>

#include "tests/support/temp_dir.h"

namespace linkherd::tests {

std::string filled_template(const std::string& name, const std::map<std::string, std::string>& values) {
  const std::filesystem::path folder = std::filesystem::path(LINKHERD_SOURCE_DIR) / "tests/end_to_end/pages";
  const std::string text = read_file(folder / (name + ".html"));
  std::string page;
  std::size_t at = 0;
  for (std::size_t open = text.find("{{"); open != std::string::npos; open = text.find("{{", at)) {
    const std::size_t close = text.find("}}", open);
    const auto value = values.find(text.substr(open + 2, close - open - 2));
    if (close == std::string::npos || value == values.end()) {
      throw std::runtime_error(name + ".html asks for what is not planted: " + text.substr(open, 40));
    }
    page.append(text, at, open - at).append(value->second);
    at = close + 2;
  }
  return page.append(text, at);
}

std::string encoded(const std::string& utf8, const std::string& charset) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8(utf8);
  std::string bytes(utf8.size() * 2, '\0');
  const int32_t length =
      text.extract(0, text.length(), bytes.data(), static_cast<uint32_t>(bytes.size()), charset.c_str());
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

}  // namespace linkherd::tests
