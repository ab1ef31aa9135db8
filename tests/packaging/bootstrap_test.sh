#!/usr/bin/env bash
# usage: bootstrap_test.sh FOLDER
# Tests which packages ./bootstrap installs on which system. Commands in FOLDER replace apt, sudo and cmake, so that
# nothing is installed or built.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "${1:?}"
mkdir -p "$1/bin" "$1/clone/packaging"
cd "$1"
folder=$PWD
cp "$source/bootstrap" clone
cp "$source/packaging/debian-packages.txt" clone/packaging

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  cat "$folder/output" >&2
  exit 1
}

# command_of NAME LINE: creates a command that replaces the system's.
command_of() { printf '#!/bin/bash\n%s\n' "$2" >"bin/$1" && chmod +x "bin/$1"; }

for tool in awk bash cat comm dirname env mkdir sed sort; do ln -s "$(command -v "$tool")" "bin/$tool"; done
command_of cmake 'exit 0'
command_of id 'echo 1000'
# bootstrap discards what apt prints, so that the log is a file.
command_of sudo "echo \"sudo \$*\" >>'$folder/output'; case \"\$*\" in *'apt-get install'*) exit \"\${APT_CODE:-0}\" ;; esac"
command_of apt-get 'exit 1'
command_of dpkg-query 'echo "installed build-essential"'

# bootstrap COMMAND ID VERSION: runs it on a system of that name, and keeps what it printed in `output`.
bootstrap() {
  printf 'ID=%s\nVERSION_ID="%s"\nPRETTY_NAME="%s %s"\n' "$2" "$3" "$2" "$3" >os-release
  code=0
  : >output
  LINKHERD_OS_RELEASE=$folder/os-release PATH=$folder/bin bash clone/bootstrap "$1" >>output 2>&1 || code=$?
}

says() { grep -qE -- "$1" output || fail "on $2, bootstrap does not print: $1"; }
says_nothing_of() { if grep -qE -- "$1" output; then fail "on $2, bootstrap prints: $1"; fi; }

bootstrap tools debian 12
[ "$code" = 0 ] || fail "on Debian 12, bootstrap ends with $code"
says 'apt-get install .* libboost1\.81-dev' 'Debian 12'
says 'apt-get install .* libclang-rt-14-dev' 'Debian 12'
says_nothing_of 'libboost-dev|not on' 'Debian 12'
says_nothing_of 'apt-get install .* build-essential' 'Debian 12'

bootstrap tools debian 13
[ "$code" = 0 ] || fail "on Debian 13, bootstrap ends with $code"
says 'apt-get install .* libboost-dev' 'Debian 13'
says 'apt-get install .* libclang-rt-dev' 'Debian 13'
says_nothing_of 'libboost1\.81-dev|libclang-rt-14-dev|not on' 'Debian 13'

bootstrap tools ubuntu 24.04
says 'is tested on Debian 12 and 13, not on ubuntu 24\.04\. Trying the package names of ubuntu-24\.04' Ubuntu
says 'apt-get install .* libboost-dev' Ubuntu
says_nothing_of 'chromium' Ubuntu

bootstrap build mint 22
[ "$code" = 0 ] || fail "on another system with apt, bootstrap ends with $code"
says 'not on mint 22\. Trying the package names of debian-13' Mint
says 'apt-get install .* libboost-dev' Mint

export APT_CODE=100
bootstrap build mint 22
[ "$code" = 100 ] || fail "if apt fails, bootstrap ends with $code"
says 'not all packages could be installed\. linkherd needs these packages' Mint
says '^  librocksdb-dev$' Mint
says 'LINKHERD_SKIP_PACKAGES=1 ./bootstrap build' Mint

rm bin/apt-get bin/dpkg-query
bootstrap build fedora 43
[ "$code" = 1 ] || fail "without apt, bootstrap ends with $code"
says 'has no apt, so nothing was installed\. linkherd needs these packages' Fedora
says '^  librocksdb-dev$' Fedora
says_nothing_of '^sudo' Fedora
echo 'all done'
