// Bylines of many languages, as the line under the headline of a page.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/metadata/extract_fixture.h"

using namespace linkherd::parser;
using Names = std::vector<std::string>;

namespace {

struct BylineFormsRow {
  std::string_view text;
  Names authors;
};

std::string page_with(std::string_view line) {
  return "<title>Fish and chips in spring - Daily Food</title><body><main><h1>Fish and chips in spring</h1>" +
         std::string(line) + "<p>The first fish of the year is sold on the market, and the chips are fresh.</main>";
}

}  // namespace

TEST_CASE("bylines of many languages are read, with and without a class that marks them") {
  const std::vector<BylineFormsRow> rows{
      {"By Jane Doe", {"Jane Doe"}},
      {"Written by Jane Doe", {"Jane Doe"}},
      {"Submitted by Jane Doe", {"Jane Doe"}},
      {"Analysis by Jane Doe", {"Jane Doe"}},
      {"Words: Jane Doe", {"Jane Doe"}},
      {"Edited by Jane Doe", {}},
      {"Illustrated by Jane Doe", {}},
      {"Photographer: Jane Doe", {}},
      {"Von Max Mustermann", {"Max Mustermann"}},
      {"Autorin: Erika Mustermann", {"Erika Mustermann"}},
      {"Ein Kommentar von Max Mustermann", {"Max Mustermann"}},
      {"Texte : Jean Martin", {"Jean Martin"}},
      {"Rédigé par Jean Martin", {"Jean Martin"}},
      {"Redacción: Ana López", {"Ana López"}},
      {"Escrito por Ana López", {"Ana López"}},
      {"Reportagem: Rui Costa", {"Rui Costa"}},
      {"Testo di Anna Bianchi", {"Anna Bianchi"}},
      {"a cura di Anna Bianchi", {"Anna Bianchi"}},
      {"Tekst: Piet Bakker", {"Piet Bakker"}},
      {"Geschreven door Piet Bakker", {"Piet Bakker"}},
      {"Av Karin Ek", {"Karin Ek"}},
      {"Skrivet av Karin Ek", {"Karin Ek"}},
      {"Tekst af Mette Juhl", {"Mette Juhl"}},
      {"Journalist: Kari Moe", {"Kari Moe"}},
      {"Höfundur: Jón Jónsson", {"Jón Jónsson"}},
      {"Teksti: Matti Virta", {"Matti Virta"}},
      {"Kirjoittanut Matti Virta", {"Matti Virta"}},
      {"Tekst: Mari Tamm", {"Mari Tamm"}},
      {"Autors: Jānis Ozols", {"Jānis Ozols"}},
      {"Autorius: Jonas Petraitis", {"Jonas Petraitis"}},
      {"Napisała Ewa Nowak", {"Ewa Nowak"}},
      {"Opracowanie: Ewa Nowak", {"Ewa Nowak"}},
      {"Napsal Petr Dvořák", {"Petr Dvořák"}},
      {"Napísala Eva Horváthová", {"Eva Horváthová"}},
      {"Piše: Marko Horvat", {"Marko Horvat"}},
      {"Пише: Марко Петровић", {"Марко Петровић"}},
      {"Szerző: Nagy Anna", {"Nagy Anna"}},
      {"Scris de Ion Popescu", {"Ion Popescu"}},
      {"Συντάκτης: Μαρία Νίκου", {"Μαρία Νίκου"}},
      {"Της Μαρίας Νίκου", {"Μαρίας Νίκου"}},
      {"Shkruar nga Arben Hoxha", {"Arben Hoxha"}},
      {"Автор: Анна Смирнова", {"Анна Смирнова"}},
      {"АВТОР: Анна Смирнова", {"Анна Смирнова"}},
      {"Подготовила Анна Смирнова", {"Анна Смирнова"}},
      {"Текст: Олена Коваль", {"Олена Коваль"}},
      {"Аўтар: Янка Купрын", {"Янка Купрын"}},
      {"Репортер: Мария Иванова", {"Мария Иванова"}},
      {"Muhabir: Ayşe Kaya", {"Ayşe Kaya"}},
      {"Kaleme alan: Ayşe Kaya", {"Ayşe Kaya"}},
      {"Müəllif: Leyla Əliyeva", {"Leyla Əliyeva"}},
      {"ავტორი: ნინო ბერიძე", {"ნინო ბერიძე"}},
      {"Հեղինակ՝ Անի Պետրոսյան", {"Անի Պետրոսյան"}},
      {"Ditulis oleh Dewi Lestari", {"Dewi Lestari"}},
      {"Wartawan: Siti Aminah", {"Siti Aminah"}},
      {"Tác giả: Nguyễn Văn An", {"Nguyễn Văn An"}},
      {"Bởi Nguyễn Văn An", {"Nguyễn Văn An"}},
      {"מאת: דנה לוי", {"דנה לוי"}},
      {"נכתב על ידי דנה לוי", {"דנה לוי"}},
      {"كتب: سامي حسن", {"سامي حسن"}},
      {"إعداد: سامي حسن", {"سامي حسن"}},
      {"به قلم مینا احمدی", {"مینا احمدی"}},
      {"خبرنگار: مینا احمدی", {"مینا احمدی"}},
      {"تحریر: سارہ خان", {"سارہ خان"}},
      {"रिपोर्टर: सीता शर्मा", {"सीता शर्मा"}},
      {"লেখক: রহিম উদ্দিন", {"রহিম উদ্দিন"}},
      {"எழுதியவர்: மீனா குமார்", {"மீனா குமார்"}},
      {"ผู้เขียน: มานี รักดี", {"มานี รักดี"}},
      {"เขียนโดย มานี รักดี", {"มานี รักดี"}},
      {"글쓴이: 김철수", {"김철수"}},
      {"김철수 기자", {"김철수"}},
      {"筆者：鈴木花子", {"鈴木花子"}},
      {"ライター：鈴木花子", {"鈴木花子"}},
      {"取材・文：鈴木花子", {"鈴木花子"}},
      {"著者 鈴木花子", {"鈴木花子"}},
      {"執筆 鈴木花子", {"鈴木花子"}},
      {"執筆者 鈴木花子", {"鈴木花子"}},
      {"ライター 鈴木花子", {"鈴木花子"}},
      {"記者李小華／高雄報導", {"李小華"}},
      {"记者 李小华", {"李小华"}},
      {"撰稿：李小华", {"李小华"}},
      {"责任编辑：李小华", {}},
  };
  for (const auto& [text, authors] : rows) {
    CAPTURE(text);
    const std::string line(text);
    CHECK(names_of(metadata_of(page_with("<p>" + line + "</p>")).authors) == authors);
    CHECK(names_of(metadata_of(page_with("<div class=byline>" + line + "</div>")).authors) == authors);
    CHECK(names_of(metadata_of(page_with("<div><span>" + line + "</span> <span>Food</span></div>")).authors) ==
          authors);
  }
}

