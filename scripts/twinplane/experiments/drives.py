"""Is a drive of today as fast as drives of its class?"""

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure, Range, at_least, at_most, nothing_wrong
from twinplane.program import ROOT
from twinplane.report.style import COLOURS, SEEDS, new_figure
from twinplane.result import standard_metrics

QUESTION = """\
`platform/configs/enterprise_tlc_gen4.toml` is put together from the die of a conference paper and from what a drive for servers of
about 2020 has: 32 dies on eight channels, a map of 4 KiB, superblocks of a die, wordlines of all planes programmed in one pass,
paced collection, buffered writes. Nothing in it was fitted to a drive. How near does it come to the sheets of its class?

The sheets are makers' figures of the best capacity of a family, so a class is a range: Intel D7-P5500 and P5600, Kioxia CM6 and CD6,
Micron 7400 and 7450, Samsung PM9A3. Two of these families are sold with one and with three drive writes a day, which are the same
flash with less and with more of it kept back: the ratio of their steady random writes asks for nothing but write amplification, and
is the hardest test here.

Random writes are measured in the steady state: the drive is full and has been overwritten twice at random.
"""
CONFIG = ROOT / "platform/configs/enterprise_tlc_gen4.toml"
FULL = {"precondition.mode": "fill", "precondition.fill": "100%"}
STEADY = FULL | {"precondition.overwrite": "200%", "workload.rw": "randwrite", "workload.bs": "4KiB", "host.iodepth": 64,
                 "report.interval": "1ms"}
THREE_WRITES = {"ftl.over_provisioning": "28%"}  # 1.6 TB instead of 1.92 TB
#: What is run: settings, and requests in full.
TESTS = {
    "QD1 read": (FULL | {"workload.rw": "randread", "workload.bs": "4KiB", "host.iodepth": 1}, 20_000),
    "QD1 write": (FULL | {"workload.rw": "randwrite", "workload.bs": "4KiB", "host.iodepth": 1}, 20_000),
    "sequential read": (FULL | {"workload.rw": "read", "workload.bs": "128KiB", "host.iodepth": 64}, 60_000),
    "sequential write": (FULL | {"workload.rw": "write", "workload.bs": "128KiB", "host.iodepth": 32}, 60_000),
    "random read": (FULL | {"workload.rw": "randread", "workload.bs": "4KiB", "host.iodepth": 512}, 400_000),
    "random read, core free": (FULL | {"workload.rw": "randread", "workload.bs": "4KiB", "host.iodepth": 512,
                                       "cpu.clock": "10GHz"}, 400_000),
    "steady random write": (STEADY, 1_000_000),
    "steady random write, 3 a day": (STEADY | THREE_WRITES, 1_000_000),
    "steady random write, collected by need": (STEADY | {"ftl.scheduling": "read_first"}, 1_000_000),
    "steady 70/30": (STEADY | {"workload.rw": "randrw", "workload.rwmixread": 70}, 1_000_000),
}
COLLECTED = ("steady random write", "steady random write, collected by need")
SHEETS = "sheets of gen4 drives for servers, 2020 to 2022"


