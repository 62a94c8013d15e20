"""The real TensorBoard reads our event files, number by number.

usage: tensorboard_reads_events.py WEATHER_LOSS
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

try:
    import numpy as np
    from tensorboard.backend.event_processing import event_accumulator
except ImportError as error:
    print(f"skipped: {error}; see tests/python/requirements.txt")
    sys.exit(SKIPPED)


def number(value) -> float:
    """A number of metrics.jsonl: what is not finite is a string."""
    return float(value)


def steps_of_a_resumed_run(weather_loss: str, run: pathlib.Path) -> None:
    """Goes on from before the end, as after a kill: each step stands once."""
    subprocess.run(
        [weather_loss, "--data", "synthetic", "--loss", "mse", "--steps", "30",
         "--resume", str(run / "checkpoints" / "step-00000010"),
         "--out", str(run)],
        check=True, stdout=subprocess.DEVNULL)
    lines = (run / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == list(range(30))
    board = event_accumulator.EventAccumulator(
        str(run / "tensorboard"), size_guidance={"scalars": 0})
    board.Reload()
    for tag in ("loss", "grad_norm", "lr", "skipped"):
        steps = [s.step for s in board.Scalars(tag)]
        assert steps == list(range(30)), (tag, steps)


def main(weather_loss: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        subprocess.run(
            [weather_loss, "--data", "synthetic", "--loss", "mse", "--steps",
             "25", "--inject", "nan_grad@rank=0,step=7",
             "--checkpoint-every", "10", "--out", str(run)],
            check=True, stdout=subprocess.DEVNULL)
        lines = (run / "metrics.jsonl").read_text().splitlines()
        metrics = [json.loads(line) for line in lines]
        board = event_accumulator.EventAccumulator(
            str(run / "tensorboard"), size_guidance={"scalars": 0})
        board.Reload()
        steps_of_a_resumed_run(weather_loss, run)

    tags = board.Tags()["scalars"]
    assert "loss" in tags and "grad_norm" in tags, tags
    for tag in ("loss", "grad_norm", "lr", "skipped"):
        scalars = board.Scalars(tag)
        assert [s.step for s in scalars] == list(range(25)), tag
        for scalar, line in zip(scalars, metrics):
            wanted = float(np.float32(number(line[tag])))
            same = scalar.value == wanted or (
                math.isnan(scalar.value) and math.isnan(wanted))
            assert same, (tag, scalar, wanted)
    assert board.Scalars("skipped")[-1].value == 1
    print(f"{len(tags)} tags of 25 steps, all numbers right")


if __name__ == "__main__":
    main(sys.argv[1])
