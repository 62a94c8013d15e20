"""Runs the benchmarks and their peers in turn, and prints a table of ratios.

  python3 tests/bench/compare.py build/tests/bench/gyre_bench \
      --peer jax="python3 tests/bench/peers/jax_peer.py" \
      --peer torch="python3 tests/bench/peers/torch_peer.py" \
      --names MlpSmall MlpLarge --rounds 3

Every process is bound to one core and one thread. A round runs each side
once; the table has the medians over the rounds, of processor time: other work
on the machine does not count.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess

ENVIRONMENT = dict(
    os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1",
    XLA_FLAGS="--xla_cpu_multi_thread_eigen=false "
              "intra_op_parallelism_threads=1")
NAMES = ["MlpSmall", "MlpLarge", "ConvStorm", "ConvGlobe", "TransformerBlock",
         "PointwiseLoss", "LayerNorm", "Softmax", "AdamUpdate"]
MICROSECONDS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}


def run(command, core):
    done = subprocess.run(["taskset", "-c", str(core)] + command,
                          env=ENVIRONMENT, capture_output=True, text=True,
                          check=True)
    return done.stdout


def ours(program, name, core):
    text = run([program, f"--benchmark_filter=^{name}$",
                "--benchmark_min_time=0.3", "--benchmark_format=json"], core)
    entry = json.loads(text)["benchmarks"][0]
    return {"us": entry["cpu_time"] * MICROSECONDS[entry["time_unit"]],
            "of_roofline": entry.get("of_roofline"),
            "peak_mb": entry.get("peak_mb")}


def peer(command, name, core):
    for line in run(shlex.split(command) + [name], core).splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise RuntimeError(f"{command} {name}: no result")


def median(results, key):
    values = [r[key] for r in results if r.get(key) is not None]
    return statistics.median(values) if values else None


def cell(value, form):
    return "-" if value is None else format(value, form)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--names", nargs="+", default=NAMES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=1)
    options = parser.parse_args()
    peers = dict(p.split("=", 1) for p in options.peer)

    titles = ["benchmark", "us", "of roofline", "peak MiB"]
    for p in peers:
        titles += [f"{p} us", "ratio", f"{p} peak MiB"]
    print("| " + " | ".join(titles) + " |")
    print("|" + "---|" * len(titles))
    for name in options.names:
        results = {p: [] for p in ["", *peers]}
        for _ in range(options.rounds):
            results[""].append(ours(options.program, name, options.core))
            for p, command in peers.items():
                results[p].append(peer(command, name, options.core))
        mine = median(results[""], "us")
        row = [name, cell(mine, ".1f"),
               cell(median(results[""], "of_roofline"), ".2f"),
               cell(median(results[""], "peak_mb"), ".0f")]
        for p in peers:
            theirs = median(results[p], "us")
            row += [cell(theirs, ".1f"), cell(mine / theirs, ".2f"),
                    cell(median(results[p], "peak_mb"), ".0f")]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
