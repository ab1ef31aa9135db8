// Tests passwords in URLs in every spelling that a browser accepts.
#include "parser/url/credentials.h"

#include <vector>

#include <doctest/doctest.h>

#include "parser/url/url_editor.h"

namespace linkherd::parser {

namespace {

struct CredentialsRow {
  std::string text, shown;
};

}  // namespace

TEST_CASE("a password in a URL is masked in every spelling") {
  const std::vector<CredentialsRow> rows{
      {"https://me:s3cret@a.test/x", "https://me:***@a.test/x"},
      {"https://me:a:b@c@a.test/x?y#z", "https://me:***@a.test/x?y#z"},
      {"https://:s3cret@a.test/", "https://:***@a.test/"},
      {"https://t0ken@a.test/", "https://***@a.test/"},
      {"https://me:@a.test/", "https://me:@a.test/"},
      {"https://@a.test/", "https://@a.test/"},
      {"HTTPS://me:s3cret@A.test", "HTTPS://me:***@A.test"},
      {"https:me:s3cret@a.test/", "https:me:***@a.test/"},
      {"https:///me:s3cret@a.test/", "https:///me:***@a.test/"},
      {"https:\\\\me:s3cret@a.test\\x", "https:\\\\me:***@a.test\\x"},
      {" \thttps://me:s3 cret@a.test/", " \thttps://me:***@a.test/"},
      {"ht\ntps://me:s3\ncret@a.test/", "ht\ntps://me:***@a.test/"},
      {"//me:s3cret@a.test/", "//me:***@a.test/"},
      {"\\\\me:s3cret@a.test/", "\\\\me:***@a.test/"},
      {"ssh+git://me:s3cret@a.test/", "ssh+git://me:***@a.test/"},
      {"https://me:s3cret@", "https://me:***@"},
      {"https://me:s3#cret@a.test/x", "https://me:***@a.test/x"},
      {"https://me:s3/cret@a.test/x", "https://me:***@a.test/x"},
      {"https://me:s3?cret@a.test/x", "https://me:***@a.test/x"},
      {"file://me:s3cret@a.test/x", "file://me:***@a.test/x"},
      {"https://web.test/2020/https://me:s3cret@a.test/x", "https://web.test/2020/https://me:***@a.test/x"},
      {"https://web.test/?to=https://me:s3cret@a.test/x", "https://web.test/?to=https://me:***@a.test/x"},
  };
  for (const CredentialsRow& row : rows) {
    CAPTURE(row.text);
    CHECK(mask_password(row.text) == row.shown);
    CHECK(mask_password(row.shown) == row.shown);
  }
}

TEST_CASE("text without a login stays unchanged") {
  for (const std::string text :
       {"", "x", "https://a.test/@me", "https://a.test/?q=a:b@c", "https://a.test/#a:b@c", "mailto:me@a.test",
        "a/b@c:d", "https://a.test//b:c@d/", "https://a.test\\b:c@d", "/x:y@z", "#a@b"}) {
    CAPTURE(text);
    CHECK(mask_password(text) == text);
  }
}

TEST_CASE("passwords in a text are masked and the rest is unchanged") {
  const std::vector<CredentialsRow> rows{
      {"301 at https://me:s3cret@a.test/x, then \"https://t0ken@b.test\".",
       "301 at https://me:***@a.test/x, then \"https://***@b.test\"."},
      {"see https://a.test or write to me@a.test", "see https://a.test or write to me@a.test"},
      {"<https://a.test>: me@b.test", "<https://a.test>: me@b.test"},
      {"a://b", "a://b"},
      {"@://@", "@://@"},
  };
  for (const CredentialsRow& row : rows) {
    CAPTURE(row.text);
    CHECK(mask_passwords_in(row.text) == row.shown);
  }
}

TEST_CASE("parameters that are likely secrets are found by their name or value") {
  struct Parameter {
    std::string url;
    bool is_secret;
  };
  for (const Parameter& row : std::vector<Parameter>{
           {"https://a.test/", false},
           {"https://a.test/?page=2&sort=title&keyword=monkey", false},
           {"https://a.test/?q=the-history-of-kerning-tables-1998-2004", false},
           {"https://a.test/?key=", false},
           {"https://a.test/tokens/signature", false},
           {"https://a.test/?key=7", true},
           {"https://a.test/?api_key=7", true},
           {"https://a.test/?Access-Token=x", true},
           {"https://a.test/?a=1&X-Amz-Signature=0f", true},
           {"https://a.test/?PHPSESSID=1", true},
           {"https://a.test/x;jsessionid=12AB?y", true},
           {"https://a.test/#access_token=1", false},
           {"https://a.test/?next=https%3A%2F%2Fb.test%2F%3Ftoken%3D1", true},
           {"https://a.test/?v=7c4a8d09ca3762af61e59520943dc26494f8941b", true},
           {"https://a.test/?7c4a8d09ca3762af61e59520943dc26494f8941b", true},
       }) {
    CAPTURE(row.url);
    CHECK(has_secret_parameter(Url::parse(row.url).value()) == row.is_secret);
  }
}

TEST_CASE("a URL without its login parses to itself") {
  for (const CredentialsRow& row :
       std::vector<CredentialsRow>{{"https://me:s3cret@a.test:8443/x?y#z", "https://a.test:8443/x?y#z"},
                                   {"https://me@a.test/", "https://a.test/"},
                                   {"https://a.test/@me", "https://a.test/@me"},
                                   {"http://me:x@[::1]/", "http://[::1]/"},
                                   {"mailto:me@a.test", "mailto:me@a.test"}}) {
    CAPTURE(row.text);
    const Url bare = without_credentials(Url::parse(row.text).value());
    const Url again = Url::parse(row.shown).value();
    CHECK(bare.href() == row.shown);
    CHECK(bare.username() == "");
    CHECK(bare.password() == "");
    CHECK(bare.host() == again.host());
    CHECK(bare.port() == again.port());
    CHECK(bare.path() == again.path());
    CHECK(bare.query() == again.query());
    CHECK(bare.fragment() == again.fragment());
  }
}

}  // namespace linkherd::parser
