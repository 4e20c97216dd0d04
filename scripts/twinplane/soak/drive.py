"""Composes a drive: each key from its domain, and then what the documentation says must fit together."""

import math
import random as randomness

from twinplane.soak.domains import DOMAINS, Domain

BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
MOST_SECTORS = 32  # of a page
DMA_DESCRIPTOR = 32  # bytes, in the ring of the transfers that a command can need
MOST_RINGS = 64 << 20
COLUMN_SPACE = 65536  # bytes of page and spare together
LIFE = 30_000  # programs that a drive with low endurance lasts: a run can use them up


def stream(seed, index, purpose):
    """Its own random numbers for each purpose, so that a new key leaves the draws of the others as they are."""
    return randomness.Random(f"{seed}:{index}:{purpose}")


def logarithmic(random, low, high):
    return min(high, int(math.exp(random.uniform(math.log(low), math.log(high + 1)))))


def weighted(random, choices):
    """A key of {value: weight}."""
    return random.choices(list(choices), weights=list(choices.values()))[0]


def compose(seed, index, registry):
    """{key: value} of a drive that the program should accept."""
    random = stream(seed, index, "drive")
    settings = _geometry(random)
    for key, domain in DOMAINS.items():
        if not isinstance(domain, Domain) or key not in registry.defaults:
            continue
        own = stream(seed, index, key)
        if own.random() < domain.chance:
            settings[key] = domain.draw(own, registry.words.get(key, ()))
    _read_levels(settings, registry)
    _codewords(settings, registry)
    _bus(random, settings, registry)
    _write_buffer(random, settings)
    _precondition(random, settings)
    _policy(settings, registry)
    _regions(settings, registry)
    _slc_cache(settings, registry)
    _one_pass(stream(seed, index, "one_pass"), settings, registry)
    _copyback(settings, registry)
    _map_unit(stream(seed, index, "map_unit"), settings, registry)
    _checkpoints(settings, registry)
    _lower_pages(settings, registry)
    _space(random, settings, registry)
    _threshold(settings, registry)
    _life(stream(seed, index, "life"), settings, registry)
    _waves(settings)
    _memory(settings, registry)
    _peak_limit(settings, registry)
    return {key: value for key, value in settings.items() if key in registry.defaults}


def _read_levels(settings, registry):
    """A part has seven read levels for retries and soft decisions together."""
    soft = settings.get("controller.ecc.soft_senses", registry.defaults.get("controller.ecc.soft_senses", 0))
    if settings.get("controller.ecc.code") == "ldpc" and "controller.read_retries" in settings:
        settings["controller.read_retries"] = str(min(int(settings["controller.read_retries"]), 7 - int(soft)))


def _codewords(settings, registry):
    """A codeword is a page at most, and the parity of a page fits into its spare area when it takes time on the bus."""
    values = registry.resolve(settings)
    page, codeword = bytes_of(values["geometry.page_size"]), bytes_of(values["controller.ecc.codeword"])
    if codeword > page:
        codeword = page
        settings["controller.ecc.codeword"] = f"{page}B"
    spare = bytes_of(values["geometry.spare_size"]) // (page // codeword)
    if values["controller.ecc.parity_on_bus"] == "true" and int(values["controller.ecc.parity"]) > spare:
        settings["controller.ecc.parity"] = str(spare)


def pages_in_all(values):
    return math.prod(int(values["geometry." + k]) for k in (
        "channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block"))


