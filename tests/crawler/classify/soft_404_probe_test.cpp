#include "crawler/classify/soft_404_probe.h"

#include <doctest/doctest.h>

#include "tests/crawler/classify/result_builder.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

namespace {

constexpr std::string_view message =
    "We are sorry, nothing is to be seen here any longer. Try our menu, or write to us.";
constexpr std::string_view article = "The levain is fed twice a day, with the same weight of flour and of water.";

storage::PageFeatures features(std::string_view title, std::string_view text,
                               std::string_view url = "https://a.example/p/x") {
  return features_without_url(small_page(title, text), parser::Url::parse(url).value());
}

storage::ProbeResult probe(int status, storage::PageFeatures page, std::string final_url = "https://a.example/none") {
  return {.at = {}, .status = status, .final_url = std::move(final_url), .page = std::move(page)};
}

struct Case {
  std::string_view requested = "https://a.example/p/old-recipe";
  std::string_view found = {};  // the final URL
  storage::PageFeatures features = {};
  std::optional<storage::PageFeatures> features_with_url =
      std::nullopt;  // only if it differs from the features without the URL
  std::optional<storage::ProbeResult> probe = std::nullopt;
  std::optional<storage::PageFeatures> home = std::nullopt;
  std::optional<double> mark = std::nullopt;     // the confidence of the rule that found a soft 404
  std::optional<double> refusal = std::nullopt;  // or of a rule for walls
};

storage::Verdict evaluated(const Case& one) {
  const auto url = parser::Url::parse(one.requested).value();
  const storage::Verdict alive{Health::alive, "ok", "status", "HTTP 200.", 1.0};
  storage::Snapshot found;
  found.status = 200;
  found.final_url = one.found.empty() ? one.requested : one.found;
  if (!one.found.empty()) found.redirects.push_back({std::string(one.requested), 301, std::string(one.found)});
  found.verdict = alive;
  if (one.mark) found.verdict = {Health::suspect, "soft_404", "soft_404:en", "A mark.", *one.mark};
  if (one.refusal) found.verdict = {Health::blocked, "challenge", "wall:words", "Words.", *one.refusal};
  return apply_probe({url, found, one.features, one.features_with_url.value_or(one.features), alive},
                     one.probe ? &*one.probe : nullptr, one.home ? &*one.home : nullptr);
}

}  // namespace

TEST_CASE("a page that a soft-404 probe gets as well is a soft 404") {
  const storage::Verdict same =
      evaluated({.features = features("Shop", message), .probe = probe(200, features("Shop", message))});
  CHECK(same.health == Health::suspect);
  CHECK(same.reason == "soft_404");
  CHECK(same.rule == "calibration");
  CHECK(same.evidence.find("\"Shop\"") != std::string::npos);

  CHECK(evaluated({.features = features("Shop", article), .probe = probe(200, features("Shop", message))}).health ==
        Health::alive);
  CHECK(evaluated({.features = features("Levain", message), .probe = probe(200, features("Shop", message))}).health ==
        Health::alive);
  CHECK(evaluated({.features = features("Shop", message), .probe = probe(404, features("Shop", message))}).health ==
        Health::alive);
  CHECK(evaluated({.features = features("Shop", message)}).health == Health::alive);
}

TEST_CASE("a page shell that scripts fill is no soft 404") {
  CHECK(evaluated({.features = features("App", "Loading"), .probe = probe(200, features("App", "Loading"))}).health ==
        Health::alive);
  CHECK(evaluated({.features = features("App", message),
                   .probe = probe(200, features("App", message)),
                   .home = features("App", message)})
            .health == Health::alive);
}

TEST_CASE("a URL inside the page makes no difference to the probe comparison") {
  const auto named = [](std::string_view url, std::string_view name) {
    return features(std::string(name) + " - Wiki", "There is no page " + std::string(name) + " yet. You may write it.",
                    url);
  };
  CHECK(evaluated({.features = named("https://a.example/wiki/Old_Bridge", "Old_Bridge"),
                   .probe = probe(200, named("https://a.example/wiki/linkherd-control-1", "linkherd-control-1"))})
            .rule == "calibration");
}

