#!/usr/bin/env python3
"""Does the image do what the firmware as code of the program does? Short runs of drives and policies, each verified, with no
command refused, and with the same bytes twice. Usage: image_runs.py PROGRAM IMAGE"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = ["geometry.channels=2", "geometry.dies_per_chip=1", "geometry.planes_per_die=2", "geometry.blocks_per_plane=24",
         "geometry.pages_per_block=48"]
RANDOM = ["workload.rw=randrw", "workload.rwmixread=40", "workload.bs=4k", "host.mode=closed", "host.iodepth=16",
          "workload.number_ios=1500"]
FULL = ["precondition.mode=fill", "precondition.fill=100%", "precondition.overwrite=10%", "ftl.over_provisioning=25%"]
MLC = ["nand.cell=mlc", "nand.program_order=ascending"]
CASES = {
    "collection": FULL,
    "every byte": [*FULL, "data.mode=full"],
    "aged": ["precondition.mode=aged"],
    "twin blocks": [*FULL, "ftl.policy=d+tbm"],
    "page types": [*FULL, "ftl.policy=pa-ssd", "nand.program_order=relaxed", "ftl.over_provisioning=35%"],
    "broms": [*FULL, *MLC, "ftl.policy=broms", "ftl.over_provisioning=45%"],
    "ipu": [*FULL, "ftl.policy=ipu", "geometry.subpages_per_page=2", "nand.partial_programs=4"],
    "units": [*FULL, "ftl.map_unit=4KiB", "geometry.page_size=16KiB", "geometry.sector_size=4KiB",
              "precondition.overwrite=100%"],
    "buffer": [*FULL, "ftl.write_buffer=32", "ftl.write_ack=buffered"],
    "cache of the core": [*FULL, "cpu.cache_size=16KiB", "cpu.cpi.dram=3", "cpu.cpi.branch=2"],
}
problems = []


def run(program, out, settings, *words):
    command = [program, "run", "--seed", "7", "--out", str(out), *words]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    if done.returncode != 0:
        problems.append(f"{' '.join(command)}\n  ends with {done.returncode}: {done.stderr.strip()}")
        return None
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))


def files(folder):
    """All that a run has written, but for what tells of the wall clock."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.name == "summary.json":
                data = re.sub(rb'"(wall_s|requests_per_wall_s|peak_rss_bytes|cpu_s)":[^,}]*', b"", data.replace(b" ", b""))
            found[str(path.relative_to(folder))] = data
    return found


def judge(name, summary):
    verify = summary["host"]["verify"]
    if verify["checked"] == 0 and "aged" not in name:
        problems.append(f"{name}: nothing was verified")
    if verify["mismatches"] or summary["nand"]["violations"]["total"]:
        problems.append(f"{name}: {verify['mismatches']} mismatches, {summary['nand']['violations']['total']} refused")


def profile(root, program, image):
    """The profile changes nothing, adds up, and names what the load is made of."""
    settings = [*SMALL, *RANDOM, *FULL, "cpu.cpi.load_store=1.5", "cpu.cpi.dram=2"]
    plain = run(program, root / "plain", settings, "--firmware", image)
    profiled = run(program, root / "profile", settings + ["report.profile=true"], "--firmware", image)
    if plain is None or profiled is None:
        return
    for part in ("host", "nand", "ftl", "utilisation"):
        if plain[part] != profiled[part]:
            problems.append(f"profile: changes {part}")
    firmware = profiled["firmware"]
    if {**firmware, "profile": None} != plain["firmware"]:
        problems.append("profile: changes what is counted")
    lines = (root / "profile/profile.folded").read_text(encoding="ascii").splitlines()
    folded = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
    work = {name: cost["cycles"] for name, cost in firmware["profile"]["work"].items()}
    busy = profiled["utilisation"]["core"] * profiled["host"]["measured_ns"]  # at 1 GHz: cycles
    for name, cycles in {"folded": folded, "work": sum(work.values()), "busy": busy}.items():
        if abs(cycles / firmware["cycles"] - 1) > 1e-4:
            problems.append(f"profile: {cycles} cycles by {name}, {firmware['cycles']} in all")
    absent = [name for name in ("turn", "dispatch", "read", "write", "collection") if not work[name]]
    if absent or work["other"]:
        problems.append(f"profile: {work}")
    most = firmware["profile"]["functions"][0]
    if not most["name"].startswith("twinplane::fw::") or not 0 < most["calls"] < most["instructions"]:
        problems.append(f"profile: {most}")
    latency = firmware["interrupt_latency_ns"]
    if not 0 < firmware["interrupts"] or not 0 < latency["min"] <= latency["p50"] <= latency["p99"] <= latency["max"]:
        problems.append(f"interrupts: {firmware['interrupts']}, {latency}")


