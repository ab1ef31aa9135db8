#include "parser/metadata/no_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// The texts of all lists but the last two are normalized letters (see extract_letters). A word that is also a given
// name or a family name, such as "Sydney", is missing.
// clang-format off
// These texts stand beside names: titles of boxes, labels and buttons.
constexpr std::array<std::string_view, 123> labels{
    "aboutauthor", "abouttheauthor", "aboutthisauthor", "authorinfo", "authorbio", "authorpage", "theauthors",
    "comments", "comment", "leaveacomment", "nocomments", "print", "contact", "contactus", "advertisement",
    "advertising", "tags", "photo", "photos", "video", "info", "in", "filedunder", "postedin", "morefrom",
    "morefromthisauthor", "viewprofile", "seeallarticles", "allarticles", "seefullbio", "readbio", "meettheauthor",
    "meetourwriters", "auteur", "auteurs", "autora", "autoren", "autorin", "verfasser", "författare", "forfatter",
    "yazar", "penulis", "автор", "авторы", "作者", "作者简介", "作者介绍", "简介", "介绍", "关于作者", "關於作者", "作者簡介", "著者", "著者について",
    "著者紹介", "著者プロフィール", "この記事を書いた人", "この記事の著者", "저자", "저자소개", "글쓴이", "작성자", "überdenautor", "überdieautorin",
    "überdieautoren", "zumautor", "zurautorin", "überuns", "sobreelautor", "sobrelaautora", "acercadelautor",
    "sobreoautor", "sobreaautora", "àproposdelauteur", "aproposdelauteur", "sullautore", "lautore", "oautorze",
    "oautorce", "oautorovi", "oautorke", "обавторе", "проавтора", "overdeauteur", "omforfatteren", "omförfattaren",
    "omskribenten", "yazarhakkında", "tentangpenulis", "vềtácgiả", "tácgiả", "عنالكاتب", "نبذةعنالكاتب", "עלהכותב",
    "分享", "分享到微信", "分享到微博", "分享至", "转发", "收藏", "点赞", "评论", "阅读", "シェア", "コメント", "공유", "teilen", "drucken",
    "kommentare", "partager", "imprimer", "commentaires", "compartir", "imprimir", "comentarios", "compartilhar",
    "condividi", "stampa", "commenti", "udostępnij", "поделиться", "комментарии",
};

// Roles of one person. A department such as "Redaktion" signs texts.
constexpr std::array<std::string_view, 96> roles{
    "chefredakteur", "chefredakteurin", "redakteur", "redakteurin", "volontär", "volontärin", "gastautor",
    "gastautorin", "gastbeitrag", "freierjournalist", "freiejournalistin", "journalist", "journalistin",
    "freelancejournalist", "freelancewriter", "editorinchief", "newseditor", "webeditor", "sportseditor",
    "featureseditor", "deputyeditor", "executiveeditor", "specialcorrespondent", "foreigncorrespondent",
    "staffcorrespondent", "ourcorrespondent", "guestcolumnist", "guestblogger", "guestpost", "blogger", "intern",
    "journaliste", "rédacteur", "rédactrice", "rédacteurenchef", "pigiste", "correspondant", "giornalista",
    "redattore", "redattrice", "periodista", "redactor", "redactora", "redactorjefe", "corresponsal", "colaborador",
    "colaboradora", "jornalista", "redator", "redatora", "repórter", "colunista", "redacteur", "journalisten",
    "verslaggever", "redaktör", "redaktør", "skribent", "toimittaja", "dziennikarz", "dziennikarka", "redaktor",
    "szerkesztő", "újságíró", "редактор", "журналист", "корреспондент", "обозреватель", "журналіст", "кореспондент",
    "редакторсайта", "editör", "muhabir", "wartawan", "小编", "小編", "责任编辑", "責任編輯", "实习生", "特约作者", "特约记者", "本报记者",
    "本报讯", "本刊记者", "记者", "記者", "通讯员", "编辑", "編集者", "ライター", "編集長", "기자", "편집자", "인턴기자", "المحرر", "כתביהאתר",
};

