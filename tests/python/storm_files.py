"""The storm's fields as its files have them, for scripts that write them anew."""

import pathlib
import sys

import netCDF4

SKIPPED = 77
# The variable in each file.
VARIABLES = {"P": "p", "T": "t", "U": "u", "V": "v", "U500": "u", "V500": "v"}
FOLDER = pathlib.Path("/usr/share/ncarg/data/cdf")

if not FOLDER.is_dir():
    print(f"skipped: no {FOLDER}; install libncarg-data")
    sys.exit(SKIPPED)


def read(key):
    """Gives the values, -9999 where missing, the latitudes and longitudes."""
    with netCDF4.Dataset(FOLDER / f"{key}storm.cdf") as source:
        source.set_auto_mask(False)
        return (source[VARIABLES[key]][:], source["lat"][:].copy(),
                source["lon"][:].copy())