def capacity_pages(values):
    """Pages the host sees, about: docs/configuration.md and derived.cpp say how."""
    raw = pages_in_all(values)
    if values["ftl.slc_mode"] == "true":
        raw //= BITS[values["nand.cell"]]
    blocks = int(values["geometry.blocks_per_plane"])
    if has_regions(values):  # as many blocks as may be hot hold half
        hot = min(blocks - 5, max(5, math.ceil(share_of(values["ftl.hot_share"]) * blocks) + 1))
        bits = BITS[values["nand.cell"]]
        if values["ftl.hot_share_of"] == "capacity":
            hot = min(blocks - 5, bits * hot)
        held = (blocks - 2 - (hot - 2) * (1 - 1 / bits) - 3) / blocks
        padding = padding_pages(values)
        if padding:
            held -= ((blocks - hot) * padding + 9 * padding + 4) / (int(values["geometry.pages_per_block"]) * blocks)
        return max(1, int(raw * min(max(held, 1 / blocks), 1 - share_of(values["ftl.over_provisioning"]))))
    if values["ftl.regions"] in CACHES:  # native blocks alone
        held = (blocks - cache_blocks(values, "least") - 3) / blocks
        if values["nand.one_pass"] == "true":
            held -= held * BITS[values["nand.cell"]] / int(values["geometry.pages_per_block"])
        elif values["slc_cache.eviction"] == "packed" or values["ftl.regions"] == "pslc":
            held -= held / int(values["geometry.pages_per_block"])
        return max(1, int(raw * min(max(held, 1 / blocks), 1 - share_of(values["ftl.over_provisioning"]))))
    reserved = min(blocks - 1, _reserved_blocks(values)) / blocks
    padding = padding_pages(values)
    if padding != 0:
        pages = int(values["geometry.pages_per_block"])
        held = (pages - padding) / pages
        reserved = min(1 - 1 / blocks, 1 - held * (1 - reserved) + (9 * padding + 4) / (pages * blocks))
    return max(1, int(raw * (1 - max(reserved, share_of(values["ftl.over_provisioning"])))))


def _reserved_blocks(values):
    """Of each plane, for the policy's own work: open ones of each page type or stream, and one to move to."""
    by_type = values["ftl.block_allocation"] in ("pa", "pa-twin")
    of_hot_data = 2 if values["ftl.host_streams"] == "2" else 0
    return BITS[values["nand.cell"]] + 2 if by_type else 3 + of_hot_data


def share_of(text):
    return float(text.rstrip("%")) / 100


def bytes_of(text):
    units = {"KiB": 1024, "MiB": 1 << 20, "GiB": 1 << 30, "B": 1}
    for unit, factor in units.items():
        if text.endswith(unit):
            return int(float(text[: -len(unit)]) * factor)
    return int(text)


