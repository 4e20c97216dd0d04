#!/usr/bin/env python3
"""Does an image play the bundled trace on the demo's drive, verified, with no command refused, with the same bytes twice, and with
the same results when it is observed?
Usage: image_demo.py PROGRAM IMAGE REQUESTS"""

import json
import pathlib
import sys
import tempfile

from image_runs import ROOT, files, problems, run, unwatched

DEMO = ("-c", str(ROOT / "platform/configs/demo.toml"), "--trace", str(ROOT / "traces/demo.csv.zst"))


def main():
    program, image, requests = sys.argv[1:]
    settings = [f"host.max_requests={requests}", "report.profile=true"]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        summaries = [run(program, root / part, settings, *DEMO, "--firmware", image) for part in "ab"]
        if None not in summaries:
            judge(summaries[0], int(requests))
            if files(root / "a") != files(root / "b"):
                problems.append("two runs differ")
            seen = run(program, root / "seen", [*settings, "report.plane_time=true"], *DEMO, "--firmware", image, "--perfetto")
            if seen is not None and unwatched(seen) != unwatched(summaries[0]):
                problems.append("the results depend on whether the run is observed")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def judge(summary, requests):
    verify, violations = summary["host"]["verify"], summary["nand"]["violations"]["total"]
    if summary["workload"]["requests"] != requests or summary["workload"]["failed"]:
        problems.append(f"requests: {summary['workload']}")
    if not verify["checked"] or verify["mismatches"] or violations:
        problems.append(f"{verify} verified, {violations} refused")
    firmware = summary["firmware"]
    if not 1000 < firmware["instructions_per_request"] < 100_000:
        problems.append(f"instructions per request: {firmware['instructions_per_request']}")
    print(json.dumps({key: firmware[key] for key in ("instructions_per_request", "interrupts")}))


if __name__ == "__main__":
    sys.exit(main())