TEST_CASE("words that introduce an author near the headline have no meaning elsewhere") {
  std::string far;
  for (int i = 0; i < 80; ++i) far += "<p>x</p>";
  for (const std::string_view line : {"Av Karin Ek", "Texto: Ana López", "От Мария Иванова", "By Jane Doe"}) {
    CAPTURE(line);
    CHECK(names_of(metadata_of(page_with(far + "<p>" + std::string(line) + "</p>")).authors).empty());
  }
  CHECK(names_of(metadata_of(page_with(far + "<p>Автор: Анна Смирнова</p>")).authors) == Names{"Анна Смирнова"});
}

TEST_CASE("an unknown word in lower case before a marked name is not part of it") {
  CHECK(names_of(metadata_of(page_with("<div class=byline>sepsa Ana López</div>")).authors) == Names{"Ana López"});
  CHECK(names_of(metadata_of(page_with("<div class=byline>van der Berg</div>")).authors) == Names{"van der Berg"});
}

TEST_CASE("the name of an author is whole, and ends before a date") {
  for (const auto& [line, authors] : std::vector<BylineFormsRow>{
           {"<div class=author><span class=first-name>Jane E.</span> <span class=last-name>Doe</span></div>",
            {"Jane E. Doe"}},
           {"<div class=author><span>Jane E.</span> <span>Doe</span></div>", {"Jane E. Doe"}},
           {"<div class=author>JANE DOE<time>March 5, 2024</time></div>", {"JANE DOE"}},
           {"<p>By Jane Doe<span class=date>March 5, 2024</span></p>", {"Jane Doe"}},
           {"<div class=author>Jane Doe, Special to Daily Food</div>", {"Jane Doe"}},
           {"<div class=author>By Jane Doe Special to Daily Food</div>", {"Jane Doe"}},
           {"<div class=author>JANE DOE SPECIAL TO DAILY FOOD</div>", {"JANE DOE"}},
           {"<div class=author>By jane von doe</div>", {"jane von doe"}},
           {"<div class=author>gunilla av heland</div>", {"gunilla av heland"}},
           {"<p>By jane von doe</p>", {"jane von doe"}},
           {"<p>By the people of doe</p>", {}},
           {"<div class=author>sport von Jane Doe</div>", {"Jane Doe"}},
           {"<div class=author>Jane (Janie) Doe</div>", {"Jane (Janie) Doe"}},
           {"<div class=author>Jane Doe (Berlin)</div>", {"Jane Doe"}},
           {"<div class=author>Jane Doe (Berlin) in Bonn</div>", {"Jane Doe"}},
           {"<div class=author>Jane Doe (food and drinks) News</div>", {"Jane Doe"}},
           {"<span itemprop=author>Jane Doe</span> and <span itemprop=author>John Roe</span>",
            {"Jane Doe", "John Roe"}},
       }) {
    CAPTURE(line);
    CHECK(names_of(metadata_of(page_with(line)).authors) == authors);
  }
}

