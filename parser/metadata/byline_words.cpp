#include "parser/metadata/byline_words.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include <unicode/uchar.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// The words of one language in lower case, separated by "|". A name follows a word with a colon only after a colon.
struct Language {
  std::string_view code;  // documentation only: the words of all languages are valid on every page
  std::string_view unambiguous;
  std::string_view near_headline;
};

// Labels of credits in Han characters (作者：, 記者：) are in credits.cpp. A word that is also a given name, such as
// "Per" and "Theo", or that begins family names, such as "de", is missing.
// clang-format off
constexpr std::array languages{
    Language{"en", "written by|words by|story by|article by|authored by|guest post by|author:|authors:|author(s):|writer:|byline:|started by|thread starter:|original poster:|words and photos by|text and photos by|words & photos by|text & photos by|story and photos by|story & photos by",
             "by|posted by|published by|submitted by|opinion by|analysis by|commentary by|column by|essay by|review by|perspective by|interview by|report by|reported by|text by|contributed by|compiled by|text:|words:|story:|report:|reporter:|columnist:|correspondent:|created by|recipe by|blog by|reporting by|photos and text by|photos and words by"},
    Language{"de", "geschrieben von|verfasst von|ein artikel von|ein beitrag von|ein gastbeitrag von|ein kommentar von|ein bericht von|ein interview von|eine analyse von|eine kolumne von|eine reportage von|ein essay von|gastbeitrag von|blog beitrag von|autor:|autorin:|autoren:|autorinnen:|autor/in:|autorin/autor:|autor/autorin:|autor*in:|autor:in:|autoren|verfasser:|verfasserin:|text und fotos von|aufgezeichnet von",
             "von|veröffentlicht von|eingestellt von|erstellt von|gepostet von|kommentar von|beitrag von|artikel von|bericht von|analyse von|kolumne von|interview von|text von|text:|texte:|bericht:|reportage:|interview:|protokoll:|text und fotos:|text & fotos:|text und foto:|text & foto:|text und bilder:|fotos und text:|es berichtet"},
    Language{"fr", "écrit par|rédigé par|un article de|auteur:|auteure:|autrice:|auteurs:|rédacteur:|rédactrice:|un entretien de|une enquête de|un reportage de|une chronique de",
             "par|publié par|posté par|proposé par|signé par|texte:|reportage:|article de|texte de|propos recueillis par|texte et photos:|textes et photos:|texte et photo:|texte et photos de|photos et texte:|enquête:|recueilli par|journaliste:|rédaction:"},
    Language{"es", "escrito por|escrita por|redactado por|autor:|autora:|autores:|redactor:|redactora:|un artículo de|una entrevista de|un reportaje de|una crónica de|una columna de|texto y fotos de",
             "por|publicado por|publicada por|enviado por|texto:|textos:|redacción:|texto de|por:|texto y fotos:|texto y foto:|textos y fotos:|texto y fotografías:|fotos y texto:|artículo de|entrevista de|reportaje de|periodista:"},
    Language{"pt", "escrito por|escrita por|redigido por|autor:|autora:|autores:|repórter:|um artigo de|uma entrevista de|uma reportagem de",
             "por|publicado por|publicada por|postado por|enviado por|texto:|reportagem:|texto de|por:|texto e fotos:|texto e foto:|fotos e texto:|reportagem de|artigo de|entrevista de|jornalista:|redação:|colunista:"},
    Language{"ca", "escrit per|autor:|autora:|autors:|una entrevista de", "publicat per|text:|un article de|text i fotos:|text i fotografies:|periodista:"},
    Language{"gl", "escrito por|autor:|autora:", "publicado por|texto:"},
    Language{"it", "scritto da|articolo di|autore:|autrice:|autori:|articolo a cura di|intervista a cura di|redatto da|un articolo di|testo e foto di|testi e foto di", "di|a cura di|pubblicato da|postato da|inviato da|testo:|testi:|testo di|testi di|intervista di|servizio di|testo e foto:|testi e foto:"},
    Language{"ro", "scris de|scrisă de|articol scris de|un articol de|autor:|autoare:|autori:|articol de|un interviu de", "publicat de|postat de|text:|redactor:|interviu de|text și foto:|reporter:"},
    Language{"nl", "geschreven door|auteur:|auteurs:|schrijver:|een artikel van", "door|geplaatst door|gepubliceerd door|tekst:|tekst en foto's:|tekst en foto’s:|tekst & foto's:|tekst en beeld:|redacteur:|verslaggever:|journalist:"},
    Language{"sv", "skriven av|skrivet av|författare:|skribent:", "av|publicerad av|inlagd av|text av|text:|av:|publicerat av|text och foto:|text & foto:|text och bild:|text & bild:|text/foto:"},
    Language{"da", "skrevet af|forfatter:|skribent:", "af|publiceret af|tekst af|tekst:|af:|tekst og foto:|tekst & foto:|foto og tekst:|udgivet af"},
    Language{"no", "skrevet av|forfatter:|skribent:|journalist:", "av|publisert av|tekst av|tekst:|av:|tekst og foto:|tekst & foto:|tekst og bilder:|foto og tekst:"},
    Language{"is", "skrifað af|höfundur:", "eftir|texti:"},
    Language{"fi", "kirjoittanut|kirjoittaja:|kirjoittajat:", "julkaissut|teksti:|teksti|tekijä:|toimittaja:|teksti ja kuvat:|teksti ja kuva:|teksti & kuvat:|kuvat ja teksti:"},
    Language{"et", "autor:|autorid:|kirjutas", "tekst:|postitas"},
    Language{"lv", "autors:|autore:|autori:|raksta autors:", "teksts:"},
    Language{"lt", "autorius:|autorė:|autoriai:|parašė", "tekstas:|parengė|paskelbė"},
    Language{"pl", "napisane przez|napisał|napisała|autor:|autorka:|autorzy:|autor tekstu:|opracował|opracowała|rozmawiał|rozmawiała", "przez|opublikowane przez|dodane przez|dodał|dodała|tekst:|opracowanie:|oprac.|oprac.:|tekst i zdjęcia:|tekst i foto:|tekst i fot.|tekst i fot.:|przygotował|przygotowała"},
    Language{"cs", "napsal|napsala|napsal(a)|napsali|autor:|autorka:|autoři:|autor článku:|autor textu:|autorka textu:", "publikoval|publikovala|vložil|vložila|text:|text a foto:|připravil|připravila|zpracoval|zpracovala"},
    Language{"sk", "napísal|napísala|autor:|autorka:|autori:|autor článku:", "publikoval|publikovala|pridal|pridala|text:|text a foto:|pripravil|pripravila|spracoval|spracovala"},
    Language{"sl", "napisal|napisala|avtor:|avtorica:|avtorji:", "piše|piše:|objavil|objavila|besedilo:"},
    Language{"hr", "napisao|napisala|autor:|autorica:|autori:|razgovarao|razgovarala", "piše|piše:|objavio|objavila|tekst:|pripremio|pripremila|novinar:|novinarka:|tekst i foto:"},
    Language{"sr", "написао|написала|аутор:|аутори:|ауторка:|разговарао|разговарала", "пише|пише:|објавио|објавила|текст:|припремио|припремила|новинар:|новинарка:"},
    Language{"mk", "напишал|автор:", "пишува|пишува:|објавил"},
    Language{"bg", "написано от|автор:|автори:|автор на статията:|автор на текста:", "от|публикувано от|публикувал|текст:|репортер:|подготви|журналист:"},
    Language{"ru", "автор:|авторы:|автор статьи:|автор текста:|автор публикации:|автор материала:|написал|написала|написано автором|материал подготовил|материал подготовила|беседовал|беседовала",
             "опубликовал|опубликовала|опубликовано:|подготовил|подготовила|добавил|добавила|текст:|тексты:|корреспондент:|журналист:|разместил|записал|записала|текст и фото:"},
    Language{"uk", "автор:|автори:|авторка:|автор статті:|автор тексту:|написав|написала|розмовляв|розмовляла", "опублікував|опублікувала|підготував|підготувала|додав|додала|текст:|кореспондент:|журналіст:|журналістка:|спілкувався|спілкувалася|записав|записала|текст і фото:|текст та фото:"},
    Language{"be", "аўтар:|аўтары:", "тэкст:"},
    Language{"kk", "автор:|авторы:", "мәтін:"},
    Language{"hu", "írta:|írta|szerző:|szerzők:|a szerző:", "közzétette:|közzétette|beküldte:|beküldte|szöveg:|riporter:"},
    Language{"el", "γράφει ο|γράφει η|γράφουν οι|γράφει:|της συντάκτριας|του συντάκτη|συντάκτης:|συντάκτρια:|συγγραφέας:|αρθρογράφος:|αρθρογράφος", "του|της|από|απο|δημοσιεύτηκε από|κείμενο:|κείμενα:|ρεπορτάζ:|επιμέλεια:|από τη|από την|από τον|συνέντευξη:"},
    Language{"sq", "shkruar nga|shkruan:|autor:|autori:", "nga|shkruan|postuar nga|publikuar nga"},
    Language{"tr", "yazar:|yazarı:|yazan:|kaleme alan:|hazırlayan:|derleyen:", "yazar|yazan|haber:|yazı:|metin:|muhabir:|röportaj:|ekleyen:|gönderen:|yayınlayan:|yazı ve fotoğraf:|yazı ve fotoğraflar:|söyleşi:"},
    Language{"az", "müəllif:", "yazar:|yazı:"},
    Language{"ka", "ავტორი:", "ტექსტი:"},
    Language{"hy", "հեղինակ՝|հեղինակ:", "տեքստը՝"},
    Language{"id", "ditulis oleh|penulis:|penulis|dilaporkan oleh", "oleh|oleh:|diposting oleh|dikirim oleh|reporter:|jurnalis:|wartawan:|pewarta:|laporan:|teks:|teks dan foto:|kontributor:|dibuat oleh"},
    Language{"ms", "ditulis oleh|penulis:", "oleh|oleh:|dihantar oleh|wartawan:"},
    Language{"tl", "isinulat ni|sinulat ni", "ulat ni"},
    Language{"vi", "tác giả:|người viết:|được viết bởi|viết bởi|tác giả", "bởi|bởi:|đăng bởi|người đăng:|bài:|bài viết:|bài và ảnh:|thực hiện:|bài, ảnh:|bài và ảnh"},
    Language{"af", "geskryf deur|skrywer:", "deur"},
    Language{"sw", "imeandikwa na|mwandishi:", "na mwandishi"},
    Language{"eu", "egilea:|egileak:|idazlea:", "testua:"},
    Language{"ga", "scríofa ag|údar:", "le:"},
    Language{"cy", "ysgrifennwyd gan|awdur:", "testun:"},
    Language{"eo", "aŭtoro:|verkita de", "teksto:"},
    Language{"he", "נכתב על ידי|נכתב ע\"י|מחבר:|מחברת:|כותב:|כותבת:|מאת:", "מאת|פורסם על ידי|פורסם ע\"י|כתב:|כתבה:|כתבת:|כתב|כתבה"},
    Language{"ar", "بقلم|بقلم:|كُتب بواسطة|كتب:|كتبت:|الكاتب:|الكاتبة:|المؤلف:|بقلم الكاتب", "كتب|كتبت|إعداد:|اعداد:|تقرير:|بواسطة|بواسطة:|نشر بواسطة|تأليف:|الصحفي:|المحرر:|الناشر:|إعداد|اعداد|حوار:|حاوره:|حاورته:|كتابة:|تحقيق:"},
    Language{"fa", "نویسنده:|نویسنده|نویسندگان:|به قلم|به قلم:|نگارنده:|نوشته:", "نوشته|نوشتهٔ|نوشته‌ی|خبرنگار:|گزارش:|توسط|توسط:|مؤلف:"},
    Language{"ur", "تحریر:|تحریر|مصنف:|از قلم|از قلم:", "رپورٹ:|رپورٹر:"},
    Language{"hi", "लेखक:|लेखिका:|द्वारा लिखित|लेखक", "रिपोर्ट:|रिपोर्टर:|संवाददाता:|द्वारा|द्वारा:"},
    Language{"bn", "লেখক:|লিখেছেন:|লিখেছেন", "প্রতিবেদক:|লেখা:|রিপোর্ট:"},
    Language{"ta", "எழுதியவர்:|ஆசிரியர்:|எழுத்தாளர்:", "எழுதியவர்"},
    Language{"te", "రచయిత:|రచన:", "రచన"},
    Language{"ml", "ലേഖകൻ:|എഴുതിയത്:", "എഴുത്ത്:"},
    Language{"kn", "ಲೇಖಕ:|ಲೇಖಕರು:", "ಬರಹ:"},
    Language{"gu", "લેખક:", "લખનાર:"},
    Language{"pa", "ਲੇਖਕ:", "ਲਿਖਾਰੀ:"},
    Language{"th", "เขียนโดย|ผู้เขียน:|ผู้เขียน|เรื่องโดย|บทความโดย|เรียบเรียงโดย", "โดย|โดย:|เรื่อง:|โพสต์โดย|ผู้สื่อข่าว:|รายงานโดย|เรื่องและภาพ:"},
    Language{"ko", "글쓴이:|글쓴이|작성자:|지은이:|저자:|필자:", "글:|글|글·사진|기자|기자:|작성자|취재:|작가:"},
};
// clang-format on

