#include "crawler/classify/content_mismatch.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "crawler/classify/letter_profiles.h"
#include "crawler/classify/words.h"

using namespace linkherd;
using namespace linkherd::crawler;
using parser::LinkElement;
using parser::LinkOccurrence;

namespace {

// More than fifty words per topic. The topics share no words.
constexpr const char* casino =
    "Play slots, roulette and blackjack with the biggest bonus in town. Deposit today and get 200 free spins on your "
    "favourite machines. Our dealers are waiting for you at the tables day and night, with fast payouts, jackpots and "
    "loyalty rewards for every player. Register now, claim your welcome offer and win big. Responsible gambling: you "
    "must be 18 or older to bet. Sports betting, poker rooms and live baccarat are on offer as well.";
constexpr const char* compilers =
    "This page describes how a compiler turns the syntax tree into machine instructions. We begin with parsing, go on "
    "to type inference, and end with register allocation. Each chapter has exercises, and the solutions are at the "
    "end of the book. The compiler is written in a small functional language, and its runtime has a generational "
    "garbage collector. You need to know a little about assembly, linkers and loaders to follow the later chapters.";
constexpr const char* german_casino =
    "Spielen Sie heute und gewinnen Sie mit dem größten Bonus der Stadt. Zahlen Sie ein und holen Sie sich 200 "
    "Freispiele an den Automaten, die Ihnen gefallen. Unsere Tische sind Tag und Nacht für Sie da, und wer gewinnt, "
    "der wird sofort bezahlt. Melden Sie sich jetzt an, es ist ganz einfach und dauert nur eine Minute, und das Glück "
    "ist auf Ihrer Seite. Das Spiel kann süchtig machen und ist erst ab 18 Jahren erlaubt.";
constexpr const char* chinese_transformers =
    "本文从零开始讲解注意力机制的数学原理，包括查询、键和值三个矩阵的来历，缩放点积为什么要除以维度的平方根，多头注意力"
    "怎样"
    "并行计算，以及位置编码的几种做法。最后给出一份不到两百行的实现，并且在一个小数据集上训练，观察损失函数的变化和注意"
    "力权重的"
    "分布情况。读者需要了解矩阵乘法和反向传播。文中的代码都可以直接运行，依赖的库版本写在附录里，若有疑问请在下方留言，"
    "作者会尽快答复，也欢迎指出文中的错误和不足之处。";
constexpr const char* chinese_casino =
    "澳门娱乐城欢迎您，注册即送彩金八百八十八元，百家乐、老虎机、轮盘、体育投注应有尽有，二十四小时客服在线，存取款秒到"
    "账，"
    "信誉保证。每天登录还有红包雨，邀请好友再得返利，会员等级越高返水越多，手机电脑都能玩，支持多种支付方式，安全稳定，"
    "快来加入我们一起赢大奖吧。本站拥有正规牌照，资金安全有保障，新老玩家都有优惠，首存百分之百赠送，真人荷官在线发牌，"
    "精彩不断，输赢公平公正公开，欢迎各位老板前来体验捧场。";

// Long enough to count as a page about a topic.
const std::string long_casino = std::string(casino) + ' ' + casino + ' ' + casino;
const std::string long_german_casino = std::string(german_casino) + ' ' + german_casino + ' ' + german_casino;

LinkOccurrence entry_of(const char* text, LinkElement element = LinkElement::link) {
  LinkOccurrence entry;
  entry.text = text;
  entry.element = element;
  return entry;
}

struct Row {
  const char* what;
  const char* text;
  const char* url;
  const char* final_url;  // null: the same
  const char* title;
  const char* page;
  bool contradicted;
  parser::LinkRole role = parser::LinkRole::main;
  std::vector<std::string> headings = {};
};

std::optional<ContentMismatch> look(const std::vector<LinkOccurrence>& entries, const Row& row) {
  const parser::Url requested = parser::Url::parse(row.url).value();
  const VisibleText visible{row.title, row.page};
  return find_content_mismatch(
      entries, {requested, row.final_url == nullptr ? requested.href() : row.final_url, row.title, visible});
}

}  // namespace

