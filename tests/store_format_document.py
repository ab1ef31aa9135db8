#!/usr/bin/env python3
"""Fails if docs/store-format.md and the code differ in the format of the store.

usage: store_format_document.py ROOT

Compares the families with storage/key_layout.h, the messages, fields and numbers with storage/stored_values.proto, and
the numbers of words with that file and with parser/lists/link_occurrence.h. The fields of each message must be numbered
from 1 without gaps. Prints one line for each difference."""

import pathlib
import re
import sys

MESSAGE = re.compile(r"^message (\w+) \{(.*?)\}", re.M | re.S)
FIELD = re.compile(r"(\w+) = (\d+);")
PROTO_ENUM = re.compile(r"^enum (\w+) \{(.*?)\}", re.M | re.S)
CPP_ENUM = re.compile(r"^enum class (\w+) : std::uint8_t \{(.*?)\}", re.M | re.S)
HEADING = re.compile(r"^### (\w+)$", re.M)
ROW = re.compile(r"^\| (\d+) \| `(\w+)` \| \S.* \|$", re.M)
WORDS = re.compile(r"^\| (?:`(\w+)`)? ?\| (\d+ \w+(?:, \d+ \w+)*) \|$", re.M)
FAMILY = re.compile(r"^\| `(\w+)` \| .* \| .* \|$", re.M)


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def messages_in(proto):
    found = {}
    for name, body in MESSAGE.findall(proto):
        found[name] = [(int(number), field) for field, number in FIELD.findall(body)]
    return found


def documented_messages(document):
    parts = HEADING.split(document)[1:]
    return {
        name: [(int(number), field) for number, field in ROW.findall(re.split(r"^## ", text, flags=re.M)[0])]
        for name, text in zip(parts[::2], parts[1::2])
    }


def words_in_proto(proto):
    found = {}
    for name, body in PROTO_ENUM.findall(proto):
        words = [(int(number), word.split("_", 1)[1].lower()) for word, number in FIELD.findall(body)]
        found[name] = [word for word in words if word[0] > 0]  # 0 stands for an unknown one
    return found


def words_in_header(header):
    return {name: list(enumerate(re.findall(r"\w+", body), 1)) for name, body in CPP_ENUM.findall(header)}


def documented_words(document):
    found = {}
    name = ""
    for first, words in WORDS.findall(document):
        name = first or name
        found.setdefault(name, []).extend((int(number), word) for number, word in re.findall(r"(\d+) (\w+)", words))
    return found


def differences(kind, documented, actual):
    for name in sorted(documented.keys() | actual.keys()):
        if name not in documented:
            yield f"{kind} {name} is not documented"
        elif name not in actual:
            yield f"{kind} {name} does not exist"
        else:
            for item in sorted(set(actual[name]) ^ set(documented[name])):
                where = "not documented" if item in actual[name] else "documented, but does not exist"
                yield f"{kind} {name}: {item[0]} {item[1]} is {where}"
            if sorted(actual[name]) == sorted(documented[name]) and actual[name] != documented[name]:
                yield f"{kind} {name}: the order differs"


def main(root):
    document = (root / "docs/store-format.md").read_text(encoding="utf-8")
    proto = without_comments((root / "storage/stored_values.proto").read_text(encoding="utf-8"))
    header = without_comments((root / "parser/lists/link_occurrence.h").read_text(encoding="utf-8"))
    layout = (root / "storage/key_layout.h").read_text(encoding="utf-8")
    messages = messages_in(proto)
    words = {**words_in_proto(proto), **words_in_header(header)}
    found = list(differences("message", documented_messages(document), messages))
    found += differences("enumeration", documented_words(document), words)
    for name, fields in messages.items():
        if [number for number, _ in fields] != list(range(1, len(fields) + 1)):
            found.append(f"message {name}: its fields are not numbered in order")
    keys = document.split("\n## Keys\n")[1].split("\nNumbers in parentheses")[0]
    documented_families = {(0, name) for name in FAMILY.findall(keys)}
    families = {(0, name) for name in re.findall(r"\{Family::\w+, \"(\w+)\"\}", layout)}
    found += differences("families", {"of the store": documented_families}, {"of the store": families})
    version = re.search(r'schema_version = "(\w+)"', layout).group(1)
    if f"This page describes version {version}." not in document or f"as text: `{version}`" not in document:
        found.append(f"the document is not about version {version}")
    print("\n".join(found) or f"{len(messages)} messages are documented as they are")
    return 1 if found or len(messages) < 20 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: store_format_document.py ROOT")
    sys.exit(main(pathlib.Path(sys.argv[1])))
