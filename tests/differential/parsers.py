"""Compares linkherd's URL parser with the data of the URL standard, and its robots.txt parser with two others.

The data is `urltestdata.json` of the crate `url`. The robots files are the test data of protego, and generated ones.
"""

import json
import random
import re
import tarfile
from urllib.parse import quote

from classes import Difference

MAX_ROBOTS_FILES = 1500
GENERATED_ROBOTS_FILES = 500
MAX_PATHS = 12
SEED = 52


def members(archive, pattern):
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and re.search(pattern, member.name):
                yield member.name, tar.extractfile(member).read()


def compare_urls(archive, ask):
    """Returns the differences from the standard's data and the number of its cases. A lone surrogate is first
    replaced with U+FFFD, as in the standard."""
    data = next(content for _, content in members(archive, r"/urltestdata\.json$"))
    cases = [case for case in json.loads(data) if isinstance(case, dict)]
    questions = [{"input": as_utf8(case["input"]), "base": as_utf8(case.get("base"))} for case in cases]
    differences = []
    for case, question, reply in zip(cases, questions, ask(questions)):
        expected = None if case.get("failure") else case["href"]
        if reply["href"] == expected:
            continue
        kind = "accepted" if expected is None else "refused" if reply["href"] is None else "another href"
        differences.append(Difference(f"url | {kind}", "urltestdata.json", 0, json.dumps(question["input"]), f"{reply['href']} instead of {expected}"))
    return differences, len(cases)


def as_utf8(text):
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def paths_of(text, chance):
    """Returns paths that match the rules of a file, and similar paths that do not."""
    patterns = re.findall(r"^\s*(?:dis)?allow\s*:\s*([^\s#]+)", text, re.I | re.M)
    chance.shuffle(patterns)
    paths = {"/"}
    for pattern in patterns[:MAX_PATHS // 2]:
        path = "/" + pattern.replace("*", chance.choice(["", "x", "a/b"])).removesuffix("$").lstrip("/")
        paths |= {quote(path, safe="/?&=%:@!$'()*+,;~-._[]|"), quote(path + chance.choice(["x", "/y", "?z=1"]), safe="/?&=%:@!$'()*+,;~-._[]|")}
    return sorted(paths)[:MAX_PATHS]


def generated_robots(chance):
    pieces = ["/", "a", "b", "*", "$", "?", "%2F", "%41", "é", ".html", "//", "=", "%"]
    lines = []
    for _ in range(chance.randint(1, 3)):
        lines += [f"User-agent: {agent}" for agent in chance.sample(["*", "linkherd", "LinkHerd", "other"], chance.randint(1, 2))]
        for _ in range(chance.randint(0, 5)):
            lines.append(f"{chance.choice(['Allow', 'Disallow', 'disallow'])}: {chance.choice(['', '/'])}{''.join(chance.choices(pieces, k=chance.randint(0, 5)))}")
        if chance.random() < 0.3:
            lines.append("")
    return "\n".join(lines) + "\n"


def robots_questions(archive):
    chance = random.Random(SEED)
    files = [(name, content.decode("utf-8", "replace")) for name, content in sorted(members(archive, r"/tests/test_data/"))][:MAX_ROBOTS_FILES]
    files += [(f"generated {number}", generated_robots(chance)) for number in range(GENERATED_ROBOTS_FILES)]
    for name, text in files:
        agents = {"linkherd"} | set(re.findall(r"^\s*user-agent\s*:\s*([A-Za-z_-]{2,40})\s*$", text, re.I | re.M)[:2])
        for agent in sorted(agents):
            yield name, {"robots": text, "agent": agent, "paths": paths_of(text, chance)}


def feature(text, path):
    rules = "\n".join(re.findall(r"^\s*(?:dis)?allow\s*:.*$", text, re.I | re.M))
    if "<html" in text.lower():
        return "HTML"
    if not text.isascii():
        return "other than ASCII"
    if "%" in path or "%" in rules:
        return "escapes"
    if re.search(r"[*$]", rules):
        return "wildcards"
    return "plain"


def compare_robots(archive, ask, oracles):
    """Returns the differences from each oracle, and the number of compared answers."""
    named = list(robots_questions(archive))
    questions = [question for _, question in named]
    replies = [ask(questions), *(oracle(questions) for oracle in oracles)]
    differences, count = [], 0
    for (name, question), ours, *theirs in zip(named, *replies):
        for position, path in enumerate(question["paths"]):
            count += 1
            mine = ours["allowed"][position]
            others = sorted(reply["oracle"] for reply in theirs if reply["allowed"][position] != mine)
            if others:
                kind = f"robots | {'allowed' if mine else 'disallowed'}, not by {'+'.join(others)} | {feature(question['robots'], path)}"
                differences.append(Difference(kind, name, 0, path, f"{question['agent']}: {question['robots'][:150]!r}"))
    return differences, count
