#include "tests/support/page_pairs/page_pairs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "tests/support/temp_dir.h"

namespace linkherd::tests {

namespace {

using Sentences = std::vector<std::string>;

struct Article {
  std::string language;
  std::string topic;
  int number = 0;  // the same for all translations of an article
  std::string title;
  std::vector<Sentences> paragraphs;

  bool is_spam() const { return number >= 20; }
};

Sentences sentences_of(const std::string& paragraph) {
  Sentences sentences;
  std::string rest = paragraph;
  while (!rest.empty()) {
    const std::size_t latin = rest.find(". ");
    const std::size_t chinese = rest.find("。");
    const std::size_t end = std::min({latin == std::string::npos ? rest.size() : latin + 1,
                                      chinese == std::string::npos ? rest.size() : chinese + 3, rest.size()});
    sentences.push_back(rest.substr(0, end));
    rest.erase(0, end);
    while (rest.starts_with(' ')) rest.erase(0, 1);
  }
  return sentences;
}

// The format is "## language topic number | title", then one paragraph per line.
std::vector<Article> read_articles() {
  std::vector<Article> articles;
  std::istringstream lines(read_file(std::string(LINKHERD_PAGE_PAIRS) + "/articles.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("## ")) {
      articles.back().paragraphs.push_back(sentences_of(line));
      continue;
    }
    Article& article = articles.emplace_back();
    std::istringstream head(line.substr(3));
    head >> article.language >> article.topic >> article.number;
    article.title = line.substr(line.find(" | ") + 3);
  }
  return articles;
}

const std::vector<Article>& all_articles() {
  static const std::vector<Article> articles = read_articles();
  return articles;
}

struct Site {
  std::string name, domain;
};
const std::array<Site, 6> sites{{{"Alder Notes", "alder-notes.herd"},
                                 {"Fjord Review", "fjordreview.herd"},
                                 {"Common Ground", "commonground.herd"},
                                 {"Open Workshop", "workshop.herd"},
                                 {"Quarry & Quill", "quarryquill.herd"},
                                 {"Meridian", "meridian.herd"}}};

// The surroundings of an article: menus, a sidebar and a footer.
struct Frame {
  Site site;
  int style = 0;
  std::string menu_language = "en";
  bool has_legal_text = false;
};

std::string menu_of(const std::string& language) {
  if (language == "de") return "<a href=/>Startseite</a> <a href=/a>Über uns</a> <a href=/k>Kontakt</a> Sprache wählen";
  if (language == "zh") return "<a href=/>首页</a> <a href=/a>关于我们</a> <a href=/k>联系方式</a> 选择语言";
  return "<a href=/>Home</a> <a href=/a>About us</a> <a href=/k>Contact</a> Choose a language";
}

std::string footer_of(const Frame& frame) {
  if (frame.menu_language == "de")
    return "Alle Rechte vorbehalten. Abonnieren Sie unseren Rundbrief. " + frame.site.name;
  if (frame.menu_language == "zh") return "版权所有。订阅我们的通讯。" + frame.site.name;
  return "All rights reserved. Subscribe to our newsletter. " + frame.site.name;
}

const std::string legal_text =
    "<p>The information on this page is provided without warranty of any kind. Prices include the value added tax that "
    "is due in your country, and delivery takes between three and five working days. You may return goods in their "
    "original packaging within thirty days, at your own expense, unless they were damaged on the way. Offers hold "
    "while "
    "stocks last. Pictures may differ from the product. We are liable for intent and gross negligence only, and the "
    "place of jurisdiction is the seat of the company. Read the privacy notice to learn which data we process, for how "
    "long we keep them, and whom you may ask to have them corrected or erased. By using this page you agree to these "
    "terms, to the use of technically necessary cookies, and to the conditions of carriage of our partners. Should one "
    "of these clauses be void, the others remain in force, and the void one is replaced by what comes closest to it.";

std::string body_of(const std::vector<Sentences>& paragraphs) {
  std::string body;
  for (const Sentences& sentences : paragraphs) {
    body += "<p>";
    for (const std::string& sentence : sentences) body.append(sentence).append(" ");
    body += "</p>\n";
  }
  return body;
}

std::string render(const Frame& frame, const std::string& language, const std::string& title, const std::string& body) {
  const std::string menu = menu_of(frame.menu_language);
  const std::string footer = footer_of(frame);
  const std::string legal = frame.has_legal_text ? legal_text : std::string();
  const std::string head = fmt::format("<!DOCTYPE html><html lang={}><head><meta charset=utf-8>", language);
  switch (frame.style) {
    case 0:
      return fmt::format(
          "{0}<title>{1} | {2}</title><meta property=og:site_name content=\"{2}\"></head><body><nav>{3}</nav><main>"
          "<h1>{1}</h1>{4}{5}</main><footer>{6}</footer></body></html>",
          head, title, frame.site.name, menu, body, legal, footer);
    case 1:
      return fmt::format(
          "{0}<title>{2} - {1}</title></head><body><div id=header>{3}</div><div class=content><h2>{1}</h2>{4}{5}</div>"
          "<div class=sidebar>Popular: <a href=/1>One</a> <a href=/2>Two</a></div><div class=footer>{6}</div></body>"
          "</html>",
          head, title, frame.site.name, menu, body, legal, footer);
    default:
      return fmt::format(
          "{0}<title>{1}</title></head><body><header>{3}</header><article><h1>{1}</h1><div class=byline>by the "
          "editors</div>{4}{5}</article><aside>More of {2}</aside><footer>{6}</footer></body></html>",
          head, title, frame.site.name, menu, body, legal, footer);
  }
}

class Maker {
 public:
  std::vector<PagePair> take() { return std::move(pairs_); }

