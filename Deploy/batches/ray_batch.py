"""A batch with Ray: python3 ray_batch.py MANIFEST RESULTS SHARDS

Ray starts the command once for each shard, and again after an exit code that is worth a retry.
"""

import subprocess
import sys

import ray


@ray.remote(num_cpus=1, max_retries=3, retry_exceptions=[InterruptedError])
def transcribe(manifest, results, shard):
    line = ["dictate", "batch", manifest, "--output", results, "--shard", shard, "--jobs", "1", "--resume", "--quiet"]
    code = subprocess.run(line).returncode
    # 75 asks for a retry. A negative code is the signal that ended the command.
    if code == 75 or code < 0 or code > 128:
        raise InterruptedError(f"Shard {shard} ended with {code}.")
    return shard, code


def main(manifest, results, shards):
    ray.init()
    codes = dict(ray.get([transcribe.remote(manifest, results, f"{index}/{shards}") for index in range(int(shards))]))
    if any(code > 1 for code in codes.values()):
        sys.exit(f"Shards failed: {codes}")
    sys.exit(subprocess.run(["dictate", "batch", "merge", results]).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
