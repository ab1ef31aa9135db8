#include "parser/metadata/extract_metadata.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/charset.h"
#include "parser/utf8.h"
#include "tests/parser/metadata/extract_fixture.h"

using namespace linkherd::parser;
using Names = std::vector<std::string>;

TEST_CASE("a page without metadata has none") {
  const Metadata metadata = metadata_of("<p>Nothing here.");
  CHECK(metadata == Metadata());
}

TEST_CASE("the headline that the head confirms is the title") {
  struct Row {
    std::string_view page;
    std::string_view title;
    std::string_view source;
  };
  for (const auto& [page, title, source] : std::vector<Row>{
           {"<title>Fish and Chips - The Daily Site</title><h1>Fish and Chips</h1>", "Fish and Chips", "h1"},
           {"<title>Fish and Chips - The Daily Site</title><meta property=og:site_name content='The Daily Site'>",
            "Fish and Chips", "title"},
           {"<title>Fish - and chips</title>", "Fish - and chips", "title"},
           {"<title>Site</title><h1>Fish and Chips</h1><meta property=og:title content='Fish and Chips!'>",
            "Fish and Chips", "h1"},
           {"<h1>The Daily Site</h1><h1>Fish and Chips</h1><title>Fish and Chips | The Daily Site</title>"
            "<meta property=og:site_name content='The Daily Site'>",
            "Fish and Chips", "h1"},
           {"<meta property=og:title content='Fish &amp;amp; Chips'>", "Fish & Chips", "meta:og:title"},
           {"<title>Notion – The all-in-one workspace for your notes, tasks, wikis, and databases.</title>", "none",
            ""},
           {"<title> \n </title>", "none", ""},
           {"<title>Only\xC2\xA0 heading</title>", "Only heading", "title"},
           {"<h1>Modules<a href=#m>¶</a></h1><title>Modules — Docs 1.0</title>", "Modules", "h1"},
           {"<h1>Modules<a href=#m>¶</a></h1><title>Modules — The Long Documentation of Docs (1.0)</title>", "Modules",
            "h1"},
           // Some pages have another title for search engines.
           {"<title>Best Fish 2024</title><h1>Where to buy the best fish</h1>", "Where to buy the best fish", "h1"},
           {"<title>Best Fish 2024</title><h1>Welcome!</h1>", "Best Fish 2024", "title"},
           {"<title>Best Fish 2024</title><h1>The best fish</h1><h1>The best chips</h1>", "Best Fish 2024", "title"},
           {"<title>Fish News</title><h1>The Fish Times</h1><h2>Fish News</h2>", "Fish News", "h2"},
           // One of the headings is the name of the site.
           {"<title>Daily Food: Fish and Chips</title><h1>Daily Food</h1><h3 class=post-title>Fish and Chips</h3>",
            "Fish and Chips", "headline"},
           {"<title>Fish and Chips | Daily Food</title><h1>Daily Food</h1><h2>Fish and Chips</h2>", "Fish and Chips",
            "h2"},
           {"<title>Daily Food: Fish and Chips</title><h1>Daily Food</h1><h2>Fish and Chips</h2>"
            "<meta property=og:title content='Fish and Chips'>",
            "Fish and Chips", "h2"},
           // The part after the last "|" is the name of the site, even if it is the only heading.
           {"<title>Fish and Chips | The Food Office of the County</title><h2>The Food Office of the County</h2>",
            "Fish and Chips", "title"},
           {"<title>Browse the fish: Fish and Chips | Food Pages</title><h1>Food Pages</h1><h2>Fish and Chips</h2>",
            "Fish and Chips", "h2"},
           {"<title>Food Pages | Fish and Chips</title><h1>Fish and Chips</h1>"
            "<meta property=og:title content='Fish and Chips'>",
            "Fish and Chips", "h1"},
           // A kicker is not part of the title.
           {"<title>Food: Fish and Chips | News</title><h1><span>Food</span> <span class=headline>Fish and "
            "Chips</span></h1>",
            "Fish and Chips", "headline"},
           // Nor is a category, a date or a source next to it, if the head has the title without it.
           {"<title>Fish and Chips</title><h1><span>Food</span> Fish and Chips</h1>", "Fish and Chips", "h1:part"},
           {"<title>Fish and Chips</title><h1>Fish and Chips <time>5 March</time></h1>", "Fish and Chips", "h1:part"},
           {"<title>Fish and Chips</title><h1><b class=headline>Fish and Chips</b> (food.example)</h1>",
            "Fish and Chips", "headline"},
           {"<title>5. Fish and Chips</title><h1><span>5.</span> Fish and Chips</h1>", "5. Fish and Chips", "h1"},
           {"<title>Food, fish</title><h1><span>Food</span>, fish</h1><meta property=og:title content=fish>",
            "Food, fish", "h1"},
           // The reading aid of characters (ruby) is not part of the title.
           {"<title>東京の水</title><h1><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>の水</h1>", "東京の水",
            "h1"},
           // If h1, og:title and the beginning of <title> agree on a text, it is not the name of the site.
           {"<title>Fish and more chips | Daily Food</title><h1>Fish and more chips</h1><meta property=og:title "
            "content='Fish and more chips'><meta property=og:site_name content='Fish and more chips'>",
            "Fish and more chips", "h1"},
           // A program had no title.
           {"<title>- 铜雀</title><h1>赤壁的故事</h1>", "赤壁的故事", "h1"},
           {"<title>赤壁的故事-中国历史网</title>", "赤壁的故事", "title"},
           // The head has only the site, or the headline and then the site.
           {"<title>Daily Food</title><meta property=og:site_name content='Daily Food'><h1>Fish and chips</h1>",
            "Fish and chips", "h1"},
           {"<title>| Daily Food</title><h1>Fish and chips</h1>", "Fish and chips", "h1"},
           {"<title>Fish and chips_Daily Food</title><h1>Fish and chips</h1>", "Fish and chips", "h1"},
           {"<title>赤壁的故事_铜雀网</title><h1>赤壁的故事</h1>", "赤壁的故事", "h1"},
           {"<title>赤壁的故事-铜雀</title><h1>赤壁的故事</h1>", "赤壁的故事", "h1"},
           // Buttons, counts, states and ratings are no part of a title.
           {"<title>Fish in Food</title><h1>Fish <button>Copy path</button></h1>", "Fish", "h1"},
           {"<title>Fresh fish</title><h1>Fresh fish (158 items)</h1>", "Fresh fish", "h1"},
           {"<title>Fresh fish (2024)</title><h1>Fresh fish (2024)</h1>", "Fresh fish (2024)", "h1"},
           {"<title>Is fish fresh? [duplicate]</title>", "Is fish fresh?", "title"},
           {"<title>The Fish (2012) ⭐ 7.8 | Comedy</title>", "The Fish (2012)", "title"},
           // Chinese and Japanese have no spaces between the words that two titles share.
           {"<title>铜雀台旅游攻略大全</title><h1>春天的铜雀台</h1>", "春天的铜雀台", "h1"},
           {"<title>铜雀台旅游攻略大全</title><h1>欢迎光临</h1>", "铜雀台旅游攻略大全", "title"},
           // A line replaces the missing heading.
           {"<title>Fish and Chips - Our Little Food Forum</title><b>Fish and Chips</b>", "Fish and Chips", "line"},
       }) {
    CAPTURE(page);
    const Metadata metadata = metadata_of(page);
    CHECK(text_of(metadata.title) == title);
    if (metadata.title) CHECK(metadata.title->source == source);
  }
}

TEST_CASE("titles of walls against programs are no titles") {
  const auto title_of = [](std::string_view title, std::string_view text) {
    return text_of(metadata_of("<title>" + std::string(title) + "</title><h1>" + std::string(title) + "</h1><p>" +
                                   std::string(text),
                               "https://dailyfood.example/fish")
                       .title);
  };
  for (const std::string_view title :
       {"Checking your browser…", "Checking your browser before accessing food.example", "Nur einen Moment…",
        "Bir dakika lütfen...", "请稍候…", "Access to this page has been denied.", "Making sure you're not a bot!",
        "Daily Food - Are you a robot?", "Request unsuccessful. Incapsula incident ID: 123", "503 Service Unavailable",
        "Verificación de seguridad", "Проверка браузера", "Before you continue to Daily Food", "403 Forbidden",
        "Captcha", "Blocked", "验证码", "Daily Food: Robot Check", "Daily Food: Just a moment..."}) {
    CAPTURE(title);
    CHECK(title_of(title, "Please wait.") == "none");
  }
  const std::string text(1000, 'x');
  for (const std::string_view title : {"Captcha", "Blocked drains", "Are you human? A test", "Just a moment in time",
                                       "One more step to freedom", "The fish: are you human?"}) {
    CAPTURE(title);
    CHECK(title_of(title, text) == title);
  }
}

