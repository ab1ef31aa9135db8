#!/bin/sh
# Runs the browser test: run.sh LINKHERD PLANTED_INTERNET SEEDS FOLDER. Exits with 77, which ctest reports as skipped,
# if node is missing.
here=$(dirname "$0")
if ! command -v node >/dev/null; then
  echo "skipped: there is no node; Debian's package nodejs has it"
  exit 77
fi
exec node --test-reporter=spec "$here/html_report_test.js" "$@"
