# Creates clean Debian systems for the tests of this folder, which source this file and set `folder` to the parent
# folder of the systems.
# shellcheck shell=bash disable=SC2154 # the caller sets folder

say() { printf '=== %s (%s s so far)\n' "$*" "$SECONDS"; }

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null && return
  echo "skipped: there is no $1" >&2
  exit 77
}

need_clean_systems() {
  need debootstrap
  [ "$(id -u)" = 0 ] && return
  echo "skipped: clean systems are made as root" >&2
  exit 77
}

# clean_system RELEASE NAME: creates a minimal system in $folder/NAME.
clean_system() {
  if [ ! -e "$folder/clean/$1.ready" ]; then
    rm -rf "$folder/clean/$1"
    mkdir -p "$folder/clean"
    debootstrap --variant=minbase "$1" "$folder/clean/$1" >"$folder/clean/$1.log" 2>&1 || fail "debootstrap: $folder/clean/$1.log"
    touch "$folder/clean/$1.ready"
  fi
  rm -rf "${folder:?}/$2"
  cp -a "$folder/clean/$1" "$folder/$2"
  cp /etc/resolv.conf "$folder/$2/etc/resolv.conf"
  if [ -n "${http_proxy:-}" ]; then echo "Acquire::http::Proxy \"$http_proxy\";" >"$folder/$2/etc/apt/apt.conf.d/proxy"; fi
}

# inside NAME COMMAND: runs a shell command inside that system. If CCACHE_DIR is set, that folder is mounted there.
inside() {
  # shellcheck disable=SC2016
  unshare --mount bash -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    if [ -n "${CCACHE_DIR:-}" ]; then mkdir -p "$1/ccache" && mount --bind "$CCACHE_DIR" "$1/ccache"; fi && exec chroot "$1" /usr/bin/env -i \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${CCACHE_DIR:+CCACHE_DIR=/ccache} ${LINKHERD_CMAKE_OPTIONS:+LINKHERD_CMAKE_OPTIONS="$LINKHERD_CMAKE_OPTIONS"} /bin/bash -eo pipefail -c "$2"' - "$folder/$1" "$2"
}
