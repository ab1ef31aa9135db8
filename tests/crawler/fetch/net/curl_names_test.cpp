#include "crawler/fetch/net/curl_names.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

TEST_CASE("hosts that curl takes literally are recognised") {
  for (const std::string host : {"a.example", "xn--a.example", "under_score.example", "127.0.0.1", "dot.example."}) {
    CAPTURE(host);
    CHECK(fits_curl_url(host));
    CHECK(fits_curl_resolve(host));
  }
  CHECK(fits_curl_url("-dash.example"));
  CHECK_FALSE(fits_curl_resolve("-dash.example"));
  for (const char c : std::string("!\"$&'()*+,;=`{}")) {
    const std::string host = std::string("a") + c + "b.example";
    CAPTURE(host);
    CHECK_FALSE(fits_curl_url(host));
    CHECK_FALSE(fits_curl_resolve(host));
  }
}

TEST_CASE("each host has one stable alias of its own") {
  CurlNames names;
  const std::string first = names.alias("a+b.example");
  CHECK(fits_curl_resolve(first));
  CHECK(names.alias("a+c.example") != first);
  CHECK(names.alias("a+b.example") == first);
}

TEST_CASE("only the host of a URL is replaced") {
  struct Row {
    std::string url;
    std::string with;
  };
  for (const Row& row : std::vector<Row>{
           {"http://a+b.test", "http://x/"},
           {"https://a+b.test:8443/a+b.test?q=@a+b.test#f", "https://x:8443/a+b.test?q=@a+b.test"},
           {"http://a+b.test:pass%40@a+b.test/", "http://a+b.test:pass%40@x/"},
       }) {
    CAPTURE(row.url);
    CHECK(with_host(parser::Url::parse(row.url).value(), "x") == row.with);
  }
}
