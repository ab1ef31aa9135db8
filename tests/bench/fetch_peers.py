"""Runs the other link checkers on a list of URLs with a given concurrency and pace, and reads their results."""

import csv
import json
import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Task:
    """A list of URLs, as a text file and as a page that links to all of them."""

    urls: Path
    page: str
    links: int
    concurrency: int
    host_concurrency: int
    pause_ms: int  # between two requests to one host
    ca_file: Path | None
    folder: Path


@dataclass
class Peer:
    name: str
    command: list[str]
    environment: dict[str, str]
    read: object  # (path of the output) -> (number of good links, number of broken links)


def lychee(task: Task) -> Peer:
    def read(output: Path) -> tuple[int, int]:
        report = json.loads(output.read_text())
        return report["successful"], report["errors"] + report.get("timeouts", 0)

    command = ["lychee", "--no-progress", "--format", "json", "--max-concurrency", str(task.concurrency),
               "--host-concurrency", str(task.host_concurrency), "--host-request-interval", f"{task.pause_ms}ms",
               str(task.urls)]
    return Peer("lychee", command, {"SSL_CERT_FILE": str(task.ca_file)} if task.ca_file else {}, read)


def muffet(task: Task) -> Peer:
    def read(output: Path) -> tuple[int, int]:
        links = [link for page in json.loads(output.read_text() or "[]") for link in page["links"]]
        broken = sum("error" in link for link in links)
        return len(links) - broken, broken

    command = ["muffet", "--format", "json", "--verbose", "--one-page-only", "--timeout", "20", "--buffer-size", "65536",
               "--max-connections", str(task.concurrency), "--max-connections-per-host", str(task.host_concurrency)]
    if task.pause_ms:
        command += ["--rate-limit", str(1000 // task.pause_ms)]
    return Peer("muffet", [*command, task.page], {"SSL_CERT_FILE": str(task.ca_file)} if task.ca_file else {}, read)


def linkinator(task: Task) -> Peer:
    def read(output: Path) -> tuple[int, int]:
        states = [link["state"] for link in json.loads(output.read_text())["links"] if link["url"] != task.page]
        return states.count("OK"), states.count("BROKEN")

    command = ["linkinator", task.page, "--format", "json", "--concurrency", str(task.concurrency), "--timeout", "20000"]
    return Peer("linkinator", command, {"NODE_EXTRA_CA_CERTS": str(task.ca_file)} if task.ca_file else {}, read)


def linkchecker(task: Task) -> Peer:
    def read(output: Path) -> tuple[int, int]:
        with output.open(newline="") as lines:
            rows = list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter=";"))
        verdicts = [row["valid"] for row in rows if row["urlname"] != task.page]
        return verdicts.count("True"), verdicts.count("False")

    settings = task.folder / "linkcheckerrc"
    trusted = f"sslverify={task.ca_file}\n" if task.ca_file else ""
    pace = 1000 // task.pause_ms if task.pause_ms else 1_000_000
    settings.write_text(f"[checking]\nrobotstxt=0\ntimeout=20\nmaxrequestspersecond={pace}\n{trusted}")
    command = ["linkchecker", "-f", str(settings), "--no-status", "--verbose", "--output", "csv", "--check-extern",
               "--recursion-level", "1", "--threads", str(task.concurrency), task.page]
    return Peer("linkchecker", command, {}, read)


def installed(task: Task) -> list[Peer]:
    peers = [make(task) for make in (lychee, muffet, linkinator, linkchecker)]
    return [peer for peer in peers if shutil.which(peer.name)]
