#include "parser/metadata/title_appendix.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// clang-format off
// Texts in brackets behind a title, as normalized letters (see extract_letters).
constexpr std::array<std::string_view, 103> bracketed_words{
    // edit links of wikis
    "编辑", "编辑源代码", "編輯", "編輯原始碼", "編集", "ソースを編集", "편집", "원본편집", "edit", "editsource", "bearbeiten",
    "quelltextbearbeiten", "modifier", "modifierlecode", "modifierlewikicode", "editar", "editarcódigo", "editarafonte",
    "editarocódigofonte", "modifica", "modificawikitesto", "править", "правитькод", "правитьвикитекст", "редагувати",
    "редагуватикод", "edytuj", "edytujkod", "bewerken", "brontekstbewerken", "redigera", "redigerawikitext", "rediger",
    "redigerkilde", "redigerkildetekst", "muokkaa", "muokkaawikitekstiä", "szerkesztés", "forrásszövegszerkesztése",
    "editovat", "editovatzdroj", "upraviť", "editează", "modificaresursă", "değiştir", "kaynağıdeğiştir", "sửa",
    "sửamãnguồn", "sunting", "suntingsumber", "עריכה", "עריכתקודמקור", "تعديل", "عدل", "ویرایش", "แก้ไข", "แก้ไขต้นฉบับ",
    "edita", "modificaelcodi", "επεξεργασία", "επεξεργασίακώδικα", "уреди", "редактиране", "уредиизвор",
    // states of questions and threads
    "duplicate", "closed", "onhold", "migrated", "locked", "solved", "resolved", "answered", "duplicada", "duplicado",
    "cerrada", "cerrado", "enespera", "resuelto", "solucionado", "fechada", "resolvido", "geschlossen", "gelöst", "erledigt",
    "fermé", "résolu", "risolto", "chiuso", "rozwiązane", "дубликат", "закрыт", "решено", "решён", "重複", "クローズ済み",
    "解決済み", "解決", "重复", "已解决", "已关闭", "已解決", "관련질문", "해결됨",
};

// Lists count these things, which are written in lower case here.
constexpr std::array<std::string_view, 45> counted_units{
    "items", "item", "products", "product", "results", "result", "listings", "artikel", "produkte", "ergebnisse", "treffer",
    "articles", "produits", "résultats", "productos", "artículos", "resultados", "produtos", "itens", "prodotti",
    "risultati", "articoli", "artikelen", "producten", "resultaten", "товаров", "товара", "товар", "товарів", "produktów",
    "produkty", "produktů", "produkter", "varor", "varer", "tuotetta", "ürün", "sản phẩm", "件", "点", "个商品", "개",
    "reviews", "ratings", "bewertungen"};

constexpr std::array<std::string_view, 12> page_words{"page",   "seite",  "página", "pagina", "strona", "sivu",
                                                      "side",   "sida",   "oldal",  "strana", "страница", "trang"};

constexpr std::array<std::string_view, 13> currencies{"$", "€", "£", "¥", "￥", "₽", "₹", "₩", "usd", "eur", "gbp", "chf", "kr"};

// Words between a title and its price.
constexpr std::array<std::string_view, 13> price_words{"from", "ab",  "à partir de", "dès", "desde", "a partir de", "od",
                                                       "от",   "за", "vanaf",       "da",  "für",   "only"};

// Labels of lists before their subjects.
constexpr std::array<std::string_view, 14> list_labels{"category", "collection", "tag",       "tags",      "topic", "archive",  "archives",
                                                       "kategorie", "catégorie", "categoría", "categoria", "分类",  "标签", "カテゴリー"};
// clang-format on

constexpr std::array<std::string_view, 7> set_off_signs{" -", " –", " —", " |", ",", ":", " ·"};

void drop_last_spaces(std::string& text) {
  while (text.ends_with(' ')) text.pop_back();
}

// Removes a separator at the end. Returns true if there was one.
bool drop_last_separator(std::string& text) {
  drop_last_spaces(text);
  for (const std::string_view sign : set_off_signs) {
    if (!text.ends_with(sign) || text.size() == sign.size()) continue;
    text.resize(text.size() - sign.size());
    drop_last_spaces(text);
    return true;
  }
  return false;
}

std::size_t end_of_number(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789.,+"), text.size());
}

