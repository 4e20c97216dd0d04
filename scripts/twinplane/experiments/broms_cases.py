"""The drives of the experiment broms: one plane, two classes of data, hot ones written by requests of half a page."""

import os
import pathlib

from twinplane.case import Case
from twinplane.cost_case import CostCase
from twinplane.experiments.papers import ASSUMED, BROMS, COMBO
from twinplane.program import ROOT

CONFIG = (ASSUMED, str(ROOT / "platform/configs/mlc_2ch.toml"))
POLICIES = {"ComboFTL": COMBO, "BROMS": BROMS}
TWO_LOGS = COMBO | {"ftl.regions": "combo_logs", "ftl.cold_log": "50%", "ftl.second_chances": 2}
BLOCKS, PAGES, KEPT = 256, 64, 3
PAGE = 8192
FLAT = {"bus.ns_per_byte": "3ns"}  # of another interface, without effect
SEEDS = (1, 2, 3)

# Utilisations of the hot and the cold partition with ComboFTL's fixed 30 % of the blocks; share of the pages written that
# are hot. hm, prn: section 7.2 for utilisations; shares are those of the profiles hm_0 and prn_0. proj: of the text only the
# end is known, the cold partition's utilisation is assumed and varied. fin: nearly all requests are small.
STARTS = {"hm": (0.08, 0.96, 0.54), "prn": (0.09, 0.83, 0.27), "proj": (0.08, 0.90, 0.06), "fin": (0.70, 0.80, 0.94)}
WRITES = {"hm": (4, 2), "prn": (4, 3), "proj": (4, 2), "fin": (20, 5)}  # times the data: before measuring, and then
START_PAGES = 128  # of a block: in open loop collections must not be too short, below
# What ComboFTL can do, in requests per second of a closed loop; the runs of "starts" say whether it still holds.
CAPACITY = {"hm": 73.2, "prn": 237.1, "proj": 110.0, "fin": 523.0}
LOADS = {"hm": (0.7, 0.8, 0.9), "prn": (0.7, 0.8, 0.9), "proj": (0.8,), "fin": (0.8,)}


def labels_of(part, **more):
    """The columns of all cases, those of the cost model's tables included."""
    return {"part": part, "start": "", "policy": "", "variant": "", "point": 0.0, "load": 0.0, "hot_writes": 0.0,
            "misplaced": 0.0, "by": "", "whole_pages": False, "fast_us": 0.0, "mean_us": 0.0, "seed": 0} | more


class Drive:
    """Blocks, data and requests; counted = "lists": a partition's capacity is its list of blocks, as in section 6; or
    "usable": without the erased blocks that its collection keeps."""

    def __init__(self, blocks=BLOCKS, pages=PAGES, kept=KEPT, cold_pages=1, counted="lists"):
        self.blocks, self.pages, self.kept, self.cold_pages = blocks, pages, kept, cold_pages
        self.left_out = 0 if counted == "lists" else kept

    def capacity(self, hot_blocks):
        """Pages of the hot and of the cold partition."""
        cold = self.blocks - hot_blocks
        return (hot_blocks - self.left_out) * self.pages // 2, (cold - self.left_out) * self.pages

    def data(self, hot_blocks, utilisations):
        """Pages of hot and cold data that fill them so far; cold requests are whole."""
        hot, cold = (int(u * c) for u, c in zip(utilisations, self.capacity(hot_blocks)))
        return hot, cold // self.cold_pages * self.cold_pages

    def settings(self, data, hot_blocks, hot_writes, times):
        """`times` the data are written before anything counts, and then; the drive exports what the data need."""
        total = sum(data)
        requests = self.cold_pages * hot_writes / (1 - hot_writes + self.cold_pages * hot_writes)  # share of hot ones
        per_request = requests + (1 - requests) * self.cold_pages
        cold = f"{self.cold_pages * PAGE // 1024}k"
        return {"geometry.channels": 1, "geometry.chips_per_channel": 1, "geometry.planes_per_die": 1,
                "geometry.blocks_per_plane": self.blocks, "geometry.pages_per_block": self.pages,
                "ftl.gc_threshold": self.kept, "ftl.hot_share": f"{100 * hot_blocks / self.blocks:.6f}%",
                "ftl.over_provisioning": f"{100 * (1 - (total + 0.5) / (self.blocks * self.pages)):.6f}%",
                "precondition.mode": "fill", "precondition.fill": "100%", "data.mode": "none", "report.interval": "1s",
                "workload.rw": "randwrite", "workload.bs": "4KiB",
                "workload.bssplit": f"4k/{100 * requests:.6f}:{cold}/{100 * (1 - requests):.6f}",
                "workload.number_ios": int(sum(times) * total / per_request),
                "workload.ramp_ios": int(times[0] * total / per_request)} | spaces(data, cold) | closed(8)


