#!/usr/bin/env bash
# Checks every include against the table of modules (ARCHITECTURE.md): a module may include only itself and the modules
# in its row.
# usage: layering.sh ROOT. Prints the first forbidden include and fails.
set -euf
cd "${1:?usage: layering.sh ROOT}"

# Each folder is a module and has a row. In a row, "a/b/" stands for everything below that folder, and "a/b/*" for the
# files directly in it.
allowed() {
  local text='parser/* parser/url/ parser/html/ parser/lists/* parser/lists/text/'
  local all='crawler/broker/ crawler/run/ crawler/browser/browser_options.h crawler/lookups/ crawler/fix/ crawler/notify/ crawler/sources/ crawler/classify/ crawler/frontier/ crawler/fetch/ crawler/clock/ reports/ storage/ parser/'
  case "$1" in
    parser/url)            echo "parser/* parser/url/" ;;
    parser/html)           echo "parser/* parser/html/ parser/url/" ;;
    parser/lists)          echo "parser/* parser/lists/* parser/url/ parser/html/" ;;
    parser/lists/text)     echo "$text" ;;
    parser/lists/html)     echo "$text parser/lists/html/ parser/html/" ;;
    parser/lists/markdown) echo "$text parser/lists/markdown/" ;;
    parser/lists/markup)   echo "$text parser/lists/markup/" ;;
    parser/lists/data)     echo "$text parser/lists/data/ parser/html/" ;;
    parser/metadata)       echo "parser/* parser/metadata/* parser/metadata/dates/ parser/html/ parser/url/" ;;
    parser/metadata/dates) echo "parser/* parser/metadata/dates/" ;;
    parser/metadata/extractors) echo "parser/* parser/metadata/ parser/html/ parser/url/" ;;
    parser)                echo "parser/*" ;;
    storage)               echo "storage/* parser/" ;;
    storage/warc)          echo "storage/ parser/" ;;
    reports)               echo "reports/ storage/ parser/" ;;
    crawler/clock)         echo "crawler/clock/ parser/" ;;
    crawler/fetch/http)    echo "crawler/fetch/http/ storage/ parser/" ;;
    crawler/fetch/net)     echo "crawler/fetch/net/ crawler/fetch/http/ crawler/fetch/fetch_options.h crawler/frontier/circuit_breaker.h crawler/clock/ storage/ parser/" ;;
    crawler/fetch)         echo "crawler/fetch/ crawler/frontier/ crawler/clock/ storage/ parser/" ;;
    crawler/frontier)      echo "crawler/frontier/ crawler/fetch/http/ storage/ parser/" ;;
    crawler/classify)      echo "crawler/classify/ crawler/fetch/http/ storage/ parser/" ;;
    crawler/sources)       echo "crawler/sources/ storage/ parser/" ;;
    crawler/sources/generators) echo "crawler/sources/ storage/ parser/" ;;
    crawler/notify)        echo "crawler/notify/ crawler/fetch/ storage/ parser/" ;;
    crawler/browser)       echo "crawler/browser/ crawler/notify/ crawler/fetch/ crawler/clock/ storage/ parser/" ;;
    crawler/lookups)       echo "crawler/lookups/ crawler/classify/ crawler/fetch/http/ storage/ parser/" ;;
    crawler/fix)           echo "crawler/fix/ crawler/sources/ crawler/classify/ storage/ parser/" ;;
    crawler/run)           echo "crawler/run/ crawler/browser/ crawler/lookups/ crawler/sources/ crawler/classify/ crawler/frontier/ crawler/fetch/ crawler/clock/ storage/ parser/" ;;
    crawler/broker)        echo "crawler/broker/ crawler/run/ crawler/fetch/ crawler/clock/ crawler/sources/ storage/ parser/" ;;
    crawler/cli/options)   echo "$all crawler/cli/* crawler/cli/options/" ;;
    crawler/cli/commands)  echo "$all crawler/cli/" ;;
    crawler/cli)           echo "$all crawler/cli/" ;;
  esac
}

failed=0
while IFS=: read -r file line include; do
  target=${include#*\"}
  target=${target%%\"*}
  module=${file%/*}
  ok=no
  for place in $(allowed "$module"); do
    case "$place" in
      */\*) if [ "${target%/*}" = "${place%/*}" ]; then ok=yes; fi ;;
      *) if [[ $target == "$place"* ]]; then ok=yes; fi ;;
    esac
  done
  if [ $ok = no ]; then
    echo "$file:$line: $module may not include \"$target\" (see the table of modules in ARCHITECTURE.md)"
    failed=1
    break
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.h' --include='*.cpp' parser storage crawler reports)
if [ $failed = 0 ]; then echo "every include runs with the table of modules"; fi
exit $failed
