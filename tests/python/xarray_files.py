"""weather_loss trains on files of xarray's, and xarray reads its forecasts.

usage: xarray_files.py WEATHER_LOSS
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

try:
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error}; see tests/python/requirements.txt")
    sys.exit(SKIPPED)

CONFIG = """
files = "surface_*.nc"
[periods]
train = ["2001-02-01T00", "2001-02-20T12"]
test = ["2001-02-21T00", "2001-03-02T12"]
[[channel]]
name = "p"
variable = "msl"
[[channel]]
name = "t"
variable = "t2m"
[[channel]]
name = "u"
variable = "u10"
[[channel]]
name = "v"
variable = "u10"
[[channel]]
name = "u500"
variable = "ua"
files = "levels.nc"
level = 500
[[channel]]
name = "v500"
variable = "ua"
files = "levels.nc"
level = 850
"""
TIMES = 60


def smooth(mean, size, phase):
    """Waves on (time, latitude, longitude)."""
    t = np.arange(TIMES)[:, None, None]
    y = np.deg2rad(np.linspace(60, -60, 13))[:, None]
    x = np.deg2rad(np.arange(0, 360, 20.0))
    return mean + size * np.sin(3 * x + phase - 0.3 * t) * np.cos(y)


def write_input(folder: pathlib.Path) -> xr.Dataset:
    dims = ["valid_time", "latitude", "longitude"]
    time = np.datetime64("2001-02-01T00", "ns") + np.arange(
        TIMES) * np.timedelta64(12, "h")
    coords = {
        "valid_time": time,
        "latitude": ("latitude", np.linspace(60, -60, 13),
                     {"units": "degrees_north"}),
        "longitude": ("longitude", np.arange(0, 360, 20.0),
                      {"units": "degrees_east"}),
    }
    surface = xr.Dataset(
        {"msl": (dims, smooth(1005, 25, 0), {"units": "hPa"}),
         "t2m": (dims, smooth(10, 15, 1), {"units": "degC"}),
         "u10": (dims, smooth(0, 30, 2), {"units": "knots"})}, coords)
    packed = {"dtype": "int16", "scale_factor": 0.002, "add_offset": 10.0,
              "_FillValue": -32768}
    surface.isel(valid_time=slice(0, 30)).to_netcdf(
        folder / "surface_a.nc",
        encoding={"t2m": packed,
                  "valid_time": {"units": "minutes since 1990-01-01"}})
    surface.isel(valid_time=slice(30, None)).to_netcdf(
        folder / "surface_b.nc", encoding={"msl": {"zlib": True}})
    level = xr.DataArray([850.0, 500.0], dims="plev",
                         attrs={"units": "hPa", "positive": "down"})
    winds = np.stack([smooth(5, 15, 3), smooth(9, 20, 4)], 1)
    xr.Dataset({"ua": (["valid_time", "plev", "latitude", "longitude"], winds,
                       {"units": "m s**-1"})},
               {**coords, "plev": level}).to_netcdf(folder / "levels.nc")
    (folder / "era.toml").write_text(CONFIG)
    return surface


def main(weather_loss: str) -> None:
    assert len(CONFIG.strip().splitlines()) <= 30
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        surface = write_input(folder)
        subprocess.run(
            [weather_loss, "--data", str(folder / "era.toml"), "--steps", "40",
             "--out", str(folder / "run"),
             "--forecasts", str(folder / "forecasts.nc")],
            check=True, stdout=subprocess.DEVNULL)
        run = json.loads((folder / "run/run.json").read_text())
        with xr.open_dataset(folder / "forecasts.nc") as opened:
            forecasts = opened.load()

    statistics = run["statistics"]["channels"]
    kelvin = surface.t2m.isel(valid_time=slice(0, 40)) + 273.15
    assert abs(statistics["t"]["mean"] - float(kelvin.mean())) < 1e-2
    assert run["data"]["step_hours"] == 12, run["data"]

    assert forecasts.p.dims == ("time", "lat", "lon"), forecasts.p.dims
    assert forecasts.p.attrs["units"] == "Pa"
    assert forecasts.t.attrs["standard_name"] == "air_temperature"
    assert forecasts.attrs["data_hash"] == run["data"]["hash"]
    valid, start = forecasts.time, forecasts.forecast_reference_time
    assert str(start.values[0]).startswith("2001-02-21T00"), start.values[0]
    assert ((valid - start) == np.timedelta64(12, "h")).all()
    lead = forecasts.lead_time.values
    if lead.dtype.kind == "m":  # xarray takes a time span for one
        lead = lead / np.timedelta64(1, "h")
    assert float(lead) == 12
    # South to north, and near the truth, which only the right cells are.
    assert (np.diff(forecasts.lat) > 0).all()
    truth = surface.msl.sel(valid_time=valid.values).sortby("latitude") * 100
    error = np.abs(forecasts.p.values - truth.values).mean()
    spread = float(truth.std())
    assert np.isfinite(forecasts.p.values).all() and error < spread / 2, error
    print(f"{len(valid)} forecasts, mean error {error:.0f} Pa of {spread:.0f}")


if __name__ == "__main__":
    main(sys.argv[1])
