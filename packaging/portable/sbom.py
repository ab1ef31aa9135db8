#!/usr/bin/env python3
"""Lists the contents of the portable archive as an SBOM (SPDX 2.3): the Debian packages whose libraries and headers are
inside, with versions and sources. It also applies to the wheel and the npm package, which are made from the archive.

usage: sbom.py ARCHIVE FOLDER

Prints the path of the list."""

import hashlib
import json
import re
import sys
import time
from pathlib import Path
from urllib.parse import quote

from archive import LICENCES, SUMMARY, Archive

# A row that pack.cmake wrote: file, package, version, source package, its version, remark.
ROW = re.compile(r"^(\S+)  (\S+) (\S+)  source (\S+) (\S+)(?:  \((.*)\))?$", re.MULTILINE)


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def debian_package(rows):
    """Describes the package of some rows of the table."""
    _, name, version, source, source_version, _ = rows[0]
    remarks = sorted({row[5] for row in rows if row[5]})
    return {
        "name": name,
        "SPDXID": identifier(name),
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "licenseComments": f"see {LICENCES}{name}.copyright in the archive",
        "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from Debian's source package {source} {source_version}",
        "comment": "; ".join([f"files: {', '.join(row[0] for row in rows)}", *remarks]),
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}"
                                f"?upstream={quote(f'{source}@{source_version}', safe='')}",
        }],
    }


def make_sbom(archive, folder):
    packages = {}
    for row in ROW.findall(archive.files[f"{LICENCES}README"].decode()):
        packages.setdefault(row[1], []).append(row)
    digest = hashlib.sha256(archive.path.read_bytes()).hexdigest()
    program = identifier("linkherd")
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": archive.path.name,
        "documentNamespace": f"https://spdx.org/spdxdocs/linkherd-{archive.version}-{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(archive.time)),
            "creators": ["Organization: linkherd", "Tool: packaging/portable/sbom.py"],
        },
        "packages": [{
            "name": "linkherd",
            "SPDXID": program,
            "versionInfo": archive.version,
            "packageFileName": archive.path.name,
            "summary": SUMMARY,
            "supplier": "Organization: linkherd",
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "Apache-2.0",
            "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": "APPLICATION",
        }, *[debian_package(rows) for rows in packages.values()]],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": program},
            *[{"spdxElementId": program,
               "relationshipType": "DYNAMIC_LINK" if ".so" in rows[0][0] else "STATIC_LINK",
               "relatedSpdxElement": identifier(name)} for name, rows in packages.items()]],
    }
    path = Path(folder, archive.path.name.removesuffix(".tar.gz") + ".spdx.json")
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_sbom(Archive(sys.argv[1]), sys.argv[2]))
