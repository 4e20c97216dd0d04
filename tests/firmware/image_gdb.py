#!/usr/bin/env python3
"""Can an image be debugged with gdb, with results that do not depend on it? A session of gdb-multiarch, and clients that
go away, kill, talk nonsense or never come. Usage: image_gdb.py PROGRAM IMAGE"""

import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import image_faults  # noqa: E402
from image_runs import FULL, RANDOM, SMALL, files  # noqa: E402

SETTINGS = SMALL + RANDOM + FULL
DOORBELL = "0x40100018"  # of the first flash controller, in the image's address space
SESSION = f"""
set pagination off
set confirm off
set width 0
target remote 127.0.0.1:%d
break twinplane::fw::Collector::begin
continue
backtrace
printf "victim %%d of site %%d\\n", victim, site
monitor queues
monitor rings
monitor dies
monitor planes
monitor refused
monitor help
monitor nonsense
delete
break twinplane::fw::target::TargetHal::mmio_write if $r1 == 0x100018
continue
printf "rung before %%u\\n", *(unsigned*){DOORBELL}
printf "to ring %%u\\n", value
delete
next
next
printf "rung behind %%u\\n", *(unsigned*){DOORBELL}
watch *(unsigned*){DOORBELL}
continue
delete
awatch *(unsigned*)0x40000018
continue
delete
tbreak twinplane::fw::Collector::erase_done
continue
watch -location jobs.active_
continue
delete
stepi
stepi
info registers pc cpsr sp
hbreak twinplane::fw::Firmware::step
continue
finish
delete
continue
"""
WANTED = [
    r"Breakpoint 1, twinplane::fw::Collector::begin \(this=0x6[0-9a-f]+|Breakpoint 1, twinplane::fw::Collector::begin",
    r"#\d+ .*Firmware::step .* at firmware/boot/firmware.cpp:\d+", r"#\d+ .*main \(\) at firmware/target/main.cpp:\d+",
    r"SQ1 +1024 .* completed to CQ1", r"CQ0 ", r"\nDMA +\d+ +\d+ +\d+", r"\nflash 1 ", r"\nch1 chip0 lun0 +(idle|programming|reading)",
    r"\nch0 chip0 lun0 plane1 ", "nothing has been refused", "no such command: nonsense",
    r"atchpoint \d+: \*\(unsigned\*\)0x40100018\n\nOld value = \d+\nNew value = \d+",
    r"access.*watchpoint \d+: \*\(unsigned\*\)0x40000018\n\n(Old v|V)alue = \d+",
    r"atchpoint \d+: -location jobs.active_\n\nOld value = \d+\nNew value = \d+",
    r"cpsr +0x", r"Value returned is \$\d+ = (true|false)", r"\[Inferior 1 \(Remote target\) exited normally\]",
]
problems = []


def expect(name, condition, text):
    if not condition:
        problems.append(f"{name}: {text}")


class Run:
    """The program, waiting for gdb."""

    def __init__(self, program, image, out, *words, settings=SETTINGS):
        command = [program, "run", "--seed", "7", "--firmware", str(image), "--out", str(out), "--gdb", "0", *words]
        for setting in settings:
            command += ["--set", setting]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said = ""
        while "waiting for gdb on port" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError(f"no port: {self.said}")
            self.said += line
        self.port = int(re.search(r"gdb on port (\d+)", self.said).group(1))

    def end(self):
        _, text = self.process.communicate(timeout=120)
        self.said += text
        return self.process.returncode