def waves(root, program, image):
    """Observers that ask the firmware from inside its accesses do not disturb it."""
    settings = SMALL + RANDOM + CASES["ipu"]
    plain = run(program, root / "unseen", settings, "--firmware", image)
    seen = run(program, root / "seen", settings + ["waves.to=5ms"], "--firmware", image, "--vcd")
    if plain is not None and seen is not None and plain["host"] != seen["host"]:
        problems.append("waves change the image's run")


def unwatched(summary):
    """What must not depend on who looks at the firmware."""
    return {key: part for key, part in summary.items() if key not in ("config", "time", "accounts", "plane_time")}


def watched(root, name, settings, program, image):
    """Does the image tell of collections, requests, flash commands and waiting work, in no time of its own? And does it tell of
    the time of planes what host code tells, as far as the two are equally fast?"""
    settings = [*settings, "report.profile=true"]
    silent = run(program, root / "silent", settings, "--firmware", image)
    settings.append("report.plane_time=true")
    told = run(program, root / "told", settings, "--firmware", image, "--perfetto")
    host = run(program, root / "host", [s for s in settings if s != "report.profile=true"])
    if None in (silent, told, host):
        return
    for part, value in unwatched(silent).items():
        if told[part] != value:
            problems.append(f"{name}: the results depend on whether the firmware is observed: {part}")
    if (root / "silent/profile.folded").read_bytes() != (root / "told/profile.folded").read_bytes():
        problems.append(f"{name}: the profile depends on whether the firmware is observed")
    text = (root / "told/waves.json").read_text(encoding="utf-8")
    collections = text.count('"name":"collect"')
    if not 0 < collections == told["ftl"]["gc"]["invocations"]:
        problems.append(f"{name}: {collections} collections told of, {told['ftl']['gc']['invocations']} made")
    check_plane_time(name, told["plane_time"], host["plane_time"])


def check_plane_time(name, image, host):
    causes = image["causes_ns"]
    if abs(sum(causes.values()) / image["total_ns"] - 1) > 1e-9:
        problems.append(f"{name}: causes of {sum(causes.values())} ns in {image['total_ns']}")
    shares = {cause: (time / image["total_ns"], host["causes_ns"][cause] / host["total_ns"]) for cause, time in causes.items()}
    apart = max(shares, key=lambda cause: abs(shares[cause][0] - shares[cause][1]))
    print(f"{name}: planes' time {image['total_ns']:.0f} ns, host code {host['total_ns']:.0f};"
          f" most apart {apart}, {shares[apart][0]:.4f} and {shares[apart][1]:.4f}")
    if abs(shares[apart][0] - shares[apart][1]) > 0.02:
        problems.append(f"{name}: {apart} has {shares[apart][0]:.4f} of the planes' time, with host code {shares[apart][1]:.4f}")
    for cause in ("read_host", "program_host", "program_gc", "erase_gc", "dependency", "core"):
        if not causes[cause] or not host["causes_ns"][cause]:
            problems.append(f"{name}: no time of planes for {cause}")
    for cause in ("read_other", "program_other", "erase_other"):
        if causes[cause]:
            problems.append(f"{name}: {causes[cause]} ns of {cause}: a part does not tell")


def main():
    program, image = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for number, (name, settings) in enumerate(CASES.items()):
            settings = SMALL + RANDOM + settings
            summary = run(program, root / f"{number}", settings, "--firmware", image)
            host = run(program, root / f"{number}h", settings)
            if summary is None or host is None:
                continue
            judge(name, summary)
            if summary["workload"]["requests"] != host["workload"]["requests"]:
                problems.append(f"{name}: another number of requests than host code")
            print(f"{name}: {summary['ftl']['gc']['blocks_erased']} blocks collected,"
                  f" IOPS {summary['host']['write']['iops']:.0f}, host code {host['host']['write']['iops']:.0f}")
        again = SMALL + RANDOM + FULL
        for part in "ab":
            run(program, root / part, again, "--firmware", image, "--vcd", "--perfetto")
        if files(root / "a") != files(root / "b"):
            problems.append("two runs of the same image differ")
        for name in ("collection", "broms"):
            watched(root, name, SMALL + RANDOM + CASES[name], program, image)
        profile(root, program, image)
        waves(root, program, image)
        power = [*SMALL, *RANDOM, "precondition.mode=fill", "precondition.fill=60%", "ftl.over_provisioning=25%"]
        cut = run(program, root / "cut", power, "--firmware", image, "--perfetto",
                  "--power-cut", "random:2", "--set", "report.plane_time=true")
        if cut is not None:
            judge("power cut", cut)
            lives = cut["power_cycles"] if isinstance(cut["power_cycles"], list) else [cut["power_cycles"]]
            print(f"power cut: {json.dumps(lives)[:300]}")
        state = str(root / "state")
        run(program, root / "save", again, "--firmware", image, "--save-state", state)
        loaded = run(program, root / "load", again, "--firmware", image, "--load-state", state)
        if loaded is not None:
            judge("loaded", loaded)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
