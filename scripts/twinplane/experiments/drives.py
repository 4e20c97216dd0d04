"""Are drives of today as fast as drives of their classes?"""

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure, Range, at_least, at_most, nothing_wrong
from twinplane.program import ROOT
from twinplane.report.style import COLOURS, SEEDS, new_figure
from twinplane.result import standard_metrics

QUESTION = """\
Each preset of `platform/configs` that is named for a class of drives is put together from the die of a conference paper and from
what a drive of that class has: a map of units, superblocks of a die, wordlines of all planes programmed in one pass, paced
collection, buffered writes. Nothing in it was fitted to a drive. How near does it come to the sheets of its class?

The sheets are makers' figures of the best capacity of a family, so a class is a range. `enterprise_tlc_gen4`: Intel D7-P5500 and
P5600, Kioxia CM6 and CD6, Micron 7400 and 7450, Samsung PM9A3. `enterprise_tlc_gen5`: Kioxia's CD8 and its prototype of 2021.
`enterprise_qlc_gen4`: Solidigm D5-P5336. `client_tlc_gen4`, a drive for desktops with an SLC-mode cache, is held against measurements
of one drive each: Samsung's 980 PRO of 1 TB (random reads; stonet-research, ICPE 2024, SPDK) and its sibling PM9A1 (sequential). Two
families of the first class are sold with one and with three drive writes a day, which are the same flash with less and with more of
it kept back: the ratio of their steady random writes asks for nothing but write amplification, and is the hardest test here.

Random writes are measured in the steady state: the drive is full and has been overwritten twice at random.
"""
CONFIGS = ROOT / "platform/configs"
FULL = {"precondition.mode": "fill", "precondition.fill": "100%"}
STEADY = FULL | {"precondition.overwrite": "200%", "workload.rw": "randwrite", "workload.bs": "4KiB", "host.iodepth": 64,
                 "report.interval": "1ms"}
THREE_WRITES = {"ftl.over_provisioning": "28%"}  # 1.6 TB instead of 1.92 TB
CORE_FREE = {"cpu.clock": "10GHz"}
EMPTY = {"precondition.mode": "none", "precondition.overwrite": "0%"}
READS = FULL | {"workload.rw": "randread", "workload.bs": "4KiB", "host.iodepth": 512}
#: What is run of every drive: settings, and requests in full.
OF_ALL = {
    "QD1 read": (FULL | {"workload.rw": "randread", "workload.bs": "4KiB", "host.iodepth": 1}, 20_000),
    "QD1 write": (FULL | {"workload.rw": "randwrite", "workload.bs": "4KiB", "host.iodepth": 1}, 20_000),
    "sequential read": (FULL | {"workload.rw": "read", "workload.bs": "128KiB", "host.iodepth": 64}, 60_000),
    "sequential write": (FULL | {"workload.rw": "write", "workload.bs": "128KiB", "host.iodepth": 32}, 60_000),
    "random read": (READS, 400_000),
    "random read, core free": (READS | CORE_FREE, 400_000),
    "steady random write": (STEADY, 1_000_000),
    "steady 70/30": (STEADY | {"workload.rw": "randrw", "workload.rwmixread": 70}, 1_000_000),
}
FIRST, CLIENT = "enterprise_tlc_gen4", "client_tlc_gen4"
#: ... and of one of them.
FURTHER = {
    FIRST: {
        "steady random write, 3 a day": (STEADY | THREE_WRITES, 1_000_000),
        "steady random write, collected by need": (STEADY | {"ftl.scheduling": "read_first"}, 1_000_000),
    },
    "enterprise_tlc_gen5": {},
    "enterprise_qlc_gen4": {},
    CLIENT: {
        **{f"random read at depth {depth}": (READS | {"host.iodepth": depth}, 100_000) for depth in (8, 32, 64)},
        "random read at depth 64, core free": (READS | CORE_FREE | {"host.iodepth": 64}, 100_000),
        "sequential write into the cache": (EMPTY | {"workload.rw": "write", "workload.bs": "128KiB", "host.iodepth": 32}, 8_000),
    },
}
COLLECTED = ("steady random write", "steady random write, collected by need")
SHEETS = {FIRST: "sheets of gen4 drives for servers, 2020 to 2022", "enterprise_tlc_gen5": "sheets of gen5 drives for servers, 2021, 2022",
          "enterprise_qlc_gen4": "sheet of a QLC drive for servers, 2023", CLIENT: "Samsung 980 PRO and PM9A1 of 1 TB, measured"}


