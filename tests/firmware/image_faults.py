#!/usr/bin/env python3
"""How does a run end whose image cannot go on? With cause, pc, function and line, backtrace, time, and the reports so far.
The images are the good one with a few bytes changed. Usage: image_faults.py PROGRAM IMAGE"""

import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

RANDOM = ["workload.rw=randrw", "workload.bs=4k", "workload.number_ios=500", "host.mode=closed", "host.iodepth=4"]
HEADER = 0x80
# What becomes of the first instructions of Firmware::serve_flash(), and words of the message that must follow.
FAULTS = {
    "jump into nothing": ([0xE3A00207, 0xE12FFF10], ["jump to where nothing is", "0x70000000"]),
    "write to nothing": ([0xE3A00201, 0xE5800000], ["write where nothing is", "0x10000000"]),
    "read from nothing": ([0xE3A00201, 0xE5900000], ["read where nothing is", "0x10000000"]),
    "write to code": ([0xE3A00B01, 0xE5800000], ["write to memory that is only read", "0x00000400"]),
    "jump to data": ([0xE3A00602, 0xE12FFF10], ["jump to memory that is not for code", "0x00200000"]),
    "byte of a register": ([0xE3A00101, 0xE5D01000], ["not of a word", "0x40000000"]),
    "undefined instruction": ([0xE7F000F0], ["undefined instruction"]),
    "stack overflow": ([0xE52D0004, 0xEAFFFFFD], ["stack overflow"]),
    "endless loop": ([0xEAFFFFFE], ["cpu.watchdog", "endless loop"]),
}
# In one of the first turns, or with --strict in any.
UNALIGNED = {
    "unaligned word": ([0xE3A00602, 0xE5901001], ["read of 4 bytes that is not aligned", "0x00200001"]),
    "unaligned half": ([0xE3A00602, 0xE1C010B3], ["write of 2 bytes that is not aligned", "0x00200003"]),
    "unaligned double": ([0xE3A00602, 0xE1C020D2], ["read of 4 bytes that is not aligned", "0x00200002"]),
    "unaligned register": ([0xE3A00101, 0xE5901002], ["read of 4 bytes that is not aligned", "0x40000002"]),
    "unaligned DRAM": ([0xE3A00206, 0xE5801001], ["write of 4 bytes that is not aligned", "0x60000001"]),
    "byte of a register, too": ([0xE3A00101, 0xE5D01000], ["not of a word", "0x40000000"]),
}
problems = []


def expect(name, condition, text):
    if not condition:
        problems.append(f"{name}: {text}")


def run(program, image, out, *words):
    command = [program, "run", "--firmware", str(image), "--out", str(out), "--set", "cpu.watchdog=50ms", *words]
    for setting in RANDOM:
        command += ["--set", setting]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def offset_of(image, address):
    """Where in the file the byte lies that is loaded to the address."""
    table, = struct.unpack_from("<I", image, 28)
    size, count = struct.unpack_from("<HH", image, 42)
    for i in range(count):
        kind, offset, _, physical, length = struct.unpack_from("<5I", image, table + i * size)
        if kind == 1 and physical <= address < physical + length:
            return offset + address - physical
    raise ValueError(hex(address))


def function(path, name):
    names = subprocess.run(["arm-none-eabi-nm", "-C", path], capture_output=True, text=True, check=True).stdout
    return int(re.search(rf"^(\w+) [tTW] .*{re.escape(name)}\(", names, re.M).group(1), 16)


def check_faults(program, path, folder, faults, *words_of_run):
    good = pathlib.Path(path).read_bytes()
    at = offset_of(good, function(path, "twinplane::fw::Ftl::on_flash_irq"))
    for name, (words, wanted) in faults.items():
        bad = bytearray(good)
        struct.pack_into(f"<{len(words)}I", bad, at, *words)
        image = folder / "bad.elf"
        image.write_bytes(bad)
        out = folder / name.replace(" ", "_")
        done = run(program, image, out, *words_of_run)
        text = done.stderr
        expect(name, done.returncode == 70, f"ends with {done.returncode}: {text}")
        places = ["Ftl::on_flash_irq", "ftl.cpp:", "Firmware::step", "main.cpp:", "#0", "#1"]
        if name.startswith("jump"):
            places.remove("ftl.cpp:")
        for word in [*wanted, *places, " at "]:
            expect(name, word in text, f"does not say '{word}': {text}")
        summary = json.loads((out / "summary.json").read_text()) if (out / "summary.json").exists() else {}
        expect(name, summary.get("panic"), "no reports so far")


def patched(path, folder, name, words):
    image = bytearray(pathlib.Path(path).read_bytes())
    struct.pack_into(f"<{len(words)}I", image, offset_of(image, function(path, name)), *words)
    bad = folder / "bad.elf"
    bad.write_bytes(image)
    return bad


