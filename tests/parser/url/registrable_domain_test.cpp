#include "parser/url/registrable_domain.h"

#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

TEST_CASE("top-level domains of the public DNS are recognised") {
  for (const std::string label : {"com", "cn", "ck", "xn--fiqs8s"}) {
    CAPTURE(label);
    CHECK(is_top_level_domain(label));
  }
  for (const std::string label : {"", "co.uk", "onion", "localhost", "test", "github.io"}) {
    CAPTURE(label);
    CHECK_FALSE(is_top_level_domain(label));
  }
}

TEST_CASE("the registrable domain is one label more than the public suffix") {
  struct Row {
    std::string_view text;
    std::string_view domain;
  };
  const Row rows[] = {
      {"https://zhuanlan.zhihu.com/p/1", "zhihu.com"},
      {"https://zhihu.com", "zhihu.com"},
      {"https://a.b.c.example.co.uk/", "example.co.uk"},
      {"https://WWW.EXAMPLE.COM.", "example.com"},
      {"https://example.com.:8080/", "example.com"},
      {"https://www.gov.cn", "www.gov.cn"},
      {"https://mp.weixin.qq.com", "qq.com"},
      // The private section of the list counts, so the users of a hosting service have separate domains.
      {"https://alice.github.io", "alice.github.io"},
      {"https://x.alice.github.io", "alice.github.io"},
      {"https://me.readthedocs.io", "me.readthedocs.io"},
      // Public suffixes, addresses and single labels are returned unchanged.
      {"https://github.io", "github.io"},
      {"https://com", "com"},
      {"https://co.uk/", "co.uk"},
      {"http://localhost:8080", "localhost"},
      {"http://127.0.0.1/", "127.0.0.1"},
      {"http://[2001:db8::1]/", "[2001:db8::1]"},
      {"http://./", "."},
      {"mailto:a@b.com", ""},
      {"file:///x", ""},
      {"foo://a.b.com/", "a.b.com"},
      // An unknown top-level domain is a suffix.
      {"http://a.b.internal-zone/", "b.internal-zone"},
      // Wildcards and exceptions of the list.
      {"http://a.b.c.ck", "b.c.ck"},
      {"http://a.www.ck", "www.ck"},
      {"http://www.食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn"},
      {"http://a.例子.中国/", "xn--fsqu00a.xn--fiqs8s"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(registrable_domain(url_of(row.text)) == row.domain);
  }
}

TEST_CASE("the suffix list and the IDNA tables work from many threads") {
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 500; ++i) {
        good[t] += registrable_domain(url_of("http://www.食狮.公司.cn/")) == "xn--85x722f.xn--55qx5d.cn" ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == std::vector<int>{500, 500, 500, 500});
}
