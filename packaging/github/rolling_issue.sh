#!/usr/bin/env bash
# rolling_issue.sh LABEL EXIT_CODE BODY: keeps the one open issue of a repository that has the label. It is opened or rewritten where links are
# broken (exit code 2 of `linkherd check --format issue`), and closed where none is (0). Other runs tell nothing for sure, and change nothing.
# gh knows the repository by GITHUB_REPOSITORY, and GITHUB_TOKEN or GH_TOKEN must allow it to write issues.
set -euo pipefail

label=$1 exit_code=$2 body=$3
[ "$exit_code" = 0 ] || [ "$exit_code" = 2 ] || exit 0

export GH_REPO=${GH_REPO:-${GITHUB_REPOSITORY:-}}
number=$(gh issue list --state open --label "$label" --limit 1 --json number --jq '.[0].number // empty')
case $exit_code-$number in
  0-) ;;
  0-*)
    gh issue edit "$number" --body-file "$body"
    gh issue close "$number"
    ;;
  2-)
    gh label create "$label" --description "Links that linkherd found broken" 2>/dev/null || true  # there from an earlier issue
    gh issue create --title "Broken links" --label "$label" --body-file "$body"
    ;;
  2-*) gh issue edit "$number" --body-file "$body" ;;
esac
