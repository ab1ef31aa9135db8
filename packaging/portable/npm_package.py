#!/usr/bin/env python3
"""Makes the npm package for `npx linkherd` from the portable archive.

usage: npm_package.py ARCHIVE FOLDER

Prints the path of the package. Its `bin` is the program itself, so Node.js does not start with it."""

import gzip
import io
import json
import sys
import tarfile
from pathlib import Path

from archive import DESCRIPTION, SUMMARY, Archive

CPUS = {"x86_64": "x64", "aarch64": "arm64"}  # names of machines in Node.js


def package_json(archive):
    return {
        "name": "linkherd",
        "version": archive.version,
        "description": SUMMARY,
        "keywords": ["link-checker", "broken-links", "dead-links", "documentation"],
        "license": "Apache-2.0",
        "bin": {"linkherd": "bin/linkherd"},
        "man": [name for name in archive.program_files() if name.startswith("share/man/")],
        "os": [archive.system],
        "cpu": [CPUS[archive.machine]],
        "libc": ["glibc"],
        "preferUnplugged": True,
    }


def make_npm_package(archive, folder):
    path = Path(folder, f"linkherd-{archive.version}.tgz")
    files = {
        "package.json": (json.dumps(package_json(archive), indent=2) + "\n").encode(),
        "README.md": DESCRIPTION.encode(),
        "LICENSE": archive.files["share/doc/linkherd/LICENSE"],
    }
    for name in archive.program_files() + archive.licence_files():
        files[name] = archive.files[name]
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed, \
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as package:
        for name, data in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size, member.mode, member.mtime = len(data), archive.modes.get(name, 0o644), archive.time
            package.addfile(member, io.BytesIO(data))
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_npm_package(Archive(sys.argv[1]), sys.argv[2]))
