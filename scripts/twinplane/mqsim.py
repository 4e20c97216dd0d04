"""Twinplane's side of the comparison with MQSim (docs/comparison.md): mean latencies, and the figure of both.

    python3 scripts/twinplane mqsim check    [PROGRAM]   a few points again; fails unless they are those of docs/comparison/mqsim.csv
    python3 scripts/twinplane mqsim measure  [PROGRAM]   all points, written into docs/comparison/mqsim.csv (a minute)
    .venv/bin/python scripts/twinplane mqsim draw   docs/comparison/mqsim.csv as docs/images/mqsim.png

MQSim's rows are measurements of MQSim 7ec40e3 and are left alone.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/comparison/mqsim.csv"
DEPTHS = (1, 8, 32, 128)
WORK = {"read_4k_us": ("randread", "4KiB", 20000), "write_4k_us": ("randwrite", "4KiB", 20000),
        "read_128k_us": ("read", "128KiB", 2000), "write_128k_us": ("write", "128KiB", 2000)}


def rows_of(simulator):
    with open(TABLE, encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["simulator"] == simulator]


def mean_us(program, dies, depth, column):
    rw, size, requests = WORK[column]
    settings = {"geometry.dies_per_chip": dies, "host.iodepth": depth, "workload.rw": rw, "workload.bs": size,
                "workload.number_ios": requests}
    if "write" in rw:
        settings |= {"precondition.mode": "none", "precondition.fill": "80%"}
    with tempfile.TemporaryDirectory() as folder:
        words = [w for key, value in settings.items() for w in ("--set", f"{key}={value}")]
        subprocess.run([program, "run", "-c", ROOT / "docs/comparison/mqsim.toml", *words, "--out", folder], check=True,
                       capture_output=True)
        host = json.loads((pathlib.Path(folder) / "summary.json").read_text())["host"]
    return host["write" if "write" in rw else "read"]["latency_ns"]["mean"] / 1000


def measure(program):
    rows = rows_of("MQSim")
    for dies in (2, 1):
        for depth in DEPTHS:
            means = {column: f"{mean_us(program, dies, depth, column):.1f}" for column in WORK}
            rows.append({"simulator": "Twinplane", "dies_per_chip": dies, "depth": depth} | means)
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def check(program):
    """The points on which the explanation rests: chips of one die agree with MQSim in writes."""
    wrong = 0
    mqsim = {row["depth"]: row for row in rows_of("MQSim")}
    for row in rows_of("Twinplane"):
        if row["depth"] not in ("1", "8"):
            continue
        for column in WORK:
            found = mean_us(program, row["dies_per_chip"], row["depth"], column)
            near_mqsim = row["dies_per_chip"] == "1" and column == "write_128k_us" and row["depth"] == "8"
            bad = abs(found - float(row[column])) > 0.06
            bad |= near_mqsim and abs(found - float(mqsim["8"][column])) > 1
            wrong += bad
            print(f"{row['dies_per_chip']} dies, depth {row['depth']}, {column}: {found:.1f}, table {row[column]}"
                  + ("   <-- differs" if bad else ""))
    return 1 if wrong else 0


def draw():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    titles = ("read 4 KiB, random", "write 4 KiB, random", "read 128 KiB, sequential", "write 128 KiB, sequential")
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
    series = [("MQSim, chips of 2 dies", rows_of("MQSim"), dict(color="#c1440e", marker="s", zorder=3)),
              ("Twinplane, chips of 2 dies",
               [r for r in rows_of("Twinplane") if r["dies_per_chip"] == "2"], dict(color="#1b6ca8", marker="o")),
              ("Twinplane, chips of 1 die (as MQSim serves them)",
               [r for r in rows_of("Twinplane") if r["dies_per_chip"] == "1"],
               dict(color="#2a9d8f", marker="D", linestyle="--"))]
    for one, column, title in zip(axes.flat, WORK, titles):
        for label, rows, look in series:
            one.loglog([int(r["depth"]) for r in rows], [float(r[column]) for r in rows], label=label, **look)
        one.set(title=title, xlabel="requests in flight", ylabel="mean latency [us]", xticks=DEPTHS,
                xticklabels=DEPTHS)
        one.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        one.yaxis.set_major_formatter("{x:,.0f}")
        one.minorticks_off()
        one.grid(alpha=0.3)
    axes[0, 0].legend(fontsize=7)
    figure.savefig(ROOT / "docs/images/mqsim.png", dpi=110, metadata={"Software": None})


def main():
    command, program = (sys.argv[1:] + ["", ""])[:2]
    program = program or ROOT / "build/release/twinplane"
    if command not in ("check", "measure", "draw"):
        print(__doc__, file=sys.stderr)
        return 2
    return {"check": check, "measure": measure, "draw": lambda _: draw()}[command](program) or 0
