"""When the supply of a drive fails, in the drives whose firmware keeps its promise then (docs/power_loss.md)."""

import random

from twinplane_soak.blocks import RTL
from twinplane_soak.drive import CACHES, endangers_pages, protects_lower_pages

CHANCE = 0.3
LOW_ENDURANCE = 100
CUTS = (1, 1, 2, 3, 5, 12)


def compose(seed, index, registry, settings, trace, library):
    """What --power-cut says, or "". It may take settings away."""
    draw = random.Random(f"{seed}:{index}:power")
    if draw.random() >= CHANCE or not _recovers(registry.resolve(settings), trace, library):
        return ""
    one_bit = settings["nand.cell"] == "slc" or settings.get("ftl.slc_mode") == "true"
    values = registry.resolve(settings)
    cache = values["ftl.regions"] in CACHES
    safe = not endangers_pages(values) if cache else one_bit or protects_lower_pages(values)
    if settings.get("power.hold_up") == "0" and not safe:
        del settings["power.hold_up"]  # nothing else saves lower pages
    return f"random:{draw.choice(CUTS if library != RTL else (1, 2))}"


def _recovers(values, trace, library):
    """Words in the cells tell everything that this drive would have to know."""
    if values["ftl.regions"] in ("mga", "ipu") and values["nand.fail.program"] not in ("0", "0%"):  # pages hold parts that fail with later ones
        return False
    if library == "ispp_package" or values["data.mode"] == "none":
        return False
    if library == RTL and (values["nand.errors.reading"] != "off" or values["nand.fail.read"] not in ("0", "0%")):
        return False  # that controller does not store which sectors are lost
    if values["nand.fail.program"] in ("10%", "100%"):  # pages are lost for good, which words do not tell
        return False
    if int(values["nand.endurance"]) <= LOW_ENDURANCE or float(values["host.drive_writes"]) != 0:
        return False
    if trace is not None:
        return True
    return values["workload.fsync"] == "0"