TEST_CASE("a URL inside a longer word is not removed") {
  const storage::PageFeatures page = features("Service ended", message, "https://a.example/user/ended");
  CHECK(page.title == "Service");
  CHECK(features("Dienst eingestellt", message, "https://a.example/user/inge").title == "Dienst eingestellt");
  CHECK(features("inge", message, "https://a.example/user/inge").title.empty());
  CHECK(features("inge, geringe und inge", message, "https://a.example/user/inge").title == ", geringe und");
}

TEST_CASE("the soft-404 probe decides how much a not-found mark counts") {
  const storage::PageFeatures page = features("404", message);
  CHECK(evaluated({.features = page, .mark = 0.85}).health == Health::suspect);
  CHECK(evaluated({.features = page, .probe = probe(404, {}), .mark = 0.85}).health == Health::alive);
  CHECK(evaluated({.features = page, .probe = probe(404, {}), .mark = 0.88}).health == Health::suspect);
  CHECK(evaluated(
            {.requested = "https://a.example/topic.php?t=7", .features = page, .probe = probe(404, {}), .mark = 0.85})
            .health == Health::suspect);
  const storage::Verdict same = evaluated({.features = page, .probe = probe(200, page), .mark = 0.85});
  CHECK(same.health == Health::suspect);
  CHECK(same.confidence > 0.88);
  CHECK(evaluated({.features = page, .probe = probe(0, {}), .mark = 0.85}).confidence == 0.85);
}

TEST_CASE("a redirect to the home page or a general page is suspect unless the probe clears it") {
  const storage::PageFeatures home = features("Shop", article);
  CHECK(evaluated({.found = "https://a.example/", .features = home}).health == Health::suspect);
  CHECK(evaluated({.found = "https://a.example/en/", .features = home}).health == Health::suspect);
  CHECK(evaluated({.found = "https://a.example/search?q=old", .features = home}).health == Health::suspect);
  CHECK(evaluated({.found = "https://a.example/", .features = home, .probe = probe(404, {})}).health == Health::alive);
  CHECK(evaluated(
            {.found = "https://a.example/all", .features = home, .probe = probe(200, home, "https://a.example/all")})
            .rule == "calibration");
  CHECK(evaluated({.found = "https://a.example/r/old-recipe", .features = home}).health == Health::alive);
  CHECK(evaluated({.requested = "http://a.example/en/index.html", .found = "https://a.example/", .features = home})
            .health == Health::alive);
}

TEST_CASE("words of refusal count if every path gets the same page") {
  const storage::PageFeatures wall = features("Check", message);
  const storage::Verdict same = evaluated({.features = wall, .probe = probe(200, wall), .refusal = 0.6});
  CHECK(same.health == Health::blocked);
  CHECK(same.rule == "wall:words");
  CHECK(same.confidence > 0.6);
  CHECK(same.evidence.find("cannot exist") != std::string::npos);
  CHECK(evaluated({.features = wall, .refusal = 0.6}).health == Health::alive);
  CHECK(evaluated({.features = wall, .probe = probe(404, wall), .refusal = 0.6}).health == Health::alive);
  CHECK(evaluated({.features = wall, .probe = probe(200, features("Shop", article)), .refusal = 0.6}).health ==
        Health::alive);
  CHECK(evaluated({.requested = "https://a.example/", .features = wall, .probe = probe(200, wall), .refusal = 0.6})
            .health == Health::blocked);
}

TEST_CASE("words of refusal are weak and any mark of another page is stronger") {
  const FetchResult result = build({.url = "https://a.example/p", .status = 200});
  const PageEvidence wall = small_page("Door", "Access from data centres is not allowed.");
  const storage::Verdict verdict = classify(result, wall);
  CHECK(verdict.rule == "wall:words");
  CHECK(uncertain(result, verdict, features_without_url(wall, result.link_url)).value().health == Health::alive);
  CHECK(classify(build({.url = "https://a.example/p", .status = 404}), wall).reason == "http_404");
  CHECK(classify(build({.url = "https://a.example/p", .status = 403}), wall).rule == "status");
  CHECK(classify(result, small_page("Page not found", "Access from data centres is not allowed.")).reason ==
        "soft_404");
  const std::string long_text = std::string(600, 'x') + " Access from data centres is not allowed.";
  CHECK(classify(result, small_page("Door", long_text)).health == Health::alive);
}

