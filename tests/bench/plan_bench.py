#!/usr/bin/env python3
"""Measures CPU and memory of `linkherd broker plan`, and of `linkherd broker collect` while it reads the plan, for
lists of increasing size.

plan_bench.py BUILD BROKER [--links 1000000,3000000,10000000] [--collect]

BUILD is a release build, BROKER the URL of a broker that nobody else uses; a plan in its queue is dropped. See
README.md in this folder.
"""

import argparse
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

LINKS_A_LIST = 1_000_000


def write_lists(folder: Path, links: int) -> None:
    """Returns Markdown with a heading every thousand links. A tenth of the links occur twice."""
    for begin in range(0, links, LINKS_A_LIST):
        with (folder / f"list{begin // LINKS_A_LIST}.md").open("w") as out:
            for n in range(begin, min(links, begin + LINKS_A_LIST)):
                if n % 1000 == 0:
                    out.write(f"\n## Section {n // 1000}\n\n")
                n -= n % 10 == 9 and n // 2 or 0
                out.write(f"- [Page {n}](https://www.host{n * 7919 % (links // 10 + 1)}.net/articles/{n}/index.html)\n")


def usage(process: subprocess.Popen) -> tuple[float, float]:
    _, _, resources = os.wait4(process.pid, 0)
    process.returncode = 0
    return resources.ru_utime + resources.ru_stime, resources.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("broker")
    parser.add_argument("--links", default="1000000,3000000,10000000")
    parser.add_argument("--collect", action="store_true", help="also read the plan; no worker is needed")
    arguments = parser.parse_args()
    linkherd = str(arguments.build.resolve() / "linkherd")
    for links in map(int, arguments.links.split(",")):
        with tempfile.TemporaryDirectory(prefix="plan_bench") as name:
            folder = Path(name)
            write_lists(folder, links)
            began = time.monotonic()
            plan = subprocess.Popen([linkherd, "broker", "plan", "--replace", "--broker", arguments.broker, "."], cwd=folder)
            cpu, memory = usage(plan)
            print(f"plan of {links:,} links: {cpu:.1f} s CPU, {time.monotonic() - began:.1f} s, {memory:.0f} MiB", flush=True)
            if not arguments.collect:
                continue
            # No request is sent: the program is stopped before the first links would go to workers.
            collect = subprocess.Popen([linkherd, "broker", "collect", "--no-store", "-n", "--broker", arguments.broker], cwd=folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for line in collect.stderr:
                if "no worker is connected" in line:
                    break
            collect.send_signal(signal.SIGKILL)
            cpu, memory = usage(collect)
            print(f"collect of {links:,} links, until the first are sent: {cpu:.1f} s CPU, {memory:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
