#!/usr/bin/env python3
"""Measures reports of many links: the time and size of each format, and the speed of the page in Chromium.

usage: html_report_bench.py BUILD [LINKS]

Links and pages are generated: a list with a web archive of one page each, which `check --offline --from-warc` reads
into a store. Then `linkherd report` writes each format, and Chromium opens the page. Limits for 100,000 links:

  4 s and 200 MB to write the page, whose size is at most 60 MB
  2 s and 200 MB for each other format
  2 s until the table is usable
  50 ms per key press in the search field
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FORMATS = "text json jsonl markdown issue csv junit sarif rdjson github gitlab lychee-json html".split()
WORDS = "attention compiler kernel memory tensor network scheduler cache vector guide notes practice 模型 推理 训练 优化 系统 入门 教程 实践".split()
NAMES = ["Wei Chen", "李小沐", "Maria Olsen", "Tim Dettner", "王晓明", "Ada Brown", "Jun Sato", "Eva Novak"]


def page(random_, number, url):
    title = " ".join(random_.choices(WORDS, k=6)) + f" {number}"
    description = " ".join(random_.choices(WORDS, k=20))
    author = random_.choice(NAMES) + str(random_.randrange(400))
    date = f"{random_.randrange(2008, 2026)}-{random_.randrange(1, 13):02}-{random_.randrange(1, 29):02}"
    body = " ".join(random_.choices(WORDS, k=60))
    return (f'<html lang="en"><head><title>{title}</title><meta name="author" content="{author}"><meta name="description" content="{description}">'
            f'<meta property="article:published_time" content="{date}"><meta property="og:site_name" content="Site {number % 997}">'
            f'<link rel="canonical" href="{url}"></head><body><h1>{title}</h1><p class="byline">By <a rel="author" href="/u">{author}</a></p><article><p>{body}</p></article></body></html>').encode()


def answer(random_, number, url):
    kind = number % 50
    if kind < 2:
        return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nnot found"
    if kind == 2:
        return b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nforbidden"
    body = page(random_, number, url)
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def make_inputs(folder, links):
    random_ = random.Random(7)
    lists = [open(folder / f"list-{i}.md", "w") for i in range(20)]
    with open(folder / "pages.warc", "wb") as archive:
        for number in range(links):
            url = f"https://host-{number % 5003}.herd/{random_.choice(WORDS[:12])}/{number}-{random_.choice(WORDS[:12])}-{random_.choice(WORDS[:12])}"
            file = lists[number * 20 // links]
            if number % 40 == 0:
                file.write(f"\n## Chapter {number // 40}: {random_.choice(WORDS)}\n\n")
            file.write(f"- [{' '.join(random_.choices(WORDS, k=4))} {number}]({url})\n")
            response = answer(random_, number, url)
            archive.write(f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n"
                          f"WARC-Record-ID: <urn:uuid:{number:08x}-0000-4000-8000-000000000000>\r\n"
                          f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(response)}\r\n\r\n".encode() + response + b"\r\n\r\n")
    for file in lists:
        file.close()


def run(folder, program, words):
    """Returns the seconds, CPU seconds and peak megabytes of one run."""
    start = time.monotonic()
    process = subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 2):
        sys.exit(f"linkherd {' '.join(words)}: {said}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    build = Path(sys.argv[1]).resolve()
    links = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    program = str(build / "linkherd")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder, links)
        print(f"{links} links; reading them into a store ...", flush=True)
        run(folder, program, ["check", "--offline", "--from-warc", "pages.warc", "--store", "store", "--output", "text:none.txt",
                              *[f"list-{i}.md" for i in range(20)]])
        for form in FORMATS:
            seconds, cpu, memory = run(folder, program, ["report", "--store", "store", "--output", f"{form}:report.{form}"])
            size = (folder / f"report.{form}").stat().st_size / 1e6
            bar = 4 if form == "html" else 2
            print(f"{form:11} {seconds:6.2f} s (bar {bar})  {cpu:6.2f} s CPU  {memory:6.0f} MB memory (bar 200)  {size:6.1f} MB file", flush=True)
        measured = subprocess.run(["node", str(HERE / "html_report_bench.js"), str(folder / "report.html")], check=True, capture_output=True)
        for key, value in json.loads(measured.stdout).items():
            print(f"{key:34} {value:8.1f}")


if __name__ == "__main__":
    main()
