"""The storm in Zarr stores of xarray's and zarr's is the same data.

usage: zarr_stores.py WEATHER_LOSS
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

SKIPPED = 77

try:
    import numpy as np
    import storm_files
    import xarray as xr
    import zarr
    from zarr import codecs
except ImportError as error:
    print(f"skipped: {error}; see tests/python/requirements.txt")
    sys.exit(SKIPPED)
warnings.filterwarnings("ignore")

FILES = {"p": "P", "t": "T", "u": "U", "v": "V", "u500": "U500",
         "v500": "V500"}
UNITS = {"p": "Pa", "t": "K"}
DIMS = ("time", "lat", "lon")


def storm() -> xr.Dataset:
    data = {}
    for name, file in FILES.items():
        values, lat, lon = storm_files.read(file)
        values = np.where(values == -9999, np.nan, values).astype("f4")
        data[name] = (DIMS, values, {"units": UNITS.get(name, "m/s")})
    time = np.datetime64("1996-01-05T00", "ns") + np.arange(
        64) * np.timedelta64(6, "h")
    return xr.Dataset(data, {
        "time": time,
        "lat": ("lat", lat, {"units": "degrees_north"}),
        "lon": ("lon", lon, {"units": "degrees_east"})})


def all_of(**encoding):
    return {name: dict(encoding) for name in FILES}


CHUNKS = (10, 33, 20)
BLOSC = {"cname": "zstd", "clevel": 3}
SHARD = dict(shards=(16, 33, 36), chunks=(4, 11, 18))
STORES = {
    "v2_default": (2, all_of()),
    "v2_plain": (2, all_of(compressors=None, chunks=CHUNKS)),
    "v2_zlib": (2, lambda n: all_of(compressors=n.Zlib(5), chunks=CHUNKS)),
    "v2_gzip": (2, lambda n: all_of(compressors=n.GZip(2), chunks=CHUNKS)),
    "v2_zstd": (2, lambda n: all_of(compressors=n.Zstd(3), chunks=CHUNKS)),
    "v2_blosc_lz4": (2, lambda n: all_of(
        compressors=n.Blosc("lz4", 5, n.Blosc.BITSHUFFLE), chunks=CHUNKS)),
    "v2_big_endian": (2, all_of(dtype=">f4", chunks=CHUNKS)),
    "v3_default": (3, all_of()),
    "v3_plain": (3, all_of(compressors=None, chunks=CHUNKS)),
    "v3_gzip": (3, all_of(compressors=codecs.GzipCodec(), chunks=CHUNKS)),
    "v3_blosc": (3, all_of(compressors=codecs.BloscCodec(
        cname="zstd", shuffle="shuffle"), chunks=CHUNKS)),
    "v3_zstd_checked": (3, all_of(compressors=(
        codecs.ZstdCodec(), codecs.Crc32cCodec()), chunks=CHUNKS)),
    "v3_shards": (3, all_of(**SHARD)),
    "v3_shards_zstd": (3, all_of(compressors=codecs.ZstdCodec(), **SHARD)),
}
REFUSED = {
    "v2_lz4": (2, lambda n: all_of(compressors=n.LZ4())),
    "v2_bz2": (2, lambda n: all_of(compressors=n.BZ2())),
    "v2_filter": (2, lambda n: all_of(filters=[n.Shuffle(4)])),
}


def config(folder, name):
    text = (f'files = "{name}.zarr"\n[periods]\n'
            'train = ["1996-01-05", "1996-01-16T18"]\n'
            'test = ["1996-01-17", "1996-01-20T18"]\n')
    for channel in FILES:
        text += f'[[channel]]\nname = "{channel}"\n'
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def run(weather_loss, data, out):
    done = subprocess.run(
        [weather_loss, "--data", str(data), "--steps", "1", "--out", str(out)],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr
    return json.loads((out / "run.json").read_text())["data"]["hash"]


def fortran_order(folder, data):
    """zarr itself, with the first axis fastest."""
    group = zarr.open_group(folder / "v2_fortran.zarr", mode="w",
                            zarr_format=2)
    for name, var in {**data.data_vars, **data.coords}.items():
        values = var.values
        if name == "time":
            values = (np.arange(64) * 6).astype("i4")
        array = group.create_array(
            name, shape=values.shape, dtype=values.dtype, order="F",
            fill_value=None if values.ndim == 1 else float("nan"))
        array[...] = values
        array.attrs.update({"_ARRAY_DIMENSIONS": list(var.dims), **var.attrs})
        if name == "time":
            array.attrs["units"] = "hours since 1996-01-05"


def main(weather_loss: str) -> None:
    import numcodecs
    data = storm()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = run(weather_loss, storm_files.FOLDER, folder / "truth")
        fortran_order(folder, data)
        names = ["v2_fortran"]
        for title, (version, encoding) in {**STORES, **REFUSED}.items():
            if callable(encoding):
                encoding = encoding(numcodecs)
            data.to_zarr(folder / f"{title}.zarr", zarr_format=version,
                         encoding=encoding, consolidated=False)
            names.append(title)
        for title in names:
            got = run(weather_loss, config(folder, title),
                      folder / f"run_{title}")
            if title in REFUSED:
                assert "which is not read" in got or "are read" in got, got
            else:
                assert got == truth, f"{title}: {got}"
    print(f"{len(names)} stores: the same data, or an error")


if __name__ == "__main__":
    main(sys.argv[1])