TEST_CASE("edit links, states, ratings, counts and page numbers behind a title are no part of it") {
  for (const auto& [written, title] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"历史[编辑]", "历史"},
           {"历史［编辑］", "历史"},
           {"历史[编辑 | 编辑源代码]", "历史"},
           {"History[edit]", "History"},
           {"History [edit | edit source]", "History"},
           {"Geschichte[Bearbeiten | Quelltext bearbeiten]", "Geschichte"},
           {"История[править | править код]", "История"},
           {"역사[편집]", "역사"},
           {"Is fish fresh? [duplicate]", "Is fish fresh?"},
           {"Is fish fresh? [SOLVED]", "Is fish fresh?"},
           {"¿Está fresco? [cerrada]", "¿Está fresco?"},
           {"魚は新鮮ですか [解決済み]", "魚は新鮮ですか"},
           {"Fish [a poem]", "Fish [a poem]"},
           {"Fish []", "Fish []"},
           {"The Fish (2012) ⭐ 7.8 | Comedy", "The Fish (2012)"},
           {"The Fish ★ 4.5", "The Fish"},
           {"The Fish ★★★★☆", "The Fish"},
           {"The Fish | ⭐️ 4.7 (123 reviews)", "The Fish"},
           {"Fish ★ Chips", "Fish ★ Chips"},
           {"⭐ The Fish", "⭐ The Fish"},
           {"Fresh fish (1,204 Produkte)", "Fresh fish"},
           {"Fresh fish - 158 items", "Fresh fish"},
           {"Fresh fish (1–24 of 158)", "Fresh fish"},
           {"Свежая рыба (158 товаров)", "Свежая рыба"},
           {"Fresh fish (2024)", "Fresh fish (2024)"},
           {"Best fish (2024 Reviews)", "Best fish (2024 Reviews)"},
           {"Fish in 12 items", "Fish in 12 items"},
           {"Fresh fish - Page 2 of 9", "Fresh fish"},
           {"Frischer Fisch (Seite 2)", "Frischer Fisch"},
           {"Fish | Page 2", "Fish"},
           {"Fish - Page two", "Fish - Page two"},
       }) {
    CAPTURE(written);
    const std::string page = "<h1>" + std::string(written) + "</h1><title>" + std::string(written) + "</title>";
    CHECK(text_of(metadata_of(page).title) == title);
  }
}

TEST_CASE("relative dates are ignored if the time of the fetch is unknown") {
  constexpr std::string_view page = "<h1>T</h1><p>3 days ago</p>";
  CHECK(text_of(metadata_of(page).published) == "2026-07-29");
  const linkherd::Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);
  CHECK(text_of(extract_metadata(HtmlDocument::parse(page), nullptr, now).published) == "none");
}

TEST_CASE("the title of a home page is the name of the site") {
  constexpr std::string_view page =
      "<title>Daily Food</title><meta property=og:site_name content='Daily Food'><h1>Top stories</h1>";
  CHECK(text_of(metadata_of(page, "https://food.example/").title) == "Daily Food");
  CHECK(text_of(metadata_of(page, "https://food.example/news").title) == "Top stories");
}

TEST_CASE("the word for a home page is no title") {
  struct Row {
    std::string_view page;
    std::string_view url;
    std::string_view title;
  };
  for (const auto& [page, url, title] : std::vector<Row>{
           {"<title>Home</title><h1>Fish for everyone</h1>", "https://food.example/", "Fish for everyone"},
           {"<title>Startseite</title>", "https://food.example/", "none"},
           {"<title>Home | Daily Food</title><meta property=og:site_name content='Daily Food'><h1>Fish</h1>",
            "https://food.example/about", "Fish"},
           // It stays before the name of the site if the page has no other title.
           {"<title>Home - Daily Food</title><meta property=og:site_name content='Daily Food'><h1>Welcome</h1>",
            "https://food.example/", "Home - Daily Food"},
           {"<title>Home cooking</title>", "https://food.example/", "Home cooking"},
       }) {
    CAPTURE(page);
    CHECK(text_of(metadata_of(page, url).title) == title);
  }
}

TEST_CASE("the title of a home page keeps the name before the slogan") {
  constexpr std::string_view page = "<title>Daily Food - Recipes for everyone</title><h1>Cook with us</h1>";
  CHECK(text_of(metadata_of(page, "https://dailyfood.example/").title) == "Daily Food - Recipes for everyone");
  CHECK(text_of(metadata_of(page, "https://dailyfood.example/recipes").title) == "Recipes for everyone");
  // A heading with the slogan is preferred, and a name at the end is removed.
  CHECK(text_of(metadata_of("<title>Recipes for everyone | Daily Food</title>", "https://dailyfood.example/").title) ==
        "Recipes for everyone");
}

TEST_CASE("the title of an offer or a list has no slogan and no name of the seller") {
  struct Row {
    std::string_view page;
    std::string_view url;
    std::string_view title;
  };
  for (const auto& [page, url, title] : std::vector<Row>{
           // A slogan follows a title that no heading repeats.
           {"<title>Payments | One platform for everything</title><h1>Grow</h1>", "https://pay.example/payments",
            "Payments"},
           {"<title>Fish | Step by step</title><h2>Fish | Step by step</h2>", "https://pay.example/fish",
            "Fish | Step by step"},
           // The host is named after the last part.
           {"<title>Winter checklist - Kangaroo Tyres</title>", "https://tyres.kangaroo.example/winter",
            "Winter checklist"},
           {"<title>Tan rug - Kangaroo US</title>", "https://kangaroo.example/rug", "Tan rug"},
           {"<title>Best mats - Kangaroo Mats</title>", "https://yokangaroomats.example/best", "Best mats"},
           {"<title>Tan rug - Kangaroos of the world unite again</title>", "https://kangaroo.example/rug",
            "Tan rug - Kangaroos of the world unite again"},
           {"<title>Tan rug - US</title>", "https://us.example/rug", "Tan rug - US"},
           // The first part of the title is a part of the heading.
           {"<title>Black Edition | Powder in bags | Huely</title><h1>Black Edition<span>Complete powder "
            "meal</span></h1>",
            "https://huel.example/p/1", "Black Edition"},
           {"<title>Charges | The Pay Reference of All</title><h1>Charges</h1><h1>Create a charge</h1>",
            "https://pay.example/api", "Charges"},
           // The heading is a slogan, and the address agrees with the head.
           {"<title>Finance and Accounting Staffing</title><h1>Finance talent that really counts</h1>",
            "https://jobs.example/us/accounting-finance", "Finance and Accounting Staffing"},
           {"<title>Camping tents for everyone</title><h1>Camping Tents</h1>", "https://shop.example/c/camping-tents/",
            "Camping Tents"},
           // A price that is set off, and parts that another title of the page lacks.
           {"<title>Blue Kettle - $24.99</title><h1>Blue Kettle - $24.99</h1>", "https://shop.example/p/1",
            "Blue Kettle"},
           {"<title>Blue Kettle – 24,99 €</title>", "https://shop.example/p/1", "Blue Kettle"},
           {"<title>Blue Kettle from £24</title>", "https://shop.example/p/1", "Blue Kettle"},
           {"<title>Чайник - 2 499 ₽</title>", "https://shop.example/p/1", "Чайник"},
           {"<title>Kettle</title><h1>Kettle USD 24.99</h1>", "https://shop.example/p/1", "Kettle"},
           {"<title>Kettles under $50</title><h1>Kettles under $50</h1>", "https://shop.example/p/1",
            "Kettles under $50"},
           {"<title>Kettles - $24.99</title><meta name=author content='Jane Doe'><h1>Kettles - $24.99</h1>",
            "https://shop.example/p/1", "Kettles - $24.99"},
           {"<title>Fresh fish</title><h1>Fresh fish (158)</h1>", "https://shop.example/c/1", "Fresh fish"},
           {"<title>Fresh fish</title><h1>158 results for Fresh fish</h1>", "https://shop.example/c/1", "Fresh fish"},
           {"<title>Fresh fish</title><h1>Fresh fish <small>158 Artikel</small></h1>", "https://shop.example/c/1",
            "Fresh fish"},
           {"<title>Fresh fish</title><h1>Category: Fresh fish</h1>", "https://shop.example/c/1", "Fresh fish"},
           {"<title>Fresh fish Archives - Daily Food</title><h1>Category: Fresh fish</h1>",
            "https://dailyfood.example/c", "Fresh fish"},
           {"<title>Category: Fish</title><h1>Category: Fish</h1>", "https://wiki.example/c/1", "Category: Fish"},
           {"<meta property=og:title content='Payments'><title>Pay</title><h1>Payments – One platform</h1>",
            "https://shop.example/x", "Payments"},
           // Articles have other titles for search engines.
           {"<title>Finance and Accounting Staffing</title><meta name=author content='Jane Doe'>"
            "<h1>Finance talent that really counts</h1><p>By Jane Doe</p>",
            "https://jobs.example/accounting-finance", "Finance talent that really counts"},
           {"<title>Jane Doe leaves the tags on her coat</title><h1>Jane Doe wore her coat four times</h1>",
            "https://style.example/jane-doe-leaves-tags-on-coat", "Jane Doe wore her coat four times"},
           {"<title>Finance and Accounting</title><h1>Finance that counts</h1>", "https://jobs.example/12345",
            "Finance that counts"},
       }) {
    CAPTURE(page);
    CHECK(text_of(metadata_of(page, url).title) == title);
  }
}

