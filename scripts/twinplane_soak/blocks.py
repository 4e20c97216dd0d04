"""Which blocks of somebody else stand in the drive: those of the examples, where they can do what the drive asks of them."""

import random

CHANCE = 0.15
# Keys that ask for what examples/ispp_package leaves out (its header says so). It keeps its own times, which the monitor
# does not know, and its cells neither fail nor wear.
BEYOND_ISPP = ("nand.suspend", "controller.cache_reads", "controller.cache_programs", "controller.read_retries",
               "nand.independent_plane_reads", "bus.monitor", "nand.factory_bad", "nand.fail.program", "nand.fail.erase",
               "nand.fail.read", "nand.endurance", "nand.wordline_buffer", "ftl.copyback", "ftl.copyback_limit")


def compose(seed, index, registry, settings):
    """The name of an example, or "". It may take settings away."""
    draw = random.Random(f"{seed}:{index}:blocks")
    if draw.random() >= CHANCE:
        return ""
    name = draw.choice(("ispp_package", "shared_ecc"))
    if name == "ispp_package" and not _ispp_can_do(registry.resolve(settings), registry):
        return "shared_ecc"
    if name == "ispp_package":
        for key in BEYOND_ISPP:
            settings.pop(key, None)
    return name


def _ispp_can_do(values, registry):
    """Pages of native blocks, moved over the bus, and no bits counted by read level."""
    plain = ("ftl.slc_mode", "ftl.regions", "nand.errors.reading")
    return all(values[key] == registry.defaults[key] for key in plain if key in values)