TEST_CASE("a label in an element of its own says that the next person is no author") {
  for (const std::string_view label :
       {"Fact-checked by", "Reviewed by", "Medically reviewed by", "Data analysis by", "Edited by", "Photos by",
        "Verified by", "Tested by", "Geprüft von", "Revisado por"}) {
    CAPTURE(label);
    const std::string other =
        "<p class=authors><span>" + std::string(label) + "</span> <a href=/author/john>John Roe</a></p>";
    CHECK(names_of(metadata_of(page_with(other)).authors).empty());
    CHECK(names_of(metadata_of(page_with("<p class=authors><a href=/author/jane>Jane Doe</a></p>" + other)).authors) ==
          Names{"Jane Doe"});
    CHECK(names_of(metadata_of(page_with("<p><b class=author>Jane Doe</b> <i>" + std::string(label) +
                                         "</i> <b class=author>John Roe</b></p>"))
                       .authors) == Names{"Jane Doe"});
  }
  CHECK(names_of(metadata_of(page_with("<p class=authors><span>Written by</span> <a href=/author/john>John Roe</a>"))
                     .authors) == Names{"John Roe"});
}

TEST_CASE("an author element far from the first is that of another text") {
  const std::string text(400, 'x');
  CHECK(names_of(metadata_of(page_with("<p><span itemprop=author>Jane Doe</span>" + text +
                                       "</p><p><span itemprop=author>John Roe</span></p>"))
                     .authors) == Names{"Jane Doe"});
  // A list of authors may have their biographies.
  CHECK(names_of(metadata_of(page_with("<ul><li itemprop=author><b itemprop=name>Jane Doe</b>" + text +
                                       "</li><li itemprop=author><b itemprop=name>John Roe</b></li></ul>"))
                     .authors) == Names{"Jane Doe", "John Roe"});
}

TEST_CASE("an element that is called author may have no name") {
  for (const std::string_view text : {"read more...",
                                      "Source：Daily Food Online",
                                      "分享到",
                                      "Topic Author",
                                      "Thread Starter",
                                      "et al.",
                                      "a firm for the joy of cooking",
                                      "5 min read",
                                      "Share this",
                                      "Subscribe",
                                      "Reading time: 5 minutes",
                                      "Contributing Writer",
                                      "Managing Editor",
                                      "Sponsored Content",
                                      "10:32 AM",
                                      "3分钟前",
                                      "昨天 10:20",
                                      "2024年3月5日",
                                      "About the author",
                                      "Über den Autor",
                                      "Об авторе",
                                      "作者简介",
                                      "Comments",
                                      "Print",
                                      "来源：新华社",
                                      "Journalist",
                                      "Chefredakteur",
                                      "Журналист",
                                      "本报记者",
                                      "责任编辑",
                                      "London",
                                      "NEW YORK (Daily Food)",
                                      "Washington, D.C.",
                                      "Berlin, Germany",
                                      "北京",
                                      "Penguin Press",
                                      "Oxford University Press",
                                      "Springer Nature",
                                      "Éditions du Port",
                                      "人民文学出版社",
                                      "分享到微信",
                                      "al."}) {
    CAPTURE(text);
    CHECK(names_of(metadata_of(page_with("<div class=author>" + std::string(text) + "</div>")).authors).empty());
  }
}

TEST_CASE("a person is an author beside a text that is no name, and with a name that is a word") {
  for (const std::string_view text : {"10:32", "About the author", "来源：新华社", "London", "Penguin Press", "al."}) {
    CAPTURE(text);
    CHECK(names_of(
              metadata_of(page_with("<div class=author>" + std::string(text) + "</div><p>By Jane Doe</p>")).authors) ==
          Names{"Jane Doe"});
  }
  for (const auto& [line, authors] : std::vector<BylineFormsRow>{
           {"Jack London", {"Jack London"}},
           {"Paris Hilton", {"Paris Hilton"}},
           {"Sydney", {"Sydney"}},
           {"Jane Doe, London", {"Jane Doe"}},
           {"Jane Doe Staff Writer", {"Jane Doe"}},
           {"The Daily Post Reporter", {"The Daily Post Reporter"}},
           {"Associated Press", {"Associated Press"}},
           {"Jane Doe, Associated Press", {"Jane Doe"}},
           {"Redaktion", {"Redaktion"}},
       }) {
    CAPTURE(line);
    CHECK(names_of(metadata_of(page_with("<div class=author>" + std::string(line) + "</div>")).authors) == authors);
  }
}

