#include "parser/html/encodings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

struct Label {
  std::string_view label;
  std::uint8_t encoding;  // index into `encodings`
};

constexpr std::array encodings{
    Encoding{"utf-8", "UTF-8", EncodingKind::utf8},
    Encoding{"gb18030", "gb18030", EncodingKind::multi_byte},
    Encoding{"big5", "Big5-HKSCS", EncodingKind::multi_byte},
    Encoding{"shift_jis", "windows-31j", EncodingKind::multi_byte},
    Encoding{"euc-jp", "EUC-JP", EncodingKind::multi_byte},
    Encoding{"iso-2022-jp", "ISO-2022-JP", EncodingKind::multi_byte},
    Encoding{"euc-kr", "windows-949", EncodingKind::multi_byte},
    Encoding{"windows-1252", "windows-1252", EncodingKind::single_byte},
    Encoding{"windows-1250", "windows-1250", EncodingKind::single_byte},
    Encoding{"windows-1251", "windows-1251", EncodingKind::single_byte},
    Encoding{"windows-1253", "windows-1253", EncodingKind::single_byte},
    Encoding{"windows-1254", "windows-1254", EncodingKind::single_byte},
    Encoding{"windows-1255", "windows-1255", EncodingKind::single_byte},
    Encoding{"windows-1256", "windows-1256", EncodingKind::single_byte},
    Encoding{"windows-1257", "windows-1257", EncodingKind::single_byte},
    Encoding{"windows-1258", "windows-1258", EncodingKind::single_byte},
    Encoding{"windows-874", "windows-874", EncodingKind::single_byte},
    Encoding{"iso-8859-2", "ISO-8859-2", EncodingKind::single_byte},
    Encoding{"iso-8859-3", "ISO-8859-3", EncodingKind::single_byte},
    Encoding{"iso-8859-4", "ISO-8859-4", EncodingKind::single_byte},
    Encoding{"iso-8859-5", "ISO-8859-5", EncodingKind::single_byte},
    Encoding{"iso-8859-6", "ISO-8859-6", EncodingKind::single_byte},
    Encoding{"iso-8859-7", "ISO-8859-7", EncodingKind::single_byte},
    Encoding{"iso-8859-8", "ISO-8859-8", EncodingKind::single_byte},
    Encoding{"iso-8859-10", "ISO-8859-10", EncodingKind::single_byte},
    Encoding{"iso-8859-13", "ISO-8859-13", EncodingKind::single_byte},
    Encoding{"iso-8859-14", "ISO-8859-14", EncodingKind::single_byte},
    Encoding{"iso-8859-15", "ISO-8859-15", EncodingKind::single_byte},
    Encoding{"koi8-r", "KOI8-R", EncodingKind::single_byte},
    Encoding{"koi8-u", "KOI8-U", EncodingKind::single_byte},
    Encoding{"ibm866", "ibm-866", EncodingKind::single_byte},
    Encoding{"macintosh", "macintosh", EncodingKind::single_byte},
    Encoding{"x-mac-cyrillic", "x-mac-cyrillic", EncodingKind::single_byte},
    Encoding{"utf-16le", "UTF-16LE", EncodingKind::utf16},
    Encoding{"utf-16be", "UTF-16BE", EncodingKind::utf16},
};

constexpr std::uint8_t index_of(std::string_view name) {
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    if (encodings[i].name == name) return static_cast<std::uint8_t>(i);
  }
  return 0xFF;
}

