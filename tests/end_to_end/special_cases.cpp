#include "tests/end_to_end/special_cases.h"

#include "tests/end_to_end/page_template.h"
#include "tests/end_to_end/planted_facts.h"

namespace linkherd::tests {
namespace {

Page planted(const std::string& name, int status = 200, const Headers& headers = {}) {
  Page page = html_page(filled_template(name, {}));
  page.status = status;
  page.headers.insert(page.headers.end(), headers.begin(), headers.end());
  return page;
}

SpecialCase gone(const std::string& url, const std::string& reason, const Page& page) {
  return {url, "dead", reason, {}, {page}};
}

SpecialCase refused(const std::string& url, const std::string& reason, const Page& page) {
  return {url, "blocked", reason, {}, {page}};
}

// Redirects that end at an ordinary page.
SpecialCase moved(const std::string& reason, const std::vector<Hop>& hops) {
  return {hops.front().from, "redirected", reason, hops, {}, true};
}

// Returns an ordinary page of its site in GBK. `charset` is the label in the page, and `header` is the Content-Type of
// the response.
Page chinese_page(const std::string& name, const std::string& url, const std::string& charset,
                  const std::string& header) {
  auto values = placeholders(planted_facts(url, Language::chinese));
  values["charset"] = charset;
  return html_page(encoded(filled_template(name, values), "GBK"), header);
}

// The same bytes at two addresses: an article and its copy.
Page syndicated_page(const std::string& original) {
  return html_page(filled_template("syndicated_post", placeholders(planted_facts(original, Language::chinese))));
}

std::vector<SpecialCase> gone_cases() {
  return {
      gone("https://zhuanlan.zhihu.com/p/699376156", "http_404", planted("zhihu_gone", 404)),
      gone("https://blog.csdn.net/sgyuanshi/article/details/108394444", "http_404", status_page(404)),
      gone("https://medium.com/@sntaus/understanding-self-attention-gpt-models-80ec894eebf0", "http_410",
           status_page(410)),
      gone("https://www.bilibili.com/video/BV1xM4m1m7vA/"
           "?spm_id_from=333.999.0.0&vd_source=c9745e4447536b28b2b0735071d30bd6",
           "soft_404", planted("bilibili_gone")),
      gone("https://mp.weixin.qq.com/s/4l0g2VI_18EuOjaYQuHYHw?spm=ata.28742492.0.0.68e33fedZgB6Op", "soft_404",
           planted("wechat_gone")),
      {"https://open.atatech.org/articles/11000218484?spm=ata.28742492.0.0.45543459cz1WZN", "dead", "dns_not_found"},
      {"https://open.atatech.org/articles/11000266664?spm=ata.28742492.0.0.45543459cz1WZN", "dead", "dns_not_found"},
      {"https://open.atatech.org/articles/11020264428?spm=ata.28742492.0.0.45543459cz1WZN", "dead", "dns_not_found"},
      {"https://planted.herd/circle",
       "dead",
       "redirect_loop",
       {{"https://planted.herd/circle", 302, "https://planted.herd/circle/2"},
        {"https://planted.herd/circle/2", 302, "https://planted.herd/circle"}}},
  };
}

std::vector<SpecialCase> moved_cases() {
  const std::string ezyang =
      "//blog.ezyang.com/2019/05/pytorch-internals/?continueFlag=f625166ef792bb9d445c5e81716c454e";
  return {
      moved("moved_permanently", {{"http:" + ezyang, 301, "https:" + ezyang}}),
      moved("moved_permanently",
            {{"https://nvidia.github.io/cccl/cub/", 301, "https://nvidia.github.io/cccl/unstable/cub/"}}),
      moved("moved_permanently", {{"https://docs.vllm.ai/en/latest/", 308, "https://docs.vllm.ai/en/stable/"}}),
      moved("moved_permanently",
            {{"https://github.com/DefTruth/CUDA-Learn-Notes", 301, "https://github.com/xlite-dev/LeetCUDA"}}),
      moved("moved_temporarily", {{"https://huggingface.co/docs/transformers/perf_train_gpu_one", 302,
                                   "https://huggingface.co/docs/transformers/v4.46.0/perf_train_gpu_one"}}),
      moved("moved_temporarily",
            {{"https://www.deepspeed.ai/tutorials/pipeline/", 301, "https://deepspeed.ai/tutorials/pipeline/"},
             {"https://deepspeed.ai/tutorials/pipeline/", 302,
              "https://deepspeed.readthedocs.io/en/latest/tutorial.html"},
             {"https://deepspeed.readthedocs.io/en/latest/tutorial.html", 301,
              "https://deepspeed.readthedocs.io/en/stable/tutorial.html"}}),
      moved("moved_temporarily", {{"https://link.zhihu.com/?target=https%3A//juejin.cn/post/7290740395913969705", 302,
                                   "https://juejin.cn/post/7290740395913969705"}}),
  };
}

std::vector<SpecialCase> refused_cases() {
  return {
      refused("https://zhuanlan.zhihu.com/p/692438094", "captcha", planted("zhihu_wall", 403)),
      refused("https://www.zhihu.com/people/lemonround", "captcha", planted("zhihu_wall", 403)),
      refused("https://zhuanlan.zhihu.com/p/493489688", "http_403", status_page(403)),
      refused(
          "https://www.bilibili.com/video/BV12J4m1K78y/?spm_id_from=333.788&vd_source=559e617af2d73e0db5172ab4e445c28e",
          "http_412", planted("bilibili_wall", 412)),
      refused("https://space.bilibili.com/517221395", "http_412", planted("bilibili_wall", 412)),
      refused("https://blog.csdn.net/WZZ18191171661/article/details/99700992", "challenge", planted("csdn_wall", 521)),
      refused("https://blog.51cto.com/u_14691718/5631471", "challenge", planted("edgeone_stub")),
      refused("https://www.baidu.com/s?wd=%E7%9F%A5%E4%B9%8E%E6%96%B9%E4%BD%B3%E7%91%9E&tn=84053098_3_dg&ie=utf-8",
              "rate_limited", status_page(429, {{"Retry-After", "3600"}})),
      {"https://www.zhihu.com/search?type=content&q=clip",
       "blocked",
       "login_required",
       {{"https://www.zhihu.com/search?type=content&q=clip", 302, "https://www.zhihu.com/signin?next=%2Fsearch"}},
       {html_page("<title>知乎 - 有问题，就会有答案</title><h1>登录</h1>")}},
  };
}

std::vector<SpecialCase> odd_cases() {
  const std::string cnblogs = "https://www.cnblogs.com/rossixyz/p/15553670.html";
  const std::string csdn = "https://blog.csdn.net/love1005lin/article/details/116456422";
  const std::string article = "https://www.cnblogs.com/rossiXYZ/p/15840803.html";
  return {
      {"https://fazzie-key.cool/2023/02/21/MLsys/", "insecure", "tls_expired"},
      {"https://planted.herd/overloaded", "unreachable", "http_503", {}, {status_page(503)}},
      {cnblogs,
       "alive",
       "ok",
       {},
       {chinese_page("cnblogs_post", cnblogs, "gb2312", "text/html; charset=gb2312")},
       true},
      {csdn, "alive", "ok", {}, {chinese_page("csdn_article", csdn, "gbk", "text/html")}, true},
      {article, "alive", "ok", {}, {syndicated_page(article)}},
      {"https://juejin.cn/post/7057837676430360584", "alive", "ok", {}, {syndicated_page(article)}},
  };
}

}  // namespace

std::vector<SpecialCase> special_cases() {
  std::vector<SpecialCase> all = gone_cases();
  for (const auto& more : {moved_cases(), refused_cases(), odd_cases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string planted_list() {
  return R"(# Planted

## Twins of links in the seed lists

- [without tracking](https://zhuanlan.zhihu.com/p/678903537)
- [with tracking](https://www.bilibili.com/video/BV1P3411y7nn/?spm_id_from=333.999.0.0&vd_source=c9745e4447536b28b2b0735071d30bd6)
- [behind the redirector](https://juejin.cn/post/7290740395913969705)

## Others

- [a circle](https://planted.herd/circle)
- [overloaded](https://planted.herd/overloaded)
- [fine](https://planted.herd/1)
- [fine](https://planted.herd/2)
- [fine](https://planted.herd/3)
- [fine](https://planted.herd/4)
)";
}

}  // namespace linkherd::tests
