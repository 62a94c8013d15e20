"""Holds `gyre bench` against Open MPI and Gloo, and prints a table of ratios.

  python3 tests/bench/compare_collectives.py build/bin -n 2 4 \
      --gloo "python3 tests/bench/peers/gloo_collectives.py"

A round runs each side once, one after the other; the table has the medians
over the rounds, in microseconds, and ours divided by theirs. A side that is
not there (mpi_collectives not built, --gloo not given) is left out.

  python3 tests/bench/compare_collectives.py build/bin --payloads

compares payloads instead: normal, huge, NaN and denormal numbers must take
the same time.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess

PAYLOADS = ["normal", "huge", "nan", "denormal"]


def run(command):
    """{bytes: median us} of a side that prints the lines of gyre bench."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()
             if line.startswith("{")]
    return {line["bytes"]: line["median_us"] for line in lines}


def ours(options, ranks, more=()):
    return ([f"{options.bin}/gyre", "bench", options.op, "-n", str(ranks),
             "--sizes", options.sizes, "--seconds", str(options.seconds),
             "--json", "--collectives", options.collectives] + list(more))


def sides(options, ranks):
    if options.payloads:
        return {p: ours(options, ranks, ["--payload", p, "--form", "sum"])
                for p in PAYLOADS}
    commands = {options.collectives: ours(options, ranks)}
    mpi = f"{options.bin}/mpi_collectives"
    if os.path.exists(mpi):
        commands["Open MPI"] = [
            "mpirun", "--allow-run-as-root", "--oversubscribe", "-n",
            str(ranks), mpi, options.op, options.sizes, str(options.seconds)]
    if options.gloo:
        commands["Gloo"] = shlex.split(options.gloo) + [
            str(ranks), options.op, options.sizes, str(options.seconds)]
    return commands


def measure(commands, rounds):
    """{side: {bytes: median us over the rounds}}"""
    results = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            results[name].append(run(command))
    return {name: {size: statistics.median(r[size] for r in runs)
                   for size in runs[0]}
            for name, runs in results.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", help="the folder of gyre and mpi_collectives")
    parser.add_argument("-n", "--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--op", default="all-reduce")
    parser.add_argument("--sizes", default="8,4K,64K,512K,4M,32M")
    parser.add_argument("--collectives", default="shm")
    parser.add_argument("--gloo", help="the command of gloo_collectives.py")
    parser.add_argument("--payloads", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4)
    options = parser.parse_args()
    for ranks in options.ranks:
        times = measure(sides(options, ranks), options.rounds)
        names = list(times)
        titles = [f"{options.op}, {ranks} ranks", f"{names[0]} us"]
        for name in names[1:]:
            titles += [f"{name} us", "ratio"]
        print("| " + " | ".join(titles) + " |")
        print("|" + "---|" * len(titles))
        for size, mine in times[names[0]].items():
            row = [str(size), f"{mine:.1f}"]
            for name in names[1:]:
                theirs = times[name][size]
                row += [f"{theirs:.1f}", f"{mine / theirs:.2f}"]
            print("| " + " | ".join(row) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
