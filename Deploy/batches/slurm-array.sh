#!/bin/bash
# A batch as a Slurm array of eight shards: sbatch slurm-array.sh MANIFEST RESULTS
#
#SBATCH --job-name=dictate
#SBATCH --array=0-7
#SBATCH --cpus-per-task=1
#SBATCH --time=08:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --output=dictate-%A-%a.log

# Slurm sends SIGTERM a minute before the time is over. The command keeps its results and ends with 143; `exec` lets it
# have the signal.
exec dictate batch "$1" --output "$2" --shard "$SLURM_ARRAY_TASK_ID/8" --resume --quiet
