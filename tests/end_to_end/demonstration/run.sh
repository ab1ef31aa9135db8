#!/usr/bin/env bash
# run.sh BUILD: runs the demonstration of `./bootstrap demo`. Checks a list twice against the SmallInternet of the
# tests, which listens on loopback only, and writes demo/report.html. Leaves no process running.
set -euo pipefail
build=$(realpath -- "$1")
source=$(realpath -- "$(dirname -- "$0")")
rm -rf demo
mkdir -p demo
cp "$source"/*.md demo/
cd demo

coproc internet { exec "$build/tests/end_to_end/linkherd_planted_internet" --commands; }
# shellcheck disable=SC2154 # coproc sets this variable
internet_pid=$internet_PID
exec {commands}>&"${internet[1]}" {said}<&"${internet[0]}"
eval "exec ${internet[1]}>&- ${internet[0]}<&-"
trap 'kill "$internet_pid" 2>/dev/null || true' EXIT
options=()
while read -r word <&"$said" && [ -n "$word" ]; do options+=("$word"); done
check() {
  local code=0
  "$build/linkherd" check --no-progress --store store --host-request-interval 10ms --confirm-wait 1s --timeout 3s --max-retries 1 --retry-as off \
    "${options[@]}" "$@" list.md || code=$?
  [ "$code" = 2 ] || { echo "the demonstration failed: linkherd ended with exit code $code instead of 2" >&2; exit 1; }
}
step() { printf '\n$ %s\n' "$*"; }

step linkherd check --store store -o html:report.html -o text:- list.md
check --output text:- --output html:report.html
step linkherd fix --dry-run --store store list.md
"$build/linkherd" fix --dry-run --no-progress --store store --host-request-interval 10ms "${options[@]}" list.md || [ $? = 2 ]

printf '\nA day later, one page is gone.\n'
printf 'gone https://planted.herd/1\n' >&"$commands"
read -r _ <&"$said"
step linkherd check --changes --store store list.md
check --changes --max-cache-age 0s --now "$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)" --output text:- --output html:report.html

exec {commands}>&- {said}<&-
wait "$internet_pid" || true
printf '\nOpen demo/report.html in a browser. The folder demo/ also has the list and the store.\n'
