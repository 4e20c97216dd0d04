"""Composes what the host does: a drawn trace, or a [workload] in fio's words; and its queues."""

from twinplane.soak.drive import bytes_of, capacity_pages, logarithmic, pages_in_all, stream, weighted
from twinplane.soak.trace import Space, draw_trace

PAGE_OPERATIONS = (200, 20000)  # of a round, about
LOW_ENDURANCE = 100  # erases


def compose(seed, index, registry, settings, most=None):
    """Adds the keys of the host to the drive's; returns the lines of a trace, or None for a synthetic workload. `most`: page
    operations, about."""
    random = stream(seed, index, "workload")
    values = registry.resolve(settings)
    page = bytes_of(values["geometry.page_size"])
    buffered = values["ftl.write_ack"] == "buffered"  # what is in the buffer must be asked for to matter
    space = Space(capacity_pages(values) * page, page, bytes_of(values["geometry.sector_size"]),
                  0.7 if buffered else 0.4, _contended(seed, index, values) if buffered else 0)
    _queues(random, settings)
    budget = _budget(random, values)
    if space.contended and values["bus.ready"] != "poll":
        budget = max(budget, PAGE_OPERATIONS[1])
    budget = min(budget, most or budget)
    trace = None
    life = stream(seed, index, "end of life")
    if int(values["nand.endurance"]) <= LOW_ENDURANCE and values["bus.ready"] != "poll" and life.random() < 0.7:
        _to_the_end(life, settings, space, int(values["nand.endurance"]) * pages_in_all(values))
    elif random.random() < 0.5:
        trace = draw_trace(random, space, budget)
    else:
        _synthetic(random, settings, space, budget)
    if trace is None and settings.get("precondition.mode") == "trace":
        settings["precondition.mode"] = "fill"  # there is no trace to read
    requests = len(trace) if trace is not None else int(settings["workload.number_ios"])
    if int(settings.get("workload.ramp_ios", 0)) >= requests:  # nothing would be measured
        settings["workload.ramp_ios"] = str(requests - 1)
    settings["run.seed"] = str(random.randrange(1, 1 << 20))
    return trace


def _contended(seed, index, values):
    """Pages of a hot spot that the write buffer can nearly hold: they are written again while they are written back.
    0: leave it to chance, as on drives that lose blocks: all their writes count."""
    if int(values["nand.endurance"]) <= LOW_ENDURANCE or any(
            values[f"nand.fail.{what}"] not in ("0", "0%") for what in ("program", "erase")):
        return 0
    random = stream(seed, index, "contended")
    return int(int(values["ftl.write_buffer"]) * random.uniform(0.8, 1.2)) + 1 if random.random() < 0.5 else 0


def _budget(random, values):
    """Page operations; fewer where each costs more time. Worn drives need many."""
    budget = logarithmic(random, *PAGE_OPERATIONS)
    if int(values["nand.endurance"]) <= LOW_ENDURANCE:
        budget = max(budget, min(60_000, 3 * int(values["nand.endurance"]) * capacity_pages(values)))
    if values["bus.ready"] == "poll":
        budget //= 6
    if values["bus.monitor"] == "true":
        budget //= 2
    return max(50, budget)


def _queues(random, settings):
    """A queue of the default size costs the host's memory; most are as long as they must be. A depth that the
    mode would ignore is refused."""
    mode = weighted(random, {"open": 3, "closed": 6, "auto": 1})
    if mode != "auto":
        settings["host.mode"] = mode
    if random.random() < 0.35:
        settings["host.queues"] = str(random.choice((2, 3, 8, 8, 64)))
    depth = random.choice((1, 2, 4, 7, 16, 32, 32, 32, 100, 1023, logarithmic(random, 1, 1023)))
    if mode == "auto":
        depth = 32  # the default, which says nothing of the mode
    entries = weighted(random, {2: 1, 3: 1, 9: 1, 64: 4, depth + 1: 8, 1024: 1, 65536: 0.2})
    if mode == "auto":
        entries = max(entries, depth + 1)
    settings["host.queue_size"] = str(entries)
    reachable = int(settings.get("host.queues", 1)) * (entries - 1)
    if mode == "closed":
        settings["host.iodepth"] = str(min(depth, reachable))
    if random.random() < 0.1:
        settings["host.rounds"] = random.choice(("2", "3"))


