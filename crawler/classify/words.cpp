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

struct WordsOf {
  Language language;
  std::string_view words;
};

// Stop words: articles, prepositions, pronouns, auxiliaries. A word of several languages identifies none of them, but
// excludes all others.
constexpr std::array<WordsOf, 11> stop_words{{
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

// Letters with diacritics. A language without them has them only in names.
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

// Words that say little about a page, because at least one page in eight has them. The share is one in three for French
// and Spanish, of which fewer pages were counted. Counted over 1,328 English, 445 German, 37 Spanish and 28 French
// pages of all kinds of sites.
constexpr std::array<WordsOf, 4> common_words{
    {{Language::english,
      "ability able above accept access accessibility according account across act action active activity actually add "
      "added adding additional address ads advertise advice again against age ago agree ahead air allow allows almost "
      "along already although always american among amount analysis another answer anyone anything application apply "
      "approach april area areas aren around art arts ask asked author available average avoid away back bad base "
      "based "
      "become behind being believe below benefits better beyond big biggest bit black board body box brand brands "
      "break "
      "bring browser budget building built business buy buying california call called came cancel cannot car card "
      "cards "
      "care careers case cases categories center central certain challenges change changes changing children china "
      "choice choices choose city class clean clear climate close cloud color comes coming community companies company "
      "compared complex comprehensive conditions connect consider content continue control cookie cookies copyright "
      "core corporate cost costs country course cover create created creating creative credit critical culture current "
      "custom customer cut daily date day days deal deals dec december decision dedicated deep deliver demand design "
      "designed despite development device devices didn different difficult digital direct directly discover doesn "
      "doing don done drive driven earlier early easier easily east edge editor education effective efficient either "
      "else email end energy enjoy enough ensure enter entertainment entire environment especially essential etc "
      "europe "
      "even event events ever every everyone everything exactly existing expect expected expensive experience expert "
      "experts explore extra face facebook fact fall family faqs far fast faster favorite features feedback feel few "
      "field file final finally finance financial find finding fine fit focus focused follow following food force form "
      "former forward found friendly friends front fully fun function further future game games general gets gift give "
      "given gives giving global goals goes going got government green group groups grow growing growth guidelines "
      "half "
      "hand handle hands happy hard having head health helpful helping helps high higher highly him history hit hope "
      "hot hour hours house however huge human idea ideal ideas image images impact important improve inbox inc "
      "include "
      "including increase individual industry inside insights instagram instead intelligence interest international "
      "internet investment involved isn items itself january job jobs join journey keep keeping key kids kind know "
      "knowledge known language large larger last late later law lead leadership leading learning least leave led left "
      "legal less level levels life lifestyle light like likely limited line linkedin little living local location log "
      "login longer look looking looks lost lot love low lower machine made maintain major make makes making manage "
      "management map march market marketing match matter maybe mean means media meet member members menu message "
      "middle million mind minutes mobile modern moment money month months morning move moving multi multiple music "
      "name national natural navigation near nearly necessary need needed needs network never newsletters night north "
      "note notes nothing notice november now number offer offering offers office often once ones operations opinion "
      "opportunities option options order organization others outside overall paid particularly partners parts party "
      "past pay people perfect performance person personal phone photo photos pick place plan planning plans platform "
      "please podcasts point points policies policy politics popular possible potential power powered powerful "
      "practices pre preferences president press prevent price prices pricing primary print privacy private pro "
      "probably problem process products professional program progress property protect provide providing public "
      "published purchase put quality questions quite range rate rates rather reach reading ready real really reason "
      "receive recently recommend record red reduce regular relevant remember remove report reports request required "
      "research reserved response rest result results return returns review reviews right rights risk role room rss "
      "rules run running safe safety said sale sales same save say says scale schedule school science search secure "
      "security seen select self sell send sense series service set sets settings several share shared sharing shop "
      "shopping show shows side sign significant simply since single six size skills skip small smaller smart social "
      "solutions someone something sometimes soon south space special specific speed spend spent sports staff stand "
      "standard star starting state statement states stay step steps still stop storage stories story strategy street "
      "strong studies study style subject submit subscribe success such super sure system systems table take taken "
      "takes taking target team teams tech technical technology tell term terms test testing text thank thanks them "
      "themselves thing things think thinking though thought thousands throughout time times tip tips today together "
      "told too took top topics total touch track trade traditional training travel trending trends true trust trying "
      "turn twitter type types typically understand unique united university until update updated updates used user "
      "users uses usually value variety various want wanted water way ways weather week weekly weeks welcome well went "
      "whether white whole wide window within women won work worked working works world worth write writing written "
      "wrong year years yes yet york yourself youtube"},
     {Language::german,
      "abbrechen abo abonnieren adresse agb aktuelle allein allem allen aller allerdings alles andere anderen anders "
      "anfang angebote anmelden antworten anzeigen april arbeit arbeiten archiv art aufgrund august auto autor bayern "
      "beispiel beiträge bekannt bereich bereits berlin besonders besser beste besteht besten bieten bild bilder "
      "bildung bin bisher bitte bleiben bleibt blick braucht bringen bringt browser bzw bücher cookie cookies "
      "copyright "
      "corona dabei dafür daher damit dank dann daran darauf darüber daten datenschutz davon dazu dein deine denen "
      "denn "
      "deren derzeit deshalb deutlich deutschland dezember dich dies diesem diesen digitale dir direkt doch dort "
      "drucken dürfen eben ebenfalls eher eigene eigenen eigentlich einfach einige einmal einsatz einstellungen ende "
      "energie entwicklung erfahren ergebnisse erhalten erklärt erst erste ersten essen etwa etwas euro europa events "
      "experten facebook fall familie fast februar feed fest film finden findet folge folgen foto frage fragen frau "
      "frauen fußball gab ganz gar geben gegenüber gehen geht gehört geld gemacht gemeinsam genau gerade gerne "
      "geschichte gesellschaft gesundheit gilt gleich gmbh große großen grund gut gute habe halten hatte hatten helfen "
      "heute hilfe hin hinter hoch hätte ihm ihn ihnen ihrem immer impressum informationen infos inhalt inhalte innen "
      "insgesamt instagram international internet interview jahr jahre jahren jahres januar jede jedem jeden jeder "
      "jedoch jobs juli junge juni kam karriere kategorien kaum keinen kinder klar kleinen kommen kommentare kommt "
      "konnte kontakt konto kostenlos kultur kunst kurz könnte land lang lange lassen laut leben leicht leider letzte "
      "letzten liebe liegen liegt login lässt läuft machen macht mai mail mal mann media mediadaten medien mehrere "
      "mein "
      "meine meinen meiner meinung meisten melden mensch menschen menü mich millionen mindestens minuten mir märz "
      "möchte möglich müssen nachrichten name namen natürlich navigation neben nehmen neu neue neuen neuer neues "
      "neueste nichts november nun nutzen nutzung nächsten oben oft oktober ort paar partner personen platz politik "
      "presse pro produkte programm prozent rahmen ratgeber recht rechte redaktion registrieren reise reisen richtig "
      "rolle rss rund sagen sagt sagte schließen schnell schon schreiben sechs sehen sei seinem seinen selbst "
      "september "
      "service setzt shop sicher sicherheit sieht social sogar solche sollen sollte sollten sondern sonst sowie sowohl "
      "soziale speichern spiele spielen sport später stadt stand stark statt stehen steht stellen stellt stunden suche "
      "suchen tag tage tatsächlich team technik teil teilen termine thema themen tipps top trotz tun twitter uhr "
      "umwelt "
      "uns unser unsere unseren unserer unternehmen unterstützung usa veranstaltungen vergleich verstehen verwendet "
      "veröffentlicht viel vielen vielleicht waren warum weg wegen weil weit weiter weitere weiterhin weiß welche welt "
      "weltweit wenig weniger werbung werde wetter whatsapp wichtig wirklich wirtschaft wissen woche wochen wohl "
      "wollen "
      "wordpress wäre würde würden youtube zahlen zeigen zeigt zeit zeiten ziel zudem zukunft zumindest zurück "
      "zusammen "
      "zwar zwischen ändern österreich überblick übersicht"},
     {Language::spanish,
      "además ahora algunas algunos ante antes argentina así aunque autoridades año bien buscar casa caso ciencia "
      "ciudad comentarios compartir condiciones contacto contra coronavirus correo cuenta cultura dentro deportes "
      "derechos después diario digital dijo durante día días economía educación email era españa especiales estaba "
      "estado estados estas esto están europa facebook frente fueron general gente gobierno gran grupo había hace "
      "hacer "
      "hecho historia hoy información inicio instagram internacional juan legal mayo mayor medio mejor menos meses "
      "mientras mujer mundo nacional nada nosotros nota noticias nuestra nuestro nueva nuevo opinión otra otras otros "
      "pandemia parte pasado país pero personas poder podría política prensa presidente primer primera privacidad "
      "publicidad puede pueden reservados salud san según semana servicios será sido situación sociales sociedad solo "
      "somos suscríbete síguenos tecnología temas territorio tiempo tiene tienen todas trabajo tras twitter términos "
      "unidos uso ver vez vida whatsapp última últimas"},
     {Language::french,
      "abonnement abonner accueil actualité adresse affaire afrique aide ainsi alors année août appel aujourd aussi "
      "autant autre autres avait avez avis avoir beaucoup bien boutique car cas cause cela celui centre certains cet "
      "chaque charte comme compte concernant conditions connecter consulter contenus contre cookies cours créer "
      "culture "
      "demande dernier doit donc donne donner données dont doute dès début déjà elles email encore enfin enquête "
      "entreprises environnement envoyer espace europe face facebook faire faut fin fois fonction france française "
      "grand grande grâce guerre histoire hui idées images informations instagram international intérêts janvier jeu "
      "jeux jour journal jours juin jusqu justice ligne linkedin loi lors lui lundi lus légales mai mail mardi "
      "mentions "
      "menu mis mise moins mois moment monde mot mouvement médias même navigation newsletters niveau nombre notamment "
      "nouveau nouvelle novembre octobre offres ont opinion origine ouvert partager partenaires partie partir passe "
      "pays pendant personnes peu photo place plan plusieurs politique possible pouvoir premier première presse pris "
      "prise projet propos protection près public publicité publié période quand quant questions raison recevoir "
      "rechercher reste retour rien rss rédaction santé savoir sciences selon semaine septembre sera service social "
      "sociaux société soit sommes sport suivez suivre sujet surtout système temps toujours toutes travail twitter "
      "utilisation vers veut vidéo vidéos vie voir vos whatsapp youtube économie également étaient était état êtes"}}};

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
    for (const WordsOf& row : stop_words) {
      for_each_between_spaces(row.words, [&](std::string_view word) { made[hash_of(word)] |= bit_of(row.language); });
    }
    for (const std::string_view words : generic_words) {
      for_each_between_spaces(words, [&](std::string_view word) { made.try_emplace(hash_of(word), 0); });
    }
    return made;
  }();
  return table;
}

