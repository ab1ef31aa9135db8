"""Compares the links that several readers found in a document, and names the class of each difference."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase

BASE = "https://base.invalid/folder/document"

FENCE = re.compile(r"^[ \t>]*(?:[-*+] |\d+[.)] )?[ \t]*(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->|\{/\*.*?\*/\}", re.S)
TAG = re.compile(r"</?[A-Za-z][^<>]*$")


@dataclass(frozen=True)
class Link:
    url: str  # as printed by the reader
    href: str  # resolved
    kind: str
    offset: int = -1  # in characters; -1 if the reader does not report it


@dataclass(frozen=True)
class Difference:
    class_name: str
    file: str
    line: int
    url: str
    source: str  # the line of the document


def shape(url):
    if re.match(r"https?:", url, re.I):
        return "http"
    if re.match(r"mailto:|[^/\s:@]+@[^/\s]+\.\w+$", url, re.I):
        return "mail"
    if re.match(r"www\.", url, re.I):
        return "www"
    if re.match(r"[a-z][a-z0-9+.-]*:", url, re.I):
        return "other scheme"
    return "fragment" if url.startswith("#") else "relative"


class Text:
    """A document that maps each position to the construct of its markup."""

    def __init__(self, text):
        self.text = text
        self.fenced = self._fenced_lines()
        self.comments = [match.span() for match in COMMENT.finditer(text)]
        front = re.match(r"---\n.*?\n(---|\.\.\.)\n", text, re.S)
        self.front_matter_end = front.end() if front else 0

    def _fenced_lines(self):
        fenced, fence = set(), None
        for number, line in enumerate(self.text.split("\n"), 1):
            match = FENCE.match(line)
            if fence is None and match:
                fence = match[1]
                fenced.add(number)
            elif fence is not None:
                fenced.add(number)
                if match and match[1].startswith(fence):
                    fence = None
        return fenced

    def line_number(self, offset):
        return self.text.count("\n", 0, offset) + 1 if offset >= 0 else 0

    def line_at(self, offset):
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        return start, self.text[start:end if end >= 0 else len(self.text)]

    def find(self, url):
        """Returns the position of a URL, or -1."""
        for written in (url, url.removeprefix("mailto:"), re.sub(r"^https?://", "", url), url.replace("&", "&amp;")):
            position = self.text.find(written) if written else -1
            if position >= 0:
                return position
        return -1

    def construct(self, offset):
        if offset < 0:
            return "not written so"
        if offset < self.front_matter_end:
            return "front matter"
        if any(start <= offset < end for start, end in self.comments):
            return "comment"
        if self.line_number(offset) in self.fenced:
            return "fence"
        start, line = self.line_at(offset)
        before = line[:offset - start]
        if before.count("`") % 2:
            return "code span"
        if TAG.search(self.text[max(0, offset - 500):offset]):
            return "tag"
        if re.search(r"\]\(\s*<?$", before):
            return "inline destination"
        if re.match(r"\s*\[[^\]]+\]:\s*<?$", before):
            return "definition"
        if before.endswith("<"):
            return "angle brackets"
        if line.startswith(("    ", "\t")):
            return "indented"
        if "|" in before and line.lstrip().startswith("|"):
            return "table"
        return "text"


def key_of(link):
    """Returns the key of a link; readers agree if the keys are equal. GFM and linkify differ in the scheme of `www.`."""
    href = re.sub(r"^https?://(?=www\.)", "//", link.href or link.url)
    href = re.sub(r"%[0-9a-f]{2}", lambda escape: escape[0].upper(), href).removesuffix("#")
    # markdown-it and micromark escape characters that may be unescaped in a URL.
    return re.sub(r"%(5B|5C|5D|5E|60|7B|7C|7D)", lambda escape: chr(int(escape[1], 16)), href)


def is_compared(link):
    return bool(link.url) and not (link.href or "").split("#")[0] == BASE and not link.url.startswith("#")


def find_pairs(ours, theirs):
    """Returns the keys of links that one reader truncated compared with the other."""
    return {(mine, other) for mine in ours for other in theirs
            if mine != other and min(len(mine), len(other)) > len("https://a.b") and (mine.startswith(other) or other.startswith(mine))}


def compare(format_name, file, text, linkherd, oracles):
    """Returns the differences between linkherd's links and those of each oracle, a dict of name to links."""
    document = Text(text)
    ours = {key_of(link): link for link in linkherd if is_compared(link)}
    theirs = defaultdict(dict)
    for name, links in oracles.items():
        for link in links:
            if is_compared(link):
                theirs[key_of(link)].setdefault(name, link)
    missing = [key for key in theirs if key not in ours]
    extra = [key for key in ours if len(theirs.get(key, {})) < len(oracles)]
    pairs = find_pairs([key for key in ours if key not in theirs], missing)
    paired = {mine for mine, _ in pairs}
    longer = {other: mine for mine, other in pairs}
    for key in missing:
        link = next(iter(theirs[key].values()))
        offset = document.find(link.url)
        if key in longer:
            mine = ours[longer[key]]
            side, kind, offset = ("linkherd ends later" if len(longer[key]) > len(key) else "linkherd ends earlier"), mine.kind, mine.offset
        else:
            side, kind = "only " + "+".join(sorted(theirs[key])), link.kind
        yield describe(document, format_name, file, side, kind, link.url, offset)
    for key in extra:
        if key in paired:
            continue
        who = "".join(f"+{name}" for name in sorted(theirs.get(key, {})))
        yield describe(document, format_name, file, f"only linkherd{who}", ours[key].kind, ours[key].url, ours[key].offset)


def describe(document, format_name, file, side, kind, url, offset):
    class_name = f"{format_name} | {side} | {kind} | {document.construct(offset)} | {shape(url)}"
    source = document.line_at(offset)[1].strip() if offset >= 0 else ""
    return Difference(class_name, file, document.line_number(offset), url, source)


@dataclass
class KnownDifference:
    pattern: str  # a pattern of fnmatch for class names
    reason: str
    max: int


@dataclass
class Row:
    class_name: str
    count: int
    known: KnownDifference | None
    samples: list


def tabulate(differences, known):
    """Returns a row for each class, and the known differences whose limit is exceeded, with their counts."""
    samples, counts = defaultdict(list), Counter()
    for difference in differences:
        counts[difference.class_name] += 1
        if len(samples[difference.class_name]) < 3 and difference.file not in {sample.file for sample in samples[difference.class_name]}:
            samples[difference.class_name].append(difference)
    rows, totals = [], Counter()
    for class_name, count in counts.most_common():
        row = next((each for each in known if fnmatchcase(class_name, each.pattern)), None)
        rows.append(Row(class_name, count, row, samples[class_name]))
        if row is not None:
            totals[row.pattern] += count
    return rows, {each.pattern: totals[each.pattern] for each in known if totals[each.pattern] > each.max}
