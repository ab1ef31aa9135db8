"""Reads the portable archive, from which the other packages are made."""

import re
import tarfile
from pathlib import Path

DESCRIPTION = (Path(__file__).parent / "description.md").read_text()
SUMMARY = "Link checker that keeps a history of the links in your documents"
# Where the archive keeps the licences of its libraries.
LICENCES = "share/doc/linkherd/libraries/"


class Archive:
    """Files by their path below the top folder, with contents and mode. Times are those of the archive."""

    def __init__(self, path):
        self.path = Path(path)
        match = re.fullmatch(r"linkherd-([0-9][0-9.]*)-(\w+)-(\w+)\.tar\.gz", self.path.name)
        if not match:
            raise ValueError(f"{path} has no name of a portable archive (linkherd-VERSION-SYSTEM-MACHINE.tar.gz)")
        self.version, self.system, self.machine = match.groups()
        self.files, self.modes, self.time = {}, {}, 0
        with tarfile.open(self.path) as archive:
            for member in archive:
                if member.isdir():
                    continue
                if not member.isfile():
                    raise ValueError(f"{member.name} in {path} is neither a file nor a folder")
                name = member.name.split("/", 1)[1]
                self.files[name] = archive.extractfile(member).read()
                self.modes[name] = 0o755 if member.mode & 0o100 else 0o644
                self.time = max(self.time, int(member.mtime))

    def program_files(self):
        """The names of the files that a package manager of a language installs: the program, its libraries, manual
        pages and completions. Units of systemd and documentation are only in the other packages."""
        folders = ("bin/", "lib/linkherd/", "share/man/", "share/bash-completion/", "share/zsh/", "share/fish/")
        return sorted(name for name in self.files if name.startswith(folders))

    def licence_files(self):
        """The names of the licence of linkherd and those of its libraries."""
        return sorted(name for name in self.files if name == "share/doc/linkherd/LICENSE" or name.startswith(LICENCES))
