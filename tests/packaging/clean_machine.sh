#!/usr/bin/env bash
# usage: clean_machine.sh FOLDER RELEASE [--ccache FOLDER]
# Tests the two commands that the README promises, `./bootstrap run` and `./bootstrap test`, in a new Debian system that
# contains only a clone of this repository. RELEASE is bookworm (Debian 12) or trixie (Debian 13). debootstrap, run as
# root, creates the system in FOLDER, where it is kept for inspection.
# `./bootstrap run` may end with any exit code of a check (0, 2, or 4 without a network), but it must build the program
# and print its report. `./bootstrap test` must end with 0.
# The test takes an hour on two processors. With --ccache, compiler results are kept in that folder, so that the next
# run is much faster. Give each release a folder of its own.
# Exits with 77 if a tool is missing.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
release=$2
CCACHE_DIR=
if [ "${3-}" = --ccache ]; then
  mkdir -p "$4"
  CCACHE_DIR=$(cd "$4" && pwd)
fi
export CCACHE_DIR
# shellcheck source-path=SCRIPTDIR source=clean_system.sh
. "$source/tests/packaging/clean_system.sh"

name=clean-machine-$release
log=$folder/$name
need_clean_systems
say "a clean $release with a clone"
clean_system "$release" "$name"
git clone -q "$source" "$folder/$name/root/linkherd"
if [ -n "$CCACHE_DIR" ]; then
  inside "$name" 'apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache' >"$log.ccache.log" 2>&1 || fail "see $log.ccache.log"
fi

say "./bootstrap run"
code=0
inside "$name" 'cd /root/linkherd && ./bootstrap run' >"$log.report" 2>"$log.run.log" || code=$?
case "$code" in
  0 | 2 | 4) ;;
  *) fail "./bootstrap run: exit code $code, see $log.run.log" ;;
esac
grep -qE '^[0-9]+ (of [0-9]+ )?links' "$log.report" || fail "./bootstrap run printed no report, see $log.report"
say "exit code $code: $(tail -1 "$log.run.log")"

say "./bootstrap test"
inside "$name" 'cd /root/linkherd && ./bootstrap test' >"$log.test.log" 2>&1 || fail "./bootstrap test: exit code $?, see $log.test.log"
grep -E 'tests (passed|failed)|\*\*\*(Skipped|Not Run)' "$log.test.log"

begin=$(date +%s%N)
inside "$name" 'cd /root/linkherd && ./bootstrap build' >"$log.build.log" 2>&1 || fail "./bootstrap build: exit code $?, see $log.build.log"
if grep -q Linking "$log.build.log"; then fail "./bootstrap build links although nothing changed, see $log.build.log"; fi
say "a second build took $((($(date +%s%N) - begin) / 1000000)) ms"
say 'all done'