 protected:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  Frame frame() { return {sites[below(sites.size())], static_cast<int>(below(3)), "en", false}; }
  static std::string url_of(const Frame& frame, const Article& article) {
    return fmt::format("https://{}/{}/{}", frame.site.domain, article.language, article.topic);
  }
  static MadePage page(const Frame& frame, const Article& article) {
    return {url_of(frame, article), render(frame, article.language, article.title, body_of(article.paragraphs))};
  }

  const Article& other_than(const Article& article, bool same_language) {
    while (true) {
      const Article& other = all_articles()[below(all_articles().size())];
      if (!other.is_spam() && other.number != article.number &&
          (!same_language || other.language == article.language)) {
        return other;
      }
    }
  }
  static bool has_other_in_language(const Article& article) {
    return std::ranges::any_of(all_articles(), [&article](const Article& other) {
      return other.language == article.language && other.number != article.number && !other.is_spam();
    });
  }

  // Replaces `sentences` sentences with those of another article.
  Article edited(Article article, std::size_t sentences) {
    const Article& other = other_than(article, has_other_in_language(article));
    for (; sentences > 0; --sentences) {
      Sentences& paragraph = article.paragraphs[below(article.paragraphs.size())];
      const Sentences& source = other.paragraphs[below(other.paragraphs.size())];
      paragraph[below(paragraph.size())] = source[below(source.size())];
    }
    return article;
  }

  void add(std::string kind, bool is_positive, MadePage one, MadePage other) {
    pairs_.push_back({std::move(kind), is_positive, std::move(one), std::move(other)});
  }

 private:
  std::mt19937 random_{20261122};
  std::vector<PagePair> pairs_;
};

class DriftMaker : public Maker {
 public:
  DriftMaker() {
    for (const Article& article : all_articles()) {
      if (article.is_spam()) continue;
      add_changes(article);
      add_others(article);
    }
    for (const Article& one : all_articles()) {
      for (const Article& other : all_articles()) {
        if (one.is_spam() || one.number != other.number || one.language == other.language) continue;
        const Frame around = frame();
        add("translated", false, page(around, one), page(around, other));
      }
    }
  }

 private:
  // Adds pairs where the page is still the same page.
  void add_changes(const Article& article) {
    const Frame around = frame();
    const MadePage first = page(around, article);
    Article later = edited(article, 2);
    later.title += " (updated)";
    add("edited", false, first, page(around, later));

    Frame redesigned = around;
    redesigned.style = (around.style + 1) % 3;
    later = edited(article, 4);
    add("redesigned", false, first, page(redesigned, later));

    std::string comments;
    for (int i = 0; i < 8; ++i) comments += body_of({other_than(article, false).paragraphs[below(4)]});
    add("comments added", false, first,
        {first.url, render(around, article.language, article.title, body_of(article.paragraphs) + comments)});

    Frame translated = around;
    translated.menu_language = article.language == "de" ? "zh" : "de";
    add("menu translated", false, first, page(translated, article));

    later = article;
    later.title = other_than(article, false).title;
    add("retitled", false, first, page(around, later));

    later = other_than(article, false);
    later.title = article.title;
    add("news under one title", false, first, {first.url, page(around, later).html});

    add("emptied", false, first, {first.url, render(around, "en", "Loading", "<p>Please enable scripts.</p>")});
  }