def spaces(data, cold, static=0.0, theta=None):
    """Hot data first, then cold ones, of which a share is never written; zipf's theta inside of both."""
    hot_part = 100 * data[0] / sum(data)
    skew = f"/{theta}" if theta else ""
    cold_part = (100 - hot_part) * (1 - static)
    return {"workload.random_distribution": f"sized:4k/{hot_part:.6f}{skew}:{cold}/{cold_part:.6f}{skew}"}


def closed(depth):
    return {"host.mode": "closed", "host.iodepth": depth}


def arriving(rate):
    return {"host.mode": "open", "workload.rate_iops": round(rate), "workload.rate_process": "poisson"}


def without_depth(settings):
    return {key: value for key, value in settings.items() if key != "host.iodepth"}


# --- figure 6: fixed partitions ---

HOT_WRITES = {"ST1": 0.3, "ST2": 0.5, "ST3": 0.7}
POINTS = (0.70, 0.74, 0.78, 0.82, 0.86, 0.90, 0.94)
ENDS = (0.72, 0.82, 0.94)
VARIANTS = {  # of what the ratio of cost and model depends on
    "as in figure 6": {}, "cold requests of 4 pages": {"cold_pages": 4}, "kept blocks do not count": {"counted": "usable"},
    "64 blocks": {"blocks": 64}, "512 blocks": {"blocks": 512}, "256 pages": {"pages": 256},
    "512 blocks of 256 pages": {"blocks": 512, "pages": 256},
    "256 pages, kept do not count": {"pages": 256, "counted": "usable"}, "rga victims": {}}


def example(drive):
    """Hot and cold data of sections 4.2 and 5.2: both partitions 80 % full where the hot one has 30 % of the capacity."""
    usable = drive.blocks - 2 * drive.left_out
    hot_blocks = 2 * 0.3 / 1.3 * usable
    hot, cold = 0.8 * hot_blocks * drive.pages / 2, 0.8 * (usable - hot_blocks) * drive.pages
    return round(hot), int(cold) // drive.cold_pages * drive.cold_pages


def fixed(part, start, variant, utilisation, seed):
    drive = Drive(**VARIANTS[variant])
    data, hot_blocks = example(drive), hot_blocks_for(drive, utilisation)
    settings = drive.settings(data, hot_blocks, HOT_WRITES[start], (7, 4))
    victims = {"ftl.victim": "rga", "ftl.victim_d": 10} if variant == "rga victims" else {}
    labels = labels_of(part, start=start, policy="ComboFTL", variant=variant, point=point_of(drive, utilisation),
                       hot_writes=HOT_WRITES[start], seed=seed)
    return Case(CONFIG, FLAT | COMBO | settings | victims, seed=seed, labels=labels)


def hot_blocks_for(drive, utilisation):
    """As near as whole blocks come."""
    return round(example(drive)[0] / utilisation / (drive.pages / 2)) + drive.left_out


def point_of(drive, utilisation):
    """The hot utilisation that comes of it."""
    return round(example(drive)[0] / drive.capacity(hot_blocks_for(drive, utilisation))[0], 6)


def predictions(quick):
    """What the cost model says for the runs of figure 6: the same data, blocks and flash."""
    at = sorted({point_of(Drive(), u) for u in POINTS})
    curves = [predicted("figure 6, model", "", PAGES, theta, {"at": at}) for theta in HOT_WRITES.values()]
    curves += [predicted("figure 6, least", "", PAGES, theta, {"best": True}) for theta in HOT_WRITES.values()]
    if quick:
        return curves
    for variant, choice in VARIANTS.items():
        drive = Drive(**choice)
        at = sorted({point_of(drive, u) for u in ENDS})
        curves.append(predicted("ratio, model", variant, drive.pages, HOT_WRITES["ST1"], {"at": at}))
    return curves


def predicted(part, variant, pages, theta, rows):
    chosen = {"pages-per-block": pages, "read": "75us", "program-fast": "450us", "program-mean": "1300us", "erase": "3.8ms",
              "hot-writes": theta, "misplaced": 0, "hot-capacity": 0.3, "hot-utilisation": 0.8, "cold-utilisation": 0.8, "bits": 2}
    return CostCase(settings=chosen | rows, labels=labels_of(part, variant=variant, hot_writes=theta))


