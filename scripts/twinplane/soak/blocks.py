"""Which blocks of another author stand in the drive: those of the examples, where they can do what the drive asks of them."""

import random

from twinplane.soak.drive import by_unit, bytes_of, protects_lower_pages

CHANCE = 0.15
# Keys that ask for what examples/ispp_package leaves out (its header says so). It keeps its own times, which the monitor
# does not know, and its cells neither fail nor wear.
BEYOND_ISPP = ("nand.suspend", "controller.cache_reads", "controller.cache_programs", "controller.read_retries",
               "nand.independent_plane_reads", "bus.monitor", "nand.factory_bad", "nand.fail.program", "nand.fail.erase",
               "nand.fail.read", "nand.endurance", "nand.one_pass", "nand.wordline_buffer", "ftl.copyback", "ftl.copyback_limit")


# The Verilog controller is a program of its own, where Verilator was found. A byte on its wires takes a microsecond of the
# host's time: few drives, small pages, few operations.
RTL = "rtl_controller"
RTL_CHANCE = 0.5  # of drives that could have it
RTL_OPERATIONS = 200
BEYOND_RTL = ("nand.suspend", "controller.cache_reads", "controller.cache_programs", "controller.read_retries",
              "nand.independent_plane_reads", "nand.fail.read", "nand.endurance", "nand.one_pass", "ftl.copyback", "ftl.copyback_limit",
              "controller.ecc.parity_on_bus", "host.drive_writes", "workload.ramp_ios",
              "energy.peak_limit")  # it does not ask for current


def compose(seed, index, registry, settings):
    """The name of an example, or "". It may take settings away."""
    draw = random.Random(f"{seed}:{index}:blocks")
    if draw.random() >= CHANCE:
        return ""
    values = registry.resolve(settings)
    if _plain(values, registry) and _rtl_can_drive(values) and draw.random() < RTL_CHANCE:
        return _rtl(draw, settings)
    name = draw.choice(("ispp_package", "shared_ecc", "banked_dram"))
    if name == "ispp_package" and not _plain(values, registry):
        return "shared_ecc"
    if name == "ispp_package":
        for key in BEYOND_ISPP:
            settings.pop(key, None)
    return name


def most_operations(name):
    """Of pages, in a run; None: as many as ever."""
    return RTL_OPERATIONS if name == RTL else None


def _plain(values, registry):
    """Pages of native blocks, moved over the bus, and no bits counted by read level."""
    plain = ("ftl.slc_mode", "ftl.regions", "nand.errors.reading")
    return all(values[key] == registry.defaults[key] for key in plain if key in values)


def _rtl_can_drive(values):
    chips = int(values["geometry.chips_per_channel"])
    dies = chips * int(values["geometry.dies_per_chip"])
    small = bytes_of(values["geometry.page_size"]) <= 4096 and bytes_of(values["geometry.spare_size"]) >= 8
    page_by_page = {**values, "nand.one_pass": "false"}
    copies = values["ftl.lower_pages"] == "backup" and protects_lower_pages(page_by_page)  # into blocks in SLC mode
    words = by_unit(values)  # of each unit beside a page
    return chips <= 4 and dies <= 8 and small and not copies and not words


def _rtl(draw, settings):
    kept = ("bus.monitor", "bus.arbitration", "bus.age_limit")
    for key in [k for k in settings if k in BEYOND_RTL or (k.startswith("bus.") and k not in kept)]:
        del settings[key]
    settings.update({"bus.interface": "sdr", "bus.mode": draw.choice(("4", "5")), "bus.spare_area": "false"})
    settings.pop("nand.tDBSY", None)  # its timer of 16 bits counts up to half a millisecond
    return RTL
