#!/bin/bash
# A batch with GNU parallel: parallel.sh MANIFEST RESULTS SHARDS [OPTIONS OF PARALLEL]
#
# On one machine, one shard for each core:
#     parallel.sh train.jsonl results "$(nproc)"
# On several machines, whose folders are the same:
#     parallel.sh train.jsonl results 8 --sshlogin alice,bob --workdir .
#
# A second call with --resume-failed as the last option does the failed shards again.
set -euo pipefail
manifest=$1 results=$2 shards=$3
shift 3
mkdir -p "$results"
seq 0 "$((shards - 1))" |
    parallel --joblog "$results/joblog" --halt never "$@" \
        "dictate batch $(printf %q "$manifest") --output $(printf %q "$results") --shard {}/$shards --jobs 1 --resume --quiet"
dictate batch merge "$results"
