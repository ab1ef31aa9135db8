#include "storage/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>

#include "parser/utf8.h"

namespace linkherd::storage {
namespace {

constexpr bool must_be_escaped(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escape(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4U];
      out += digits[static_cast<unsigned char>(c) & 0xFU];
  }
}

template <class T>
void write_whole(JsonWriter& json, T number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  json.word({digits.data(), static_cast<std::size_t>(end - digits.begin())});
}

}  // namespace

void JsonWriter::separate() {
  if (out_.size() == start_) return;
  const char last = out_.back();
  if (last != '{' && last != '[' && last != ':') out_ += ',';
}

void JsonWriter::quoted(std::string_view utf8) {
  out_ += '"';
  while (true) {
    const auto escaped = std::ranges::find_if(utf8, must_be_escaped);
    out_.append(utf8.begin(), escaped);
    if (escaped == utf8.end()) break;
    append_escape(out_, *escaped);
    utf8.remove_prefix(static_cast<std::size_t>(escaped - utf8.begin()) + 1);
  }
  out_ += '"';
}

void JsonWriter::key(std::string_view name) {
  separate();
  quoted(name);
  out_ += ':';
}

void JsonWriter::text(std::string_view text) {
  separate();
  is_valid_utf8(text) ? quoted(text) : quoted(to_valid_utf8(text));
}

void JsonWriter::word(std::string_view word) {
  separate();
  out_ += word;
}

void write_json(JsonWriter& json, std::int64_t number) { write_whole(json, number); }

void write_json(JsonWriter& json, std::uint64_t number) { write_whole(json, number); }

// Writes as few digits as the value needs: 1, 0.35.
void write_json(JsonWriter& json, double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  json.word({digits.data(), static_cast<std::size_t>(end - digits.begin())});
}

// RFC 3339 ends with the year 9999, but certificates may be valid longer. The record must remain readable.
void write_json(JsonWriter& json, Timestamp time) {
  static constexpr Timestamp first{};
  static constexpr Timestamp last{Timestamp(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)) +
                                  std::chrono::days(1) - Duration(1)};
  json.text(format_timestamp(std::clamp(time, first, last)));
}

}  // namespace linkherd::storage
