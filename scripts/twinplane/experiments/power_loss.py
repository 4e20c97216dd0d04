"""Is anything lost when the supply fails, and how long until the drive is back?"""

import pandas

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure, nothing_wrong
from twinplane.experiments.fidelity_part import CONFIGS
from twinplane.report.style import COLOURS, MARKERS, new_figure

QUESTION = """\
The supply fails at random moments of a random load, again and again, also while the drive boots or recovers from the cut before. Does
everything that was answered come back, and nothing that was never written? And how long does it take?

Each run is one drive and many cuts. After each of them nothing is left but the cells, as the cut leaves them: pages whose program was
under way cannot be read, blocks whose erase was are garbage. The firmware finds its tables again in the out-of-band words. Then the host
reads the whole drive, compares each sector with what it may hold, and goes on; what it has found must stay.

Without a capacitor all operations under way are interrupted, and an upper page takes the lower pages of its wordline with it: these are copied in
SLC mode before their writes are answered, or (padded wordlines) not answered before the wordline is complete. With one (power.hold_up) the firmware is told, and what is under way ends. Page-type aware
allocation has to have one, for its wordlines stay incomplete for long. A write buffer keeps what was flushed; with the capacitor it is written out.

One request in thirty is a trim. Words tell nothing of those: pages of metadata do, and a block that holds what was trimmed is not erased before they are
written. A trimmed sector may hold what it held before, or zeros; nothing older.

The recovery reads each page's word once, so its time is that of its reads: pages x tR / (dies x planes that read together).

With checkpoints (ftl.checkpoint_interval) it reads two words of each block that has not been written since, and all of the others. Each costs two copies of all slices of map and block
table; pages of metadata wait among the erases of their dies, so a drive that collects all the time begins the next one later than asked.

SLC-mode caches (IPU, MGA) have to have a capacitor, too, but for one that programs a page once and evicts by whole wordlines: a page that is programmed again endangers what it holds.

Cells fail as well: the same drives, and some more, have reads that fail (0.01, 0.1 and 1 % of the pages, or bits that are drawn and a BCH code that corrects most of
them). A sector may be an error then, but never an older version, and none that was never written. Where pages of metadata cannot be read, their sectors may go back; recovery says how many.
"""
CUTS = 20
NO_CAPACITOR, CAPACITOR = 0, 65536
SLC = {"nand.cell": "slc"}
MLC = {"nand.cell": "mlc", "geometry.blocks_per_plane": 24, "ftl.over_provisioning": "45%"}
TLC = {"nand.cell": "tlc", "geometry.blocks_per_plane": 24, "ftl.over_provisioning": "50%"}
TWO = MLC | {"geometry.blocks_per_plane": 32, "ftl.over_provisioning": "60%", "ftl.hot_request": "16KiB"}
KEPT = {"ftl.checkpoint_interval": 120, "geometry.blocks_per_plane": 32}
CACHE = {"nand.cell": "tlc", "geometry.blocks_per_plane": 32, "ftl.over_provisioning": "50%", "slc_cache.share": "20%"}
KEPT_CACHE = {"ftl.checkpoint_interval": 120, "geometry.blocks_per_plane": 48, "slc_cache.share": "45%"}
MOVING = {"slc_cache.least_share": "13%", "slc_cache.most_share": "45%", "precondition.fill": "40%"}
UNITS = {"ftl.map_unit": "4KiB", "ftl.gc_threshold": 3}
TODAY = UNITS | {"nand.one_pass": True, "ftl.erase_unit": "die", "ftl.program_unit": "die", "ftl.gc_moves": "multi", "geometry.blocks_per_plane": 32,
                 "ftl.lower_pages": "none", "ftl.over_provisioning": "60%"}
