#include "parser/html/html_tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/sanitizer.h"

using namespace linkherd::parser;
using Unclosed = HtmlTokenizer::Unclosed;

namespace {

// Returns one line per token: its kind and its parsed content. Raw text is read after <script> and <title>.
std::string shown(std::string_view text, Unclosed unclosed, bool foreign = false) {
  std::string lines;
  HtmlTokenizer tokens(text, unclosed, 4);
  tokens.set_foreign(foreign);
  while (const HtmlToken* token = tokens.next()) {
    constexpr std::string_view kinds = "ts/cCd";
    lines += kinds[static_cast<std::size_t>(token->kind)];
    const bool is_tag = token->kind == HtmlToken::Kind::start_tag || token->kind == HtmlToken::Kind::end_tag;
    lines += ' ' + std::string(is_tag ? token->name : token->source);
    if (is_tag) {
      for (const HtmlAttribute& attribute : token->attributes) {
        lines += " " + std::string(attribute.name) + "=" + std::string(attribute.value);
        CHECK(attribute.value.data() >= text.data());
        CHECK(attribute.value.data() + attribute.value.size() <= text.data() + text.size());
      }
      if (token->is_self_closing) lines += " .";
      if (token->has_dropped_attributes) lines += " ...";
    }
    lines += '|';
    if (token->kind != HtmlToken::Kind::start_tag || (token->name != "script" && token->name != "title")) continue;
    if (const auto raw = tokens.raw_text()) lines += "r " + std::string(*raw) + '|';
  }
  return lines;
}

struct HtmlTokenizerRow {
  std::string_view text;
  std::string_view tokens;
};

}  // namespace

TEST_CASE("tags and texts and comments and declarations are split as in the HTML standard") {
  for (const HtmlTokenizerRow& row : std::vector<HtmlTokenizerRow>{
           {"", ""},
           {"a<P CLASS='x>y' id=c>b</P >", "t a|s p CLASS=x>y id=c|t b|/ p|"},
           {"<a href=\"x\"title=y z/>", "s a href=x title=y z= .|"},
           {"<a =b==c d= >", "s a =b==c d=|"},
           {"<a/b=c/d>", "s a b=c/d|"},
           {"<a b c d e f>", "s a b= c= d= e= ...|"},
           {"1 < 2<3", "t 1 |t < 2|t <3|"},
           {"<!doctype html><!DOCTYPE x>", "d <!doctype html>|d <!DOCTYPE x>|"},
           {"<!-- a > b --><!--><!--->x<!--y--!>z", "c <!-- a > b -->|c <!-->|c <!--->|t x|c <!--y--!>|t z|"},
           {"<!---->a<!----->b<!-- - -- >-->", "c <!---->|t a|c <!----->|t b|c <!-- - -- >-->|"},
           {"a<?php x ?>b</ c>d</>e<!f>g", "t a|t b|t d|t e|t g|"},
           {"<![CDATA[<p>]]>", "t ]]>|"},
           {"a<p", "t a|"},
           {"a<p b='c", "t a|"},
           {"a<", "t a|t <|"},
           {"<title>a<b></TITLE x='>'>c", "s title|r a<b>|/ title x=>|t c|"},
           {"<title>a</titles></title/>", "s title|r a</titles>|/ title .|"},
           {"<title></title>", "s title|r |/ title|"},
           {"<title>a</title", "s title|r a|"}}) {
    CAPTURE(row.text);
    CHECK(shown(row.text, Unclosed::to_end_of_text) == row.tokens);
    CHECK(shown(row.text, Unclosed::as_markup) == row.tokens);
  }
  CHECK(shown("<![CDATA[<p>]]>x", Unclosed::to_end_of_text, true) == "C <![CDATA[<p>]]>|t x|");
}

TEST_CASE("a script inside a commented script hides its end tag") {
  for (const HtmlTokenizerRow& row : std::vector<HtmlTokenizerRow>{
           {"<script><!-- a</script>b", "s script|r <!-- a|/ script|t b|"},
           {"<script><!-- <script>a</script> --></script>b", "s script|r <!-- <script>a</script> -->|/ script|t b|"},
           {"<script><!--<SCRIPT >a</Script/>c</script>b", "s script|r <!--<SCRIPT >a</Script/>c|/ script|t b|"},
           {"<script><!--><script>a</script>b", "s script|r <!--><script>a|/ script|t b|"},
           {"<script>'<script>'</script>b", "s script|r '<script>'|/ script|t b|"},
           {"<script><!--<scripts>a</script>b", "s script|r <!--<scripts>a|/ script|t b|"},
           {"<script><!--<script>a</script>b", "s script|r <!--<script>a|/ script|t b|"},
           {"<title><!--<title>a</title>b", "s title|r <!--<title>a|/ title|t b|"}}) {
    CAPTURE(row.text);
    CHECK(shown(row.text, Unclosed::to_end_of_text) == row.tokens);
    CHECK(shown(row.text, Unclosed::as_markup) == row.tokens);
  }
}

TEST_CASE("an unclosed construct takes the rest or is no markup") {
  for (const std::string_view text : {"<!--a<p>", "<title>a<p>"}) {
    CAPTURE(text);
    const std::string all = shown(text, Unclosed::to_end_of_text);
    CHECK((all == "c <!--a<p>|" || all == "s title|r a<p>|"));
    const std::string markup = shown(text, Unclosed::as_markup);
    CHECK((markup == "t a|s p|" || markup == "s title|t a|s p|"));
  }
}

TEST_CASE("a token that was put back is returned again") {
  HtmlTokenizer tokens("a<b>", Unclosed::to_end_of_text, 1);
  tokens.next();
  CHECK(tokens.next()->name == "b");
  tokens.put_back();
  CHECK(tokens.next()->name == "b");
  CHECK(tokens.next() == nullptr);
}

TEST_CASE("the sanitizer ends comments and raw texts where browsers end them") {
  CHECK(sanitize_html("<!-- a --!><p>b</p>").html == "<p>b</p>");
  CHECK(sanitize_html("<textarea>a</textarea title='>b'>").html == "<textarea>a</textarea>");
  CHECK(sanitize_html("<svg><!--><p>b</p>").html == "<p>b</p>");
  CHECK(sanitize_html("<svg><?xml a='<p>'?></svg>b").html == "b");
}
