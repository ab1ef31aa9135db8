#include "parser/metadata/pdf_headline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// The C interface of qpdf. It throws no exceptions, and clang 14 cannot compile the C++ headers as C++20.
#include <qpdf/qpdf-c.h>

#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/metadata/pdf_tokens.h"
#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_stream_bytes = std::size_t{4} << 20;
// These limit all fonts together and the text of the page, so that a page cannot use a limit many times.
constexpr std::size_t max_map_bytes = std::size_t{8} << 20;
constexpr std::size_t max_map_texts = 200'000;
constexpr std::size_t max_page_text = std::size_t{1} << 20;
constexpr std::string_view unknown_letter = "\uFFFD";

struct FreeStream {
  void operator()(unsigned char* bytes) const { std::free(bytes); }  // NOLINT(cppcoreguidelines-no-malloc): qpdf's way
};

// Takes ownership of what qpdf returned.
std::string to_string(QPDF_ERROR_CODE code, unsigned char* data, std::size_t length) {
  const std::unique_ptr<unsigned char, FreeStream> bytes(data);
  if ((code & QPDF_ERRORS) != 0 || data == nullptr || length > max_stream_bytes) return {};
  return {reinterpret_cast<const char*>(data), length};
}

std::string content_of_page(_qpdf_data* pdf, qpdf_oh page) {
  unsigned char* data = nullptr;
  std::size_t length = 0;
  const QPDF_ERROR_CODE code = qpdf_oh_get_page_content_data(pdf, page, &data, &length);
  return to_string(code, data, length);
}

std::string content_of_stream(_qpdf_data* pdf, qpdf_oh stream) {
  if (qpdf_oh_is_stream(pdf, stream) == QPDF_FALSE) return {};
  QPDF_BOOL is_filtered = QPDF_FALSE;
  unsigned char* data = nullptr;
  std::size_t length = 0;
  const QPDF_ERROR_CODE code = qpdf_oh_get_stream_data(pdf, stream, qpdf_dl_generalized, &is_filtered, &data, &length);
  return to_string(code, data, length);
}

// The texts of the codes of a font.
struct PdfFont {
  std::size_t code_bytes = 1;
  std::unordered_map<unsigned, std::string> texts;

  // Appends the text of codes to `text`, until that has `max_bytes`.
  void decode(std::string_view codes, std::size_t max_bytes, std::string& text) const {
    for (; codes.size() >= code_bytes && text.size() < max_bytes; codes.remove_prefix(code_bytes)) {
      unsigned code = 0;
      for (const char byte : codes.substr(0, code_bytes)) code = code * 256 + static_cast<unsigned char>(byte);
      const auto known = texts.find(code);
      text += known == texts.end() ? unknown_letter : std::string_view(known->second);
    }
  }
};

unsigned code_of(std::string_view bytes) {
  unsigned code = 0;
  for (const char byte : bytes.substr(0, 4)) code = code * 256 + static_cast<unsigned char>(byte);
  return code;
}

std::string utf16_to_utf8(std::string_view bytes) {
  std::string text;
  for (; bytes.size() >= 2; bytes.remove_prefix(2)) {
    char32_t letter = code_of(bytes.substr(0, 2));
    const char32_t next = bytes.size() >= 4 ? code_of(bytes.substr(2, 2)) : 0;
    if (letter >= 0xD800 && letter < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
      letter = 0x10000 + ((letter - 0xD800) << 10U) + (next - 0xDC00);
      bytes.remove_prefix(2);
    }
    if (is_scalar_value(letter)) append_utf8(text, letter);
  }
  return text;
}

// Adds one, as the codes of a range of a CMap go on: only the last byte changes.
std::string next_letter(std::string letter, unsigned distance) {
  if (!letter.empty()) letter.back() = static_cast<char>(static_cast<unsigned char>(letter.back()) + distance);
  return letter;
}

// Counts what the maps of the fonts of a page may still use.
struct MapBudget {
  std::size_t bytes = max_map_bytes;
  std::size_t texts = max_map_texts;
};