def figure_6(quick):
    if quick:
        return [fixed("figure 6", "ST1", "as in figure 6", u, 1) for u in POINTS]
    cases = [fixed("figure 6", start, "as in figure 6", u, seed) for start in HOT_WRITES for u in POINTS for seed in SEEDS]
    return cases + [fixed("ratio", "ST1", variant, u, seed) for variant in VARIANTS for u in ENDS for seed in SEEDS]


# --- starts ---


def start(part, name, policy, seed, *, variant="", load=0.0, drive=None, extra=None, hot_writes=None, static=0.0):
    """From where ComboFTL's fixed 30 % of the blocks leave the partitions."""
    drive = drive or Drive(pages=START_PAGES)
    *utilisations, theta = STARTS[name]
    hot_blocks = round(0.3 * drive.blocks)
    data = drive.data(hot_blocks, utilisations)
    settings = drive.settings(data, hot_blocks, hot_writes or theta, WRITES[name])
    if static:
        settings |= spaces(data, f"{drive.cold_pages * PAGE // 1024}k", static)
    if load:
        settings = without_depth(settings) | arriving(load * CAPACITY[name])
    chosen = TWO_LOGS if policy == "two logs" else POLICIES[policy]
    labels = labels_of(part, start=name, policy=policy, variant=variant, load=load, hot_writes=hot_writes or theta, seed=seed)
    return Case(CONFIG, FLAT | chosen | settings | (extra or {}), seed=seed, labels=labels)


REASONS = {  # what decides how much is gained: cost
    "cold requests of 4 pages": {"drive": {"cold_pages": 4}}, "kept blocks do not count": {"drive": {"counted": "usable"}},
    "both": {"drive": {"cold_pages": 4, "counted": "usable"}}, "64 pages": {"drive": {"pages": 64}},
    "20 % hot writes": {"hot_writes": 0.2}, "30 % hot writes": {"hot_writes": 0.3}, "50 % hot writes": {"hot_writes": 0.5}}
WAITING = {  # ... and response: at 0.8 of the capacity
    "64 pages": {"drive": {"pages": 64}}, "256 pages": {"drive": {"pages": 256}}, "2 blocks kept": {"drive": {"kept": 2}},
    "5 blocks kept": {"drive": {"kept": 5}}, "first come, first served": {"extra": {"ftl.scheduling": "fifo"}},
    "equal distances": {"extra": {"workload.rate_process": "linear"}}}
RULES = {"moves are free, as in the paper": {"broms.horizon": 4_000_000_000}, "hysteresis 1 %": {"broms.hysteresis": "1%"},
         "victims measured": {"broms.victim_model": "measured"}}


def starts(quick):
    seeds = SEEDS[:1] if quick else SEEDS
    names = ("hm", "prn", "fin") if quick else tuple(STARTS)
    cases = [start("starts", name, policy, seed) for name in names
             for policy in ((*POLICIES, "two logs") if not quick else POLICIES) for seed in seeds]
    cases += [start("open", name, policy, seed, load=load) for name in (("prn",) if quick else names)
              for load in ((0.8,) if quick else LOADS[name])
              for policy in POLICIES for seed in seeds]
    if quick:
        return cases
    cases += [start("reasons", name, policy, seed, variant=variant, **made_of(choice))
              for variant, choice in REASONS.items() for name in ("hm", "prn") for policy in POLICIES for seed in seeds]
    cases += [start("waiting", name, policy, seed, variant=variant, load=0.8, **made_of(choice))
              for name in ("prn", "fin") for variant, choice in WAITING.items() for policy in POLICIES for seed in seeds]
    cases += [start("rules", name, "BROMS", seed, variant=variant, extra=extra) for name in STARTS
              for variant, extra in RULES.items() for seed in seeds]
    return cases + [start("static", name, policy, seed, variant=variant, static=0.5, extra=extra)
                    for name in STARTS for policy, variant, extra in static_runs() for seed in seeds]


def made_of(choice):
    return choice | {"drive": Drive(**{"pages": START_PAGES} | choice["drive"])} if "drive" in choice else choice


def static_runs():
    return (("ComboFTL", "", None), ("BROMS", "law", None), ("BROMS", "measured", RULES["victims measured"]))


def over_time(quick):
    """Figure 9: the drive is new, and hm's data come to it with their first writes."""
    drive, (*utilisations, theta) = Drive(pages=START_PAGES), STARTS["hm"]
    hot_blocks = round(0.3 * drive.blocks)
    data = drive.data(hot_blocks, utilisations)
    settings = without_depth(drive.settings(data, hot_blocks, theta, (0, 5)))
    settings |= arriving(0.8 * CAPACITY["hm"]) | {"precondition.mode": "none", "report.interval": "5s"}
    return [Case(CONFIG, FLAT | POLICIES[policy] | settings, seed=seed,
                 labels=labels_of("figure 9", start="hm", policy=policy, load=0.8, hot_writes=theta, seed=seed))
            for policy in POLICIES for seed in (SEEDS[:1] if quick else SEEDS)]