constexpr std::size_t max_word = 40;       // code points; longer than every word
constexpr std::size_t max_short_word = 4;  // code points

char32_t fold(char32_t letter) {
  // The fast path for ASCII, which needs no ICU.
  constexpr char32_t no_break_space = 0xA0;
  if (letter == no_break_space) return U' ';
  if (letter < 0x80) return static_cast<char32_t>(ascii_lower(static_cast<char>(letter)));
  return static_cast<char32_t>(u_foldCase(static_cast<UChar32>(letter), U_FOLD_CASE_DEFAULT));
}

// The beginning of a text in folded case, and the offset after each letter. Has no memory of its own, because it is
// made for many elements of a page.
class FoldedText {
 public:
  explicit FoldedText(std::string_view text) {
    for (std::size_t at = 0; at < text.size() && size_ < max_word; ++size_) {
      const CodePoint point = decode_utf8(text, at);
      at += point.length;
      letters_[size_] = fold(point.value);
      ends_[size_] = at;
    }
  }
  std::u32string_view letters() const { return {letters_.data(), size_}; }
  std::size_t end_of(std::size_t letter) const { return ends_[letter]; }

 private:
  std::array<char32_t, max_word> letters_{};
  std::array<std::size_t, max_word> ends_{};
  std::size_t size_ = 0;
};

