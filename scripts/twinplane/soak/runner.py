"""Runs the program on a case and gathers what there is to judge."""

import json
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from twinplane.soak import blocks
from twinplane.soak.registry import environment

CPU_SECONDS = 120  # a run takes a fraction of a second, a second of microsecond intervals a minute
WALL_SECONDS = 600  # for a run that waits instead of working
GUEST_SECONDS = 120  # for a guest
GOODBYE_SECONDS = 120  # for a server whose guest has gone


@dataclass
class Outcome:
    """What one execution left behind."""

    status: int = 0  # negative: killed by that signal
    out_of_time: bool = False
    stderr: str = ""
    summary: dict | None = None
    guest_status: int | None = None  # of a drive behind a socket; None: no guest came
    guest_said: str = ""
    repeated: "Outcome | None" = None  # its session, without the guest
    files: dict = field(default_factory=dict)  # name -> bytes, of what must be the same on repetition


class Runner:
    def __init__(self, program, images=None, cpu_seconds=CPU_SECONDS):
        self.images = images
        self.program = pathlib.Path(program)
        self.libraries = self.program.parent / "examples"
        rtl = self.libraries / blocks.RTL / "rtl_twinplane"
        self.rtl_program = rtl if rtl.exists() else self.program  # without Verilator: the same drive with our controller
        self.cpu_seconds = cpu_seconds

    def run(self, case, poison=False, save=None, load=None, save_end=None):
        """`poison`: fresh and freed memory is filled with something else than usual. `save`, `load`, `save_end`: files of the
        drive."""
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            root = pathlib.Path(folder)
            trace = root / "trace.csv"
            case.write_trace(trace)
            program = self.rtl_program if case.blocks == blocks.RTL else self.program
            words = [str(program), "run", *case.arguments(trace.name, self.libraries, self.images), "--out", "out"]
            words += ["--save-state", str(save)] if save else []
            words += ["--load-state", str(load)] if load else []
            words += ["--save-end", str(save_end)] if save_end else []
            return self._execute(words, root, poison)

    def replay(self, session):
        """A recorded session, without its guest."""
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            return self._execute(self._replay_words(session), pathlib.Path(folder), False, "again")

    def _replay_words(self, session):
        return [str(self.program), "run", "--replay-session", str(session), "--out", "again"]

    def serve(self, case, keep=None):
        """The drive behind a socket, until its guest goes. None: there is no such client in this build. `keep`: where its session
        goes, instead of being repeated."""
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            root = pathlib.Path(folder)
            client = case.client_words("drive.socket", self.program.parent)
            if not pathlib.Path(client[0]).exists():
                return None
            words = [str(self.program), "serve", *case.arguments(""), "--vfio-user", "drive.socket", "--out", "out", "--record", "session"]
            outcome = Outcome()
            with open(root / "stderr", "wb") as errors:
                server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, cwd=root,
                                          env=environment())
                try:
                    resource.prlimit(server.pid, resource.RLIMIT_CPU, (self.cpu_seconds, self.cpu_seconds + 1))
                    self._play(server, client, root, outcome)
                    outcome.status = server.wait(GOODBYE_SECONDS)
                except subprocess.TimeoutExpired:
                    outcome.out_of_time = True
                finally:
                    if server.poll() is None:
                        server.kill()
                        server.wait()
            outcome.out_of_time = outcome.out_of_time or outcome.status in (-24, -9)
            outcome.stderr = (root / "stderr").read_text(encoding="utf-8", errors="replace")
            gather(outcome, root / "out")
            whole = (root / "session").exists() and not outcome.out_of_time and not case.firmware
            if whole and keep is None:
                outcome.repeated = self._execute(self._replay_words("session"), root, False, "again")
            elif whole:
                shutil.move(root / "session", keep)
            return outcome

    def _play(self, server, client, root, outcome):
        """A drive that refuses its configuration never listens."""
        end = time.monotonic() + WALL_SECONDS
        while not (root / "drive.socket").exists() and server.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        if server.poll() is not None:
            return
        done = subprocess.run(client, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=root,
                              env=environment(), timeout=GUEST_SECONDS, check=False)
        outcome.guest_status, outcome.guest_said = done.returncode, done.stdout.decode("utf-8", errors="replace")

    def _execute(self, words, root, poison, out="out"):
        variables = environment()
        if poison:
            variables["MALLOC_PERTURB_"] = "165"
        outcome = Outcome()
        with open(root / "stderr", "wb") as errors:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                       cwd=root, env=variables)
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (self.cpu_seconds, self.cpu_seconds + 1))
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
            try:
                outcome.status = process.wait(WALL_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                outcome.status = process.wait()
                outcome.out_of_time = True
        outcome.out_of_time = outcome.out_of_time or outcome.status in (-24, -9)  # SIGXCPU, and SIGKILL after it
        outcome.stderr = (root / "stderr").read_text(encoding="utf-8", errors="replace")
        gather(outcome, root / out)
        return outcome


def gather(outcome, folder):
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name == "summary.json":
            outcome.summary = json.loads(path.read_text(encoding="utf-8"))
        elif path.is_file() and path.name != "summary.json":  # those of earlier lives tell of the wall clock
            outcome.files[name] = path.read_bytes()
