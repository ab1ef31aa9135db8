#!/usr/bin/env bash
# Holds every include to the table of modules (ARCHITECTURE.md): a module may include itself and what its row names, nothing else.
# usage: layering.sh ROOT; prints the first include that runs against the table, and fails.
set -eu
cd "${1:?usage: layering.sh ROOT}"

# The longest prefix in this table is the module of a file. `allowed` are prefixes of what it may include.
allowed() {
  local ground='parser/ascii.h parser/result.h parser/enum_names.h parser/timestamp.h parser/utf8.h parser/json.h parser/inflate.h parser/callback_failure.h'
  case "$1" in
    parser/url)         echo "$ground parser/url/" ;;
    parser/html)        echo "$ground parser/html/ parser/url/" ;;
    parser/lists)       echo "$ground parser/lists/ parser/url/ parser/html/" ;;
    parser/metadata)    echo "$ground parser/metadata/ parser/html/ parser/url/" ;;
    parser)             echo "$ground" ;;
    storage)            echo "storage/ parser/" ;;
    reports)            echo "reports/ storage/ parser/" ;;
    crawler/clock)      echo "crawler/clock/ parser/" ;;
    crawler/fetch/http) echo "crawler/fetch/http/ storage/ parser/" ;;
    crawler/fetch/net)  echo "crawler/fetch/net/ crawler/fetch/http/ crawler/frontier/circuit_breaker.h crawler/clock/ storage/ parser/" ;;
    crawler/fetch)      echo "crawler/fetch/ crawler/frontier/ crawler/clock/ storage/ parser/" ;;
    crawler/frontier)   echo "crawler/frontier/ crawler/fetch/http/ storage/ parser/" ;;
    crawler/classify)   echo "crawler/classify/ crawler/fetch/http/ storage/ parser/" ;;
    crawler/sources)    echo "crawler/sources/ storage/ parser/" ;;
    crawler/run)        echo "crawler/run/ crawler/sources/ crawler/classify/ crawler/frontier/ crawler/fetch/ crawler/clock/ storage/ parser/" ;;
    crawler/commands)   echo "crawler/ reports/ storage/ parser/" ;;
    crawler/main)       echo "crawler/commands/" ;;
  esac
}

# The folder of a file; main.cpp is a module of its own.
module_of() {
  case "$1" in
    crawler/main.cpp) echo crawler/main ;;
    *) echo "${1%/*}" ;;
  esac
}

failed=0
while IFS=: read -r file line include; do
  target=$(sed -E 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*/\1/' <<<"$include")
  module=$(module_of "$file")
  ok=no
  for prefix in $(allowed "$module"); do
    case "$target" in "$prefix"*) ok=yes; break ;; esac
  done
  if [ $ok = no ]; then
    echo "$file:$line: $module may not include \"$target\" (see the table of modules in ARCHITECTURE.md)"
    failed=1
    break
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.h' --include='*.cpp' parser storage crawler reports)
[ $failed = 0 ] && echo "every include runs with the table of modules"
exit $failed
