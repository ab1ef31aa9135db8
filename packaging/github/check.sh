#!/usr/bin/env bash
# A step of action.yml: runs one check and writes annotations, a report file, the job summary and an issue.
set -euo pipefail

folder=$RUNNER_TEMP/linkherd
mkdir -p "$folder"
cd "$INPUT_WORKING_DIRECTORY"

# xargs splits words like a shell, with quotes and backslashes, but expands nothing.
words=()
if [ -n "$INPUT_ARGS" ]; then
  xargs -r printf '%s\0' <<<"$INPUT_ARGS" >"$folder/words"
  mapfile -d '' -t words <"$folder/words"
fi

options=(--output github:-)
summary=$folder/summary.md
if [ "$INPUT_JOB_SUMMARY" = true ]; then
  rm -f "$summary"
  options+=(--output "markdown:$summary")
fi
if [ -n "$INPUT_OUTPUT" ]; then
  # The checkout may contain a symbolic link with this name or in this path.
  workspace=$(realpath -- "${GITHUB_WORKSPACE:-.}")
  written=$(realpath -m -s -- "$INPUT_OUTPUT")
  real=$(realpath -m -- "$INPUT_OUTPUT")
  if [[ $written == "$workspace"/* && $real != "$workspace"/* ]]; then
    echo "::error title=linkherd::The input 'output' leads out of the workspace through a symbolic link. Choose a path inside the workspace."
    exit 3
  fi
  mkdir -p -- "$(dirname -- "$INPUT_OUTPUT")"
  options+=(--output "$INPUT_FORMAT:$INPUT_OUTPUT")
fi
[ -z "$INPUT_ISSUE" ] || options+=(--output "issue:$folder/issue.md")
[ "$INPUT_FAIL_IF_EMPTY" != true ] || options+=(--fail-if-empty)
[ "$INPUT_DEBUG" != true ] || options+=(-vv)
# If the caller chooses a store, the caller keeps it.
if [ "$INPUT_CACHE" = true ]; then
  [[ " ${words[*]-} " =~ \ --(no-store|store|offline)[\ =] ]] || options+=(--store "$folder/store")
fi

# The environment, because other processes can see the command line.
unset GITHUB_TOKEN
[[ ! $INPUT_TOKEN =~ ^[A-Za-z0-9_.-]+$ ]] || export GITHUB_TOKEN=$INPUT_TOKEN

# Pull requests check only their own changes, if the clone has the merge base.
changed_since=$INPUT_CHANGED_SINCE
if [[ $changed_since == auto ]]; then
  changed_since=off
  if [[ $INPUT_EVENT == pull_request && -z $INPUT_ISSUE && " ${words[*]-} " != *" --changed-since"* ]]; then
    changed_since=origin/$INPUT_BASE_REF
    if ! git merge-base HEAD "$changed_since" >/dev/null 2>&1; then
      echo "::notice title=linkherd::All links are checked, because the clone lacks the base of this pull request. Set 'fetch-depth: 0' of actions/checkout to check only its changes."
      changed_since=off
    fi
  fi
fi
[[ -z $changed_since || $changed_since == off ]] || options+=("--changed-since=$changed_since")

exit_code=0
linkherd check "${options[@]}" ${words[@]+"${words[@]}"} || exit_code=$?
echo "exit_code=$exit_code" >>"$GITHUB_OUTPUT"
if [ "$INPUT_JOB_SUMMARY" = true ] && [ -f "$summary" ]; then
  cat "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "$INPUT_ISSUE" ]; then
  "$GITHUB_ACTION_PATH/packaging/github/rolling_issue.sh" "$INPUT_ISSUE" "$exit_code" "$folder/issue.md" ||
    echo "::warning title=linkherd::The issue with the label of the input 'issue' could not be written. It needs 'permissions: issues: write'."
fi
[ "$INPUT_FAIL" = true ] || exit 0
exit "$exit_code"
