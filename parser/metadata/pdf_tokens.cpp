#include "parser/metadata/pdf_tokens.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view pdf_space("\0\t\n\f\r ", 6);
constexpr std::string_view pdf_delimiters = "()<>[]{}/%";

bool ends_word(char c) {
  return pdf_space.find(c) != std::string_view::npos || pdf_delimiters.find(c) != std::string_view::npos;
}

bool is_octal_digit(char c) { return c >= '0' && c <= '7'; }

// Returns the value of a hexadecimal digit, or -1.
int hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char small = ascii_lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace

void PdfTokens::skip_space() {
  while (at_ < bytes_.size()) {
    if (bytes_[at_] == '%') {
      at_ = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
    } else if (pdf_space.find(bytes_[at_]) == std::string_view::npos) {
      return;
    } else {
      ++at_;
    }
  }
}

// Skips the bytes between ID and EI.
void PdfTokens::skip_inline_image() {
  while (at_ < bytes_.size()) {
    at_ = std::min(bytes_.find("EI", at_), bytes_.size());
    const bool is_end = at_ == bytes_.size() || ((at_ + 2 == bytes_.size() || ends_word(bytes_[at_ + 2])) &&
                                                 pdf_space.find(bytes_[at_ - 1]) != std::string_view::npos);
    at_ = std::min(at_ + 2, bytes_.size());
    if (is_end) return;
  }
}

std::string PdfTokens::read_literal_string() {
  std::string text;
  int depth = 1;
  while (at_ < bytes_.size()) {
    const char c = bytes_[at_++];
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) break;
    if (c != '\\' || at_ == bytes_.size()) {
      text += c;
      continue;
    }
    const char escaped = bytes_[at_++];
    constexpr std::string_view letters = "nrtbf";
    constexpr std::string_view values = "\n\r\t\b\f";
    if (const std::size_t letter = letters.find(escaped); letter != std::string_view::npos) {
      text += values[letter];
    } else if (is_octal_digit(escaped)) {
      auto value = static_cast<unsigned>(escaped - '0');
      for (int digits = 1; digits < 3 && at_ < bytes_.size() && is_octal_digit(bytes_[at_]); ++digits)
        value = value * 8 + static_cast<unsigned>(bytes_[at_++] - '0');
      text += static_cast<char>(value & 0xFFU);
    } else if (escaped == '\r') {
      if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    } else if (escaped != '\n') {
      text += escaped;
    }
  }
  return text;
}

std::string PdfTokens::read_hex_string() {
  std::string text;
  int high = -1;
  while (at_ < bytes_.size() && bytes_[at_] != '>') {
    const int digit = hex_digit(bytes_[at_++]);
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      text += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  at_ = std::min(at_ + 1, bytes_.size());
  if (high >= 0) text += static_cast<char>(high * 16);
  return text;
}

std::string_view PdfTokens::read_word() {
  const std::size_t begin = at_;
  while (at_ < bytes_.size() && !ends_word(bytes_[at_])) ++at_;
  return bytes_.substr(begin, at_ - begin);
}

PdfToken PdfTokens::next() {
  using Kind = PdfToken::Kind;
  for (skip_space(); at_ < bytes_.size(); skip_space()) {
    const char c = bytes_[at_];
    const bool is_doubled = at_ + 1 < bytes_.size() && bytes_[at_ + 1] == c;
    if (!ends_word(c)) {
      const std::string_view word = read_word();
      PdfToken token{.kind = Kind::operation, .text = std::string(word)};
      const std::string_view digits = word.substr(word.starts_with('+') ? 1 : 0);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.number);
      const bool is_number = is_ascii_digit(word.back()) || word.back() == '.';
      if (is_number && error == std::errc() && end == digits.data() + digits.size()) token.kind = Kind::number;
      if (word == "ID") skip_inline_image();
      return token;
    }
    ++at_;
    switch (c) {
      case '(': return {.kind = Kind::string, .text = read_literal_string()};
      case '/': return {.kind = Kind::name, .text = std::string(read_word())};
      case '[': return {.kind = Kind::open_array};
      case ']': return {.kind = Kind::close_array};
      case '<':
        if (!is_doubled) return {.kind = Kind::string, .text = read_hex_string()};
        ++at_;  // a dictionary; its entries are tokens of their own
        break;
      default: break;
    }
  }
  return {};
}

}  // namespace linkherd::parser