def grid(quick):
    return [Case(str(CONFIGS / f"{drive}.toml"), settings | {"workload.number_ios": requests // (20 if quick else 1)}, seed=seed,
                 labels={"drive": drive, "test": test, "seed": seed})
            for drive, further in FURTHER.items() for test, (settings, requests) in (OF_ALL | further).items()
            for seed in ((1,) if quick else (1, 2, 3))]


def metrics(result):
    """A row of the run, and for the steady state one for each 5 ms of its first two seconds."""
    row = standard_metrics(result) | {"write_max_ns": result.write.max_ns}
    if result.summary["config"]["precondition"]["overwrite"] == "0%":
        return row
    line = result.timeline()
    done = line["read_iops"] + line["write_iops"] > 0
    line = line[line["end_us"] <= line["end_us"][done].max()]  # up to the last completion
    idle = (line["read_iops"] + line["write_iops"] == 0).astype(int)
    pauses = idle.groupby((idle == 0).cumsum()).sum()
    row["pause_ms"] = float(pauses.max()) if len(pauses) else 0.0
    parts = line[line["end_us"] <= 2e6].groupby(line["start_us"] // 5e3)["write_latency_p99_us"].max()
    return [row] + [{"at_ms": 5.0 * at, "write_p99_us": p99} for at, p99 in parts.items()]


def runs(frame):
    return frame[frame["waf"].notna() | frame["read_count"].notna()]


def mean_of(frame, drive, test, column):
    rows = runs(frame)
    return float(rows[(rows["drive"] == drive) & (rows["test"] == test)][column].mean())


def table(frame):
    rows = runs(frame)
    shown = rows.groupby(["drive", "test"], sort=False).mean(numeric_only=True).reset_index()
    shown = shown.assign(kiops=(shown["read_iops"] + shown["write_iops"]) / 1e3,
                         gb=(shown["read_mb_per_s"] + shown["write_mb_per_s"]) / 1e3)
    for side in ("read", "write"):
        for name in ("mean", "p99", "p99_9"):
            shown[f"{side} {name}"] = shown[f"{side}_{name}_ns"] / 1e3
    names = {"drive": "drive", "test": "test", "kiops": "kIOPS", "gb": "GB/s", "read mean": "read mean (us)", "read p99": "read p99 (us)",
             "read p99_9": "read p99.9 (us)", "write mean": "write mean (us)", "write p99": "write p99 (us)",
             "write p99_9": "write p99.9 (us)", "waf": "WAF"}
    return shown[list(names)].rename(columns=names)


def headlines(frame):
    """(drive, what, unit, the sheets' range, found, why not) of each figure that sheets have."""
    def thousands(drive, test, column):
        return mean_of(frame, drive, test, column) / 1e3

    def one_core(drive):
        return f"one core runs all firmware here; without its time {thousands(drive, 'random read, core free', 'read_iops'):.0f} kIOPS"

    def of_all(drive, read, write, random_read):
        return [
            (drive, "sequential read, 128 KiB", "GB/s", read, thousands(drive, "sequential read", "read_mb_per_s"), WHY.get((drive, "read"), "")),
            (drive, "sequential write, 128 KiB", "GB/s", write, thousands(drive, "sequential write", "write_mb_per_s"),
             WHY.get((drive, "write"), "")),
            (drive, "random read, 4 KiB", "kIOPS", random_read, thousands(drive, "random read", "read_iops"), one_core(drive)),
        ]

    def at_depth_1(drive, read, write):
        return [
            (drive, "read at depth 1, 4 KiB", "us", read, thousands(drive, "QD1 read", "read_mean_ns"),
             "what a host's driver and interrupt take is not modelled"),
            (drive, "buffered write at depth 1, 4 KiB", "us", write, thousands(drive, "QD1 write", "write_mean_ns"),
             "what a host's driver and interrupt take is not modelled, nor a controller's front end beyond its cycles"),
        ]

    one = thousands(FIRST, "steady random write", "write_iops")
    three = thousands(FIRST, "steady random write, 3 a day", "write_iops")
    gen5, qlc = "enterprise_tlc_gen5", "enterprise_qlc_gen4"
    return [
        *of_all(FIRST, Range(6.2, 7.0), Range(3.5, 5.6), Range(900, 1400)),
        (FIRST, "steady random write, one drive write a day", "kIOPS", Range(85, 200), one, ""),
        (FIRST, "steady random write, three a day", "kIOPS", Range(250, 350), three,
         "the sheets are of drives of up to 7.68 TB; this is one of 2 TB"),
        (FIRST, "three drive writes a day to one", "", Range(2.0, 2.9), three / one, ""),
        *at_depth_1(FIRST, Range(75, 90), Range(14, 20)),
        *of_all(gen5, Range(7.2, 14), Range(6.0, 7.0), Range(1250, 2500)),
        (gen5, "steady random write, one drive write a day", "kIOPS", Range(200, 200), thousands(gen5, "steady random write", "write_iops"),
         "one sheet; what this drive's flash gives stands in the table"),
        *at_depth_1(gen5, Range(70, 75), Range(10, 14)),
        *of_all(qlc, Range(7.4, 7.4), Range(3.2, 3.2), Range(930, 930)),
        *of_client(frame),
    ]


def of_client(frame):
    def of(what, unit, measured, test, column, why=""):
        return CLIENT, what, unit, Range(measured, measured), mean_of(frame, CLIENT, test, column) / 1e3, why

    free = mean_of(frame, CLIENT, "random read at depth 64, core free", "read_iops") / 1e3
    one_core = f"one core runs all firmware here; without its time {free:.0f} kIOPS"
    return [
        of("sequential read, 128 KiB", "GB/s", 6.19, "sequential read", "read_mb_per_s", "the link, less what packets of 256 B carry beside their data"),
        of("sequential write into the cache, 128 KiB", "GB/s", 5.01, "sequential write into the cache", "write_mb_per_s",
           "slc.tPROG, which no source gives, decides"),
        of("random read at depth 1, 4 KiB", "us", 60.0, "QD1 read", "read_mean_ns"),
        of("random read at depth 8, 4 KiB", "kIOPS", 125.4, "random read at depth 8", "read_iops"),
        of("random read at depth 32, 4 KiB", "kIOPS", 400.5, "random read at depth 32", "read_iops", "dies that queue; the drive's own are not known"),
        of("random read at depth 64, 4 KiB", "kIOPS", 590.0, "random read at depth 64", "read_iops", one_core),
    ]


#: What decides where a figure is not that of the sheets.
WHY = {
    ("enterprise_tlc_gen5", "write"): "64 dies program 9.2 GB/s; no parity is written, and no limit of energy is set",
    ("enterprise_qlc_gen4", "read"): "the link, less what packets of 256 B carry beside their data",
    ("enterprise_qlc_gen4", "write"): "the sheet is of 1,000 dies and more, whose energy or channels decide; here the 128 dies do",
}


def claims(frame, quick):
    made = [nothing_wrong(runs(frame))]
    made += [Claim(f"{drive}: {what}", SHEETS[drive], sheet, found, unit, 0.05, why=why)
             for drive, what, unit, sheet, found, why in headlines(frame)]
    steady = {column: mean_of(frame, FIRST, "steady random write", column) for column in ("write_mean_ns", "write_p99_9_ns", "pause_ms")}
    made += [
        Claim("p99.9 of steady writes at depth 64, in means", "collection that the host does not notice", at_most(10),
              steady["write_p99_9_ns"] / steady["write_mean_ns"], "", own=True),
        Claim("longest time without a completion at depth 64", "collection that the host does not notice", at_most(10),
              steady["pause_ms"], "ms", own=True),
        Claim("IOPS that pacing leaves of collection by need", "the price is the space that earlier collection keeps", at_least(0.8),
              mean_of(frame, FIRST, COLLECTED[0], "write_iops") / mean_of(frame, FIRST, COLLECTED[1], "write_iops"), "", own=True),
    ]
    return made


# --- plots ---

def beside_sheets(frame):
    """Each figure over the middle of the sheets' range."""
    rows = headlines(frame)
    figure, axes = new_figure(width=8.5, height=8.0)
    for y, (_, _, unit, sheet, found, _) in enumerate(reversed(rows)):
        middle = (sheet.low + sheet.high) / 2
        axes.plot([sheet.low / middle, sheet.high / middle], [y, y], color=COLOURS[1], linewidth=7, alpha=0.5, solid_capstyle="butt",
                  label="sheets" if y == 0 else None)
        axes.plot(found / middle, y, "o", color=COLOURS[0], label="simulated" if y == 0 else None)
        axes.annotate(f"{found:.3g} {unit}", (found / middle, y), textcoords="offset points", xytext=(6, 5), fontsize="small")
    axes.set_yticks(range(len(rows)), [f"{drive.removeprefix('enterprise_')}: {what}" for drive, what, *_ in reversed(rows)],
                    fontsize="small")
    axes.set(xlabel="over the middle of the sheets' range", xlim=(0, None))
    axes.legend(loc=(0.02, 0.3))
    return Figure("sheets", "What makers' sheets say of the class, and what the drive does." + SEEDS, figure)


def over_time(frame):
    figure, axes = new_figure(width=8.5, height=4.0)
    for test, colour, label in zip(COLLECTED, COLOURS, ("paced", "by need (read_first)")):
        rows = frame[(frame["drive"] == FIRST) & (frame["test"] == test) & frame["at_ms"].notna() & (frame["seed"] == 1)]
        axes.plot(rows["at_ms"], rows["write_p99_us"] / 1e3, color=colour, label=label, linewidth=1)
    axes.set(xlabel="time (ms)", ylabel="p99 of writes in 1 ms, worst of 5 ms (ms)", yscale="log")
    axes.legend()
    return Figure("pacing", "Write latency of `enterprise_tlc_gen4` over time in the steady state at depth 64, with paced collection and with collection by need.",
                  figure)


def figures(frame):
    return [beside_sheets(frame), over_time(frame)]


EXPERIMENT = Experiment("drives", "Drives of today held against the sheets of their classes", QUESTION, grid, table, figures, claims, metrics)
