#!/bin/sh
# python.sh SCRIPT ARGUMENT...: runs a test that is written in Python. Exits with 77 without Python, which ctest reports
# as skipped.
if ! command -v python3 >/dev/null; then
  echo "skipped: python3 is not installed"
  exit 77
fi
exec python3 "$@"
