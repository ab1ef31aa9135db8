#!/usr/bin/env bash
# usage: packages_test.sh FOLDER [STEP...]
# Builds and tests the packages in FOLDER, which can be reused. Takes an hour from scratch. Runs all steps, or the given
# ones in this order:
#   build      builds all packages twice, in folders with different names; the results must be identical
#   lint       lintian finds no errors; the portable archive needs no newer symbol versions than those of RHEL 9; the
#              SBOM names each of its libraries
#   deb        the Debian package in a clean Debian 12
#   service    the service and the timer of the Debian package in a Debian 12 started by systemd-nspawn
#   portable   the portable archive in a clean Debian 12 and 13 that have none of its libraries
#   pip        the wheel, installed by pip in a clean Debian 12 and 13
#   npm        the npm package, installed by npm in a clean Debian 12 and 13
#   container  the steps of packaging/container/Containerfile, with a clean Debian 12 for each image
# debootstrap, run as root, creates the clean systems. If a tool is missing, exits with 77 after the steps before it.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(build lint deb service portable pip npm container)
# The newest symbol versions of RHEL 9, the oldest system that the archive supports
declare -A newest_known=([GLIBC]=2.34 [GLIBCXX]=3.4.29 [CXXABI]=1.3.13 [GCC]=7.0.0)

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

# try_installed NAME: checks the program that a package manager installed in that system. Its libraries except those of C
# and C++ are its own, it converts all encodings, and it starts as fast as the program of the portable archive.
try_installed() {
  local root=$folder/$1
  # shellcheck disable=SC2016
  inside "$1" 'LD_TRACE_LOADED_OBJECTS=1 $(readlink -f "$(command -v linkherd)")' >"$root.libraries"
  if grep -vE 'linux-vdso|ld-linux|/bin/\.\./lib/linkherd/|/lib(c|m|resolv|pthread|dl|rt|stdc\+\+|gcc_s)\.so' "$root.libraries"; then
    fail "libraries of the system are used"
  fi
  try_program "$1"
  "$source/tests/packaging/charset_pages.py" make "$root/srv/pages"
  inside "$1" 'cd /srv && linkherd metadata pages' >"$root.titles" || fail "see $root.titles"
  "$source/tests/packaging/charset_pages.py" check <"$root.titles" || fail "an encoding is missing"
  mkdir -p "$root/opt/plain"
  tar -xzf "$(portable)" --strip-components=1 --no-same-owner -C "$root/opt/plain"
  # Processor time, because other programs delay each run.
  # shellcheck disable=SC2016
  inside "$1" 'runs=50 TIMEFORMAT="%U %S"
    start() { for ((i = 0; i < runs; i++)); do "$1" version; done >/dev/null; }
    microseconds() { { time start "$1"; } 2>&1 | awk -v runs="$runs" "{ printf \"%d\", (\$1 + \$2) * 1000000 / runs }"; }
    installed=$(microseconds "$(command -v linkherd)") plain=$(microseconds /opt/plain/bin/linkherd)
    echo "start-up in microseconds of processor time: $installed installed, $plain from the archive"
    [ $((installed - plain)) -lt 10000 ]' || fail "the installed program starts more slowly"
}

# try_without_certificates NAME: checks that the program says when the system has no CA certificates, and finds those of
# other systems.
try_without_certificates() {
  local output check='cd /srv && echo "<https://127.0.0.1:1/>" >tls.md && linkherd check --no-store tls.md 2>&1'
  output=$(inside "$1" "$check")
  [[ $output = *'no CA certificates'* ]] || fail "no word about missing CA certificates"
  mkdir -p "$folder/$1/etc/pki/tls/certs"
  cp /etc/ssl/certs/ca-certificates.crt "$folder/$1/etc/pki/tls/certs/ca-bundle.crt"
  output=$(inside "$1" "$check")
  [[ $output != *'CA certificates'* ]] || fail "the CA certificates are not found in the place of RHEL"
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
  for name in "$folder"/first/build/package/linkherd[_-]*.{deb,tar.gz,whl,tgz,spdx.json}; do
    cmp "$name" "$folder/the-second-folder/build/package/$(basename "$name")" || fail "two builds differ"
  done
  (cd "$folder/first/build/package" && sha256sum -c linkherd[_-]*.sha256 && stat -c '%s bytes  %n' linkherd[_-]*.{deb,tar.gz,whl,tgz,spdx.json})
}