class Client:
    """A few words of gdb's protocol."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.stream = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(f"${text}#{sum(text.encode()) & 255:02x}".encode())

    def packet(self):
        """None: the connection has been closed."""
        while (byte := self.stream.read(1)) != b"$":
            if not byte:
                return None
        text = b""
        while (byte := self.stream.read(1)) != b"#":
            text += byte
        self.stream.read(2)
        return text.decode()

    def ask(self, text):
        self.send(text)
        return self.packet()

    def close(self):
        self.stream.close()
        self.socket.close()


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else -1


def check_session(program, image, folder, plain):
    run = Run(program, image, folder / "session")
    script = folder / "session.gdb"
    script.write_text(SESSION % run.port)
    done = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", str(script), str(image)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=200)
    if done.returncode != 0:
        run.process.kill()  # it waits for gdb for ever
    status = run.end()
    expect("session", status == 0, f"ends with {status}: {run.said}")
    for wanted in WANTED:
        expect("session", re.search(wanted, done.stdout), f"no '{wanted}'")
    if problems:
        problems.append(f"the session:\n{done.stdout}")
    victim = number(r"\nvictim (\d+) of site [0-3]\n", done.stdout)
    expect("session", 0 <= victim < 24, f"victim {victim}")
    before, to_ring, behind = (number(rf"\n{word} (\d+)\n", done.stdout) for word in ("rung before", "to ring", "rung behind"))
    expect("session", before < to_ring == behind, f"the register write: {before}, {to_ring}, {behind}")
    expect("session", files(folder / "session") == plain, "has changed the results")


def check_unchanged(name, run, folder, plain):
    status = run.end()
    expect(name, status == 0, f"ends with {status}: {run.said}")
    expect(name, files(folder) == plain, "has changed the results")


def check_clients(program, image, folder, plain):
    out = folder / "goes"
    run = Run(program, image, out)
    gdb = Client(run.port)
    expect("goes", gdb.ask("?") == "T05thread:1;", "no stop")
    expect("goes", gdb.ask("Z0,80,4") == "OK" and gdb.ask("Z2,60000000,4") == "OK", "no points")
    gdb.socket.sendall(b"$g#")
    gdb.close()
    check_unchanged("a client that goes", run, out, plain)

    out = folder / "nonsense"
    run = Run(program, image, out)
    gdb = Client(run.port)
    gdb.socket.sendall(b"GET / HTTP/1.1\r\n\r\n\x00\xff$#00$m#zz$" + b"x" * 20000)
    expect("nonsense", gdb.packet() in (None, ""), "an answer to nonsense")
    gdb.close()
    check_unchanged("nonsense", run, out, plain)

    out = folder / "interrupt"
    run = Run(program, image, out)
    gdb = Client(run.port)
    gdb.send("vCont;c")
    gdb.socket.sendall(b"\x03")
    expect("Ctrl-C", gdb.packet() == "T02thread:1;", "no stop")
    expect("Ctrl-C", re.fullmatch("[0-9a-f]{136}", gdb.ask("g")), "no registers")
    gdb.send("D")
    expect("detach", gdb.packet() == "OK" and gdb.packet() is None, "no end")
    gdb.close()
    again = Client(run.port)
    expect("detach", again.ask("?").startswith("T0"), "no second client")
    again.send("c")
    expect("second client", again.packet() == "W00", "no exit")
    check_unchanged("detach", run, out, plain)

    run = Run(program, image, folder / "killed")
    gdb = Client(run.port)
    gdb.send("vCont;c")
    gdb.socket.sendall(b"\x03")
    gdb.packet()
    gdb.send("k")
    status = run.end()
    expect("kill", status == 128 + signal.SIGTERM and "the debugger ends the run" in run.said, f"{status}: {run.said}")
    gdb.close()

    run = Run(program, image, folder / "no_client")
    run.process.send_signal(signal.SIGINT)
    status = run.end()
    expect("no client comes", status == 128 + signal.SIGINT, f"{status}: {run.said}")


def check_fault(program, image, folder):
    """gdb sees the fault before the run ends with its report."""
    good = pathlib.Path(image).read_bytes()
    at = image_faults.offset_of(good, image_faults.function(image, "twinplane::fw::Ftl::on_flash_irq"))
    bad = folder / "bad.elf"
    bad.write_bytes(good[:at] + bytes.fromhex("0102a0e3000080e5") + good[at + 8:])  # mov r0, #0x10000000; str r0, [r0]
    run = Run(program, bad, folder / "fault")
    gdb = Client(run.port)
    gdb.send("c")
    expect("fault", gdb.packet() == "T0bthread:1;", "no signal")
    expect("fault", gdb.ask("p0") == "00000010", "another r0")
    gdb.send("c")
    expect("fault", gdb.packet() == "W46", "no exit status")
    status = run.end()
    expect("fault", status == 70 and "write where nothing is" in run.said, f"{status}: {run.said}")
    expect("fault", (folder / "fault" / "summary.json").exists(), "no reports")
    gdb.close()


def refused(program, *words):
    return subprocess.run([program, "run", *words, "--set", "workload.number_ios=1"], capture_output=True, text=True, timeout=60)


def check_refusals(program, image):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = refused(program, "--firmware", image, "--gdb", port)
        expect("port in use", done.returncode == 1 and f"--gdb {port}: cannot listen on 127.0.0.1: Address already in use"
               in done.stderr, f"{done.returncode}: {done.stderr}")
    done = refused(program, "--gdb", "3333")
    expect("host code", done.returncode == 1 and "expected --firmware IMAGE.elf" in done.stderr, done.stderr)
    for port in ("70000", "-1", "x", ""):
        done = refused(program, "--firmware", image, f"--gdb={port}")
        expect(f"port {port}", done.returncode not in (0, 70) and "--gdb" in done.stderr, done.stderr)


def main():
    program, image = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain = subprocess.run([program, "run", "--seed", "7", "--firmware", image, "--out", str(folder / "plain"),
                                *(word for setting in SETTINGS for word in ("--set", setting))],
                               capture_output=True, text=True, timeout=120)
        expect("plain run", plain.returncode == 0, plain.stderr)
        expected = files(folder / "plain")
        check_session(program, image, folder, expected)
        check_clients(program, image, folder, expected)
        check_fault(program, image, folder)
        check_refusals(program, image)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
