#!/usr/bin/env bash
# tests/run.sh PRESET: the tests of a built preset. Those that measure time ("html timing: ...") come first, each alone, and
# what fails of them is repeated once: a busy machine may have been the reason. Ends with ctest's summary of all others.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1

if ! ctest --preset "$preset" -R ' timing:' --no-tests=ignore; then
  failed=build/$preset/Testing/Temporary/LastTestsFailed.log
  printf 'repeated once, because they measure time: %s\n' "$(cut -d: -f2- "$failed" | paste -sd, -)"
  ctest --preset "$preset" -R ' timing:' --rerun-failed
fi
ctest --preset "$preset" -E ' timing:'
