#!/usr/bin/env python3
"""Compares linkherd with other link checkers on a built site: as files without network, and crawled over loopback.

documentation_bench.py BUILD FOLDER [--cases HI] [--repeats 3] [--peer-timeout 600]

BUILD is a release build, FOLDER a site with an index.html. The other link checkers must be on PATH. Prints one
Markdown table per case. See README.md in this folder.
"""

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from fetch_bench import Runner, Usage
from fetch_servers import free_port, nginx_user, start_nginx

NGINX_CONFIG = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1; {user}
events {{ worker_connections 4096; }}
http {{
  types {{ text/html html htm; text/css css; text/javascript js; image/png png; image/gif gif; image/svg+xml svg; application/pdf pdf; }}
  log_format page '$status $uri';
  server {{ listen 127.0.0.1:{port}; root "{site}"; keepalive_requests 1000000; access_log {folder}/access.log page; }}
}}
"""


@dataclass
class Row:
    program: str
    command: list[str]
    timeout: float
    environment: dict[str, str] = field(default_factory=dict)
    usages: list[Usage] = field(default_factory=list)
    pages: set[str] = field(default_factory=set)  # crawled

    def median(self, name: str) -> float:
        return statistics.median(getattr(usage, name) for usage in self.usages)


class Site:
    """Serves the folder with nginx, whose log lists the requests."""

    def __init__(self, site: Path, folder: Path):
        port = free_port()
        self.log = folder / "access.log"
        self.address = f"http://127.0.0.1:{port}/"
        self.process = start_nginx(folder, NGINX_CONFIG.format(folder=folder, port=port, site=site, user=nginx_user()), port)

    def take_pages(self) -> set[str]:
        """Returns the existing HTML pages that were requested since the last call."""
        time.sleep(1)  # nginx writes the log line after it has sent the response
        words = [line.split(" ", 1) for line in self.log.read_text().splitlines()]
        os.truncate(self.log, 0)
        return {path for status, path in words if status == "200" and re.search(r"(/|\.html?)$", path)}

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Bench:
    def __init__(self, arguments: argparse.Namespace, folder: Path):
        self.arguments, self.folder = arguments, folder
        self.linkherd = str(arguments.build.resolve() / "linkherd")
        self.site = arguments.site.resolve()
        self.runner = Runner()

    def rows(self, ours: list[str], peers: dict[str, list[str]]) -> list[Row]:
        found = {name: command for name, command in peers.items() if shutil.which(name)}
        timeout = self.arguments.peer_timeout
        return [Row("linkherd", [self.linkherd, *ours], timeout)] + [Row(name, [name, *words], timeout) for name, words in found.items()]

    def run(self, row: Row) -> None:
        row.usages.append(self.runner.run(row, self.folder / "output"))
        print(f"  {row.program}: {row.usages[-1].wall:.1f} s, {row.usages[-1].cpu:.1f} s CPU", file=sys.stderr, flush=True)

    def case_h(self) -> bool:
        """Files and anchors. Limits: 1.2 times the CPU of hyperlink, its wall time, and 250 MB."""
        rows = self.rows(["check", "--offline", "--no-store", "-q", "-n", str(self.site)], {
            "hyperlink": ["--check-anchors", str(self.site)],
            "lychee": ["--offline", "--no-progress", "--include-fragments", "--root-dir", str(self.site), str(self.site)]})
        for _ in range(self.arguments.repeats):
            for row in rows:
                self.run(row)
        print("\n| offline | wall s | CPU s | of linkherd's | peak RSS MB |\n|---|--:|--:|--:|--:|")
        for row in rows:
            print(f"| {row.program} | {row.median('wall'):.1f} | {row.median('cpu'):.1f} | {row.median('cpu') / rows[0].median('cpu'):.2f} | "
                  f"{row.median('rss'):.0f} |")
        hyperlink = next((row for row in rows if row.program == "hyperlink"), None)
        return hyperlink is None or (rows[0].median("cpu") <= 1.2 * hyperlink.median("cpu") and rows[0].median("rss") <= 250 and
                                     rows[0].median("wall") <= hyperlink.median("wall"))

    def case_i(self) -> bool:
        """Minimum pages per second of CPU: 5 times linkinator's, 20 times linkchecker's. Must find all their pages."""
        site = Site(self.site, self.folder)
        settings = self.folder / "linkcheckerrc"
        settings.write_text("[checking]\nrobotstxt=0\nmaxrequestspersecond=1000000\n")
        own = "^" + re.escape(site.address)  # external links are not checked, because the machine may have no network
        try:
            rows = self.rows(["check", "--recursive", "--no-store", "--robots", "ignore", "--host-request-interval", "0", "--host-concurrency",
                              "32", "--max-pages", "1000000", "--allow-private", "--include", own, "-q", "-n", site.address], {
                "linkinator": [site.address, "--recurse", "--skip", f"^(?!{own[1:]})", "--format", "json", "--concurrency", "32",
                               "--timeout", "20000"],
                "linkchecker": ["-f", str(settings), "--no-status", "--output", "none", "--threads", "32", site.address]})
            for row in rows:
                site.take_pages()
                self.run(row)
                row.pages = site.take_pages()
        finally:
            site.stop()
        print("\n| crawl | ended | pages | not found by linkherd | wall s | CPU s | pages a CPU s | linkherd's is | peak RSS MB |")
        print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
        met = True
        for row in rows:
            factor = len(rows[0].pages) / rows[0].median("cpu") / max(len(row.pages) / row.median("cpu"), 1e-9)
            missing = len(row.pages - rows[0].pages)
            met = met and missing == 0 and factor >= {"linkinator": 5, "linkchecker": 20}.get(row.program, 0)
            print(f"| {row.program} | {'yes' if row.usages[0].ended else 'no'} | {len(row.pages)} | {missing} | {row.median('wall'):.1f} | "
                  f"{row.median('cpu'):.1f} | {len(row.pages) / row.median('cpu'):.0f} | {factor:.1f} times | {row.median('rss'):.0f} |")
        return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("site", type=Path)
    parser.add_argument("--cases", default="HI")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer-timeout", type=float, default=600)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="linkherd-bench-") as folder:
        bench = Bench(arguments, Path(folder))
        met = [getattr(bench, f"case_{case.lower()}")() for case in arguments.cases]
    print("\nbars: " + ("met" if all(met) else "MISSED"))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