// Labels other than the names themselves, from the standard. "uhc" and "johab" are names that uchardet returns.
constexpr std::array labels{
    Label{"utf8", index_of("utf-8")},
    Label{"unicode-1-1-utf-8", index_of("utf-8")},
    Label{"unicode11utf8", index_of("utf-8")},
    Label{"unicode20utf8", index_of("utf-8")},
    Label{"x-unicode20utf8", index_of("utf-8")},
    Label{"gb2312", index_of("gb18030")},
    Label{"gbk", index_of("gb18030")},
    Label{"x-gbk", index_of("gb18030")},
    Label{"gb_2312", index_of("gb18030")},
    Label{"gb_2312-80", index_of("gb18030")},
    Label{"chinese", index_of("gb18030")},
    Label{"csgb2312", index_of("gb18030")},
    Label{"csiso58gb231280", index_of("gb18030")},
    Label{"iso-ir-58", index_of("gb18030")},
    Label{"euc-cn", index_of("gb18030")},
    Label{"cp936", index_of("gb18030")},
    Label{"big5-hkscs", index_of("big5")},
    Label{"cn-big5", index_of("big5")},
    Label{"csbig5", index_of("big5")},
    Label{"x-x-big5", index_of("big5")},
    Label{"cp950", index_of("big5")},
    Label{"sjis", index_of("shift_jis")},
    Label{"shift-jis", index_of("shift_jis")},
    Label{"x-sjis", index_of("shift_jis")},
    Label{"ms_kanji", index_of("shift_jis")},
    Label{"ms932", index_of("shift_jis")},
    Label{"csshiftjis", index_of("shift_jis")},
    Label{"windows-31j", index_of("shift_jis")},
    Label{"x-euc-jp", index_of("euc-jp")},
    Label{"cseucpkdfmtjapanese", index_of("euc-jp")},
    Label{"csiso2022jp", index_of("iso-2022-jp")},
    Label{"korean", index_of("euc-kr")},
    Label{"ks_c_5601-1987", index_of("euc-kr")},
    Label{"ks_c_5601-1989", index_of("euc-kr")},
    Label{"ksc5601", index_of("euc-kr")},
    Label{"ksc_5601", index_of("euc-kr")},
    Label{"cseuckr", index_of("euc-kr")},
    Label{"csksc56011987", index_of("euc-kr")},
    Label{"iso-ir-149", index_of("euc-kr")},
    Label{"windows-949", index_of("euc-kr")},
    Label{"uhc", index_of("euc-kr")},
    Label{"ascii", index_of("windows-1252")},
    Label{"us-ascii", index_of("windows-1252")},
    Label{"ansi_x3.4-1968", index_of("windows-1252")},
    Label{"latin1", index_of("windows-1252")},
    Label{"l1", index_of("windows-1252")},
    Label{"iso-8859-1", index_of("windows-1252")},
    Label{"iso8859-1", index_of("windows-1252")},
    Label{"iso88591", index_of("windows-1252")},
    Label{"iso_8859-1", index_of("windows-1252")},
    Label{"iso_8859-1:1987", index_of("windows-1252")},
    Label{"iso-ir-100", index_of("windows-1252")},
    Label{"csisolatin1", index_of("windows-1252")},
    Label{"ibm819", index_of("windows-1252")},
    Label{"cp819", index_of("windows-1252")},
    Label{"cp1252", index_of("windows-1252")},
    Label{"x-cp1252", index_of("windows-1252")},
    Label{"x-user-defined", index_of("windows-1252")},
    Label{"cp1250", index_of("windows-1250")},
    Label{"x-cp1250", index_of("windows-1250")},
    Label{"cp1251", index_of("windows-1251")},
    Label{"x-cp1251", index_of("windows-1251")},
    Label{"cp1253", index_of("windows-1253")},
    Label{"x-cp1253", index_of("windows-1253")},
    Label{"cp1254", index_of("windows-1254")},
    Label{"x-cp1254", index_of("windows-1254")},
    Label{"iso-8859-9", index_of("windows-1254")},
    Label{"iso8859-9", index_of("windows-1254")},
    Label{"iso88599", index_of("windows-1254")},
    Label{"iso_8859-9", index_of("windows-1254")},
    Label{"latin5", index_of("windows-1254")},
    Label{"l5", index_of("windows-1254")},
    Label{"cp1255", index_of("windows-1255")},
    Label{"x-cp1255", index_of("windows-1255")},
    Label{"cp1256", index_of("windows-1256")},
    Label{"x-cp1256", index_of("windows-1256")},
    Label{"cp1257", index_of("windows-1257")},
    Label{"x-cp1257", index_of("windows-1257")},
    Label{"cp1258", index_of("windows-1258")},
    Label{"x-cp1258", index_of("windows-1258")},
    Label{"tis-620", index_of("windows-874")},
    Label{"dos-874", index_of("windows-874")},
    Label{"iso-8859-11", index_of("windows-874")},
    Label{"iso8859-11", index_of("windows-874")},
    Label{"latin2", index_of("iso-8859-2")},
    Label{"l2", index_of("iso-8859-2")},
    Label{"iso8859-2", index_of("iso-8859-2")},
    Label{"iso88592", index_of("iso-8859-2")},
    Label{"iso_8859-2", index_of("iso-8859-2")},
    Label{"csisolatin2", index_of("iso-8859-2")},
    Label{"latin3", index_of("iso-8859-3")},
    Label{"iso8859-3", index_of("iso-8859-3")},
    Label{"latin4", index_of("iso-8859-4")},
    Label{"iso8859-4", index_of("iso-8859-4")},
    Label{"cyrillic", index_of("iso-8859-5")},
    Label{"iso8859-5", index_of("iso-8859-5")},
    Label{"arabic", index_of("iso-8859-6")},
    Label{"iso8859-6", index_of("iso-8859-6")},
    Label{"greek", index_of("iso-8859-7")},
    Label{"iso8859-7", index_of("iso-8859-7")},
    Label{"hebrew", index_of("iso-8859-8")},
    Label{"visual", index_of("iso-8859-8")},
    Label{"logical", index_of("iso-8859-8")},
    Label{"iso-8859-8-i", index_of("iso-8859-8")},
    Label{"iso8859-8", index_of("iso-8859-8")},
    Label{"latin6", index_of("iso-8859-10")},
    Label{"iso8859-10", index_of("iso-8859-10")},
    Label{"iso8859-13", index_of("iso-8859-13")},
    Label{"iso8859-14", index_of("iso-8859-14")},
    Label{"latin9", index_of("iso-8859-15")},
    Label{"l9", index_of("iso-8859-15")},
    Label{"iso8859-15", index_of("iso-8859-15")},
    Label{"iso885915", index_of("iso-8859-15")},
    Label{"iso_8859-15", index_of("iso-8859-15")},
    Label{"koi", index_of("koi8-r")},
    Label{"koi8", index_of("koi8-r")},
    Label{"koi8_r", index_of("koi8-r")},
    Label{"cskoi8r", index_of("koi8-r")},
    Label{"koi8-ru", index_of("koi8-u")},
    Label{"866", index_of("ibm866")},
    Label{"cp866", index_of("ibm866")},
    Label{"csibm866", index_of("ibm866")},
    Label{"mac", index_of("macintosh")},
    Label{"x-mac-roman", index_of("macintosh")},
    Label{"mac-cyrillic", index_of("x-mac-cyrillic")},
    Label{"x-mac-ukrainian", index_of("x-mac-cyrillic")},
    Label{"utf-16", index_of("utf-16le")},
    Label{"utf16", index_of("utf-16le")},
    Label{"unicode", index_of("utf-16le")},
    Label{"ucs-2", index_of("utf-16le")},
    Label{"iso-10646-ucs-2", index_of("utf-16le")},
    Label{"csunicode", index_of("utf-16le")},
    Label{"unicodefeff", index_of("utf-16le")},
    Label{"unicodefffe", index_of("utf-16be")},
};
static_assert(std::ranges::all_of(labels, [](const Label& label) { return label.encoding < encodings.size(); }));

}  // namespace

