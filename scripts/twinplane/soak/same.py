"""Two builds on the same work: random drives, the experiments' quick forms, recorded guests, an image. What differs is named."""

import argparse
import concurrent.futures
import fnmatch
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass

from twinplane.soak import case as cases
from twinplane.soak import checks, guest
from twinplane.soak.registry import ROOT, ProgramError, Registry, environment
from twinplane.soak.runner import Outcome, Runner, gather

PARTS = ("drives", "experiments", "conformance", "image")
IDENTITY = ("version", "git")  # of the build
IMAGE_REQUESTS = 3000
SHOWN = 40


@dataclass(frozen=True)
class Builds:
    old: pathlib.Path
    new: pathlib.Path
    seed: int
    images: pathlib.Path | None

    def each(self):
        return self.old, self.new


def differences(first, second):
    """Names of summary keys and files that differ, each with both values as far as they are short."""
    found = {}
    if first.status != second.status:
        found["exit status"] = f"{first.status} and {second.status}: {second.stderr[-300:]}"
    ignored = checks.WALL_CLOCK + IDENTITY
    one, other = checks.comparable(first.summary or {}, ignored), checks.comparable(second.summary or {}, ignored)
    for key in sorted(one.keys() | other.keys()):
        if one.get(key) != other.get(key):
            found[key] = f"{one.get(key)} and {other.get(key)}"
    for name in sorted(first.files.keys() | second.files.keys()):
        if first.files.get(name) != second.files.get(name):
            found[name] = "the file"
    if first.status == second.status and messages(first) != messages(second):
        found["messages"] = f"{messages(first)[-200:]} and {messages(second)[-200:]}"
    return found


def messages(outcome):
    """Errors, warnings and remarks; progress tells of the wall clock."""
    return "\n".join(line for line in outcome.stderr.splitlines() if line.startswith(("error:", "warning:", "twinplane:")))


@functools.lru_cache
def registry_of(program):
    return Registry(program)


def compare_drive(builds, index):
    runners = [Runner(build / "twinplane", builds.images) for build in builds.each()]
    case = cases.draw(builds.seed, index, registry_of(builds.old / "twinplane"))
    if not case.guest:
        return differences(*(runner.run(case) for runner in runners))
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        session = pathlib.Path(folder) / "session"
        runners[0].serve(case, keep=session)
        return compare_session(builds, session) if session.exists() else {}


def compare_session(builds, session):
    return differences(*(Runner(build / "twinplane").replay(session) for build in builds.each()))


def compare_image(builds):
    words = ["run", "-c", str(ROOT / "platform/configs/demo.toml"), "--trace", str(ROOT / "traces/demo.csv.zst"), "--set",
             f"host.max_requests={IMAGE_REQUESTS}", "--set", "report.profile=true", "--firmware", str(builds.images)]
    return differences(*(executed(build / "twinplane", words) for build in builds.each()))


def executed(program, words, inputs=None):
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        for name, content in (inputs or {}).items():
            (pathlib.Path(folder) / name).write_bytes(content)
        done = subprocess.run([str(program), *words, "--out", "out"], cwd=folder, capture_output=True, text=True, check=False,
                              env=environment())
        outcome = Outcome(status=done.returncode, stderr=done.stderr)
        gather(outcome, pathlib.Path(folder) / "out")
        return outcome


def compare_jobs(jobs):
    """The same case of an experiment, as each build's job."""
    return differences(*(executed(job["program"], job["arguments"], job["inputs"]) for job in jobs))


def experiment_work(builds):
    """(name, function, argument) of each case of each experiment's quick form."""
    from twinplane.errors import RunError
    from twinplane.experiments import MODULES, load
    from twinplane.program import Program

    programs = [Program.find(build / "twinplane") for build in builds.each()]
    for name in MODULES:
        for case in load(name).grid(True):
            try:
                yield f"{name}: {case.name()}", compare_jobs, ([case.job(program) for program in programs],)
            except RunError as error:
                raise ProgramError(f"{name}: {case.name()}: {error}") from error


def conformance_work(builds, folder):
    client = environment() | {"TWINPLANE_BUILD": str(builds.old)}
    done = subprocess.run([ROOT / "scripts/nvme-conformance", "--record", folder], env=client, capture_output=True, text=True, check=False)
    sessions = sorted(pathlib.Path(folder).glob("*.session"))
    if not sessions:
        raise ProgramError(f"no session of the conformance rules was recorded: {(done.stderr or done.stdout)[-400:]}")
    for session in sessions:
        yield f"conformance: {session.stem}", compare_session, (builds, session)


