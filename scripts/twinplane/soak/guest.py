"""Drives behind a socket: `twinplane serve`, and a client that plays the guest. One client puts a verified load on the drive, the
other the rules of the conformance suite, with all commands that the load does not send; it needs a build with tests."""

import random

from twinplane.soak.drive import bytes_of, capacity_pages

CHANCE = 0.3
LOAD, RULES = "load", "rules"
CLIENT = "tests/nvme/nvme_conformance_client"  # below the build
LEAST_BYTES = 128 << 10  # of a smaller drive a request of the load could be larger than the drive
LEAST_SECTORS = 4096  # of a smaller drive the rules' writes would meet
SLOW = ("host.", "bus.", "nand.t", "cpu.", "pcie.")  # keys that make the rules' patience end, or take away what their host wants


FEWEST_TURNS = 200  # of the firmware between two looks at all tables: a guest waits meanwhile


def compose(seed, index, registry, settings, library, cut):
    """Who the guest is, or "". It may take settings away."""
    draw = random.Random(f"{seed}:{index}:guest")
    if draw.random() >= CHANCE or library or cut or _fails(registry.resolve(settings)):
        return ""
    drive = registry.resolve(settings)
    if capacity_pages(drive) * bytes_of(drive["geometry.page_size"]) < LEAST_BYTES:
        return ""
    for key in ("cpu.run_ahead", "host.rounds", "host.drive_writes", "host.max_requests", "precondition.mode", "nand.endurance"):
        settings.pop(key, None)
    settings["data.mode"] = "full"
    who = draw.choice((LOAD, RULES))
    values = registry.resolve(settings)
    sectors = capacity_pages(values) * bytes_of(values["geometry.page_size"]) // bytes_of(values["geometry.sector_size"])
    if who == LOAD or sectors < LEAST_SECTORS:
        settings["host.max_transfer"] = "128KiB"
        who = LOAD
    else:
        for key in [key for key in settings if key.startswith(SLOW) or key == "ftl.copyback"]:
            del settings[key]
    if drive["bus.ready"] == "poll":
        settings["bus.poll_interval"] = "20us"  # thousands of polls for each read of slow cells take longer than a guest waits
    if int(settings.get("run.check_turns", "0")) > 0:
        settings["run.check_turns"] = str(max(FEWEST_TURNS, int(settings["run.check_turns"])))
    settings["host.shadow_doorbells"] = draw.choice(("true", "false"))
    if who == LOAD:
        return LOAD
    if draw.random() < 0.5:
        settings.setdefault("ftl.checkpoint_interval", str(draw.choice((50, 1000, 20000))))  # so it sanitizes
    return who


def _fails(values):
    """Commands may fail for the flash's sake: then a guest has nothing to hold the answers against."""
    failing = any(values[f"nand.fail.{what}"] not in ("0", "0%") for what in ("program", "erase", "read"))
    return failing or values["nand.errors.reading"] != "off"


def load_words(seed_text, settings):
    """What follows `twinplane load`."""
    draw = random.Random(f"{seed_text}:load")
    chosen = {"workload.rw": draw.choice(("randrw", "randwrite", "rw", "write", "randrw")),
              "workload.bs": draw.choice(("4KiB", "16KiB", "64KiB")), "workload.number_ios": str(draw.randint(300, 3000)),
              "workload.rwmixread": str(draw.choice((10, 50, 80))), "workload.seed": str(draw.randint(1, 9999)),
              "host.iodepth": str(draw.choice((1, 4, 32))), "host.queues": settings.get("host.queues", "1")}
    if "rw" == chosen["workload.rw"][-2:] and draw.random() < 0.5:
        chosen["workload.rwmixtrim"] = "10"
    if draw.random() < 0.4:
        chosen["workload.fsync"] = str(draw.choice((1, 20)))
    words = ["--verify", "--wait", "60"]
    for key, value in chosen.items():
        words += ["--set", f"{key}={value}"]
    return words
