#!/usr/bin/env bash
# usage: packages_test.sh FOLDER [STEP...]
# Builds and tests the packages in FOLDER, which can be reused. Takes half an hour from scratch. Runs all steps, or the
# given ones in this order:
#   build      builds both packages twice, in folders with different names; the results must be identical
#   lint       lintian finds no errors; the portable archive needs no newer symbol versions than those of Ubuntu 24.04
#   deb        the Debian package in a clean Debian 12
#   service    the service and the timer of the Debian package in a Debian 12 started by systemd-nspawn
#   portable   the portable archive in a clean Debian 12 and 13 that have none of its libraries
#   container  the steps of packaging/container/Containerfile, with a clean Debian 12 for each image
# debootstrap, run as root, creates the clean systems. If a tool is missing, exits with 77 after the steps before it.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(build lint deb service portable container)
newest_glibc=2.39 # of Ubuntu 24.04

# shellcheck source-path=SCRIPTDIR source=clean_system.sh
. "$source/tests/packaging/clean_system.sh"

# try_program NAME: checks that the program in that system reads lists, sends no unrequested requests, keeps a store and
# reports broken links.
try_program() {
  mkdir -p "$folder/$1/srv/lists"
  printf '# Guide\n\n[here](#guide) [那里](guide.md)\n' >"$folder/$1/srv/lists/guide.md"
  inside "$1" 'cd /srv/lists && linkherd check --store /srv/store . && linkherd report --store /srv/store --output html:/srv/report.html &&
    linkherd links /srv/lists && linkherd url "https://例子.中国/a b" && linkherd store verify --store /srv/store' >"$folder/$1.log" 2>&1 ||
    fail "see $folder/$1.log"
  printf '[gone](nowhere.md)\n' >"$folder/$1/srv/lists/list.md"
  local code=0
  inside "$1" 'cd /srv/lists && linkherd check --store /srv/store .' >>"$folder/$1.log" 2>&1 || code=$?
  [ "$code" = 2 ] || fail "exit code $code for a broken link, see $folder/$1.log"
}

# readme_command BEGIN: prints the command of README.md that starts with BEGIN.
readme_command() { grep -m1 "^$1 " "$source/README.md"; }

build() {
  local name
  for name in first the-second-folder; do
    rm -rf "${folder:?}/$name"
    git clone -q "$source" "$folder/$name"
    say "$name"
    (cd "$folder/$name" && cmake --workflow --preset package) >"$folder/$name.log" 2>&1 || fail "see $folder/$name.log"
  done
  for name in "$folder"/first/build/package/linkherd[_-]*.{deb,tar.gz}; do
    cmp "$name" "$folder/the-second-folder/build/package/$(basename "$name")" || fail "two builds differ"
  done
  (cd "$folder/first/build/package" && sha256sum linkherd[_-]*.{deb,tar.gz})
}

deb() { echo "$folder"/first/build/package/linkherd_*.deb; }
portable() { echo "$folder"/first/build/package/linkherd-*-linux-*.tar.gz; }

