// Tests links in the forms that people keep in lists, taken from the seed lists: href, site and clean form.
#include <string_view>

#include <doctest/doctest.h>

#include "parser/url/canonical.h"
#include "parser/url/registrable_domain.h"
#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

TEST_CASE("seed list links keep their written form and lose only tracking") {
  struct Row {
    std::string_view text;  // also the href, because these URLs were copied from a browser
    std::string_view site;
    std::string_view clean;
  };
  const Row rows[] = {
      {"https://www.bilibili.com/video/BV1ts4y1T7UH/", "bilibili.com", "https://www.bilibili.com/video/BV1ts4y1T7UH/"},
      {"https://alexzhang13.github.io/blog/2024/efficient-dl/", "alexzhang13.github.io",
       "https://alexzhang13.github.io/blog/2024/efficient-dl/"},
      {"http://blog.ezyang.com/2019/05/pytorch-internals/?continueFlag=f625166ef792bb9d445c5e81716c454e", "ezyang.com",
       "http://blog.ezyang.com/2019/05/pytorch-internals/?continueFlag=f625166ef792bb9d445c5e81716c454e"},
      {"https://www.zhihu.com/question/591646269/answer/3309904882?utm_psn=1858655279132069888", "zhihu.com",
       "https://www.zhihu.com/question/591646269/answer/3309904882"},
      {"https://ramsayleung.github.io/zh/post/2024/%E7%BC%96%E7%A8%8B%E5%8D%81%E5%B9%B4%E7%9A%84%E6%84%9F%E6%82%9F/",
       "ramsayleung.github.io",
       "https://ramsayleung.github.io/zh/post/2024/%E7%BC%96%E7%A8%8B%E5%8D%81%E5%B9%B4%E7%9A%84%E6%84%9F%E6%82%9F/"},
      {"https://lunar-joke-35b.notion.site/Diffusion-Models-bit-by-bit-10fba4b6a3fa80458d16e58036875747", "notion.site",
       "https://lunar-joke-35b.notion.site/Diffusion-Models-bit-by-bit-10fba4b6a3fa80458d16e58036875747"},
      {"https://www.youtube.com/watch?v=U0s0f995w14&t=824s", "youtube.com",
       "https://www.youtube.com/watch?v=U0s0f995w14&t=824s"},
      {"https://link.zhihu.com/?target=https%3A//juejin.cn/post/7290740395913969705", "zhihu.com",
       "https://juejin.cn/post/7290740395913969705"},
      {"https://www.zhihu.com/search?type=content&q=clip", "zhihu.com",
       "https://www.zhihu.com/search?type=content&q=clip"},
      {"https://open.atatech.org/articles/11000218484?spm=ata.28742492.0.0.45543459cz1WZN", "atatech.org",
       "https://open.atatech.org/articles/11000218484"},
      {"https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/"
       "index.html?highlight=bank%20conflict#shared-memory-and-memory-banks",
       "nvidia.com", "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html?highlight=bank%20conflict"},
      {"https://zhuanlan.zhihu.com/p/678903537?utm_campaign=", "zhihu.com", "https://zhuanlan.zhihu.com/p/678903537"},
      {"https://search.bilibili.com/"
       "all?keyword=megatron%E6%A1%86%E6%9E%B6&from_source=webtop_search&spm_id_from=333.1007"
       "&search_source=5",
       "bilibili.com", "https://search.bilibili.com/all?keyword=megatron%E6%A1%86%E6%9E%B6"},
      {"https://www.cnblogs.com/rossiXYZ?page=2", "cnblogs.com", "https://www.cnblogs.com/rossiXYZ?page=2"},
      {"https://www.baidu.com/s?wd=%E7%9F%A5%E4%B9%8E&tn=84053098_3_dg&ie=utf-8", "baidu.com",
       "https://www.baidu.com/s?wd=%E7%9F%A5%E4%B9%8E&tn=84053098_3_dg&ie=utf-8"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Url url = url_of(row.text);
    CHECK(url.href() == row.text);
    CHECK(registrable_domain(url) == row.site);
    CHECK(canonical_form(url, CanonicalLayer::untracked).url == row.clean);
  }
}

TEST_CASE("a link without a scheme is an error or a relative link but never a host") {
  constexpr std::string_view link = "newsletter.maartengrootendorst.com/p/a-visual-guide-to-mixture-of-experts";
  CHECK(href_of(link) == refused);
  CHECK(href_of(link, "file:///work/lists/resources.md") ==
        "file:///work/lists/newsletter.maartengrootendorst.com/p/a-visual-guide-to-mixture-of-experts");
}

TEST_CASE("full-width punctuation after a link stays in its path as escapes") {
  CHECK(href_of("https://zhuanlan.zhihu.com/p/1，") == "https://zhuanlan.zhihu.com/p/1%EF%BC%8C");
  CHECK(href_of("https://zhuanlan.zhihu.com/p/1）") == "https://zhuanlan.zhihu.com/p/1%EF%BC%89");
  CHECK(href_of("https://zhuanlan.zhihu.com。") == "https://zhuanlan.zhihu.com./");
}
