#include "parser/url/canonical.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/tracking_parameters.h"
#include "parser/url/url_editor.h"
#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

namespace {

struct CanonicalRow {
  std::string_view text;
  std::string_view canonical;
};

template <std::size_t N>
void check_layer(const CanonicalRow (&rows)[N], CanonicalLayer layer) {
  for (const CanonicalRow& row : rows) {
    CAPTURE(row.text);
    const CanonicalForm form = canonical_form(url_of(row.text), layer);
    CHECK(form.url == row.canonical);
    // Canonicalisation is idempotent, and rules are listed only if the URL changed.
    CHECK(canonical_form(url_of(form.url), layer) == CanonicalForm{form.url, {}});
    CHECK(form.rules.empty() == (url_of(row.text).href() == form.url));
  }
}

}  // namespace

TEST_CASE("the first layer drops the fragment and nothing else") {
  const CanonicalRow rows[] = {
      {"http://a", "http://a/"},
      {"http://a/#x", "http://a/"},
      {"http://a/#", "http://a/"},
      {"http://a/?#x", "http://a/?"},
      {"HTTP://A:80/%7e?utm_source=x#y", "http://a/%7e?utm_source=x"},
      {"http://a./", "http://a./"},
      {"mailto:a@b#x", "mailto:a@b"},
      {"data:x #y", "data:x%20"},
  };
  check_layer(rows, CanonicalLayer::whatwg);
}

TEST_CASE("the second layer removes spelling differences that no server can see") {
  const CanonicalRow rows[] = {
      {"http://a/%7Eu/%41%2d?%62=%5F#f", "http://a/~u/A-?b=_"},
      {"http://a/%e4%bd%a0?q=%e4", "http://a/%E4%BD%A0?q=%E4"},
      {"http://a/x%2fy%3f", "http://a/x%2Fy%3F"},
      {"http://a/%2541", "http://a/%2541"},
      {"http://a/%4%31", "http://a/%4%31"},
      {"http://a/%%34%31", "http://a/%%341"},
      {"http://a/100%", "http://a/100%"},
      {"http://a/.%2e%2e", "http://a/..."},
      {"http://a.com./x", "http://a.com/x"},
      {"http://a.com.:81/", "http://a.com:81/"},
      {"http://a.com../x", "http://a.com../x"},
      {"http://./x", "http://./x"},
      {"http://1.2.3.4./", "http://1.2.3.4/"},
      {"http://a/?", "http://a/"},
      {"http://a/x?#y", "http://a/x"},
      {"http://a/??", "http://a/??"},
      {"http://a/?utm_source=x", "http://a/?utm_source=x"},
      {"http://a/?b=1&a=2", "http://a/?b=1&a=2"},  // the order may matter
      {"http://u%41@a/", "http://u%41@a/"},
      {"mailto:%41@b", "mailto:%41@b"},
      {"foo://h./%41?", "foo://h./%41?"},
  };
  check_layer(rows, CanonicalLayer::normalized);
}

