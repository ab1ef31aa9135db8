#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "parser/url/canonical.h"
#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

namespace {

constexpr std::string_view nothing = "(nothing)";

std::string target_of(std::string_view text) {
  const auto target = unwrap_redirector(url_of(text));
  return std::string(target ? target->href() : nothing);
}

}  // namespace

TEST_CASE("the target of a redirector link is found") {
  struct Row {
    std::string_view text;
    std::string_view target;
  };
  const Row rows[] = {
      {"https://link.zhihu.com/?target=https%3A//juejin.cn/post/7290740395913969705",
       "https://juejin.cn/post/7290740395913969705"},
      {"http://link.zhihu.com/?target=https%3A%2F%2Fa.com%2F%3Fx%3D1%26y%3D2", "https://a.com/?x=1&y=2"},
      {"https://link.zhihu.com?target=https://a.com/x", "https://a.com/x"},
      {"https://link.zhihu.com/?x=1&target=https%3A//a.com/%23top", "https://a.com/#top"},
      {"https://link.zhihu.com./?%74arget=https%3A//a.com/", "https://a.com/"},
      {"https://link.zhihu.com/?target=https%253A%252F%252Fa.com%252Fx", "https://a.com/x"},
      {"https://link.juejin.cn/?target=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://link.juejin.cn?target=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://link.csdn.net/?from_id=1&target=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://www.jianshu.com/go-wild?ac=2&url=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://link.jianshu.com/?t=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://gitee.com/link?target=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://www.douban.com/link2/?url=http%3A%2F%2Fa.com%2F&query=x", "http://a.com/"},
      {"https://www.douban.com/link2?url=http%3A%2F%2Fa.com%2F", "http://a.com/"},
      {"https://weibo.cn/sinaurl?u=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://weibo.cn/sinaurl?toasturl=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://www.google.com/url?sa=t&url=https://a.com/&usg=x", "https://a.com/"},
      {"https://www.google.com/url?q=https://a.com/&sa=D", "https://a.com/"},
      {"https://google.com.hk/url?q=https://a.com/", "https://a.com/"},
      {"https://l.facebook.com/l.php?u=https%3A%2F%2Fa.com%2F&h=x", "https://a.com/"},
      {"https://out.reddit.com/?url=https%3A%2F%2Fa.com%2F&token=x", "https://a.com/"},
      {"https://www.youtube.com/redirect?event=video&q=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://steamcommunity.com/linkfilter/?url=https://a.com/", "https://a.com/"},
      {"https://steamcommunity.com/linkfilter/?u=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://t.umblr.com/redirect?z=https%3A%2F%2Fa.com%2F&t=x", "https://a.com/"},
      {"https://vk.com/away.php?to=https%3A%2F%2Fa.com%2F&cc_key=", "https://a.com/"},
      {"https://blog.51cto.com/transfer?https://a.com/x?y=1&z=2", "https://a.com/x?y=1&z=2"},
      {"https://href.li/?https://a.com/", "https://a.com/"},
      {"https://www.pixiv.net/jump.php?https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.com%2F&data=x", "https://a.com/"},
      {"https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.com%2F", "https://a.com/"},
      {"https://link.zhihu.com/?target=https%3A//a.com/%3Fq%3Dx+y", "https://a.com/?q=x+y"},
      // Not a redirector, or a redirector without a target.
      {"https://link.zhihu.com/", nothing},
      {"https://link.zhihu.com/?target=", nothing},
      {"https://link.zhihu.com/?target", nothing},
      {"https://link.zhihu.com/?target=a.com/x", nothing},
      {"https://link.zhihu.com/?target=/x", nothing},
      {"https://link.zhihu.com/?target=javascript%3Aalert(1)", nothing},
      {"https://link.zhihu.com/?target=ftp%3A//a.com/", nothing},
      {"https://link.zhihu.com/?target=file%3A///etc/passwd", nothing},
      {"https://link.zhihu.com/?target=https%3A//", nothing},
      {"https://link.zhihu.com/?Target=https%3A//a.com/", nothing},
      {"https://link.zhihu.com/x?target=https%3A//a.com/", nothing},
      {"https://link.zhihu.com/#target=https%3A//a.com/", nothing},
      {"https://xlink.zhihu.com/?target=https%3A//a.com/", nothing},
      {"https://link.zhihu.com.evil.org/?target=https%3A//a.com/", nothing},
      {"https://safelinks.protection.outlook.com.evil.org/?url=https://a.com/", nothing},
      {"https://www.google.com/search?q=https://a.com/", nothing},
      {"https://example.com/?url=https://a.com/", nothing},
      {"ftp://link.zhihu.com/?target=https%3A//a.com/", nothing},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(target_of(row.text) == row.target);
  }
}

TEST_CASE("nested redirectors are followed five levels deep") {
  const auto nested = [](int depth) {
    std::string text = "https://a.com/";
    for (int i = 0; i < depth; ++i) {
      std::string escaped;
      for (const char c : text) escaped += c == '%' ? "%25" : c == '&' ? "%26" : std::string(1, c);
      text = "https://link.juejin.cn/?target=" + escaped;
    }
    return text;
  };
  CHECK(target_of(nested(1)) == "https://a.com/");
  CHECK(target_of(nested(5)) == "https://a.com/");
  CHECK(target_of(nested(6)) == nested(1));
  CHECK(target_of("https://link.zhihu.com/?target=https%3A//www.google.com/url%3Fq%3Dhttps%253A//a.com/") ==
        "https://a.com/");
}
