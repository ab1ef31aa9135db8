#!/usr/bin/env python3
"""Makes the wheel for `pip install linkherd` from the portable archive.

usage: python_wheel.py ARCHIVE FOLDER

Prints the path of the wheel. It has no Python code: the program is a script of the wheel, and its libraries are data.
So they come into the folders bin and lib of an environment, beside each other as in the archive."""

import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path

from archive import DESCRIPTION, LICENCES, SUMMARY, Archive
from symbol_versions import newest_versions, version_key

# PEP 600: which versions of libstdc++ a system with glibc 2.x has at least, as auditwheel's policies say.
NEEDED_GLIBC = [("GLIBCXX", "3.4.24", 27), ("GLIBCXX", "3.4.28", 31), ("GLIBCXX", "3.4.29", 34),
                ("GLIBCXX", "3.4.30", 35), ("GLIBCXX", "3.4.33", 39),
                ("CXXABI", "1.3.11", 27), ("CXXABI", "1.3.12", 31), ("CXXABI", "1.3.13", 34), ("CXXABI", "1.3.15", 39)]


def platform_tag(newest, machine):
    """Returns the tag of the oldest systems whose C and C++ libraries have these versions (as of newest_versions)."""
    minor = version_key(newest["GLIBC"])[1]
    for family in ("GLIBCXX", "CXXABI"):
        version = newest.get(family)
        if version is None:
            continue
        enough = [glibc for name, known, glibc in NEEDED_GLIBC
                  if name == family and version_key(known) >= version_key(version)]
        if not enough:
            raise ValueError(f"{family}_{version} is newer than every version that NEEDED_GLIBC knows")
        minor = max(minor, min(enough))
    return f"manylinux_2_{minor}_{machine}"


class WheelFile:
    """Writes a wheel with the given files. Equal files and times give equal bytes."""

    def __init__(self, folder, name, version, tag, seconds):
        self.path = Path(folder, f"{name}-{version}-{tag}.whl")
        self.info = f"{name}-{version}.dist-info"
        self.tag = tag
        self.date = time.gmtime(max(seconds, 315532800))[:6]  # zip files know no time before 1980
        self.record = []
        self.zip = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)

    def write(self, name, data, mode=0o644):
        data = data.encode() if isinstance(data, str) else data
        item = zipfile.ZipInfo(name, self.date)
        item.compress_type = zipfile.ZIP_DEFLATED
        item.create_system = 3  # Unix, so the mode counts
        item.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(item, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, metadata, is_pure):
        self.write(f"{self.info}/METADATA", metadata)
        self.write(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: linkherd\nRoot-Is-Purelib: "
                   f"{'true' if is_pure else 'false'}\nTag: {self.tag}\n")
        name = f"{self.info}/RECORD"
        self.write(name, "".join(self.record) + f"{name},,\n")
        self.zip.close()


def make_wheel(archive, folder):
    tag = f"py3-none-{platform_tag(newest_versions(archive.files.values()), archive.machine)}"
    wheel = WheelFile(folder, "linkherd", archive.version, tag, archive.time)
    data = f"linkherd-{archive.version}.data"
    for name in archive.program_files():
        # A script is installed into bin, and a file of `data` into the folder that contains bin.
        target = f"{data}/scripts/{name[4:]}" if name.startswith("bin/") else f"{data}/data/{name}"
        wheel.write(target, archive.files[name], archive.modes[name])
    licences = []
    for name in archive.licence_files():
        licences.append(name.replace(LICENCES, "libraries/") if name.startswith(LICENCES) else Path(name).name)
        wheel.write(f"{wheel.info}/licenses/{licences[-1]}", archive.files[name])
    wheel.close("".join([
        "Metadata-Version: 2.4\n",
        "Name: linkherd\n",
        f"Version: {archive.version}\n",
        f"Summary: {SUMMARY}\n",
        "Keywords: link checker,broken links,dead links,documentation\n",
        "License: Apache-2.0; the libraries inside have licences of their own\n",
        *[f"License-File: {licence}\n" for licence in licences],
        "Classifier: Environment :: Console\n",
        "Classifier: Operating System :: POSIX :: Linux\n",
        "Classifier: Programming Language :: C++\n",
        "Classifier: Topic :: Internet :: WWW/HTTP :: Site Management :: Link Checking\n",
        "Requires-Python: >=3.7\n",
        "Description-Content-Type: text/markdown\n",
        f"\n{DESCRIPTION}"]), is_pure=False)
    return wheel.path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_wheel(Archive(sys.argv[1]), sys.argv[2]))
