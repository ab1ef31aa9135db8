#include "parser/metadata/site_rule_table.h"

#include <array>

namespace linkherd::parser {
namespace {

using enum SiteField;
using enum Where;
using enum Reading;

// clang-format off
constexpr std::array rules{
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", title, state, "#js-initialData", "initialState.entities.articles.{1}.title"},
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", title, element, "", "h1.Post-Title"},
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", author, state, "#js-initialData", "initialState.entities.articles.{1}.author.name"},
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", author, element, "", ".AuthorInfo meta[itemprop=name]@content"},
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", published, state, "#js-initialData", "initialState.entities.articles.{1}.created", unix_china},
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", modified, state, "#js-initialData", "initialState.entities.articles.{1}.updated", unix_china},
    SiteRule{"zhihu", "zhuanlan.zhihu.com", "/p/*", site_name, constant, "", "知乎"},

    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", title, state, "#js-initialData", "initialState.entities.answers.{2}.question.title"},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", title, state, "#js-initialData", "initialState.entities.questions.{1}.title"},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", title, element, "", "h1.QuestionHeader-title"},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", author, state, "#js-initialData", "initialState.entities.answers.{2}.author.name"},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", published, state, "#js-initialData", "initialState.entities.answers.{2}.createdTime", unix_china},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", published, state, "#js-initialData", "initialState.entities.answers.{2}.created", unix_china},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", modified, state, "#js-initialData", "initialState.entities.answers.{2}.updatedTime", unix_china},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", modified, state, "#js-initialData", "initialState.entities.answers.{2}.updated", unix_china},
    SiteRule{"zhihu", "zhihu.com", "/question/*/answer/*", site_name, constant, "", "知乎"},

    SiteRule{"zhihu", "zhihu.com", "/question/*", title, state, "#js-initialData", "initialState.entities.questions.{1}.title"},
    SiteRule{"zhihu", "zhihu.com", "/question/*", title, element, "", "h1.QuestionHeader-title"},
    SiteRule{"zhihu", "zhihu.com", "/question/*", author, state, "#js-initialData", "initialState.entities.questions.{1}.author.name"},
    SiteRule{"zhihu", "zhihu.com", "/question/*", published, state, "#js-initialData", "initialState.entities.questions.{1}.created", unix_china},
    SiteRule{"zhihu", "zhihu.com", "/question/*", modified, state, "#js-initialData", "initialState.entities.questions.{1}.updatedTime", unix_china},
    SiteRule{"zhihu", "zhihu.com", "/question/*", site_name, constant, "", "知乎"},

    SiteRule{"bilibili", "bilibili.com", "/video/*", title, state, "__INITIAL_STATE__", "videoData.title"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", title, element, "", "meta[itemprop=name]@content"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", author, state, "__INITIAL_STATE__", "videoData.owner.name"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", author, element, "", "meta[itemprop=author]@content"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", published, state, "__INITIAL_STATE__", "videoData.pubdate", unix_china},
    SiteRule{"bilibili", "bilibili.com", "/video/*", published, element, "", "meta[itemprop=datePublished]@content"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", published, element, "", "meta[itemprop=uploadDate]@content"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", site_name, constant, "", "哔哩哔哩"},
    SiteRule{"bilibili", "bilibili.com", "/video/*", site_name, constant, "", "bilibili"},

    SiteRule{"bilibili", "bilibili.com", "", title, element, "", ".opus-module-title__text"},
    SiteRule{"bilibili", "bilibili.com", "", author, element, "", ".opus-module-author__name"},
    SiteRule{"bilibili", "bilibili.com", "", published, element, "", ".opus-module-author__pub__text"},
    SiteRule{"bilibili", "bilibili.com", "", site_name, constant, "", "哔哩哔哩"},
    SiteRule{"bilibili", "bilibili.com", "", site_name, constant, "", "bilibili"},

    SiteRule{"wechat", "mp.weixin.qq.com", "/s", title, element, "", "meta[property=og:title]@content"},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", title, element, "", "#activity-name"},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", title, variable, "", "msg_title"},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", author, variable, "", "nickname"},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", author, element, "", "#js_name"},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", author, element, "", ".wx_follow_nickname"},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", published, variable, "", "ct", unix_china},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", published, variable, "", "oriCreateTime", unix_china},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", published, variable, "", "create_time", unix_china},
    SiteRule{"wechat", "mp.weixin.qq.com", "/s", site_name, constant, "", "微信公众平台"},

    SiteRule{"csdn", "csdn.net", "", title, element, "", "h1.title-article"},
    SiteRule{"csdn", "csdn.net", "", title, variable, "", "articleTitle"},
    SiteRule{"csdn", "csdn.net", "", author, variable, "", "nickName"},
    SiteRule{"csdn", "csdn.net", "", author, element, "", "a.follow-nickName"},
    SiteRule{"csdn", "csdn.net", "", site_name, constant, "", "CSDN博客"},
    SiteRule{"csdn", "csdn.net", "", site_name, constant, "", "CSDN"},

    SiteRule{"cnblogs", "cnblogs.com", "", title, element, "", "#cb_post_title_url"},
    SiteRule{"cnblogs", "cnblogs.com", "", author, element, "", ".postDesc a[href^=https://www.cnblogs.com/]"},
    SiteRule{"cnblogs", "cnblogs.com", "", published, element, "", "#post-date"},
    SiteRule{"cnblogs", "cnblogs.com", "", modified, element, "", "#post-date@data-date-updated"},
    SiteRule{"cnblogs", "cnblogs.com", "", site_name, constant, "", "博客园"},

    SiteRule{"juejin", "juejin.cn", "/post/*", title, element, "", "meta[itemprop=headline]@content"},
    SiteRule{"juejin", "juejin.cn", "/post/*", title, element, "", "h1.article-title"},
    SiteRule{"juejin", "juejin.cn", "/post/*", author, element, "", "[itemprop=author] meta[itemprop=name]@content"},
    SiteRule{"juejin", "juejin.cn", "/post/*", published, element, "", "meta[itemprop=datePublished]@content"},
    SiteRule{"juejin", "juejin.cn", "/post/*", modified, element, "", "meta[itemprop=dateModified]@content"},
    SiteRule{"juejin", "juejin.cn", "/post/*", site_name, constant, "", "掘金"},
    SiteRule{"juejin", "juejin.cn", "/post/*", site_name, constant, "", "稀土掘金"},

    SiteRule{"github", "github.com", "/*/*$", title, element, "", "meta[property=og:title]@content", between, "GitHub - ", ":"},
    SiteRule{"github", "github.com", "/*/*$", author, element, "", "meta[property=og:title]@content", between, "GitHub - ", "/"},
    SiteRule{"github", "github.com", "/*/*$", site_name, constant, "", "GitHub"},

    SiteRule{"arxiv", "arxiv.org", "/abs", title, element, "", "meta[name=citation_title]@content"},
    SiteRule{"arxiv", "arxiv.org", "/abs", author, element, "", "meta[name=citation_author]@content", last_first},
    SiteRule{"arxiv", "arxiv.org", "/abs", published, element, "", "meta[name=citation_date]@content"},
    SiteRule{"arxiv", "arxiv.org", "/abs", modified, element, "", "meta[name=citation_online_date]@content"},
    SiteRule{"arxiv", "arxiv.org", "/abs", site_name, constant, "", "arXiv.org"},

    SiteRule{"youtube", "youtube.com", "/watch", title, state, "ytInitialPlayerResponse", "videoDetails.title"},
    SiteRule{"youtube", "youtube.com", "/watch", title, element, "", "meta[itemprop=name]@content"},
    SiteRule{"youtube", "youtube.com", "/watch", title, element, "", "meta[name=title]@content"},
    SiteRule{"youtube", "youtube.com", "/watch", author, state, "ytInitialPlayerResponse", "videoDetails.author"},
    SiteRule{"youtube", "youtube.com", "/watch", author, element, "", "[itemprop=author] link[itemprop=name]@content"},
    SiteRule{"youtube", "youtube.com", "/watch", published, element, "", "meta[itemprop=datePublished]@content"},
    SiteRule{"youtube", "youtube.com", "/watch", published, state, "ytInitialPlayerResponse", "microformat.playerMicroformatRenderer.publishDate"},
    SiteRule{"youtube", "youtube.com", "/watch", published, element, "", "meta[itemprop=uploadDate]@content"},
    SiteRule{"youtube", "youtube.com", "/watch", site_name, constant, "", "YouTube"},

    SiteRule{"huggingface", "huggingface.co", "/blog/*", author, element, "authors.*.author.fullname", "[data-target=BlogAuthorsByline]@data-props"},
    SiteRule{"huggingface", "huggingface.co", "/blog/*", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/docs", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/papers", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/learn", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/datasets/*/*$", title, address, "", "{1}/{2}"},
    SiteRule{"huggingface", "huggingface.co", "/datasets/*/*$", author, address, "", "{1}"},
    SiteRule{"huggingface", "huggingface.co", "/datasets/*/*$", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/spaces/*/*$", author, address, "", "{1}"},
    SiteRule{"huggingface", "huggingface.co", "/spaces/*/*$", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/*/*$", title, address, "", "{1}/{2}"},
    SiteRule{"huggingface", "huggingface.co", "/*/*$", author, address, "", "{1}"},
    SiteRule{"huggingface", "huggingface.co", "/*/*$", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "", site_name, constant, "", "Hugging Face"},

    SiteRule{"medium", "medium.com", "", author, element, "", "meta[name=author]@content"},
    SiteRule{"medium", "medium.com", "", author, element, "", "[data-testid=authorName]"},
    SiteRule{"medium", "medium.com", "", published, element, "", "meta[property=article:published_time]@content"},
    SiteRule{"medium", "medium.com", "", site_name, constant, "", "Medium"},

    SiteRule{"substack", "substack.com", "", title, state, "_preloads", "post.title"},
    SiteRule{"substack", "substack.com", "", author, state, "_preloads", "post.publishedBylines.*.name"},
    SiteRule{"substack", "substack.com", "", published, state, "_preloads", "post.post_date"},
    SiteRule{"substack", "substack.com", "", site_name, constant, "", "Substack"},
};
// clang-format on

}  // namespace

std::span<const SiteRule> site_rules() { return rules; }

}  // namespace linkherd::parser