// Reads a /ToUnicode CMap (ISO 32000-1, 9.10.3): <01> <0041> between beginbfchar and endbfchar, and <01> <05> <0041> or
// <01> <02> [<0041> <0042>] between beginbfrange and endbfrange.
void read_unicode_map(std::string_view map, MapBudget& budget, PdfFont& font) {
  constexpr std::size_t max_text_bytes = 16;  // a code stands for a letter or a ligature
  map = map.substr(0, budget.bytes);
  budget.bytes -= map.size();
  PdfTokens tokens(map);
  std::vector<std::string> values;
  std::size_t values_of_entry = 0;  // 0 outside of the tables
  bool in_array = false;
  for (PdfToken token = tokens.next(); token.kind != PdfToken::Kind::end && budget.texts > 0; token = tokens.next()) {
    if (token.kind == PdfToken::Kind::operation) {
      values_of_entry = token.text == "beginbfchar" ? 2 : token.text == "beginbfrange" ? 3 : 0;
      values.clear();
      continue;
    }
    in_array = token.kind == PdfToken::Kind::open_array || (in_array && token.kind != PdfToken::Kind::close_array);
    if (values_of_entry == 0 || token.kind != PdfToken::Kind::string) {
      if (token.kind == PdfToken::Kind::close_array) values.clear();
      continue;
    }
    values.push_back(token.text.substr(0, max_text_bytes));
    if (in_array && values.size() > 2) {
      const auto distance = static_cast<unsigned>(values.size() - 3);
      font.texts[code_of(values.front()) + distance] = utf16_to_utf8(values.back());
      --budget.texts;
    } else if (values.size() == values_of_entry) {
      const unsigned first = code_of(values.front());
      const unsigned last = values_of_entry == 2 ? first : std::min(code_of(values[1]), first | 0xFFU);
      // Counts the distance, because the code may be the largest number.
      for (unsigned distance = 0; first <= last && distance <= last - first && budget.texts > 0; ++distance) {
        font.texts[first + distance] = utf16_to_utf8(next_letter(values.back(), distance));
        --budget.texts;
      }
      values.clear();
    }
  }
}

// The texts of a font without a map, and the ligatures of TeX's fonts at 11 to 15.
void add_standard_texts(PdfFont& font, std::string_view charset) {
  for (unsigned code = ' '; code < 256; ++code)
    font.texts[code] = decode_text(std::string(1, static_cast<char>(code)), std::string(charset)).text;
  for (const auto& [code, text] : std::array<std::pair<unsigned, std::string_view>, 5>{
           {{11, "ff"}, {12, "fi"}, {13, "fl"}, {14, "ffi"}, {15, "ffl"}}})
    font.texts[code] = text;
}

// Returns the text of a glyph's name. Empty for names other than letters and the most frequent signs.
std::string_view text_of_glyph(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 34> signs{
      {{"space", " "},        {"hyphen", "-"},        {"period", "."},      {"comma", ","},     {"colon", ":"},
       {"semicolon", ";"},    {"quoteright", "’"},    {"quoteleft", "‘"},   {"endash", "–"},    {"emdash", "—"},
       {"quotedblleft", "“"}, {"quotedblright", "”"}, {"quotesingle", "'"}, {"slash", "/"},     {"question", "?"},
       {"exclam", "!"},       {"parenleft", "("},     {"parenright", ")"},  {"ampersand", "&"}, {"ff", "ff"},
       {"fi", "fi"},          {"fl", "fl"},           {"ffi", "ffi"},       {"ffl", "ffl"},     {"zero", "0"},
       {"one", "1"},          {"two", "2"},           {"three", "3"},       {"four", "4"},      {"five", "5"},
       {"six", "6"},          {"seven", "7"},         {"eight", "8"},       {"nine", "9"}}};
  if (name.size() == 1 && is_ascii(name.front())) return name;
  const auto sign = std::ranges::find(signs, name, &std::pair<std::string_view, std::string_view>::first);
  return sign == signs.end() ? std::string_view() : sign->second;
}

