#!/usr/bin/env python3
"""Shows whether a refactoring changes the output of the program.

usage: same_output.py record  LINKHERD FOLDER [--shared DIR] [--docs DIR] [--internet PROGRAM]
       same_output.py compare LINKHERD FOLDER

`record` stores many inputs in FOLDER/inputs, runs the program on them, and stores its output and exit code in
FOLDER/cases (NAME.out, NAME.err, NAME.code). `compare` runs another build on the same inputs, prints how each case
differs, and exits with 1 if one does. FOLDER must be new and outside any git repository: inside one, folders are read
as git tracks them. It takes about a gigabyte. The inputs, if available:

  seeds/; from tests/ the saved pages, and every string of the parsers' tests, read as each format, as URL and as page
  DIR of --shared (default: shared/ beside the repository): seeds/, lists/, and eval*/pages.tar.zst with manifest.tsv
  DIR of --docs (default: /usr/share/doc): the documents of every package with at least five documents; they are not
    copied, so install no packages between `record` and `compare`
  PROGRAM of --internet (default: build/release/tests/end_to_end/linkherd_planted_internet): web servers on 127.0.0.1
    with all sites of seeds/, and with faults
"""
import argparse, concurrent.futures, contextlib, dataclasses, difflib, itertools
import json, os, re, shlex, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMATS = "markdown html text rst asciidoc org notebook csv json jsonl yaml toml bibtex xml bookmarks".split()
DOCUMENTS = {".html", ".htm", ".md", ".rst", ".txt", ".adoc", ".org", ".pdf", ".ipynb"}
FAULTS = "ok missing broken reset flaky cut slow busy moved".split()  # "silent" needs a shorter --timeout
NOW = ["--now", "2026-06-01T10:00:00Z"]  # the reference for "3 days ago" and for dates in the future
JSONL = ["--format", "jsonl"]

# Text that differs between runs. Applied only to the cases that use the network or print the time.
VARYING = [(re.compile(pattern, re.MULTILINE), text) for pattern, text in [
    (rb'(2026-0[67]-\d\dT\d\d):\d\d:\d\d(\.\d+)?Z', rb'\1Z'),    # --now plus the time since the start; the hour is kept
    (rb'(Run \d+ of [\d-]+ \d\d):\d\d UTC', rb'\1 UTC'),         # the same in the text report
    (rb'"milliseconds":\d+', b'"milliseconds":0'),               # how long a request took
    (rb'"seconds":[\d.E+-]+', b'"seconds":0'),                   # how long the run took
    (rb'((occurrence|host)s?), [\d.]+ s\n', rb'\1, TIME\n'),    # the same in the text report
    (rb'(alive|seen|^ ) (2026-0[67]-\d\d \d\d:\d\d):\d\d\b', rb'\1 \2'),  # of the history
    (rb', (under )?[\d.]+ m?s\)\n', b', TIME)\n'),              # of a link on stderr
    (rb' check after (\d[\d.]*(us|ms|m|s))+', b' check after TIME'),       # between a check and its confirmation
    (rb'after \d+ milliseconds', b'after TIME'),                 # how long linkherd waited for a silent server
    (rb'"expires":"[^"]*"', b'"expires":"DATE"'),                # test certificates have dates relative to today
    (rb'expired on \d{4}-\d\d-\d\d', b'expired on DATE'),
    (rb'"identity":"[0-9a-f]{64}"', b'"identity":"ID"'),         # depends on the current folder and the servers' ports
]]

# Command lines that fail or print help; the first one is empty.
MESSAGES = [shlex.split(words) for words in """
  ; --version; --help; --help-all; nonsense; --nonsense; check --help-all; links --help-all; url --help-all; metadata --help-all;
  report --help-all; history --help-all; check missing.md; check --skip-missing --no-store missing.md; links 'missing*.md';
  links --files-from missing; links --files-from /dev/null; links --fail-if-empty -; check --timeout soon -; check --format xml -;
  check --max-concurrency 0 -; check --exclude '(' -; check --remap x -; check --scheme ftpx -; check --store '' -;
  check --store x --no-store -; check --dns-server x -; check --connect-to x -; check --proxy ftp://x -; check --header x -;
  check --ca-file missing -; check --basic-auth x -; check --fail-on x -; check --config missing.toml -; check --now yesterday -;
  check -4 -6 -; check --allow-private=10.0.0.0/99 -; check --cookie-jar missing -; check -m 101 -; links --input-format x -;
  links --base-url x -; url; url --format x x; metadata; metadata missing.html; metadata --url x --files-from y;
  metadata --url https://x.org --files-from y; report; report --store missing; history; history --store missing https://x.org
""".split(";")]