deb() { echo "$folder"/first/build/package/linkherd_*.deb; }
wheel() { echo "$folder"/first/build/package/linkherd-*.whl; }
npm_package() { echo "$folder"/first/build/package/linkherd-*.tgz; }
portable() { echo "$folder"/first/build/package/linkherd-*-linux-*.tar.gz; }

lint() {
  rm -rf "${folder:?}/unpacked"
  mkdir "$folder/unpacked"
  tar -xzf "$(portable)" --strip-components=1 -C "$folder/unpacked"
  du -sh "$folder/unpacked"
  local family newest minor
  for family in "${!newest_known[@]}"; do
    newest=$(objdump -T "$folder"/unpacked/bin/linkherd "$folder"/unpacked/lib/linkherd/* |
      sed -n "s/.*[ (]${family}_\([0-9.]*\))\{0,1\} .*/\1/p" | sort -Vu | tail -1)
    echo "newest symbols: ${family}_$newest"
    [ "$(printf '%s\n' "$newest" "${newest_known[$family]}" | sort -V | tail -1)" = "${newest_known[$family]}" ] ||
      fail "${family}_$newest is too new"
  done
  minor=${newest_known[GLIBC]#2.}
  [[ "$(wheel)" = *-py3-none-manylinux_2_"${minor}"_x86_64.whl ]] || fail "the tag of $(wheel) is not that of glibc 2.$minor"
  local library
  for library in "$folder"/unpacked/lib/linkherd/*; do
    case "$(basename "$library")" in
      libc.so* | ld-linux* | libstdc++* | libgcc_s*) fail "$library belongs to the system" ;;
    esac
    grep -qE "files: .*\b$(basename "$library" | sed 's/[.+]/\\&/g')\b" "$folder"/first/build/package/linkherd-*.spdx.json ||
      fail "the SBOM lacks $library"
  done
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
  for expected in '^first: 1, exit code 2$' '^second: 0, timer active$' '^store$' '1 newly broken' '1 works again'; do
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
    # All libraries except those of C and C++ must come from the program's own folder.
    inside "portable-$release" 'LD_TRACE_LOADED_OBJECTS=1 /usr/local/bin/linkherd' >"$folder/portable-$release.libraries"
    if grep -vE 'linux-vdso|ld-linux|/usr/local/(bin/\.\./)?lib/linkherd/|/lib(c|m|resolv|pthread|dl|rt|stdc\+\+|gcc_s)\.so' \
      "$folder/portable-$release.libraries"; then
      fail "libraries of the system are used"
    fi
    try_without_certificates "portable-$release"
    say "portable archive in $release"
  done
}

# in_manager MANAGER PACKAGE APT_PACKAGES COMMAND: installs a package by COMMAND in both Debians, and tests it.
in_manager() {
  need_clean_systems
  local release name started
  for release in bookworm trixie; do
    name=$1-$release
    clean_system "$release" "$name"
    cp "$2" "$folder/$name/root/"
    inside "$name" "apt-get update -qq && apt-get install -y -qq --no-install-recommends $3" >"$folder/$name.apt.log" 2>&1 ||
      fail "see $folder/$name.apt.log"
    started=$SECONDS
    inside "$name" "cd /root && $4" >"$folder/$name.install.log" 2>&1 || fail "see $folder/$name.install.log"
    echo "$1 in $release: installed in $((SECONDS - started)) s"
    try_installed "$name"
    say "$1 in $release"
  done
}

# A link leads to the program, as with pipx.
in_pip() {
  in_manager pip "$(wheel)" 'python3-pip python3-venv' 'python3 -m venv /opt/environment &&
    /opt/environment/bin/pip install --no-index ./linkherd-*.whl && /opt/environment/bin/pip check &&
    ln -s /opt/environment/bin/linkherd /usr/local/bin/linkherd && test -s /opt/environment/share/man/man1/linkherd.1 &&
    test -s /opt/environment/share/bash-completion/completions/linkherd'
}

in_npm() {
  in_manager npm "$(npm_package)" npm 'npm install --global --offline ./linkherd-*.tgz &&
    test -s /usr/local/lib/node_modules/linkherd/share/bash-completion/completions/linkherd && mkdir /srv/project && cd /srv/project &&
    npm install --offline /root/linkherd-*.tgz && npx --offline linkherd version'
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
    deb | portable | pip | npm) "in_$step" ;;
    *) fail "there is no step $step" ;;
  esac
done
say 'all done'