WORDLINE = {"ftl.lower_pages": "wordline"}
PADDED = {"geometry.blocks_per_plane": 32, "ftl.over_provisioning": "65%"}
TRIMS = {"workload.rwmixtrim": 40, "workload.number_ios": 6000}
KINDS = {  # name: settings, capacitors
    "conventional": (SLC, (NO_CAPACITOR, CAPACITOR)),
    "one frontier": (SLC | {"ftl.frontier": "shared"}, (NO_CAPACITOR,)),
    "cost-benefit": (SLC | {"ftl.victim": "cost_benefit"}, (NO_CAPACITOR,)),
    "copyback": (SLC | {"ftl.copyback": "checked"}, (NO_CAPACITOR,)),
    "suspension": (SLC | {"nand.suspend": True}, (NO_CAPACITOR, CAPACITOR)),
    "plane reads": (SLC | {"nand.independent_plane_reads": True}, (NO_CAPACITOR,)),
    "deep queues": (SLC | {"ftl.die_queue_depth": 4}, (NO_CAPACITOR,)),
    "cache programs": (SLC | {"ftl.die_queue_depth": 3, "controller.cache_programs": True, "controller.cache_reads": True}, (NO_CAPACITOR, CAPACITOR)),
    "polled": (SLC | {"bus.ready": "poll"}, (NO_CAPACITOR,)),
    "TBM": (SLC | {"ftl.policy": "f2+tbm"}, (NO_CAPACITOR, CAPACITOR)),
    "TBM, simulator": (SLC | {"ftl.policy": "f2+tbm", "ftl.tbm_gc": "simulator"}, (NO_CAPACITOR,)),
    "bad blocks": (SLC | {"nand.factory_bad": "4%", "nand.fail.program": "0.4%", "nand.fail.erase": "2%",
                          "ftl.over_provisioning": "50%"}, (NO_CAPACITOR, CAPACITOR)),
    "wear levelling": (SLC | {"ftl.wear_gap": 2}, (NO_CAPACITOR,)),
    "write buffer": (SLC | {"ftl.write_ack": "buffered", "ftl.write_buffer": 48}, (NO_CAPACITOR, CAPACITOR)),
    "MLC": (MLC, (NO_CAPACITOR, CAPACITOR)),
    "MLC, even and odd pages": (MLC | {"nand.page_table": "even_odd"}, (NO_CAPACITOR,)),
    "MLC, ComboFTL": (TWO | {"ftl.policy": "combo", "ftl.cold_age": 2}, (NO_CAPACITOR, CAPACITOR)),
    "MLC, ComboFTL with logs": (TWO | {"ftl.policy": "combo", "ftl.regions": "combo_logs"}, (NO_CAPACITOR,)),
    "MLC, BROMS": (TWO | {"ftl.policy": "broms"}, (NO_CAPACITOR, CAPACITOR)),
    "MLC, BROMS, many trims": (TWO | TRIMS | {"ftl.policy": "broms"}, (NO_CAPACITOR,)),
    "TLC": (TLC, (NO_CAPACITOR, CAPACITOR)),
    "TLC, TBM": (TLC | {"ftl.policy": "f2+tbm"}, (NO_CAPACITOR,)),
    "TLC, deep queues": (TLC | {"ftl.die_queue_depth": 4, "nand.suspend": True}, (NO_CAPACITOR,)),
    "TLC, bad blocks": (TLC | {"nand.factory_bad": "4%", "nand.fail.program": "0.02%", "nand.fail.erase": "0.2%", "ftl.over_provisioning": "55%"},
                        (NO_CAPACITOR,)),
    "QLC": ({"nand.cell": "qlc", "geometry.blocks_per_plane": 28, "ftl.over_provisioning": "50%"}, (NO_CAPACITOR, CAPACITOR)),
    "TLC in SLC mode": (TLC | {"ftl.slc_mode": True, "ftl.over_provisioning": "80%"}, (NO_CAPACITOR, CAPACITOR)),
    "TLC, write buffer": (TLC | {"ftl.write_ack": "buffered", "ftl.write_buffer": 48}, (NO_CAPACITOR, CAPACITOR)),
    "MLC, padded wordlines": (MLC | WORDLINE, (NO_CAPACITOR,)),
    "TLC, padded wordlines": (TLC | WORDLINE | PADDED, (NO_CAPACITOR,)),
    "TLC, TBM, padded wordlines": (TLC | WORDLINE | PADDED | {"ftl.policy": "f2+tbm"}, (NO_CAPACITOR,)),
    "TLC, write buffer, padded wordlines": (TLC | WORDLINE | PADDED | {"ftl.write_ack": "buffered", "ftl.write_buffer": 96}, (NO_CAPACITOR,)),
    "QLC, padded wordlines": (WORDLINE | {"nand.cell": "qlc", "geometry.blocks_per_plane": 28, "geometry.pages_per_block": 48, "ftl.over_provisioning": "60%"},
                          (NO_CAPACITOR,)),
    "PA-SSD": (TLC | {"ftl.policy": "pa-ssd", "ftl.over_provisioning": "45%"}, (CAPACITOR,)),
    "PA-SSD with TBM": (TLC | {"ftl.policy": "pa-twin", "ftl.over_provisioning": "45%"}, (CAPACITOR,)),
    "PAPA": (TLC | {"ftl.policy": "papa", "ftl.over_provisioning": "45%"}, (CAPACITOR,)),
    "SLC cache": (CACHE | {"ftl.policy": "slc_cache"}, (CAPACITOR,)),
    "SLC cache, by wordlines": (CACHE | {"ftl.policy": "slc_cache", "nand.one_pass": True}, (NO_CAPACITOR, CAPACITOR)),
    "MGA": (CACHE | {"ftl.policy": "mga"}, (CAPACITOR,)),
    "MGA, packed": (CACHE | {"ftl.policy": "mga", "slc_cache.eviction": "packed"}, (CAPACITOR,)),
    "IPU": (CACHE | {"ftl.policy": "ipu"}, (CAPACITOR,)),
    "IPU, by wordlines": (CACHE | {"ftl.policy": "ipu", "nand.one_pass": True, "ftl.die_queue_depth": 2}, (CAPACITOR,)),
    "SLC cache, bad blocks": (CACHE | {"ftl.policy": "slc_cache", "nand.factory_bad": "4%", "nand.fail.program": "0.2%", "nand.fail.erase": "1%",
                                       "ftl.over_provisioning": "60%"}, (CAPACITOR,)),
    "SLC cache, by wordlines, moving": (CACHE | MOVING | {"ftl.policy": "slc_cache", "nand.one_pass": True}, (NO_CAPACITOR, CAPACITOR)),
    "MGA, packed, moving": (CACHE | MOVING | TRIMS | {"ftl.policy": "mga", "slc_cache.eviction": "packed"}, (CAPACITOR,)),
    "IPU, moving": (CACHE | MOVING | {"ftl.policy": "ipu"}, (CAPACITOR,)),
    "SLC cache, by wordlines, wear levelling": (CACHE | {"ftl.policy": "slc_cache", "nand.one_pass": True, "slc_cache.wear_gap": 1}, (NO_CAPACITOR,)),
    "IPU, wear levelling": (CACHE | {"ftl.policy": "ipu", "slc_cache.wear_gap": 1}, (CAPACITOR,)),
    "IPU, many trims": (CACHE | TRIMS | {"ftl.policy": "ipu"}, (CAPACITOR,)),
    "pSLC, by wordlines, moving": (CACHE | MOVING | {"ftl.policy": "pslc", "nand.one_pass": True}, (NO_CAPACITOR, CAPACITOR)),
    "pSLC, many trims": (CACHE | TRIMS | {"ftl.policy": "pslc"}, (CAPACITOR,)),
    "units": (SLC | UNITS | {"ftl.over_provisioning": "30%"}, (NO_CAPACITOR, CAPACITOR)),
    "units, many trims": (SLC | UNITS | TRIMS | {"ftl.over_provisioning": "30%"}, (NO_CAPACITOR,)),
    "TLC, units, superblocks, one pass": (TLC | TODAY, (NO_CAPACITOR, CAPACITOR)),
    "TLC, units, superblocks, one pass, write buffer": (TLC | TODAY | {"ftl.write_ack": "buffered", "ftl.write_buffer": 96}, (NO_CAPACITOR, CAPACITOR)),
    "checkpoints, units": (SLC | UNITS | KEPT | {"ftl.over_provisioning": "45%"}, (NO_CAPACITOR,)),
    "many trims": (SLC | TRIMS, (NO_CAPACITOR, CAPACITOR)),
    "many trims, TBM": (SLC | TRIMS | {"ftl.policy": "f2+tbm"}, (NO_CAPACITOR,)),
    "checkpoints": (SLC | KEPT, (NO_CAPACITOR, CAPACITOR)),
    "checkpoints, TBM": (SLC | KEPT | {"ftl.policy": "f2+tbm"}, (NO_CAPACITOR,)),
    "checkpoints, TLC": (TLC | KEPT | {"geometry.blocks_per_plane": 40}, (NO_CAPACITOR, CAPACITOR)),
    "checkpoints, MLC, BROMS": (TWO | KEPT | {"ftl.policy": "broms", "geometry.blocks_per_plane": 48}, (NO_CAPACITOR, CAPACITOR)),
    "checkpoints, PA-SSD": (TLC | KEPT | {"ftl.policy": "pa-ssd", "geometry.blocks_per_plane": 40, "ftl.over_provisioning": "45%"}, (CAPACITOR,)),
    "checkpoints, bad blocks": (SLC | KEPT | {"geometry.blocks_per_plane": 40, "nand.fail.erase": "8%", "host.iodepth": 1, "workload.number_ios": 3000,
                                              "ftl.over_provisioning": "45%"}, (NO_CAPACITOR,)),
    "checkpoints, SLC cache, by wordlines": (CACHE | KEPT_CACHE | {"ftl.policy": "slc_cache", "nand.one_pass": True}, (NO_CAPACITOR, CAPACITOR)),
    "checkpoints, MGA, packed": (CACHE | KEPT_CACHE | TRIMS | {"ftl.policy": "mga", "slc_cache.eviction": "packed"}, (CAPACITOR,)),
    "checkpoints, IPU, wear levelling": (CACHE | KEPT_CACHE | {"ftl.policy": "ipu", "slc_cache.wear_gap": 1}, (CAPACITOR,)),
}
MORE_KINDS = {  # with read errors alone
    "too few spare blocks for metadata": (SLC | {"ftl.over_provisioning": "20%"}, (NO_CAPACITOR, CAPACITOR)),
    "TBM, bad blocks replaced": (SLC | {"ftl.policy": "f2+tbm", "nand.bac": False, "geometry.blocks_per_plane": 24, "nand.factory_bad": "4%", "nand.fail.program": "0.1%",
                                        "nand.fail.erase": "1%", "ftl.over_provisioning": "50%"}, (NO_CAPACITOR, CAPACITOR)),
    "many trims, three reads in ten fail": (SLC | TRIMS | {"nand.fail.read": "30%", "workload.number_ios": 3000}, (NO_CAPACITOR,)),
    "TLC, nothing protected": (TLC | {"ftl.lower_pages": "none"}, (NO_CAPACITOR,)),
    "IPU, nothing protected": (CACHE | {"ftl.policy": "ipu", "ftl.lower_pages": "none"}, (NO_CAPACITOR,)),
}
READ_ERRORS = {  # of BCH: 40 of 8,752 bits are corrected, 21 are wrong in the mean, one page of some hundred has a codeword with more
    "0.01 % of the reads": {"nand.fail.read": "0.01%"},
    "0.1 % of the reads": {"nand.fail.read": "0.1%"},
    "1 % of the reads": {"nand.fail.read": "1%"},
    "drawn bits, BCH": {"nand.errors.reading": "drawn", "controller.ecc.code": "bch", "nand.errors.fresh": 0.0024, "nand.errors.worn": 0.0024,
                        "nand.errors.upper_pages": 1, "nand.errors.partial": 0},
}
ERROR_CUTS = 32  # of each of 97 drives, which have one channel, and each kind of read errors: 12,416
SEEDS = range(1, 14)  # 13 x 90 drives x 20 cuts: 23,400
INTERVALS = (0, 250, 500, 1000, 2000, 4000)  # pages
BLOCKS, FILLS, CHANNELS = (16, 32, 64, 128, 256), (10, 25, 50, 75, 100), (1, 2, 4, 8)
FIXED = {"geometry.pages_per_block": 64, "nand.tR": "100us", "ftl.over_provisioning": "20%", "precondition.overwrite": "0%", "workload.number_ios": 16,
         "workload.rw": "randread", "bus.monitor": False, **SLC}


