"""Measures hostile pages, each in a separate process: `metadata_hostile.py LINKHERD`. Limits: 200 ms of CPU and 100 MB.

Prints one row per page, with the lowest CPU of three runs. Exits with 1 if a page exceeds a limit or the program fails.
"""
import os
import resource
import subprocess
import sys
import tempfile

MB = 1 << 20


def shapes():
    text = "lorem ipsum dolor sit amet "
    yield "nested div, 1e6", "<div>" * 1_000_000
    yield "nested span with attributes, 3e5", "<span class=a id=b>" * 300_000
    yield "nested a, 5e5", "<a href=x>" * 500_000
    yield "nested table, 2e5", "<table><tr><td>" * 200_000
    yield "nested ul li, 3e5", "<ul><li>" * 300_000
    yield "nested form button select, 2e5", "<form><button><select><option>" * 200_000
    yield "unclosed p, 6e5", "<p>x" * 600_000
    yield "end tags only, 1e6", "</div>" * 1_000_000
    yield "end tags of p and br, 5e5", "</p></br>" * 500_000
    yield "500 open b before 5000 p", "<b id=i>" * 500 + "<p>x" * 5_000
    yield "misnested formatting", "<a><b><i><p>" * 100_000
    yield "misnested table text, 2e5", "<table>" + "x<tr>y<td>" * 200_000
    yield "one tag with 1e4 attributes", "<p " + " ".join(f"a{i}=b" for i in range(10_000)) + ">"
    yield "1e4 tags with 256 attributes", ("<p " + " ".join(f"a{i}" for i in range(256)) + ">") * 4_000
    yield "one tag with 1e6 attributes", "<p " + " ".join(f"a{i}=b" for i in range(600_000)) + ">"
    yield "4 MB of <", "<" * 4 * MB
    yield "4 MB of <a", "<a" * 2 * MB
    yield "4 MB of </", "</" * 2 * MB
    yield "4 MB of <!--", "<!--" * MB
    yield "4 MB of <!", "<!" * 2 * MB
    yield "4 MB of &", "&" * 4 * MB
    yield "4 MB of &amp;lt", "&amp;lt" * (4 * MB // 7)
    yield "4 MB of <script>", "<script>" * (MB // 2)
    yield "4 MB of <svg>", "<svg>" * (4 * MB // 5)
    yield "4 MB of <svg><title>", "<svg><title>" * (MB // 3)
    yield "4 MB of <textarea>", "<textarea>" * (4 * MB // 10)
    yield "4 MB of <title>", "<title>" * (4 * MB // 7)
    yield "1 MB title", "<title>" + "fish " * (MB // 5) + "</title><h1>" + "fish " * (MB // 5) + "</h1>"
    yield "title of separators", "<title>" + "a | b - " * (MB // 8) + "</title><h1>a</h1>"
    yield "1e5 meta tags", "".join(f"<meta name=author content='Name {i}'>" for i in range(100_000))
    yield "1e5 meta dates", "".join(f"<meta property=article:published_time content='2020-01-{i % 28 + 1:02}'>" for i in range(100_000))
    yield "1e5 meta og:title", "".join(f"<meta property=og:title content='Title {i}'>" for i in range(100_000))
    yield "1e5 link canonical", "".join(f"<link rel=canonical href=https://a.herd/{i}>" for i in range(100_000))
    yield "1e5 h1", "".join(f"<h1>Title {i}</h1>" for i in range(100_000))
    yield "1e5 time", "".join(f"<time datetime=2020-01-{i % 28 + 1:02}T10:00:00Z>x</time>" for i in range(100_000))
    yield "1e5 dates in text", "".join(f"<p class=date>5 March {1990 + i % 40}</p>" for i in range(100_000))
    yield "1e5 bylines", "".join(f"<p class=byline>By Jane{i} Doe and John Roe</p>" for i in range(60_000))
    yield "1e5 links rel author", "".join(f"<a rel=author href=/{i}>Jane Doe{i}</a>" for i in range(100_000))
    yield "1e5 itemprop", "".join(f"<span itemprop=author itemscope><i itemprop=name>Jane {i}</i></span>" for i in range(60_000))
    yield "itemscope nested, 2e5", "<div itemscope itemtype=http://schema.org/Article itemprop=author>" * 60_000
    yield "byline of 1 MB", "<h1>T</h1><p class=byline>By " + "Jane Doe, " * (MB // 10) + "</p>"
    yield "text of dates, 2 MB", "<h1>T</h1><p>" + "2020-01-02 " * (2 * MB // 11) + "</p>"
    yield "text of digits, 2 MB", "<h1>T</h1><p>" + "1" * 2 * MB + "</p>"
    yield "text of 年, 2 MB", "<h1>T</h1><p>" + "2020年" * (MB // 4) + "</p>"
    yield "dates of year 0 and 9999", "<h1>T</h1><time datetime=0000-01-01></time><time datetime=9999-12-31></time><meta name=date content=-0001-01-01>"
    yield "JSON-LD depth bomb", "<script type=application/ld+json>" + "[" * MB + "</script>"
    yield "JSON-LD object depth bomb", "<script type=application/ld+json>" + '{"a":' * (MB // 5) + "</script>"
    yield "JSON-LD of 1e5 authors", '<script type=application/ld+json>{"@type":"Article","author":[' + ",".join('{"name":"Jane %d"}' % i for i in range(50_000)) + "]}</script>"
    yield "JSON-LD of 5e4 articles", '<script type=application/ld+json>{"@graph":[' + ",".join('{"@type":"Article","headline":"T%d"}' % i for i in range(30_000)) + "]}</script>"
    yield "64 JSON-LD of 1 MB", ('<script type=application/ld+json>["' + "x" * (MB // 16) + '"]</script>') * 64
    yield "64 broken JSON-LD", ('<script type=application/ld+json>' + "[1," * (MB // 100) + "</script>") * 64
    yield "64 states", ('<script>window.__INITIAL_STATE__ = {' + '"a":{' * 10 + '"b":1' + "}" * 10 + "}; " + "x = 1;" * 5_000 + "</script>") * 64
    yield "state without end", '<script>window.__INITIAL_STATE__={"a":"' + "\\u4e00" * (MB // 6) + "</script>"
    yield "2 MB of NUL", "<title>T</title>" + "\0" * 2 * MB
    yield "UTF-16 without mark", ("<title>Fish</title>" + "<p>fish</p>" * 180_000).encode("utf-16-le")
    yield "GBK under utf-8", ("<meta charset=utf-8><title>鱼</title>" + "<p>这是一个测试页面</p>" * 100_000).encode("gbk")
    yield "random bytes, 4 MB", os.urandom(4 * MB)
    yield "random high bytes, 4 MB", bytes(b | 0x80 for b in os.urandom(4 * MB))
    yield "lone surrogates", "<title>&#xD800;&#xDFFF;</title>" + "&#xD800;" * (2 * MB // 8)
    yield "body class of 2 MB above 5000 dates", "<body class='" + "a " * 900_000 + "'>" + "<p class=x>By Jane Doe 1 May 2020</p>" * 5_000
    yield "class of 2 MB above 1e4 h1", "<div class='" + "a " * 900_000 + "'>" + "<h1></h1>" * 10_000
    yield "2000 og:title of site names", "<meta property=og:site_name content=a>" + ("<meta property=og:title content='" + "a - " * 200 + "'>") * 2_000
    yield "tags hidden by comments", "<<!---->div>" * 150_000
    yield "tags hidden by NULs", "<\0b id=1>" * 60_000 + "<p>x" * 20_000
    yield "tags hidden in a title", "<title>&</ti\0tle>" + "<b>" * 20_000 + "</title>" + "<p>x" * 40_000
    yield "tags hidden in an attribute", '<p class=\0"&><p title="&' + "<div>" * 300_000 + '">x'
    yield "RTL overrides and escapes", "<title>\u202efish\u202c\x1b[31m&#27;[2J&#x202E;::error::x</title>"
    yield "ordinary text, 7 MB", "<html><body>" + ("<p>" + text * 20 + "</p>\n") * (7 * MB // 550)
    yield "ordinary markup, 7 MB", "<html><body>" + "<div class='a b c' id=x><a href=/some/where>some text</a><span>more</span></div>\n" * (7 * MB // 84)


def run(binary, file):
    """Returns the CPU in seconds and the peak memory in MB, or None if the program failed."""
    child = subprocess.Popen([binary, "metadata", "--url", "https://zhuanlan.zhihu.com/p/1", file], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024) if status == 0 else None


def main():
    binary = sys.argv[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "page.html")
        for name, page in shapes():
            with open(file, "wb") as out:
                out.write(page if isinstance(page, bytes) else page.encode("utf-8", "surrogatepass"))
            runs = [run(binary, file) for _ in range(3)]
            if None in runs:
                print(f"{name:36} FAILED")
                worst = 1
                continue
            seconds, memory = min(r[0] for r in runs), max(r[1] for r in runs)
            over = seconds > 0.2 or memory > 100
            worst = max(worst, int(over))
            print(f"{name:36} {seconds * 1000:6.0f} ms {memory:6.0f} MB{'   OVER' if over else ''}", flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())