# --- the grid on which BROMS must not lose ---


def plain(quick):
    cases = []
    for theta in (None, 0.9):
        for hot in (0.2, 0.8):
            for cold in (0.6, 0.9):
                for writes in (0.1, 0.9):
                    corner = theta is None and hot == 0.8 and cold == 0.6
                    if not quick or corner:
                        cases += on_grid(hot, cold, writes, theta, SEEDS[:1] if quick else SEEDS)
    return cases


def on_grid(hot, cold, writes, theta, seeds):
    drive = Drive()
    hot_blocks = round(0.3 * drive.blocks)
    data = drive.data(hot_blocks, (hot, cold))
    settings = drive.settings(data, hot_blocks, writes, (5, 3)) | spaces(data, "8k", theta=theta)
    name = f"{hot} / {cold}"
    return [Case(CONFIG, FLAT | chosen | settings, seed=seed,
                 labels=labels_of("grid", start=name, policy=policy, variant="zipf" if theta else "uniform", hot_writes=writes,
                                  seed=seed)) for policy, chosen in POLICIES.items() for seed in seeds]


# --- profiles and excerpts of the paper's traces ---

COLLECTING = ("fin1", "fin2", "hm_0", "mds_0", "prn_0", "proj_0", "rsrch_0", "src2_0", "stg_0", "ts_0", "usr_0", "wdev_0",
              "web_0")
IDLE = ("hm_1", "mds_1", "src1_0")  # their footprints are so small that nothing is collected
WRITTEN = {"proj_0": 0.2, "src2_0": 0.3, "fin2": 2.5, "rsrch_0": 0.9}  # requests, relative to the others
EXCERPTS = {"fin1": "fin1_first50000_4k.trace.zst", "hm_0": "msr_hm_0_excerpt_7016.csv.zst",
            "proj_0": "msr_proj_0_writes_1000.csv.zst", "mds_0": "msr_mds_0_writes_1000.csv.zst"}


def trace_folder():
    return pathlib.Path(os.environ.get("TWINPLANE_TRACES", ROOT / "traces/real"))


def small_drive(hot_share="30%"):
    """10 % of the blocks are idle, as in section 7.1."""
    drive = Drive()
    return {"geometry.channels": 1, "geometry.chips_per_channel": 1, "geometry.planes_per_die": 1,
            "geometry.blocks_per_plane": drive.blocks, "geometry.pages_per_block": drive.pages, "ftl.gc_threshold": drive.kept,
            "ftl.hot_share": hot_share, "ftl.over_provisioning": "26%", "data.mode": "none", "report.interval": "1s"} | closed(8)


def profile(part, name, policy, seed, hot_share="30%", rounds=1.0):
    requests = int((12_000 if name in IDLE else 60_000) * WRITTEN.get(name, 1) * rounds)
    options = ("--requests", str(requests), "--footprint", "85%")
    return Case(CONFIG, FLAT | POLICIES[policy] | small_drive(hot_share), profile=name, options=options, seed=seed,
                labels=labels_of(part, start=name, policy=policy, seed=seed))


def excerpt(name, policy, seed):
    """The drive is 70 % full of data that the excerpt hardly touches."""
    settings = small_drive() | {"precondition.mode": "fill", "precondition.fill": "70%", "host.drive_writes": 6}
    return Case(CONFIG, FLAT | POLICIES[policy] | settings, trace=str(trace_folder() / EXCERPTS[name]), seed=seed,
                labels=labels_of("excerpt", start=name, policy=policy, seed=seed))


def traces(quick):
    seeds = SEEDS[:1] if quick else SEEDS
    cases = [profile("figure 1", name, "ComboFTL", seed, "10%") for name in ("fin1", "prn_0") for seed in seeds]
    names = ("fin1", "prn_0", "hm_1") if quick else (*COLLECTING, *IDLE)
    cases += [profile("profile", name, policy, seed) for name in names for policy in POLICIES for seed in seeds]
    found = [] if quick else [name for name, file in EXCERPTS.items() if (trace_folder() / file).is_file()]
    return cases + [excerpt(name, policy, seed) for name in found for policy in POLICIES for seed in seeds]


def drives(quick):
    return predictions(quick) + figure_6(quick) + starts(quick) + over_time(quick) + plain(quick) + traces(quick)
