#include "parser/html/charset_conversion.h"

#include <array>
#include <memory>
#include <new>
#include <stdexcept>

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

// Counts what ICU replaces. Its signature is ICU's.
void count_and_substitute(const void* context, UConverterToUnicodeArgs* arguments, const char* units,
                          std::int32_t length, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason <= UCNV_IRREGULAR) {
    // ICU hands back the const pointer that it was given; the counter behind it is ours and mutable.
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

// Appends UTF-16 as UTF-8. A lead surrogate at the end of one chunk waits for its pair in the next. Megabytes pass
// here, so room is made once a chunk: three bytes a unit, and as many for one that waited.
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

}  // namespace linkherd::parser