constexpr std::array<std::string_view, 36> times{
    "today", "yesterday", "now", "justnow", "heute", "gestern", "aujourdhui", "hier", "hoy", "ayer", "hoje", "ontem",
    "oggi", "ieri", "vandaag", "gisteren", "сегодня", "вчера", "bugün", "dün", "今天", "昨天", "前天", "刚刚", "今日", "昨日",
    "一昨日", "오늘", "어제", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
};

// Cities of datelines and countries.
constexpr std::array<std::string_view, 223> places{
    "london", "newyork", "newyorkcity", "washington", "losangeles", "sanfrancisco", "sandiego", "chicago", "boston",
    "philadelphia", "seattle", "miami", "atlanta", "detroit", "lasvegas", "toronto", "ottawa", "vancouver",
    "montreal", "mexicocity", "ciudaddeméxico", "buenosaires", "sãopaulo", "riodejaneiro", "brasília", "bogotá",
    "caracas", "havana", "paris", "berlin", "münchen", "munich", "hamburg", "frankfurt", "köln", "stuttgart", "wien",
    "vienna", "zürich", "zurich", "bern", "genf", "genève", "geneva", "brüssel", "brussels", "bruxelles", "amsterdam",
    "denhaag", "rotterdam", "madrid", "barcelona", "lisboa", "lisbon", "roma", "rome", "milano", "athens", "athen",
    "αθήνα", "warszawa", "warsaw", "praha", "prague", "budapest", "bukarest", "bucharest", "moskau", "moscow",
    "москва", "санктпетербург", "киев", "київ", "kyiv", "kiew", "минск", "istanbul", "ankara", "stockholm", "oslo",
    "københavn", "copenhagen", "kopenhagen", "helsinki", "reykjavik", "dublin", "edinburgh", "glasgow", "manchester",
    "liverpool", "birmingham", "telaviv", "jerusalem", "cairo", "beirut", "dubai", "abudhabi", "doha", "riyadh",
    "tehran", "baghdad", "islamabad", "karachi", "lahore", "newdelhi", "delhi", "mumbai", "kolkata", "chennai",
    "bengaluru", "hyderabad", "dhaka", "colombo", "kathmandu", "bangkok", "jakarta", "manila", "hanoi", "hànội",
    "kualalumpur", "singapore", "hongkong", "taipei", "beijing", "peking", "shanghai", "shenzhen", "guangzhou",
    "tokyo", "osaka", "seoul", "canberra", "melbourne", "wellington", "auckland", "nairobi", "johannesburg",
    "capetown", "pretoria", "lagos", "abuja", "accra", "addisababa", "北京", "上海", "广州", "深圳", "香港", "台北", "东京", "東京",
    "大阪", "首尔", "서울", "부산", "القاهرة", "بيروت", "دبي", "الرياض", "unitedstates", "usa", "us", "unitedkingdom", "uk",
    "england", "scotland", "germany", "deutschland", "france", "spain", "españa", "italy", "italia", "russia",
    "россия", "ukraine", "україна", "poland", "polska", "austria", "österreich", "switzerland", "schweiz", "suisse",
    "netherlands", "nederland", "belgium", "sweden", "sverige", "norway", "norge", "denmark", "danmark", "finland",
    "suomi", "greece", "turkey", "türkiye", "japan", "日本", "china", "中国", "southkorea", "한국", "pakistan",
    "bangladesh", "indonesia", "philippines", "vietnam", "việtnam", "thailand", "malaysia", "australia", "newzealand",
    "canada", "brazil", "brasil", "argentina", "méxico", "southafrica", "nigeria", "egypt", "saudiarabia",
};