// Common words by their stems, with the bits of their languages.
const std::unordered_map<std::uint64_t, std::uint32_t>& common_stems() {
  static const auto stems = [] {
    std::unordered_map<std::uint64_t, std::uint32_t> made;
    for (const WordsOf& row : common_words) {
      for_each_word(row.words, [&](const Word& word) { made[word.stem] |= bit_of(row.language); });
    }
    return made;
  }();
  return stems;
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
  constexpr std::size_t min_letters = 3;
  if (word_table().contains(word.hash)) return false;
  if (word.is_pair) return !is_hiragana(word.text);
  if (word.letters < min_letters) return false;
  return !std::ranges::all_of(word.text, [](char c) { return parser::is_ascii_digit(c); });
}

bool is_common(const Word& word) { return !word.is_pair && common_stems().contains(word.stem); }

void LanguageGuess::add(const Word& word) {
  const auto known = word_table().find(word.hash);
  const std::uint32_t stop = known == word_table().end() ? 0 : known->second;
  const auto common = common_stems().find(word.stem);
  const std::uint32_t shared =
      stop | languages_by_marks(word.text) | (common == common_stems().end() ? 0 : common->second);
  for (std::size_t i = 0; i < language_count && shared != 0; ++i) {
    const std::uint32_t bit = bit_of(static_cast<Language>(i));
    if (stop == bit) ++stop_words_.at(i);
    if ((shared & bit) != 0) ++shared_.at(i);
  }
  // The script of the first letter counts for the whole word. The characters of a pair count separately.
  const Letter first = letter_at(word.text, 0);
  if (first.value != 0 && (first.value < U'0' || first.value > U'9')) {
    letters_.at(static_cast<std::size_t>(script_of(first.value))) += word.is_pair ? 1 : word.letters;
  }
}