def check_loops_in_calls(program, path, folder):
    """A function that is called from outside is under the watchdog, and hears signals, too."""
    image = patched(path, folder, "twinplane::fw::ZeroTimeWriter::store", [0xEAFFFFFE])
    fills = ["--set", "precondition.mode=fill"]
    done = run(program, image, folder / "called", *fills)
    expect("loop in a call", done.returncode == 70, f"ends with {done.returncode}: {done.stderr}")
    for word in ("cpu.watchdog", "ZeroTimeWriter::store", "endless loop"):
        expect("loop in a call", word in done.stderr, f"does not say '{word}': {done.stderr}")
    command = [program, "run", "--firmware", str(image), "--set", "cpu.watchdog=3600s", "--set", RANDOM[0], *fills]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    expect("signal in a call", process.poll() is None, "has ended before the signal")
    process.send_signal(signal.SIGTERM)
    try:
        _, text = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        _, text = process.communicate()
    expect("signal in a call", process.returncode == 70 and "since a signal" in text, f"{process.returncode}: {text}")


def check_without_probes(program, path, folder):
    """An image need not tell what it does: a table of no probe points."""
    good = bytearray(pathlib.Path(path).read_bytes())
    header = offset_of(good, HEADER)
    good[header + 28:header + 32] = good[header + 24:header + 28]
    image = folder / "silent.elf"
    image.write_bytes(good)
    done = run(program, image, folder / "silent")
    expect("no probes", done.returncode == 0, f"ends with {done.returncode}: {done.stderr}")
    summary = json.loads((folder / "silent" / "summary.json").read_text())
    told = run(program, path, folder / "told")
    expect("no probes", told.returncode == 0, told.stderr)
    expected = json.loads((folder / "told" / "summary.json").read_text())
    expect("no probes", any("no probe points" in w for w in summary["warnings"]), f"no warning: {summary['warnings']}")
    for side in ("read", "write"):
        one, other = summary["host"][side], expected["host"][side]
        expect("no probes", one["latency_ns"] == other["latency_ns"], f"{side}: other latencies")
        parts = one["breakdown_ns"]
        expect("no probes", abs(sum(parts.values()) - one["latency_ns"]["mean"]) < 1, f"{side}: {parts}")


def check_strict_run(program, path, folder):
    """The image itself has no unaligned access, and nothing but the check changes."""
    results = []
    for words in ([], ["--strict"]):
        done = run(program, path, folder / "results", *words)
        expect("strict", done.returncode == 0, f"ends with {done.returncode}: {done.stderr}")
        summary = json.loads((folder / "results" / "summary.json").read_text())
        results.append({key: summary[key] for key in ("host", "ftl", "nand", "channels", "firmware")})
    expect("strict", results[0] == results[1], "differs from a run that is not")


def check_refusals(program, path, folder):
    good = pathlib.Path(path).read_bytes()
    header = offset_of(good, HEADER)
    changed = {
        "other core": (18, struct.pack("<H", 62), "is for another core: x86-64, expected"),
        "big-endian": (5, b"\2", "is big-endian"),
        "newer layer": (header + 4, struct.pack("<I", 9), "wants version 9"),
        "other sources": (header + 8, struct.pack("<I", 1), "was built from other sources"),
        "points beyond its code": (header + 28, struct.pack("<I", 1 << 20 | 1), "table of probe points"),
        "no header": (header, b"none", "no header at 0x00000080"),
        "no program": (0, b"#!/b", "is no ELF executable"),
    }
    for name, (offset, data, wanted) in changed.items():
        image = folder / "bad.elf"
        image.write_bytes(good[:offset] + data + good[offset + len(data):])
        done = run(program, image, folder / "refused")
        expect(name, done.returncode not in (0, 70) and wanted in done.stderr, f"{done.returncode}: {done.stderr}")
    image.write_bytes(good[:2000])
    done = run(program, image, folder / "refused")
    expect("cut", done.returncode == 1 and "cut short" in done.stderr, f"{done.returncode}: {done.stderr}")
    done = run(program, folder / "absent.elf", folder / "refused")
    expect("absent", done.returncode == 1 and "cannot be read" in done.stderr, f"{done.returncode}: {done.stderr}")


def main():
    program, path = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check_faults(program, path, pathlib.Path(folder), FAULTS)
        check_faults(program, path, pathlib.Path(folder), UNALIGNED)
        check_faults(program, path, pathlib.Path(folder), UNALIGNED, "--strict")
        check_strict_run(program, path, pathlib.Path(folder))
        check_refusals(program, path, pathlib.Path(folder))
        check_loops_in_calls(program, path, pathlib.Path(folder))
        check_without_probes(program, path, pathlib.Path(folder))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
