"""Python's safetensors package reads our checkpoints, hash by hash.

usage: checkpoint_is_safetensors.py WEATHER_LOSS
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

try:
    import numpy as np
    import safetensors.numpy
    import xxhash
except ImportError as error:
    print(f"skipped: {error}; see tests/python/requirements.txt")
    sys.exit(SKIPPED)


def main(weather_loss: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        subprocess.run(
            [weather_loss, "--data", "synthetic", "--loss", "mse", "--steps",
             "3", "--out", str(run)],
            check=True, stdout=subprocess.DEVNULL)
        checkpoint = run / "checkpoints" / "last-good"
        manifest = json.loads((checkpoint / "manifest.json").read_text())
        (file,) = manifest["files"]
        tensors = safetensors.numpy.load_file(checkpoint / file)

    assert manifest["format"] == 2, manifest["format"]
    assert manifest["good"] and manifest["world"] == 1, manifest
    assert manifest["cursor"]["step"] == 3, manifest["cursor"]
    assert manifest["next_step"] == 3, manifest["next_step"]
    assert set(tensors) == set(manifest["hashes"]), sorted(tensors)
    assert tensors["params/hidden0.w"].shape == (32, 6, 5, 5)
    for name, tensor in tensors.items():
        assert tensor.dtype == np.float32, name
        assert np.isfinite(tensor).all(), name
        found = xxhash.xxh3_64_hexdigest(np.ascontiguousarray(tensor))
        assert found == manifest["hashes"][name], name
    print(f"{len(tensors)} tensors, all hashes right")


if __name__ == "__main__":
    main(sys.argv[1])
