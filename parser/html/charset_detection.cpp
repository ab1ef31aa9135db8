#include "parser/html/charset_detection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <uchardet/uchardet.h>

#include "parser/ascii.h"
#include "parser/html/encodings.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_sample = std::size_t{16} << 10;
constexpr std::size_t max_looked_through = std::size_t{2} << 20;

// Returns the non-ASCII parts of the text with some context. Detectors use only the first kilobytes, which are tags on
// most pages.
std::string sample_of(std::string_view bytes) {
  constexpr std::size_t kept_around = 24;
  std::string sample;
  bytes = bytes.substr(0, max_looked_through);
  std::size_t copied = 0;
  std::size_t wanted_until = 0;
  for (std::size_t at = 0; at < bytes.size() && sample.size() < max_sample; ++at) {
    if (is_not_ascii(bytes[at])) {
      if (at >= wanted_until) {
        const std::size_t begin = std::max(copied, at - std::min(at, kept_around));
        if (begin > copied) sample += ' ';
        sample += bytes.substr(begin, at - begin);
      }
      wanted_until = at + kept_around;
    }
    if (at < wanted_until) {
      sample += bytes[at];
      copied = at + 1;
    }
  }
  return sample;
}

// The most frequent characters of simplified and traditional Chinese, Japanese and Korean text.
constexpr std::u32string_view common_characters =
    U"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家"
    U"种事成方多经么去法学"
    U"如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性"
    U"知全三又关点正业外将"
    U"两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西月话合回特代内信表化老给世位次度门任常先海"
    U"通教儿原东声提立及比"
    U"员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直资"
    U"命山金指许统区保至队"
    U"這個們來為國說時會對過發後裡經麼學現當沒動進樣開從實軍無與長機關點業將兩間問應戰頭體見產話內給門聲東員論處義幾認"
    U"條氣題別變總電數報結"
    U"務場計資許統區隊網頁請登錄首関連東京駅読込検索気戻楽円記載"
    U"이다는에의을를가고한하로지사기서대도인은어리아정시자수있들전보부일해";

// Returns the share of non-ASCII letters that are common characters. Kana count as common.
double commonness(std::string_view utf8) {
  std::size_t letters = 0;
  std::size_t common = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = decode_utf8(utf8, at);
    at += std::max<std::size_t>(point.length, 1);
    const char32_t c = point.value;
    if (c < 0x80 || (c >= 0x3000 && c < 0x3041) || (c >= 0xFF00 && c < 0xFF61) || (c >= 0x2000 && c < 0x2700)) continue;
    ++letters;
    common += static_cast<std::size_t>((c >= 0x3041 && c <= 0x30FA) ||
                                       common_characters.find(c) != std::u32string_view::npos);
  }
  return letters == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(letters);
}

struct DeleteDetector {
  void operator()(uchardet_t detector) const { uchardet_delete(detector); }
};

}  // namespace

const Encoding* detect_utf16(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  const std::size_t units = head.size() / 2;
  if (units < 2 || head.find('\0') == std::string_view::npos) return nullptr;  // the usual case
  std::size_t even = 0;
  std::size_t odd = 0;
  for (std::size_t i = 0; i < units; ++i) {
    even += static_cast<std::size_t>(head[2 * i] == '\0');
    odd += static_cast<std::size_t>(head[2 * i + 1] == '\0');
  }
  const bool little = odd * 8 >= units && even * 50 <= odd;
  const bool big = even * 8 >= units && odd * 50 <= even;
  if (!little && !big) return nullptr;

  // Binary data may have the same pattern of NULs, but does not decode into text.
  const Encoding* encoding = find_encoding(little ? "utf-16le" : "utf-16be");
  const Conversion decoded = convert_to_utf8(head.substr(0, units * 2), *encoding);
  const auto controls = std::ranges::count_if(decoded.text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  });
  return decoded.errors <= 1 && static_cast<std::size_t>(controls) * 50 <= units ? encoding : nullptr;
}

const Encoding* detect_east_asian(std::string_view bytes, const Encoding* declared) {
  static constexpr std::array candidates{"gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"};
  const std::string sample = sample_of(bytes);
  const auto high = static_cast<std::size_t>(std::ranges::count_if(sample, is_not_ascii));
  if (high < 4) return nullptr;
  const Encoding* best = nullptr;
  double best_share = 0.12;  // when other scripts are decoded as hanzi, about 3 % are common characters by chance
  for (const char* name : candidates) {
    const Encoding* encoding = find_encoding(name);
    const Conversion decoded = convert_to_utf8(sample, *encoding);
    if (decoded.errors * 100 > high) continue;
    // Kana and symbols have the same codes in GB 2312 and JIS X 0208, so short texts often fit both.
    const double share = commonness(decoded.text) * (encoding == declared ? 1.3 : 1.0);
    if (share > best_share) {
      best_share = share;
      best = encoding;
    }
  }
  return best;
}

const Encoding* detect_statistically(std::string_view bytes) {
  const std::unique_ptr<struct uchardet, DeleteDetector> detector(uchardet_new());
  const std::string sample = sample_of(bytes);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return nullptr;
  uchardet_data_end(detector.get());
  return find_encoding(uchardet_get_charset(detector.get()));
}

// The prescan for <meta charset> in the first bytes of a page.

namespace {

// The 1024 bytes of the standard are too few for pages that start with comments and scripts.
constexpr std::size_t prescan_bytes = 8192;

// Returns the value of "charset=" in one <meta> tag, quoted or not, as an attribute or inside the content attribute.
std::string_view charset_value(std::string_view tag) {
  for (std::size_t at = 0; at < tag.size(); ++at) {
    if (!starts_ignoring_case(tag.substr(at), "charset")) continue;
    std::size_t p = at + 7;
    while (p < tag.size() && is_ascii_space(tag[p])) ++p;
    if (p >= tag.size() || tag[p] != '=') continue;
    ++p;
    while (p < tag.size() && (is_ascii_space(tag[p]) || tag[p] == '"' || tag[p] == '\'')) ++p;
    const std::size_t begin = p;
    while (p < tag.size() && !is_ascii_space(tag[p]) && tag[p] != '"' && tag[p] != '\'' && tag[p] != ';' &&
           tag[p] != '/')
      ++p;
    return tag.substr(begin, p - begin);
  }
  return {};
}

}  // namespace

std::string_view prescan_meta_charset(std::string_view bytes) {
  bytes = bytes.substr(0, prescan_bytes);
  std::size_t at = 0;
  while ((at = bytes.find('<', at)) != std::string_view::npos) {
    const std::string_view rest = bytes.substr(at);
    if (rest.starts_with("<!--")) {
      const std::size_t end = rest.find("-->", 2);
      if (end == std::string_view::npos) return {};
      at += end + 3;
      continue;
    }
    if (starts_ignoring_case(rest, "<meta") && rest.size() > 5 && (is_ascii_space(rest[5]) || rest[5] == '/')) {
      const std::string_view label = charset_value(rest.substr(5, rest.find('>') - 5));
      if (const Encoding* encoding = find_encoding(label)) {
        return encoding->kind == EncodingKind::utf16 ? std::string_view("utf-8") : label;
      }
    }
    ++at;
  }
  return {};
}

}  // namespace linkherd::parser
