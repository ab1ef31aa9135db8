#include "parser/html/encodings.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "parser/ascii.h"

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

// The labels beside the names themselves. "uhc" and "johab" are uchardet's words; the rest is the standard's list.
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

}  // namespace linkherd::parser