struct Word {
  std::u32string text;  // case folded, without the colon
  bool needs_colon = false;
  bool is_unambiguous = false;
};

bool is_dash(char32_t c) { return c == U'—' || c == U'–'; }

bool is_colon(char32_t c, bool is_latin) {
  // A slash or "=" replaces the colon in other scripts: بقلم/ أحمد علي, 글=홍길동.
  return c == U':' || c == U'：' || c == U'՝' || (!is_latin && (c == U'/' || c == U'／' || c == U'='));
}
constexpr std::array<char32_t, 8> ends_of_word{U' ', U':', U'：', U'՝', U'/', U'／', U'=', U'\0'};
constexpr bool is_end_of_word(char32_t letter) { return std::ranges::find(ends_of_word, letter) != ends_of_word.end(); }

constexpr char32_t first_not_latin = 0x250;

struct Words {
  std::vector<Word> sorted;          // by text
  std::bitset<1U << 16> beginnings;  // hashes of the first three letters of each word

  static std::size_t position(char32_t first, char32_t second, char32_t third) {
    return ((first * 31 + second) * 31 + third) & 0xFFFFU;
  }
  void add(std::string_view list, bool is_unambiguous) {
    while (!list.empty()) {
      const std::size_t end = std::min(list.find('|'), list.size());
      std::string_view text = list.substr(0, end);
      list.remove_prefix(std::min(end + 1, list.size()));
      const bool needs_colon = text.ends_with(':');
      if (needs_colon) text.remove_suffix(1);
      const FoldedText folded(text);
      add_beginnings(folded.letters());
      sorted.push_back({std::u32string(folded.letters()), needs_colon, is_unambiguous});
    }
  }
  void add_beginnings(std::u32string_view word) {
    if (word.size() > 2) {
      beginnings.set(position(word[0], word[1], is_end_of_word(word[1]) ? U'\0' : word[2]));
      return;
    }
    for (const char32_t third : ends_of_word) {
      if (word.size() == 2) beginnings.set(position(word[0], word[1], third));
      if (word.size() == 1) beginnings.set(position(word[0], third, U'\0'));
    }
  }
};