TEST_CASE("a login form is a wall if every path gets the same page") {
  const FetchResult result = build({.url = "https://a.example/p", .status = 200});
  const PageEvidence form = small_page("Members", "<p>Please log in.</p><input name=p type='password'>");
  const storage::Verdict verdict = classify(result, form);
  CHECK(verdict.reason == "login_required");
  CHECK(verdict.rule == "login:form");
  CHECK(uncertain(result, verdict, features_without_url(form, result.link_url)).value().health == Health::alive);
  const std::string article = std::string(400, 'x') + "<input type=password>";
  CHECK(classify(result, small_page("Members", article)).health == Health::alive);
}

TEST_CASE("a URL word that the error message repeats does not make it another page") {
  const std::string_view oops = "Oops! That page can't be found.";
  const auto seen_at = [&](std::string_view url) {
    const PageEvidence page = small_page(oops, oops);
    return evaluated(
               {.requested = url,
                .features = features(oops, oops, url),
                .features_with_url = page_features(page),
                .probe = probe(200, features(oops, oops, "https://a.example/x/linkherd-control-0123456789abcdef"))})
        .reason;
  };
  for (const char* url : {"https://a.example/x/page", "https://a.example/found", "https://a.example/some/article.html",
                          "https://a.example/oops", "https://a.example/page/that/page"}) {
    CAPTURE(url);
    CHECK(seen_at(url) == "soft_404");
  }
}

TEST_CASE("a generic file name on a redirect target does not show that the page still exists") {
  const std::string text(1000, 'x');
  for (const char* name : {"page", "article.html", "index.php", "file"}) {
    CAPTURE(name);
    const std::string url = "https://a.example/x/" + std::string(name);
    const std::string error = "https://a.example/error-" + std::string(name);
    const PageEvidence page = small_page("Our shop", text);
    ResultSpec spec{.url = url, .status = 200};
    spec.redirects = {{302, error}};
    const FetchResult result = build(spec);
    CHECK(uncertain(result, classify(result, page), page_features(page)).has_value());
  }
}

TEST_CASE("only doubtful pages are worth a soft-404 probe") {
  struct Row {
    const char* url;
    const char* to;
    std::string_view title;
    std::string text;
    bool uncertain;
  };
  const std::string full(1000, 'x');
  const Row rows[] = {
      {"https://a.example/p", nullptr, "A recipe", full, false},
      {"https://a.example/p", nullptr, "A recipe", "short", true},
      {"https://a.example/12", nullptr, "A recipe", "short", true},
      {"https://a.example/", nullptr, "A recipe", "short", false},
      {"https://a.example/de", nullptr, "A recipe", "short", false},
      {"https://a.example/p", nullptr, "", full, true},
      {"https://a.example/p", nullptr, "Home", full, true},
      {"https://a.example/p", nullptr, "a.example", full, true},
      {"https://a.example/p", "https://a.example/", "A recipe", full, true},
      {"https://a.example/p/bread", "https://a.example/recipes/", "A recipe", full, true},
      {"https://a.example/p/bread.html", "https://www.a.example/recipes/bread", "A recipe", full, false}};
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CAPTURE(row.title);
    ResultSpec spec{.url = row.url, .status = 200};
    if (row.to != nullptr) spec.redirects = {{301, row.to}};
    const FetchResult result = build(spec);
    const PageEvidence page = small_page(row.title, row.text);
    const auto by_status = uncertain(result, classify(result, page), features_without_url(page, result.link_url));
    CHECK(by_status.has_value() == row.uncertain);
  }
}

TEST_CASE("the probe path lies beside the page and stays the same for a day") {
  const auto url = parser::Url::parse("https://user:pw@a.example:8443/b/c.html?q=1").value();
  const Timestamp morning = parse_timestamp("2026-03-05T01:00:00Z").value();
  const std::string href = probe_href(url, morning);
  CHECK(href.starts_with("https://a.example:8443/b/linkherd-control-"));
  CHECK(probe_href(url, morning + std::chrono::hours(12)) == href);
  CHECK(probe_href(url, morning + std::chrono::hours(24)) != href);
}
