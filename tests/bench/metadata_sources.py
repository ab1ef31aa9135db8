#!/usr/bin/env python3
"""Measures how often each source of metadata is correct, and the scores per fold of hosts, on labelled pages.

usage: metadata_sources.py [--errors FIELD] LINKHERD FOLDER...

A FOLDER contains pages, manifest.tsv with lines FILE<TAB>URL, and gold.jsonl. score.py of the first folder that has one
defines which values are equal. Tables: one score per folder with its five folds, then one row per field and source.
All pages of a registrable domain are in one fold, so a rule that was tuned on some hosts improves only some folds.
The rows show on how many pages a source has a value and how often its first candidate is correct, and on how many
pages its value was chosen and how often that was correct.
"""
import argparse, hashlib, json, pathlib, subprocess, sys
from collections import defaultdict

FIELDS = {"title": "title", "authors": "authors", "date": "published"}
FOLDS = 5


def notions(folders):
    """Loads the functions of score.py, which is a program: everything except its call of main()."""
    for folder in folders:
        if (folder / "score.py").exists():
            names = {"__name__": "score"}
            exec((folder / "score.py").read_text(encoding="utf-8").replace("\nmain()\n", "\n"), names)
            return names
    sys.exit("none of the folders has score.py")


def fold_of(url):
    host = url.split("/")[2].split(":")[0] if "//" in url else url
    labels = host.split(".")
    domain = ".".join(labels[-3 if len(labels) > 2 and len(labels[-2]) <= 3 else -2:])
    return hashlib.sha256(domain.encode()).digest()[0] % FOLDS


def judge(score, field, gold, value):
    """Returns True or False, or None if no value is expected and none was found. `value` is the program's output."""
    if field == "title":
        return score["loose"](value or "") == score["loose"](gold["title"]) if gold.get("title") else None
    if field == "authors":
        if gold.get("authors") is None:
            return None
        want, have = score["names"](gold["authors"]), score["names"](value)
        return None if not want and not have else want == have
    want = score["day"](gold.get("date"))
    return None if not want else score["day"](value) == want


def values_of(field, candidates):
    """Returns the first value of each source, and the chosen value."""
    first = {}
    for candidate in candidates:
        value = candidate["value"].split("; ") if field == "authors" else candidate["value"]
        first.setdefault(candidate["source"], value)
    return first


def pages_of(program, folder):
    gold = {}
    for line in open(folder / "gold.jsonl", encoding="utf-8"):
        row = json.loads(line)
        gold.setdefault(row["page"], []).append(row)
    run = subprocess.run([program, "metadata", "--explain", "--files-from", "manifest.tsv"], cwd=folder, stdout=subprocess.PIPE)
    for line in run.stdout.decode().splitlines():
        page = json.loads(line)
        for row in gold.get(page["file"].rsplit("/", 1)[-1], []):
            yield row, page


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--errors", choices=FIELDS)
    parser.add_argument("program", type=lambda name: str(pathlib.Path(name).resolve()))
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    score = notions(options.folders)
    sources = defaultdict(lambda: [0, 0, 0, 0])  # has a value, correct, chosen, correct
    for folder in options.folders:
        folds = {field: [[0, 0] for _ in range(FOLDS)] for field in FIELDS}
        for gold, page in pages_of(options.program, folder):
            for field, key in FIELDS.items():
                right = judge(score, field, gold, page.get(key))
                if right is None:
                    continue
                empty_gold = field == "authors" and not gold["authors"]
                if not empty_gold:
                    tally = folds[field][fold_of(gold["url"])]
                    tally[0] += right
                    tally[1] += 1
                if not right and options.errors == field:
                    print(json.dumps({"folder": folder.name, "url": gold["url"], "gold": gold.get(field), "page": page["file"],
                                      "got": page.get(key), "candidates": [list(one.values()) for one in page["candidates"].get(key, [])]},
                                     ensure_ascii=False))
                chosen = page["sources"].get(key)
                for source, value in values_of(field, page["candidates"].get(key, [])).items():
                    row = sources[field, source]
                    row[0] += 1
                    row[1] += bool(judge(score, field, gold, value))
                    if source == chosen:
                        row[2] += 1
                        row[3] += right
        for field, tallies in folds.items():
            print(f"{folder.name:<12} {field:<8} " + "  ".join(f"{a / b if b else 0:.3f}" for a, b in tallies)
                  + f"   all {sum(a for a, _ in tallies) / max(1, sum(b for _, b in tallies)):.3f}"
                  + f" of {sum(b for _, b in tallies)}")
    print(f"\n{'field':<8} {'source':<36} {'says':>5} {'right':>6} {'chosen':>7} {'right':>6}")
    for (field, source), (says, right, chosen, right_chosen) in sorted(sources.items(), key=lambda row: (row[0][0], -row[1][0])):
        print(f"{field:<8} {source:<36} {says:5d} {right / says:6.3f} {chosen:7d} {right_chosen / chosen if chosen else 0:6.3f}")


main()
