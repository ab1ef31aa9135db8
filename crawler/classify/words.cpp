#include "crawler/classify/words.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t stem_letters = 7;
constexpr std::size_t root_letters = 4;
constexpr std::uint64_t hash_start = 14695981039346656037U;

// FNV-1a over code points.
constexpr std::uint64_t extended(std::uint64_t hash, char32_t letter) { return (hash ^ letter) * 1099511628211U; }

struct StopWords {
  Language language;
  std::string_view words;
};

// Stop words: articles, prepositions, pronouns, auxiliaries. A word of several languages identifies none, but tells
// them from all others.
constexpr std::array<StopWords, 11> stop_words{{
    {Language::english,
     "the a an and or of to in on for with is are was were be been by at as it its this that these those from how what "
     "why when where who which you your we our they their he she his her my not no do does did can will would should "
     "could has have had but if then than so into about over more most all any some just also out up down one get "
     "use using via vs let me i us after before there here because between under off only own without two three four "
     "five ten while during through each other both must may might been very many much"},
    {Language::german,
     "in an was is der die das den dem des ein eine einer eines einem einen und oder von zu zum zur im am an auf für "
     "mit ist sind "
     "war wird werden nicht auch als wie wer bei nach aus über sich es er sie wir ihr ich so dass noch nur sein hat "
     "haben vor bis um durch gegen unter wieder mehr kein keine man was wenn aber gibt beim vom ins einem jetzt ohne "
     "zwei drei vier fünf zehn seit während wurde wurden kann können soll muss diese dieser dieses ihre ihrer ihren "
     "seine seiner alle viele sehr"},
    {Language::french,
     "a la le les un une des de du et ou en au aux dans pour par sur avec est sont qui que quoi ce cette ces il elle "
     "nous vous ils plus pas se son sa ses votre notre comment pourquoi mais sans chez être deux trois quatre cinq dix "
     "leur leurs été fait peut tout tous toute entre depuis après avant sous où très ans"},
    {Language::spanish,
     "a de la el los las un una unos y o del al con por para es su sus como más que no se lo en qué cómo sin sobre "
     "entre desde "
     "muy este esta son tu dos tres cuatro cinco diez cuando donde porque hay ser está fue han todo todos también ya "
     "hasta años"},
    {Language::portuguese,
     "a o de da do das dos em na no nos nas um uma e os as com por para ao aos não como mais são pela pelo seu sua "
     "você que dois duas três quatro cinco dez quando onde porque ser está foi tem todo todos também já até anos sem "
     "entre sobre"},
    {Language::italian,
     "a da un la le i in il lo gli di della delle dei nel nella che con per una uno sono è come più non alla al dal "
     "anche questo due tre quattro cinque dieci senza tra fra gli quando dove perché essere stato tutti tutto anni "
     "dopo"},
    {Language::dutch,
     "in is de het een van voor niet zijn met naar dat op te aan ook bij maar hoe wat je wij deze worden twee drie "
     "vier vijf tien zonder over door uit dit die hun heeft wordt kan"},
    {Language::swedish,
     "och att det som är på för med av den till inte om en ett har vi han kan när og ikke til fra av er"},
    {Language::polish, "a o się nie jest na do w z i że jak dla przez oraz są od po przed nad tym już czy"},
    {Language::turkish, "ve bir bu için ile da de çok daha olarak gibi olan ne nasıl var en her kadar sonra ama"},
    {Language::indonesian,
     "dan yang di untuk dengan dari pada ini itu adalah ke akan dalam tidak anda atau bisa juga para situs secara"},
}};

// Letters with marks. A language without them has them in names only.
struct MarkedLetters {
  Language language;
  std::u32string_view letters;
};
constexpr std::array<MarkedLetters, 8> marked_letters{{{Language::german, U"äöüß"},
                                                       {Language::french, U"àâçèéêëîïôùûœ"},
                                                       {Language::spanish, U"áéíñóúü"},
                                                       {Language::portuguese, U"ãáâàçéêíóôõú"},
                                                       {Language::italian, U"àèéìòù"},
                                                       {Language::swedish, U"åäöøæ"},
                                                       {Language::polish, U"ąćęłńóśźż"},
                                                       {Language::turkish, U"çğıöşü"}}};

