#include "parser/metadata/extractors/site_rule_table.h"

#include <array>

namespace linkherd::parser {
namespace {

using enum SiteField;
using enum ValueSource;
using enum Conversion;

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

    SiteRule{"bilibili", "bilibili.com", "/read/*", title, state, "__INITIAL_STATE__", "readInfo.title"},
    SiteRule{"bilibili", "bilibili.com", "/read/*", author, state, "__INITIAL_STATE__", "readInfo.author.name"},
    SiteRule{"bilibili", "bilibili.com", "/read/*", author, element, "", "a.up-name"},
    SiteRule{"bilibili", "bilibili.com", "/read/*", published, state, "__INITIAL_STATE__", "readInfo.publish_time", unix_china},
    SiteRule{"bilibili", "bilibili.com", "/read/*", published, element, "", ".publish-text"},
    SiteRule{"bilibili", "bilibili.com", "/read/*", site_name, constant, "", "哔哩哔哩"},
    SiteRule{"bilibili", "bilibili.com", "/read/*", site_name, constant, "", "bilibili"},

    SiteRule{"bilibili", "bilibili.com", "", title, element, "", ".opus-module-title__text"},
    SiteRule{"bilibili", "bilibili.com", "", author, element, "", ".opus-module-author__name"},
    SiteRule{"bilibili", "bilibili.com", "", published, state, "__INITIAL_STATE__", "detail.modules.*.module_author.pub_ts", unix_china},
    SiteRule{"bilibili", "bilibili.com", "", published, element, "", ".opus-module-author__pub__text"},
    SiteRule{"bilibili", "bilibili.com", "", modified, element, "", ".opus-module-author__pub__text", between, "编辑于"},
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

    SiteRule{"51cto", "blog.51cto.com", "", title, element, "", "h1"},
    SiteRule{"51cto", "blog.51cto.com", "", author, element, "", ".messbox a.name"},
    SiteRule{"51cto", "blog.51cto.com", "", author, element, "", "meta[name=author]@content"},
    SiteRule{"51cto", "blog.51cto.com", "", published, element, "", "time[pubdate]@pubdate"},
    SiteRule{"51cto", "blog.51cto.com", "", site_name, constant, "", "51CTO博客"},

    SiteRule{"gist", "gist.github.com", "/*/*", title, element, "", "meta[property=og:title]@content"},
    SiteRule{"gist", "gist.github.com", "/*/*", author, address, "", "{1}"},
    SiteRule{"gist", "gist.github.com", "/*/*", published, element, "", "relative-time@datetime"},
    SiteRule{"gist", "gist.github.com", "/*/*", published, element, "", "time-ago@datetime"},
    SiteRule{"gist", "gist.github.com", "/*/*", site_name, constant, "", "Gist"},
    SiteRule{"gist", "gist.github.com", "/*/*", site_name, constant, "", "GitHub"},

    SiteRule{"github", "github.com", "/*/*/issues/*", title, element, "", "[data-testid=issue-title]"},
    SiteRule{"github", "github.com", "/*/*/issues/*", title, element, "", "bdi.js-issue-title"},
    SiteRule{"github", "github.com", "/*/*/issues/*", author, element, "", "a[data-testid=issue-body-header-author]"},
    SiteRule{"github", "github.com", "/*/*/issues/*", author, element, "", ".gh-header-meta a.author"},
    SiteRule{"github", "github.com", "/*/*/issues/*", published, element, "", "relative-time@datetime"},
    SiteRule{"github", "github.com", "/*/*/issues/*", site_name, constant, "", "GitHub"},
    SiteRule{"github", "github.com", "/*/*/pull/*", title, element, "", "bdi.js-issue-title"},
    SiteRule{"github", "github.com", "/*/*/pull/*", author, element, "", "meta[property=og:title]@content", between, " by ", " · Pull Request #"},
    SiteRule{"github", "github.com", "/*/*/pull/*", published, element, "", ".js-discussion relative-time@datetime"},
    SiteRule{"github", "github.com", "/*/*/pull/*", site_name, constant, "", "GitHub"},
    SiteRule{"github", "github.com", "/*/*/blob", title, element, "", "article h1"},
    SiteRule{"github", "github.com", "/*/*/blob", author, address, "", "{1}"},
    SiteRule{"github", "github.com", "/*/*/blob", site_name, constant, "", "GitHub"},

