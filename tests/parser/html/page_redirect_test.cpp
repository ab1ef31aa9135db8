#include "parser/html/page_redirect.h"

#include <array>
#include <string>

#include <doctest/doctest.h>

using namespace linkherd::parser;

namespace {

std::string refresh_to(std::string_view value) {
  const std::optional<RefreshValue> refresh = read_refresh(value);
  return refresh ? std::to_string(refresh->seconds) + " " + std::string(refresh->address) : std::string("none");
}

// Returns "KIND TARGET", followed by "permanent" for permanent redirects.
std::string found(std::string_view html, std::string_view url = "https://a.example/docs/old",
                  std::string_view refresh = {}) {
  const std::optional<PageRedirect> redirect = find_page_redirect(html, Url::parse(url).value(), refresh);
  if (!redirect) return "none";
  return std::string(linkherd::enum_name(redirect_kind_names, redirect->kind)) + " " +
         std::string(redirect->to.href()) + (redirect->is_permanent ? " permanent" : "");
}

std::string script(std::string_view text) { return find_script_redirect(text).value_or("none"); }

}  // namespace

TEST_CASE("a refresh value is parsed by the steps of the HTML standard") {
  struct Row {
    std::string_view value;
    std::string_view target;
  };
  constexpr std::array rows{
      Row{"0; url=/new", "0 /new"},
      Row{"0;URL=/new", "0 /new"},
      Row{" 0 ; uRl = '/new' ignored", "0 /new"},
      Row{"0; url=\"/new\"", "0 /new"},
      Row{"0; url='/new", "0 /new"},
      Row{"0; url='/it\"s'", "0 /it\"s"},
      Row{"0, url=/new", "0 /new"},
      Row{"0 url=/new ", "0 /new"},
      Row{"0\nurl=/new", "0 /new"},
      Row{"0;/new", "0 /new"},
      Row{"0; '/new'", "0 /new"},
      Row{"0;new", "0 new"},
      Row{"0;urls/new", "0 urls/new"},
      Row{"0; url", "0 url"},
      Row{"5; url=https://b.example/", "5 https://b.example/"},
      Row{"0.9; url=/new", "0 /new"},
      Row{".5; url=/new", "0 /new"},
      Row{"1.2.3; url=/new", "1 /new"},
      Row{"60; url=/new", "60 /new"},
      Row{"99999999999999999999; url=/new", "1000000 /new"},
      Row{"0", "none"},
      Row{"0;", "none"},
      Row{"0; url=", "none"},
      Row{"0; url=''", "none"},
      Row{"0x; url=/new", "none"},
      Row{"-1; url=/new", "none"},
      Row{"url=/new", "none"},
      Row{"", "none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(refresh_to(row.value) == row.target);
  }
}

TEST_CASE("redirect pages of static site generators are recognised") {
  // jekyll-redirect-from
  CHECK(
      found("<!DOCTYPE html><html lang=\"en-US\"><meta charset=\"utf-8\"><title>Redirecting&hellip;</title>"
            "<link rel=\"canonical\" href=\"https://a.example/new\"><script>location=\"https://a.example/new\"</script>"
            "<meta http-equiv=\"refresh\" content=\"0; url=https://a.example/new\"><meta name=\"robots\" "
            "content=\"noindex\"><h1>Redirecting&hellip;</h1><a href=\"https://a.example/new\">Click here if you are "
            "not redirected.</a></html>") == "meta_refresh https://a.example/new permanent");
  // mkdocs-redirects
  CHECK(
      found("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Redirecting...</title><link "
            "rel=\"canonical\" href=\"../new/\"><meta name=\"robots\" content=\"noindex\"><script>var "
            "anchor=window.location.hash.substr(1);location.href=\"../new/\"+(anchor?\"#\"+anchor:\"\")</script><meta "
            "http-equiv=\"refresh\" content=\"0; url=../new/\"></head><body>Redirecting...</body></html>",
            "https://a.example/docs/old/") == "meta_refresh https://a.example/docs/new/ permanent");
  // Hugo's aliases
  CHECK(found("<!DOCTYPE html><html lang=\"en\"><head><title>https://a.example/new/</title><link rel=\"canonical\" "
              "href=\"https://a.example/new/\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; "
              "url=https://a.example/new/\"></head></html>") == "meta_refresh https://a.example/new/ permanent");
  // sphinx-reredirects
  CHECK(found("<html><head><meta http-equiv=\"refresh\" content=\"0; url=new.html\"></head></html>") ==
        "meta_refresh https://a.example/docs/new.html");
  // Docusaurus' client redirects
  CHECK(found("<!DOCTYPE html><html><head><meta charset=\"UTF-8\"><meta http-equiv=\"refresh\" content=\"0; "
              "url=/docs/new\"><link rel=\"canonical\" href=\"/docs/new\" /></head><script>window.location.href = "
              "'/docs/new' + window.location.search + window.location.hash;</script></html>") ==
        "meta_refresh https://a.example/docs/new permanent");
  // mike: the default version, for browsers with and without scripts
  CHECK(found("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>Redirecting</title><noscript><meta "
              "http-equiv=\"refresh\" content=\"1; url=latest/\" /></noscript><script>window.location.replace(\n"
              "\"latest/\" + window.location.search + window.location.hash\n);</script></head><body>Redirecting to <a "
              "href=\"latest/\">latest/</a>...</body></html>",
              "https://a.example/docs/") == "script https://a.example/docs/latest/");
  // GoDaddy
  for (const char* quote : {"\"", "'"}) {
    CHECK(
        found("<!DOCTYPE html><html><head><script>window.onload=function(){window.location.href=" + std::string(quote) +
              "/lander" + quote + "}</script></head></html>") == "script https://a.example/lander");
  }
}

TEST_CASE("a redirect that browsers with scripts do not follow is ignored") {
  CHECK(found("<noscript><meta http-equiv=refresh content='0; url=/nojs'></noscript>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0; url=/docs/old'>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0; url=#part'>") == "none");
  CHECK(found("<meta http-equiv=refresh content=0>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0; url=javascript:go()'>") == "none");
  CHECK(found("<meta http-equiv=refresh content='6; url=/new'>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0; url=data:text/html,x'>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0; url=mailto:a@b.example'>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0; url=https://'>") == "none");
  CHECK(found("<!-- <meta http-equiv=refresh content='0; url=/new'> -->") == "none");
  CHECK(found("<script>var x = \"<meta http-equiv=refresh content='0; url=/new'>\"</script>") == "none");
  CHECK(found("<title>&lt;meta http-equiv=refresh content='0; url=/new'></title>") == "none");
  CHECK(found("<meta name=refresh content='0; url=/new'>") == "none");
  std::string text;
  for (int i = 0; i < 100; ++i) text += "many words ";
  CHECK(found("<meta http-equiv=refresh content='0; url=/new'><p>" + text) == "none");
}

TEST_CASE("a page redirect honours base elements and references and the Refresh header") {
  CHECK(found("<base href=/other/><meta http-equiv=Refresh content='0; url=new'>") ==
        "meta_refresh https://a.example/other/new");
  CHECK(found("<meta http-equiv=refresh content=\"0; url=/new?a=1&amp;b=2&#x26;c=3\">") ==
        "meta_refresh https://a.example/new?a=1&b=2&c=3");
  CHECK(found("", "https://a.example/docs/old", "0; url=/new") == "refresh_header https://a.example/new");
  CHECK(found("<meta http-equiv=refresh content='9; url=/late'><meta http-equiv=refresh content='1; url=/new'>") ==
        "meta_refresh https://a.example/new");
  CHECK(found("<body onload=\"location.href='/new'\">") == "script https://a.example/new");
}

TEST_CASE("a page redirect is permanent only if it is instant and its target is canonical") {
  const std::string canonical = "<link rel=canonical href=/new/>";
  CHECK(found(canonical + "<meta http-equiv=refresh content='0; url=/new/'>").ends_with("permanent"));
  CHECK_FALSE(found(canonical + "<meta http-equiv=refresh content='1; url=/new/'>").ends_with("permanent"));
  CHECK_FALSE(found(canonical + "<meta http-equiv=refresh content='0; url=/other/'>").ends_with("permanent"));
  CHECK_FALSE(found(canonical + "<script>location='/new/'</script>").ends_with("permanent"));
  CHECK_FALSE(found(canonical + "<meta http-equiv=refresh content='0; url=/new/'>", "https://a.example/")
                  .ends_with("permanent"));  // the current home page of a site
}

TEST_CASE("scripts that only set the location are redirects") {
  for (const char* text :
       {"location = '/new'", "location=\"/new\";", "window.location = '/new';", "document.location.href = `/new`;",
        "self.location.assign('/new')", "top.location.replace(\"/new\");", "window.top.location.href='/new'",
        "var url = '/new'; window.location.href = url;",
        "// location = '/other'\n/* location = '/x' */ location = '/new'",
        "setTimeout(function () { location.href = '/new'; }, 3000);", "setTimeout(\"location = '/new'\", 500)",
        "setTimeout(() => { window.location = '/new' })",
        "function go() { location.href = '/new' } window.onload = go;",
        "window.addEventListener('load', function () { location = '\\/new' })",
        "window.opener = null; location.replace('\\x2Fnew');",
        "location.href = '/new' + location.search + window.location.hash;"}) {
    CAPTURE(text);
    CHECK(script(text) == "/new");
  }
}

TEST_CASE("scripts that may do more are not redirects") {
  for (const char* text : {"",
                           "location == '/new'",
                           "map.location = '/new'",
                           "if (a) location = '/new'",
                           "a && (location = '/new')",
                           "location = a ? '/new' : '/old'",
                           "location = '/new'; location = '/other'",
                           "location = '/new' + name",
                           "location = '/new/'.concat(name)",
                           "location = name",
                           "location = atob('L25ldw==')",
                           "document.cookie = 'a=1'; location = '/new'",
                           "navigator.language; location = '/new'",
                           "function go() { location.href = '/new' }",
                           "button.onclick = function () { location.href = '/new' }",
                           "setTimeout(function () { location.href = '/new'; }, 30000);",
                           "location.reload()",
                           "location.hash = '/new'",
                           "location = '/new",
                           "location = `/new/${name}`",
                           "setTimeout(function(){location.href='/new'},60*1000)",
                           "setTimeout(function(){location.href='/new'},1e9)",
                           "setTimeout(function(){location.href='/new'},0x7fffffff)",
                           "setTimeout(function(){location.href='/new'},60_000_000)",
                           "var ms=1800000; setTimeout(function(){location.href='/new'}, ms)",
                           "setTimeout(function(){location.href='/new'},1800000,'x')",
                           "setTimeout(function(){location.href='/new'},1800000,)",
                           "const logout=()=>{location.href='/new'}",
                           "var logout=function(){location.href='/new'}",
                           "var menu={logout(){location.href='/new'}}",
                           "var menu={logout:function(){location.href='/new'}}",
                           "class A{logout(){location.href='/new'}}",
                           "document.addEventListener('click', function(){location='/new'})",
                           "window.addEventListener('offline', ()=>{location='/new'})",
                           "window.onerror=function(){location='/new'}",
                           "image.onload=function(){location='/new'}",
                           "image.addEventListener('load', function(){location='/new'})",
                           "start().catch(()=>location='/new')",
                           "try{start()}catch(e){location='/new'}",
                           "import {start} from '/app.js'; location='/new'",
                           "let location='/new'",
                           "function f(location){location='/new'} f({})",
                           "function a(){location='/new'} function b(){a()}",
                           "var l = window.location; l.replace(l.protocol + '//' + l.hostname + '/?/' + l.pathname)"}) {
    CAPTURE(text);
    CHECK(script(text) == "none");
  }
  CHECK(script("location = '/new';" + std::string(5000, ' ')) == "none");
  CHECK(found("<script src=/app.js></script><script>location = '/new'</script>") == "none");
  CHECK(found("<script nomodule>location = '/new'</script>") == "none");
  CHECK(found("<script type=text/x-script>location = '/new'</script>") == "none");
  CHECK(found("<template><script>location = '/new'</script></template>") == "none");
  CHECK(found("<canvas></canvas><script>location = '/new'</script>") == "none");
}

TEST_CASE("a page with content of its own is no redirect page") {
  std::string article;
  for (int i = 0; i < 110; ++i) article += "文";
  CHECK(found("<meta http-equiv=refresh content='5;url=/new'><p>" + article) == "none");
  CHECK(found("<meta http-equiv=refresh content='5;url=/new'><p>文") == "meta_refresh https://a.example/new");
  CHECK(found("<meta http-equiv=refresh content='5;url=/new'><img src=1.jpg>") == "none");
  CHECK(found("<meta http-equiv=refresh content='0;url=/new'><img src=1.jpg>") == "meta_refresh https://a.example/new");
}

TEST_CASE("hostile pages take linear time to search for redirects") {
  std::string metas;
  for (int i = 0; i < 20'000; ++i) metas += "<meta http-equiv=refresh content='9'>";
  CHECK(found(metas) == "none");
  CHECK(script(std::string(4096, '\'')) == "none");
  CHECK(script("setTimeout(" + std::string(4000, '"')) == "none");
}
