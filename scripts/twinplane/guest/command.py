"""The command of scripts/linux-demo: guest and drive together, and a look at what came of it."""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import checks, image, packages, session

ROOT = pathlib.Path(__file__).resolve().parents[3]
TESTS = ["probe", "identify", "health", "io", "files", "fio", "reset"]
SHORT = ["probe", "identify", "health", "io"]
SKIPPED = 77
MEMORY = "768M"


def arguments(words):
    parser = argparse.ArgumentParser(prog="scripts/linux-demo", description="Boots Debian's Linux on a modelled drive.")
    parser.add_argument("--short", action="store_true", help="probe, nvme-cli and 64 MiB of verified data only")
    parser.add_argument("--tests", help="of " + ",".join([*TESTS, "speed"]))
    parser.add_argument("--out", default="out/linux", help="folder of the report (out/linux)")
    parser.add_argument("--cache", default="out/guest", help="folder where the guest is kept (out/guest)")
    parser.add_argument("--program", help="default: build/release/twinplane, which is built")
    parser.add_argument("--config", default="platform/configs/guest.toml")
    parser.add_argument("--boots", type=int, default=1, help="so many in a row")
    parser.add_argument("--crash", action="store_true", help="QEMU is killed while the guest writes, and what it had flushed is looked for")
    parser.add_argument("--repeat", action="store_true", help="the session is recorded and repeated without its guest; the report must be the same")
    parser.add_argument("--vfio-user", metavar="QEMU", help="a QEMU of version 10.1 or newer, with the drive behind a vfio-user socket")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for a boot (1200)")
    parser.add_argument("--quiet", action="store_true", help="the guest's console goes to OUT/console.txt alone")
    parser.add_argument("--may-skip", action="store_true", help=f"status {SKIPPED} where QEMU or the packages cannot be had")
    return parser.parse_args(words)


def qemu_arguments(linux, initrd, tests):
    """One thread for all processors: with more, QEMU 7.2 drops register writes of this device (docs/linux_host.md). A busy
    machine starves the guest's clock, which Linux takes for broken hardware (no_timer_check)."""
    return ["-machine", "pc,memory-backend=mem0", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2", "-m", MEMORY,
            "-object", f"memory-backend-memfd,id=mem0,size={MEMORY},share=on", "-nodefaults", "-no-user-config", "-nographic",
            "-no-reboot", "-serial", "stdio", "-kernel", str(linux), "-initrd", str(initrd), "-append",
            "console=ttyS0 panic=-1 quiet no_timer_check nvme_core.io_timeout=600 nvme_core.admin_timeout=600 tests=" + ",".join(tests)]


def require_qemu():
    if shutil.which("qemu-system-x86_64") is None:
        raise packages.Unavailable("qemu-system-x86_64 is missing: scripts/install_deps guest")
    version = packages.words_of(["qemu-system-x86_64", "--version"])
    if not re.search(r"version 7\.2\.", version):
        raise packages.Unavailable(f"Debian 12's QEMU 7.2 is needed, and this is {version.splitlines()[0]}")


def boot(options, guest, tests, image_file=None, on_line=lambda line, process: None):
    """Serves one life of the guest. Returns its console, the report and the program's exit status."""
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    serve = [options.program, "serve", "-c", options.config, "--out", str(out), *(["--image", str(image_file), "--set", "ftl.checkpoint_interval=5000"] if image_file else []),
             *(["--record", str(session.file_of(out))] if options.repeat else [])]
    words = qemu_arguments(*guest, tests)
    if options.vfio_user:
        console, status = boot_over_vfio_user(options, serve, words, on_line)
    else:
        console, status = console_of(options, [*serve, "--qemu", "--", *words], on_line)
    return console, json.loads((out / "summary.json").read_text()), status


def console_of(options, command, on_line):
    """What the command prints, and its exit status."""
    lines = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process, open(pathlib.Path(options.out) / "console.txt", "w", encoding="utf-8") as log:
        end = time.monotonic() + options.timeout
        for line in process.stdout:
            lines.append(line)
            log.write(line)
            on_line(line, process)
            if not options.quiet:
                print(line, end="", flush=True)
            if time.monotonic() > end:
                process.terminate()
    return "".join(lines), process.returncode