Language LanguageGuess::by_script(std::size_t min_share) const {
  std::size_t all = 0;
  for (const std::size_t letters : letters_) all += letters;
  const auto count = [this](Language script) { return letters_.at(static_cast<std::size_t>(script)); };
  const std::size_t in_pairs = count(Language::chinese) + count(Language::japanese);
  const auto is_large = [all, min_share](std::size_t letters) { return letters > 0 && letters * min_share >= all; };
  if (is_large(in_pairs)) return count(Language::japanese) * 10 >= in_pairs ? Language::japanese : Language::chinese;
  for (const Language script : {Language::korean, Language::cyrillic, Language::other}) {
    if (is_large(count(script))) return script;
  }
  return Language::unknown;
}

Language LanguageGuess::clearest(const Counts& counts, std::size_t min_count) {
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
  const bool is_clear = counts.at(best) >= min_count && counts.at(best) > second + second / 2;
  return is_clear ? static_cast<Language>(best) : Language::unknown;
}

Language LanguageGuess::of_entry() const {
  constexpr std::size_t tenth = 10;
  const Language script = by_script(tenth);
  return script != Language::unknown ? script : clearest(shared_, 1);
}

Language LanguageGuess::of_page() const {
  constexpr std::size_t quarter = 4;
  constexpr std::size_t min_stop_words = 4;
  const Language script = by_script(quarter);
  return script != Language::unknown ? script : clearest(stop_words_, min_stop_words);
}

}  // namespace linkherd::crawler