def grid(quick):
    return [*campaign(quick), *unreadable(quick), *recoveries(quick), *intervals(quick)]


def campaign(quick):
    cases = []
    for kind, (settings, capacitors) in KINDS.items():
        for pages in capacitors:
            for seed in (1,) if quick else SEEDS:
                chosen = settings | {"power.hold_up": pages} | ({"workload.number_ios": 400} if quick else {})
                labels = {"part": "cuts", "kind": kind, "capacitor": "yes" if pages else "no", "channels": 2, "errors": "none",
                          "blocks": settings.get("geometry.blocks_per_plane", 16), "fill": 90, "seed": seed}
                cases.append(Case(str(CONFIGS / "power_loss.toml"), chosen, seed=seed, labels=labels,
                                  options=("--power-cut", f"random:{4 if quick else CUTS}")))
    return cases


def unreadable(quick):
    """Drives whose reads fail, those of the recovery, of moves and of pages of metadata too. The quick form has one kind of errors for each drive."""
    cases = []
    drives = [(kind, settings, pages) for kind, (settings, capacitors) in (KINDS | MORE_KINDS).items() for pages in capacitors]
    for i, (kind, settings, pages) in enumerate(drives):
        for n, (errors, failing) in enumerate(READ_ERRORS.items()):
            if quick and n != i % len(READ_ERRORS):
                continue
            chosen = failing | settings | {"power.hold_up": pages, "geometry.channels": 1} | ({"workload.number_ios": 300} if quick else {})
            labels = {"part": "errors", "kind": kind, "capacitor": "yes" if pages else "no", "channels": 1, "errors": errors,
                      "blocks": settings.get("geometry.blocks_per_plane", 16), "fill": 90, "seed": 100 + n}
            cases.append(Case(str(CONFIGS / "power_loss.toml"), chosen, seed=100 + n, labels=labels,
                              options=("--power-cut", f"random:{4 if quick else ERROR_CUTS}")))
    return cases


