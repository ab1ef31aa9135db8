"""Measures the CPU seconds that trafilatura takes for the pages of ./manifest.tsv. Prints one line for `metadata`
(extract_metadata alone) and one for `document` (bare_extraction with metadata, which its command and most programs
call). The time to load its modules is not included."""
import logging
import time

from trafilatura import bare_extraction
from trafilatura.metadata import extract_metadata

logging.disable(logging.CRITICAL)
with open("manifest.tsv", encoding="utf-8") as manifest:
    rows = [line.rstrip("\n").split("\t") for line in manifest]
pages = []
for row in rows:
    with open(row[0], "rb") as file:
        pages.append((file.read(), row[1] if len(row) > 1 else None))


def measure(name, extract):
    begin = time.process_time()
    for html, url in pages:
        extract(html, url)
    print(name, time.process_time() - begin)


measure("metadata", lambda html, url: extract_metadata(html, default_url=url, extensive=True))
measure("document", lambda html, url: bare_extraction(html, url=url, with_metadata=True))