TEST_CASE("the third layer removes tracking parameters and keeps what chooses the page") {
  const CanonicalRow rows[] = {
      {"https://zhuanlan.zhihu.com/p/699021260?utm_psn=1858827910254829569", "https://zhuanlan.zhihu.com/p/699021260"},
      {"https://www.zhihu.com/question/591646269/answer/3309904882?utm_psn=1858655279132069888",
       "https://www.zhihu.com/question/591646269/answer/3309904882"},
      {"https://zhuanlan.zhihu.com/p/675517271?utm_source=wechat_session&utm_medium=social&s_r=0&wechatShare=1",
       "https://zhuanlan.zhihu.com/p/675517271"},
      {"https://zhuanlan.zhihu.com/p/678903537?utm_campaign=", "https://zhuanlan.zhihu.com/p/678903537"},
      {"https://www.zhihu.com/search?type=content&q=clip", "https://www.zhihu.com/search?type=content&q=clip"},
      {"https://www.bilibili.com/video/BV1xM4m1m7vA/?spm_id_from=333.999.0.0&vd_source=c9745e4447536b28",
       "https://www.bilibili.com/video/BV1xM4m1m7vA/"},
      {"https://www.bilibili.com/video/BV1/?p=3&vd_source=x&t=40", "https://www.bilibili.com/video/BV1/?p=3&t=40"},
      {"https://search.bilibili.com/"
       "all?keyword=megatron&from_source=webtop_search&spm_id_from=333.1007&search_source=5",
       "https://search.bilibili.com/all?keyword=megatron"},
      {"https://mp.weixin.qq.com/s?__biz=MzA&mid=2&idx=1&sn=ab&chksm=cd&scene=27#wechat_redirect",
       "https://mp.weixin.qq.com/s?__biz=MzA&mid=2&idx=1&sn=ab"},
      {"https://mp.weixin.qq.com/s/4l0g2VI_18EuOjaYQuHYHw?spm=ata.28742492.0.0.68e33fedZgB6Op",
       "https://mp.weixin.qq.com/s/4l0g2VI_18EuOjaYQuHYHw"},
      {"https://open.atatech.org/articles/11000218484?spm=ata.28742492.0.0.45543459cz1WZN",
       "https://open.atatech.org/articles/11000218484"},
      {"https://blog.csdn.net/x/article/details/1?spm=1001.2014&ops_request_misc=a&depth_1-utm_source=b",
       "https://blog.csdn.net/x/article/details/1"},
      {"https://www.youtube.com/watch?v=U0s0f995w14&t=824s", "https://www.youtube.com/watch?v=U0s0f995w14&t=824s"},
      {"https://www.youtube.com/watch?v=1&feature=youtu.be&si=x&list=y", "https://www.youtube.com/watch?v=1&list=y"},
      {"https://youtu.be/abc?si=x&t=1", "https://youtu.be/abc?t=1"},
      // A user's rule may name this parameter. The built-in table does not.
      {"https://simonwillison.net/2024/?continueFlag=f625166ef7",
       "https://simonwillison.net/2024/?continueFlag=f625166ef7"},
      {"https://example.com/?spm=1&si=2&from=3&s=4", "https://example.com/?spm=1&si=2&from=3&s=4"},
      {"https://notbilibili.com/?vd_source=x", "https://notbilibili.com/?vd_source=x"},
      {"https://bilibili.com.evil.org/?vd_source=x", "https://bilibili.com.evil.org/?vd_source=x"},
      {"https://example.com/?UTM_source=1&utm=2&gclid2=3", "https://example.com/?UTM_source=1&utm=2&gclid2=3"},
      {"https://example.com/?a=1&utm_source=x&b=2&fbclid=y", "https://example.com/?a=1&b=2"},
      {"https://example.com/?%75tm_source=x&id=%31", "https://example.com/?id=1"},
      {"https://example.com/?utm_source", "https://example.com/"},
      {"https://example.com/?a&&b=&=c", "https://example.com/?a&&b=&=c"},
      {"https://example.com/?gclid=1#f", "https://example.com/"},
      {"ftp://example.com/?gclid=1", "ftp://example.com/?gclid=1"},
  };
  check_layer(rows, CanonicalLayer::untracked);
}

TEST_CASE("the third layer unwraps redirector links and cleans their targets") {
  const CanonicalRow rows[] = {
      {"https://link.zhihu.com/?target=https%3A//juejin.cn/post/7290740395913969705",
       "https://juejin.cn/post/7290740395913969705"},
      {"https://link.zhihu.com/?target=https%3A%2F%2FExample.com.%2F%257Ea%3Futm_source%3Dx%26b%3D1%23f",
       "https://example.com/~a?b=1"},
      {"https://link.zhihu.com/", "https://link.zhihu.com/"},
  };
  check_layer(rows, CanonicalLayer::untracked);
}

TEST_CASE("the fourth layer joins URLs that are usually the same page") {
  const CanonicalRow rows[] = {
      {"http://example.com/", "https://example.com/"},
      {"http://example.com:80/x", "https://example.com/x"},
      {"http://example.com:8080/x", "https://example.com:8080/x"},
      {"https://www.example.com/x", "https://example.com/x"},
      {"https://www.gov.cn/x",
       "https://www.gov.cn/x"},  // gov.cn is a public suffix, so www.gov.cn is a site of its own
      {"https://www.com/", "https://www.com/"},
      {"https://m.example.com/x", "https://example.com/x"},
      {"https://www.m.example.com/x", "https://example.com/x"},
      {"https://m.bilibili.com/video/BV1", "https://bilibili.com/video/BV1"},
      {"https://en.m.wikipedia.org/wiki/A", "https://en.wikipedia.org/wiki/A"},
      {"https://m.com/", "https://m.com/"},
      {"https://mobile.twitter.com/x", "https://twitter.com/x"},
      {"https://amp./x", "https://amp/x"},
      {"https://amp../x", "https://amp../x"},
      {"https://m..a.com/x", "https://m..a.com/x"},
      {"https://medium.com/x", "https://medium.com/x"},
      {"https://docs.nvidia.com/cuda/guide/index.html?highlight=x#y", "https://docs.nvidia.com/cuda/guide?highlight=x"},
      {"https://example.com/index.php", "https://example.com/"},
      {"https://example.com/a/index.html/", "https://example.com/a"},
      {"https://example.com/a/index.html/index.htm//", "https://example.com/a"},
      {"https://example.com/a/", "https://example.com/a"},
      {"https://example.com//", "https://example.com/"},
      {"https://example.com/a/?b", "https://example.com/a?b"},
      {"https://example.com/myindex.html", "https://example.com/myindex.html"},
      {"https://example.com/?x=/index.html", "https://example.com/?x=/index.html"},
      {"http://1.2.3.4/", "https://1.2.3.4/"},
      {"http://[::1]/a/", "https://[::1]/a"},
      {"http://www.localhost/", "https://www.localhost/"},
      {"mailto:x/index.html", "mailto:x/index.html"},
      {"file:///a/index.html", "file:///a/index.html"},
  };
  check_layer(rows, CanonicalLayer::equivalent);
}