def recoveries(quick):
    """One cut of a drive that has been filled, at rest."""
    points = [(2, blocks, fill) for blocks in (BLOCKS[:2] if quick else BLOCKS) for fill in (FILLS[::4] if quick else FILLS)]
    points += [] if quick else [(channels, 64, 100) for channels in CHANNELS]
    return [recovery(*point) for point in dict.fromkeys(points)]


def recovery(channels, blocks, fill):
    settings = FIXED | {"geometry.channels": channels, "geometry.blocks_per_plane": blocks, "precondition.fill": f"{fill}%"}
    labels = {"part": "recovery", "kind": "at rest", "capacitor": "no", "channels": channels, "errors": "none",
              "blocks": blocks, "fill": fill, "seed": 1}
    return Case(str(CONFIGS / "power_loss.toml"), settings, labels=labels, options=("--power-cut", "100s"))


def intervals(quick):
    """A drive that writes at random, one request at a time so that its dies find time for metadata. What it costs is counted behind the cut."""
    cases = []
    for interval in (0, 500) if quick else INTERVALS:
        for fill in (25, 100):
            for seed in (1,) if quick else (1, 2, 3):
                settings = FIXED | {"geometry.channels": 2, "geometry.blocks_per_plane": 128, "precondition.fill": f"{fill}%", "host.iodepth": 1,
                                    "workload.rw": "randwrite", "workload.bssplit": "", "workload.bs": "16k", "workload.rwmixtrim": 0,
                                    "workload.number_ios": 6000 if quick else 44500, "ftl.checkpoint_interval": interval}
                labels = {"part": "interval", "kind": str(interval), "capacitor": "no", "channels": 2, "errors": "none",
                          "blocks": 128, "fill": fill, "seed": seed}
                cut = (3000 if quick else 20000) + 137 * seed
                cases.append(Case(str(CONFIGS / "power_loss.toml"), settings, seed=seed, labels=labels, options=("--power-cut", f"request:{cut}")))
    return cases


