"""Which drives have firmware as an image of a target core (docs/firmware.md), where the simulator was built and its images are."""

import random

from twinplane.soak.blocks import RTL

CHANCE = 0.03  # an image takes some twenty times as long as the program's own code
STATES = ("arm", "thumb")
# DRAM beyond its addresses; cores so slow that their watchdog takes them for endless loops.
BEYOND = {"dram.size": ("5GiB", "64GiB"), "cpu.clock": ("1MHz",),
          **{f"cpu.cpi.{kind}": ("1000",) for kind in ("base", "load_store", "branch", "multiply")}}
MOST_REQUESTS = 1500


def compose(seed, index, settings, lines, library):
    """"arm", "thumb", or "", and the trace. It may take settings and requests away."""
    draw = random.Random(f"{seed}:{index}:image")
    if draw.random() >= CHANCE or library == RTL or float(settings.get("host.drive_writes", 0)) != 0:
        return "", lines
    for key, values in BEYOND.items():
        if settings.get(key) in values:
            del settings[key]
    settings.pop("run.check_turns", None)  # the program cannot look into an image
    if draw.random() < 0.5:
        settings["report.profile"] = "true"
    if "workload.number_ios" in settings:
        settings["workload.number_ios"] = str(min(MOST_REQUESTS, int(settings["workload.number_ios"])))
    return draw.choice(STATES), None if lines is None else lines[:MOST_REQUESTS]  # the file for "cpu.firmware" is the runner's


def image_of(folder, state):
    """The image below `folder`, which has one per state; None: the drive runs the program's own code instead."""
    found = sorted(folder.glob(f"*{state}/twinplane-cortex-r5.elf")) if folder and state else []
    return found[0] if found else None
