"""What the peers share: timing, and the printed form of a result.

Each peer prints one JSON object a line, {"name": ..., "us": ..., "peak_mb":
...}: the median over repetitions of the microseconds of one step, one thread,
and the most memory that the process ever held.
"""

import json
import resource
import statistics
import time


def report(name, step, repetitions=5, seconds=0.2):
    """Times step(), which must wait for its own result."""
    for _ in range(3):
        step()
    start = time.process_time()
    step()
    once = max(time.process_time() - start, 1e-7)
    count = max(1, int(seconds / once))
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        for _ in range(count):
            step()
        times.append((time.process_time() - start) / count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"name": name, "us": statistics.median(times) * 1e6,
                      "peak_mb": peak}), flush=True)


MLPS = {
    "MlpSmall": (32, 64, [64, 64, 64]),
    "MlpLarge": (256, 1024, [1024] * 5),
}
# batch, fields, hidden, rows, columns
GRIDS = {
    "ConvStorm": (64, 6, 32, 33, 36),
    "ConvGlobe": (1, 6, 16, 721, 1440),
}
# batch, tokens, width, heads
BLOCK = (8, 256, 256, 8)
# rows, width
ROWS = (16384, 256)
COUNT = 1 << 20
ADAM = 5_000_000