TEST_CASE("the fourth layer joins the URLs that a site has for one page") {
  const CanonicalRow rows[] = {
      {"https://www.zhihu.com/tardis/zm/art/640992384?a=1", "https://zhuanlan.zhihu.com/p/640992384?a=1"},
      {"https://www.zhihu.com/tardis/sogou/art/1", "https://zhuanlan.zhihu.com/p/1"},
      {"https://www.zhihu.com/tardis/bd/ans/22", "https://zhihu.com/answer/22"},
      {"https://www.zhihu.com/question/1/answer/22", "https://zhihu.com/answer/22"},
      {"https://www.zhihu.com/question/1", "https://zhihu.com/question/1"},
      {"https://www.zhihu.com/tardis/zm/art/", "https://zhihu.com/tardis/zm/art"},
      {"https://www.zhihu.com/tardis/zm/art/1/2", "https://zhihu.com/tardis/zm/art/1/2"},
      {"https://youtu.be/dQw4w9WgXcQ", "https://youtube.com/watch?v=dQw4w9WgXcQ"},
      {"https://youtu.be/dQw4w9WgXcQ?t=3", "https://youtube.com/watch?v=dQw4w9WgXcQ&t=3"},
      {"https://m.youtube.com/shorts/abc/", "https://youtube.com/watch?v=abc"},
      {"https://youtu.be/", "https://youtu.be/"},
      {"http://arxiv.org/pdf/2305.01234v2.pdf", "https://arxiv.org/abs/2305.01234v2"},
      {"https://arxiv.org/pdf/2305.01234", "https://arxiv.org/abs/2305.01234"},
      {"https://www.alphaxiv.org/abs/2305.01234", "https://arxiv.org/abs/2305.01234"},
      {"https://arxiv.org/pdf/.pdf", "https://arxiv.org/abs/.pdf"},
      {"https://old.reddit.com/r/cpp/comments/1/x/", "https://reddit.com/r/cpp/comments/1/x"},
      {"https://x.com/someone/status/1?s=20", "https://twitter.com/someone/status/1"},
      {"https://mobile.x.com/someone", "https://twitter.com/someone"},
      {"https://x.com:8443/someone", "https://x.com:8443/someone"},
      {"https://me@x.com/someone", "https://me@x.com/someone"},
      {"https://notx.com/someone", "https://notx.com/someone"},
  };
  check_layer(rows, CanonicalLayer::equivalent);
}

TEST_CASE("the rules that changed a URL are named in their order") {
  const Url url = url_of("http://www.Example.com./%7ea/index.html?utm_source=x#f");
  using Names = std::vector<std::string_view>;
  CHECK(canonical_form(url, CanonicalLayer::whatwg).rules == Names{"fragment"});
  CHECK(canonical_form(url, CanonicalLayer::normalized).rules == Names{"fragment", "escapes", "trailing_dot"});
  CHECK(canonical_form(url, CanonicalLayer::untracked).rules ==
        Names{"fragment", "escapes", "trailing_dot", "tracking_parameters"});
  CHECK(canonical_form(url, CanonicalLayer::equivalent).rules == Names{"fragment", "escapes", "trailing_dot",
                                                                       "tracking_parameters", "https", "www",
                                                                       "index_file", "trailing_slash"});
  CHECK(canonical_form(url_of("https://link.zhihu.com/?target=https://m.a.com/?"), CanonicalLayer::equivalent).rules ==
        Names{"redirector", "empty_query", "mobile_host"});
}

