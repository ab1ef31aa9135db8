#!/usr/bin/env bash
# rolling_issue.sh LABEL EXIT_CODE BODY: maintains one open issue with the label. Opens or rewrites it if links are broken (exit code 2 of
# `linkherd check --format issue`), and closes it if none is (0). Other exit codes are inconclusive and change nothing.
# gh reads the repository from GITHUB_REPOSITORY. GITHUB_TOKEN or GH_TOKEN must have permission to write issues.
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
    gh label create "$label" --description "Broken links found by linkherd" 2>/dev/null || true  # exists if there was an earlier issue
    gh issue create --title "Broken links" --label "$label" --body-file "$body"
    ;;
  2-*) gh issue edit "$number" --body-file "$body" ;;
esac
