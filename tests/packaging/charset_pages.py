#!/usr/bin/env python3
"""Tests that a program converts the encodings of the HTML standard.

usage: charset_pages.py make FOLDER    writes one page per encoding
       charset_pages.py check          reads what `linkherd metadata FOLDER` printed, and compares the titles

ICU has no converter for iso-8859-16, and `replacement` is no encoding of a text."""

import codecs
import json
import sys
from pathlib import Path

# Name in the standard: (Python's name, a title)
ENCODINGS = {
    "utf-8": ("utf-8", "Links 链接 Ссылки"),
    "ibm866": ("cp866", "Проверка ссылок в документах"),
    "iso-8859-2": ("iso8859-2", "Žluťoučký kůň"),
    "iso-8859-3": ("iso8859-3", "Ĉiuĵaŭde ŝanĝo"),
    "iso-8859-4": ("iso8859-4", "Šķērsgriezums ģērbtuve"),
    "iso-8859-5": ("iso8859-5", "Проверка ссылок в документах"),
    "iso-8859-6": ("iso8859-6", "روابط"),
    "iso-8859-7": ("iso8859-7", "Σύνδεσμοι"),
    "iso-8859-8": ("iso8859-8", "קישורים"),
    "iso-8859-8-i": ("iso8859-8", "קישורים"),
    "iso-8859-10": ("iso8859-10", "Þórður Ŋ ŧ"),
    "iso-8859-13": ("iso8859-13", "Ąžuolų šešėlis"),
    "iso-8859-14": ("iso8859-14", "Ŵyth ŷd ẁ ẅ"),
    "iso-8859-15": ("iso8859-15", "cœur à 5 €"),
    "koi8-r": ("koi8-r", "Проверка ссылок в документах"),
    "koi8-u": ("koi8-u", "Посилання її ґанок"),
    "macintosh": ("mac-roman", "Üñïçødé ƒ"),
    "windows-874": ("cp874", "ลิงก์"),
    "windows-1250": ("cp1250", "Žluťoučký kůň"),
    "windows-1251": ("cp1251", "Проверка ссылок в документах"),
    "windows-1252": ("cp1252", "déjà vu – 5 €"),
    "windows-1253": ("cp1253", "Σύνδεσμοι"),
    "windows-1254": ("cp1254", "Bağlantı İğne"),
    "windows-1255": ("cp1255", "קישורים"),
    "windows-1256": ("cp1256", "روابط"),
    "windows-1257": ("cp1257", "Ąžuolų šešėlis"),
    "windows-1258": ("cp1258", "đ Ơ ư ă"),
    "x-mac-cyrillic": ("mac-cyrillic", "Проверка ссылок в документах"),
    "gbk": ("gbk", "链接检查"),
    "gb18030": ("gb18030", "链接检查 𠀀"),
    "big5": ("big5hkscs", "連結檢查 啫"),
    "euc-jp": ("euc-jp", "リンクの検査"),
    "iso-2022-jp": ("iso2022-jp", "リンクの検査"),
    "shift_jis": ("cp932", "リンクの検査 ①"),
    "euc-kr": ("cp949", "링크 검사 똠"),
    "utf-16be": ("utf-16-be", "链接 Ссылки"),
    "utf-16le": ("utf-16-le", "链接 Ссылки"),
    "x-user-defined": ("ascii", "links"),
}


def page(name):
    codec, title = ENCODINGS[name]
    text = f'<!doctype html><meta charset="{name}"><title>{title}</title>\n'
    marks = {"utf-16-be": codecs.BOM_UTF16_BE, "utf-16-le": codecs.BOM_UTF16_LE}
    return marks.get(codec, b"") + text.encode(codec)


def make(folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in ENCODINGS:
        Path(folder, f"{name}.html").write_bytes(page(name))


def differences(lines):
    """Returns one text per encoding whose title is missing or wrong."""
    titles = {Path(line["file"]).stem: line["title"] for line in map(json.loads, lines)}
    return [f"{name}: expected {title!r}, got {titles.get(name)!r}"
            for name, (_, title) in ENCODINGS.items() if titles.get(name) != title]


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 3:
        make(sys.argv[2])
    elif sys.argv[1:] == ["check"]:
        found = differences(sys.stdin)
        print("\n".join(found) or f"{len(ENCODINGS)} encodings are converted")
        sys.exit(1 if found else 0)
    else:
        sys.exit(__doc__)