TEST_CASE("the title of a post in a social network is its text, and its author is in the title") {
  struct Row {
    std::string_view page;
    std::string_view url;
    std::string_view title;
    Names authors;
  };
  constexpr std::string_view x = "https://x.com/jane/status/1";
  constexpr std::string_view instagram = "https://www.instagram.com/p/abc/";
  constexpr std::string_view tiktok = "https://www.tiktok.com/@jane/video/1";
  for (const auto& [page, url, title, authors] : std::vector<Row>{
           {"<title>Jane Doe on X: \"Fish and chips https://t.co/abc\" / X</title>", x, "Fish and chips", {"Jane Doe"}},
           {"<title>Jane Doe (@jane) on X: \"Fish\"</title>", x, "Fish", {"Jane Doe"}},
           {"<title>Jane Doe on Twitter: “Fish” / Twitter</title>",
            "https://twitter.com/j/status/1",
            "Fish",
            {"Jane Doe"}},
           {"<title>Jane Doe auf X: „Fisch“ / X</title>", x, "Fisch", {"Jane Doe"}},
           {"<title>Jane Doe sur X : \"Poisson\" / X</title>", x, "Poisson", {"Jane Doe"}},
           {"<title>Jane Doe в X: «Рыба» / X</title>", x, "Рыба", {"Jane Doe"}},
           {"<title>X 上的 Jane Doe：“鱼” / X</title>", x, "鱼", {"Jane Doe"}},
           {"<title>Xユーザーの魚屋さん: 「魚」 / X</title>", x, "魚", {"魚屋"}},
           {"<title>X</title><meta property=og:title content='Jane Doe (@jane) on X'>"
            "<meta property=og:description content='“Fish”'>",
            x,
            "Fish",
            {"Jane Doe"}},
           {"<title>Jane Doe on Instagram: \"Fish\"</title>", instagram, "Fish", {"Jane Doe"}},
           {"<title>Jane Doe | Fish and chips | Instagram</title>", instagram, "Fish and chips", {"Jane Doe"}},
           {"<title>Instagram의 Jane Doe님 : \"물고기\"</title>", instagram, "물고기", {"Jane Doe"}},
           {"<title>Instagram</title><meta property=og:title content='Jane Doe on Instagram: \"Fish\"'>",
            instagram,
            "Fish",
            {"Jane Doe"}},
           {"<title>Jane Doe on TikTok: Fish | TikTok</title>", tiktok, "Fish", {"Jane Doe"}},
           {"<title>Fish | TikTok</title>", tiktok, "Fish", {"jane"}},
           {"<title>TikTok - Make Your Day</title><meta property=og:title content='Jane Doe on TikTok'>"
            "<meta property=og:description content=Fish>",
            tiktok,
            "Fish",
            {"Jane Doe"}},
           {"<title>Jane Doe (@jane) on Threads</title><meta property=og:description content=Fish>",
            "https://www.threads.net/@jane/post/1",
            "Fish",
            {"Jane Doe"}},
           // The address may be unknown.
           {"<title>Jane Doe on X: \"Fish\" / X</title>", "", "Fish", {"Jane Doe"}},
           {"<title>Jane Doe on X: a biography</title>", "", "Jane Doe on X: a biography", {}},
           // A post without text has the whole title.
           {"<title>Jane Doe on X: \"https://t.co/abc\" / X</title>",
            "",
            "Jane Doe on X: \"https://t.co/abc\" / X",
            {"Jane Doe"}},
           {"<title>Fish on TikTok</title>", "https://www.tiktok.com/discover/fish", "Fish on TikTok", {}},
           // An article may quote a post.
           {"<title>Jane Doe on X: \"We fish\"</title><h1>Jane Doe on X: \"We fish\"</h1><p class=author>John Roe</p>",
            "https://food.example/fish",
            "Jane Doe on X: \"We fish\"",
            {"John Roe"}},
       }) {
    CAPTURE(page);
    const Metadata metadata = metadata_of(page, url);
    CHECK(text_of(metadata.title) == title);
    CHECK(names_of(metadata.authors) == authors);
  }
}

TEST_CASE("sections with a heading about other texts give no author and no date") {
  constexpr std::string_view other = "<p class=author>John Roe</p><time datetime=2023-04-05>x</time>";
  for (const std::string_view heading : {"<h2>References</h2>", "<h3>3 Comments</h3>", "<h2>You may also like</h2>",
                                         "<div><h2>Related articles:</h2></div>", "<h2>Literatur</h2>",
                                         "<h2>Customer Reviews</h2>", "<h2>参考文献</h2>"}) {
    CAPTURE(heading);
    const auto page = [&](std::string_view after) {
      return metadata_of("<title>T</title><div><h1>Fish and chips</h1><p>x</p>" + std::string(heading) +
                         std::string(other) + std::string(after) + "</div>");
    };
    CHECK(names_of(page("").authors).empty());
    CHECK(text_of(page("").published) == "none");
    const Metadata metadata = page("<h2>About</h2><p class=author>Jane Doe</p><time datetime=2024-03-05>x</time>");
    CHECK(names_of(metadata.authors) == Names{"Jane Doe"});
    CHECK(text_of(metadata.published) == "2024-03-05");
  }
  // A heading in a container of its own ends a section that began with one.
  const std::string contained = "<h1>T</h1><div><h2>Related</h2></div>" + std::string(other) +
                                "<div><h2>Author</h2></div><p class=author>Jane Doe</p>";
  CHECK(names_of(metadata_of(contained).authors) == Names{"Jane Doe"});
  const Metadata metadata = metadata_of("<h1>T</h1><h2>Reviews of fish</h2>" + std::string(other));
  CHECK(names_of(metadata.authors) == Names{"John Roe"});
  CHECK(text_of(metadata.published) == "2023-04-05");
  CHECK(names_of(metadata_of("<h1>T</h1><ol class=references><li class=author>John Roe</ol>").authors).empty());
  CHECK(names_of(metadata_of("<h1>T</h1><div class=user-reviews><b class=author>John Roe</b></div>").authors).empty());
}

