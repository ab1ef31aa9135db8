#include "tests/end_to_end/site_shapes.h"

#include <algorithm>
#include <array>

#include <fnmatch.h>

namespace linkherd::tests {
namespace {

constexpr auto chinese = Language::chinese;
constexpr auto english = Language::english;
constexpr auto nobody = AuthorForm::none;

// clang-format off
constexpr std::array shapes{
    SiteShape{"zhuanlan.zhihu.com", "/p/*", "zhihu_article", chinese, AuthorForm::one, DateForm::china},
    SiteShape{"www.zhihu.com", "/question/*/answer/*", "zhihu_answer", chinese, AuthorForm::one, DateForm::china},
    SiteShape{"www.zhihu.com", "/question/*", "zhihu_question", chinese, AuthorForm::one, DateForm::china},
    SiteShape{"www.zhihu.com", "/people/*", "zhihu_people", chinese},
    SiteShape{"www.zhihu.com", "/org/*", "zhihu_people", chinese},
    SiteShape{"www.bilibili.com", "/video/*", "bilibili_video", chinese, AuthorForm::one, DateForm::china},
    SiteShape{"search.bilibili.com", "/*", "bilibili_search", chinese},
    SiteShape{"mp.weixin.qq.com", "/s/*", "wechat_article", chinese, AuthorForm::one, DateForm::china},
    SiteShape{"blog.csdn.net", "/*", "csdn_article", chinese, AuthorForm::one, DateForm::without_offset},
    SiteShape{"www.cnblogs.com", "/*/p/*", "cnblogs_post", chinese, AuthorForm::one, DateForm::minute},
    SiteShape{"www.cnblogs.com", "/*", "cnblogs_index", chinese},
    SiteShape{"juejin.cn", "/post/*", "juejin_post", chinese, AuthorForm::one, DateForm::utc},
    SiteShape{"blog.51cto.com", "/*", "fiftyonecto_post", chinese, AuthorForm::one, DateForm::without_offset},
    SiteShape{"www.51cto.com", "/article/*", "fiftyonecto_post", chinese, AuthorForm::one, DateForm::without_offset},

    SiteShape{"github.com", "/*/*/blob/*", "github_file", english, AuthorForm::owner, DateForm::none, TitleForm::file_in_repository},
    SiteShape{"github.com", "/*/*/tree/*", "github_file", english, nobody, DateForm::none, TitleForm::file_in_repository},
    SiteShape{"github.com", "/*/*", "github_repository", english, AuthorForm::owner, DateForm::none, TitleForm::repository},
    SiteShape{"github.com", "/*", "github_owner"},
    SiteShape{"arxiv.org", "/abs/*", "arxiv_abstract", english, AuthorForm::two, DateForm::day},
    SiteShape{"arxiv.org", "/pdf/*", "pdf", english, nobody, DateForm::none, TitleForm::none},
    SiteShape{"docs.nvidia.com", "/*.pdf", "pdf", english, nobody, DateForm::none, TitleForm::none},
    SiteShape{"developer.download.nvidia.com", "/*.pdf", "pdf", english, nobody, DateForm::none, TitleForm::none},
    SiteShape{"docs.nvidia.com", "/*", "sphinx_page"},
    SiteShape{"nvidia.github.io", "/*", "sphinx_page"},
    SiteShape{"docs.vllm.ai", "/*", "sphinx_page"},
    SiteShape{"deepspeed.readthedocs.io", "/*", "sphinx_page"},
    SiteShape{"pytorch.org", "/docs/*", "sphinx_page"},
    SiteShape{"zh-v2.d2l.ai", "/*", "sphinx_page", chinese},
    SiteShape{"www.youtube.com", "/watch*", "youtube_watch", english, AuthorForm::one, DateForm::pacific},
    SiteShape{"medium.com", "/*", "medium_story", english, AuthorForm::one, DateForm::utc},
    SiteShape{"www.latent.space", "/*", "substack_post", english, AuthorForm::two, DateForm::utc},
    SiteShape{"newsletter.maartengrootendorst.com", "/*", "substack_post", english, AuthorForm::two, DateForm::utc},
    SiteShape{"lunar-joke-35b.notion.site", "/*", "notion_shell", english, nobody, DateForm::none, TitleForm::none},
    SiteShape{"sourcecode.gitbook.io", "/*", "gitbook_page", chinese},
    SiteShape{"huggingface.co", "/spaces/*", "huggingface_space", english, AuthorForm::owner},
    SiteShape{"huggingface.co", "/blog/*", "huggingface_blog", english, AuthorForm::two, DateForm::day},
    SiteShape{"huggingface.co", "/docs/*", "huggingface_docs"},

    SiteShape{"jalammar.github.io", "/*", "jekyll_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"alexzhang13.github.io", "/*", "jekyll_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"tridao.me", "/*", "jekyll_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"lilianweng.github.io", "/*", "hugo_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"ramsayleung.github.io", "/*", "hugo_post", chinese, AuthorForm::one, DateForm::utc},
    SiteShape{"sungenglab.github.io", "/*", "hugo_post", chinese, AuthorForm::one, DateForm::utc},
    SiteShape{"blog.eleuther.ai", "/*", "hugo_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"fazzie-key.cool", "/*", "hugo_post", chinese, AuthorForm::one, DateForm::utc},
    SiteShape{"timdettmers.com", "/*", "wordpress_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"blog.ezyang.com", "/*", "wordpress_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"developer.nvidia.com", "/blog/*", "wordpress_post", english, AuthorForm::one, DateForm::utc},
    SiteShape{"simonwillison.net", "/*", "time_only_post", english, AuthorForm::one, DateForm::day},
    SiteShape{"horace.io", "/*", "undated_page"},
    SiteShape{"opencs.app", "/*", "undated_page"},
    SiteShape{"planted.herd", "/*", "undated_page"},
};
// clang-format on

bool matches(std::string_view pattern, const std::string& path) {
  return fnmatch(std::string(pattern).c_str(), path.c_str(), 0) == 0;
}

// "docs/intro.md at main · owner/name" of /owner/name/blob/main/docs/intro.md
std::string title_of_file(const std::vector<std::string>& segments) {
  const std::string& owner = segments.at(0);
  const std::string& name = segments.at(1);
  std::string title = name;
  for (std::size_t i = 4; i < segments.size(); ++i) title += "/" + segments[i];
  return title + " at " + segments.at(3) + " · " + owner + "/" + name;
}

std::string date_in_form(DateForm form, const WallTime& time) {
  const std::string day = date_of(time, '-');
  const std::string second = day + "T" + time_of(time);
  switch (form) {
    case DateForm::none: return {};
    case DateForm::china: return second + "+08:00";
    case DateForm::without_offset: return second;
    case DateForm::minute: return day + "T" + minute_of(time);
    case DateForm::day: return day;
    case DateForm::utc: return second + "Z";
    case DateForm::pacific: return second + "-07:00";
  }
  return {};
}

std::string owner_of(const PlantedFacts& facts) {
  const bool below_folder = facts.host == "huggingface.co";  // /spaces/OWNER/NAME
  return facts.segments.at(below_folder ? 1 : 0);
}

}  // namespace

std::span<const SiteShape> site_shapes() { return shapes; }

const SiteShape* shape_of(const std::string& host, const std::string& path) {
  const auto* const found = std::ranges::find_if(
      shapes, [&](const SiteShape& shape) { return shape.host == host && matches(shape.path, path); });
  return found == shapes.end() ? nullptr : found;
}

PlantedFacts facts_of(const SiteShape& shape, const std::string& url) {
  PlantedFacts facts = planted_facts(url, shape.language);
  if (shape.title == TitleForm::repository) facts.title = facts.segments.at(0) + "/" + facts.segments.at(1);
  if (shape.title == TitleForm::file_in_repository) facts.title = title_of_file(facts.segments);
  if (shape.authors == AuthorForm::owner) facts.authors[0] = owner_of(facts);
  return facts;
}

Harvest harvest_of(const SiteShape& shape, const PlantedFacts& facts) {
  Harvest harvest;
  if (shape.title != TitleForm::none) harvest.title = facts.title;
  if (shape.authors != AuthorForm::none) harvest.authors.push_back(facts.authors[0]);
  if (shape.authors == AuthorForm::two) harvest.authors.push_back(facts.authors[1]);
  harvest.published = date_in_form(shape.date, facts.published);
  return harvest;
}

}  // namespace linkherd::tests