// Words that lists use for any page.
constexpr std::array<std::string_view, 3> generic_words{
    "here link links website site web page pages homepage home official docs doc documentation document documents "
    "manual reference readme guide guides tutorial tutorials introduction intro overview paper papers pdf slides slide "
    "video videos talk talks lecture lectures demo demos live online code source sources repo repository github gitlab "
    "git blog blogs post posts article articles book books ebook read more info information details download downloads "
    "app store apps google play chrome extension plugin plugins free open project projects example examples sample "
    "samples list awesome collection resource resources tool tools thread discussion comment comments issue issues "
    "forum wiki faq help support about contact news newsletter podcast episode part chapter section version versions "
    "edition original translation translated mirror archive archived archives cached copy english chinese german "
    "french "
    "japanese spanish russian preprint arxiv doi abstract poster appendix supplementary dataset data model models "
    "checkpoint weights license changelog release releases install installation getting started start quick quickstart "
    "quickly beginner beginners great good best nice new old latest recent useful interesting recommended see watch "
    "try "
    "check visit click view learn first second third next previous full complete short long simple easy basic "
    "advanced detailed related similar license freeware software homebrew badge "
    "build status coverage stars index main common http https www com org net html php",
    "hier webseite website seite seiten startseite offizielle dokumentation anleitung handbuch artikel beitrag quelle "
    "quellen quellcode herunterladen mehr weiterlesen lesen deutsch englisch übersetzung aquí enlace sitio oficial "
    "página artículo código fuente descargar leer más inglés español traducción ici lien liens site officiel page "
    "article télécharger lire suite anglais français traduction qui sito ufficiale pagina articolo scarica aqui "
    "página artigo baixar oficial здесь сайт ссылка статья официальный документация перевод исходный код",
    "论文 链接 官网 官方 方网 网站 网址 原文 文章 这里 代码 码库 源码 源代 项目 地址 主页 首页 页面 视频 教程 文档 "
    "档案 下载 点击 "
    "击查 查看 看详 详情 介绍 简介 中文 文版 英文 翻译 译文 博客 资料 资源 笔记 仓库 更多 阅读 在线 演示 示例 课程 "
    "专栏 回答 "
    "知乎 微信 公众 众号 戳我 传送 送门 推荐 参考 合集 这个 一个 一篇 我们 如何 什么 怎么 こち ちら らか 公式 式サ "
    "サイ イト "
    "リン ンク 論文 記事 ペー ージ 日本 本語 ドキ キュ ュメ メン ント 動画 資料 詳細 홈페 페이 이지 링크 공식 논문 "
    "여기"};

Language language_of_script(char32_t letter) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(letter), &error)) {
    case USCRIPT_LATIN: return Language::unknown;
    case USCRIPT_HAN: return Language::chinese;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA: return Language::japanese;
    case USCRIPT_HANGUL: return Language::korean;
    case USCRIPT_CYRILLIC: return Language::cyrillic;
    default: return Language::other;
  }
}

Language script_of(char32_t letter) {
  if (letter < 0x250) return Language::unknown;
  if (letter >= 0x4E00 && letter <= 0x9FFF) return Language::chinese;
  if (letter == 0x30FC) return Language::japanese;  // the prolonged sound mark, shared by several scripts
  return language_of_script(letter);
}

bool is_in_pairs(Language script) {
  return script == Language::chinese || script == Language::japanese || script == Language::korean;
}

struct Letter {
  char32_t value = 0;  // lower case; 0: neither letter nor digit
  std::size_t bytes = 0;
};

Letter letter_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (parser::is_ascii(c)) {
    if (!parser::is_ascii_alphanumeric(c)) return {0, 1};
    return {static_cast<char32_t>(parser::ascii_lower(c)), 1};
  }
  const CodePoint point = decode_utf8(text, at);
  const auto value = static_cast<UChar32>(point.value);
  if (u_isalnum(value) == 0) return {0, point.length};
  return {static_cast<char32_t>(u_tolower(value)), point.length};
}

std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = hash_start;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    hash = extended(hash, letter.value);
    at += letter.bytes;
  }
  return hash;
}

template <class Take>
void for_each_between_spaces(std::string_view words, Take take) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) take(words.substr(at, end - at));
    at = end + 1;
  }
}

constexpr std::uint32_t bit_of(Language language) { return std::uint32_t{1} << static_cast<unsigned>(language); }

// Stop words with the bits of their languages, and generic words with none.
const std::unordered_map<std::uint64_t, std::uint32_t>& word_table() {
  static const auto table = [] {
    std::unordered_map<std::uint64_t, std::uint32_t> made;
    for (const StopWords& row : stop_words) {
      for_each_between_spaces(row.words, [&](std::string_view word) { made[hash_of(word)] |= bit_of(row.language); });
    }
    for (const std::string_view words : generic_words) {
      for_each_between_spaces(words, [&](std::string_view word) { made.try_emplace(hash_of(word), 0); });
    }
    return made;
  }();
  return table;
}

// The languages that have one of the marked letters of the word.
std::uint32_t languages_by_marks(std::string_view word) {
  std::uint32_t bits = 0;
  if (parser::is_ascii(word)) return bits;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    at += letter.bytes;
    if (letter.value < 0x80 || letter.value >= 0x250) continue;
    for (const MarkedLetters& row : marked_letters) {
      if (row.letters.find(letter.value) != std::u32string_view::npos) bits |= bit_of(row.language);
    }
  }
  return bits;
}

// Pairs of two Hiragana are mostly grammar.
bool is_hiragana(std::string_view pair) {
  for (std::size_t at = 0; at < pair.size();) {
    const Letter letter = letter_at(pair, at);
    if (letter.value < 0x3041 || letter.value > 0x309F) return false;
    at += letter.bytes;
  }
  return true;
}