TEST_CASE("the JSON of parsely-page is read") {
  const Metadata metadata = metadata_of(
      "<meta name=parsely-page content='{\"title\":\"Fish\",\"pub_date\":\"2024-03-05T10:00:00Z\","
      "\"authors\":[\"Jane Doe\",\"John Roe\"]}'>");
  CHECK(text_of(metadata.title) == "Fish");
  CHECK(names_of(metadata.authors) == Names{"Jane Doe", "John Roe"});
  CHECK(text_of(metadata.published) == "2024-03-05T10:00:00Z");
  CHECK(names_of(metadata_of("<meta name=parsely-page content='{\"author\":\"Jane Doe\"}'>").authors) ==
        Names{"Jane Doe"});
  CHECK(names_of(metadata_of("<meta name=parsely-page content='{\"author\":[\"Jane Doe\",\"John Roe\"]}'>").authors) ==
        Names{"Jane Doe", "John Roe"});
  for (const std::string_view broken : {"", "[1]", "3", "{\"authors\":[{}],\"title\":[]}", "{\"pub_date\":{}"}) {
    CAPTURE(broken);
    CHECK(metadata_of("<meta name=parsely-page content='" + std::string(broken) + "'>") == Metadata());
  }
}

TEST_CASE("marked dates may be older than the web") {
  CHECK(text_of(metadata_of("<meta name=citation_date content=1948/07/01>").published) == "1948-07-01");
  CHECK(text_of(metadata_of("<h1>T</h1><p>July 1, 1948</p>").published) == "none");
  CHECK(text_of(metadata_of("<meta name=date content=1970-01-01>").published) == "none");
  CHECK(text_of(metadata_of("<h1>T</h1><time class=entry-date datetime=1948-07-01></time>").published) == "1948-07-01");
  CHECK(text_of(metadata_of("<h1>T</h1><time pubdate datetime=1948-07-01></time>").published) == "1948-07-01");
  CHECK(text_of(metadata_of("<h1>T</h1><time datetime=1948-07-01></time>").published) == "none");
}

TEST_CASE("a comment, a review or a reference gives no date") {
  for (const std::string_view begin : {"<div class=comments>", "<div id=comments>", "<ol class=commentlist>",
                                       "<div id=disqus_thread>", "<div class=reviews>", "<ol class=references>",
                                       "<div class=bibliography>", "<div itemprop=comment>", "<div itemprop=review>"}) {
    for (const std::string_view date : {"<time datetime=2023-04-05>x</time>", "<p class=date>April 5, 2023</p>"}) {
      CAPTURE(begin);
      CAPTURE(date);
      const std::string other = std::string(begin) + std::string(date) + "</div></ol>";
      CHECK(text_of(metadata_of("<h1>T</h1><p>x</p>" + other, "https://food.example/fish").published) == "none");
      CHECK(text_of(metadata_of("<h1>T</h1><p>March 5, 2023</p>" + other, "https://food.example/fish").published) ==
            "2023-03-05");
    }
  }
  // The posts of a thread may be called comments, and the head of an article has their number.
  constexpr std::string_view posts = "<h1>T</h1><div class=comments><p class=date>April 5, 2023</p></div>";
  CHECK(text_of(metadata_of(posts, "https://food.example/forum/thread/1").published) == "2023-04-05");
  constexpr std::string_view head =
      "<h1>T</h1><div class=comments><header><p class=date>April 5, 2023</p></header></div>";
  CHECK(text_of(metadata_of(head, "https://food.example/fish").published) == "2023-04-05");
  constexpr std::string_view count =
      "<header><h1>T</h1><div class='meta social-comments'><time datetime=2023-04-05>x</time></div></header>";
  CHECK(text_of(metadata_of(count, "https://food.example/fish").published) == "2023-04-05");
}

TEST_CASE("an archived copy is read as the page that it copies") {
  constexpr std::string_view page = "<title>Fish - Daily Food</title>";
  CHECK(text_of(metadata_of(page, "https://web.archive.org/web/2014/http://www.daily-food.example/2013/08/07/fish")
                    .title) == "Fish");
  CHECK(text_of(metadata_of(page, "https://web.archive.org/web/20140102/daily-food.example/2013/08/07/x").published) ==
        "2013-08-07");
  CHECK(text_of(metadata_of(page, "https://web.archive.org/web/2014").title) == "Fish - Daily Food");
}