constexpr std::array<std::string_view, 43> houses{
    "penguinpress", "mitpress", "cambridgepress", "randomhouse", "penguinrandomhouse", "penguinbooks", "elsevier",
    "springer", "springernature", "wiley", "johnwileysons", "wileyblackwell", "harpercollins", "harperrow",
    "macmillan", "palgravemacmillan", "simonschuster", "hachette", "hachettelivre", "routledge", "taylorfrancis",
    "bloomsbury", "mcgrawhill", "oreillymedia", "suhrkamp", "rowohlt", "fischertaschenbuch", "gallimard",
    "flammarion", "mondadori", "feltrinelli", "einaudi", "planeta", "alfaguara", "anagrama", "岩波書店", "講談社", "集英社",
    "小学館", "角川書店", "中华书局", "三联书店", "эксмо",
};

// Words in the names of publishing houses. "Press" is missing, because it is also in the names of agencies.
constexpr std::array<std::string_view, 23> words_of_houses{
    "publisher", "publishers", "publishing", "publications", "verlag", "verlage", "éditions", "editions", "editrice",
    "editore", "editora", "uitgeverij", "förlag", "forlag", "forlaget", "wydawnictwo", "nakladatelství", "kiadó",
    "издательство", "видавництво", "yayınları", "yayınevi", "penerbit",
};

constexpr std::array<std::string_view, 9> ends_of_houses{
    "出版社", "出版集团", "出版", "印书馆", "书局", "書局", "书社", "書店", "출판사",
};

// Roles behind a name, in lower case.
constexpr std::array<std::string_view, 41> roles_after_names{
    "staff writer", "staff reporter", "staff photographer", "senior writer", "senior editor", "senior reporter",
    "senior correspondent", "contributing writer", "contributing editor", "contributor", "guest contributor",
    "guest columnist", "guest writer", "columnist", "correspondent", "special correspondent", "news editor",
    "managing editor", "editor in chief", "editor-in-chief", "executive editor", "associate editor",
    "assistant editor", "deputy editor", "freelance writer", "freelance journalist", "sports writer", "sports editor",
    "reporter", "journalist", "web editor", "redakteur", "redakteurin", "chefredakteur", "volontärin", "journaliste",
    "periodista", "giornalista", "jornalista", "журналист", "корреспондент",
};
// clang-format on

// Returns true for 3分钟前, 昨天 10:20 and 2024年3月5日.
bool is_time_in_signs(std::string_view text) {
  static constexpr std::array<std::string_view, 9> ends{"前", "日", "月", "年", "分", "秒", "时", "時", "전"};
  const bool has_digit = std::ranges::any_of(text, is_ascii_digit);
  return has_digit && std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}

}  // namespace

bool is_no_name(std::string_view text) {
  const std::string letters = extract_letters(text);
  return is_one_of(labels, letters) || is_one_of(roles, letters) || is_one_of(times, letters) ||
         is_one_of(places, letters) || is_time_in_signs(text);
}

bool is_publishing_house(std::string_view name) {
  const std::string letters = extract_letters(name);
  if (is_one_of(houses, letters) || letters.ends_with("universitypress")) return true;
  if (std::ranges::any_of(ends_of_houses, [&](std::string_view end) { return name.ends_with(end); })) return true;
  if (name.find(' ') == std::string_view::npos) return false;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find(' '), name.size());
    if (is_one_of(words_of_houses, extract_letters(name.substr(0, end)))) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

std::string_view without_role(std::string_view name) {
  constexpr std::size_t words_of_person = 2;  // longer names are those of newspapers: "The Daily Post Reporter"
  const std::string lower = to_ascii_lower(name);
  for (const std::string_view role : roles_after_names) {
    if (!lower.ends_with(role) || lower.size() < role.size() + 2 || lower[lower.size() - role.size() - 1] != ' ')
      continue;
    const std::string_view rest = trim_ascii(name.substr(0, name.size() - role.size()));
    if (is_full_name(rest) && count_words(rest) == words_of_person) return rest;
  }
  return name;
}

}  // namespace linkherd::parser
