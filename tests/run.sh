#!/usr/bin/env bash
# tests/run.sh PRESET: runs the tests of a built preset. Tests that measure time ("html timing: ...") run first, one at
# a time. Those that fail are repeated once, because a busy machine may be the reason. Ends with ctest's summary of all
# other tests.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1

if ! ctest --preset "$preset" -R ' timing:' --no-tests=ignore; then
  failed=build/$preset/Testing/Temporary/LastTestsFailed.log
  printf 'repeated once, because they measure time: %s\n' "$(cut -d: -f2- "$failed" | paste -sd, -)"
  ctest --preset "$preset" -R ' timing:' --rerun-failed
fi
ctest --preset "$preset" -E ' timing:'