def boot_over_vfio_user(options, serve, words, on_line):
    """The same with a QEMU that finds the drive at a socket."""
    with tempfile.TemporaryDirectory() as folder:
        socket = pathlib.Path(folder) / "drive"
        device = json.dumps({"driver": "vfio-user-pci", "socket": {"type": "unix", "path": str(socket)}})
        with subprocess.Popen([*serve, "--vfio-user", str(socket)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
            while not socket.exists() and server.poll() is None:
                time.sleep(0.01)
            console, status = console_of(options, [options.vfio_user, *words, "-device", device], on_line)
            if status != 0:
                server.terminate()
    return console, max(status, server.returncode)


def kill_qemu(server):
    """SIGKILL for the QEMU that this server has started, and for no other process."""
    children = pathlib.Path(f"/proc/{server}/task/{server}/children").read_text().split()
    for child in map(int, children):
        if pathlib.Path(f"/proc/{child}/comm").read_text().startswith("qemu"):
            os.kill(child, signal.SIGKILL)


def numbers(console, word):
    return [int(n) for n in re.findall(rf"@{word} (\d+)", console)]


def crash(options, guest):
    """A guest is killed at a random moment; the next one must find what it had flushed. The drive keeps its power."""
    image_file = pathlib.Path(options.out) / "crash.image"
    image_file.unlink(missing_ok=True)
    last = random.randint(5, 60)
    late = random.random() / 10

    def watch(line, process):
        if f"@flushed {last}" == line.strip():
            time.sleep(late)
            kill_qemu(process.pid)

    console, summary, status = boot(options, guest, ["fill"], image_file, watch)
    flushed = numbers(console, "flushed")
    console, _, later = boot(options, guest, ["held"], image_file)
    held = numbers(console, "held")
    power = numbers(console, "power")  # cycles, and those that no shutdown had ended; only with checkpoints does the drive know
    ok = status == later == 0 and flushed and held[:len(flushed)] == flushed and power == [2, 0] and "@off" in console
    print(f"linux-demo: killed {late * 1000:.0f} ms after {last} was flushed: {len(flushed)} MiB flushed, {len(held)} held, "
          f"{summary['workload']['unanswered']} requests unanswered, {power[-1:]} unsafe shutdowns: {'all well' if ok else 'NOT WELL'}", flush=True)
    return 0 if ok else 1


def run(options):
    tests = options.tests.split(",") if options.tests else SHORT if options.short else TESTS
    if not options.vfio_user:
        require_qemu()
    guest = image.build(options.cache)
    if options.crash and options.vfio_user:
        sys.exit("linux-demo: --crash is for the QEMU that serve starts: expected no --vfio-user")
    if options.crash:
        return max(crash(options, guest) for _ in range(options.boots))
    for number in range(1, options.boots + 1):
        start = time.monotonic()
        console, summary, status = boot(options, guest, tests)
        found = checks.findings(tests, console, summary)
        if status != 0:
            found.append(f"twinplane serve ended with {status}")
        elif options.repeat:
            found += session.findings(options.program, options.out)
        if found:
            print(f"linux-demo: boot {number}:", *found, sep="\n  ", file=sys.stderr)
            return 1
        print(f"linux-demo: boot {number}: {', '.join(tests)}: all well, {time.monotonic() - start:.1f} s", flush=True)
    return 0


def plots(options):
    """They come last: their packages are from PyPI, which not every machine can reach. Debian's own matplotlib will do."""
    python = ROOT / ".venv/bin/python"
    if not python.exists():
        subprocess.run([str(ROOT / "scripts/install_deps"), "plots"], check=False, stdout=subprocess.DEVNULL)
    drawn = subprocess.run([str(python) if python.exists() else "python3", str(ROOT / "scripts/plots.py"), options.out], check=False)
    plot = pathlib.Path(options.out) / "busy_planes.png"
    print(f"linux-demo: {plot} shows which planes were busy" if drawn.returncode == 0 and plot.exists() else
          f"linux-demo: no plots: matplotlib is missing. apt-get install python3-matplotlib && python3 scripts/plots.py {options.out}")


def prepare():
    """As scripts/demo does: what is missing is installed and built."""
    os.chdir(ROOT)
    for command in (["scripts/install_deps", "build", "guest"], ["cmake", "--preset", "release"],
                    ["cmake", "--build", "--preset", "release", "--target", "twinplane", "-j", str(os.cpu_count())]):
        subprocess.run(command, check=True)


def main(words=None):
    options = arguments(words)
    if options.program is None:
        prepare()
        options.program = "build/release/twinplane"
    try:
        status = run(options)
    except packages.Unavailable as error:
        print(f"linux-demo: {'skipped: ' if options.may_skip else ''}{error}", file=sys.stderr)
        return SKIPPED if options.may_skip else 1
    if status == 0 and not options.quiet:
        plots(options)
    return status
