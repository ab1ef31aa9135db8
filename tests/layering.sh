#!/usr/bin/env bash
# Holds every include to the table of rooms (ARCHITECTURE.md): a room may include itself and what its row names, nothing else.
# usage: layering.sh ROOT; prints the first include that runs against the table, and fails.
set -eu
cd "${1:?usage: layering.sh ROOT}"

# The longest prefix in this table is the room of a file. `allowed` are prefixes of what it may include.
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
    crawler/sources)    echo "crawler/sources/ storage/ parser/" ;;
    crawler/frontier)   echo "crawler/frontier/ storage/ parser/" ;;
    crawler/fetch)      echo "crawler/fetch/ crawler/frontier/ crawler/awake_time.h crawler/clock.h crawler/bounded_queue.h storage/ parser/" ;;
    crawler/classify)   echo "crawler/classify/ crawler/fetch/ crawler/frontier/ storage/ parser/" ;;
    crawler/commands)   echo "crawler/ reports/ storage/ parser/" ;;
    crawler/main)       echo "crawler/commands/" ;;
    crawler)            echo "crawler/ storage/ parser/" ;;
  esac
}

room_of() {
  case "$1" in
    crawler/main.cpp) echo crawler/main ;;
    */*/*) echo "${1%/*}" | cut -d/ -f1,2 ;;
    *) echo "${1%%/*}" ;;
  esac
}

failed=0
while IFS=: read -r file line include; do
  target=$(sed -E 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*/\1/' <<<"$include")
  room=$(room_of "$file")
  ok=no
  for prefix in $(allowed "$room"); do
    case "$target" in "$prefix"*) ok=yes; break ;; esac
  done
  # The orchestration of a run must not know the commands, though they share a folder.
  if [ "$room" = crawler ] && [[ $target == crawler/commands/* ]]; then ok=no; fi
  if [ $ok = no ]; then
    echo "$file:$line: $room may not include \"$target\" (see the table of rooms in ARCHITECTURE.md)"
    failed=1
    break
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.h' --include='*.cpp' parser storage crawler reports)
[ $failed = 0 ] && echo "every include runs with the table of rooms"
exit $failed