    SiteRule{"reddit", "reddit.com", "/r/*/comments", title, element, "", "shreddit-post@post-title"},
    SiteRule{"reddit", "reddit.com", "/r/*/comments", title, element, "", ".entry a.title"},
    SiteRule{"reddit", "reddit.com", "/r/*/comments", author, element, "", "shreddit-post@author"},
    SiteRule{"reddit", "reddit.com", "/r/*/comments", author, element, "", ".link .tagline a.author"},
    SiteRule{"reddit", "reddit.com", "/r/*/comments", published, element, "", "shreddit-post@created-timestamp"},
    SiteRule{"reddit", "reddit.com", "/r/*/comments", published, element, "", ".link .tagline time@datetime"},
    SiteRule{"reddit", "reddit.com", "/r/*/comments", site_name, constant, "", "Reddit"},

    SiteRule{"hackernews", "news.ycombinator.com", "/item", title, element, "", ".titleline a"},
    SiteRule{"hackernews", "news.ycombinator.com", "/item", author, element, "", ".subline a.hnuser"},
    SiteRule{"hackernews", "news.ycombinator.com", "/item", published, element, "", ".subline .age@title"},
    SiteRule{"hackernews", "news.ycombinator.com", "/item", site_name, constant, "", "Hacker News"},

    SiteRule{"stackoverflow", "stackoverflow.com", "/questions/*", title, element, "", "h1 a.question-hyperlink"},
    SiteRule{"stackoverflow", "stackoverflow.com", "/questions/*", author, element, "", "#question .owner .user-details a"},
    SiteRule{"stackoverflow", "stackoverflow.com", "/questions/*", published, element, "", "time[itemprop=dateCreated]@datetime"},
    SiteRule{"stackoverflow", "stackoverflow.com", "/questions/*", site_name, constant, "", "Stack Overflow"},

    SiteRule{"wikipedia", "wikipedia.org", "/wiki/*", title, element, "", "#firstHeading"},
    SiteRule{"wikipedia", "wikipedia.org", "/wiki/*", site_name, constant, "", "Wikipedia"},
    SiteRule{"wikipedia", "wikipedia.org", "/wiki/*", site_name, constant, "", "维基百科，自由的百科全书"},

    SiteRule{"douban", "douban.com", "/note/*", title, element, "", ".note-header h1"},
    SiteRule{"douban", "douban.com", "/note/*", author, element, "", "a.note-author"},
    SiteRule{"douban", "douban.com", "/note/*", published, element, "", ".note-header .pub-date"},
    SiteRule{"douban", "douban.com", "/note/*", site_name, constant, "", "豆瓣"},
    SiteRule{"douban", "book.douban.com", "/subject/*", title, element, "", "h1 span"},
    SiteRule{"douban", "book.douban.com", "/subject/*", author, element, "", "meta[property=book:author]@content"},
    SiteRule{"douban", "book.douban.com", "/subject/*", published, element, "", "#info", between, "出版年: ", " 页数"},
    SiteRule{"douban", "book.douban.com", "/subject/*", site_name, constant, "", "豆瓣"},
    SiteRule{"douban", "douban.com", "", title, element, "", "h1 span"},
    SiteRule{"douban", "douban.com", "", published, element, "", "[property=v:initialReleaseDate]@content"},
    SiteRule{"douban", "douban.com", "", site_name, constant, "", "豆瓣"},

    SiteRule{"toutiao", "toutiao.com", "", title, state, "#RENDER_DATA", "articleInfo.title"},
    SiteRule{"toutiao", "toutiao.com", "", title, element, "", ".article-content h1"},
    SiteRule{"toutiao", "toutiao.com", "", author, state, "#RENDER_DATA", "articleInfo.creator.name"},
    SiteRule{"toutiao", "toutiao.com", "", author, state, "#RENDER_DATA", "articleInfo.source"},
    SiteRule{"toutiao", "toutiao.com", "", author, element, "", ".article-meta .name a"},
    SiteRule{"toutiao", "toutiao.com", "", published, state, "#RENDER_DATA", "articleInfo.publishTime"},
    SiteRule{"toutiao", "toutiao.com", "", published, state, "ld+json", "datePublished", in_china},
    SiteRule{"toutiao", "toutiao.com", "", modified, state, "ld+json", "dateModified", in_china},
    SiteRule{"toutiao", "toutiao.com", "", site_name, constant, "", "今日头条"},

