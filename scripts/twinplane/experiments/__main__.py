"""scripts/experiments: runs experiments and writes their reports."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing to tell as long as the imports below take

import argparse
import os
import pathlib
import sys
import time

from twinplane.errors import TwinplaneError
from twinplane.experiments import MODULES, load
from twinplane.experiments.outcome import Outcome
from twinplane.experiments.plane_time import measure, with_account
from twinplane.program import ROOT, Program
from twinplane.report import publish, render_index, render_page, render_results
from twinplane.report.claims import expected_text, found_text
from twinplane.sweeping import sweep


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/experiments", description="Runs experiments and writes reports.")
    parser.add_argument("names", nargs="+", metavar="NAME",
                        help=f"{', '.join(MODULES)}; all; list; results: only render docs/results.md again")
    parser.add_argument("--quick", action="store_true", help="a minute each on two cores, with wider tolerances")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler, e.g. tcp://host:8786 (default: here)")
    parser.add_argument("--workers", type=int, metavar="N", help="local processes (default: cores)")
    parser.add_argument("--program", type=pathlib.Path, help="executable (default: build/release/twinplane)")
    parser.add_argument("--store", type=pathlib.Path, metavar="DIR", help="folder of results (default: out/store)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", default=ROOT / "out/experiments",
                        help="folder of reports (default: out/experiments)")
    parser.add_argument("--publish", action="store_true", help="also bring docs/results and docs/results.md up to date")
    options = parser.parse_args(arguments)
    if options.publish and options.quick:
        parser.error("--publish is for full runs, not for --quick")
    return options


def names_of(options):
    """Experiments that were asked for; each name is checked before the first one runs."""
    names = list(MODULES) if "all" in options.names else list(dict.fromkeys(options.names))
    for name in names:
        load(name)
    return names


def run_one(name, options, program):
    experiment = load(name)
    start = time.monotonic()
    done = sweep(with_account(experiment.grid(options.quick)), measure(experiment.metrics), scheduler=options.scheduler,
                 workers=options.workers, store=options.store, program=program.path, title=name)
    outcome = Outcome(experiment, options.quick, program, done)
    folder = options.out / (f"{name}-quick" if options.quick else name)
    page = render_page(outcome, folder)
    if options.publish:
        publish(outcome)
    print(f"{name}: {len(done.cases)} runs, {outcome.verdict_text()}, {time.monotonic() - start:.0f} s; {page}")
    for claim in outcome.claims:
        if claim.broken:
            print(f"  missed: {claim.what}: expected {expected_text(claim)}, found {found_text(claim)}", file=sys.stderr)
    return not any(claim.broken for claim in outcome.claims)


def main(arguments=None):
    options = parse(arguments)
    if options.names == ["list"]:
        for name in MODULES:
            print(f"{name:16} {load(name).title}")
        return 0
    if options.names != ["results"]:
        names = names_of(options)
        program = Program.find(options.program)
        met = [run_one(name, options, program) for name in names]
        print(f"all reports: {render_index(options.out)}")
    if options.publish or options.names == ["results"]:
        print(f"wrote {render_results().relative_to(ROOT)}")
    return 0 if options.names == ["results"] or all(met) else 1


def interrupt(_number, _frame):
    """Once is a wish that is cleaned up after; twice is an order."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(130))
    raise KeyboardInterrupt


def guarded():
    signal.signal(signal.SIGINT, interrupt)
    # Through SIGINT, which waits while workers start.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        return main()
    except TwinplaneError as error:
        print(f"experiments: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("experiments: interrupted; finished runs are stored, the next run continues with them", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


if __name__ == "__main__":
    sys.exit(guarded())