lint() {
  rm -rf "${folder:?}/unpacked"
  mkdir "$folder/unpacked"
  tar -xzf "$(portable)" --strip-components=1 -C "$folder/unpacked"
  local newest
  newest=$(objdump -T "$folder"/unpacked/bin/linkherd "$folder"/unpacked/lib/linkherd/* |
    sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\))\{0,1\} .*/\1/p' | sort -Vu | tail -1)
  echo "newest symbols: GLIBC_$newest"
  [ "$(printf '%s\n' "$newest" "$newest_glibc" | sort -V | tail -1)" = "$newest_glibc" ] || fail "GLIBC_$newest is too new"
  if find "$folder/unpacked/lib/linkherd" -name 'libc.so*' -o -name 'ld-linux*' | grep .; then fail "the C library is the system's"; fi
  need lintian
  lintian --fail-on error "$(deb)"
}

in_deb() {
  need_clean_systems
  clean_system bookworm debian-12-deb
  cp "$(deb)" "$folder/debian-12-deb/root/"
  inside debian-12-deb "cd /root && apt-get update -qq && apt-get() { command apt-get -y -qq --no-install-recommends \"\$@\"; } &&
    $(readme_command 'apt-get install')" >"$folder/debian-12-deb.apt.log" 2>&1 || fail "see $folder/debian-12-deb.apt.log"
  try_program debian-12-deb
  inside debian-12-deb 'test -s /usr/share/man/man1/linkherd-check.1.gz -o ! -e /usr/share/man/man1 &&
    test -s /usr/share/bash-completion/completions/linkherd && test -s /lib/systemd/system/linkherd.timer &&
    ! ls /etc/systemd/system/*.wants/linkherd* 2>/dev/null && apt-get purge -y -qq linkherd && ! command -v linkherd' \
    >>"$folder/debian-12-deb.log" 2>&1 || fail "see $folder/debian-12-deb.log"
}

service() {
  need_clean_systems
  need systemd-nspawn
  local name=debian-12-service unit=etc/systemd/system/try.service
  clean_system bookworm "$name"
  cp "$(deb)" "$folder/$name/root/"
  inside "$name" 'cd /root && apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd-sysv dbus ./linkherd_*.deb' \
    >"$folder/$name.log" 2>&1 || fail "see $folder/$name.log"
  mkdir -p "$folder/$name/etc/linkherd" "$folder/$name/srv/docs"
  echo '[gone](nowhere.md)' >"$folder/$name/srv/docs/list.md"
  echo /srv/docs >"$folder/$name/etc/linkherd/inputs"
  printf '%s\n' '[Service]' Type=oneshot StandardOutput=file:/root/try.log StandardError=file:/root/try.log ExecStart=/root/try.sh \
    >"$folder/$name/$unit"
  mkdir -p "$folder/$name/etc/systemd/system/multi-user.target.wants"
  ln -s ../try.service "$folder/$name/etc/systemd/system/multi-user.target.wants/"
  # A broken link fails the service. Once fixed, the service reports it. The service writes only to its own folder.
  cat >"$folder/$name/root/try.sh" <<'EOF'
#!/bin/sh
systemctl enable --now linkherd.timer
systemctl start linkherd.service; echo "first: $?, exit code $(systemctl show -P ExecMainStatus linkherd.service)"
touch /srv/docs/nowhere.md
systemctl start linkherd.service; echo "second: $?, timer $(systemctl is-active linkherd.timer)"
ls /var/lib/private/linkherd
journalctl -u linkherd.service --no-pager
systemctl poweroff
EOF
  chmod +x "$folder/$name/root/try.sh"
  timeout 300 systemd-nspawn -q -D "$folder/$name" --boot --register=no --keep-unit </dev/null >>"$folder/$name.log" 2>&1 ||
    fail "see $folder/$name.log"
  cat "$folder/$name/root/try.log" >>"$folder/$name.log"
  local expected
  for expected in '^first: 1, exit code 2$' '^second: 0, timer active$' '^store$' '1 newly broken' '1 recovered'; do
    grep -q "$expected" "$folder/$name/root/try.log" || fail "no $expected in $folder/$name/root/try.log"
  done
}

in_portable() {
  need_clean_systems
  local release
  for release in bookworm trixie; do
    clean_system "$release" "portable-$release"
    cp "$(portable)" "$folder/portable-$release/root/"
    inside "portable-$release" "cd /root && $(readme_command 'tar -xzf')"
    try_program "portable-$release"
    # All libraries except the C library must come from the program's own folder.
    inside "portable-$release" 'LD_TRACE_LOADED_OBJECTS=1 /usr/local/bin/linkherd' >"$folder/portable-$release.libraries"
    if grep -vE 'linux-vdso|ld-linux|/usr/local/(bin/\.\./)?lib/linkherd/|/lib(c|m|resolv|pthread|dl|rt)\.so' \
      "$folder/portable-$release.libraries"; then
      fail "libraries of the system are used"
    fi
    say "portable archive in $release"
  done
}

# Each FROM creates a new system; COPY and RUN do what an image builder does.
container() {
  need_clean_systems
  local words image=0 into=/ line
  while IFS= read -r line; do
    read -ra words <<<"$line"
    case "${words[0]-}" in
      FROM)
        image=$((image + 1))
        clean_system bookworm "image-$image"
        into=/
        ;;
      WORKDIR)
        into=${words[1]}
        mkdir -p "$folder/image-$image$into"
        ;;
      COPY)
        if [ "${words[1]}" = --from=build ]; then
          # shellcheck disable=SC2086
          cp "$folder"/image-1${words[2]} "$folder/image-$image${words[3]}"
        else
          git -C "$source" archive HEAD | tar -x -C "$folder/image-$image$into"
        fi
        ;;
      RUN)
        say "${line:0:100}"
        inside "image-$image" "cd $into; ${line#RUN }" >>"$folder/image-$image.log" 2>&1 || fail "see $folder/image-$image.log"
        ;;
    esac
  done <"$source/packaging/container/Containerfile"
  if [ -d "$folder/first" ]; then
    # Not the portable archive: it contains the libraries of its system, whose versions may differ.
    cmp "$(deb)" "$folder/image-1/src/build/package/$(basename "$(deb)")" || fail "a build in another system differs"
  fi
  try_program "image-$image"
  inside "image-$image" "chmod -R go=rX /srv/lists && cd /srv/lists && setpriv --reuid linkherd --clear-groups linkherd check --no-store guide.md"
}

for step in "${steps[@]}"; do
  say "$step"
  case "$step" in
    build | lint | service | container) "$step" ;;
    deb | portable) "in_$step" ;;
    *) fail "there is no step $step" ;;
  esac
done
say 'all done'
