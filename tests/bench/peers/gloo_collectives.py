"""Gloo's collectives over TCP, measured as `gyre bench` measures ours.

  python3 gloo_collectives.py RANKS OPERATION SIZES [seconds a size]

Needs PyTorch. Prints the lines of `gyre bench --json`.
"""

import json
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size_of(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def caller(op, count, ranks):
    data = torch.zeros(count)
    if op == "all-reduce":
        return lambda: dist.all_reduce(data)
    parts = list(torch.zeros(count).chunk(ranks))
    mine = torch.zeros(count // ranks)
    if op == "all-gather":
        return lambda: dist.all_gather(parts, mine)
    return lambda: dist.reduce_scatter(mine, parts)


def timed(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def measure(op, size, seconds, rank, ranks):
    unit = 4 if op == "all-reduce" else 4 * ranks
    size = (size + unit - 1) // unit * unit
    call = caller(op, size // 4, ranks)
    us = [timed(call) for _ in range(5)][-1]
    rounds = torch.tensor([max(7, min(5000, int(seconds * 1e6 / us)))])
    dist.broadcast(rounds, 0)
    times = sorted(timed(call) for _ in range(int(rounds)))
    if rank == 0:
        median = statistics.median(times)
        print(json.dumps({
            "backend": "gloo", "op": op, "ranks": ranks, "bytes": size,
            "median_us": median, "p99_us": times[len(times) * 99 // 100],
            "gb_per_s": size / median / 1e3, "best_us": times[0],
            "rounds": len(times)}), flush=True)


def run(rank, ranks, op, sizes, seconds, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank,
                            world_size=ranks)
    for size in sizes:
        measure(op, size, seconds, rank, ranks)
    dist.destroy_process_group()


def main():
    ranks, op = int(sys.argv[1]), sys.argv[2]
    sizes = [size_of(s) for s in sys.argv[3].split(",")]
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 0.4
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, (ranks, op, sizes, seconds, folder + "/store"), ranks)


if __name__ == "__main__":
    main()