// Reads one run of letters at a time.
class WordReader {
 public:
  WordReader(std::string_view text, const std::function<void(const Word&)>& take) : text_(text), take_(take) {}

  void read() {
    while (at_ < text_.size()) {
      const Letter letter = letter_at(text_, at_);
      if (letter.value == 0) {
        at_ += letter.bytes;
      } else if (is_in_pairs(script_of(letter.value))) {
        read_pairs();
      } else {
        read_word();
      }
    }
  }

 private:
  void read_word() {
    const std::size_t start = at_;
    Word word;
    word.hash = hash_start;
    while (at_ < text_.size()) {
      const Letter letter = letter_at(text_, at_);
      if (letter.value == 0 || is_in_pairs(script_of(letter.value))) break;
      word.hash = extended(word.hash, letter.value);
      word.has_digit = word.has_digit || (letter.value >= '0' && letter.value <= '9');
      if (++word.letters <= stem_letters) word.stem = word.hash;
      if (word.letters <= root_letters) word.root = word.hash;
      at_ += letter.bytes;
    }
    word.text = text_.substr(start, at_ - start);
    take_(word);
  }

  void read_pairs() {
    std::size_t last_start = at_;
    char32_t last = 0;
    while (at_ < text_.size()) {
      const Letter letter = letter_at(text_, at_);
      if (letter.value == 0 || !is_in_pairs(script_of(letter.value))) return;
      const std::size_t start = at_;
      at_ += letter.bytes;
      if (last != 0) {
        const std::uint64_t hash = extended(extended(hash_start, last), letter.value);
        take_({.hash = hash,
               .stem = hash,
               .root = hash,
               .text = text_.substr(last_start, at_ - last_start),
               .letters = 2,
               .is_pair = true});
      }
      last = letter.value;
      last_start = start;
    }
  }

  std::string_view text_;
  const std::function<void(const Word&)>& take_;
  std::size_t at_ = 0;
};

}  // namespace

void for_each_word(std::string_view text, const std::function<void(const Word&)>& take) {
  WordReader(text, take).read();
}

bool is_specific(const Word& word) {
  constexpr std::size_t shortest = 3;
  if (word_table().contains(word.hash)) return false;
  if (word.is_pair) return !is_hiragana(word.text);
  if (word.letters < shortest) return false;
  return !std::ranges::all_of(word.text, [](char c) { return parser::is_ascii_digit(c); });
}

void LanguageGuess::add(const Word& word) {
  const auto known = word_table().find(word.hash);
  const std::uint32_t stop = known == word_table().end() ? 0 : known->second;
  const std::uint32_t shared = stop | languages_by_marks(word.text);
  for (std::size_t i = 0; i < language_count && shared != 0; ++i) {
    const std::uint32_t bit = bit_of(static_cast<Language>(i));
    if (stop == bit) ++stop_words_.at(i);
    if ((shared & bit) != 0) ++shared_.at(i);
  }
  // The script of the first letter is that of the whole word; pairs have their own.
  const Letter first = letter_at(word.text, 0);
  if (first.value != 0 && (first.value < U'0' || first.value > U'9')) {
    letters_.at(static_cast<std::size_t>(script_of(first.value))) += word.is_pair ? 1 : word.letters;
  }
}

Language LanguageGuess::by_script(std::size_t least_share) const {
  std::size_t all = 0;
  for (const std::size_t letters : letters_) all += letters;
  const auto count = [this](Language script) { return letters_.at(static_cast<std::size_t>(script)); };
  const std::size_t in_pairs = count(Language::chinese) + count(Language::japanese);
  const auto is_large = [all, least_share](std::size_t letters) { return letters > 0 && letters * least_share >= all; };
  if (is_large(in_pairs)) return count(Language::japanese) * 10 >= in_pairs ? Language::japanese : Language::chinese;
  for (const Language script : {Language::korean, Language::cyrillic, Language::other}) {
    if (is_large(count(script))) return script;
  }
  return Language::unknown;
}

Language LanguageGuess::clearest(const Counts& counts, std::size_t least) {
  auto best = static_cast<std::size_t>(Language::english);
  std::size_t second = 0;
  for (std::size_t i = best + 1; i <= static_cast<std::size_t>(Language::indonesian); ++i) {
    if (counts.at(i) > counts.at(best)) {
      second = counts.at(best);
      best = i;
    } else {
      second = std::max(second, counts.at(i));
    }
  }
  const bool is_clear = counts.at(best) >= least && counts.at(best) > second + second / 2;
  return is_clear ? static_cast<Language>(best) : Language::unknown;
}

Language LanguageGuess::of_entry() const {
  constexpr std::size_t tenth = 10;
  const Language script = by_script(tenth);
  return script != Language::unknown ? script : clearest(shared_, 1);
}

Language LanguageGuess::of_page() const {
  constexpr std::size_t quarter = 4;
  constexpr std::size_t least_stop_words = 4;
  const Language script = by_script(quarter);
  return script != Language::unknown ? script : clearest(stop_words_, least_stop_words);
}

}  // namespace linkherd::crawler