// Reads the differences of an encoding: [11 /ff /fi 65 /A /B].
void read_differences(_qpdf_data* pdf, qpdf_oh encoding, PdfFont& font) {
  constexpr int max_items = 512;
  const qpdf_oh differences = qpdf_oh_get_key_if_dict(pdf, encoding, "/Differences");
  if (qpdf_oh_is_array(pdf, differences) == QPDF_FALSE) return;
  const int size = std::min(qpdf_oh_get_array_n_items(pdf, differences), max_items);
  unsigned code = 0;
  for (int i = 0; i < size; ++i) {
    const qpdf_oh item = qpdf_oh_get_array_item(pdf, differences, i);
    if (qpdf_oh_is_integer(pdf, item) != QPDF_FALSE) {
      code = static_cast<unsigned>(std::clamp(qpdf_oh_get_int_value_as_int(pdf, item), 0, 255));
    } else if (qpdf_oh_is_name(pdf, item) != QPDF_FALSE) {
      const std::string_view text = text_of_glyph(std::string_view(qpdf_oh_get_name(pdf, item)).substr(1));
      font.texts.erase(code);  // an unknown glyph is no other letter
      if (!text.empty()) font.texts[code] = text;
      ++code;
    }
  }
}

// Returns true if a font, or its encoding, is one of those names.
bool has_name(_qpdf_data* pdf, qpdf_oh dictionary, const char* key, const char* name) {
  return qpdf_oh_is_name_and_equals(pdf, qpdf_oh_get_key_if_dict(pdf, dictionary, key), name) != QPDF_FALSE;
}

PdfFont read_font(_qpdf_data* pdf, qpdf_oh dictionary, MapBudget& budget) {
  PdfFont font;
  const bool is_composite = has_name(pdf, dictionary, "/Subtype", "/Type0");
  const bool has_symbols =
      has_name(pdf, dictionary, "/BaseFont", "/Symbol") || has_name(pdf, dictionary, "/BaseFont", "/ZapfDingbats");
  if (!is_composite && !has_symbols) {
    const qpdf_oh encoding = qpdf_oh_get_key_if_dict(pdf, dictionary, "/Encoding");
    const bool is_mac = has_name(pdf, dictionary, "/Encoding", "/MacRomanEncoding") ||
                        has_name(pdf, encoding, "/BaseEncoding", "/MacRomanEncoding");
    add_standard_texts(font, is_mac ? "macintosh" : "windows-1252");
    read_differences(pdf, encoding, font);
  }
  if (budget.bytes > 0)
    read_unicode_map(content_of_stream(pdf, qpdf_oh_get_key_if_dict(pdf, dictionary, "/ToUnicode")), budget, font);
  font.code_bytes = is_composite ? 2 : 1;
  return font;
}

// x' = a x + c y + e, y' = b x + d y + f
struct Matrix {
  double a = 1.0, b = 0.0, c = 0.0, d = 1.0, e = 0.0, f = 0.0;

  double scale() const { return std::sqrt(std::abs(a * d - b * c)); }
  bool is_upright() const { return std::abs(b) < 0.1 * std::abs(a); }
};

// Returns the matrix that applies `first`, then `second`.
Matrix operator*(const Matrix& first, const Matrix& second) {
  return {.a = first.a * second.a + first.b * second.c,
          .b = first.a * second.b + first.b * second.d,
          .c = first.c * second.a + first.d * second.c,
          .d = first.c * second.b + first.d * second.d,
          .e = first.e * second.a + first.f * second.c + second.e,
          .f = first.e * second.b + first.f * second.d + second.f};
}

// Consecutive lines of one size.
struct TextBlock {
  double size = 0.0;
  double baseline = 0.0;  // of the last line
  std::string text = {};
  bool is_part = false;  // stands beside text of another size, such as a subscript
};

bool is_same_size(double a, double b) { return std::abs(a - b) <= 0.03 * std::max(a, b); }