def _geometry(random):
    cell = random.choice(list(BITS))
    sector = random.choice((512, 4096, 4096))
    pages = [p for p in (512, 1024, 2048, 4096, 4096, 8192, 16384, 16384, 32768, 65536)
             if sector <= p <= sector * MOST_SECTORS]
    page = random.choice(pages)
    spare = min(random.choice((448, 448, 64, 1024, 0)), COLUMN_SPACE - page)
    channels = weighted(random, {1: 6, 2: 3, 3: 2, 5: 1})
    chips = weighted(random, {1: 8, 2: 2, 3: 1})
    dies = weighted(random, {1: 6, 2: 3, 3: 1, 4: 1})
    planes = weighted(random, {1: 3, 2: 6, 3: 1, 4: 4, 6: 1, 8: 2})
    wanted = logarithmic(random, 60, 6000)  # pages in all, small enough to be written several times
    in_plane = max(20, wanted // (channels * chips * dies * planes))
    blocks = _blocks(random, in_plane)
    wordlines = max(-(-4 // BITS[cell]), in_plane // blocks // BITS[cell])
    if random.random() < 0.3:
        wordlines += wordlines % 2  # some orders of pages want an even number
    sectors = page // sector
    subpages = random.choice([s for s in (1, 1, 1, 2, 4, sectors) if sectors % s == 0])
    return {
        "nand.cell": cell,
        "geometry.channels": str(channels), "geometry.chips_per_channel": str(chips),
        "geometry.dies_per_chip": str(dies), "geometry.planes_per_die": str(planes),
        "geometry.blocks_per_plane": str(blocks), "geometry.pages_per_block": str(wordlines * BITS[cell]),
        "geometry.page_size": f"{page}B", "geometry.spare_size": f"{spare}B", "geometry.sector_size": f"{sector}B",
        "geometry.subpages_per_page": str(subpages),
    }


def _blocks(random, in_plane):
    """Many small blocks, few large ones, or as many as 1 % over-provisioning asks for."""
    if random.random() < 0.12:
        return random.randint(200, 260)
    return logarithmic(random, 5, max(6, min(100, in_plane // 4)))


def _bus(random, settings, registry):
    modes = registry.bus_modes.get(settings.get("bus.interface", registry.defaults["bus.interface"]), 0)
    if modes and random.random() < 0.3:
        settings["bus.mode"] = str(random.choice((0, modes - 1, random.randrange(modes))))


def _write_buffer(random, settings):
    """Buffered acknowledgement and a buffer of pages: each asks for the other."""
    if random.random() < 0.35:
        settings["ftl.write_ack"] = "buffered"
        settings["ftl.write_buffer"] = str(random.choice((1, 2, 3, 16, 32, 64, 256, logarithmic(random, 1, 512))))


def _precondition(random, settings):
    mode = settings.get("precondition.mode")
    if mode == "fill" and random.random() < 0.4:
        settings["precondition.overwrite"] = random.choice(("5%", "50%", "200%"))
    if mode == "aged" and settings.get("precondition.fill") == "100%":
        settings["precondition.fill"] = "99%"
    if mode is None:
        for key in ("precondition.fill", "precondition.valid"):
            settings.pop(key, None)


def _policy(settings, registry):
    """Decisions that exclude each other: the more specific one stays."""
    values = registry.resolve(settings)
    allocation = values["ftl.block_allocation"]
    if allocation in ("pa", "pa-twin"):
        settings["nand.program_order"] = "relaxed"
        for key in ("ftl.slc_mode", "nand.page_table"):
            settings.pop(key, None)
    if allocation != "conventional" or values["ftl.regions"] != "one":
        settings.pop("ftl.host_streams", None)
    elif values["ftl.host_streams"] == "2" and values["ftl.classifier"] == "none":
        settings["ftl.classifier"] = "hot_frequency"
    values = registry.resolve(settings)
    blocks = max(int(settings["geometry.blocks_per_plane"]), _reserved_blocks(values) + 1)
    settings["geometry.blocks_per_plane"] = str(blocks)
    if allocation != "conventional" or values["ftl.regions"] != "one":
        settings.pop("ftl.erase_unit", None)
    by_die = allocation in ("twin", "pa-twin") or settings.get("ftl.erase_unit", "block") != "block"
    if by_die and values["ftl.plane_allocation"] not in ("F", "D", "F2"):
        settings["ftl.plane_allocation"] = values["ftl.plane_allocation"].replace("P", "") or "F"
    cell, pages = settings["nand.cell"], int(settings["geometry.pages_per_block"])
    if settings.get("nand.page_table") == "even_odd" and (cell != "mlc" or pages % 4 or pages < 8):
        settings.pop("nand.page_table")
    if settings.get("nand.program_order") == "slc" and cell != "slc":
        settings.pop("nand.program_order")


CACHES = ("slc_cache", "mga", "ipu", "pslc")


def has_regions(values):
    """Hot blocks and cold ones."""
    return values["ftl.regions"] not in ("one", *CACHES)


def cache_blocks(values, bound="most"):
    """Blocks of a plane that are the cache's at most, or at least."""
    text = values[f"slc_cache.{bound}_share"]
    if share_of(text) == 0:
        text = values["slc_cache.share"]
    return max(2, math.floor(share_of(text) * int(values["geometry.blocks_per_plane"]) + 0.5))


def _slc_cache(settings, registry):
    """A cache wants cells of several bits, pages of several subpages, and native blocks beside it."""
    values = registry.resolve(settings)
    if values["ftl.regions"] not in CACHES:
        return
    for key in ("ftl.slc_mode", "ftl.block_allocation", "ftl.relocation", "ftl.classifier", "ftl.gc_threshold",
                "ftl.wear_gap"):
        settings.pop(key, None)
    if settings["nand.cell"] == "slc":
        settings["nand.cell"] = "mlc"
        settings["geometry.pages_per_block"] = str(2 * int(settings["geometry.pages_per_block"]))
        if settings.get("nand.program_order") == "slc":
            settings.pop("nand.program_order")
    sectors = bytes_of(settings["geometry.page_size"]) // bytes_of(settings["geometry.sector_size"])
    if sectors < 2:
        sectors = 4
        settings["geometry.page_size"] = f"{4 * bytes_of(settings['geometry.sector_size'])}B"
    settings["geometry.subpages_per_page"] = str(min(4, sectors))
    settings["nand.partial_programs"] = str(max(2, int(settings.get("nand.partial_programs", "4"))))
    values = registry.resolve(settings)
    for key, fits in (("ftl.block_allocation", "conventional"), ("ftl.relocation", "same"), ("ftl.classifier", "none")):
        if values[key] != fits:  # the policy's preset says something else
            settings[key] = fits
    if values["nand.one_pass"] == "true":
        for key in ("nand.page_table", "nand.program_order", "nand.wordline_buffer"):
            settings.pop(key, None)
        if registry.resolve(settings)["nand.program_order"] != "strict":  # the policy's preset says something else
            settings["nand.program_order"] = "strict"
        settings["geometry.pages_per_block"] = str(max(2 * BITS[settings["nand.cell"]],
                                                       int(settings["geometry.pages_per_block"])))
    blocks = max(9, int(settings["geometry.blocks_per_plane"]))
    settings["geometry.blocks_per_plane"] = str(blocks)
    values = registry.resolve(settings)
    share = share_of(values["slc_cache.share"])
    if share_of(values["slc_cache.least_share"]) > share:
        settings.pop("slc_cache.least_share")
    if share_of(values["slc_cache.most_share"]) < share:
        settings.pop("slc_cache.most_share", None)
    if cache_blocks(registry.resolve(settings)) + 6 > blocks:
        settings.pop("slc_cache.most_share", None)
    if cache_blocks(registry.resolve(settings)) + 6 > blocks:
        settings["slc_cache.share"] = "20%"
        settings.pop("slc_cache.least_share", None)


def _one_pass(random, settings, registry):
    """Wordlines are of cells of several bits and of one plane, and are used as a whole. Without a cache most parts have none."""
    values = registry.resolve(settings)
    if values["nand.one_pass"] != "true" or values["ftl.regions"] in CACHES:
        return
    pages, bits = int(values["geometry.pages_per_block"]), BITS[values["nand.cell"]]
    fits = (random.random() < 0.3 and values["nand.cell"] != "slc" and pages >= 2 * bits and values["ftl.regions"] == "one"
            and values["ftl.slc_mode"] == "false" and values["ftl.block_allocation"] == "conventional")
    if not fits:
        settings.pop("nand.one_pass")
        return
    for key in ("nand.page_table", "nand.program_order", "nand.wordline_buffer", "ftl.copyback"):
        settings.pop(key, None)
    if registry.resolve(settings)["nand.program_order"] != "strict":  # the preset says something else
        settings["nand.program_order"] = "strict"
    blocks = math.ceil(15 * bits / pages)  # what cuts may waste
    settings["geometry.blocks_per_plane"] = str(int(settings["geometry.blocks_per_plane"]) + blocks)


UNITS_CHANCE = 0.35  # of drives that can have them


def _map_unit(random, settings, registry):
    """Units smaller than a page are of conventional blocks that serve all data."""
    values = registry.resolve(settings)
    page, sector = bytes_of(values["geometry.page_size"]), bytes_of(values["geometry.sector_size"])
    fits = (values["ftl.regions"] == "one" and values["ftl.block_allocation"] == "conventional"
            and values["ftl.relocation"] == "same" and page > sector)
    if not fits or random.random() >= UNITS_CHANCE:
        return
    units = random.choice([u for u in (2, 4, 4, 4, 8, 16) if u <= page // sector])
    settings["ftl.map_unit"] = f"{page // units}B"
    settings["geometry.subpages_per_page"] = random.choice(("1", str(units)))
    settings.pop("ftl.copyback", None)
    if registry.resolve(settings)["ftl.copyback"] != "never":  # the preset says something else
        settings["ftl.copyback"] = "never"
    pages = int(values["geometry.pages_per_block"])
    settings["geometry.blocks_per_plane"] = str(int(settings["geometry.blocks_per_plane"]) + math.ceil(20 / pages))


def by_unit(values):
    return values["ftl.map_unit"] != "page"


def _as_cell(settings, cell):
    settings["nand.cell"] = cell
    pages, bits = int(settings["geometry.pages_per_block"]), BITS[cell]
    settings["geometry.pages_per_block"] = str(max(2 * bits, pages - pages % bits))
    if settings.get("nand.page_table") == "even_odd" and (cell != "mlc" or pages % 4 or pages < 8):
        settings.pop("nand.page_table")


def _regions(settings, registry):
    """Hot and cold blocks want slow pages that may be left out, conventional blocks, and enough of them."""
    preset = settings.get("ftl.policy") in ("combo", "broms")  # they bring times of MLC along
    if preset:
        _as_cell(settings, "mlc")
    values = registry.resolve(settings)
    if not has_regions(values):
        return
    if values["ftl.regions"] == "combo_logs":  # its logs level wear
        settings.pop("ftl.wear_gap", None)
    for key in ("ftl.slc_mode", "ftl.block_allocation", "ftl.relocation"):
        settings.pop(key, None)
    if values["nand.cell"] == "slc":
        _as_cell(settings, "mlc")
    values = registry.resolve(settings)
    for key, fits in (("ftl.block_allocation", "conventional"), ("ftl.relocation", "same")):
        if values[key] != fits:  # the policy's preset says something else
            settings[key] = fits
    if values["nand.program_order"] not in ("relaxed", "ascending"):
        settings["nand.program_order"] = "ascending"
    settings["geometry.blocks_per_plane"] = str(max(10, int(settings["geometry.blocks_per_plane"])))
    if values["ftl.regions"] == "combo_logs" and values["ftl.frontier"] != "separate":
        settings["ftl.frontier"] = "separate"  # the logs


def _checkpoints(settings, registry):
    """Of the caches some get blocks to spare, without which they keep no map."""
    values = registry.resolve(settings)
    if values["ftl.regions"] in CACHES and int(values["ftl.checkpoint_interval"]) % 4 != 0:
        settings["geometry.blocks_per_plane"] = str(max(36, int(settings["geometry.blocks_per_plane"])))
        settings["slc_cache.share"] = "45%"
        for key, share in (("slc_cache.least_share", "40%"), ("slc_cache.most_share", "55%")):
            if key in settings:
                settings[key] = share


def protects_lower_pages(values):
    """The firmware copies lower pages, or completes their wordlines: the drive has cells of several bits and no capacitor."""
    return (values["power.hold_up"] == "0" and values["ftl.lower_pages"] != "none" and values["nand.cell"] != "slc"
            and values["ftl.slc_mode"] == "false" and values["ftl.regions"] not in CACHES
            and values["nand.one_pass"] == "false")


def endangers_pages(values):
    """A cache without a capacitor, whose programs ruin what has been written when they are cut off."""
    once = values["ftl.regions"] in ("slc_cache", "pslc") and values["nand.one_pass"] == "true"
    return values["power.hold_up"] == "0" and values["ftl.regions"] in CACHES and not once


def padding_pages(values):
    """Of each block, that may hold nothing: the most that complete the wordline of a page, and one for units that do not
    count any more."""
    packing = 1 if by_unit(values) else 0
    if values["nand.one_pass"] == "true" and values["ftl.regions"] not in CACHES:
        return BITS[values["nand.cell"]] - 1 + packing
    if not protects_lower_pages(values) or values["ftl.lower_pages"] != "wordline" or values["nand.page_table"] == "wordline":
        return packing
    return packing + (6 if values["nand.page_table"] == "even_odd" else BITS[values["nand.cell"]] ** 2 - 1)


def _lower_pages(settings, registry):
    """Copies of lower pages want wordlines that are soon complete, and blocks of their own.
    Padding wants blocks of which it leaves enough, and some more."""
    values = registry.resolve(settings)
    if endangers_pages(values):
        settings["ftl.lower_pages"] = "none"
    if not protects_lower_pages(values):
        return
    if by_unit(values) and values["ftl.lower_pages"] == "backup":  # copies are of pages
        settings["ftl.lower_pages"] = "wordline"
        values = registry.resolve(settings)
    pages, padding = int(values["geometry.pages_per_block"]), padding_pages(values)
    if values["ftl.block_allocation"].startswith("pa") or 2 * padding > pages:
        settings["ftl.lower_pages"] = "none"
        return
    blocks = math.ceil((13 * padding + 4) / (pages - padding)) if padding else copy_blocks(values)
    if padding and has_regions(values):
        blocks += 2 * torn_blocks(values)
    settings["geometry.blocks_per_plane"] = str(int(settings["geometry.blocks_per_plane"]) + blocks)


def torn_blocks(values):
    """Blocks of a region that power cuts may fill with padding within one collection."""
    padding = padding_pages(values)
    return math.ceil((9 * padding + 4) / int(values["geometry.pages_per_block"])) if padding else 0


def copy_blocks(values):
    """Blocks of a plane that copies of lower pages take, or more."""
    bits = BITS[values["nand.cell"]]
    in_danger = 2 * (bits * bits + (8 if values["nand.page_table"] == "even_odd" else 0))
    return 3 + math.ceil(2 * in_danger * bits / int(values["geometry.pages_per_block"]))


def _copyback(settings, registry):
    """Copyback wants a part that has it, pages that move one by one inside their plane, and ECC where bits flip."""
    values = registry.resolve(settings)
    if values["ftl.copyback"] == "never":
        return
    fits = (values["ftl.regions"] not in CACHES and values["ftl.slc_mode"] == "false"
            and values["ftl.relocation"] == "same" and values["nand.copybacks"] != "0")
    if not fits:
        settings.pop("ftl.copyback")
        return
    if values["ftl.gc_moves"] != "single":
        settings["ftl.gc_moves"] = "single"
    if values["nand.errors.reading"] != "none" or values["nand.copybacks"] != "255":
        settings["ftl.copyback"] = "checked"


def _threshold(settings, registry):
    """Each region needs two blocks more than the number at which it is collected. Padding needs one block more."""
    values = registry.resolve(settings)
    text, blocks = values["ftl.gc_threshold"], int(values["geometry.blocks_per_plane"])
    number = math.ceil(share_of(text) * blocks) if text.endswith("%") else int(text)
    if padding_pages(values) != 0 and number < 3:
        settings["ftl.gc_threshold"] = "3"
    copies = copy_blocks(values) + 2 * torn_blocks(values) if protects_lower_pages(values) else 0
    if has_regions(values) and 2 * (number + 2) + copies > blocks:
        settings.pop("ftl.gc_threshold", None)
    if values["ftl.regions"] in CACHES and cache_blocks(values) + number + 2 > blocks:
        settings.pop("ftl.gc_threshold", None)


def _space(random, settings, registry):
    """Two blocks per plane at least are kept from the host; collection starts at a number that a plane has."""
    blocks = int(settings["geometry.blocks_per_plane"])
    least = max(1.0, math.ceil(200 / blocks * 100 + 1e-6) / 100)  # percent, two decimals
    wanted = random.choice((1, least, least, 7, 15, 28, 44, 60, 90))
    settings["ftl.over_provisioning"] = f"{max(wanted, least):g}%"
    spare = int(max(wanted, least) / 100 * blocks)
    choice = random.random()
    if choice < 0.15 or blocks <= 3:
        settings["ftl.gc_threshold"] = str(random.choice((2, max(2, spare), min(blocks - 1, spare + 2))))
    elif choice < 0.25:
        settings["ftl.gc_threshold"] = f"{math.ceil(random.uniform(2, max(2, blocks // 3)) / blocks * 100)}%"


def _life(random, settings, registry):
    """A low endurance is for the end of life, which a run must be able to reach. There moves run out of pages:
    whose blocks they take and who goes first is often the default, which most policies leave."""
    if "nand.endurance" not in settings:
        return
    most = max(1, LIFE // pages_in_all(settings))
    settings["nand.endurance"] = str(min(int(settings["nand.endurance"]), most))
    for key in ("ftl.frontier", "ftl.scheduling", "ftl.die_queue_depth"):
        if random.random() < 0.6:
            settings[key] = registry.defaults[key]


def _memory(settings, registry):
    """Rings of many long commands cost time."""
    values = registry.resolve(settings)
    pages = bytes_of(values["host.max_transfer"]) // bytes_of(values["geometry.page_size"]) + 2
    transfers = pages * int(values["geometry.subpages_per_page"]) + 2
    if int(values["host.slots"]) * transfers * DMA_DESCRIPTOR > MOST_RINGS:
        settings["host.slots"] = str(max(2, MOST_RINGS // (transfers * DMA_DESCRIPTOR)))


def _peak_limit(settings, registry):
    """From times the least that the drive works with to milliamperes."""
    if "energy.peak_limit" not in settings:
        return
    values = registry.resolve(settings)
    further = (int(values["geometry.planes_per_die"]) - 1) * float(values["energy.further_planes"])
    most = max(*(float(values[f"energy.{name}"]) * (1 + further) for name in ("ICC1", "ICC2", "ICC3")),
               float(values["energy.ICC4R"]), float(values["energy.ICC4W"]))
    dies = math.prod(int(values[f"geometry.{name}"]) for name in ("channels", "chips_per_channel", "dies_per_chip"))
    least = most + float(values["energy.ISB"]) * dies
    settings["energy.peak_limit"] = f"{least * float(settings['energy.peak_limit']) + 0.01:.3f}"


def _waves(settings):
    """Pictures of the first moments only: they are large."""
    if "waves.vcd" in settings or "waves.perfetto" in settings:
        settings["waves.to"] = "3ms"
