"""The storm's files, encoded in many ways, are the same data or an error.

usage: storm_encodings.py WEATHER_LOSS

Of each encoding: "same" hash of the data, the same "to rounding", or a clear
"error" that names the file. None may give other numbers in silence.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

try:
    import netCDF4
    import numpy as np
    import storm_files
    from storm_files import VARIABLES
except ImportError as error:
    print(f"skipped: {error}; see tests/python/requirements.txt")
    sys.exit(SKIPPED)

UNITS = {k: {"P": "Pa", "T": "K"}.get(k, "m/s") for k in VARIABLES}
HOURS = np.arange(64) * 6.0
SHUFFLED = np.random.RandomState(0).permutation(64)
DATA = {}
for key in VARIABLES:
    values, LAT, LON = storm_files.read(key)
    DATA[key] = values.astype("f8")
VALID = {k: x[x != -9999] for k, x in DATA.items()}
SCALE = {k: float(x.max() - x.min()) / 60000 for k, x in VALID.items()}
MIDDLE = {k: float(x.max() + x.min()) / 2 for k, x in VALID.items()}
LOWEST = {k: float(x.min()) for k, x in VALID.items()}


def packed(scale, offset):
    return lambda k, x: np.rint((x - offset[k]) / scale[k])


def to_signed(x):
    return np.where(x > 32767, x - 65536, x)


def write(folder, format="NETCDF4", encode=lambda k, x: x, type="f4",
          fill=-9999.0, declare=True, units=UNITS, attributes=lambda k: {},
          time=HOURS, time_units="hours since 1996-01-05 00:00", time_type="f8",
          calendar=None, lat=LAT, lon=LON, place_type="f4",
          dims=("time", "lat", "lon"), order=lambda x: x, **storage):
    for k, name in VARIABLES.items():
        values = np.array(encode(k, DATA[k]))
        values[DATA[k] == -9999] = fill
        values = order(values)
        with netCDF4.Dataset(folder / f"{k}storm.cdf", "w",
                             format=format) as out:
            coordinates = {"time": time, "lat": lat, "lon": lon}
            sizes = {**{d: len(x) for d, x in coordinates.items()}, "level": 1}
            for dim in dims:
                out.createDimension(dim, sizes[dim])
            plain = [d for d in dims if d != "level"]
            values = values.transpose(
                [("time", "lat", "lon").index(d) for d in plain])
            var = out.createVariable(
                name, type, dims,
                fill_value=np.array(fill).astype(type) if declare else None,
                **storage)
            var.set_auto_maskandscale(False)
            if units:
                var.units = units[k]
            for attribute, value in attributes(k).items():
                var.setncattr(attribute, value)
            var[:] = values.reshape([sizes[d] for d in dims]).astype(type)
            for dim, x in coordinates.items():
                of_dim = out.createVariable(
                    dim, time_type if dim == "time" else place_type, (dim,))
                of_dim.units = {"time": time_units, "lat": "degrees_north",
                                "lon": "degrees_east"}[dim]
                if dim == "time" and calendar:
                    of_dim.calendar = calendar
                of_dim[:] = x


def other_units(key, unit):
    return {**UNITS, **{k: unit for k in VARIABLES if k[0] in key}}


def only(keys, change):
    return lambda k, x: change(x) if k[0] in keys else x.copy()


SHORTS = dict(type="i2", fill=-32768, encode=packed(SCALE, MIDDLE),
              attributes=lambda k: {"scale_factor": SCALE[k],
                                    "add_offset": MIDDLE[k]})
ENCODINGS = {
    "same": {
        "netcdf4": {}, "classic": dict(format="NETCDF3_CLASSIC"),
        "offset64": dict(format="NETCDF3_64BIT_OFFSET"),
        "cdf5": dict(format="NETCDF3_64BIT_DATA"),
        "chunked": dict(zlib=True, chunksizes=(5, 11, 9)),
        "shuffled_fletcher": dict(zlib=True, shuffle=True, fletcher32=True),
        "big_endian": dict(type=">f4", endian="big"), "f64": dict(type="f8"),
        "coordinates_f64": dict(place_type="f8"), "no_units": dict(units=None),
        "unit_names": dict(units={k: {"P": "pascal", "T": "kelvin"}.get(
            k, "m s**-1") for k in VARIABLES}),
        "days": dict(time_units="days since 1996-01-05", time=HOURS / 24),
        "minutes": dict(time_units="minutes since 1996-01-05",
                        time=HOURS * 60, time_type="i4"),
        "seconds": dict(time_units="seconds since 1970-01-01T00:00:00Z",
                        time=820800000 + HOURS * 3600, time_type="i8"),
        "zone": dict(time_units="hours since 1996-01-05 01:00:00 +1:00"),
        "since_1900": dict(time_units="hours since 1900-01-01 00:00:0.0",
                           time=841608 + HOURS, calendar="gregorian"),
        "noleap": dict(calendar="noleap"), "360_day": dict(calendar="360_day"),
        "f32_time": dict(time_type="f4"),
        "north_first": dict(lat=LAT[::-1], order=lambda x: x[:, ::-1]),
        "lon_360": dict(lon=LON + 360),
        "lon_rolled": dict(lon=np.roll(LON + 360, 7),
                           order=lambda x: np.roll(x, 7, axis=2)),
        "turned": dict(dims=("lon", "lat", "time")),
        "turned_places": dict(dims=("time", "lon", "lat")),
        "one_level": dict(dims=("time", "level", "lat", "lon")),
        "backwards": dict(time=HOURS[::-1], order=lambda x: x[::-1]),
        "times_shuffled": dict(time=HOURS[SHUFFLED],
                               order=lambda x: x[SHUFFLED]),
        "nan": dict(fill=np.nan), "nan_undeclared": dict(fill=np.nan,
                                                         declare=False),
        "missing_value": dict(fill=1e20, declare=False, attributes=lambda k: {
            "missing_value": np.float32(1e20)}),
        "valid_range": dict(declare=False, attributes=lambda k: {
            "valid_range": np.array([VALID[k].min(), VALID[k].max()], "f4")}),
        "valid_min": dict(declare=False, attributes=lambda k: {
            "valid_min": np.float64(LOWEST[k])}),
    },
    "rounding": {
        "knots": dict(units=other_units("UV", "knots"), encode=only(
            "UV", lambda x: x * 3600 / 1852)),
        "km_h": dict(units=other_units("UV", "km/h"),
                     encode=only("UV", lambda x: x * 3.6)),
        "hPa": dict(units=other_units("P", "hPa"),
                    encode=only("P", lambda x: x / 100)),
        "degC": dict(units=other_units("T", "degC"),
                     encode=only("T", lambda x: x - 273.15)),
        "degF": dict(units=other_units("T", "degF"),
                     encode=only("T", lambda x: x * 1.8 - 459.67)),
        "shorts": SHORTS, "shorts_big_endian": {**SHORTS, "type": ">i2",
                                                "endian": "big"},
        "unsigned": dict(
            type="i2", fill=-1, format="NETCDF3_CLASSIC",
            encode=lambda k, x: to_signed(packed(SCALE, LOWEST)(k, x)),
            attributes=lambda k: {"_Unsigned": "true",
                                  "scale_factor": SCALE[k],
                                  "add_offset": LOWEST[k]}),
    },
    "error": {
        "coulomb": dict(units=other_units("T", "C")),
        "millibarn": dict(units=other_units("P", "mb")),
        "wrong_unit": dict(units=other_units("U", "K")),
        "text_scale": dict(attributes=lambda k: {"scale_factor": "1"}),
        "text_missing": dict(attributes=lambda k: {"missing_value": "-9999"}),
        "wrong_case": dict(attributes=lambda k: {"Scale_Factor": 2.0}),
        "no_range": dict(attributes=lambda k: {
            "valid_range": np.array([5, 1], "f4")}),
        "undeclared_fill": dict(declare=False),
        "months": dict(time_units="months since 1996-01-05"),
        "no_reference": dict(time_units="hours"),
        "no_calendar": dict(calendar="martian"),
        "time_twice": dict(time=np.r_[HOURS[:63], HOURS[62]]),
        "gap": dict(time=np.r_[HOURS[:60], HOURS[60:] + 6]),
    },
}


def run(weather_loss, data, out):
    done = subprocess.run(
        [weather_loss, "--data", str(data), "--steps", "1", "--out", str(out)],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        assert done.returncode == 3 and str(data) in done.stderr, done.stderr
        return None
    return json.loads((out / "run.json").read_text())


def near(a, b):
    """The same statistics, but for what two bytes lose."""
    return all(
        abs(x[key] - b[name][key]) <= 1e-4 * (x["max"] - x["min"])
        for name, x in a.items() for key in ("mean", "std", "min", "max")
    ) and all(x["count"] == b[name]["count"] for name, x in a.items())


def main(weather_loss: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = run(weather_loss, storm_files.FOLDER, folder / "truth")
        count = 0
        for wanted, encodings in ENCODINGS.items():
            for title, how in encodings.items():
                data = folder / title
                data.mkdir()
                write(data, **how)
                got = run(weather_loss, data, folder / f"run_{title}")
                count += 1
                if wanted == "error":
                    assert got is None, f"{title} was accepted"
                    continue
                assert got is not None, f"{title} was refused"
                same = got["data"]["hash"] == truth["data"]["hash"]
                assert same or wanted == "rounding", f"{title}: other data"
                assert near(got["statistics"]["channels"],
                            truth["statistics"]["channels"]), title
                assert got["data"]["step_hours"] == 6, title
    print(f"{count} encodings: the same, to rounding, or an error")


if __name__ == "__main__":
    main(sys.argv[1])