// Collects the blocks of text of a page (ISO 32000-1, 9.4).
class PageReader {
 public:
  PageReader(_qpdf_data* pdf, qpdf_oh fonts) : pdf_(pdf), fonts_in_file_(fonts) {}

  std::vector<TextBlock> read(std::string_view content) {
    constexpr std::size_t max_operands = 4096;
    constexpr std::size_t max_blocks = 2000;
    PdfTokens tokens(content);
    for (PdfToken token = tokens.next(); token.kind != PdfToken::Kind::end && blocks_.size() < max_blocks;
         token = tokens.next()) {
      if (token.kind == PdfToken::Kind::operation) {
        execute(token.text);
        operands_.clear();
      } else if (operands_.size() < max_operands) {
        operands_.push_back(std::move(token));
      }
    }
    return std::move(blocks_);
  }

 private:
  // Returns the operand with that index from the end; 0 if there is none.
  double number(std::size_t from_end) const {
    return from_end < operands_.size() ? operands_[operands_.size() - 1 - from_end].number : 0.0;
  }
  Matrix matrix() const {
    return {.a = number(5), .b = number(4), .c = number(3), .d = number(2), .e = number(1), .f = number(0)};
  }
  void move_line(double x, double y) { line_ = Matrix{.e = x, .f = y} * line_; }

  void execute(std::string_view operation) {
    constexpr std::size_t max_depth = 256;
    if (operation == "q" && saved_.size() < max_depth) {
      saved_.push_back(state_);
    } else if (operation == "Q" && !saved_.empty()) {
      state_ = std::move(saved_.back());
      saved_.pop_back();
    } else if (operation == "cm") {
      state_.page = matrix() * state_.page;
    } else if (operation == "BT") {
      line_ = {};
    } else if (operation == "Tm") {
      line_ = matrix();
    } else if (operation == "Td") {
      move_line(number(1), number(0));
    } else if (operation == "TD") {
      state_.leading = -number(0);
      move_line(number(1), number(0));
    } else if (operation == "TL") {
      state_.leading = number(0);
    } else if (operation == "T*") {
      move_line(0.0, -state_.leading);
    } else if (operation == "Tf" && operands_.size() >= 2) {
      state_.font = operands_[operands_.size() - 2].text;
      state_.font_size = number(0);
    } else if (operation == "Tj" || operation == "TJ") {
      show();
    } else if (operation == "'" || operation == "\"") {
      move_line(0.0, -state_.leading);
      show();
    }
  }

  // Returns the selected font; null if there are too many. A font is read when it is used, because a page can select
  // fonts without end.
  const PdfFont* find_font() {
    constexpr std::size_t max_fonts = 64;
    auto known = fonts_.find(state_.font);
    if (known == fonts_.end()) {
      if (fonts_.size() == max_fonts) return nullptr;
      const qpdf_oh dictionary = qpdf_oh_get_key_if_dict(pdf_, fonts_in_file_, ("/" + state_.font).c_str());
      known = fonts_.emplace(state_.font, read_font(pdf_, dictionary, budget_)).first;
    }
    return &known->second;
  }

  // Shows the strings among the operands. The numbers between them move the next letter, in thousandths of the size.
  void show() {
    constexpr double max_kerning = 200.0;
    const Matrix whole = line_ * state_.page;
    const double size = std::abs(state_.font_size) * whole.scale();
    constexpr double max_size = 2000.0;
    if (!whole.is_upright() || !(size > 1.0 && size < max_size) || !std::isfinite(whole.f)) return;
    const PdfFont* const font = find_font();
    if (font == nullptr) return;
    std::string text;
    for (const PdfToken& operand : operands_) {
      if (operand.kind == PdfToken::Kind::string) font->decode(operand.text, text_left_, text);
      if (operand.kind == PdfToken::Kind::number && operand.number < -max_kerning) text += ' ';
    }
    append(text, size, whole.f);
  }