def bad_blocks_forgotten(lives):
    """Of the blocks that were retired, those that a later life did not know of. One that goes bad just before a cut may not have been written down."""
    booted = [life for life in lives if not life["recovery"] or life["recovery"]["ready_ns"]]
    if not all(life["bad_blocks_kept"] for life in booted):
        return 0
    retired = [life["health"]["retired_blocks"] for life in booted]
    changes = [after - before for before, after in zip(retired, retired[1:])]
    gone_bad = retired[0] + sum(change for change in changes if change > 0)
    forgotten = -sum(change for change in changes if change < 0)
    return forgotten if gone_bad >= 4 and forgotten > gone_bad / 3 else 0


def metrics(result):
    s = result.summary
    lives = s["power_cycles"]
    back = [life["recovery"] for life in lives if life["recovery"]]
    geometry = s["config"]["geometry"]
    dies = geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"]
    planes, last = geometry["planes_per_die"], back[-1]
    capacity = last["sectors_checked"] * size_of(geometry["sector_size"])
    row = {name: sum(r[name] for r in back) for name in ("sectors_checked", "sectors_old_or_new", "sectors_lost", "sectors_unreadable",
                                                         "pages_unreadable", "units_resumed", "units_closed", "sectors_gone_back",
                                                         "metadata_gone", "sectors_untold")}
    return row | {
        "cuts": len(lives) - 1, "unanswered": sum(life["unanswered"] for life in lives),
        "flash_operations_cut": sum(life["flash_operations_cut"] for life in lives),
        "in_recovery": sum(1 for r in back[:-1] if r["ready_ns"] == 0),
        "held_up_ms": max(life["held_up_ns"] or 0 for life in lives) / 1e6,
        "trims_forgotten": sum(1 for life in lives if not life["trims_kept"]), "metadata_pages": sum(r["metadata_pages"] for r in back),
        "unmapped": sum(r["pages_unmapped"] for r in back),
        "mismatches": s["host"]["verify"]["mismatches"], "violations": s["nand"]["violations"]["total"],
        "capacity_mib": capacity / 2**20, "pages_read": last["pages_read"], "scan_ms": last["steps_ns"]["scan"] / 1e6,
        "rebuild_ms": last["steps_ns"]["rebuild"] / 1e6, "ready_ms": last["ready_ns"] / 1e6,
        "law_ms": last["pages_read"] * tR_us(s) / (dies * planes) / 1e3, "waf": s["ftl"]["waf"],
        "metadata_waf": s["ftl"]["waf_by_cause"]["metadata"],
        "checkpoints": s["ftl"].get("metadata", {}).get("checkpoints", 0),
        "metadata_pages_written": (s["ftl"]["waf_by_cause"]["metadata"] or 0) * s["ftl"]["host_bytes_written"] / size_of(s["config"]["geometry"]["page_size"]),
        "pages_rescued": sum(r["pages_rescued"] for r in back), "blocks_known": last["blocks_known"],
        "forgotten": bad_blocks_forgotten(lives)}


