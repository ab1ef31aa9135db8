#!/usr/bin/env python3
"""Fails on identifiers of production code that the glossary (ARCHITECTURE.md) replaces with other words.

usage: vocabulary.py ROOT

Limits must be named max_ and min_. Ignores comments and string literals. Prints FILE:LINE: NAME for each finding."""

import pathlib
import re
import sys

FOLDERS = ("crawler", "parser", "storage", "reports")
# Comments, raw strings, strings and characters contain no identifiers. A digit separator (1'000) starts no character.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\'', re.S)
WORD = re.compile(r"[A-Za-z_]\w*")
LIMIT = re.compile(r"_?(most|least|fewest|longest|largest)_\w+", re.I)
STEM = re.compile(r"(?:^|_)(told|telling|teller)(?:_|$)|(?:Told|Telling|Teller)(?=[A-Z]|$)|^(?:told|telling|teller)(?=[A-Z])")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def main(root):
    findings = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            code = NOT_CODE.sub(blank, path.read_text(encoding="utf-8"))
            for number, line in enumerate(code.split("\n"), 1):
                for name in WORD.findall(line):
                    if LIMIT.fullmatch(name) or STEM.search(name):
                        findings.append(f"{path.relative_to(root)}:{number}: {name}")
    print("\n".join(findings) or "no name that the glossary replaces")
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: vocabulary.py ROOT")
    sys.exit(main(pathlib.Path(sys.argv[1])))
