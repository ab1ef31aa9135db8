#include "crawler/run/web_anchors.h"

#include <string>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

namespace {

const std::string words(300, 'w');  // too much text for a page that a script builds

PageAnchors anchors_of(const std::string& body, bool is_html = true, bool complete = true,
                       const std::string& final_url = "http://a.herd/") {
  storage::Snapshot snapshot;
  snapshot.verdict.health = Health::alive;
  snapshot.final_url = final_url;
  snapshot.is_body_complete = complete;
  snapshot.content_type = is_html ? "text/html" : "text/plain; charset=utf-8";
  if (is_html) snapshot.charset = "UTF-8";
  PageAnchors anchors = collect_body_anchors(snapshot, body).value();
  anchors.page = "http://a.herd/";
  return anchors;
}

std::string problem(const PageAnchors& anchors, std::string_view fragment) {
  FragmentEvaluator evaluator(decode_page_anchors(encode(anchors)));
  const auto verdict = evaluator.problem_of(fragment, true);
  if (!verdict) return "";
  return (verdict->health == Health::suspect ? "suspect: " : "") + verdict->evidence;
}

}  // namespace

TEST_CASE("page anchors are ids and names and those that GitHub creates") {
  const PageAnchors page = anchors_of("<p id='Install me'>" + words + "<a name=use></a><a id='a&#10;b'></a>");
  for (const char* fine : {"", "top", "TOP", "Install%20me", "use", "a%0Ab", "/route", "!route", "gid=0", "a/b",
                           "use:~:text=www", "issuecomment-1", "L7", "L3-L9"}) {
    CAPTURE(fine);
    CHECK(problem(page, fine).empty());
  }
  CHECK(problem(page, "usee") == "http://a.herd/ has no anchor \"usee\"; did you mean #use?");
  CHECK(problem(page, "USE") == "http://a.herd/ has no anchor \"USE\"; did you mean #use?");
  CHECK(problem(page, ":~:text=gone") == "http://a.herd/ does not contain the text \"text=gone\"");

  const PageAnchors github = anchors_of("<h2 id='user-content-install'>" + words);
  for (const char* fine : {"install", "Install", "user-content-install", "readme"})
    CHECK(problem(github, fine).empty());
  CHECK(problem(github, "instal") == "http://a.herd/ has no anchor \"instal\"; did you mean #install?");
}

TEST_CASE("line anchors are judged if the number of lines is known") {
  const PageAnchors numbered = anchors_of("<td id=L1><td id=L2><td id=L3>" + words);
  CHECK(problem(numbered, "L2-L3").empty());
  CHECK(problem(numbered, "L2C1-L9C4") == "http://a.herd/ has no line 9: it ends with line 3");
  const PageAnchors github = anchors_of("<script>{\"truncatedLoc\":\"119\"}</script>" + words);
  CHECK(problem(github, "L119").empty());
  CHECK(problem(github, "L10-L120") == "http://a.herd/ has no line 120: it ends with line 119");
  const PageAnchors raw = anchors_of("1\n2\n3", false);
  CHECK(problem(raw, "L3").empty());
  CHECK(problem(raw, "L4") == "http://a.herd/ has no line 4: it ends with line 3");
  CHECK(problem(raw, "anything").empty());
}

TEST_CASE("anchors of incomplete pages are not judged and those that scripts may add are suspect") {
  CHECK(problem(anchors_of("<p>" + words, true, false), "gone").empty());
  CHECK(problem(anchors_of("<p>" + words, true, true, "http://a.herd/#own"), "gone").empty());
  CHECK(problem(anchors_of("<script src=app.js></script><div id=app></div>"), "gone") ==
        "suspect: http://a.herd/ has no anchor \"gone\"; its scripts may create one");
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "<a id=anchor" + std::to_string(i) + ">";
  CHECK(problem(anchors_of(many), "gone").empty());
}

TEST_CASE("PDF page anchors are judged if the number of pages is known") {
  storage::Snapshot pdf;
  pdf.verdict.health = Health::alive;
  pdf.content_type = "application/pdf";
  CHECK_FALSE(collect_body_anchors(pdf, "%PDF-1.4").has_value());
  PageAnchors pages = collect_pdf_anchors(pdf, 12);
  pages.page = "http://a.herd/x.pdf";
  for (const char* fine : {"", "page=1", "page=12", "zoom=50&page=12", "page=", "page=x", "nameddest=part", "part",
                           "page=99999999999999999999"}) {
    CAPTURE(fine);
    CHECK(problem(pages, fine).empty());
  }
  CHECK(problem(pages, "page=13") == "http://a.herd/x.pdf has no page 13: it ends with page 12");
  CHECK(problem(pages, "zoom=50&page=20&x=1") == "http://a.herd/x.pdf has no page 20: it ends with page 12");
  CHECK(problem(collect_pdf_anchors(pdf, 0), "page=13").empty());
  pdf.is_body_complete = false;
  CHECK(problem(collect_pdf_anchors(pdf, 12), "page=13").empty());
}
