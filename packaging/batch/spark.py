#!/usr/bin/env python3
"""Checks a data set of links with Spark: one URL a line in, one JSON object a link out.

usage: spark-submit spark.py [--parts N] LINKS RESULTS [OPTION OF CHECK...]

Each partition is piped through one `linkherd check`, and all links of a site are in one partition, so that no host is asked by two machines
at once. No store is kept: there is no history, and a link that gives no answer is `unreachable`."""

import argparse
import os
import shlex
import zlib
from urllib.parse import urlsplit

from pyspark.sql import SparkSession


def site_of(url):
    """The last two labels of the host: never finer than a registrable domain, which needs the public suffix list."""
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        host = ""
    return ".".join(host.rstrip(".").split(".")[-2:])


def main():
    arguments = argparse.ArgumentParser(allow_abbrev=False)
    arguments.add_argument("--parts", type=int, default=8)
    arguments.add_argument("links")
    arguments.add_argument("results")
    given, options = arguments.parse_known_args()
    command = ["linkherd", "check", "--no-store", "--no-progress", "--quiet", "--input-format", "text", "--format", "jsonl", *options, "-"]
    context = SparkSession.builder.appName("linkherd").getOrCreate().sparkContext
    (
        context.textFile(given.links)
        .map(lambda url: (site_of(url), url))
        # Python's own hash differs from process to process.
        .partitionBy(given.parts, lambda site: zlib.crc32(site.encode()))
        .values()
        # Exits with 2 where links are broken, so its exit code is not looked at. Spark passes on no environment by itself.
        .pipe(shlex.join(command), {"PATH": os.environ["PATH"]})
        .saveAsTextFile(given.results)
    )


if __name__ == "__main__":
    main()
