#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/metadata/page_test.h"

using namespace linkherd::parser;
using Names = std::vector<std::string>;

namespace {

struct SitePage {
  std::string_view name;
  std::string_view url;
  std::string_view page;
  std::string_view title;
  Names authors;
  std::string_view published;
  std::string_view modified;
};

const std::vector<SitePage>
    pages =
        {
            {"zhihu column",
             "https://zhuanlan.zhihu.com/p/622212228",
             R"(<html lang="zh"><title data-rh="true">大模型训练笔记 - 知乎</title><meta data-react-helmet="true" property="og:title" content="大模型训练笔记 - 知乎"/>
<div id="root"><h1 class="Post-Title">大模型训练笔记</h1><div class="AuthorInfo" itemprop="author"><meta itemprop="name" content="张三"/></div>
<div class="ContentItem-time">编辑于 2023-05-02 11:00・上海</div></div>
<script id="js-initialData" type="text/json">{"initialState":{"entities":{"articles":{"622212228":{"id":622212228,"title":"大模型训练笔记","created":1681700000,"updated":1683000000,"author":{"name":"张三","urlToken":"zhang-san"}},"9":{"title":"别的文章","author":{"name":"李四"}}}}}}</script>)",
             "大模型训练笔记",
             {"张三"},
             "2023-04-17T10:53:20+08:00",
             "2023-05-02T12:00:00+08:00"},
            {"zhihu answer",
             "https://www.zhihu.com/question/588325646/answer/3357252612",
             R"(<title>(99+ 封私信 / 87 条消息) 如何评价 LLaMA？ - 知乎</title><h1 class="QuestionHeader-title">如何评价 LLaMA？</h1><meta itemprop="dateCreated" content="2023-03-01T00:00:00.000Z"/>
<script id="js-initialData" type="text/json">{"initialState":{"entities":{"questions":{"588325646":{"title":"如何评价 LLaMA？","created":1677600000,"author":{"name":"提问者"}}},"answers":{"3357252612":{"createdTime":1705000000,"updatedTime":1705100000,"author":{"name":"答主"}},"1":{"createdTime":1,"author":{"name":"别人"}}}}}}</script>)",
             "如何评价 LLaMA？",
             {"答主"},
             "2024-01-12T03:06:40+08:00",
             "2024-01-13T06:53:20+08:00"},
            {"bilibili video",
             "https://www.bilibili.com/video/BV1AB4y1c7de/?spm_id_from=333",
             R"(<title>Transformer 论文精读_哔哩哔哩_bilibili</title><meta itemprop="name" name="title" content="Transformer 论文精读_哔哩哔哩_bilibili"><meta itemprop="author" name="author" content="某老师"><meta itemprop="datePublished" content="2021-10-28 20:00:00">
<script>window.__INITIAL_STATE__={"aid":1,"videoData":{"title":"Transformer 论文精读","pubdate":1635422400,"ctime":1635400000,"owner":{"mid":1,"name":"某老师"}}};(function(){var s;(s=document.currentScript||document.scripts[0]).parentNode.removeChild(s);}());</script>)",
             "Transformer 论文精读",
             {"某老师"},
             "2021-10-28T20:00:00+08:00",
             "none"},
            {"wechat",
             "https://mp.weixin.qq.com/s/abcdef",
             R"(<title></title><meta property="og:title" content="一文读懂注意力机制" /><meta property="og:article:author" content="" /><meta name="author" content="小编" />
<h1 class="rich_media_title" id="activity-name">一文读懂注意力机制</h1><em id="publish_time" class="rich_media_meta"></em>
<script>var nickname = htmlDecode("机器之心");var msg_title = '一文读懂注意力机制'.html(false);
var ct = "1659274471";var oriCreateTime = "1659274471";</script>)",
             "一文读懂注意力机制",
             {"机器之心"},
             "2022-07-31T21:34:31+08:00",
             "none"},
            {"csdn",
             "https://blog.csdn.net/someone/article/details/138500000",
             R"(<title>PyTorch 分布式训练_pytorch教程-CSDN博客</title><h1 class="title-article" id="articleContentId">PyTorch 分布式训练</h1>
<a class="follow-nickName" href="https://blog.csdn.net/someone" title="某人">某人</a><span class="time blog-postTime" data-time="2024-05-06 15:47:53">最新推荐文章于 2024-05-07 10:00:00 发布</span>
<script type="application/ld+json">{"@context":"https://ziyuan.baidu.com/contexts/cambrian.jsonld","@id":"https://blog.csdn.net/someone/article/details/138500000","title":"PyTorch 分布式训练_pytorch教程-CSDN博客","pubDate":"2024-05-06T15:44:46","upDate":"2024-05-06T15:47:53"}</script>
<script>var articleTitle = "PyTorch 分布式训练"; var nickName = "某人"; var username = "someone";</script>)",
             "PyTorch 分布式训练",
             {"某人"},
             "2024-05-06T15:44:46",
             "2024-05-06T15:47:53"},
            {"cnblogs",
             "https://www.cnblogs.com/someone/p/18180000",
             R"(<title>NCCL 源码分析 - 某某 - 博客园</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"BlogPosting","headline":"NCCL 源码分析","author":{"@type":"Person","name":"某某"},"dateModified":"2024-05-10T08:00:00+08:00"}</script>
<h1 class="postTitle"><a id="cb_post_title_url" class="postTitle2 vertical-middle" href="https://www.cnblogs.com/someone/p/18180000" title="发布于 2024-05-09 14:45"><span role="heading">NCCL 源码分析</span></a></h1>
<div class="postDesc">posted @ <span id="post-date" data-date-updated="2024-05-10 08:00" data-date-created="BlogServer.Application.Dto.BlogPost.BlogPostDto">2024-05-09 14:45</span>&nbsp;<a href="https://www.cnblogs.com/someone">某某</a></div>)",
             "NCCL 源码分析",
             {"某某"},
             "2024-05-09T14:45",
             "2024-05-10T08:00"},
            {"juejin",
             "https://juejin.cn/post/7000000000000000000",
             R"(<title>CUDA 入门 - 掘金</title><article class="article" itemscope itemtype="http://schema.org/Article"><meta itemprop="url" content="https://juejin.cn/post/7000000000000000000"><meta itemprop="headline" content="CUDA 入门"><meta itemprop="datePublished" content="2021-08-24T12:00:00.000Z">
<div itemprop="author" itemscope itemtype="http://schema.org/Person"><meta itemprop="name" content="掘友甲"><meta itemprop="url" content="https://juejin.cn/user/1"></div><div itemprop="publisher" itemscope><meta itemprop="name" content="掘金"></div><h1 class="article-title"> CUDA 入门 </h1></article>)",
             "CUDA 入门",
             {"掘友甲"},
             "2021-08-24T12:00:00Z",
             "none"},
            {"github",
             "https://github.com/openai/triton",
             R"(<title>GitHub - openai/triton: Development repository for the Triton language</title><meta property="og:title" content="GitHub - openai/triton: Development repository for the Triton language and compiler"><meta property="og:site_name" content="GitHub"><h1>openai/triton</h1><article><h1>Triton</h1></article>)",
             "openai/triton",
             {"openai"},
             "none",
             "none"},
            {"arxiv",
             "https://arxiv.org/abs/1706.03762",
             R"(<title>[1706.03762] Attention Is All You Need</title><meta name="citation_title" content="Attention Is All You Need" /><meta name="citation_author" content="Vaswani, Ashish" /><meta name="citation_author" content="Shazeer, Noam" /><meta name="citation_date" content="2017/06/12" /><meta name="citation_online_date" content="2023/08/02" /><h1 class="title mathjax"><span class="descriptor">Title:</span>Attention Is All You Need</h1>)",
             "Attention Is All You Need",
             {"Ashish Vaswani", "Noam Shazeer"},
             "2017-06-12",
             "2023-08-02"},
            {"sphinx",
             "https://pytorch.org/docs/stable/distributed.html",
             R"(<html lang="en"><title>Distributed communication package - torch.distributed &mdash; PyTorch 2.4 documentation</title><meta name="docbuild:last-update" content="Aug 15, 2023"/><h1>Distributed communication package - torch.distributed<a class="headerlink" href="#x" title="Permalink to this heading">¶</a></h1><footer>&copy; Copyright 2023, PyTorch Contributors.</footer>)",
             "Distributed communication package - torch.distributed",
             {},
             "none",
             "2023-08-15"},
            {"youtube",
             "https://www.youtube.com/watch?v=kCc8FmEb1nY",
             R"(<title>Let's build GPT - YouTube</title><meta name="title" content="Let&#39;s build GPT"><div itemscope itemtype="http://schema.org/VideoObject"><meta itemprop="name" content="Let&#39;s build GPT"><span itemprop="author" itemscope itemtype="http://schema.org/Person"><link itemprop="url" href="http://www.youtube.com/@AndrejKarpathy"><link itemprop="name" content="Andrej Karpathy"></span><meta itemprop="datePublished" content="2023-01-17T08:33:27-08:00"></div>)",
             "Let's build GPT",
             {"Andrej Karpathy"},
             "2023-01-17T08:33:27-08:00",
             "none"},
            {"hugging face model",
             "https://huggingface.co/meta-llama/Llama-2-7b",
             R"(<title>meta-llama/Llama-2-7b · Hugging Face</title><meta property="og:title" content="meta-llama/Llama-2-7b · Hugging Face"><h1>meta-llama / Llama-2-7b</h1>)",
             "meta-llama/Llama-2-7b",
             {"meta-llama"},
             "none",
             "none"},
            {"hugging face blog",
             "https://huggingface.co/blog/bloom-megatron-deepspeed",
             R"(<title>The Technology Behind BLOOM Training</title><h1>The Technology Behind BLOOM Training</h1><div>Published July 14, 2022</div><div data-target="BlogAuthorsByline" data-props="{&quot;authors&quot;:[{&quot;author&quot;:{&quot;fullname&quot;:&quot;Stas Bekman&quot;,&quot;name&quot;:&quot;stas&quot;}}]}"></div>)",
             "The Technology Behind BLOOM Training",
             {"Stas Bekman"},
             "2022-07-14",
             "none"},
            {"medium",
             "https://medium.com/@someone/a-story-123",
             R"(<title>A Story of Tensors | by Some One | Medium</title><meta property="og:site_name" content="Medium"><meta property="og:title" content="A Story of Tensors"><meta name="author" content="Some One"><meta property="article:author" content="https://medium.com/@someone"><meta property="article:published_time" content="2017-06-21T10:00:00.000Z"><script type="application/ld+json">{"@type":"NewsArticle","headline":"A Story of Tensors","datePublished":"2017-06-19T10:00:00.000Z","author":{"@type":"Person","name":"Some One"}}</script><h1>A Story of Tensors</h1>)",
             "A Story of Tensors",
             {"Some One"},
             "2017-06-21T10:00:00Z",
             "none"},
            {"51cto",
             "https://blog.51cto.com/u_1/123",
             R"(<title>CUDA 笔记_某人的博客_51CTO博客</title><h1>CUDA 笔记</h1><div class="messbox"><a class="name" href="/u_1">某人</a><time pubdate="2024-03-05 10:20:30">2024-03-05 10:20:30</time></div>)",
             "CUDA 笔记",
             {"某人"},
             "2024-03-05T10:20:30",
             "none"},
            {"github issue",
             "https://github.com/o/r/issues/7",
             R"(<title>It breaks · Issue #7 · o/r · GitHub</title><h1><bdi data-testid="issue-title">It breaks</bdi></h1><a data-testid="issue-body-header-author" href="/jane">jane</a><relative-time datetime="2024-03-05T10:20:30Z">Mar 5, 2024</relative-time><div class="comment"><relative-time datetime="2024-04-05T10:20:30Z"></relative-time></div>)",
             "It breaks",
             {"jane"},
             "2024-03-05T10:20:30Z",
             "none"},
            {"github notebook",
             "https://github.com/o/r/blob/main/a.ipynb",
             R"(<title>r/a.ipynb at main · o/r · GitHub</title><article><h1>Attention</h1></article>)",
             "Attention",
             {"o"},
             "none",
             "none"},
            {"gist",
             "https://gist.github.com/jane/abc",
             R"(<title>notes.md · GitHub</title><meta property="og:title" content="notes.md"><relative-time datetime="2024-03-05T10:20:30Z"></relative-time>)",
             "notes.md",
             {"jane"},
             "2024-03-05T10:20:30Z",
             "none"},
            {"reddit",
             "https://www.reddit.com/r/cuda/comments/1abc/title/",
             R"(<title>Why is it slow? : r/cuda</title><shreddit-post post-title="Why is it slow?" author="jane_doe" created-timestamp="2024-03-05T10:20:30.000000+0000"></shreddit-post>)",
             "Why is it slow?",
             {"jane_doe"},
             "2024-03-05T10:20:30Z",
             "none"},
            {"hacker news",
             "https://news.ycombinator.com/item?id=1",
             R"(<title>Show HN: Fish | Hacker News</title><table><tr><td><span class="titleline"><a href="https://example.org">Show HN: Fish</a></span></td></tr><tr><td><span class="subline"><a class="hnuser">jane</a> <span class="age" title="2024-03-05T10:20:30 1709634030"><a>1 day ago</a></span></span></td></tr></table>)",
             "Show HN: Fish",
             {"jane"},
             "2024-03-05T10:20:30",
             "none"},
            {"stack overflow",
             "https://stackoverflow.com/questions/11227809/why",
             R"(<title>c++ - Why is it fast? - Stack Overflow</title><h1><a class="question-hyperlink">Why is it fast?</a></h1><time itemprop="dateCreated" datetime="2012-06-27T13:51:36">Asked</time><div id="question"><div class="owner"><div class="user-details"><a href="/users/1">GManNickG</a></div></div></div><div id="answers"><div class="user-details"><a>Mysticial</a></div></div>)",
             "Why is it fast?",
             {"GManNickG"},
             "2012-06-27T13:51:36",
             "none"},
            {"wikipedia",
             "https://en.wikipedia.org/wiki/Fish",
             R"(<title>Fish - Wikipedia</title><h1 id="firstHeading">Fish</h1><script type="application/ld+json">{"@type":"Article","name":"Fish","author":{"@type":"Organization","name":"Contributors to Wikimedia projects"},"datePublished":"2001-12-17T10:20:30Z","dateModified":"2024-03-05T10:20:30Z"}</script>)",
             "Fish",
             {},
             "2001-12-17T10:20:30Z",
             "2024-03-05T10:20:30Z"},
            {"douban note",
             "https://www.douban.com/note/123/",
             R"(<title>读书笔记</title><div class="note-header"><h1>读书笔记</h1><a class="note-author">某人</a><span class="pub-date">2024-03-05 10:20:30</span></div>)",
             "读书笔记",
             {"某人"},
             "2024-03-05T10:20:30",
             "none"},
            {"toutiao",
             "https://www.toutiao.com/article/1/",
             R"(<title>大新闻-今日头条</title><script id="RENDER_DATA" type="application/json">%7B%22articleInfo%22%3A%7B%22title%22%3A%22%E5%A4%A7%E6%96%B0%E9%97%BB%22%2C%22source%22%3A%22%E6%9F%90%E4%BA%BA%22%2C%22publishTime%22%3A%222024-03-05%2010%3A20%3A30%22%7D%7D</script>)",
             "大新闻",
             {"某人"},
             "2024-03-05T10:20:30",
             "none"},
            {"163",
             "https://www.163.com/dy/article/X.html",
             R"(<title>大新闻|网易订阅</title><meta name="author" content="网易"><meta property="article:author" content="网易"><meta property="article:published_time" content="2024-03-05T10:20:30+08:00"><h1 class="post_title">大新闻</h1>)",
             "大新闻",
             {},
             "2024-03-05T10:20:30+08:00",
             "none"},
            {"sina",
             "https://news.sina.com.cn/c/2024-03-05/doc-x.shtml",
             R"(<title>大新闻_新浪网</title><meta property="article:author" content="参考消息"><meta property="article:published_time" content="2024-03-05T10:20:30+08:00"><h1 class="main-title">大新闻</h1>)",
             "大新闻",
             {},
             "2024-03-05T10:20:30+08:00",
             "none"},
            {"sohu",
             "https://www.sohu.com/a/1_2",
             R"(<title>大新闻_搜狐网</title><div class="text-title"><h1>大新闻</h1><span id="news-time">2024-03-05 10:20</span></div><div id="user-info"><h4><a>某人</a></h4></div>)",
             "大新闻",
             {"某人"},
             "2024-03-05T10:20",
             "none"},
            {"people",
             "http://politics.people.com.cn/n1/2024/0305/c1-1.html",
             R"(<title>大新闻--时政--人民网</title><meta name="author" content="104363"><meta name="publishdate" content="2024-03-05"><h1>大新闻</h1><p>来源：新华社 责编：李四</p>)",
             "大新闻",
             {},
             "2024-03-05",
             "none"},
            {"notion",
             "https://jane.notion.site/Fish-1",
             R"(<title>Notion – The all-in-one workspace for your notes, tasks, wikis, and databases.</title><meta property="og:title" content="Fish | Notion">)",
             "Fish",
             {},
             "none",
             "none"},
            {"gitbook",
             "https://jane.gitbook.io/fish/start",
             R"(<title>Start | Fish</title><h1>Start</h1><p>Last updated 2 months ago</p>)",
             "Start",
             {},
             "none",
             "2026-06"},
            {"substack",
             "https://someone.substack.com/p/scaling",
             R"(<title>Scaling, explained - by Some One</title><h1 class="post-title">Scaling, explained</h1><script>window._preloads        = JSON.parse("{\"post\":{\"title\":\"Scaling, explained\",\"post_date\":\"2024-02-03T04:05:06.789Z\",\"publishedBylines\":[{\"name\":\"Some One\"},{\"name\":\"Other Person\"}]}}")</script>)",
             "Scaling, explained",
             {"Some One", "Other Person"},
             "2024-02-03T04:05:06Z",
             "none"},
};

}  // namespace