TEST_CASE("authors come from machine-readable sources and from bylines") {
  std::string far;
  for (int i = 0; i < 80; ++i) far += "<p>x</p>";
  struct Row {
    std::string page;
    Names authors;
  };
  for (
      const auto& [page, authors] : std::vector<Row>{
          {"<meta name=author content='Jane Doe'>", {"Jane Doe"}},
          {"<meta name=author content='The Daily Site'><meta property=og:site_name content='The Daily Site'>", {}},
          {"<meta name=author content='104363'>", {}},
          {"<h1>T</h1><p class=author>Facebook Twitter</p>", {}},
          {"<h1>T</h1><p class=author>Guest Name</p>", {}},
          {"<meta property=article:author content='https://facebook.com/jane'>", {}},
          {"<meta name=citation_author content='Doe, Jane'><meta name=citation_author content='Roe, John'>",
           {"Jane Doe", "John Roe"}},
          {R"(<script type=application/ld+json>{"@type":"NewsArticle","author":[{"name":"Jane Doe"},{"name":"John Roe"}]}</script>)",
           {"Jane Doe", "John Roe"}},
          {R"(<script type=application/ld+json>{"@graph":[{"@type":"Article","author":{"@id":"#jane"}},{"@type":"Person","@id":"#jane","name":"Jane Doe"}]}</script>)",
           {"Jane Doe"}},
          {R"(<script type=application/ld+json>{"@type":"Article","author":{"@list":[{"name":{"@value":"Jane Doe"}},{"name":{"givenName":"John","familyName":"Roe"}}]}}</script>)",
           {"Jane Doe", "John Roe"}},
          {R"(<script type=application/ld+json>[{"@type":"BreadcrumbList"},{"@type":["Article","Thing"],"author":"Jane Doe"}]</script>)",
           {"Jane Doe"}},
          {R"(<script type=application/ld+json>{"@type":"Article","comment":[{"@type":"Comment","author":{"name":"Troll"}}]}</script>)",
           {}},
          {"<h1>T</h1><a rel=author href=/jane>Jane Doe</a>", {"Jane Doe"}},
          {"<h1>T</h1><div class=post-author>By <a href=/author/jane>Jane Doe</a>, staff writer</div>", {"Jane Doe"}},
          {"<h1>T</h1><p>作者：张三</p>", {"张三"}},
          {"<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Jane Doe'>", {"Jane Doe"}},
          {"<meta name=twitter:label1 content='ÉCRIT PAR'><meta name=twitter:data1 content='Jane Doe'>", {"Jane Doe"}},
          {"<meta name=twitter:label1 content='Lesedauer'><meta name=twitter:data1 content='Zehn Minuten'>", {}},
          {"<h1>T</h1><p class=ArticleHead_author__U98U7>View all posts by Jane Doe Published</p>", {"Jane Doe"}},
          {"<h1>T</h1><b class=authorName>Jane Doe » Sat Mar 02, 2024</b>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Jane Doe in Politics</p>", {"Jane Doe"}},
          {"<h1>T</h1><b class=author>Written by</b><b class=author>Jane Doe</b>", {"Jane Doe"}},
          {"<h1>T</h1><p><b class=author>Jane Doe</b> and <b class=author>John Roe</b></p>", {"Jane Doe", "John Roe"}},
          {"<h1>T</h1><p class=author>Jane Doe</p><p>" + std::string(400, 'x') + "</p><p class=author>John Roe</p>",
           {"Jane Doe"}},
          // The label is in a separate element.
          {"<h1>T</h1><div><b>Autor: </b> Jane Doe</div>", {"Jane Doe"}},
          {"<h1>T</h1><h3>Article by</h3><p>Jane Doe</p>", {"Jane Doe"}},
          {"<h1>T</h1><p>x</p><ul><li><b>Autorin/Autor</b> Jane Doe</ul>", {"Jane Doe"}},
          {"<h1>T</h1><p>x</p><ul><li><b>Author</b> biography</ul>", {}},
          {"<h1>T</h1><p>Jane Doe, <span>author</span><br>John Roe, <span>poet</span></p>", {}},
          {"<h1>T</h1><p>x</p><ul><li><b>Author</b> Jane Doe writes about fish.</ul>", {}},
          // Far from the headline, where a layout repeats the byline. The parts of a page may have authors, too.
          {"<h1>T</h1>" + far + "<p>Author: Jane Doe</p><p>Author: Jane Doe</p>", {"Jane Doe"}},
          {"<h1>T</h1>" + far + "<p>Author: Jane Doe</p><p>Author: John Roe</p>", {}},
          // The links of the byline name further people.
          {"<meta name=author content='Jane Doe'><h1>T</h1><p>By <a rel=author href=/a>Jane Doe</a>, <a rel=author "
           "href=/b>John Roe</a></p>",
           {"Jane Doe", "John Roe"}},
          {"<meta name=author content='Jane Doe'><h1>T</h1><p>By <a rel=author href=/a>Jane Doe</a>, <a rel=author "
           "href=/b>Journalist</a></p>",
           {"Jane Doe"}},
          {"<meta name=author content='Jane Poe'><h1>T</h1><p>By <a rel=author href=/a>Jane Doe</a>, <a rel=author "
           "href=/b>John Roe</a></p><p>Jane Poe</p>",
           {"Jane Poe"}},
          // So does any byline that adds only people.
          {"<meta name=author content='Jane Doe'><h1>T</h1><p class=byline>By Jane Doe and John Roe</p>",
           {"Jane Doe", "John Roe"}},
          {"<meta name=author content='Jane Doe'><h1>T</h1><p><b class=author>Jane Doe</b> <b class=author>Senior "
           "Editor</b></p>",
           {"Jane Doe"}},
          {"<meta name=author content='Jane Doe'><h1>T</h1><p><b class=author>Jane Doe</b> <b class=author>About Jane "
           "Doe</b></p>",
           {"Jane Doe"}},
          {"<meta name=author content='Jane Doe'><h1>T</h1><p class=author>Jane Doe, Daily News Latin America</p>",
           {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Jane Doe1, John Roe2*</p>", {"Jane Doe", "John Roe"}},
          {"<h1>T</h1><p class=author>user123</p>", {"user123"}},
          {"<h1>T</h1><p class=author>Jane Doe/SP-X</p>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Jane Doe/MTN News</p>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Jane Doe/John Roe</p>", {"Jane Doe", "John Roe"}},
          {"<h1>T</h1><p class=author>政能亮特约评论员 韩涵</p>", {"韩涵"}},
          // Elements marked as a name contain only the name.
          {"<h1>T</h1><a rel=author itemprop='url name' href=/a><b class=x>Jane Ann</b> <b class=y>Doe</b></a>",
           {"Jane Ann Doe"}},
          {"<h1>T</h1><li><span>Thread starter</span> <a>jane_d</a></li>", {"jane_d"}},
          {"<h1>T</h1><li><a>Authors</a></li><li><a>Courts</a></li>", {}},
          {R"(<h1>T</h1><div data-preloaded='{"topic_7":"{\"post_stream\":{\"posts\":[{\"username\":\"jane_d\"}]}}"}'>)",
           {"jane_d"}},
          {"<h1>T</h1><div data-preloaded='{\"topic_7\":3}'>", {}},
          // The author in the head does not occur on the page, which names somebody else.
          {"<meta name=author content='Web Master'><h1>T</h1><p class=author>Jane Doe</p>", {"Jane Doe"}},
          {"<meta name=author content='John Roe'><h1>T</h1><p class=author>Jane Doe</p><p>John Roe is here",
           {"John Roe"}},
          // The publisher is the author if it signs and no person does.
          {"<meta property=og:site_name content='The Daily Site'><h1>T</h1><p class=author>The Daily Site</p>",
           {"The Daily Site"}},
          {"<h1>T</h1><div id=comments><span class=author>Troll</span></div>", {}},
          {"<h1>T</h1><div class=userComments><span class=author>Troll</span></div>", {}},
          {"<h1>T</h1><aside><span class=author>John Roe</span></aside>", {}},
          {"<article><h1>T</h1><aside><span class=author>Jane Doe</span></aside></article>", {"Jane Doe"}},
          {"<h1>T</h1><footer class=card-footer><span class=author>John Roe</span></footer>", {}},
          {"<h1>T</h1><div class=post-footer><span class=author>Jane Doe</span></div>", {"Jane Doe"}},
          {"<body class=no-breadcrumbs><div class=sidebar-left><h1>T</h1><b class=author>Jane Doe</b></div>",
           {"Jane Doe"}},
          {"<p itemprop=author itemscope><span itemprop=name>Jane Doe</span></p>", {"Jane Doe"}},
          // Elementor builds pages of widgets. Other widgets are beside the article.
          {"<h1>T</h1><div class='elementor-element elementor-widget'><div class=elementor-widget-container>"
           "<span class=elementor-post-info__item--type-author>Jane Doe</span></div></div>",
           {"Jane Doe"}},
          {"<h1>T</h1><div class='elementor-widget elementor-comments'><span class=author>Troll</span></div>", {}},
          {"<h1>T</h1><div class='widget recent'><span class=author>John Roe</span></div>", {}},
          // A layout with a sidebar is a whole page.
          {"<h1>T</h1><div class=layout-sidebar-left><span class=author>Jane Doe</span></div>", {"Jane Doe"}},
          {"<h1>T</h1><div class=sidebar-left><span class=author>John Roe</span></div>", {}},
          // Categories and the rest of an office are no names.
          {"<h1>T</h1><div class=byline><a href=/blog/tag/money>Personal finance</a></div>", {}},
          {"<h1>T</h1><div class=byline>Jane Doe, <a href=/category/money>Personal Finance</a></div>", {"Jane Doe"}},
          {"<h1>T</h1><div class=byline><a href=/jane>Jane Doe</a>, <a href=/john>John Roe</a></div>",
           {"Jane Doe", "John Roe"}},
          {"<h1>T</h1><p class=author>Jane Doe, Senior Director, Content &amp; Marketing</p>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Jane Doe, Senior Director, and John Roe</p>", {"Jane Doe", "John Roe"}},
          {"<h1>T</h1><p class=author>Jane Doe and John Roe, food educators</p>", {"Jane Doe", "John Roe"}},
          {"<h1>T</h1><p class=author>Jane Doe, Community</p>", {"Jane Doe"}},
          // The pages of authors have many addresses.
          {"<h1>T</h1><p><a href=/about/editors/jane>Jane Doe</a></p>", {"Jane Doe"}},
          {"<h1>T</h1><p><a href=/reporters/jane>Jane Doe</a></p>", {"Jane Doe"}},
          {"<h1>T</h1><p><a href=/fish/jane>Jane Doe</a></p>", {}},
      }) {
    CAPTURE(page);
    CHECK(names_of(metadata_of(page).authors) == authors);
  }
}

TEST_CASE("the first poster of a thread without a headline is its author") {
  constexpr std::string_view page =
      "<title>Which fish? - Food Forum</title><b>Which fish?</b><div id=post1><a class=bigusername "
      "href=member.php?u=1>bob</a></div><div id=post2><a class=bigusername href=member.php?u=2>eve</a></div>";
  CHECK(names_of(metadata_of(page, "https://forum.food.example/showthread.php?t=1").authors) == Names{"bob"});
}

TEST_CASE("names found in only one head tag and in no visible text are not authors") {
  const std::string text = "<h1>T</h1><p>" + std::string(300, 'x') + "</p>";
  constexpr std::string_view author = "<meta name=author content='Jane Doe'>";
  constexpr std::string_view written_by =
      "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Jane Doe'>";
  constexpr std::string_view article =
      R"(<script type=application/ld+json>{"@type":"Article","author":{"@type":"Person","name":"Jane Doe"}}</script>)";
  struct Row {
    std::string page;
    Names authors;
  };
  for (const auto& [page, authors] : std::vector<Row>{
           {std::string(author) + text, {}},
           {std::string(article) + text, {}},
           {std::string(author) + text + "<p>I am Jane Doe.</p>", {"Jane Doe"}},
           {std::string(author) + std::string(written_by) + text, {"Jane Doe"}},
           {std::string(article) + std::string(author) + text, {"Jane Doe"}},
           // The text may be added by a script.
           {std::string(author) + "<h1>T</h1>", {"Jane Doe"}},
           {"<meta name=citation_author content='Doe, Jane'>" + text + "<p>Doe, J.</p>", {"Jane Doe"}},
           // Nobody writes a list of people by accident.
           {"<meta name=author content='Jane Doe, John Roe'>" + text, {"Jane Doe", "John Roe"}},
           {"<meta name=author content='Jane Doe, seo'>" + text, {}},
       }) {
    CAPTURE(page);
    CHECK(names_of(metadata_of(page).authors) == authors);
  }
}

TEST_CASE("an account of the site is not an author") {
  const std::string page = "<meta name=author content=daily_mobile><h1>T</h1>";
  CHECK(names_of(metadata_of(page, "https://news.daily.example/p").authors).empty());
  CHECK(names_of(metadata_of(page, "https://other.example/p").authors) == Names{"daily_mobile"});
}

TEST_CASE("a byline ends where text about someone else begins") {
  struct Row {
    std::string page;
    Names authors;
  };
  for (
      const auto& [page, authors] : std::vector<Row>{
          // A place, a job or another author in a separate element.
          {"<h1>T</h1><p class=author>Jane Doe<span>Senior Reporter</span></p>", {"Jane Doe"}},
          {"<h1>T</h1><div itemprop=author><b>Jane Doe</b><p>I write about trains, boats and planes.</p></div>",
           {"Jane Doe"}},
          // Other roles.
          {"<h1>T</h1><p class=author>By <a href=/author/jane>Jane Doe</a>. Reviewed by <a href=/author/john>John "
           "Roe</a></p>",
           {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Fact-checked by <a class=author-link href=/x>John Roe</a></p>", {}},
          {"<h1>T</h1><p class=author>Jane Doe, photographs by John Roe</p>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Von Jane Doe, Foto: John Roe</p>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>Jane Doe Veröffentlicht am 5. März 2024</p>", {"Jane Doe"}},
          {"<h1>T</h1><p class=author>홍길동 기자</p>", {"홍길동"}},
          // Another candidate has the name without the job.
          {"<h1>T</h1><p class=author>Jane Doe Co-Founder</p><p>By Jane Doe</p>", {"Jane Doe"}},
          // Pictures, quotations and headings have separate authors.
          {"<h1>T</h1><figure><img><figcaption class=author>John Roe</figcaption></figure>", {}},
          {"<h1>T</h1><blockquote>So it is. <a href=/author/john>John Roe</a></blockquote>", {}},
          {"<h1 class=author>Politics</h1>", {}},
          {"<h1>T</h1><p class=testimonial-author>John Roe</p>", {}},
          // A job, a badge or a date after a Chinese name, and a publisher before a reporter.
          {"<h1>T</h1><div class=author><a>王文</a><p>中国人民大学院长</p></div>", {"王文"}},
          {"<h1>T</h1><div class=author><b>IT之家</b><span>发布时间：09-30</span><span>22:46</span></div>", {"IT之家"}},
          {"<h1>T</h1><p>澎湃新闻记者 贺梨萍</p>", {"贺梨萍"}},
          {"<h1>T</h1><p>本报记者 昨天，去了</p>", {}},
          // The author belongs to the linked page.
          {"<h1>T</h1><li><a href=/other><b class=author>John Roe:</b> another title altogether</a></li>", {}},
          // The byline has a date.
          {"<h1>T</h1><p>Jane Doe, April 19, 2020</p>", {"Jane Doe"}},
          {"<h1>T</h1><p>04.02.2022, 13:10 Uhr | Jane Doe</p>", {"Jane Doe"}},
          {"<h1>T</h1><p>Daily News • 02.02.2022</p>", {}},
          {"<h1>T</h1><p>Last Change: 02.02.2022</p>", {}},
          {"<h1>T</h1><p>Olympic Games 02.02.2022</p>", {}},
          {"<p>Jane Doe | 02.02.2022</p><h1>T</h1>", {}},
          // An organisation next to a person, and an organisation that contradicts a byline.
          {R"(<script type=application/ld+json>{"@type":"Article","author":[{"@type":"Person","name":"Jane Doe"},{"@type":"Organization","name":"Wire"}]}</script><h1>T</h1>)",
           {"Jane Doe"}},
          {R"(<script type=application/ld+json>{"@type":"Article","author":{"@type":"Organization","name":"Wire"}}</script><h1>T</h1><p>By Jane Doe</p>)",
           {"Jane Doe"}},
      }) {
    CAPTURE(page);
    CHECK(names_of(metadata_of(page, "https://daily.example/p").authors) == authors);
  }
}

TEST_CASE("published and modified dates are kept apart") {
  struct Row {
    std::string page;
    std::string_view published;
    std::string_view modified;
  };
  for (
      const auto& [page, published, modified] : std::vector<Row>{
          {"<meta property=article:published_time content='2024-03-05T10:20:00+08:00'>"
           "<meta property=article:modified_time content=2024-03-06>",
           "2024-03-05T10:20:00+08:00", "2024-03-06"},
          {R"(<script type=application/ld+json>{"@type":"Article","datePublished":"2024-03-05","dateModified":"2024-03-07T00:00:00Z"}</script>)",
           "2024-03-05", "2024-03-07T00:00:00Z"},
          {"<h1>T</h1><time datetime=2024-03-05>yesterday</time>", "2024-03-05", "none"},
          {"<h1>T</h1><time class=entry-date datetime=2024-03-05></time><time class=updated "
           "datetime=2024-03-06></time>",
           "2024-03-05", "2024-03-06"},
          {"<h1>T</h1><a href=https://example.org/other><time datetime=2024-03-05>x</time></a>", "none", "none"},
          {"<h1>T</h1><p>Published on March 5, 2024. Updated on March 6, 2024</p>", "2024-03-05", "2024-03-06"},
          {"<h1>T</h1><p>发布于 2024年3月5日 10:20</p>", "2024-03-05T10:20", "none"},
          {"<h1>T</h1><p>发布于 二〇二四年三月五日</p>", "2024-03-05", "none"},
          {"<h1>T</h1><p>２０２４年３月５日</p>", "2024-03-05", "none"},
          // The only date is a modification date.
          {"<h1>T</h1><p>编辑于 2024-03-05</p>", "2024-03-05", "2024-03-05"},
          {"<meta property=article:modified_time content=2024-03-06>", "2024-03-06", "2024-03-06"},
          {"<meta name=docbuild:last-update content=2024-03-06>", "none", "2024-03-06"},
          {"<h1>T</h1><p>March 5</p>", "none", "none"},
          {"<meta name=date content=2030-01-01>", "none", "none"},
          {"<meta name=date content=1970-01-01>", "none", "none"},
          {"<h1>T</h1><footer>12.03.2020</footer>", "none", "none"},
      }) {
    CAPTURE(page);
    const Metadata metadata = metadata_of(page, "https://example.org/post");
    CHECK(text_of(metadata.published) == published);
    CHECK(text_of(metadata.modified) == modified);
  }
}

TEST_CASE("the date that belongs to the headline is chosen") {
  struct Row {
    std::string page;
    std::string_view published;
  };
  for (const auto& [page, published] : std::vector<Row>{
           // The head has the date in UTC. The page has the same moment in local time, and other days.
           {"<meta property=article:published_time content=2025-12-19T03:05:00Z><h1>T</h1>"
            "<time datetime=2025-12-18T19:05:00-08:00></time><time datetime=2025-12-19T16:35:00-08:00></time>",
            "2025-12-18T19:05:00-08:00"},
           // A comment has the same day in UTC.
           {"<meta property=article:published_time content=2025-12-19T03:05:00Z><h1>T</h1><p>December 18, 2025</p>"
            "<div class=comments><time datetime=2025-12-19T16:35:00-08:00></time></div>",
            "2025-12-18"},
           // The head has the day of a later publication. A much older date belongs to the content.
           {"<meta property=article:published_time content=2024-03-05><h1>T</h1><p>May 1, 2023</p>", "2023-05-01"},
           {"<meta property=article:published_time content=2024-03-05><h1>T</h1><p>May 1, 2019</p>", "2024-03-05"},
           {"<meta property=article:published_time content=2024-03-05><h1>T</h1><time datetime=2023-03-01>x</time>",
            "2024-03-05"},
           {"<meta property=article:published_time content=2024-03-05><h1>T</h1><p>May 1, 2019</p><p>March 5, 2024</p>",
            "2024-03-05"},
           {"<meta property=article:published_time content=2024-03-05><h1>T</h1><p>May 1, 2019</p><p>May 2, 2019</p>",
            "2024-03-05"},
           {"<meta property=article:published_time content=2019-05-01><h1>T</h1><p>March 5, 2024</p>", "2019-05-01"},
           {"<html lang=en-US><meta property=article:published_time content='April 3, "
            "2024'><h1>T</h1><p>03/04/2024</p>",
            "2024-04-03"},
           {"<meta property=article:published_time content=2024-03-05><h1>T</h1><p>In the spring of the year we met on "
            "May 1, 2019 to talk about the water in the streets and the roads.</p>",
            "2024-03-05"},
           // Quotations and profiles have separate dates.
           {"<h1>T</h1><blockquote><time datetime=2020-03-01></time></blockquote><p>March 1, 2017</p>", "2017-03-01"},
           {"<h1>T</h1><p>Joined: May 1, 2012</p><p>March 1, 2017</p>", "2017-03-01"},
           {"<h1>T</h1><p><b>Joined:</b> May 1, 2012</p><p>March 1, 2017</p>", "2017-03-01"},
           {"<h1>T</h1><p><b>Joined:</b> <i>May 1, 2012</i></p><p>March 1, 2017</p>", "2017-03-01"},
           // A date in machine-readable markup may be anywhere.
           {"<h1>T</h1><aside><meta itemprop=datePublished content=2017-03-01></aside>", "2017-03-01"},
           {"<time datetime=2025-01-31></time><h1>T</h1><time datetime=2017-03-01></time>", "2017-03-01"},
           {"<p>January 31, 2025</p><h1>T</h1><p>March 1, 2017</p>", "2017-03-01"},
           {"<meta name=date content=2025-01-31><h1>T</h1><p>March 1, 2017</p>", "2017-03-01"},
           // If a day also occurs in ISO form, it shows the order of day and month.
           {"<html lang=en-US><h1>T</h1><p>03/10/2023</p><script>{\"when\": \"2023-10-03\"}</script>", "2023-10-03"},
           {"<html lang=en-US><h1>T</h1><p>03/10/2023</p><p>built 2023-03-10</p>", "2023-03-10"},
           {"<html lang=en-US><h1>T</h1><p>03/10/2023</p><p>Printed on 3 October 2023</p>", "2023-10-03"},
           {"<html lang=en-GB><h1>T</h1><p>03/10/2023</p><p>Printed on March 10, 2023</p>", "2023-03-10"},
           // So do other dates of the page that have one reading.
           {"<html lang=en-US><h1>T</h1><p>03/10/2023</p><ul><li>23/10/2023</ul>", "2023-10-03"},
           {"<html lang=en-US><h1>T</h1><p>03-10-2023</p><ul><li>23-10-2023</ul>", "2023-10-03"},
           {"<html lang=fr><h1>T</h1><p>03-10-2023</p><ul><li>10-23-2023</ul>", "2023-03-10"},
           {"<html lang=en-US><h1>T</h1><p>03/10/23</p><ul><li>23/10/23</ul>", "2023-10-03"},
           {"<html lang=en-US><h1>T</h1><p>03 / 10 / 2023</p><ul><li>23 / 10 / 2023</ul>", "2023-10-03"},
           {"<html lang=fr><h1>T</h1><p>03/10/2023</p><ul><li>10 / 23 / 2023</ul>", "2023-03-10"},
           {"<html lang=fr><h1>T</h1><p>03/10/2023</p><a href=/id/04-23-2024-x/1/13/99/x>x</a>", "2023-10-03"},
           {"<html lang=en-US><h1>T</h1><p>03/10/2023</p><i id=1-23-10-2023>x</i><i id=v23-10-2023>x</i>",
            "2023-03-10"},
           // The first post of a thread is older than the next one.
           {"<html lang=en-US><h1>T</h1><p class=date>03-10-2023</p><p class=date>03-23-2023</p>", "2023-03-10"},
           // The state of an application is used if there is no other source.
           {"<h1>T</h1><script>window.x = {\"post\":{\"published_at\":\"2024-03-05T10:20:00Z\"}}</script>",
            "2024-03-05T10:20:00Z"},
           {"<h1>T</h1><script>x = '{\\\"publishedAt\\\":1709634000}'</script>", "2024-03-05T10:20:00Z"},
           {"<h1>T</h1><script>x = [{publishedAt: '2024-03-05'}, {publishedAt: '2024-03-06'}]</script>", "none"},
           {"<h1>T</h1><script>x = {unpublishedAt: '2024-03-05'}</script>", "none"},
           {"<h1>T</h1><p>March 1, 2017</p><script>x = {\"publishedAt\": \"2024-03-05\"}</script>", "2017-03-01"},
       }) {
    CAPTURE(page);
    CHECK(text_of(metadata_of(page).published) == published);
  }
}

TEST_CASE("a date inside a link is that of the linked page") {
  struct Row {
    std::string_view href;
    std::string_view published;
  };
  for (const auto& [href, published] : std::vector<Row>{
           {"/post/", "2024-03-05"},
           {"/post?page=1#p7", "2024-03-05"},
           {"#top", "2024-03-05"},
           {"/2024/03/05/", "2024-03-05"},
           {"/archive/2024/03", "2024-03-05"},
           {"/2024/02/", "none"},
           {"/2024/03/05/other", "none"},
           {"/other", "none"},
           {"javascript:go()", "none"},
       }) {
    CAPTURE(href);
    const std::string page = "<h1>T</h1><a href='" + std::string(href) + "'>March 5, 2024</a>";
    CHECK(text_of(metadata_of(page, "https://example.org/post").published) == published);
  }
  // Only the class announces a date.
  const std::string_view dateless = "<h1>T</h1><a href='/archive/2024/03/'><p class='date'>Room 12345, floor 7</p></a>";
  CHECK(text_of(metadata_of(dateless, "https://example.org/post").published) == "none");
}

TEST_CASE("the URL gives the date if the page has none") {
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/2024/03/05/title").published) == "2024-03-05");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/2024-03-05-title").published) == "2024-03-05");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/2024/03/title").published) == "2024-03");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/26-03-2024-title").published) == "2024-03-26");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/03-26-2024/title").published) == "2024-03-26");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/05-03-2024/title").published) == "none");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/id/20240399").published) == "none");
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://example.org/2031/03/05/title").published) == "none");
}