TEST_CASE("each layer keeps together what the layer below joined") {
  for (const std::string_view text : {"http://www.a.com./%41/?utm_source=1#f",
                                      "https://link.zhihu.com/?target=http%3A//a.com/%2541?#x", "foo://H/%41?#"}) {
    const Url url = url_of(text);
    const CanonicalLayer layers[] = {CanonicalLayer::whatwg, CanonicalLayer::normalized, CanonicalLayer::untracked,
                                     CanonicalLayer::equivalent};
    for (std::size_t low = 0; low < std::size(layers); ++low) {
      for (std::size_t high = low; high < std::size(layers); ++high) {
        CAPTURE(text);
        CHECK(canonical_form(url_of(canonical_form(url, layers[low]).url), layers[high]).url ==
              canonical_form(url, layers[high]).url);
      }
    }
  }
}

TEST_CASE("a URL that was changed in place has the parts that parsing it gives") {
  struct EditRow {
    void (*edit)(UrlEditor);
    std::string_view text;
    std::string_view changed;
  };
  const EditRow rows[] = {
      {[](UrlEditor url) { url.remove_fragment(); }, "https://a.com/?b#c", "https://a.com/?b"},
      {[](UrlEditor url) { url.set_path("/~"); }, "https://a.com/%7e?b#c", "https://a.com/~?b#c"},
      {[](UrlEditor url) { url.set_query("b=2"); }, "https://a.com/?utm_a=1&b=2&utm_c#d", "https://a.com/?b=2#d"},
      {[](UrlEditor url) { url.set_query(""); }, "https://a.com/b?#c", "https://a.com/b#c"},
      {[](UrlEditor url) { url.set_query(""); }, "https://a.com/?utm_c", "https://a.com/"},
      {[](UrlEditor url) { url.set_host("a.com"); }, "https://u:p@www.a.com.:81/?b#c", "https://u:p@a.com:81/?b#c"},
      {[](UrlEditor url) { url.set_scheme("https"); }, "http://a.com:8080/", "https://a.com:8080/"},
      {[](UrlEditor url) { url.set_scheme("https"); }, "http://u@a.com:443/b?c#d", "https://u@a.com/b?c#d"},
      {[](UrlEditor url) { url.remove_credentials(); }, "http://u:p@a.com:81/?b#c", "http://a.com:81/?b#c"},
  };
  for (const EditRow& row : rows) {
    CAPTURE(row.text);
    Url changed = url_of(row.text);
    row.edit(UrlEditor(changed));
    CHECK(changed.href() == row.changed);
    const Url again = url_of(row.changed);
    CHECK(changed.scheme() == again.scheme());
    CHECK(changed.username() == again.username());
    CHECK(changed.password() == again.password());
    CHECK(changed.host() == again.host());
    CHECK(changed.port() == again.port());
    CHECK(changed.path() == again.path());
    CHECK(changed.has_query() == again.has_query());
    CHECK(changed.query() == again.query());
    CHECK(changed.has_fragment() == again.has_fragment());
    CHECK(changed.fragment() == again.fragment());
  }
}

TEST_CASE("computing all forms at once equals computing them one by one") {
  for (const std::string_view text : {"http://www.a.com./%41/?utm_source=1#f", "mailto:a@b#c", "http://a/",
                                      "https://link.zhihu.com/?target=http%3A//m.a.com/%2541?utm_a#x"}) {
    CAPTURE(text);
    const Url url = url_of(text);
    const auto forms = canonical_forms(url);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      CHECK(forms[i] == canonical_form(url, canonical_layer_names[i].value));
    }
  }
}

TEST_CASE("tracking parameters are recognised by their site") {
  const auto is_tracking_parameter = [](std::string_view host, std::string_view name) {
    return TrackingParameters(host).contains(name);
  };
  CHECK(is_tracking_parameter("example.com", "utm_anything"));
  CHECK(is_tracking_parameter("example.com", "gclid"));
  CHECK_FALSE(is_tracking_parameter("example.com", "gcli"));
  CHECK_FALSE(is_tracking_parameter("example.com", ""));
  CHECK(is_tracking_parameter("bilibili.com", "vd_source"));
  CHECK(is_tracking_parameter("www.bilibili.com.", "vd_source"));
  CHECK_FALSE(is_tracking_parameter("bilibili.com", "p"));
  CHECK_FALSE(is_tracking_parameter("xiaohongshu.com", "xsec_token"));
  CHECK(is_tracking_parameter("a.b.c.d.e.f.bilibili.com", "vd_source"));
  CHECK_FALSE(is_tracking_parameter("", "vd_source"));
  CHECK_FALSE(is_tracking_parameter(".", "vd_source"));
  CHECK(is_tracking_parameter(".", "utm_a"));
  for (const std::string_view name : {"__biz", "mid", "idx", "sn"}) {
    CHECK_FALSE(is_tracking_parameter("mp.weixin.qq.com", name));
  }
}
