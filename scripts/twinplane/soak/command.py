"""The command line of scripts/soak."""

import argparse
import itertools
import os
import pathlib
import sys
import time

from twinplane.soak import image
from twinplane.soak.campaign import Campaign
from twinplane.soak.domains import DOMAINS
from twinplane.soak.registry import ROOT, ProgramError

RUNS = 200


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/soak", description="Runs random drives, workloads and policies and "
                                     "checks every run; docs/soak.md")
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--runs", type=int, help=f"so many runs (default {RUNS})")
    amount.add_argument("--seconds", type=float, help="runs for so long")
    amount.add_argument("--case", metavar="SEED:INDEX", help="this run alone, and makes it small when it fails")
    parser.add_argument("--seed", type=int, default=1, help="run i of a seed is always the same (default 1)")
    parser.add_argument("--first", type=int, default=0, metavar="INDEX", help="the first run's number (default 0)")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/twinplane",
                        help="default: the release build")
    parser.add_argument("--images", type=pathlib.Path, metavar="DIR",
                        help="folder of the firmware's images, as build/firmware has them; without it no run has one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: all cores)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keeps failures: command, trace, findings")
    parser.add_argument("--minimise", type=int, default=8, metavar="N",
                        help="makes the first failure of so many kinds small (default 8)")
    parser.add_argument("--allowance", type=float, default=90, metavar="SECONDS", help="for each of them (default 90)")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    try:
        return run(options)
    except ProgramError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("soak: interrupted", file=sys.stderr)
        return 130


def run(options):
    seed, indices = options.seed, None
    if options.case:
        seed, index = (int(part) for part in options.case.split(":"))
        indices = [index]
    images = options.images.resolve() if options.images else None
    if images and not any(image.image_of(images, state) for state in image.STATES):
        raise ProgramError(f"{images}: no image of the firmware below it: scripts/firmware makes them")
    campaign = Campaign(options.program.resolve(), seed, options.keep, images=images)
    unknown = sorted(campaign.registry.defaults.keys() - DOMAINS.keys())
    if unknown:
        raise ProgramError(f"keys without a domain in scripts/twinplane/soak/domains.py: {', '.join(unknown)}")
    deadline = None
    if indices is None and options.seconds is not None:
        indices, deadline = itertools.count(options.first), time.monotonic() + options.seconds
    elif indices is None:
        indices = range(options.first, options.first + (options.runs or RUNS))
    if options.case:
        campaign.say(campaign.case(indices[0]).command_line(images=images))
    campaign.run(indices, max(1, options.jobs), deadline)
    if options.minimise and campaign.failures:
        campaign.minimise_each_kind(options.minimise, options.allowance)
    return 0 if campaign.summary() else 1