    SiteRule{"weibo", "m.weibo.cn", "/status/*", title, state, "$render_data", "0.status.status_title"},
    SiteRule{"weibo", "m.weibo.cn", "/status/*", author, state, "$render_data", "0.status.user.screen_name"},
    SiteRule{"weibo", "m.weibo.cn", "/status/*", published, state, "$render_data", "0.status.created_at"},
    SiteRule{"weibo", "m.weibo.cn", "/status/*", site_name, constant, "", "微博"},
    SiteRule{"weibo", "m.weibo.cn", "/detail/*", title, state, "$render_data", "0.status.status_title"},
    SiteRule{"weibo", "m.weibo.cn", "/detail/*", author, state, "$render_data", "0.status.user.screen_name"},
    SiteRule{"weibo", "m.weibo.cn", "/detail/*", published, state, "$render_data", "0.status.created_at"},
    SiteRule{"weibo", "m.weibo.cn", "/detail/*", site_name, constant, "", "微博"},

    SiteRule{"163", "163.com", "", title, element, "", "h1.post_title"},
    SiteRule{"163", "163.com", "", published, element, "", "meta[property=article:published_time]@content"},
    SiteRule{"163", "163.com", "", site_name, constant, "", "网易"},
    SiteRule{"163", "163.com", "", site_name, constant, "", "网易订阅"},

    SiteRule{"sina", "sina.com.cn", "", title, element, "", "h1.main-title"},
    SiteRule{"sina", "sina.com.cn", "", published, element, "", "meta[property=article:published_time]@content"},
    SiteRule{"sina", "sina.com.cn", "", site_name, constant, "", "新浪网"},
    SiteRule{"sina", "sina.com.cn", "", site_name, element, "", "meta[property=article:author]@content"},

    SiteRule{"sohu", "sohu.com", "/a/*", title, element, "", ".text-title h1"},
    SiteRule{"sohu", "sohu.com", "/a/*", author, element, "", "#user-info h4 a"},
    SiteRule{"sohu", "sohu.com", "/a/*", published, element, "", "#news-time"},
    SiteRule{"sohu", "sohu.com", "/a/*", published, element, "", "meta[itemprop=datePublished]@content"},
    SiteRule{"sohu", "sohu.com", "/a/*", site_name, constant, "", "搜狐"},

    SiteRule{"people", "people.com.cn", "", title, element, "", "h1"},
    SiteRule{"people", "people.com.cn", "", published, element, "", "meta[name=publishdate]@content"},
    SiteRule{"people", "people.com.cn", "", site_name, constant, "", "人民网"},

    SiteRule{"notion", "notion.site", "", title, element, "", "meta[property=og:title]@content"},
    SiteRule{"notion", "notion.site", "", site_name, constant, "", "Notion"},
    SiteRule{"gitbook", "gitbook.io", "", title, element, "", "h1"},
    SiteRule{"gitbook", "gitbook.io", "", site_name, constant, "", "GitBook"},
    SiteRule{"readthedocs", "readthedocs.io", "", site_name, constant, "", "Read the Docs"},

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
    SiteRule{"huggingface", "huggingface.co", "/spaces/*/*$", title, element, "", "meta[property=og:title]@content", between, "", " - a Hugging Face Space by "},
    SiteRule{"huggingface", "huggingface.co", "/spaces/*/*$", author, address, "", "{1}"},
    SiteRule{"huggingface", "huggingface.co", "/spaces/*/*$", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "/*/*$", title, address, "", "{1}/{2}"},
    SiteRule{"huggingface", "huggingface.co", "/*/*$", author, address, "", "{1}"},
    SiteRule{"huggingface", "huggingface.co", "/*/*$", site_name, constant, "", "Hugging Face"},
    SiteRule{"huggingface", "huggingface.co", "", site_name, constant, "", "Hugging Face"},

    SiteRule{"telegram", "t.me", "/*/*", title, element, "", "meta[property=og:description]@content"},
    SiteRule{"telegram", "t.me", "/*/*", author, element, "", "meta[property=og:title]@content"},
    SiteRule{"telegram", "t.me", "/*/*", site_name, constant, "", "Telegram"},

    SiteRule{"medium", "medium.com", "", author, element, "", "meta[name=author]@content"},
    SiteRule{"medium", "medium.com", "", author, element, "", "[data-testid=authorName]"},
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
