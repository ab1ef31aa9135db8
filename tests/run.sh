#!/usr/bin/env bash
# Runs the tests of a built preset: tests/run.sh PRESET. Tests that measure time ("html timing: ...") run first, each
# alone. Failed ones are repeated once, because a busy machine may be the reason. The summary of ctest for all others
# comes last.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1

if ! ctest --preset "$preset" -R ' timing:' --no-tests=ignore; then
  failed=build/$preset/Testing/Temporary/LastTestsFailed.log
  printf 'repeated once, because they measure time: %s\n' "$(cut -d: -f2- "$failed" | paste -sd, -)"
  ctest --preset "$preset" -R ' timing:' --rerun-failed
fi
ctest --preset "$preset" -E ' timing:'
