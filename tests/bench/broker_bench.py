#!/usr/bin/env python3
"""Compares the CPU of a worker and its run through RabbitMQ with the CPU of a plain `check`, on nginx over loopback.

broker_bench.py BUILD BROKER [--links 200000] [--hosts 20000] [--repeats 3] [--store]

BUILD is a release build, BROKER the URL of a broker that nobody else uses. Prints one line per run, and the ratio of
the medians. See README.md in this folder.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from fetch_bench import Usage, misjudged, run
from fetch_servers import Nginx


def cpu_of_stopped(process: subprocess.Popen) -> float:
    process.send_signal(signal.SIGTERM)
    _, _, resources = os.wait4(process.pid, 0)
    return resources.ru_utime + resources.ru_stime


class Bench:
    def __init__(self, arguments: argparse.Namespace, folder: Path):
        self.linkherd = str(arguments.build.resolve() / "linkherd")
        self.broker = ["--broker", arguments.broker]
        self.folder, self.links, self.with_store = folder, arguments.links, arguments.store
        self.nginx = Nginx(folder, with_tls=False, with_log=False)
        self.list = folder / "list.txt"
        with self.list.open("w") as out:
            for n in range(arguments.links):
                host = n % arguments.hosts
                out.write(f"http://127.{16 + host // 62500}.{host // 250 % 250}.{host % 250 + 1}:{self.nginx.http}/page/{n}\n")
        self.fetching = ["--allow-private", "--robots", "ignore", "--host-request-interval", "0", "--max-concurrency", "256",
                         "--host-concurrency", "256"]

    def check(self, *more: str) -> Usage:
        shutil.rmtree(self.folder / "store", ignore_errors=True)
        store = ["--store", str(self.folder / "store")] if self.with_store else ["--no-store"]
        command = [self.linkherd, "check", "-q", "-n", "--format", "jsonl", "--duplicates", "off", *store, *self.fetching, *more,
                   str(self.list)]
        usage = run(command, {}, 3600, self.folder / "output")
        wrong = misjudged(self.links)(self.folder / "output")
        if wrong > 0:
            print(f"  {wrong} links have another verdict than alive", file=sys.stderr)
        return usage

    def alone(self) -> float:
        usage = self.check()
        print(f"check: {usage.cpu:.2f} s CPU, {usage.wall:.1f} s, {usage.rss:.0f} MB", flush=True)
        return usage.cpu

    def spread(self) -> float:
        worker = subprocess.Popen([self.linkherd, "broker", "worker", "-q", *self.broker, *self.fetching], stderr=subprocess.DEVNULL)
        guard = threading.Timer(3700, worker.kill)
        guard.start()
        usage = self.check(*self.broker)
        cpu = cpu_of_stopped(worker)
        guard.cancel()
        print(f"check --broker: {usage.cpu:.2f} s CPU, {usage.wall:.1f} s, {usage.rss:.0f} MB; its worker: {cpu:.2f} s CPU", flush=True)
        return usage.cpu + cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("broker")
    parser.add_argument("--links", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--store", action="store_true", help="with a store")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="broker_bench") as name:
        bench = Bench(arguments, Path(name))
        try:
            pairs = [(bench.alone(), bench.spread()) for _ in range(arguments.repeats)]
        finally:
            bench.nginx.stop()
    alone, spread = (statistics.median(side) for side in zip(*pairs))
    print(f"ratio of the medians: {spread / alone:.2f} (bar 1.25)")


if __name__ == "__main__":
    main()