  void append(const std::string& text, double size, double baseline) {
    constexpr double max_line_distance = 2.5;  // sizes
    constexpr double min_line_distance = 0.6;
    text_left_ -= std::min(text_left_, text.size());
    const double distance = blocks_.empty() ? 0.0 : std::abs(baseline - blocks_.back().baseline);
    const bool is_same = !blocks_.empty() && is_same_size(blocks_.back().size, size);
    if (!is_same || distance > max_line_distance * size) {
      const bool is_part =
          !blocks_.empty() && !is_same && distance < min_line_distance * std::max(size, blocks_.back().size);
      if (is_part) blocks_.back().is_part = true;
      blocks_.push_back({.size = size, .is_part = is_part});
    } else if (distance > 0.3 * size) {
      blocks_.back().text += ' ';
    }
    blocks_.back().text += text;
    blocks_.back().baseline = baseline;
  }

  // The operator q saves this state, and Q restores it.
  struct State {
    Matrix page{};
    std::string font{};
    double font_size = 0.0;
    double leading = 0.0;
  };

  _qpdf_data* pdf_;
  qpdf_oh fonts_in_file_;
  std::map<std::string, PdfFont, std::less<>> fonts_;
  std::vector<PdfToken> operands_;
  std::vector<State> saved_;
  State state_;
  Matrix line_;
  MapBudget budget_;
  std::size_t text_left_ = max_page_text;  // bytes
  std::vector<TextBlock> blocks_;
};

struct FirstPage {
  qpdf_oh page;
  qpdf_oh fonts;  // of the page, or inherited
};

// Returns the first page without reading others, because a document can have any number of them.
std::optional<FirstPage> find_first_page(_qpdf_data* pdf) {
  constexpr int max_depth = 50;
  qpdf_oh node = qpdf_oh_get_key(pdf, qpdf_get_root(pdf), "/Pages");
  qpdf_oh fonts = qpdf_oh_new_null(pdf);
  for (int depth = 0; depth < max_depth && qpdf_oh_is_dictionary(pdf, node) != QPDF_FALSE; ++depth) {
    const qpdf_oh resources = qpdf_oh_get_key(pdf, node, "/Resources");
    if (qpdf_oh_is_dictionary(pdf, resources) != QPDF_FALSE) fonts = qpdf_oh_get_key(pdf, resources, "/Font");
    const qpdf_oh kids = qpdf_oh_get_key(pdf, node, "/Kids");
    if (qpdf_oh_is_array(pdf, kids) == QPDF_FALSE) return FirstPage{node, fonts};
    if (qpdf_oh_get_array_n_items(pdf, kids) == 0) break;
    node = qpdf_oh_get_array_item(pdf, kids, 0);
  }
  return std::nullopt;
}

// Returns the size of most letters.
double find_body_size(const std::vector<TextBlock>& blocks) {
  std::map<long, std::size_t> bytes_by_size;  // in tenths
  for (const TextBlock& block : blocks) bytes_by_size[std::lround(block.size * 10.0)] += block.text.size();
  const auto most = std::ranges::max_element(bytes_by_size, {}, [](const auto& one) { return one.second; });
  return most == bytes_by_size.end() ? 0.0 : static_cast<double>(most->first) / 10.0;
}

}  // namespace

std::string find_pdf_headline(_qpdf_data* pdf) {
  constexpr double min_ratio = 1.15;      // to the size of most letters
  constexpr std::size_t min_letters = 4;  // fewer are the initial of a paragraph
  const std::optional<FirstPage> first = find_first_page(pdf);
  if (!first) return {};
  const std::vector<TextBlock> blocks = PageReader(pdf, first->fonts).read(content_of_page(pdf, first->page));
  const TextBlock* largest = nullptr;
  for (const TextBlock& block : blocks) {
    if (extract_letters(block.text).size() < min_letters) continue;
    if (largest == nullptr || (block.size > largest->size && !is_same_size(block.size, largest->size)))
      largest = &block;
  }
  if (largest == nullptr || largest->is_part || largest->size < min_ratio * find_body_size(blocks)) return {};
  if (largest->text.find(unknown_letter) != std::string::npos) return {};
  return clean_value(largest->text, max_title);
}

}  // namespace linkherd::parser