def size_of(text):
    """4KiB and 512B as summary.json has them."""
    return int(text.removesuffix("KiB")) * 1024 if text.endswith("KiB") else int(text.removesuffix("B"))


def tR_us(summary):
    text = summary["config"]["nand"]["tR"]
    return float((text[0] if isinstance(text, list) else str(text).split(",")[0]).removesuffix("us"))


def part(frame, name):
    return frame[frame["part"] == name]


def table(frame):
    cuts = part(frame, "cuts").groupby(["kind", "capacitor"], sort=False).sum(numeric_only=True).reset_index()
    names = {"kind": "drive", "capacitor": "capacitor", "cuts": "cuts", "in_recovery": "of them in a recovery", "unanswered": "requests under way",
             "flash_operations_cut": "flash operations under way", "pages_unreadable": "pages that cannot be read", "sectors_checked": "sectors compared",
             "pages_rescued": "found in copies alone", "sectors_old_or_new": "old or new", "sectors_lost": "lost", "sectors_unreadable": "unreadable", "unmapped": "pages found trimmed"}
    shown = cuts[list(names)].rename(columns=names)
    failing = part(frame, "errors").groupby("errors", sort=False).sum(numeric_only=True).reset_index()
    failing = failing[["errors", *list(names)[2:], "sectors_gone_back", "metadata_gone"]].rename(columns=names | {
        "errors": "drive", "sectors_gone_back": "declared, and gone back", "metadata_gone": "pages of metadata that cannot be read"})
    failing["drive"] = "all drives, errors in " + failing["drive"]
    times = part(frame, "recovery").assign(
        drive=lambda f: f.apply(lambda r: f"{r['channels']:.0f} channels, {r['blocks']:.0f} blocks per plane, {r['fill']:.0f} % full", axis=1))
    more = {"drive": "drive", "capacity_mib": "capacity (MiB)", "pages_read": "words read", "scan_ms": "scan (ms)", "law_ms": "law (ms)",
            "rebuild_ms": "tables (ms)", "ready_ms": "ready (ms)"}
    kept = by_interval(frame).assign(drive=lambda f: f.apply(
        lambda r: f"checkpoints every {r['interval']:,.0f} pages, {r['fill']:.0f} % full" if r["interval"] else f"no checkpoints, {r['fill']:.0f} % full", axis=1))
    costs = {"drive": "drive", "pages_read": "words read", "blocks_known": "blocks not read", "ready_ms": "ready (ms)", "metadata_waf": "metadata per byte written"}
    return pandas.concat([shown, failing, times[list(more)].rename(columns=more), kept[list(costs)].rename(columns=costs)], ignore_index=True)


