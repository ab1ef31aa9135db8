"""Downloads the packages of packages.txt with the clients of their registries, and extracts the documents."""

import gzip
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MAX_DOCUMENT_BYTES = 1_000_000
MAX_ARCHIVE_SECONDS = 300

FORMATS = {".md": "markdown", ".markdown": "markdown", ".mdx": "mdx", ".rst": "rst", ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".org": "org",
           ".ipynb": "notebook", ".xml": "feed", ".rss": "feed", ".atom": "feed"}
FEED = re.compile(rb"<(rss|feed|rdf:RDF)[\s>]")

# Packages whose documents have a file extension that is too general.
RENAMED = {"git-doc": (".txt", ".adoc"), "python-django-filters-doc": (".txt", ".rst"), "asciidoc": (".txt", ".adoc")}

# Test data of the packages: HTML and robots files named after hosts (www.x.org), and expected outputs of other readers.
EXCLUDED = {"protego": "/test_data/", "markdown-it-py": "/fixtures/"}


@dataclass(frozen=True)
class Package:
    registry: str
    name: str
    version: str

    @property
    def folder_name(self):
        return f"{self.registry}/{self.name.replace('/', '-')}-{self.version.replace(':', '-')}"


def read_packages(path):
    lines = [line.split("#")[0].split() for line in path.read_text().splitlines()]
    return [Package(*line) for line in lines if line]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=MAX_ARCHIVE_SECONDS, check=False)
    if done.returncode != 0:
        print(f"{' '.join(map(str, command))}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)


def fetch_crate(package, folder):
    with tempfile.TemporaryDirectory() as project:
        Path(project, "lib.rs").touch()
        Path(project, "Cargo.toml").write_text(
            '[package]\nname = "documents"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[dependencies]\n'
            f'{package.name} = {{ version = "={package.version}", default-features = false }}\n')
        run(["cargo", "vendor", "--quiet", "--versioned-dirs", "vendor"], project)
        vendored = Path(project, "vendor", f"{package.name}-{package.version}")
        if vendored.is_dir():
            with tarfile.open(folder / f"{package.name}-{package.version}.tar.gz", "w:gz") as archive:
                archive.add(vendored, arcname=vendored.name)


def fetch(package, cache):
    """Returns the archive of a package in the cache, or None if its registry no longer has it."""
    folder = cache / package.folder_name
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        if package.registry == "pypi":
            # Only the source distribution contains the documents. pip runs its build system to get the metadata.
            run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", f"{package.name}=={package.version}"], folder)
        elif package.registry == "npm":
            run(["npm", "pack", "--silent", f"{package.name}@{package.version}"], folder)
        elif package.registry == "debian":
            run(["apt-get", "download", "-qq", f"{package.name}={package.version}"], folder)
        elif package.registry == "crates":
            fetch_crate(package, folder)
        else:
            raise ValueError(f"{package.registry}: unknown registry; choose from pypi, npm, debian, crates")
    return next(iter(sorted(folder.iterdir())), None)


def open_archive(path):
    if path.suffix == ".deb":
        tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
        return tarfile.open(fileobj=tar.stdout, mode="r|")
    return tarfile.open(path)


def document_name(package, member):
    """Returns the document name for a member of an archive."""
    name = member.removesuffix(".gz")
    name = name.removesuffix(".txt") if name.endswith(".rst.txt") else name
    old, new = RENAMED.get(package.name, ("", ""))
    return name.removesuffix(old) + new if old and name.endswith(old) else name


def unpack(package, archive, documents, seen):
    """Writes the documents below `documents`, except those in `seen`, and yields (file, format)."""
    with open_archive(archive) as members:
        for member in members:
            name = document_name(package, member.name)
            format_name = FORMATS.get(PurePosixPath(name).suffix.lower())
            if EXCLUDED.get(package.name, "\0") in member.name:
                continue
            if not member.isfile() or format_name is None or member.size > MAX_DOCUMENT_BYTES or ".." in PurePosixPath(name).parts:
                continue
            content = members.extractfile(member).read()
            content = gzip.decompress(content) if member.name.endswith(".gz") else content
            digest = hashlib.sha256(content).digest()
            if digest in seen or (format_name == "feed" and not FEED.search(content[:4096])):
                continue
            seen.add(digest)
            try:
                content.decode("utf-8")
            except UnicodeDecodeError:
                continue
            path = documents / package.folder_name / name.lstrip("./")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            yield path, format_name
