// Parses credit lines: "来源：新华社 作者：张三 责编：李四", "Translated by Jane Doe". Authors become candidates;
// editors, translators and origins are kept separately.
#include "parser/metadata/credits.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/page.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

struct Label {
  std::string_view text;
  CreditRole role;
};

// A label that is a suffix of another label comes after it.
constexpr std::array han_labels{
    Label{"责任编辑", CreditRole::editor}, Label{"責任編輯", CreditRole::editor}, Label{"本文编辑", CreditRole::editor},
    Label{"文字编辑", CreditRole::editor}, Label{"执行编辑", CreditRole::editor}, Label{"编辑", CreditRole::editor},
    Label{"編輯", CreditRole::editor},     Label{"责编", CreditRole::editor},     Label{"主编", CreditRole::editor},
    Label{"审校", CreditRole::editor},     Label{"校对", CreditRole::editor},     Label{"校對", CreditRole::editor},
    Label{"审核", CreditRole::editor},     Label{"審核", CreditRole::editor},     Label{"监修", CreditRole::editor},
    Label{"監修者", CreditRole::editor},   Label{"監修", CreditRole::editor},     Label{"編集", CreditRole::editor},
    Label{"翻译", CreditRole::translator}, Label{"翻譯", CreditRole::translator}, Label{"译者", CreditRole::translator},
    Label{"譯者", CreditRole::translator}, Label{"编译", CreditRole::translator}, Label{"文章来源", CreditRole::origin},
    Label{"来源", CreditRole::origin},     Label{"來源", CreditRole::origin},     Label{"转自", CreditRole::origin},
    Label{"原创作者", CreditRole::author}, Label{"本文作者", CreditRole::author}, Label{"作者", CreditRole::author},
    Label{"撰文", CreditRole::author},     Label{"記者", CreditRole::author},     Label{"记者", CreditRole::author},
    Label{"著者", CreditRole::author},     Label{"執筆者", CreditRole::author},   Label{"執筆", CreditRole::author},
    Label{"筆者", CreditRole::author},     Label{"ライター", CreditRole::author}, Label{"取材・文", CreditRole::author},
    Label{"文・写真", CreditRole::author}, Label{"写真・文", CreditRole::author}, Label{"撰稿人", CreditRole::author},
    Label{"撰稿", CreditRole::author},     Label{"采写", CreditRole::author},     Label{"通讯员", CreditRole::author},
    Label{"通訊員", CreditRole::author},   Label{"文字", CreditRole::author},     Label{"发布者", CreditRole::author},
    Label{"發布者", CreditRole::author},   Label{"发帖人", CreditRole::author},   Label{"楼主", CreditRole::author},
    Label{"樓主", CreditRole::author},     Label{"投稿者", CreditRole::author},   Label{"聞き手", CreditRole::author},
    Label{"文", CreditRole::author},
};
constexpr std::array latin_labels{
    Label{"edited by ", CreditRole::editor},
    Label{"editor: ", CreditRole::editor},
    Label{"bearbeitet von ", CreditRole::editor},
    Label{"redaktion: ", CreditRole::editor},
    Label{"translated by ", CreditRole::translator},
    Label{"translation: ", CreditRole::translator},
    Label{"translator: ", CreditRole::translator},
    Label{"übersetzt von ", CreditRole::translator},
    Label{"übersetzung: ", CreditRole::translator},
    Label{"traduit par ", CreditRole::translator},
    Label{"traducido por ", CreditRole::translator},
    Label{"tradotto da ", CreditRole::translator},
    Label{"traduction : ", CreditRole::translator},
    Label{"source: ", CreditRole::origin},
    Label{"quelle: ", CreditRole::origin},
    Label{"fuente: ", CreditRole::origin},
    Label{"fonte: ", CreditRole::origin},
};
constexpr std::array<std::string_view, 10> marks{"：", ":", "丨", "｜", "|", "/", "／", "︱", "＝", "・"};

struct Found {
  std::size_t begin = std::string_view::npos;  // offset of the label
  std::size_t value = 0;                       // offset after the colon
  CreditRole role = CreditRole::author;
};

// Returns the next label with its colon at or after `from`. Linear: a line has few credits, and each needs one search
// per label.
Found next_han_label(std::string_view text, std::size_t from) {
  Found first;
  for (const Label& label : han_labels) {
    for (std::size_t at = text.find(label.text, from); at != std::string_view::npos && at < first.begin;
         at = text.find(label.text, at + label.text.size())) {
      // "中文：" ends in 文 but is not a label.
      const bool starts_word = label.text.size() > 3 || at == 0 || text[at - 1] == ' ';
      std::size_t after = at + label.text.size();
      while (after < text.size() && text[after] == ' ') ++after;
      const auto mark =
          std::ranges::find_if(marks, [&](std::string_view one) { return text.substr(after).starts_with(one); });
      if (!starts_word || mark == marks.end()) continue;
      // "著者・訳者：" is another label.
      if (*mark == "・" && label.text != "文" && label.text != "ライター") continue;
      first = {at, after + mark->size(), label.role};
      break;
    }
  }
  return first;
}

std::vector<Credit> han_credits(std::string_view text) {
  constexpr std::size_t max_credits = 12;
  std::vector<Credit> credits;
  Found label = next_han_label(text, 0);
  while (label.begin != std::string_view::npos && credits.size() < max_credits) {
    const Found next = next_han_label(text, label.value);
    const std::size_t end = std::min(next.begin, text.size());
    std::string_view value = trim_ascii(text.substr(label.value, end - label.value));
    if (value.starts_with("：")) value.remove_prefix(std::string_view("：").size());
    if (!value.empty()) credits.push_back({label.role, std::string(value), label.begin});
    label = next;
  }
  return credits;
}

}  // namespace

std::span<const std::string_view> latin_credit_labels() {
  static constexpr auto texts = [] {
    std::array<std::string_view, latin_labels.size()> all;
    std::ranges::transform(latin_labels, all.begin(), &Label::text);
    return all;
  }();
  return texts;
}

std::vector<Credit> find_credits(std::string_view text) {
  for (const Label& label : latin_labels) {
    if (starts_ignoring_case(text, label.text)) return {{label.role, std::string(text.substr(label.text.size())), 0}};
  }
  return han_credits(text);
}

void add_credits(const std::vector<Credit>& credits, double trust, Candidates& candidates) {
  for (const Credit& credit : credits) {
    if (credit.role == CreditRole::author) {
      std::vector<std::string> names = names_in_byline(credit.text, {});
      // A long value is text and not a name.
      std::erase_if(names, [](const std::string& name) { return count_words(name) > 5 || name.size() > 60; });
      if (!names.empty()) add(candidates.authors, std::move(names), "credit", trust);
      continue;
    }
    auto& list = credit.role == CreditRole::editor       ? candidates.editors
                 : credit.role == CreditRole::translator ? candidates.translators
                                                         : candidates.origins;
    if (std::string value = clean_value(credit.text, 80); !value.empty()) add(list, std::move(value), "credit", trust);
  }
}

}  // namespace linkherd::parser