TEST_CASE("a canonical URL has no login") {
  const HtmlDocument document = HtmlDocument::parse("<link rel=canonical href='/post'>");
  const Url url = Url::parse("https://me:s3cret@example.org/").value();
  CHECK(text_of(extract_metadata(document, &url, linkherd::Timestamp{}).canonical) == "https://example.org/post");
}

TEST_CASE("language and site name and description and canonical URL are taken as stated") {
  const Metadata metadata = metadata_of(
      "<html lang=zh-cn><meta property=og:site_name content='The Site'><meta name=description content=' about  it '>"
      "<link rel=canonical href='/post?id=1'>",
      "https://example.org/x/y");
  CHECK(text_of(metadata.language) == "zh-CN");
  CHECK(text_of(metadata.site_name) == "The Site");
  CHECK(text_of(metadata.description) == "about it");
  CHECK(text_of(metadata.canonical) == "https://example.org/post?id=1");
  CHECK(text_of(metadata_of("<meta property=og:locale content=en_US>").language) == "en-US");
  CHECK(text_of(metadata_of("<html lang=English>").language) == "none");
  CHECK(text_of(metadata_of("<link rel=canonical href='javascript:x'>").canonical) == "none");
}

TEST_CASE("identifiers of works are those that the page states of itself") {
  struct Row {
    std::string page;
    std::string_view doi;
    std::string_view arxiv;
    std::string_view isbn;
  };
  for (
      const auto& [page, doi, arxiv, isbn] : std::vector<Row>{
          {"<meta name=citation_doi content='10.2196/14273'>", "10.2196/14273", "none", "none"},
          {"<meta name=DC.Identifier content='doi:10.2196/14273'>", "10.2196/14273", "none", "none"},
          {"<meta name=dc.identifier content='https://example.org/p'>", "none", "none", "none"},
          {"<meta name=citation_arxiv_id content='2512.16245'>", "none", "2512.16245", "none"},
          {R"(<script type=application/ld+json>{"@type":"ScholarlyArticle","identifier":[{"@type":"PropertyValue","propertyID":"doi","value":"10.1000/182"},"arXiv:2401.01234v2"]}</script>)",
           "10.1000/182", "2401.01234", "none"},
          {R"(<script type=application/ld+json>{"@type":"Article","identifier":"10","citation":{"identifier":"10.1000/1"}}</script>)",
           "none", "none", "none"},
          {R"(<script type=application/ld+json>{"@type":"Book","isbn":"978-3-16-148410-0"}</script>)", "none", "none",
           "9783161484100"},
          {"<p itemscope><b itemprop=isbn>0-8044-2957-X</b></p>", "none", "none", "080442957X"},
          // A list of books names several works.
          {"<b itemprop=isbn>080442957X</b><b itemprop=isbn>9783161484100</b>", "none", "none", "none"},
      }) {
    CAPTURE(page);
    const Metadata metadata = metadata_of(page, "https://example.org/p");
    CHECK(text_of(metadata.doi) == doi);
    CHECK(text_of(metadata.arxiv) == arxiv);
    CHECK(text_of(metadata.isbn) == isbn);
  }
  CHECK(text_of(metadata_of("<h1>T</h1>", "https://arxiv.org/abs/2401.01234v2").arxiv) == "2401.01234");
}