TEST_CASE("an entry is compared with the page that answers") {
  const std::vector<Row> rows{
      {"its own title", "Writing a Compiler with Type Inference", "https://a.herd/7", nullptr,
       "Writing a compiler with type inference - A. Herd", compilers, false},
      {"in other words", "how compilers allocate registers, with exercises", "https://a.herd/7", nullptr, "Chapter 7",
       compilers, false},
      {"a casino", "Writing a Compiler with Type Inference", "https://a.herd/7", nullptr, "Lucky Spins Casino", casino,
       true},
      {"a casino, short", "Type Inference", "https://type-inference.herd/", nullptr, "Lucky Spins Casino", casino,
       true},
      {"a casino in another language", "Type Inference", "https://type-inference.herd/", nullptr,
       "Glücksspiel Casino online", german_casino, true},
      {"another paper behind a DOI", "Register Allocation by Puzzle Solving", "https://doi.org/10.1145/7.7",
       "https://library.herd/doi/10.1145/7.7", "Odds of roulette: a survey", casino, true},
      {"another domain, short", "Puzzle Solving", "https://short.herd/Xy7", "https://spins.herd/", "Lucky Spins Casino",
       casino, true},
      {"a part of a sentence", "contact the maintainers", "https://chat.herd/x7", nullptr, "A Chat", compilers, false,
       parser::LinkRole::prose},
      {"the name of what is listed", "Puzzle Solving", "https://a.herd/x7", nullptr, "Lucky Spins Casino",
       long_casino.c_str(), true},
      {"the name of what is listed, on a page of few words", "Puzzle Solving", "https://a.herd/x7", nullptr,
       "Lucky Spins Casino", casino, false},
      {"a name that the URL has", "Puzzle Solving", "https://a.herd/puzzle", nullptr, "Lucky Spins Casino", casino,
       false},
      {"a name that the URL has after redirects", "Puzzle Solving", "https://short.herd/Xy7",
       "https://puzzle.herd/home", "Lucky Spins Casino", casino, false},
      {"a name on a page about the list's subject",
       "Puzzle Solving",
       "https://a.herd/x7",
       nullptr,
       "Casino games",
       casino,
       false,
       parser::LinkRole::main,
       {"Games", "Casino odds"}},
      {"one of three words somewhere in the text", "Tables without Tears", "https://a.herd/x7", nullptr,
       "Lucky Spins Casino", casino, false},
      {"one of four words somewhere in the text", "Puzzle Lantern Tables without Tears", "https://a.herd/x7", nullptr,
       "Lucky Spins Casino", long_casino.c_str(), true},
      {"a sign-on", "Register Allocation in Practice Today", "https://a.herd/7", "https://login.herd/?next=7",
       "Lucky Spins Casino", casino, false},
      {"generic", "Project homepage", "https://project.herd/", nullptr, "Lucky Spins Casino", casino, false},
      {"generic", "Source code", "https://project.herd/", nullptr, "Lucky Spins Casino", casino, false},
      {"generic, Chinese", "官网链接", "https://project.herd/", nullptr, "Lucky Spins Casino", casino, false},
      {"generic, Chinese", "论文原文下载", "https://project.herd/", nullptr, "澳门娱乐城", chinese_casino, false},
      {"one word", "Compilers", "https://compilers.herd/", nullptr, "Lucky Spins Casino", casino, false},
      {"a bare URL", "https://a.herd/writing/compiler/type/inference", "https://a.herd/7", nullptr,
       "Lucky Spins Casino", casino, false},
      {"a host", "type-inference-compiler.herd", "https://a.herd/7", nullptr, "Lucky Spins Casino", casino, false},
      {"a renamed product", "Pocket Linker", "https://pocketlinker.herd/loaders", nullptr,
       "Assembly Studio (once Pocketlinker)", compilers, false},
      {"two words written as one", "Light Table", "https://a.herd/7", nullptr, "LightTable", compilers, false},
      {"a translated title", "Wie man einen Übersetzer mit Typherleitung schreibt", "https://a.herd/7", nullptr,
       "Writing a compiler with type inference", compilers, false},
      {"another script", "从零开始写一个带类型推导的编译器", "https://a.herd/7", nullptr,
       "Writing a compiler with type inference", compilers, false},
      {"another script", "Writing a Compiler with Type Inference", "https://a.cn/7", nullptr, "注意力机制详解",
       chinese_transformers, false},
      {"another script, with a Latin word", "Transformer模型详解", "https://a.herd/7", nullptr, "Lucky Spins Casino",
       casino, true},
      {"another script, with a Latin word that is there", "Compiler的类型推导详解", "https://a.herd/7", nullptr,
       "Chapter 7", compilers, false},
      {"another script, with an acronym", "用NATO的规则", "https://a.herd/7", nullptr, "Lucky Spins Casino", casino,
       false},
      {"another language, with names", "Training mit PyTorch und DeepSpeed auf der GPU", "https://a.herd/7", nullptr,
       "Lucky Spins Casino", casino, true},
      {"another language, with a name within a sentence", "Why the books of Ursula Le Guin are still read today",
       "https://a.herd/7", nullptr, "Glücksspiel Casino online", german_casino, true},
      {"another language, with names that are translated", "Why the judges of the Supreme Court still disagree today",
       "https://a.herd/7", nullptr, "Glücksspiel Casino online", german_casino, false},
      {"another language, with all words in capitals", "The Books of Ursula Guin Are Still Read", "https://a.herd/7",
       nullptr, "Glücksspiel Casino online", german_casino, false},
      {"an English path to a page in another language", "Writing a Compiler with Type Inference",
       "https://a.cn/writing-a-compiler-with-type-inference", nullptr, "注意力机制详解", chinese_transformers, false},
      {"a short text in the page's language by its letters", "Schnelle Wohnungsreinigung", "https://a.herd/7", nullptr,
       "Glücksspiel Casino online", long_german_casino.c_str(), true},
      {"a short text in another", "Cooking Fresh Fish", "https://a.herd/7", nullptr, "Glücksspiel Casino online",
       german_casino, false},
      {"Chinese", "从零开始：注意力机制的原理与实现", "https://a.cn/7", nullptr, "一文读懂注意力", chinese_transformers,
       false},
      {"a casino, Chinese", "从零开始：注意力机制的原理与实现", "https://a.cn/7", nullptr, "澳门娱乐城", chinese_casino,
       true},
      {"too short, Chinese", "注意力", "https://a.cn/7", nullptr, "澳门娱乐城", chinese_casino, false},
      {"a shell", "Writing a Compiler with Type Inference", "https://a.herd/7", nullptr, "App",
       "You need to enable JavaScript to run this app.", false},
      {"no text", "Writing a Compiler with Type Inference", "https://a.herd/7", nullptr, "Casino", "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    CAPTURE(std::string(row.text));
    LinkOccurrence entry = entry_of(row.text);
    entry.role = row.role;
    entry.headings = row.headings;
    const std::optional<ContentMismatch> found = look({entry}, row);
    CHECK(found.has_value() == row.contradicted);
    if (!found) continue;
    CHECK(found->entry == row.text);
    CHECK(found->confidence >= 0.5);
    CHECK(found->confidence < storage::sure_of_death);
  }
}

namespace {

// Rows of a tab-separated file. The first row has the names of the languages.
std::vector<std::vector<std::string>> rows_of(const std::string& name) {
  std::ifstream file(std::string(LINKHERD_SOURCE_DIR) + "/tests/crawler/classify/translations/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream values(line);
    for (std::string value; std::getline(values, value, '\t');) row.push_back(value);
  }
  return rows;
}

struct Compared {
  std::size_t pairs = 0;
  std::size_t contradicted = 0;
};

// Each title as an entry, with pages titled by translations of the title `shift` rows below, in all other languages.
Compared compare_translations(std::size_t shift, const std::string& url) {
  std::map<std::string, std::string> texts;
  for (const std::vector<std::string>& row : rows_of("texts.tsv")) texts[row.at(0)] = row.at(1);
  const std::vector<std::vector<std::string>> titles = rows_of("titles.tsv");
  const std::size_t count = titles.size() - 1;
  Compared compared;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::string>& entries = titles.at(i + 1);
    const std::vector<std::string>& pages = titles.at((i + shift) % count + 1);
    for (std::size_t from = 0; from < entries.size(); ++from) {
      for (std::size_t to = 0; to < pages.size(); ++to) {
        if (from == to) continue;
        const std::string& text = texts.at(titles.front().at(to));
        const Row row{"", "", url.c_str(), nullptr, pages.at(to).c_str(), text.c_str(), false};
        const bool found = look({entry_of(entries.at(from).c_str())}, row).has_value();
        ++compared.pairs;
        compared.contradicted += found ? 1 : 0;
      }
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("translations are no content mismatch") {
  for (const char* url : {"https://a.herd/7", "https://a.herd/an-english-path-to-any-page"}) {
    const Compared compared = compare_translations(0, url);
    CHECK(compared.pairs > 2500);
    CHECK(compared.contradicted * 200 < compared.pairs);  // less than half a percent
  }
  CHECK(compare_translations(31, "https://a.herd/7").contradicted > 250);  // pages about another topic
}

TEST_CASE("the language of a few words is recognised by their letters") {
  CHECK(bits_against(Language::german, "Schnelle Wohnungsreinigung").value() == 0.0);
  CHECK(bits_against(Language::english, "Schnelle Wohnungsreinigung").value() > 18.0);
  CHECK(bits_against(Language::english, "Growing fresh things with nothing").value() == 0.0);
  CHECK(bits_against(Language::french, "Growing fresh things with nothing").value() > 18.0);
  CHECK(bits_against(Language::english, "").value() == 0.0);
  CHECK_FALSE(bits_against(Language::chinese, "从零开始").has_value());
  CHECK(bits_against(Language::german, "\xFF\xC3 \xE6\xB3 12 GPT4").has_value());
}

TEST_CASE("one entry that agrees is enough and images are not compared") {
  const Row row{"", "", "https://a.herd/7", nullptr, "Lucky Spins Casino", casino, true};
  const LinkOccurrence other = entry_of("Writing a Compiler with Type Inference");
  const LinkOccurrence agreeing = entry_of("Lucky Spins: slots and roulette");
  CHECK(look({other}, row).has_value());
  CHECK(look({entry_of("here"), other}, row).has_value());
  CHECK_FALSE(look({other, agreeing}, row).has_value());
  CHECK_FALSE(look({agreeing, other}, row).has_value());
  CHECK_FALSE(look({entry_of(other.text.c_str(), LinkElement::image)}, row).has_value());
  CHECK_FALSE(look({}, row).has_value());
}

TEST_CASE("a content mismatch makes a link suspect and several on one domain raise the confidence") {
  const storage::Verdict there{storage::Health::alive, "ok", "status", "HTTP 200.", 1.0};
  const ContentMismatch found{"Writing a Compiler", 5, 0, 0.65};
  MismatchEvaluator content;
  const storage::Verdict first =
      content.evaluate(there, found, parser::Url::parse("https://www.sold.herd/1").value(), "Lucky Spins");
  CHECK(first.health == storage::Health::suspect);
  CHECK(first.reason == "other_content");
  CHECK(first.rule == "entry");
  CHECK(first.confidence == doctest::Approx(0.65));
  CHECK(first.evidence ==
        "HTTP 200, but the entry says \"Writing a Compiler\" and the page is titled \"Lucky Spins\": the page "
        "has none of the entry's 5 words.");
  storage::Verdict last = first;
  for (const char* url : {"https://sold.herd/2", "https://blog.sold.herd/3"}) {
    last = content.evaluate(there, found, parser::Url::parse(url).value(), "Lucky Spins");
  }
  CHECK(last.confidence == doctest::Approx(0.75));
  CHECK(last.evidence.find("So far 3 links to this domain have this problem, all with the same title.") !=
        std::string::npos);
  for (int i = 0; i < 20; ++i)
    last = content.evaluate(there, found, parser::Url::parse("https://sold.herd/4").value(), "");
  CHECK(last.confidence < storage::sure_of_death);
  CHECK(last.evidence.find("same title") == std::string::npos);
  CHECK(content.evaluate(there, found, parser::Url::parse("https://other.herd/").value(), "x").confidence ==
        doctest::Approx(0.65));
}

TEST_CASE("texts of any length and bytes are compared in bounded time") {
  const std::string words = [] {
    std::string all;
    for (int i = 0; i < 20'000; ++i) all += "word" + std::to_string(i) + " \xE6\xB3\xA8\xE6\x84\x8F\xFF ";
    return all;
  }();
  const Row row{"", "", "https://a.herd/%ff%00%e4", nullptr, words.c_str(), words.c_str(), false};
  CHECK_FALSE(look({entry_of(words.c_str())}, row).has_value());
}

TEST_CASE("an entry with a single name is compared by its description") {
  struct Described {
    const char* what;
    const char* text;
    const char* description;
    const char* url;
    const char* title;
    const char* page;
    bool contradicted;
  };
  const std::vector<Described> rows{
      {"a casino on its domain", "Puzzler", "Allocation of variables by puzzle solving in Haskell",
       "https://puzzler.herd/", "Lucky Spins Casino", casino, true},
      {"a casino elsewhere", "Puzzler", "Allocation of variables by puzzle solving in Haskell", "https://a.herd/x7",
       "Lucky Spins Casino", casino, true},
      {"an address as the text", "puzzler.herd", "Allocation of variables by puzzle solving in Haskell",
       "https://puzzler.herd/", "Lucky Spins Casino", casino, true},
      {"a casino in another language on its domain", "Puzzler", "Allocation of variables by puzzle solving in Haskell",
       "https://puzzler.herd/", "Glücksspiel Casino online", german_casino, true},
      {"a page in another language", "Puzzler", "Allocation of variables by puzzle solving in Haskell",
       "https://a.herd/x7", "Glücksspiel Casino online", german_casino, false},
      {"one of six words somewhere in the text", "Puzzler", "Allocation of live variables by puzzle solving in Haskell",
       "https://a.herd/x7", "Lucky Spins Casino", casino, true},
      {"one of four words somewhere in the text", "Puzzler", "Puzzle solving with tables in Haskell",
       "https://a.herd/x7", "Lucky Spins Casino", casino, false},
      {"a page in another script", "Puzzler", "Allocation of variables by puzzle solving in Haskell",
       "https://puzzler.herd/", "澳门娱乐城", chinese_casino, false},
      {"its name in the title", "Puzzler", "Allocation of variables by puzzle solving in Haskell",
       "https://puzzler.herd/", "The Puzzler Casino", casino, false},
      {"its name somewhere in the text", "Baccarat", "Allocation of variables by puzzle solving in Haskell",
       "https://a.herd/x7", "Lucky Spins", casino, false},
      {"a renamed product that is still described so", "Puzzler",
       "Allocation of variables by puzzle solving in Haskell", "https://puzzler.herd/", "Assembly Studio", compilers,
       false},
      {"a description of few words", "Puzzler", "Allocation puzzle", "https://puzzler.herd/", "Lucky Spins Casino",
       casino, false},
      {"a long text that only its description confirms", "Puzzles for Patient Gardeners",
       "a generational garbage collector", "https://a.herd/7", "Chapter 7", compilers, false},
      {"a text that its URL names, described in another script", "Puzzle Solving", "寄存器分配的解谜方法",
       "https://a.herd/puzzle", "Lucky Spins Casino", casino, false},
      {"a shell", "Puzzler", "Allocation of variables by puzzle solving in Haskell", "https://puzzler.herd/", "App",
       "You need to enable JavaScript to run this app.", false},
  };
  for (const Described& row : rows) {
    CAPTURE(std::string(row.what));
    LinkOccurrence entry = entry_of(row.text);
    entry.description = row.description;
    const auto found = look({entry}, {"", "", row.url, nullptr, row.title, row.page, false});
    CHECK(found.has_value() == row.contradicted);
    if (found) CHECK(found->entry == std::string(row.text) + " - " + row.description);
  }
}

TEST_CASE("common words confirm an entry only in the title of the page") {
  const auto finds = [](const char* title) {
    LinkOccurrence entry = entry_of("Better days ahead: puzzles, tulips and harvest");
    return look({entry}, {"", "", "https://a.herd/7", nullptr, title, casino, false}).has_value();
  };
  CHECK(finds("Lucky Spins Casino"));
  CHECK_FALSE(finds("Better days ahead"));
}

TEST_CASE("words are stemmed and Chinese is read in pairs of characters") {
  std::vector<std::string> seen;
  for_each_word("Optimising GPT-4，注意力机", [&seen](const Word& word) { seen.emplace_back(word.text); });
  CHECK(seen == std::vector<std::string>{"Optimising", "GPT", "4", "注意", "意力", "力机"});
  std::vector<std::uint64_t> stems;
  for_each_word("optimise OPTIMISING other Ökonomie ökonomisch",
                [&stems](const Word& word) { stems.push_back(word.stem); });
  REQUIRE(stems.size() == 5);
  CHECK(stems[0] == stems[1]);
  CHECK(stems[0] != stems[2]);
  CHECK(stems[3] == stems[4]);
}

TEST_CASE("languages are recognised by their function words or their script") {
  struct Sample {
    const char* text;
    Language language;
  };
  const std::vector<Sample> samples{{"How to write a compiler", Language::english},
                                    {"Wie man das nicht macht", Language::german},
                                    {"Compiler", Language::unknown},
                                    {"Your life – das Leben", Language::unknown},
                                    {"Zjawisko na niebie, potem błysk", Language::polish},
                                    {"Transformer模型详解", Language::chinese},
                                    {"コンパイラを書く", Language::japanese},
                                    {"Как написать компилятор", Language::cyrillic},
                                    {"컴파일러 만들기", Language::korean}};
  for (const Sample& sample : samples) {
    CAPTURE(std::string(sample.text));
    LanguageGuess guess;
    for_each_word(sample.text, [&guess](const Word& word) { guess.add(word); });
    CHECK(guess.of_entry() == sample.language);
  }
}
