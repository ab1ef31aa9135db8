#!/usr/bin/env python3
"""Tests the wheel, the npm package and the SBOM, made from a small archive that contains the built program, and the
scripts that make the portable archive smaller and older systems sufficient.

usage: language_packages_test.py PROGRAM

pip, npm, pre-commit and icupkg are used if they are installed."""

import base64
import csv
import email
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release/linkherd"
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "packaging/portable"), str(Path(__file__).parent)]

import charset_pages  # noqa: E402
import symbol_versions  # noqa: E402
from python_wheel import platform_tag  # noqa: E402

VERSION = re.search(r"^project\(linkherd VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
TIME = 1767225600  # 2026-01-01
ARCHIVE = f"linkherd-{VERSION}-linux-x86_64"
FILES = {
    "bin/linkherd": PROGRAM.read_bytes(),
    "lib/linkherd/libsome.so.1": b"a library",
    "lib/linkherd/libother.so.2": b"another library",
    "lib/systemd/system/linkherd.timer": b"[Timer]\n",
    "share/man/man1/linkherd.1": b".TH linkherd\n",
    "share/bash-completion/completions/linkherd": b"complete linkherd\n",
    "share/zsh/site-functions/_linkherd": b"#compdef linkherd\n",
    "share/fish/vendor_completions.d/linkherd.fish": b"complete -c linkherd\n",
    "share/doc/linkherd/LICENSE": b"the licence\n",
    "share/doc/linkherd/README.md": b"# linkherd\n",
    "share/doc/linkherd/libraries/README": b"""Libraries:

libother.so.2  libother2 2:1.0+dfsg-1  source other 2:1.0+dfsg-1  (a remark)
libsome.so.1  libsome1 1.0-2+b1  source some 1.0-2
libsomemore.so.1  libsome1 1.0-2+b1  source some 1.0-2

Headers:

some/header.hpp  libheader-dev 3  source header 3
""",
    "share/doc/linkherd/libraries/libother2.copyright": b"copyright\n",
    "share/doc/linkherd/libraries/libsome1.copyright": b"copyright\n",
}


def write_archive(folder):
    path = Path(folder, f"{ARCHIVE}.tar.gz")
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, data in FILES.items():
            member = tarfile.TarInfo(f"{ARCHIVE}/{name}")
            member.size, member.mtime, member.mode = len(data), TIME, 0o755 if name.startswith("bin/") else 0o644
            archive.addfile(member, io.BytesIO(data))
    return path


def make(script, archive, folder):
    run = subprocess.run([sys.executable, "-B", ROOT / "packaging/portable" / script, archive, folder], check=True,
                         stdout=subprocess.PIPE, text=True)
    return Path(run.stdout.rstrip("\n"))


class Made(unittest.TestCase):
    """Each package is made once, and once more in another folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="linkherd-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.archive = write_archive(cls.folder)
        (cls.folder / "again").mkdir()
        cls.path = make(cls.script, cls.archive, cls.folder)

    def check_reproducible(self):
        again = make(self.script, self.archive, self.folder / "again")
        self.assertEqual(again.name, self.path.name)
        self.assertEqual(again.read_bytes(), self.path.read_bytes())

    def check_program(self, program):
        run = subprocess.run([program, "version"], check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout, f"linkherd {VERSION}\n")


class Wheel(Made):
    script = "python_wheel.py"

    def setUp(self):
        self.zip = zipfile.ZipFile(self.path)
        self.addCleanup(self.zip.close)
        self.info = f"linkherd-{VERSION}.dist-info"

    def text(self, name):
        return self.zip.read(f"{self.info}/{name}").decode()

    def test_name_and_tag(self):
        match = re.fullmatch(rf"linkherd-{re.escape(VERSION)}-(py3-none-manylinux_2_(\d+)_x86_64)\.whl", self.path.name)
        self.assertTrue(match, self.path.name)
        wheel = email.message_from_string(self.text("WHEEL"))
        self.assertEqual((wheel["Tag"], wheel["Root-Is-Purelib"]), (match[1], "false"))
        if shutil.which("objdump"):
            table = subprocess.run(["objdump", "-T", PROGRAM], check=True, stdout=subprocess.PIPE, text=True).stdout
            newest = max(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", table))
            self.assertGreaterEqual(int(match[2]), newest)

    def test_record_lists_every_file_with_its_digest(self):
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(self.text("RECORD")))}
        self.assertEqual(sorted(rows), sorted(self.zip.namelist()))
        for name, (digest, size) in rows.items():
            if name == f"{self.info}/RECORD":
                self.assertEqual((digest, size), ("", ""))
                continue
            data = self.zip.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), (f"sha256={expected}", str(len(data))), name)

    def test_files_keep_their_places_beside_each_other(self):
        data = f"linkherd-{VERSION}.data"
        folders = ("lib/linkherd", "share/man", "share/bash", "share/zsh", "share/fish")
        expected = {f"{data}/data/{name}" for name in FILES if name.startswith(folders)}
        found = {name for name in self.zip.namelist() if name.startswith(f"{data}/")}
        self.assertEqual(found, expected | {f"{data}/scripts/linkherd"})
        self.assertEqual(self.zip.getinfo(f"{data}/scripts/linkherd").external_attr >> 16, 0o100755)
        self.assertEqual({item.date_time for item in self.zip.infolist()}, {(2026, 1, 1, 0, 0, 0)})

    def test_metadata(self):
        metadata = email.message_from_string(self.text("METADATA"))
        self.assertEqual((metadata["Name"], metadata["Version"]), ("linkherd", VERSION))
        licences = metadata.get_all("License-File")
        self.assertIn("LICENSE", licences)
        self.assertIn("libraries/libsome1.copyright", licences)
        for licence in licences:
            self.assertTrue(self.text(f"licenses/{licence}"))
        self.assertIn("x86_64", metadata.get_payload())

    def test_reproducible(self):
        self.check_reproducible()

    def test_tag_follows_the_newest_version(self):
        for newest, minor in (({"GLIBC": "2.17"}, 17),
                              ({"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13", "GCC": "3.4"}, 34),
                              ({"GLIBC": "2.34", "GLIBCXX": "3.4.30"}, 35),
                              ({"GLIBC": "2.38", "GLIBCXX": "3.4.21"}, 38),
                              ({"GLIBC": "2.2.5", "GLIBCXX": "3.4.32"}, 39)):
            self.assertEqual(platform_tag(newest, "x86_64"), f"manylinux_2_{minor}_x86_64")
        with self.assertRaises(ValueError):
            platform_tag({"GLIBC": "2.34", "GLIBCXX": "3.4.99"}, "x86_64")

    def pip(self, *arguments):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("pip is not installed")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        words = [sys.executable, "-m", "pip", "--isolated", "install", "--no-index", "--no-cache-dir", "-q", *arguments]
        run = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def prefix(self, name, *arguments):
        """Installs into a new folder and returns the one that contains bin; Debian's pip adds `local`."""
        self.pip("--prefix", self.folder / name, "--ignore-installed", *arguments)
        local = self.folder / name / "local"
        return local if local.exists() else local.parent

    def test_pip_installs_the_program(self):
        target = self.prefix("installed", self.path)
        self.check_program(target / "bin/linkherd")
        self.assertEqual((target / "lib/linkherd/libsome.so.1").read_bytes(), b"a library")
        self.assertTrue((target / "share/man/man1/linkherd.1").exists())

    def test_this_repository_installs_with_the_wheel_of_the_hooks(self):
        hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
        pinned = set(re.findall(r"additional_dependencies: \[(.*)\]", hooks))
        self.assertEqual(pinned, {f"linkherd=={VERSION}"})
        self.assertEqual(hooks.count("language: python"), 2)
        source = self.folder / "clone"
        shutil.copytree(ROOT / "packaging/portable", source / "packaging/portable",
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", source)
        target = self.prefix("hook", "--find-links", self.folder, source, *pinned)
        self.check_program(target / "bin/linkherd")
        self.assertTrue(list(target.glob("lib/python*/*-packages/linkherd_hooks-0.dist-info")))

    def test_pre_commit_installs_the_wheel_by_itself(self):
        if not shutil.which("pre-commit"):
            self.skipTest("pre-commit is not installed")
        work, hooks = self.folder / "work", self.folder / "hooks"
        for folder in (work, hooks):
            subprocess.run(["git", "init", "-q", folder], check=True)
        shutil.copytree(ROOT / "packaging/portable", hooks / "packaging/portable",
                        ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", ".pre-commit-hooks.yaml"):
            shutil.copy(ROOT / name, hooks)
        (work / "README.md").write_text("[gone](nowhere.md)\n")
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        for folder in (work, hooks):
            subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
            subprocess.run(["git", "-C", folder, *identity, "commit", "-q", "-m", "files"], check=True)
        rev = subprocess.run(["git", "-C", hooks, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE,
                             text=True).stdout.strip()
        (work / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {hooks.as_uri()}\n    rev: {rev}\n    hooks:\n      - id: linkherd-offline-wheel\n")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        environment |= {"PRE_COMMIT_HOME": str(self.folder / "cache"), "PIP_FIND_LINKS": str(self.folder),
                        "PIP_NO_INDEX": "1", "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}"}
        run = subprocess.run(["pre-commit", "run", "--all-files", "--color", "never"], cwd=work, env=environment,
                             capture_output=True, text=True, check=False)
        self.assertIn("exit code: 2", run.stdout, run.stderr)
        self.assertIn("nowhere.md", run.stdout)


class Npm(Made):
    script = "npm_package.py"

    def setUp(self):
        with tarfile.open(self.path) as package:
            self.members = {member.name: member for member in package}
            self.json = json.load(package.extractfile("package/package.json"))

    def test_package_json(self):
        self.assertEqual(self.path.name, f"linkherd-{VERSION}.tgz")
        expected = {"name": "linkherd", "version": VERSION, "bin": {"linkherd": "bin/linkherd"}, "os": ["linux"],
                    "cpu": ["x64"], "libc": ["glibc"], "man": ["share/man/man1/linkherd.1"], "license": "Apache-2.0"}
        self.assertEqual(self.json, self.json | expected)

    def test_files(self):
        expected = {f"package/{name}" for name in FILES if not name.startswith(("lib/systemd", "share/doc/linkherd/R"))}
        expected |= {f"package/{name}" for name in ("package.json", "README.md", "LICENSE")}
        self.assertEqual(set(self.members), expected)
        self.assertEqual(self.members["package/bin/linkherd"].mode, 0o755)
        owners = {(member.mtime, member.uid, member.uname) for member in self.members.values()}
        self.assertEqual(owners, {(TIME, 0, "")})

    def test_reproducible(self):
        self.check_reproducible()

    def test_npm_installs_the_program(self):
        if not shutil.which("npm"):
            self.skipTest("npm is not installed")
        folder = self.folder / "npm"
        folder.mkdir()
        run = subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--cache", folder / "cache",
                              "--prefix", folder, self.path], capture_output=True, text=True, check=False, cwd=folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.check_program(folder / "node_modules/.bin/linkherd")


class Sbom(Made):
    script = "sbom.py"

    def setUp(self):
        self.sbom = json.loads(self.path.read_text())

    def test_names_the_archive_and_its_digest(self):
        self.assertEqual(self.path.name, f"{ARCHIVE}.spdx.json")
        program = self.sbom["packages"][0]
        self.assertEqual((program["name"], program["versionInfo"]), ("linkherd", VERSION))
        digest = hashlib.sha256(self.archive.read_bytes()).hexdigest()
        self.assertEqual(program["checksums"][0]["checksumValue"], digest)
        self.assertEqual(self.sbom["creationInfo"]["created"], "2026-01-01T00:00:00Z")

    def test_lists_each_debian_package_once(self):
        packages = {package["name"]: package for package in self.sbom["packages"][1:]}
        self.assertEqual(list(packages), ["libother2", "libsome1", "libheader-dev"])
        self.assertEqual(packages["libother2"]["externalRefs"][0]["referenceLocator"],
                         "pkg:deb/debian/libother2@2%3A1.0%2Bdfsg-1?upstream=other%402%3A1.0%2Bdfsg-1")
        self.assertEqual(packages["libother2"]["comment"], "files: libother.so.2; a remark")
        self.assertEqual(packages["libsome1"]["comment"], "files: libsome.so.1, libsomemore.so.1")
        self.assertEqual(packages["libsome1"]["sourceInfo"], "built from Debian's source package some 1.0-2")

    def test_relationships(self):
        identifiers = [package["SPDXID"] for package in self.sbom["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        kinds = {entry["relatedSpdxElement"]: entry["relationshipType"] for entry in self.sbom["relationships"]}
        self.assertEqual(list(kinds.values()), ["DESCRIBES", "DYNAMIC_LINK", "DYNAMIC_LINK", "STATIC_LINK"])
        self.assertEqual(list(kinds), identifiers)

    def test_reproducible(self):
        self.check_reproducible()


class Binaries(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="linkherd-binaries-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_older_versions_of_symbols_are_enough(self):
        copy = self.folder / "linkherd"
        shutil.copy(PROGRAM, copy)
        symbol_versions.main([copy])
        elf = symbol_versions.Elf(copy.read_bytes())
        versions = {symbol: version for _, index, _, version in elf.needs() for symbol in elf.symbols_of(index)}
        self.assertIn(b"GLIBC_2.2.5", versions.values())
        for symbol, (_, older) in symbol_versions.OLDER.items():
            self.assertIn(versions.get(symbol), (None, older))
        run = subprocess.run([copy, "version"], check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout, f"linkherd {VERSION}\n")

    def test_files_other_than_elf_have_no_versions(self):
        self.assertEqual(symbol_versions.newest_versions([b"text", b""]), {})

    def test_the_small_data_of_icu_converts_every_encoding(self):
        for tool in ("icupkg", "objdump", "cc", "ldd"):
            if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin"):
                self.skipTest(f"{tool} is not installed")
        libraries = subprocess.run(["ldd", PROGRAM], check=True, stdout=subprocess.PIPE, text=True).stdout
        whole = Path(re.search(r"=> (\S+/libicudata\.so\S*)", libraries)[1])
        small = self.folder / whole.name
        environment = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin"}
        script = ROOT / "packaging/portable/trim_icu_data.py"
        subprocess.run([script, whole.resolve(), small], check=True, env=environment)
        self.assertLess(small.stat().st_size, 6_000_000)
        charset_pages.make(self.folder / "pages")
        environment["LD_LIBRARY_PATH"] = str(self.folder)
        loaded = subprocess.run(["ldd", PROGRAM], check=True, capture_output=True, text=True, env=environment).stdout
        self.assertIn(str(small), loaded)
        words = [PROGRAM, "metadata", self.folder / "pages"]
        run = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
        self.assertEqual(charset_pages.differences(run.stdout.splitlines()), [])
        # IDNA, and the data on confusable characters
        words = [PROGRAM, "url", "https://例子.中国/", "https://раураl.com/"]
        run = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
        plain = subprocess.run(words, check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout, plain.stdout)
        self.assertIn("xn--fsqu00a.xn--fiqs8s", run.stdout)


if __name__ == "__main__":
    unittest.main()
