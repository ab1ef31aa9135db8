#!/usr/bin/env python3
"""Reads and lowers the versions of symbols that ELF programs and libraries (64 bits, little-endian) need.

usage: symbol_versions.py FILE...

Changes references to newer versions of symbols if an older version does the same. Prints the path of each changed
file."""

import re
import struct
import sys
from pathlib import Path

# symbol: (newer version, older version). libstdc++ of GCC 12 gave `wait` a new version because the function may now
# throw when its thread is cancelled (pthread_cancel). No program here cancels threads, and newer libraries keep the old
# version.
OLDER = {
    b"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE": (b"GLIBCXX_3.4.30", b"GLIBCXX_3.4.11"),
}

SHT_DYNSYM, SHT_VERNEED, SHT_VERSYM = 11, 0x6FFFFFFE, 0x6FFFFFFF


class Elf:
    """A file whose required versions can be read and changed."""

    def __init__(self, data):
        self.data = bytearray(data)
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not an ELF file of 64 bits, little-endian")
        offset, = struct.unpack_from("<Q", self.data, 0x28)
        size, count = struct.unpack_from("<HH", self.data, 0x3A)
        # Each section: name, type, flags, address, offset, size, link, info, alignment, size of an entry
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, offset + i * size) for i in range(count)]

    def section(self, kind):
        return next((section for section in self.sections if section[1] == kind), None)

    def string(self, table, offset):
        begin = table[4] + offset
        return bytes(self.data[begin:self.data.index(b"\0", begin)])

    def needs(self):
        """Yields (position of the entry, its version index, library, version)."""
        section = self.section(SHT_VERNEED)
        if section is None:
            return
        names = self.sections[section[6]]
        library = section[4]
        for _ in range(section[7]):
            _, count, file, first, next_library = struct.unpack_from("<HHIII", self.data, library)
            entry = library + first
            for _ in range(count):
                _, _, index, name, next_entry = struct.unpack_from("<IHHII", self.data, entry)
                yield entry, index, self.string(names, file), self.string(names, name)
                entry += next_entry
            library += next_library

    def symbols_of(self, version_index):
        symbols, versions = self.section(SHT_DYNSYM), self.section(SHT_VERSYM)
        names = self.sections[symbols[6]]
        for i in range(symbols[5] // 24):
            index, = struct.unpack_from("<H", self.data, versions[4] + 2 * i)
            if index & 0x7FFF == version_index:
                yield self.string(names, struct.unpack_from("<I", self.data, symbols[4] + 24 * i)[0])

    def use_older_versions(self):
        """Returns whether something changed. Changes a version only if all its symbols have the same older version, and
        if the file contains the name of that version already."""
        changed = False
        names = self.sections[self.section(SHT_VERNEED)[6]] if self.section(SHT_VERNEED) else None
        for entry, index, _, version in list(self.needs()):
            older = {OLDER.get(symbol, (None, None)) for symbol in self.symbols_of(index)}
            if len(older) != 1 or next(iter(older))[0] != version:
                continue
            name = next(iter(older))[1]
            offset = self.data.find(b"\0" + name + b"\0", names[4], names[4] + names[5]) + 1 - names[4]
            if offset <= 0:
                continue
            struct.pack_into("<I", self.data, entry, elf_hash(name))
            struct.pack_into("<I", self.data, entry + 8, offset)
            changed = True
        return changed


def elf_hash(name):
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


def version_key(version):
    return tuple(int(number) for number in version.split("."))


def newest_versions(files):
    """Returns the newest required version of each family over the contents of all files: {"GLIBC": "2.34", ...}."""
    newest = {}
    for data in files:
        if data[:4] != b"\x7fELF":
            continue
        for _, _, _, version in Elf(data).needs():
            match = re.fullmatch(r"(GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)", version.decode())
            if match:
                family, number = match.groups()
                newest[family] = max(newest.get(family, "0"), number, key=version_key)
    return newest


def main(files):
    for file in map(Path, files):
        elf = Elf(file.read_bytes())
        if elf.use_older_versions():
            file.write_bytes(elf.data)
            print(file)


if __name__ == "__main__":
    main(sys.argv[1:])
