#!/usr/bin/env python3
"""Checks a data set of links with Spark: reads one URL per line and writes one JSON object per link.

usage: spark-submit spark.py [--parts N] LINKS RESULTS [OPTION OF CHECK...]

Each partition is piped through one `linkherd check`. All links of a site are in one partition, so that two machines
never send requests to the same host at the same time. No store is kept: there is no history, and a link without an
answer is `unreachable`."""

import argparse
import os
import shlex
import zlib
from urllib.parse import urlsplit

from pyspark.sql import SparkSession


def site_of(url):
    """Returns the last two labels of the host. This is never finer than the registrable domain, which would require
    the public suffix list."""
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
        # Python's built-in hash differs between processes.
        .partitionBy(given.parts, lambda site: zlib.crc32(site.encode()))
        .values()
        # The exit code is ignored, because it is 2 if links are broken. Spark passes no environment by default.
        .pipe(shlex.join(command), {"PATH": os.environ["PATH"]})
        .saveAsTextFile(given.results)
    )


if __name__ == "__main__":
    main()
