// Makes pages of a site, each with a text of its own, and its sitemap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/support/page.h"

namespace linkherd::tests {

// Returns a text of 240 words that only pages with the same number have.
inline std::string made_text(std::uint64_t number) {
  constexpr std::string_view syllables = "kalomirutesnabrivodelpurganost";
  std::string text;
  for (std::uint64_t i = 0; i < 240; ++i) {
    std::uint64_t value = (i + 1) * 0x9E3779B97F4A7C15U + number * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 29U) * 0x94D049BB133111EBU;
    value ^= value >> 32U;
    for (int k = 0; k < 3; ++k, value /= 15) text += syllables.substr(value % 15 * 2, 2);
    text += ' ';
  }
  return text;
}

// `more`: HTML at the end of the article.
inline Page made_article(const std::string& title, const std::string& text, const std::string& more = {}) {
  return html_page(fmt::format(
      "<!doctype html><html lang=en><title>{0} - Bindery</title><main><article><h1>{0}</h1><p>{1}</p>{2}</article>"
      "</main></html>",
      title, text, more));
}

inline Page made_article(const std::string& title, std::uint64_t number, const std::string& more = {}) {
  return made_article(title, made_text(number), more);
}

inline Page sitemap_page(const std::vector<std::string>& urls) {
  std::string text = "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
  for (const std::string& url : urls) text += "<url><loc>" + url + "</loc></url>";
  return html_page(text + "</urlset>", "application/xml");
}

}  // namespace linkherd::tests