TEST_CASE("a site or an organisation is no author beside a person") {
  CHECK(names_of(metadata_of(page_with("<a rel=author>Jane Doe</a>, <a rel=author>The Food Institute</a>")).authors) ==
        Names{"Jane Doe"});
  CHECK(names_of(metadata_of(page_with("<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"author\":"
                                       "{\"name\":\"Daily Food\"}}</script><p>By Jane Doe</p>"),
                             "https://dailyfood.example/fish")
                     .authors) == Names{"Jane Doe"});
  CHECK(names_of(metadata_of(page_with("<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"author\":"
                                       "{\"name\":\"Daily Food\"}}</script>"),
                             "https://dailyfood.example/fish")
                     .authors) == Names{"Daily Food"});
}

TEST_CASE("the author of a thread is that of its first post") {
  const auto thread = [](std::string_view posts) {
    return "<title>Which fish? - Food Forum</title><body><div class=visitor><a class=username href=/members/me>me</a>"
           "</div><h1>Which fish?</h1>" +
           std::string(posts);
  };
  for (const std::string_view posts : {
           "<div class=postprofile><a class=username href=/memberlist.php?mode=viewprofile&u=1>bob</a></div><p>Hi</p>"
           "<div class=postprofile><a class=username>eve</a></div>",
           "<div class=author_information><strong><a href=/user-1.html>bob</a></strong> Big Owner</div>",
           "<div class=postleft><dl><dt><strong>bob</strong></dt><dd>Member</dd></dl></div>",
           "<div class=author>Topic Author</div><h3 class=PostUser-name>bob</h3>",
           "<div class=author>#1 Post by bob » April 5, 2023</div>",
           "<div class=author>bob <em>Thread Starter</em></div><p>Hi</p><div class=author>eve</div>",
           "<div class=author><b>Topic Author</b> bob</div><p>Hi</p><div class=author>eve</div>",
           "<div class=author>bob <i>楼主</i></div><p>Hi</p><div class=author>eve <i>2楼</i></div>",
           "<div><a href=/users/bob>bob</a> <a href=/users/eve>eve</a></div>",
           "<script type=application/ld+json>{\"@type\":\"QAPage\",\"mainEntity\":{\"@type\":\"Question\",\"name\":"
           "\"Which fish?\",\"author\":{\"@type\":\"Person\",\"name\":\"bob\"},\"suggestedAnswer\":[{\"author\":"
           "{\"name\":\"eve\"}}]}}</script>",
       }) {
    CAPTURE(posts);
    CHECK(names_of(metadata_of(thread(posts), "https://food.example/forum/thread/1").authors) == Names{"bob"});
  }
  // Other pages have links to users too.
  CHECK(names_of(metadata_of(thread("<a href=/users/bob>bob</a>"), "https://food.example/fish").authors).empty());
}

TEST_CASE("the date of a thread is that of its first post") {
  const auto published = [](std::string_view data) {
    return text_of(metadata_of("<title>Which fish?</title><h1>Which fish?</h1><script type=application/ld+json>" +
                                   std::string(data) + "</script>",
                               "https://food.example/forum/thread/1")
                       .published);
  };
  CHECK(published(R"({"@type":"QAPage","datePublished":"2026-01-01","mainEntity":{"@type":"Question",
                      "dateCreated":"2023-04-05","acceptedAnswer":{"dateCreated":"2023-04-06"}}})") == "2023-04-05");
  CHECK(published(R"([{"@type":"WebPage","datePublished":"2026-01-01"},{"@type":"DiscussionForumPosting",
                      "dateCreated":"2023-04-05","comment":[{"@type":"Comment","dateCreated":"2023-04-06"}]}])") ==
        "2023-04-05");
}

TEST_CASE("questions that are parts of a page do not describe it") {
  CHECK(
      text_of(metadata_of("<title>Fish - Daily Food</title><h1>Fish</h1><script type=application/ld+json>{\"@type\":"
                          "\"FAQPage\",\"mainEntity\":[{\"@type\":\"Question\",\"name\":\"Is fish fresh?\"}]}</script>")
                  .title) == "Fish");
}