const Encoding* find_encoding(std::string_view label) {
  constexpr std::string_view around = " \t\n\f\r\"'";
  const std::size_t begin = label.find_first_not_of(around);
  if (begin == std::string_view::npos) return nullptr;
  label = label.substr(begin, label.find_last_not_of(around) - begin + 1);

  const auto matches = [label](std::string_view known) { return equals_ignoring_case(label, known); };
  const auto* by_name = std::ranges::find_if(encodings, matches, &Encoding::name);
  if (by_name != encodings.end()) return by_name;
  const auto* by_label = std::ranges::find_if(labels, matches, &Label::label);
  return by_label == labels.end() ? nullptr : &encodings.at(by_label->encoding);
}

// Converts to UTF-8 with ICU.

namespace {

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

// Callback of ICU that counts replaced sequences.
void count_and_substitute(const void* context, UConverterToUnicodeArgs* arguments, const char* units,
                          std::int32_t length, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason <= UCNV_IRREGULAR) {
    // ICU passes back the const pointer that it was given. The counter that it points to is not const.
    ++*static_cast<std::size_t*>(const_cast<void*>(context));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, arguments, units, length, reason, error);
}

Converter open_converter(const Encoding& encoding, std::size_t& errors) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding.icu_name, &status));
  if (U_FAILURE(status)) throw std::runtime_error("ICU has no converter for " + std::string(encoding.name));
  ucnv_setToUCallBack(converter.get(), count_and_substitute, &errors, nullptr, nullptr, &status);
  if (U_FAILURE(status)) throw std::runtime_error("ICU refuses an error callback");
  return converter;
}

