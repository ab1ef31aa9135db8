#!/bin/bash
#SBATCH --job-name=linkherd
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --requeue
# A Slurm job array: each task checks its part of the links into a separate store. A task that was terminated and
# requeued continues where it stopped. Then the stores are merged:
#
#   parts=$(sbatch --parsable slurm.sh /shared/lists)
#   sbatch --dependency=afterok:"$parts" --wrap 'linkherd store merge --store links.store -- part-*'
# usage: sbatch [--array=1-N] slurm.sh INPUT...
# All nodes must see the inputs and the current folder at the same paths.
set -eu
if [ "$SLURM_ARRAY_TASK_MIN" != 1 ] || [ "$SLURM_ARRAY_TASK_MAX" != "$SLURM_ARRAY_TASK_COUNT" ]; then
  echo "The tasks must be numbered 1-N: --array=1-N" >&2
  exit 3
fi
# Broken links (exit code 2) must not fail the task.
linkherd check --quiet --no-progress --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --store "part-$SLURM_ARRAY_TASK_ID" -- "$@" ||
  [ $? = 2 ]