def by_interval(frame):
    rows = part(frame, "interval").assign(interval=lambda f: f["kind"].astype(int))
    return rows.groupby(["interval", "fill"]).mean(numeric_only=True).reset_index()


def claims(frame, quick):
    cuts, times = part(frame, "cuts"), part(frame, "recovery")
    made = [nothing_wrong(frame),
            Claim(f"sectors that broke the promise, of {cuts['sectors_checked'].sum() / 1e6:.1f} million", "must not happen", 0,
                  int(cuts[["sectors_lost", "sectors_unreadable"]].to_numpy().sum()), "sectors", required=True, own=True)]
    if not quick:
        made.append(Claim("cuts", "the campaign is a campaign", "10,000 at least", bool(cuts["cuts"].sum() >= 10_000), own=True,
                          required=True, numbers=f"{int(cuts['cuts'].sum()):,}"))
    failing = part(frame, "errors")
    made.append(Claim(f"sectors that broke the promise where reads fail, of {failing['sectors_checked'].sum() / 1e6:.1f} million", "an error, or what was promised", 0,
                      int(failing["sectors_lost"].sum()), "sectors", required=True, own=True))
    if not quick:
        made.append(Claim("cuts of drives whose reads fail", "the campaign is a campaign", "10,000 at least", bool(failing["cuts"].sum() >= 10_000), own=True,
                          required=True, numbers=f"{int(failing['cuts'].sum()):,}"))
    found = failing.groupby("errors", sort=False)["sectors_unreadable"].sum()
    made.append(Claim("sectors whose read failed in the check", "else nothing was put to the test", "with each kind of errors", bool((found > 0).all()), own=True,
                      required=True, numbers=", ".join(f"{int(n):,}" for n in found)))
    made.append(Claim("lives whose firmware had no blocks to remember trims", "each drive has spare blocks", 0, int(cuts["trims_forgotten"].sum()),
                      "lives", own=True, required=True))
    bare = cuts[cuts["capacitor"] == "no"]
    made.append(Claim("pages that a cut has made unreadable, drives without a capacitor", "else nothing was put to the test", "in each kind of drive",
                      bool((bare.groupby("kind")["pages_unreadable"].sum() > 0).all()), own=True, required=True,
                      numbers=f"{int(bare['pages_unreadable'].sum()):,}"))
    made.append(Claim("runs that have forgotten blocks that had gone bad", "more than a third", 0,
                      int((cuts["forgotten"] > 0).sum()), "runs", own=True, required=True))
    rescued = bare[bare["kind"].str.contains("LC") & ~bare["kind"].str.contains("SLC|padded wordlines")]  # a wordline in one pass has no lower pages
    made.append(Claim("pages found in copies alone, drives of several bits without a capacitor", "else nothing was protected", "in each kind of drive",
                      bool((rescued.groupby("kind")["pages_rescued"].sum() > 0).all()), own=True, required=True,
                      numbers=f"{int(rescued['pages_rescued'].sum()):,}"))
    full = by_interval(frame).query("fill == 100")
    some = full[full["interval"] > 0]
    made.append(Claim("words read with the shortest interval of checkpoints, over those without", "shorter is quicker", "less than half",
                      bool(some["pages_read"].iloc[0] < full["pages_read"].iloc[0] / 2), own=True, required=True,
                      numbers=f"{some['pages_read'].iloc[0]:,.0f} of {full['pages_read'].iloc[0]:,.0f}"))
    kept = part(frame, "interval").query("checkpoints > 0")
    pages = kept["metadata_pages_written"].sum() / kept["checkpoints"].sum()
    made.append(Claim(f"pages of metadata per checkpoint, of {kept['checkpoints'].sum():.0f}", "two copies of 15 slices of the map and one of the block table", 32,
                      pages, "pages", 0.25 if quick else 0.1, own=True, required=True))
    worst = times.loc[(times["scan_ms"] / times["law_ms"] - 1).abs().idxmax()]
    made.append(Claim(f"scan time: the worst of {len(times)} drives ({worst['blocks']:.0f} blocks per plane, {worst['fill']:.0f} % full)",
                      "pages x tR / (dies x planes)", worst["law_ms"], worst["scan_ms"], "ms", 0.1, required=True))
    return made