// Appends UTF-16 as UTF-8. A lead surrogate at the end of a chunk is kept in `waiting` until the next chunk. Memory is
// reserved once per chunk: three bytes per unit, and three for a waiting surrogate.
void append_utf16(std::string& out, const char16_t* begin, const char16_t* end, char16_t& waiting) {
  const std::size_t before = out.size();
  out.resize(before + 3 * (static_cast<std::size_t>(end - begin) + 1));
  char* at = out.data() + before;
  for (const char16_t* unit = begin; unit != end; ++unit) {
    const auto value = static_cast<char32_t>(*unit);
    if (value >= 0xD800 && value < 0xDC00) {
      if (waiting != 0) at = write_utf8(at, replacement_character);
      waiting = *unit;
    } else if (value >= 0xDC00 && value < 0xE000) {
      at =
          write_utf8(at, waiting == 0 ? replacement_character
                                      : 0x10000 + ((static_cast<char32_t>(waiting) - 0xD800) << 10) + (value - 0xDC00));
      waiting = 0;
    } else {
      if (waiting != 0) at = write_utf8(at, replacement_character);
      waiting = 0;
      at = write_utf8(at, value);
    }
  }
  out.resize(static_cast<std::size_t>(at - out.data()));
}

}  // namespace

Conversion convert_to_utf8(std::string_view bytes, const Encoding& encoding) {
  Conversion result;
  if (encoding.kind == EncodingKind::utf8) {
    result.text = to_valid_utf8(bytes, &result.errors);
    return result;
  }
  const Converter converter = open_converter(encoding, result.errors);
  result.text.reserve(bytes.size() + bytes.size() / 2);
  std::array<char16_t, 4096> chunk{};
  const char* source = bytes.data();
  const char* source_end = bytes.data() + bytes.size();
  char16_t waiting = 0;
  UErrorCode status = U_BUFFER_OVERFLOW_ERROR;
  while (status == U_BUFFER_OVERFLOW_ERROR) {
    status = U_ZERO_ERROR;
    char16_t* target = chunk.data();
    ucnv_toUnicode(converter.get(), &target, chunk.data() + chunk.size(), &source, source_end, nullptr, 1, &status);
    append_utf16(result.text, chunk.data(), target, waiting);
  }
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (waiting != 0) append_utf8(result.text, replacement_character);
  if (result.text.starts_with("\xEF\xBB\xBF")) result.text.erase(0, 3);
  return result;
}

std::vector<std::size_t> source_offsets(std::string_view bytes, const Encoding& encoding,
                                        const std::vector<std::size_t>& offsets) {
  std::size_t errors = 0;
  const Converter converter = open_converter(encoding, errors);
  std::array<char16_t, 4096> chunk{};
  std::array<std::int32_t, 4096> sources{};  // offset of each unit, relative to `begun`
  std::vector<std::size_t> found;
  const char* source = bytes.data();
  const char* const source_end = bytes.data() + bytes.size();
  std::size_t at = 0;           // offset in the converted text
  std::size_t unit_source = 0;  // offset in `bytes` of the previous unit
  UErrorCode status = U_BUFFER_OVERFLOW_ERROR;
  while (status == U_BUFFER_OVERFLOW_ERROR) {
    status = U_ZERO_ERROR;
    const auto begun = static_cast<std::size_t>(source - bytes.data());
    char16_t* target = chunk.data();
    ucnv_toUnicode(converter.get(), &target, chunk.data() + chunk.size(), &source, source_end, sources.data(), 1,
                   &status);
    for (std::size_t i = 0; i < static_cast<std::size_t>(target - chunk.data()); ++i) {
      // A unit that did not fit into the chunk of the previous call has no offset.
      if (sources.at(i) >= 0) unit_source = begun + static_cast<std::size_t>(sources.at(i));
      while (found.size() < offsets.size() && offsets[found.size()] == at) found.push_back(unit_source);
      const char16_t unit = chunk.at(i);
      const bool is_surrogate = unit >= 0xD800 && unit < 0xE000;
      // each surrogate counts as half of a four-byte character
      at += unit < 0x80 ? 1 : unit < 0x800 || is_surrogate ? 2 : 3;
    }
  }
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  while (found.size() < offsets.size() && offsets[found.size()] == at) found.push_back(bytes.size());
  return found;
}

}  // namespace linkherd::parser
