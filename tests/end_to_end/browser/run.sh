#!/bin/sh
# run.sh LINKHERD PLANTED_INTERNET SEEDS FOLDER: runs the browser test. Exits with 77 without node, which ctest reports
# as skipped.
here=$(dirname "$0")
if ! command -v node >/dev/null; then
  echo "skipped: there is no node; Debian's package nodejs has it"
  exit 77
fi
exec node --test-reporter=spec "$here/html_report_test.js" "$@"
