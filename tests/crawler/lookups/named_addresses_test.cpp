#include "crawler/lookups/named_addresses.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

std::vector<std::string> named_on(std::string_view body, std::string_view url = "https://kerning.example.org/old") {
  std::vector<std::string> hrefs;
  const std::string page =
      fmt::format("<!doctype html><html><head><title>x</title></head><body>{}</body></html>", body);
  for (const ListedAddress& address : find_named_addresses(page, parser::Url::parse(url).value()))
    hrefs.emplace_back(address.url.href());
  return hrefs;
}

using Hrefs = std::vector<std::string>;

}  // namespace

TEST_CASE("named addresses: a notice names the new address") {
  CHECK(named_on("<p>This page has moved to <a href=/new/kerning>its new place</a>.</p>") ==
        Hrefs{"https://kerning.example.org/new/kerning"});
  CHECK(named_on("<p>页面已迁移到 <a href=https://type.example.net/kerning>这里</a></p>") ==
        Hrefs{"https://type.example.net/kerning"});
  CHECK(named_on("<p>Die Seite ist umgezogen: <a href=/neu>hier</a></p>") == Hrefs{"https://kerning.example.org/neu"});
}

TEST_CASE("named addresses: a link in a long text is not a notice") {
  std::string words = "The office moved to another town. ";
  for (int i = 0; i < 100; ++i) words += "word ";
  CHECK(named_on("<p>" + words + "<a href=/story>story</a></p>").empty());
  CHECK(named_on("The office has moved to another town, where its people sew books in a house by the river. Read the "
                 "<a href=/story>story</a>.")
            .empty());
  CHECK(named_on("<p>Read the <a href=/story>story</a> of kerning.</p>").empty());
}

TEST_CASE("named addresses: the canonical address counts if it is another page") {
  CHECK(named_on("<link rel=canonical href=/kerning>") == Hrefs{"https://kerning.example.org/kerning"});
  CHECK(named_on("<link rel=canonical href=/old#top>").empty());
  CHECK(named_on("<link rel=canonical href='mailto:a@example.org'>").empty());
}

TEST_CASE("named addresses: notices come first, and there are at most five") {
  std::string body = "<link rel=canonical href=/kerning>";
  body += "<p>We have moved: <a href=/b>b</a> <a href=/b>again</a></p>";
  CHECK(named_on(body) == Hrefs{"https://kerning.example.org/b", "https://kerning.example.org/kerning"});
  std::string many;
  for (int i = 0; i < 5000; ++i) many += fmt::format("<p>moved to <a href=/{}>x</a></p>", i);
  CHECK(named_on(many).size() == 5);
}

TEST_CASE("named addresses: other documents name nothing") {
  const parser::Url url = parser::Url::parse("https://kerning.example.org/old").value();
  CHECK(find_named_addresses("", url).empty());
  CHECK(find_named_addresses("moved to https://example.org/", url).empty());
  CHECK(find_named_addresses("\xff\xfe<a href=", url).empty());
}