// Removes "[edit | edit source]" and "[duplicate]".
void cut_brackets(std::string& text) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>("[", "]"), {"［", "］"}}) {
    const std::size_t begin = text.rfind(open);
    if (!text.ends_with(close) || begin == std::string::npos || begin == 0) continue;
    std::string_view inside = std::string_view(text).substr(begin + open.size());
    inside.remove_suffix(close.size());
    bool is_known = !inside.empty();
    while (is_known && !inside.empty()) {
      const std::size_t end = std::min(inside.find_first_of("|/"), inside.size());
      is_known = is_one_of(bracketed_words, extract_letters(inside.substr(0, end)));
      inside.remove_prefix(std::min(end + 1, inside.size()));
    }
    if (is_known) text.resize(begin);
  }
  drop_last_spaces(text);
}

// Removes a rating in stars and what follows it: "⭐ 7.8 | Comedy", "★★★★☆".
void cut_rating(std::string& text) {
  static constexpr std::array<std::string_view, 4> stars{"⭐", "★", "☆", "\xEF\xB8\x8F"};  // the last has no shape
  const auto star_at = [&](std::size_t at) {
    const auto* star =
        std::ranges::find_if(stars, [&](auto sign) { return std::string_view(text).substr(at).starts_with(sign); });
    return star == stars.end() ? std::size_t{0} : star->size();
  };
  for (std::size_t space = text.find(' ', 1); space != std::string::npos; space = text.find(' ', space + 1)) {
    std::size_t end = space + 1;
    if (star_at(end) == 0) continue;
    while (star_at(end) > 0) end += star_at(end);
    while (end < text.size() && text[end] == ' ') ++end;
    // "Fish ★ Chips" has an ornament.
    if (end < text.size() && !is_ascii_digit(text[end]) && text[end] != '|' && text[end] != '(') continue;
    text.resize(space);
    drop_last_separator(text);
    return;
  }
}

bool is_year(std::string_view number) {
  return number.size() == 4 && (number.starts_with("19") || number.starts_with("20"));
}

// Returns true for digits with signs between them that are no year.
bool is_bare_count(std::string_view number) {
  return !number.empty() && end_of_number(number) == number.size() && !is_year(number);
}

// Returns true for "158 items", "1,204 Produkte" and "1–24 of 158", and false for "2025 Reviews".
bool is_count(std::string_view text) {
  const std::size_t number = end_of_number(text);
  if (number == 0 || is_year(text.substr(0, number))) return false;
  if (is_one_of(counted_units, to_ascii_lower(trim_ascii(text.substr(number))))) return true;
  constexpr std::string_view of = " of ";
  const std::size_t at = text.find(of);
  return at != std::string_view::npos && is_bare_count(text.substr(at + of.size()));
}

// Removes "(158 items)", "- 158 items" and "158 Artikel".
void cut_count(std::string& text) {
  if (text.ends_with(')')) {
    const std::size_t open = text.rfind(" (");
    if (open == std::string::npos || open == 0) return;
    if (is_count(std::string_view(text).substr(open + 2, text.size() - open - 3))) text.resize(open);
    return;
  }
  const std::size_t unit = text.rfind(' ');
  const std::size_t number = unit == std::string::npos || unit == 0 ? std::string::npos : text.rfind(' ', unit - 1);
  if (number == std::string::npos || number == 0 || !is_count(std::string_view(text).substr(number + 1))) return;
  std::string rest = text.substr(0, number);
  if (drop_last_separator(rest)) text = std::move(rest);
}

// Removes "- Page 2 of 9", "| Seite 2" and "(page 2)".
void cut_page_number(std::string& text) {
  constexpr std::size_t max_bytes = 32;
  const std::size_t from = text.size() - std::min(text.size(), max_bytes);
  for (const std::string_view open : {" - ", " – ", " | ", " (", " — "}) {
    const std::size_t at = text.rfind(open);
    if (at == std::string::npos || at < from || at == 0) continue;
    std::string_view part = std::string_view(text).substr(at + open.size());
    if (part.ends_with(')')) part.remove_suffix(1);
    const std::size_t space = part.find(' ');
    if (space == std::string_view::npos || !is_one_of(page_words, to_ascii_lower(part.substr(0, space)))) continue;
    const std::string_view number = part.substr(space + 1);
    const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
    const std::string_view rest = number.substr(digits);
    const bool is_last = rest.empty() || ((rest.front() == ' ' || rest.front() == '/') && is_ascii_digit(rest.back()));
    if (digits == 0 || !is_last) continue;
    text.resize(at);
    return;
  }
}