TEST_CASE("sites of the seed lists give title authors and dates") {
  for (const SitePage& site : pages) {
    CAPTURE(site.name);
    const Metadata metadata = metadata_of(site.page, site.url);
    CHECK(text_of(metadata.title) == site.title);
    CHECK(names_of(metadata.authors) == site.authors);
    CHECK(text_of(metadata.published) == site.published);
    CHECK(text_of(metadata.modified) == site.modified);
  }
}

TEST_CASE("what a site rule found says so with high confidence") {
  const Metadata metadata = metadata_of(pages.front().page, pages.front().url);
  CHECK(metadata.title->source == "site:zhihu");
  CHECK(metadata.authors->source == "site:zhihu");
  CHECK(metadata.published->source == "site:zhihu");
  CHECK(metadata.title->confidence > 0.9);
}

TEST_CASE("a site rule without its data falls back and invents nothing") {
  const Metadata gone = metadata_of("<title>安全验证 - 知乎</title>", "https://zhuanlan.zhihu.com/p/1");
  CHECK_FALSE(gone.title.has_value());
  CHECK_FALSE(gone.authors.has_value());
  CHECK_FALSE(gone.published.has_value());
  const Metadata broken =
      metadata_of(R"(<title>标题 - 知乎</title><script id="js-initialData">{"initialState":{"entities":[[[</script>)",
                  "https://zhuanlan.zhihu.com/p/1");
  CHECK(text_of(broken.title) == "标题");
  const Metadata wechat = metadata_of("<title>微信公众平台</title>", "https://mp.weixin.qq.com/s/x");
  CHECK_FALSE(wechat.title.has_value());
}