def over(frame, column, label, name, caption):
    """The time to get ready: the scan as the law has it, and the tables on top."""
    figure, axes = new_figure(width=7.5, height=4.2)
    for i, (fill, rows) in enumerate(frame.groupby("fill")):
        rows = rows.sort_values(column)
        axes.plot(rows[column], rows["ready_ms"], "-", color=COLOURS[i], marker=MARKERS[i], label=f"{fill:.0f} % full")
        axes.plot(rows[column], rows["law_ms"], "_", color="black", markersize=12,
                  label="law: words x tR / (dies x planes)" if i == 0 else None)
    axes.set(xlabel=label, ylabel="power-on to the first request (ms)", xscale="log", yscale="log")
    axes.legend(fontsize="small")
    return Figure(name, caption, figure)


def figures(frame):
    times = part(frame, "recovery")
    made = [trade_off(by_interval(frame)),
            over(times[times["channels"] == 2], "capacity_mib", "capacity (MiB)", "capacity",
                 "The time to come back over capacity, by fill: each written page's word is read, and one page of each block that is erased.")]
    by_channels = times[(times["blocks"] == 64) & (times["fill"] == times["fill"].max())]
    if not by_channels.empty:  # the quick form has one number of channels
        made.append(over(by_channels, "channels", "channels", "channels",
                         "The same over channels of two dies: twice the drive in the same time, but for the tables, which one core builds."))
    return made


def trade_off(frame):
    figure, axes = new_figure(width=7.5, height=4.2)
    for i, (fill, rows) in enumerate(frame.groupby("fill")):
        kept = rows[rows["interval"] > 0]
        axes.plot(kept["metadata_waf"], kept["ready_ms"], "-", color=COLOURS[i], marker=MARKERS[i], label=f"{fill:.0f} % full")
        axes.axhline(rows.loc[rows["interval"] == 0, "ready_ms"].iloc[0], linestyle=":", color=COLOURS[i], label="without checkpoints")
        for _, row in kept.iterrows():
            axes.annotate(f"{row['interval']:,.0f}", (row["metadata_waf"], row["ready_ms"]), textcoords="offset points", xytext=(4, 4), fontsize="x-small")
    axes.set(xlabel="pages of metadata per page written", ylabel="power-on to the first request (ms)", xscale="log", yscale="log")
    axes.legend(fontsize="small")
    return Figure("interval", "What checkpoints cost, and what they save: the time to come back over pages of metadata, by their interval in pages.", figure)


EXPERIMENT = Experiment("power-loss", "What a power cut takes, and how long the drive needs to come back", QUESTION, grid, table,
                        figures, claims, metrics)