def grid(quick):
    return [Case(str(CONFIG), settings | {"workload.number_ios": requests // (20 if quick else 1)}, seed=seed,
                 labels={"test": test, "seed": seed})
            for test, (settings, requests) in TESTS.items() for seed in ((1,) if quick else (1, 2, 3))]


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


def mean_of(frame, test, column):
    rows = runs(frame)
    return float(rows[rows["test"] == test][column].mean())


def table(frame):
    rows = runs(frame)
    shown = rows.groupby("test", sort=False).mean(numeric_only=True).reset_index()
    shown = shown.assign(kiops=(shown["read_iops"] + shown["write_iops"]) / 1e3,
                         gb=(shown["read_mb_per_s"] + shown["write_mb_per_s"]) / 1e3)
    for side in ("read", "write"):
        for name in ("mean", "p99", "p99_9"):
            shown[f"{side} {name}"] = shown[f"{side}_{name}_ns"] / 1e3
    names = {"test": "test", "kiops": "kIOPS", "gb": "GB/s", "read mean": "read mean (us)", "read p99": "read p99 (us)",
             "read p99_9": "read p99.9 (us)", "write mean": "write mean (us)", "write p99": "write p99 (us)",
             "write p99_9": "write p99.9 (us)", "waf": "WAF"}
    return shown[list(names)].rename(columns=names)


def headlines(frame):
    """(what, unit, the sheets' range, found, why not) of each figure that sheets have."""
    def thousands(test, column):
        return mean_of(frame, test, column) / 1e3

    one = thousands("steady random write", "write_iops")
    three = thousands("steady random write, 3 a day", "write_iops")
    free = thousands("random read, core free", "read_iops")
    return [
        ("sequential read, 128 KiB", "GB/s", Range(6.2, 7.0), thousands("sequential read", "read_mb_per_s"), ""),
        ("sequential write, 128 KiB", "GB/s", Range(3.5, 5.6), thousands("sequential write", "write_mb_per_s"), ""),
        ("random read, 4 KiB", "kIOPS", Range(900, 1400), thousands("random read", "read_iops"),
         f"one core runs all firmware here; without its time {free:.0f} kIOPS"),
        ("steady random write, one drive write a day", "kIOPS", Range(85, 200), one, ""),
        ("steady random write, three a day", "kIOPS", Range(250, 350), three, "the sheets are of drives of up to 7.68 TB; this is one of 2 TB"),
        ("three drive writes a day to one", "", Range(2.0, 2.9), three / one, ""),
        ("read at depth 1, 4 KiB", "us", Range(75, 90), thousands("QD1 read", "read_mean_ns"),
         "what a host's driver and interrupt take is not modelled"),
        ("buffered write at depth 1, 4 KiB", "us", Range(14, 20), thousands("QD1 write", "write_mean_ns"),
         "what a host's driver and interrupt take is not modelled, nor a controller's front end beyond its cycles"),
    ]


def claims(frame, quick):
    made = [nothing_wrong(runs(frame))]
    made += [Claim(what, SHEETS, sheet, found, unit, 0.05, why=why) for what, unit, sheet, found, why in headlines(frame)]
    steady = {column: mean_of(frame, "steady random write", column) for column in ("write_mean_ns", "write_p99_9_ns", "pause_ms")}
    made += [
        Claim("p99.9 of steady writes at depth 64, in means", "collection that the host does not notice", at_most(10),
              steady["write_p99_9_ns"] / steady["write_mean_ns"], "", own=True),
        Claim("longest time without a completion at depth 64", "collection that the host does not notice", at_most(10),
              steady["pause_ms"], "ms", own=True),
        Claim("IOPS that pacing leaves of collection by need", "the price is the space that earlier collection keeps", at_least(0.8),
              mean_of(frame, COLLECTED[0], "write_iops") / mean_of(frame, COLLECTED[1], "write_iops"), "", own=True),
    ]
    return made


# --- plots ---

def beside_sheets(frame):
    """Each figure over the middle of the sheets' range."""
    rows = headlines(frame)
    figure, axes = new_figure(width=8.5, height=4.4)
    for y, (what, unit, sheet, found, _) in enumerate(reversed(rows)):
        middle = (sheet.low + sheet.high) / 2
        axes.plot([sheet.low / middle, sheet.high / middle], [y, y], color=COLOURS[1], linewidth=7, alpha=0.5, solid_capstyle="butt",
                  label="sheets" if y == 0 else None)
        axes.plot(found / middle, y, "o", color=COLOURS[0], label="simulated" if y == 0 else None)
        axes.annotate(f"{found:.3g} {unit}", (found / middle, y), textcoords="offset points", xytext=(6, 5), fontsize="small")
    axes.set_yticks(range(len(rows)), [what for what, *_ in reversed(rows)])
    axes.set(xlabel="over the middle of the sheets' range", xlim=(0, None))
    axes.legend(loc=(0.02, 0.3))
    return Figure("sheets", "What makers' sheets say of the class, and what the drive does." + SEEDS, figure)


def over_time(frame):
    figure, axes = new_figure(width=8.5, height=4.0)
    for test, colour, label in zip(COLLECTED, COLOURS, ("paced", "by need (read_first)")):
        rows = frame[(frame["test"] == test) & frame["at_ms"].notna() & (frame["seed"] == 1)]
        axes.plot(rows["at_ms"], rows["write_p99_us"] / 1e3, color=colour, label=label, linewidth=1)
    axes.set(xlabel="time (ms)", ylabel="p99 of writes in 1 ms, worst of 5 ms (ms)", yscale="log")
    axes.legend()
    return Figure("pacing", "Write latency over time in the steady state at depth 64, with paced collection and with collection by need.",
                  figure)


def figures(frame):
    return [beside_sheets(frame), over_time(frame)]


EXPERIMENT = Experiment("drives", "A drive of today held against the sheets of its class", QUESTION, grid, table, figures, claims, metrics)