  // Adds pairs where another page has replaced the page.
  void add_others(const Article& article) {
    const Frame around = frame();
    const MadePage first = page(around, article);
    for (int i = 0; i < 3 && has_other_in_language(article); ++i) {
      const Article& other = other_than(article, true);
      add("repurposed", true, first, {first.url, page(around, other).html});
    }
    for (int i = 0; i < 2; ++i) {
      const Article& spam = all_articles()[all_articles().size() - 1 - below(5)];
      const Frame owner{{"Best Deals", around.site.domain}, static_cast<int>(below(3)), "en", false};
      add("sold", true, first, {first.url, page(owner, spam).html});
    }
    const std::string parked = fmt::format(
        "<!DOCTYPE html><html><head><title>{0} is for sale</title></head><body><h1>{0}</h1><p>This domain is for sale! "
        "Buy this domain now. The domain owner may be contacted for offers.</p><p>Related searches: insurance, "
        "flights, "
        "credit cards.</p></body></html>",
        around.site.domain);
    add("parked", true, first, {first.url, parked});
  }
};

class NearMaker : public Maker {
 public:
  NearMaker() {
    for (const Article& article : all_articles()) {
      if (article.is_spam()) continue;
      add_near(article);
      add_far(article);
    }
    for (const Article& one : all_articles()) {
      for (const Article& other : all_articles()) {
        if (one.is_spam() || one.number != other.number || one.language == other.language) continue;
        add("translated", false, page(frame(), one), page(frame(), other));
      }
    }
  }

 private:
  Frame other_site(const Frame& around) {
    Frame other = frame();
    while (other.site.domain == around.site.domain) other = frame();
    return other;
  }

  // Adds a few words and a note.
  Article touched_up(Article article) {
    const bool is_chinese = article.language == "zh";
    for (int i = 0; i < 2; ++i) {
      Sentences& paragraph = article.paragraphs[below(article.paragraphs.size())];
      paragraph[below(paragraph.size())].insert(0, is_chinese ? "其实，" : "Today: ");
    }
    article.paragraphs.push_back({is_chinese ? "三月更新。" : "Updated in March after letters from readers."});
    return article;
  }

  void add_near(const Article& article) {
    const Frame around = frame();
    const MadePage first = page(around, article);
    for (int i = 0; i < 2; ++i) {
      MadePage later = page(around, touched_up(article));
      later.url += "?print=1";
      add("edited", true, first, std::move(later));
    }
    Frame other = around;
    other.style = (around.style + 1) % 3;
    MadePage again = page(other, article);
    again.url += ".amp";
    add("re-templated", true, first, std::move(again));
    for (int i = 0; i < 2; ++i) {
      const Frame elsewhere = other_site(around);
      Article copy = article;
      copy.paragraphs.push_back({"Syndicated with permission.", "It was first published by " + around.site.name + "."});
      add("syndicated", true, first, page(elsewhere, copy));
    }
  }

  void add_far(const Article& article) {
    const Frame around = frame();
    const MadePage first = page(around, article);
    for (int i = 0; i < 2; ++i) add("unrelated", false, first, page(around, other_than(article, false)));
    Article rewritten = edited(article, 9);
    add("rewritten", false, first, page(other_site(around), rewritten));

    Frame shop = around;
    shop.has_legal_text = true;
    const Article& product = other_than(article, false);
    const auto product_page = [&shop](const Article& sold) {
      return MadePage{url_of(shop, sold),
                      render(shop, "en", sold.title, "<p>" + sold.paragraphs.front().front() + "</p>")};
    };
    add("one template", false, product_page(article), product_page(product));

    const auto error_page = [&around](const Article& missing) {
      return MadePage{url_of(around, missing),
                      render(around, "en", "Service", "<p>Something went wrong. Try again in a few minutes.</p>")};
    };
    add("generic page", false, error_page(article), error_page(product));
  }
};

}  // namespace

std::vector<PagePair> drift_pairs() { return DriftMaker().take(); }

std::vector<PagePair> near_pairs() { return NearMaker().take(); }

}  // namespace linkherd::tests