TEST_CASE("values are cut and control characters become spaces") {
  const Metadata metadata =
      metadata_of("<title>a\x1b[31mb\x07 c</title><meta name=description content='" + std::string(5000, 'x') + "'>");
  CHECK(text_of(metadata.title) == "a [31mb c");
  CHECK(metadata.description->value.size() == 2000);
  std::string long_title;
  for (int i = 0; i < 3000; ++i) long_title += "字";
  CHECK(linkherd::count_code_points(metadata_of("<title>" + long_title + "</title>").title->value) == 1000);
  CHECK(text_of(metadata_of("<title>x\xE2\x80\xAEy</title>").title) == "x\xE2\x80\xAEy");
  CHECK(text_of(metadata_of("<title>Donau&shy;dampf</title>").title) == "Donaudampf");
}

TEST_CASE("references that were encoded twice are decoded") {
  struct Row {
    std::string_view written;
    std::string_view title;
  };
  for (const auto& [written, title] : std::vector<Row>{
           {"Caf&amp;eacute; &amp;amp; Bar", "Café & Bar"},
           {"&amp;Ouml;l und &amp;#246;l", "Öl und öl"},
           {"S&amp;atilde;o G&amp;ccedil;&amp;scaron;", "São Gçš"},
           {"&amp;oslash;&amp;AElig;&amp;szlig;", "øÆß"},
           {"&amp;qacute; &amp;acute; &amp;xyz;", "&qacute; &acute; &xyz;"},
       }) {
    CAPTURE(written);
    CHECK(text_of(metadata_of("<title>" + std::string(written) + "</title>").title) == title);
  }
}