const Words& words() {
  static const Words all = [] {
    Words result;
    for (const Language& language : languages) {
      result.add(language.unambiguous, true);
      result.add(language.near_headline, false);
    }
    // The unambiguous form of a word comes first.
    std::ranges::stable_sort(result.sorted, [](const Word& a, const Word& b) {
      return a.text != b.text ? a.text < b.text : a.is_unambiguous && !b.is_unambiguous;
    });
    return result;
  }();
  return all;
}

// Calls `visit` for every word that the text begins with, shorter ones first.
template <class Visit>
void visit_words(std::u32string_view text, Visit visit) {
  const auto& sorted = words().sorted;
  const std::u32string_view first = text.substr(0, 1);
  auto word =
      std::ranges::lower_bound(sorted, first, {}, [](const Word& one) { return std::u32string_view(one.text); });
  for (; word != sorted.end() && word->text.starts_with(first); ++word) {
    if (text.starts_with(word->text)) visit(*word);
  }
}

BylineWord found_word(const Word& word, std::size_t end, bool has_colon) {
  return {.end = end,
          .is_unambiguous = word.is_unambiguous,
          .is_short = word.text.size() <= max_short_word,
          .has_colon = has_colon,
          .needs_colon = word.needs_colon};
}

}  // namespace

BylineWord find_byline_word(std::string_view text) {
  if (!may_be_byline_word(text)) return {};
  const FoldedText folded(text);
  const std::u32string_view letters = folded.letters();
  const bool is_latin = letters.front() < first_not_latin;
  const auto is_sign = [&](std::size_t at) { return at < letters.size() && is_colon(letters[at], is_latin); };
  const auto is_space = [&](std::size_t at) { return at < letters.size() && letters[at] == U' '; };
  const auto is_dash_between_spaces = [&](std::size_t at) {
    return at < letters.size() && is_dash(letters[at]) && is_space(at - 1) && is_space(at + 1);
  };
  BylineWord best;
  visit_words(letters, [&](const Word& word) {
    std::size_t next = word.text.size();
    if (!is_space(next) && !is_sign(next)) return;
    while (is_space(next)) ++next;
    const bool has_dash = word.is_unambiguous && is_dash_between_spaces(next);  // "Автор — Иван Петров"
    if (has_dash) ++next;
    const bool has_colon = has_dash || is_sign(next);
    while (is_space(next) || is_sign(next)) ++next;
    const BylineWord found = found_word(word, folded.end_of(next - 1), has_colon);
    if (!found.is_introduction() && best) return;
    if (found.end > best.end || (found.is_introduction() && !best.is_introduction())) best = found;
  });
  return best;
}

BylineWord find_lone_byline_word(std::string_view text) {
  if (!may_be_byline_word(text)) return {};
  const FoldedText folded(text);
  std::u32string_view letters = folded.letters();
  const bool is_latin = letters.front() < first_not_latin;
  while (!letters.empty() && (letters.back() == U' ' || is_colon(letters.back(), is_latin))) letters.remove_suffix(1);
  BylineWord best;
  visit_words(letters, [&](const Word& word) {
    if (word.text == letters && !best) best = found_word(word, text.size(), letters.size() < folded.letters().size());
  });
  return best;
}

bool may_be_byline_word(std::string_view text) {
  if (text.empty()) return false;
  std::array<char32_t, 3> letters{};
  for (std::size_t at = 0, i = 0; i < letters.size() && at < text.size(); ++i) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    letters[i] = fold(point.value);
  }
  if (is_end_of_word(letters[1])) letters[2] = U'\0';
  return words().beginnings.test(Words::position(letters[0], letters[1], letters[2]));
}

}  // namespace linkherd::parser