// Returns the offset of a price at the end: "$24.99", "24,99 €", "USD 24". The text before it is not empty.
std::optional<std::size_t> find_price(std::string_view title) {
  constexpr std::size_t max_bytes = 24;
  const std::string lower = to_ascii_lower(title);
  const std::size_t first = lower.size() - std::min(lower.size(), max_bytes);
  // The longest text that is a price begins first.
  for (std::size_t at = std::max<std::size_t>(first, 1); at < lower.size(); ++at) {
    if (lower[at - 1] != ' ') continue;
    std::string_view rest = std::string_view(lower).substr(at);
    bool has_currency = false;
    bool has_number = false;
    while (!rest.empty()) {
      const auto* currency = std::ranges::find_if(currencies, [&](auto one) { return rest.starts_with(one); });
      const std::size_t number = end_of_number(rest);
      if (currency != currencies.end() && !has_currency) {
        has_currency = true;
        rest.remove_prefix(currency->size());
      } else if (number > 0 && is_ascii_digit(rest.front())) {
        has_number = true;
        rest.remove_prefix(number);
      } else if (rest.front() == ' ') {
        rest.remove_prefix(1);
      } else {
        break;
      }
    }
    if (rest.empty() && has_currency && has_number) return at;
  }
  return std::nullopt;
}

// Removes "from" or another word before a price. Returns true if there was one.
bool drop_price_word(std::string& title) {
  const std::string lower = to_ascii_lower(title);
  for (const std::string_view word : price_words) {
    if (lower.size() <= word.size() + 1 || !lower.ends_with(word)) continue;
    if (lower[lower.size() - word.size() - 1] != ' ') continue;
    title.resize(title.size() - word.size());
    drop_last_spaces(title);
    return true;
  }
  return false;
}

}  // namespace

std::string without_appendix(std::string text) {
  static constexpr std::array<std::string_view, 5> signs{"¶", "#", "🔗", "§", "\xEF\x83\x81"};
  for (const std::string_view sign : signs) {
    if (text.ends_with(sign) && text.size() > sign.size() + 1) text.resize(text.size() - sign.size());
    drop_last_spaces(text);
  }
  cut_brackets(text);
  cut_rating(text);
  cut_page_number(text);
  cut_count(text);
  return text;
}

std::string without_price(std::string title) {
  const auto at = find_price(title);
  if (!at) return title;
  std::string rest = title.substr(0, *at);
  drop_last_spaces(rest);
  const bool has_word = drop_price_word(rest);
  const bool is_set_off = drop_last_separator(rest);
  return (has_word || is_set_off) && !rest.empty() ? rest : title;
}

std::string without_unconfirmed_parts(std::string_view title) {
  // "Category: Fish"
  if (const std::size_t colon = title.find(": "); colon != std::string_view::npos) {
    if (is_one_of(list_labels, to_ascii_lower(title.substr(0, colon)))) return std::string(title.substr(colon + 2));
  }
  // "Fish (158)"
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>(" (", ")"), {" [", "]"}}) {
    const std::size_t begin = title.rfind(open);
    if (!title.ends_with(close) || begin == std::string_view::npos || begin == 0) continue;
    if (is_bare_count(title.substr(begin + 2, title.size() - begin - 3))) return std::string(title.substr(0, begin));
  }
  // "158 results for Fish"
  if (const std::size_t number = end_of_number(title); number > 0 && number < title.size()) {
    const std::string_view rest = trim_ascii(title.substr(number));
    const std::size_t unit = std::min(rest.find(' '), rest.size());
    const std::size_t word = std::min(rest.find(' ', std::min(unit + 1, rest.size())), rest.size());
    if (is_one_of(counted_units, to_ascii_lower(rest.substr(0, unit))))
      return std::string(trim_ascii(rest.substr(word)));
  }
  // "Fish 158 items"
  const std::size_t unit = title.rfind(' ');
  const std::size_t number =
      unit == std::string_view::npos || unit == 0 ? std::string_view::npos : title.rfind(' ', unit - 1);
  if (number != std::string_view::npos && is_count(title.substr(number + 1)))
    return std::string(title.substr(0, number));
  if (const auto price = find_price(title)) return std::string(trim_ascii(title.substr(0, *price)));
  // "Payments - One platform for everything"
  for (const std::string_view sign : {" – ", " — ", " - "}) {
    if (const std::size_t at = title.find(sign); at != std::string_view::npos) return std::string(title.substr(0, at));
  }
  return {};
}

}  // namespace linkherd::parser