def _synthetic(random, settings, space, budget):
    pattern = weighted(random, {"randwrite": 8, "randrw": 10, "write": 4, "rw": 3, "readwrite": 1, "randread": 2,
                                "read": 1, "trim": 1, "randtrim": 1})
    sectors = random.choice((1, 1, 2, 4, 8, max(1, space.page // space.sector), logarithmic(random, 1, 256)))
    size = max(512, min(sectors * space.sector, space.capacity // 2 // 512 * 512))
    if random.random() < 0.1:
        size = min(size, 512 * random.randint(1, 20))  # no multiple of a large sector: aligned outward
    settings["workload.rw"] = pattern
    settings["workload.bs"] = f"{size}B"
    largest = _mix(random, settings, space, size)
    span = _span(random, settings, space, largest)
    each = 1 + size // space.page
    settings["workload.number_ios"] = str(max(20, budget // each))
    if pattern in ("rw", "readwrite", "randrw"):
        settings["workload.rwmixread"] = str(random.choice((5, 30, 50, 90)))
        if random.random() < 0.3:
            settings["workload.rwmixtrim"] = str(random.choice((1, 10, 50)))
    _randomness(random, settings, pattern, span)
    _timing(random, settings)
    if random.random() < 0.1:
        settings["host.remap"] = "error"  # nothing to remap: the workload knows the capacity
    settings["workload.seed"] = str(random.randrange(1, 1 << 20))


def _to_the_end(random, settings, space, programs):
    """Writes all over the drive until its blocks are worn, with valid pages in all of them, and some more."""
    size = min(random.choice((1, 1, 2, 4)) * space.page, space.capacity // 2 // 512 * 512)
    settings["workload.rw"] = weighted(random, {"randwrite": 4, "randrw": 1})
    settings["workload.bs"] = f"{max(512, size)}B"
    requests = 1.2 * programs * space.page / max(512, size)
    settings["workload.number_ios"] = str(int(requests * (2 if settings["workload.rw"] == "randrw" else 1)) + 20)
    _timing(random, settings)
    settings["workload.seed"] = str(random.randrange(1, 1 << 20))


def _mix(random, settings, space, size):
    """Now and then several sizes; returns the largest."""
    if random.random() >= 0.2:
        return size
    other = min(space.page * random.choice((1, 2, 5)), space.capacity // 2 // 512 * 512)
    settings["workload.bssplit"] = f"{size}/60:{max(512, other)}/40"
    return max(size, other, 512)


def _span(random, settings, space, largest):
    """All of the drive, or a hot spot."""
    if random.random() >= space.heat:
        return space.capacity
    hot = largest * logarithmic(random, 1, 100)
    span = min(space.capacity * 3 // 4, space.contended * space.page or hot) // 512 * 512
    if span < largest:
        return space.capacity
    settings["workload.size"] = f"{span}B"
    if random.random() < 0.3:
        offset = random.randrange(0, max(1, space.capacity * 9 // 10 - span))
        settings["workload.offset"] = f"{offset // 512 * 512}B"
    return span


def _randomness(random, settings, pattern, span):
    if not pattern.startswith("rand"):
        return
    choice = random.random()
    if choice < 0.3:
        known = ["zipf:0.5", "zipf:1.2", "pareto:0.2", "normal:10"]
        if span >= 200 * bytes_of(settings["workload.bs"]):
            known.append("zoned:60/10:40/90")
        if "workload.bssplit" not in settings and span >= 20 * bytes_of(settings["workload.bs"]):
            known.append(f"sized:{bytes_of(settings['workload.bs'])}/60")
        settings["workload.random_distribution"] = random.choice(known)
    elif choice < 0.4 and pattern != "randrw" and "workload.bssplit" not in settings:
        settings["workload.randommap"] = "true"
        return
    whole = settings.get("workload.random_distribution", "").startswith("sized")  # knows no other places
    if not whole and random.random() < 0.15:
        settings["workload.percentage_random"] = random.choice(("0", "30", "90"))
    if random.random() < 0.1:
        settings["workload.blockalign"] = f"{min(span, random.choice((512, 1024, 4096, 65536)))}B"


def _timing(random, settings):
    if settings.get("host.mode") == "open" or ("host.mode" not in settings and random.random() < 0.5):
        settings["workload.rate_iops"] = str(logarithmic(random, 200, 1_000_000))
        if random.random() < 0.5:
            settings["workload.rate_process"] = "poisson"
    if random.random() < 0.12:
        settings["workload.thinktime"] = random.choice(("1us", "300us", "20ms"))
        settings["workload.thinktime_blocks"] = str(random.choice((1, 7, 100)))
    if random.random() < 0.25:
        settings["workload.fsync"] = str(random.choice((1, 3, 32, 500)))
    if random.random() < 0.05 and "write" in settings["workload.rw"]:
        settings["host.drive_writes"] = random.choice(("0.3", "1.5"))
