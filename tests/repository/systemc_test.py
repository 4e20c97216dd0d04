"""Does Twinplane build with Accellera's SystemC 3.0.2, and does it write the same bytes?

    systemc_test.py PROGRAM EXAMPLES WORK

PROGRAM and EXAMPLES are those of the build that asks, with its SystemC. Builds SystemC (scripts/systemc) and the program with an example
in WORK, where it goes on from what an earlier run has left. Each run is compared file by file, without what tells of the wall clock; and
each of the two programs has to refuse the other one's library of blocks. Status 77 where SystemC cannot be fetched.
"""

import filecmp
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "libshared_ecc_blocks.so"
WALL_CLOCK = ("wall_s", "requests_per_wall_s", "peak_rss_bytes")
DEMO = ("-c", "platform/configs/demo.toml")
SMALL = ("--set", "workload.rw=randrw", "--set", "workload.number_ios=3000")
RUNS = {
    "a trace with waves": (*DEMO, "--trace", "traces/demo.csv.zst", "--set", "host.max_requests=3000", "--vcd", "--perfetto"),
    "collection": (*DEMO, *SMALL, "--set", "precondition.mode=fill", "--set", "precondition.overwrite=50%", "--set", "host.mode=closed"),
    "bit errors and the monitor": (*DEMO, *SMALL, "--set", "bus.monitor=true", "--set", "nand.errors.reading=drawn", "--set",
                                   "controller.ecc.code=ldpc", "--set", "data.mode=full", "--vcd"),
    "the account of planes": ("-c", "platform/configs/tlc_8ch.toml", *SMALL, "--set", "report.plane_time=true"),
    "a block of another author": (*DEMO, *SMALL, "--blocks"),
    "the kernel asked for every event": (*DEMO, *SMALL, "--set", "cpu.run_ahead=0ps", "--vcd"),
    "a power cut": (*DEMO, *SMALL, "--power-cut", "2ms"),
}


def must(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout + done.stderr


def install(prefix):
    done = subprocess.run([ROOT / "scripts/systemc", prefix], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="", flush=True)
    if done.returncode != 0:
        sys.exit(done.returncode)


def build(folder, prefix):
    must(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-D", f"CMAKE_PREFIX_PATH={prefix}", "-D", "CMAKE_BUILD_TYPE=Release",
          "-D", "CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-D", "TWINPLANE_BENCH=OFF"])
    must(["cmake", "--build", folder, "--target", "twinplane", "shared_ecc_blocks"])
    program = folder / "twinplane"
    linked = [line for line in must(["ldd", program]).splitlines() if "libsystemc" in line]
    if not linked or str(prefix) not in linked[0]:
        sys.exit(f"{program} is not linked with the SystemC in {prefix}: {linked}")
    return program, folder / "examples" / LIBRARY


def run(program, library, words, out):
    words = [*words, library] if words[-1] == "--blocks" else words
    shutil.rmtree(out, ignore_errors=True)
    must([program, "run", *words, "--out", out], cwd=ROOT)


def without_wall_clock(file):
    summary = json.loads(file.read_text(encoding="utf-8"))
    for key in WALL_CLOCK:
        del summary["time"][key]
    return summary


def differences(ours, theirs):
    files = [sorted(file.relative_to(out) for file in out.rglob("*") if file.is_file()) for out in (ours, theirs)]
    if files[0] != files[1] or len(files[0]) < 2:
        return [f"files {files}"]
    return [str(name) for name in files[0] if not (
        without_wall_clock(ours / name) == without_wall_clock(theirs / name) if name.name == "summary.json"
        else filecmp.cmp(ours / name, theirs / name, shallow=False))]


def is_refused(program, library, out):
    done = subprocess.run([program, "run", *DEMO, *SMALL, "--blocks", library, "--out", out], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    if done.returncode == 1 and "with another SystemC" in done.stderr:
        return True
    print(f"{program} --blocks {library}: expected to be refused, ended with {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
    return False


def main():
    program, examples, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    prefix = (work / "systemc").resolve()
    install(prefix)
    other, other_library = build(work / "build", prefix)
    bad = 0
    for name, words in RUNS.items():
        run(program, examples / LIBRARY, words, work / "ours")
        run(other, other_library, words, work / "theirs")
        found = differences(work / "ours", work / "theirs")
        bad += len(found)
        print(f"{name}: " + (f"NOT THE SAME: {', '.join(found)}" if found else "the same bytes"), flush=True)
    bad += not is_refused(program, other_library, work / "refused")
    bad += not is_refused(other, examples / LIBRARY, work / "refused")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
