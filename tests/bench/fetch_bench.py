#!/usr/bin/env python3
"""Compares the fetch engine with a plain libcurl loop and with other link checkers, on nginx over loopback.

fetch_bench.py BUILD [--cases ABCDEFG] [--repeats 3] [--scale 1.0] [--peers] [--peer-timeout 300]

BUILD is a release build with the target fetch_bench. Prints one Markdown table. See README.md in this folder.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import fetch_peers
from fetch_servers import HOSTS_A_GROUP, TLS_GROUPS, Nginx, SilentServer, make_certificates, tls_host


@dataclass
class Usage:
    wall: float
    cpu: float
    rss: float  # MB
    ended: bool  # without being killed
    started: float  # wall-clock time


@dataclass
class Row:
    """One line of the table."""

    case: str
    program: str
    links: int
    command: list[str]
    count_wrong: Callable[[Path], int]
    environment: dict[str, str] = field(default_factory=dict)
    timeout: float = 900
    repeats: int = 99
    base: str = ""  # the program of the same case whose CPU per link is the reference
    bar: float = 0  # the maximum ratio to `base`
    of_repeats: Callable[[list[float]], float] = min  # how the repeats are combined
    moment: Callable[[], float] | None = None  # returns the wall-clock time at which the measured part was done
    usages: list[Usage] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    wrong: int = 0

    @property
    def cpu_a_link(self) -> float:
        return self.of_repeats([usage.cpu for usage in self.usages]) / self.links


def run(command: list[str], environment: dict[str, str], timeout: float, output: Path) -> Usage:
    """Runs the program once. The kernel reports its cost through wait4."""
    with output.open("wb") as out, (output.parent / "errors").open("wb") as errors:
        started, begin = time.time(), time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=errors, stdin=subprocess.DEVNULL,
                                   env=os.environ | environment)
        timer = threading.Timer(timeout, process.kill)
        timer.start()
        _, status, resources = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu = resources.ru_utime + resources.ru_stime
    return Usage(wall, cpu, resources.ru_maxrss / 1024, process.returncode >= 0, started)


class Runner:
    """A separate process, forked while this one is small: the peak memory of a child starts at that of its parent."""

    def __init__(self):
        self._calls, far_end = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        context.Process(target=self._serve, args=(far_end,), daemon=True).start()

    @staticmethod
    def _serve(calls) -> None:
        while True:
            calls.send(run(*calls.recv()))

    def run(self, row: Row, output: Path) -> Usage:
        self._calls.send((row.command, row.environment, row.timeout, output))
        return self._calls.recv()


def measure(runner: Runner, rows: list[Row], repeats: int, output: Path) -> None:
    """Alternates between the rows of a case, so that other load on the machine affects all of them."""
    for turn in range(repeats):
        for row in rows:
            if turn >= row.repeats:
                continue
            usage = runner.run(row, output)
            row.usages.append(usage)
            print(f"  {row.case} {row.program}: {usage.wall:.2f} s, {usage.cpu / row.links * 1e6:.0f} us a link",
                  file=sys.stderr, flush=True)
            if row.moment:
                row.moments.append(row.moment() - usage.started)
            try:
                wrong = row.count_wrong(output) if usage.ended else row.links
            except (ValueError, KeyError, OSError) as trouble:
                print(f"  {row.program} left no report that can be read: {trouble}", file=sys.stderr)
                wrong = row.links
            row.wrong = max(row.wrong, wrong)


def not_fetched(links: int) -> Callable[[Path], int]:
    """Counts wrong results of fetch_engine and fetch_bare_curl, which print lines of status and count."""

    def count(output: Path) -> int:
        statuses = dict(line.split() for line in output.read_text().splitlines())
        return links - int(statuses.get("200", 0))

    return count


def verdicts(output: Path) -> list[dict]:
    with output.open() as lines:
        return [link for link in map(json.loads, lines) if "health" in link]


def misjudged(links: int, right: Callable[[dict], bool] = lambda link: link["health"] == "alive") -> Callable[[Path], int]:
    """Counts the links for which linkherd check gives a wrong verdict or none."""
    return lambda output: links - sum(map(right, verdicts(output)))


class Bench:
    def __init__(self, arguments: argparse.Namespace, folder: Path):
        self.arguments = arguments
        self.build = arguments.build.resolve()
        self.folder = folder
        self.rows: list[Row] = []
        self.runner = Runner()
        with_tls = "C" in arguments.cases
        self.ca_file = make_certificates(folder) if with_tls else None
        self.nginx = Nginx(folder, with_tls, with_log=False)

    def scaled(self, links: int) -> int:
        return max(200, int(links * self.arguments.scale))

    def list_of(self, name: str, urls: list[str]) -> Path:
        """Writes the URLs to a text file, and to a page of nginx for programs that only read pages."""
        file = self.folder / f"{name}.txt"
        file.write_text("".join(f"{url}\n" for url in urls))
        anchors = "".join(f'<a href="{url}">{number}</a>\n' for number, url in enumerate(urls))
        (self.folder / "lists" / f"{name}.html").write_text(f"<!doctype html><title>{name}</title>\n{anchors}")
        return file

    def tool(self, name: str) -> str:
        for path in (self.build / name, self.build / "tests" / "bench" / name):
            if path.exists():
                return str(path)
        raise SystemExit(f"there is no {name} in {self.build}: build the target fetch_bench")

    def bare(self, file: Path, concurrency: int, *more: str) -> list[str]:
        return [self.tool("fetch_bare_curl"), "--concurrency", str(concurrency), *more, str(file)]

    def engine(self, file: Path, concurrency: int, *more: str) -> list[str]:
        return [self.tool("fetch_engine"), "--concurrency", str(concurrency), *more, str(file)]

    def check(self, file: Path, *more: str, duplicates: str = "off") -> list[str]:
        store = self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        return ["/bin/sh", "-c", 'rm -rf "$1"; shift; exec "$@"', "sh", str(store), self.tool("linkherd"), "check",
                "--format", "jsonl", "-q", "-n", "--store", str(store), "--allow-private", "--duplicates", duplicates, *more,
                str(file)]

    def check_without_store(self, file: Path, *more: str) -> list[str]:
        return [self.tool("linkherd"), "check", "--format", "jsonl", "-q", "-n", "--no-store", "--allow-private", *more,
                str(file)]

    def impolite(self, concurrency: int, host_concurrency: int = 0) -> list[str]:
        return ["--robots", "ignore", "--host-request-interval", "0", "--max-concurrency", str(concurrency),
                "--host-concurrency", str(host_concurrency or concurrency)]

    def measure(self, rows: list[Row]) -> list[Row]:
        measure(self.runner, rows, self.arguments.repeats, self.folder / "output")
        self.rows += rows
        return rows

    def peers(self, case: str, file: Path, links: int, concurrency: int, pause_ms: int = 0,
              host_concurrency: int = 0, good: int = -1) -> None:
        if not self.arguments.peers:
            return
        task = fetch_peers.Task(file, f"http://127.0.0.1:{self.nginx.http}/lists/{file.stem}.html", links, concurrency,
                                host_concurrency or concurrency, pause_ms, self.ca_file, self.folder)
        expected = links if good < 0 else good

        def count(peer: fetch_peers.Peer) -> Callable[[Path], int]:
            def wrong(output: Path) -> int:
                fine, broken = peer.read(output)
                return max(broken, max(0, expected - fine))
            return wrong

        self.measure([Row(case, peer.name, links, peer.command, count(peer), peer.environment,
                          timeout=self.arguments.peer_timeout, repeats=1) for peer in fetch_peers.installed(task)])

    def case_a(self) -> None:
        links, concurrency = self.scaled(20_000), 64
        file = self.list_of("a", [f"http://127.0.1.1:{self.nginx.http}/a/{n}" for n in range(links)])
        self.measure([
            Row("A", "bare libcurl", links, self.bare(file, concurrency), not_fetched(links)),
            Row("A", "fetch engine", links, self.engine(file, concurrency), not_fetched(links), base="bare libcurl", bar=1.5),
            Row("A", "linkherd check", links, self.check(file, *self.impolite(concurrency)), misjudged(links),
                base="bare libcurl"),
        ])
        self.peers("A", file, links, concurrency)

    def host_list(self, name: str, hosts: int, path: str = "/b") -> Path:
        return self.list_of(name, [
            f"http://127.{16 + n // 62500}.{n // 250 % 250}.{n % 250 + 1}:{self.nginx.http}{path}" for n in range(hosts)])

    def case_b(self) -> None:
        links, many, concurrency = self.scaled(20_000), self.scaled(200_000), 256
        file, longer = self.host_list("b", links), self.host_list("b_many", many)
        self.measure([
            Row("B", "bare libcurl, FORBID_REUSE", links, self.bare(file, concurrency, "--forbid-reuse"), not_fetched(links)),
            Row("B", "fetch engine", links, self.engine(file, concurrency), not_fetched(links),
                base="bare libcurl, FORBID_REUSE", bar=1.5),
            Row("B", "linkherd check", links, self.check(file, *self.impolite(concurrency)), misjudged(links),
                base="bare libcurl, FORBID_REUSE"),
            Row("B", "fetch engine, 10 x the hosts", many, self.engine(longer, concurrency), not_fetched(many), repeats=2,
                base="fetch engine", bar=1.2),
        ])
        self.peers("B", file, links, concurrency)

    def case_c(self) -> None:
        links, concurrency = min(self.scaled(2_000), TLS_GROUPS * HOSTS_A_GROUP), 64
        urls = [f"https://{tls_host(n)}:{self.nginx.https}/c" for n in range(links)]
        file, few = self.list_of("c", urls), self.list_of("c_few", urls[:100])
        trusted = ["--ca-file", str(self.ca_file)]
        self.measure([
            Row("C", "bare libcurl, CAPATH off", links, self.bare(file, concurrency, "--forbid-reuse", *trusted), not_fetched(links)),
            Row("C", "bare libcurl, default CAPATH", 100,
                self.bare(few, concurrency, "--forbid-reuse", "--capath", "default", *trusted), not_fetched(100), repeats=1,
                base="bare libcurl, CAPATH off"),
            Row("C", "fetch engine", links, self.engine(file, concurrency, *trusted), not_fetched(links),
                base="bare libcurl, CAPATH off", bar=1.2),
            Row("C", "linkherd check", links, self.check(file, *trusted, *self.impolite(concurrency)), misjudged(links),
                base="bare libcurl, CAPATH off"),
        ])
        self.peers("C", file, links, concurrency)

    def log_contacts(self) -> None:
        """Makes nginx log the time of every request from now on."""
        if not self.nginx.log.exists():
            self.nginx.stop()
            self.nginx = Nginx(self.folder, with_tls=self.ca_file is not None, with_log=True)

    def done(self, prefix: str) -> Callable[[], float]:
        def moment() -> float:
            last = self.nginx.last_contact(prefix)
            self.nginx.forget_contacts()
            return last
        return moment

    def case_d(self) -> None:
        self.log_contacts()
        hosts, refused = 200, 500
        healthy = [f"http://127.4.0.{host + 1}:{self.nginx.http}/d/{n}" for n in range(50) for host in range(hosts)]
        busy = [f"http://127.5.0.1:{self.nginx.busy}/d/{n}" for n in range(refused)]
        alone, mixed = self.list_of("d_alone", healthy), self.list_of("d", busy + healthy)
        expected = lambda link: link["health"] == ("blocked" if "//127.5." in link["url"] else "alive") or (
            link["health"] == "deferred" and "//127.5." in link["url"])
        self.measure([
            Row("D", "linkherd check, healthy hosts alone", len(healthy), self.check(alone), misjudged(len(healthy)),
                moment=self.done("127.4."), repeats=2),
            Row("D", "linkherd check", len(healthy) + refused, self.check(mixed), misjudged(len(healthy) + refused, expected),
                moment=self.done("127.4."), base="linkherd check, healthy hosts alone", bar=1.1, repeats=2),
        ])
        first = len(self.rows)
        self.peers("D", mixed, len(healthy) + refused, 512, pause_ms=100, host_concurrency=6, good=len(healthy))
        for row in self.rows[first:]:
            row.base = "linkherd check, healthy hosts alone"

    def case_e(self) -> None:
        self.log_contacts()
        silent_server = SilentServer()
        healthy = [f"http://127.6.0.{host + 1}:{self.nginx.http}/e/{n}" for n in range(50) for host in range(100)]
        silent = [f"http://127.7.{n // 250}.{n % 250 + 1}:{silent_server.port}/e" for n in range(2_000)]
        alone, mixed = self.list_of("e_alone", healthy), self.list_of("e", silent + healthy)
        expected = lambda link: link["health"] == ("unreachable" if "//127.7." in link["url"] else "alive")
        # linkherd would report an outage, because 95 % of the hosts are silent. On the real web that would be correct.
        options = ["--timeout", "8s", "--max-retries", "0", "--outage-share", "1"]
        rows = []
        for name, more in (("", []), (", politeness off", self.impolite(512))):
            rows += [
                Row("E", f"linkherd check{name}, healthy hosts alone", len(healthy), self.check(alone, *options, *more),
                    misjudged(len(healthy)), moment=self.done("127.6."), repeats=2),
                Row("E", f"linkherd check{name}", len(healthy) + len(silent), self.check(mixed, *options, *more),
                    misjudged(len(healthy) + len(silent), expected), moment=self.done("127.6."),
                    base=f"linkherd check{name}, healthy hosts alone", bar=1.2, repeats=2),
            ]
        self.measure(rows)
        silent_server.stop()

    def case_f(self) -> None:
        links, concurrency = self.scaled(20_000), 256
        file = self.host_list("f", links, "/text/")
        bare = "bare libcurl, FORBID_REUSE"
        self.measure([
            Row("F", bare, links, self.bare(file, concurrency, "--forbid-reuse"), not_fetched(links), of_repeats=statistics.median),
            Row("F", "linkherd check --no-store", links, self.check_without_store(file, *self.impolite(concurrency)), misjudged(links),
                base=bare, bar=1.5, of_repeats=statistics.median),
        ])

    def case_g(self) -> None:
        links = self.scaled(20_000)
        file = self.list_of("g", [f"http://127.0.1.1:{self.nginx.http}/text/{n}" for n in range(links)])
        options = self.impolite(256, host_concurrency=64)
        self.measure([
            Row("G", "linkherd check --no-store", links, self.check_without_store(file, *options), misjudged(links),
                of_repeats=statistics.median),
            Row("G", "linkherd check", links, self.check(file, *options, duplicates="across"), misjudged(links), base="linkherd check --no-store",
                bar=1.3, of_repeats=statistics.median),
        ])

    def ratio(self, row: Row) -> float | None:
        base = next((other for other in self.rows if other.case == row.case and other.program == row.base), None)
        if base is None or not row.usages:
            return None
        if base.moments:
            return min(row.moments) / min(base.moments) if row.moments else None
        return row.cpu_a_link / base.cpu_a_link

    def print_table(self) -> bool:
        met = True
        print("| case | program | links | wall s | CPU us a link | peak RSS MB | wrong verdicts | healthy part s | ratio | bar |")
        print("|---|---|--:|--:|--:|--:|--:|--:|--:|---|")
        for row in self.rows:
            ratio = self.ratio(row)
            wall = min(usage.wall for usage in row.usages)
            ended = all(usage.ended for usage in row.usages)
            bar = "" if not row.bar else f"<= {row.bar} " + ("met" if ratio and ratio <= row.bar and not row.wrong else "MISSED")
            met = met and "MISSED" not in bar
            cells = [row.case, row.program, row.links, f"{wall:.2f}" if ended else f"> {row.timeout:.0f}",
                     f"{row.cpu_a_link * 1e6:.0f}", f"{max(usage.rss for usage in row.usages):.0f}",
                     row.wrong if ended else "unfinished", f"{min(row.moments):.2f}" if row.moments else "",
                     f"{ratio:.2f}" if ratio else "", bar]
            print("| " + " | ".join(map(str, cells)) + " |")
        return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--cases", default="ABCDEFG")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of links in A, B and C")
    parser.add_argument("--peers", action="store_true", help="run the other link checkers on PATH too")
    parser.add_argument("--peer-timeout", type=float, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="linkherd-bench-") as folder:
        bench = Bench(arguments, Path(folder))
        try:
            for case in arguments.cases:
                getattr(bench, f"case_{case.lower()}")()
            return 0 if bench.print_table() else 1
        finally:
            bench.nginx.stop()


if __name__ == "__main__":
    sys.exit(main())
