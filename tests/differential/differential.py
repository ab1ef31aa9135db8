"""Compares linkherd's readers with other programs on the documentation of packages, and prints a table of differences.

differential.py LINKHERD ANSWERS FOLDER [--cache FOLDER] [--formats markdown,rst,…] [--samples]

Downloads the packages of packages.txt into the cache, and the oracles into FOLDER. Exits with 1 if a class of
differences is unknown or a known one exceeds its limit (known_differences.toml). Exits with 77, which ctest reports as
skipped, without npm or a package registry.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import packages
import parsers
from classes import BASE, KnownDifference, Link, compare, tabulate

HERE = Path(__file__).resolve().parent
SKIPPED = 77
MIN_PACKAGES = 60


def install_oracles(folder):
    """Returns the commands of the two oracles. Their packages are installed into the folder, in the locked versions."""
    node = folder / "node"
    node.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes() + (HERE / "requirements.txt").read_bytes()
    for name in ("package.json", "package-lock.json", "oracle.mjs"):
        shutil.copy(HERE / name, node / name)
    python = folder / "python"
    installed = folder / "installed"
    if not installed.exists() or installed.read_bytes() != lock:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=node, check=True)
        venv.create(python, with_pip=True, clear=True)
        subprocess.run([python / "bin/pip", "install", "--quiet", "--no-deps", "-r", HERE / "requirements.txt"], check=True)
        installed.write_bytes(lock)
    return [python / "bin/python", HERE / "oracle.py"], ["node", node / "oracle.mjs"]


def fetch_documents(arguments):
    """Returns {file: format} of all documents, and the number of their packages."""
    listed = packages.read_packages(HERE / "packages.txt")
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        archives = list(pool.map(lambda package: packages.fetch(package, arguments.cache), listed))
    documents, seen, found = {}, set(), 0
    shutil.rmtree(arguments.folder / "documents", ignore_errors=True)
    for package, archive in zip(listed, archives):
        if archive is None:
            continue
        taken = dict(packages.unpack(package, archive, arguments.folder / "documents", seen))
        found += bool(taken)
        documents.update(taken)
    return documents, found


def ask(command, questions):
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def notebooks_as_markdown(documents, python):
    """Replaces each notebook with the Markdown of its cells for the oracles. Returns {notebook: Markdown}."""
    questions = [{"file": str(file), "format": "notebook", "markdown": f"{file}.cells.md"} for file, name in documents.items() if name == "notebook"]
    return {question["file"]: question["markdown"] for question, reply in zip(questions, ask(python, questions)) if "error" not in reply}


def ask_oracles(documents, python, node):
    """Returns {file: {oracle: links}}, and the documents that an oracle could not read."""
    cells = notebooks_as_markdown(documents, python)
    original = {markdown: notebook for notebook, markdown in cells.items()}
    for_python = [{"file": str(file), "format": name} for file, name in documents.items() if name in ("rst", "feed")]
    for_node = [{"file": cells.get(str(file), str(file)), "format": "markdown" if name == "notebook" else name} for file, name in documents.items()
                if name in ("markdown", "mdx", "asciidoc", "org") or str(file) in cells]
    answers, errors = defaultdict(dict), Counter()
    for reply in ask(node, [*ask(python, for_python), *for_node]):
        if "error" in reply:
            errors[reply["oracle"]] += 1
        else:
            answers[original.get(reply["file"], reply["file"])][reply["oracle"]] = [Link(link["url"], link["href"], link["kind"]) for link in reply["links"]]
    return answers, errors


def ask_linkherd(program, documents, folder):
    """Returns {file: links}, from the same reader as `linkherd check`."""
    names = folder / "documents.txt"
    links = defaultdict(list)
    names.write_text("".join(f"{file}\n" for file in documents))
    done = subprocess.run([program, "links", "--quiet", "--format", "jsonl", "--base-url", BASE, "--files-from", names], cwd=folder,
                          stdout=subprocess.PIPE, check=True)
    for line in done.stdout.splitlines():
        link = json.loads(line)
        if "empty_target" in link["notes"]:  # a label without a definition, which the other readers treat as text
            continue
        links[str(folder / link["file"])].append(Link(link["url"], link["href"], link["element"], link["offset"]))
    return links


def offset_in_characters(content, link):
    return Link(link.url, link.href, link.kind, len(content[:link.offset].decode("utf-8", errors="replace")))


def differences_of_documents(arguments, python, node, documents):
    answers, errors = ask_oracles(documents, python, node)
    links = ask_linkherd(arguments.linkherd, documents, arguments.folder)
    for file, name in documents.items():
        if str(file) not in answers:
            continue
        content = file.read_bytes()
        ours = [offset_in_characters(content, link) for link in links[str(file)]]
        shown = str(file.relative_to(arguments.folder / "documents"))
        yield from compare(name, shown, content.decode("utf-8"), ours, answers[str(file)])
    for oracle, count in errors.items():
        print(f"{count} documents that {oracle} refuses are not compared")


def archive_of(arguments, registry, name):
    package = next(each for each in packages.read_packages(HERE / "packages.txt") if (each.registry, each.name) == (registry, name))
    return packages.fetch(package, arguments.cache)


def differences_of_parsers(arguments, python, node):
    urls, cases = parsers.compare_urls(archive_of(arguments, "crates", "url"), partial(ask, [arguments.answers]))
    robots, answers = parsers.compare_robots(archive_of(arguments, "pypi", "protego"), partial(ask, [arguments.answers]),
                                             [partial(ask, python), partial(ask, node)])
    print(f"{cases} URLs of the standard's data, {answers} answers by robots.txt")
    return urls + robots


def print_table(rows, with_samples):
    print("| class | count | known |\n|---|---|---|")
    for row in rows:
        print(f"| {row.class_name.replace(' | ', ' · ')} | {row.count} | {'NEW' if row.known is None else row.known.reason} |")
    for row in rows:
        if with_samples or row.known is None:
            print(f"\n{row.class_name} ({row.count})")
            for sample in row.samples:
                print(f"  {sample.file}:{sample.line}: {sample.url}\n    {sample.source[:200]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("linkherd", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "linkherd-differential")
    parser.add_argument("--formats", default="")
    parser.add_argument("--samples", action="store_true", help="also three samples of each known class")
    arguments = parser.parse_args()
    if not shutil.which("npm"):
        print("skipped: npm is not installed")
        return SKIPPED
    arguments.folder = arguments.folder.resolve()
    try:
        python, node = install_oracles(arguments.folder)
    except subprocess.CalledProcessError as error:
        print(f"skipped: the packages of the lock files cannot be installed: {error}")
        return SKIPPED
    documents, found = fetch_documents(arguments)
    formats = set(filter(None, arguments.formats.split(",")))
    documents = {file: name for file, name in documents.items() if not formats or name in formats}
    print(f"{len(documents)} documents of {found} packages: {dict(Counter(documents.values()))}")
    known = [KnownDifference(**row) for row in tomllib.loads((HERE / "known_differences.toml").read_text())["difference"]]
    differences = list(differences_of_documents(arguments, python, node, documents))
    if not formats:
        differences += differences_of_parsers(arguments, python, node)
    rows, exceeded = tabulate(differences, known)
    print_table(rows, arguments.samples)
    unknown = [row for row in rows if row.known is None]
    print(f"\n{len(differences)} differences in {len(rows)} classes, {len(unknown)} of them unknown")
    for pattern, count in exceeded.items():
        print(f"{pattern}: {count} is above its bound")
    if found < MIN_PACKAGES:
        print(f"only {found} packages could be read; the job needs {MIN_PACKAGES}")
    return 1 if unknown or exceeded or found < MIN_PACKAGES else 0


if __name__ == "__main__":
    sys.exit(main())