def image_work(builds):
    yield "image: demo", compare_image, (builds,)


class Comparison:
    def __init__(self, excepted):
        self.excepted = excepted
        self.compared = 0
        self.different = {}  # name of the work -> its differences
        self.allowed = Counter()

    def take(self, name, found):
        self.compared += 1
        for pattern in self.excepted:
            for key in fnmatch.filter(list(found), pattern):
                self.allowed[pattern] += 1
                del found[key]
        if found:
            self.different[name] = found
            print(f"{name}: {len(found)} differ: {', '.join(list(found)[:4])}", flush=True)

    def report(self):
        """True when all is the same."""
        by_key = defaultdict(list)
        for name, found in self.different.items():
            for key, values in found.items():
                by_key[checks.without_numbers(key)].append((name, values))
        for key, places in sorted(by_key.items(), key=lambda item: -len(item[1]))[:SHOWN]:
            print(f"  {len(places):5} {key}, for example {places[0][0]}: {places[0][1]}")
        for pattern, count in self.allowed.items():
            print(f"  {count:5} allowed by --except {pattern}")
        print(f"{self.compared - len(self.different)} the same, {len(self.different)} different")
        return not self.different and self.compared != 0


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/same", description="Says whether two builds give the same results; docs/soak.md")
    parser.add_argument("old", type=pathlib.Path, help="folder of a build")
    parser.add_argument("new", type=pathlib.Path, help="folder of another one")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part alone; may be given several times")
    parser.add_argument("--runs", type=int, default=1000, help="random drives (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random drives (default 1)")
    parser.add_argument("--image", type=pathlib.Path, help="image of the firmware that both builds run (default: none, no image is run)")
    parser.add_argument("--except", dest="excepted", metavar="PATTERN", action="append", default=[],
                        help="differences that are expected: a summary key or file name, * and ? stand for others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: all cores)")
    return parser.parse_args(arguments)


def work(options, builds, folder):
    parts = options.only or [part for part in PARTS if part != "image" or options.image]
    if "conformance" in parts:
        yield from conformance_work(builds, folder)
    if "image" in parts:
        yield from image_work(builds)
    if "drives" in parts:
        for index in range(options.runs):
            yield f"drive {options.seed}:{index}", compare_drive, (builds, index)
    if "experiments" in parts:
        yield from experiment_work(builds)


def run(options):
    builds = Builds(options.old.resolve(), options.new.resolve(), options.seed, options.image.resolve() if options.image else None)
    for build in builds.each():
        if not (build / "twinplane").exists():
            raise ProgramError(f"{build}: there is no twinplane in it; expected the folder of a build")
    if (builds.old / "examples").is_dir() != (builds.new / "examples").is_dir():
        raise ProgramError("one of the builds has the blocks of examples/ and the other has not: build the target all of both")
    if not (builds.old / guest.CLIENT).exists() and options.only not in (["experiments"], ["image"]):
        raise ProgramError(f"{builds.old / guest.CLIENT}: missing; it plays the guests, and a build with tests has it")
    if not (builds.old / guest.CLIENT).exists() and options.only not in (["experiments"], ["image"]):
        raise ProgramError(f"{builds.old / guest.CLIENT}: missing; it plays the guests, and a build with tests has it")
    if options.only and "image" in options.only and not options.image:
        raise ProgramError("--only image: --image names the image (scripts/firmware makes one)")
    comparison = Comparison(options.excepted)
    with tempfile.TemporaryDirectory(prefix="same-") as folder, concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting = {}
        for name, function, arguments in work(options, builds, folder):
            waiting[pool.submit(function, *arguments)] = name
            while len(waiting) >= 4 * options.jobs:
                collect(waiting, comparison)
        while waiting:
            collect(waiting, comparison)
    return 0 if comparison.report() else 1


def collect(waiting, comparison):
    done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
    for future in done:
        comparison.take(waiting.pop(future), future.result())
        if comparison.compared % 100 == 0:
            print(f"... {comparison.compared} compared, {len(comparison.different)} different", flush=True)


def main(arguments=None):
    try:
        return run(parse(arguments))
    except ProgramError as error:
        print(f"same: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("same: interrupted", file=sys.stderr)
        return 130