# Contents of a linkherd.toml in the current folder.
CONFIGURATIONS = ['timeout = "1s"', 'timeout = 1', 'output = "x"', 'nonsense = 1', '= ', 'allow_private = true',
                  'fail_on = ["x"]', '[hosts."x.org"]\nhost_concurrency = 1', '[hosts."x.org"]\nhost_concurrency = 1000',
                  '[hosts]\nx = 1']


@dataclasses.dataclass
class Case:
    """One run of the program in the folder `where`. INTERNET in `words` stands for the options that connect to it."""
    name: str
    where: Path
    words: list
    stdin: bytes = b""
    varies: list = ()  # the substitutions for text that differs between runs


def strings_of(source):
    """Returns the string literals of a C++ source as bytes; adjacent ones are joined."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^( ]*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
                       r"|'(?:[^'\\\n]|\\.)+'|\s+|.", re.S)
    strings, joining = [], False
    for match in token.finditer(source):
        part = None if match["raw"] is None else match["raw"].encode()
        if match["text"] is not None:    # \xE4 is a byte, \u00E4 below 256 becomes one: good enough to test a parser
            text = match["text"].encode().decode("unicode_escape")
            part = b"".join(bytes([ord(c)]) if ord(c) < 256 else c.encode("utf-8", "surrogatepass") for c in text)
        if part is not None and joining:
            strings[-1] += part
        elif part is not None:
            strings.append(part)
        joining = part is not None or (joining and match[0].isspace())
    return strings


def write_strings(folder, sources):
    """Writes one file per distinct string of the test sources, and `list` with the file names."""
    folder.mkdir(parents=True)
    strings = dict.fromkeys(text for source in sorted(sources) for text in strings_of(source.read_text()) if text.strip())
    for number, text in enumerate(strings):
        (folder / f"{number:04}.txt").write_bytes(text)
    (folder / "list").write_text("".join(f"{number:04}.txt\n" for number in range(len(strings))))


def collect(inputs, options):
    """Copies all inputs of the cases."""
    shutil.copytree(ROOT / "seeds", inputs / "seeds")
    for name in ("seeds", "lists"):
        if (options.shared / name).is_dir():
            shutil.copytree(options.shared / name, inputs / "shared" / name)
    for archive in sorted(options.shared.glob("eval*/pages.tar.zst")):
        folder = inputs / "saved" / archive.parent.name
        folder.mkdir(parents=True)
        shutil.copy(archive.parent / "manifest.tsv", folder)
        subprocess.run(["tar", "-I", "zstd -dc --long=27", "-xf", archive, "-C", folder], check=True)
    tests = inputs / "saved" / "tests"
    shutil.copytree(ROOT / "tests/end_to_end/pages", tests / "pages")
    lines = [f"pages/{page.name}\thttps://x.org/{page.stem}" for page in sorted((tests / "pages").glob("*.html"))]
    shutil.copytree(ROOT / "tests/parser/metadata/pages", tests / "pages/parser")
    for page in sorted((tests / "pages/parser").glob("*.html")):
        lines.append(f"pages/parser/{page.name}\t{json.loads(page.with_suffix('.json').read_text())['url']}")
    (tests / "manifest.tsv").write_text("\n".join(lines) + "\n")
    for name in ("lists", "url", "html", "metadata"):
        write_strings(inputs / "strings" / name, (ROOT / "tests/parser" / name).rglob("*_test.cpp"))
    if options.internet.is_file():
        shutil.copy(options.internet, inputs / "internet")
        with small_internet(inputs) as (_, planted):
            (inputs / "planted.md").write_text(planted)
    else:
        print(f"without the small internet: there is no {options.internet}; build linkherd_planted_internet", file=sys.stderr)
    packages = {}
    for package in sorted(options.docs.resolve().glob("*/")):
        documents = sorted(str(path.relative_to(package)) for path in package.rglob("*")
                           if path.suffix in DOCUMENTS and path.is_file())
        if len(documents) >= 5 and not package.is_symlink():
            packages[str(package)] = documents
    (inputs / "packages.json").write_text(json.dumps(packages))


def list_cases(inputs):
    for path in sorted([inputs / "seeds", *(inputs / "shared").glob("*/*")]):
        name = "-".join(path.relative_to(inputs).parts)
        yield Case(f"links-{name}", path.parent, ["links", *JSONL, path.name])
        yield Case(f"links-text-{name}", path.parent, ["links", "--include-verbatim", path.name])
        yield Case(f"offline-{name}", path.parent, ["check", "--offline", "--no-store", "-v", "--all", path.name], varies=VARYING)
    strings = inputs / "strings"
    for form in FORMATS:
        words = ["links", *JSONL, "--input-format", form, "--base-url", "https://x.org/a/b", "--files-from", "list"]
        yield Case(f"links-strings-{form}", strings / "lists", words)
        yield Case(f"links-strings-{form}-more", strings / "lists", [*words, "--include-verbatim", "--include-wikilinks"])
    yield Case("links-strings-detected", strings / "lists", ["links", *JSONL, "--files-from", "list"])


def url_cases(inputs):
    table = inputs / "shared/seeds/links.tsv"
    if table.is_file():
        urls = [line.split("\t")[2] for line in table.read_text().splitlines() if line and line[0] != "#"]
        yield Case("url-seeds", inputs, ["url", "--", *urls])
    texts = [path.read_bytes() for path in sorted((inputs / "strings/url").glob("*.txt"))]
    texts = [text for text in texts if b"\0" not in text and len(text) < 100_000]
    for start in range(0, len(texts), 500):
        some = texts[start:start + 500]  # more would exceed the length of a command line
        yield Case(f"url-strings-{start:04}", inputs, ["url", "--", *some])
        yield Case(f"url-based-{start:04}", inputs, ["url", "--base-url", "https://u@x.org/a/b?c#d", "--", *some])
    yield Case("url-text", inputs, ["url", "--format", "text", "--", *texts[:200]])


def page_cases(inputs):
    for folder in sorted((inputs / "saved").iterdir()):
        name = folder.name
        words = ["metadata", *NOW, "--files-from", "manifest.tsv"]
        yield Case(f"metadata-{name}", folder, words)
        yield Case(f"metadata-explain-{name}", folder, [*words, "--explain", "--jobs", "2"])
        if name != "eval_wcxb":  # the other folders have enough links
            yield Case(f"links-{name}", folder, ["links", *JSONL, "pages"])
    words = ["check", "--offline", "--no-store", *NOW, "--format", "json", "pages"]
    yield Case("offline-saved-tests", inputs / "saved/tests", words, varies=VARYING)
    for name in ("html", "metadata"):
        folder = inputs / "strings" / name
        pairs = "".join(f"{line}\thttps://x.org/2020/a\n" for line in (folder / "list").read_text().split())
        yield Case(f"metadata-strings-{name}", folder, ["metadata", "--explain", *NOW, "--files-from", "-"], pairs.encode())


def document_cases(inputs):
    more = ["-v", "--root-dir", ".", "--include-mail", "--include-wikilinks", "--index-files", "index.html",
            "--fallback-extensions", "html,md", "--duplicates", "within"]
    for package, documents in json.loads((inputs / "packages.json").read_text()).items():
        name = Path(package).name
        yield Case(f"links-doc-{name}", package, ["links", *JSONL, "."])
        yield Case(f"offline-doc-{name}", package, ["check", "--offline", "--no-store", *JSONL, "."])
        yield Case(f"offline-more-{name}", package, ["check", "--offline", "--no-store", *more, "."], varies=VARYING)
        yield Case(f"metadata-doc-{name}", package, ["metadata", *NOW, "--files-from", "-"], "\n".join(documents).encode())


def internet_groups(inputs, temporary):
    """Each group has its own servers and runs in order, because later cases read the store of the first one."""
    if not (inputs / "internet").is_file():
        return
    quick = ["--host-request-interval", "1ms", "--confirm-wait", "100ms", "--max-retries", "1", "--retry-wait-time", "100ms"]
    patient = [*quick, "--timeout", "1m", "INTERNET"]
    sites, store = ["seeds", "planted.md"], ["--store", str(temporary / "store")]
    link, down = "https://zhuanlan.zhihu.com/p/622212228", "https://planted.herd/overloaded"

    def check(time, *words):
        return ["check", *patient, *store, "--now", f"2026-06-{time}:00:00Z", *words, *sites]

    runs = [("1-jsonl", check("01T10", *JSONL)), ("2-report-jsonl", ["report", *store, *JSONL]),
            ("3-report-text", ["report", "--all", *store]), ("4-next-day", check("02T12", "-v", "--all")),
            ("5-soon-after", check("02T14", "--format", "json")), ("6-third-strike", check("04T10")),
            ("7-history", ["history", *store, link]), ("8-history-jsonl", ["history", *store, *JSONL, link]),
            ("9-history-down", ["history", *store, down]), ("9-history-unknown", ["history", *store, "https://x.org/"])]
    yield [Case(f"sites-{name}", inputs, words, varies=VARYING) for name, words in runs]
    other = ["--method", "head,get", "--robots", "respect", "--max-redirects", "1", "--insecure", "--duplicates", "off"]
    for name, words in (("no-store", ["-v", "--all"]), ("other-options", [*JSONL, *other])):
        yield [Case(f"sites-{name}", inputs, ["check", *patient, *NOW, "--no-store", *words, *sites], varies=VARYING)]
    faults = "".join(f"http://{fault}.fault.herd:8080/{fault}/{number}\n" for fault in FAULTS for number in (1, 2)).encode()
    for form in ("jsonl", "text"):
        words = ["check", *patient, *NOW, "--no-store", "-v", "--all", "--format", form, "-"]
        yield [Case(f"faults-{form}", inputs, words, faults, VARYING)]
    silent = b"http://silent.fault.herd:8080/silent/1\nhttp://ok.fault.herd:8080/ok/1\n"
    words = ["check", *quick, "--timeout", "3s", "INTERNET", *NOW, "--no-store", *JSONL, "-"]
    yield [Case("faults-silent", inputs, words, silent, VARYING)]


def all_groups(inputs, temporary):
    yield from internet_groups(inputs, temporary)  # first, because these cases mostly wait
    empty = temporary / "empty"
    empty.mkdir()
    for number, words in enumerate(MESSAGES):
        name = "-".join(re.sub(r"\W", "", word) or "empty" for word in words[:4])
        yield [Case(f"message-{number:02}-{name}", empty, words)]
    for number, text in enumerate(CONFIGURATIONS):
        folder = temporary / f"configuration-{number}"
        folder.mkdir()
        (folder / "linkherd.toml").write_text(text + "\n")
        yield [Case(folder.name, folder, ["check", "-v", "--all", "--no-store", "-"])]
    words = ["check", "--store", str(temporary / "identity"), "--scheme", "mailto", "--format", "json", *NOW, "-"]
    yield [Case("identity", "/", words, b"<mailto:a@x.org>\n", VARYING[:-1])]  # in a folder that is always the same
    for cases in (list_cases, url_cases, page_cases, document_cases):
        yield from ([case] for case in cases(inputs))


@contextlib.contextmanager
def small_internet(inputs):
    """Starts the servers. Yields the options that connect to them and the list of additional links."""
    with subprocess.Popen([inputs / "internet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        options, planted = server.stdout.read().split("\n\n", 1)
        yield options.splitlines(), planted  # leaving the block closes the standard input, which ends the servers


def run(program, case, internet, inputs, temporary):
    words = [part for word in case.words for part in (internet if word == "INTERNET" else [word])]
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(temporary / "home"),
                   "XDG_CONFIG_HOME": str(temporary / "home")}
    try:
        done = subprocess.run([program, *words], cwd=case.where, input=case.stdin, env=environment, capture_output=True,
                              timeout=300)
    except subprocess.TimeoutExpired:
        return {"out": b"", "err": b"", "code": b"no end after 300 seconds\n"}
    outputs = {"out": done.stdout, "err": done.stderr, "code": b"%d\n" % done.returncode}
    for name in ("out", "err"):
        for pattern, text in case.varies:
            outputs[name] = pattern.sub(text, outputs[name])
        if case.varies and name == "err":  # -v prints each link when it is finished
            outputs[name] = b"\n".join(sorted(outputs[name].split(b"\n")))
        for folder, word in ((temporary, b"TEMPORARY"), (inputs, b"INPUTS")):
            outputs[name] = outputs[name].replace(os.fsencode(folder), word)
    return outputs


def run_all(program, inputs, use):
    """Calls use(case, outputs) for every case."""
    with tempfile.TemporaryDirectory(prefix="same-output-") as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        temporary = Path(name)

        def run_group(group):
            needs_internet = any("INTERNET" in case.words for case in group)
            with small_internet(inputs) if needs_internet else contextlib.nullcontext(([], "")) as (internet, _):
                for case in group:
                    use(case, run(program, case, internet, inputs, temporary))

        for future in [pool.submit(run_group, group) for group in all_groups(inputs, temporary)]:
            future.result()


def pieces(lines):
    """Breaks JSON lines before each name, so that differences are short."""
    for line in lines:
        whole = line.replace(b',"', b'\n  ,"') if line[:1] in (b"{", b'"') else line
        yield from whole.decode("utf-8", "backslashreplace").split("\n")


def difference(before, after, most=40):
    """Returns a unified diff from the first different line, with at most `most` lines."""
    old, new = before.split(b"\n"), after.split(b"\n")
    start = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    shown = [list(pieces(lines[start:start + 200])) for lines in (old, new)]
    lines = list(difflib.unified_diff(*shown, "before", "after", lineterm="", n=1))
    more = [f"... {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join(line[:2000] for line in [f"from line {start + 1}", *lines[:most], *more])


def record(program, folder, options):
    if folder.exists():
        sys.exit(f"{folder} is there already: remove it, or choose another")
    if any((parent / ".git").exists() for parent in [folder, *folder.parents]):
        sys.exit(f"{folder} is inside of a git repository: choose a folder elsewhere")
    (folder / "cases").mkdir(parents=True)
    collect(folder / "inputs", options)
    count = itertools.count()

    def keep(case, outputs):
        for name, content in outputs.items():
            (folder / "cases" / f"{case.name}.{name}").write_bytes(content)
        next(count)

    run_all(program, folder / "inputs", keep)
    print(f"{next(count)} cases recorded in {folder}")
    return 0


def compare(program, folder, _):
    if not (folder / "inputs").is_dir():
        sys.exit(f"{folder} holds nothing recorded: see same_output.py --help")
    recorded = {path.stem for path in (folder / "cases").glob("*.code")}
    seen, different = set(), set()

    def look(case, outputs):
        seen.add(case.name)
        for name, content in outputs.items():
            path = folder / "cases" / f"{case.name}.{name}"
            before = path.read_bytes() if path.exists() else b"(not recorded)"
            if before != content:
                different.add(case.name)
                print(f"=== {path.name}: in {case.where}: linkherd {shlex.join(os.fsdecode(word) for word in case.words)[:500]}\n"
                      f"{difference(before, content)}", flush=True)

    run_all(program, folder / "inputs", look)
    for name in sorted(recorded - seen):
        print(f"=== {name}: recorded, and not run now")
    different |= recorded - seen
    print(f"{len(different)} of {len(recorded)} cases differ" if different else f"{len(recorded)} cases, no difference")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--docs", type=Path, default=Path("/usr/share/doc"))
    parser.add_argument("--internet", type=Path, default=ROOT / "build/release/tests/end_to_end/linkherd_planted_internet")
    options = parser.parse_args()
    action = record if options.action == "record" else compare
    return action(options.program.resolve(), options.folder.resolve(), options)


if __name__ == "__main__":
    sys.exit(main())
