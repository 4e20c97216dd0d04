"""When the supply of a drive fails, in the drives whose firmware keeps its promise then (docs/power_loss.md)."""

import random

from twinplane.soak.blocks import RTL
from twinplane.soak.drive import bytes_of, pages_in_all

CHANCE = 0.3
CUTS = (1, 1, 2, 3, 5, 12)
MOST_READ = 4 << 30  # behind all of them: some 30 seconds


def compose(seed, index, registry, settings, trace, library):
    """What --power-cut says, or "". It may change settings."""
    draw = random.Random(f"{seed}:{index}:power")
    if draw.random() >= CHANCE or not _recovers(registry.resolve(settings), library):
        return ""
    _limit(settings, registry.resolve(settings), trace)
    most = max(1, MOST_READ // _bytes_read(registry.resolve(settings)))
    return f"random:{min(most, draw.choice(CUTS if library != RTL else (1, 2)))}"


def _bytes_read(values):
    """Behind each cut the whole drive is read and compared: its data, or 16 bytes for each sector."""
    page, sector = (bytes_of(values[f"geometry.{size}_size"]) for size in ("page", "sector"))
    return pages_in_all(values) * (page if values["data.mode"] == "full" else page // sector * 16)


def _limit(settings, values, trace):
    """Random cuts are drawn from the number of requests: where it is not known beforehand the workload gets one."""
    if values["host.max_requests"] != "0":
        return
    lines = len(trace) if trace is not None else int(values["workload.number_ios"])
    if float(values["host.drive_writes"]) != 0:
        settings["host.max_requests"] = str(4 * lines)
    elif trace is None and values["workload.fsync"] != "0":
        settings["host.max_requests"] = str(lines)


def _recovers(values, library):
    """Words in the cells tell everything that this drive would have to know."""
    if library == "ispp_package" or values["data.mode"] == "none":
        return False
    if values["nand.fail.program"] == "100%":  # nothing can be told by pages that all fail
        return False
    # that controller does not store which sectors are lost
    return library != RTL or (values["nand.errors.reading"] == "off" and values["nand.fail.read"] in ("0", "0%"))
