#!/usr/bin/env bash
# A step of action.yml: puts linkherd on the path of the steps after it, out of an archive whose checksum is right.
set -euo pipefail

folder=$RUNNER_TEMP/linkherd
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"

if [ "${LINKHERD_VERSION:-}" = installed ]; then
  linkherd version
  exit
fi

if [ "${LINKHERD_VERSION:-}" = build ]; then
  (cd "$source" && ./bootstrap build >&2)
  echo "$source/build/release" >>"$GITHUB_PATH"
  exit
fi

if [ "$(uname -s)" != Linux ]; then
  echo "::error title=linkherd::there are archives for Linux alone; with linkherdVersion: installed the one on the path is used"
  exit 1
fi
version=${LINKHERD_VERSION#v}
[ -n "$version" ] || version=$(sed -n 's/^project(linkherd VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
name=linkherd-$version-linux-$(uname -m).tar.gz
from=${LINKHERD_ARCHIVE:-$LINKHERD_SERVER/${LINKHERD_REPOSITORY:-${GITHUB_ACTION_REPOSITORY:-}}/releases/download/v$version/$name}

# get FROM TO: a file of this machine, or one from the web.
get() {
  case "$1" in
    https://*) curl --fail --silent --show-error --location --proto '=https' --retry 3 --output "$2" -- "$1" ;;
    *://*) echo "::error title=linkherd::an archive is fetched by https alone" && return 1 ;;
    *) cp -- "$1" "$2" ;;
  esac
}

get "$from" "$folder/archive.tar.gz"
sum=${LINKHERD_SHA256:-}
if [ -z "$sum" ]; then
  get "$from.sha256" "$folder/archive.sha256"
  read -r sum _ <"$folder/archive.sha256"
fi
if ! printf '%s  %s\n' "$sum" "$folder/archive.tar.gz" | sha256sum --check --status; then
  echo "::error title=linkherd::the archive has another checksum than the one that is expected"
  exit 1
fi
rm -rf "$folder/program"
mkdir "$folder/program"
tar -xzf "$folder/archive.tar.gz" --strip-components=1 --no-same-owner -C "$folder/program"
"$folder/program/bin/linkherd" version
echo "$folder/program/bin" >>"$GITHUB_PATH"
