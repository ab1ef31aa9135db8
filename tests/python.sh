#!/bin/sh
# Runs a test written in Python: python.sh SCRIPT ARGUMENT... Exits with 77, which ctest reports as skipped, if Python
# is missing.
if ! command -v python3 >/dev/null; then
  echo "skipped: python3 is not installed"
  exit 77
fi
exec python3 "$@"
