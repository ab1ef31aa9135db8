// Whether bytes are text at all: by what they begin with, then by the share of bytes that no text has.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "parser/html/charset.h"
#include "parser/html/charset_detection.h"

namespace linkherd::parser {
namespace {

using namespace std::string_view_literals;

constexpr std::array magic_numbers{
    "\x89PNG\r\n"sv,
    "\xFF\xD8\xFF"sv,
    "GIF87a"sv,
    "GIF89a"sv,
    "%PDF-"sv,
    "PK\x03\x04"sv,
    "PK\x05\x06"sv,
    "\x1F\x8B"sv,
    "BZh"sv,
    "\xFD"
    "7zXZ"sv,
    "7z\xBC\xAF"sv,
    "Rar!\x1A"sv,
    "\x28\xB5\x2F\xFD"sv,
    "\x7F"
    "ELF"sv,
    "\xCA\xFE\xBA\xBE"sv,
    "\xCF\xFA\xED\xFE"sv,
    "\0asm"sv,
    "OggS"sv,
    "ID3"sv,
    "fLaC"sv,
    "SQLite format 3\0"sv,
    "II*\0"sv,
    "MM\0*"sv,
    "wOFF"sv,
    "wOF2"sv,
    "\0\0\1\0"sv,
    "\xD0\xCF\x11\xE0"sv,
    "!<arch>\n"sv,
    "\x1A\x45\xDF\xA3"sv,
};

bool has_magic_number(std::string_view bytes) {
  if (std::ranges::any_of(magic_numbers, [bytes](std::string_view magic) { return bytes.starts_with(magic); })) {
    // "BZh", "ID3" and "OggS" could begin a sentence; a real one has bytes soon after that no text has.
    return bytes.substr(0, 512).find_first_of("\0\1\2\3\4\5\6\x80\xFF"sv) != std::string_view::npos ||
           bytes.starts_with("%PDF-");
  }
  if (bytes.size() > 12 && bytes.starts_with("RIFF")) return bytes.substr(4, 4).find('\0') != std::string_view::npos;
  if (bytes.size() > 12 && bytes.substr(4, 4) == "ftyp") return true;
  return bytes.starts_with("MZ") && bytes.substr(0, 512).find('\0') != std::string_view::npos;
}

}  // namespace

bool is_binary(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF") || bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return false;
  if (has_magic_number(bytes)) return true;
  const std::string_view head = bytes.substr(0, std::size_t{8} << 10);
  const auto nuls = static_cast<std::size_t>(std::ranges::count(head, '\0'));
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(head, [](char c) {
    return c != '\0' && static_cast<unsigned char>(c) < 0x20 && !(c >= '\t' && c <= '\r') && c != '\x1B';
  }));
  // A few stray NULs are a damaged text; links in it still count.
  if (nuls * 10 <= head.size() && controls * 20 <= head.size()) return false;
  return detect_utf16(bytes) == nullptr;
}

}  // namespace linkherd::parser
