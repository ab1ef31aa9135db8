#!/usr/bin/env bash
# A step of action.yml: installs linkherd from an archive, verifies its checksum, and adds it to the PATH of later
# steps.
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
  echo "::error title=linkherd::Archives exist for Linux only. Install linkherd yourself and set 'linkherdVersion: installed'."
  exit 1
fi
version=${LINKHERD_VERSION#v}
[ -n "$version" ] || version=$(sed -n 's/^project(linkherd VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
name=linkherd-$version-linux-$(uname -m).tar.gz
from=${LINKHERD_ARCHIVE:-$LINKHERD_SERVER/${LINKHERD_REPOSITORY:-${GITHUB_ACTION_REPOSITORY:-}}/releases/download/v$version/$name}

# get FROM TO: copies a local file or downloads a URL.
get() {
  case "$1" in
    https://*) curl --fail --silent --show-error --location --proto '=https' --retry 3 --output "$2" -- "$1" ;;
    *://*) echo "::error title=linkherd::The archive must be a local file or an https URL." && return 1 ;;
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
  echo "::error title=linkherd::The checksum of the archive is wrong, so it was not installed."
  exit 1
fi
rm -rf "$folder/program"
mkdir "$folder/program"
tar -xzf "$folder/archive.tar.gz" --strip-components=1 --no-same-owner -C "$folder/program"
"$folder/program/bin/linkherd" version
echo "$folder/program/bin" >>"$GITHUB_PATH"