TEST_CASE("a page in GBK gives the fields of its UTF-8 original") {
  const std::string_view gbk =
      "<meta charset=utf-8><title>\xB4\xF3\xD3\xEF\xD1\xD4\xC4\xA3\xD0\xCD\xB5\xC4\xD1\xB5\xC1\xB7</title>"
      "<p>\xD7\xF7\xD5\xDF\xA3\xBA\xD5\xC5\xC8\xFD</p><p>\xB7\xA2\xB2\xBC\xD3\xDA 2024\xC4\xEA"
      "3\xD4\xC2"
      "5\xC8\xD5</p>";
  const Metadata metadata = metadata_of(decode_html(gbk, "").text);
  CHECK(text_of(metadata.title) == "大语言模型的训练");
  CHECK(names_of(metadata.authors) == Names{"张三"});
  CHECK(text_of(metadata.published) == "2024-03-05");
}

TEST_CASE("hostile pages take bounded time and give bounded metadata" * doctest::test_suite("timing")) {
  const auto repeat = [](std::string_view text, std::size_t times) {
    std::string repeated;
    for (std::size_t i = 0; i < times; ++i) repeated += text;
    return repeated;
  };
  const std::vector<std::string> hostile = {
      "<script type=application/ld+json>" + std::string(1'000'000, '[') + "</script>",
      "<script type=application/ld+json>" + repeat("{\"@graph\":[", 100'000) + "</script>",
      "<script type=application/ld+json>[" +
          repeat("{\"@type\":\"Article\",\"author\":[\"A B\",\"C D\"],\"headline\":\"x\"},", 10'000) + "{}]</script>",
      repeat("<meta name=author content='Jane Doe'><meta name=date content=2024-03-05>", 50'000),
      "<title>" + std::string(1'000'000, 't') + "</title><h1>" + std::string(500'000, 't') + "</h1>",
      repeat("<div class=author>", 500) + "Jane" + repeat("</div>", 500),
      repeat("<p class=date>2024-03-05</p>", 50'000),
      repeat("<a rel=author href=/author/x>By A, B, C</a>", 30'000),
      repeat("<div itemprop=author><span itemprop=name>A</span></div>", 30'000),
      repeat("<h1>Title</h1>", 50'000),
      "<title>" + repeat("a - ", 200) + "</title><meta property=og:site_name content=a>",
      repeat("<time datetime=2024-03-05>", 100'000),
      "<h1>x</h1>" + repeat("<div><h6>Related</h6></div>", 30'000),
      "<h1>x</h1>" + repeat("<h6>Related</h6><p>x</p><h5>Related</h5>", 20'000),
      "<h1>x</h1><div>" + repeat("<!---->", 30'000) + repeat("<b><h2>Related</h2></b>", 20'000),
      "<h1>x</h1><div class=byline>" + repeat("<a href=/tag/x>x</a>", 50'000),
      "<h1>x</h1><p>" + repeat("1-", 100'000),
      "<meta name=author content='" + repeat("A, ", 100'000) + "'>",
      "<script>" + repeat("ct ct=", 100'000) + "</script>",
  };
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    CAPTURE(i);
    const auto start = std::chrono::steady_clock::now();
    const Metadata metadata = metadata_of(hostile[i], "https://mp.weixin.qq.com/s/x");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    if (metadata.authors) CHECK(metadata.authors->value.size() <= 50);
  }
}

TEST_CASE("the name of a personal blog is its author, and that of a shop if nothing else is") {
  constexpr std::string_view site = "<meta property=og:site_name content='Jane Doe'>";
  constexpr std::string_view author = "<meta name=author content='Jane Doe'>";
  constexpr std::string_view byline = "<h1>T</h1><p class=post-author>Jane Doe</p>";
  constexpr std::string_view house =
      "<meta property=og:site_name content='Daily Fish'><meta name=author content='Daily Fish'><h1>T</h1>";
  constexpr std::string_view shop =
      "<meta property=og:site_name content='Fish Supplies'><meta name=author content='Fish Supplies'><h1>T</h1>";
  const std::string json =
      R"(<script type=application/ld+json>{"@type":"Article","author":{"@type":"Person","name":"Fish Supplies"}}</script>)";
  struct Row {
    std::string page;
    std::string_view url;
    Names authors;
  };
  for (const auto& [page, url, authors] : std::vector<Row>{
           {std::string(site) + std::string(byline), "https://janedoe.com/p/1", {"Jane Doe"}},
           {std::string(site) + std::string(author), "https://janedoe.github.io/p/1", {"Jane Doe"}},
           {std::string(site) + std::string(author), "https://jdoe.github.io/p/1", {"Jane Doe"}},
           {std::string(site) + std::string(author), "https://janedoe.com/p/1", {"Jane Doe"}},
           {std::string(site) + std::string(author), "https://example.com/p/1", {"Jane Doe"}},
           {std::string(site) + std::string(byline), "https://example.com/p/1", {"Jane Doe"}},
           {std::string(house), "https://dailyfish.com/p/1", {}},
           {std::string(house), "https://the-house.github.io/p/1", {}},
           {std::string(shop), "https://fishsupplies.com/p/1", {"Fish Supplies"}},
           {std::string(shop) + "<p>By Jane Doe</p>", "https://fishsupplies.com/p/1", {"Jane Doe"}},
           // Newspapers state themselves in JSON-LD too, and one word is seldom a person.
           {std::string(shop) + json, "https://fishsupplies.com/p/1", {}},
           {"<meta property=og:site_name content=Fish><meta name=author content=Fish><h1>T</h1>",
            "https://fish.com/p",
            {}},
       }) {
    CAPTURE(page);
    CAPTURE(url);
    CHECK(names_of(metadata_of(page, url).authors) == authors);
  }
}
