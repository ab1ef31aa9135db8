#!/usr/bin/env python3
"""Runs clang-tidy on source files and skips files that passed before.

usage: clang_tidy.py BUILD_DIRECTORY FILE...

The build directory contains compile_commands.json; only its generated source files are built. A file that is compiled
as part of a unit (LINKHERD_UNITY) is checked with its unit. The cache key of a unit is the hash of its preprocessed
text, its compile flags, .clang-tidy and the version of clang-tidy. Of the comments, only those with NOLINT count.
Only units without findings are cached, in $LINKHERD_TIDY_CACHE or ~/.cache/linkherd-tidy. Exits with 1 on findings."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

KEEP_SECONDS = 30 * 24 * 3600
# By default the analyzer checks only functions of the main file, but the functions of a unit are all in included files.
# The analyzer stops when the paths of a function exceed a budget of nodes. A few long functions used up the default of
# 225,000: one unit took 413 s, and takes 70 s with 20,000 and 42 s with 5,000.
ANALYZER_OPTIONS = ["-analyzer-opt-analyze-headers", "-analyzer-config", "max-nodes=5000"]
TIDY_ARGUMENTS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option"] + [
    f"--extra-arg={word}" for option in ANALYZER_OPTIONS for word in ("-Xclang", option)]


def cache_directory():
    configured = os.environ.get("LINKHERD_TIDY_CACHE")
    directory = pathlib.Path(configured) if configured else pathlib.Path.home() / ".cache" / "linkherd-tidy"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def compile_flags(entry):
    """Returns the flags of a compile command, without compiler, launcher, source and output."""
    words = shlex.split(entry["command"])
    flags = words[next(i for i, word in enumerate(words) if word.startswith("-")):]
    kept, skip = [], False
    for word in flags:
        if skip:
            skip = False
        elif word == "-o":
            skip = True
        elif word != "-c" and word != entry["file"]:
            kept.append(word)
    return kept


COMMENT = re.compile(rb"(?:^|\s)//.*")


def code_of(preprocessed):
    """The text without blank lines and without comments, except NOLINT: a new comment needs no new run."""
    lines = (line if b"NOLINT" in line else COMMENT.sub(b"", line) for line in preprocessed.split(b"\n"))
    return b"\n".join(line.rstrip() for line in lines if line.strip())


def key_of(entry, base):
    """Returns the cache key, or None if the file cannot be preprocessed; clang-tidy then reports the reason."""
    flags = compile_flags(entry)
    run = subprocess.run(["clang++", *flags, f"-fmacro-prefix-map={os.getcwd()}=.", "-w", "-E", "-C", "-P", entry["file"]],
                         cwd=entry["directory"], capture_output=True, check=False)
    if run.returncode != 0:
        return None
    key = base.copy()
    key.update("\0".join(flags).replace(os.getcwd(), ".").encode())  # identical in every clone
    key.update(code_of(run.stdout))
    return key.hexdigest()


def check(entry, build, base, cache):
    """Returns the findings of one unit, or None, and whether the result came from the cache."""
    key = key_of(entry, base)
    if key and (cache / key).exists():
        os.utime(cache / key)
        return None, True
    begin = time.monotonic()
    run = subprocess.run(["clang-tidy", "-p", build, *TIDY_ARGUMENTS, entry["file"]],
                         capture_output=True, text=True, check=False)
    print(f"{time.monotonic() - begin:4.0f} s {os.path.relpath(entry['file'])}", flush=True)
    if run.returncode != 0:
        return run.stdout + run.stderr, False
    if key:
        (cache / key).touch()
    return None, False


def compiled_by(commands):
    """Maps each file, relative to the current folder, to its compile command or to that of its unit."""
    entries = {}
    for entry in commands:
        name = os.path.relpath(entry["file"])
        entries[name] = entry
        if re.search(r"_unit_\d+\.cpp$", name):
            for included in re.findall(r'^#include "(.+\.cpp)"', pathlib.Path(name).read_text(), re.MULTILINE):
                entries[included] = entry
    return entries


def main():
    build, names = sys.argv[1], sys.argv[2:]
    subprocess.run(["cmake", "--build", build, "--target", "linkherd_generated"], check=True, stdout=subprocess.DEVNULL)
    entries = compiled_by(json.loads((pathlib.Path(build) / "compile_commands.json").read_text()))
    cache = cache_directory()
    base = hashlib.sha256(subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout)
    base.update(re.sub(rb"(?m)^\s*#.*\n", b"", pathlib.Path(".clang-tidy").read_bytes()))
    base.update(" ".join(TIDY_ARGUMENTS).encode())
    unknown = [name for name in names if name not in entries]
    if unknown:
        sys.exit(f"clang_tidy.py: not compiled by {build}: {' '.join(unknown)}")
    units = {entries[name]["file"]: entries[name] for name in names}
    failed = cached = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings, hit in pool.map(lambda entry: check(entry, build, base, cache), units.values()):
            cached += hit
            if findings is not None:
                failed += 1
                print(findings, flush=True)
    for entry in cache.iterdir():
        if entry.stat().st_mtime < time.time() - KEEP_SECONDS:
            entry.unlink()
    print(f"clang-tidy: {len(names)} files in {len(units)} units, {cached} of them unchanged since they last passed, {failed} with findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
