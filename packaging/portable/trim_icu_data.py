#!/usr/bin/env python3
"""Makes a small copy of ICU's data library, without the data of languages and regions, which linkherd does not use.

usage: trim_icu_data.py LIBRARY RESULT

Needs icupkg, which reads and writes ICU's data, and a compiler, which makes a library of the result."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Converters and their names, properties of characters, normal forms and IDNA (uts46), confusable characters. Data on
# languages and regions has other endings, or is in folders.
KEPT = re.compile(r"[^/]*\.(cnv|icu|nrm|cfu)")
DROPPED = {"unames.icu"}  # names of all characters

ASSEMBLY = """
.section .rodata
.balign 16
.global {symbol}
.type {symbol}, @object
.size {symbol}, {size}
{symbol}:
.incbin "{file}"
.section .note.GNU-stack,"",@progbits
"""


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def read_data(library):
    """Returns the name of the one symbol of the library, and its bytes."""
    symbols, sections = run("objdump", "-T", library), run("objdump", "-h", "-w", library)
    symbol = re.search(r"^([0-9a-f]+) .*\t([0-9a-f]+)\s.*\b(icudt\d+_dat)$", symbols, re.MULTILINE)
    section = re.search(r"^ *\d+ \.rodata +[0-9a-f]+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) ", sections, re.MULTILINE)
    if not symbol or not section:
        raise ValueError(f"{library} is not ICU's data library")
    address, size = int(symbol[1], 16), int(symbol[2], 16)
    begin = int(section[2], 16) + address - int(section[1], 16)
    return symbol[3], Path(library).read_bytes()[begin:begin + size]


def main(library, result):
    symbol, data = read_data(library)
    soname = re.search(r"SONAME +(\S+)", run("objdump", "-p", library))[1]
    with tempfile.TemporaryDirectory() as folder:
        # icupkg expects the prefix of the items as the name of the file. Its last letter is the byte order.
        whole, small = Path(folder, symbol.removesuffix("_dat") + "l.dat"), Path(folder, "small.dat")
        whole.write_bytes(data)
        dropped = Path(folder, "dropped.txt")
        items = run("icupkg", "-l", whole).split()
        dropped.write_text("".join(f"{item}\n" for item in items if not KEPT.fullmatch(item) or item in DROPPED))
        run("icupkg", "-r", dropped, "--auto_toc_prefix", whole, small)
        source = Path(folder, "data.s")
        source.write_text(ASSEMBLY.format(symbol=symbol, size=small.stat().st_size, file=small))
        run("cc", "-shared", "-nostdlib", f"-Wl,-soname,{soname},--build-id=none,-z,noexecstack", "-o", result, source)
        run("strip", "--strip-unneeded", result)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
