"""Many runs on all cores, their failures by kind, and the first of each kind made small."""

import concurrent.futures
import itertools
import pathlib
import sys
import time
from collections import Counter

from twinplane.soak import case as cases
from twinplane.soak.minimise import Minimiser
from twinplane.soak.probe import Verdict, probe
from twinplane.soak.registry import Registry
from twinplane.soak.runner import Runner

_worker = None  # of a worker process: (registry, runner)


def _start_worker(program, images):
    global _worker
    _worker = (Registry(program), Runner(program, images))


def _run_one(seed, index):
    registry, runner = _worker
    return index, probe(runner, cases.draw(seed, index, registry), registry.defaults)


class Campaign:
    def __init__(self, program, seed, keep=None, out=sys.stdout, images=None):
        self.program, self.seed, self.out, self.images = program, seed, out, images
        self.keep = pathlib.Path(keep) if keep else None
        self.registry = Registry(program)
        self.runner = Runner(program, images)
        self.failures = {}  # index -> Verdict
        self.refusals = Counter()
        self.passed = 0

    def run(self, indices, jobs, deadline=None):
        """Runs the cases of `indices` until `deadline` (of time.monotonic())."""
        waiting, left = set(), iter(indices)
        with concurrent.futures.ProcessPoolExecutor(jobs, initializer=_start_worker,
                                                    initargs=(self.program, self.images)) as pool:
            while True:
                late = deadline is not None and time.monotonic() > deadline
                for index in [] if late else itertools.islice(left, 2 * jobs - len(waiting)):
                    waiting.add(pool.submit(_run_one, self.seed, index))
                if not waiting:
                    return
                done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    self.take(*future.result())

    def take(self, index, verdict):
        if verdict.refused:
            self.refusals[verdict.refused] += 1
        elif verdict.failed:
            self.failures[index] = verdict
            self.say(f"{self.seed}:{index} {verdict.kind}")
            self._save(index, verdict)
        else:
            self.passed += 1
        done = self.passed + len(self.failures) + sum(self.refusals.values())
        if done % 100 == 0:
            self.say(f"... {done} runs, {len(self.failures)} failed, {sum(self.refusals.values())} refused")

    def case(self, index):
        return cases.draw(self.seed, index, self.registry)

    def probe(self, index):
        return probe(self.runner, self.case(index), self.registry.defaults)

    def minimise_each_kind(self, most, allowance):
        """The first failure of each kind, as a command line and a trace."""
        first = {}
        for index in sorted(self.failures):
            first.setdefault(self.failures[index].kind, index)
        for kind, index in list(first.items())[:most]:
            self.say(f"\n{kind}: {self.seed}:{index}")
            small = Minimiser(self.runner, self.registry.defaults, allowance).minimise(self.case(index), kind)
            self._show(index, small)

    def summary(self):
        """The last lines; true when nothing failed."""
        refused = sum(self.refusals.values())
        total = self.passed + len(self.failures) + refused
        kinds = Counter(v.kind for v in self.failures.values())
        for kind, count in kinds.most_common():
            indices = [i for i, v in sorted(self.failures.items()) if v.kind == kind][:6]
            self.say(f"  {count:5} {kind} (runs {', '.join(map(str, indices))})")
        for reason, count in self.refusals.most_common(12):
            self.say(f"  {count:5} refused: {reason}")
        share = 100 * refused / total if total else 0
        self.say(f"{refused} refused ({share:.1f} %)")
        self.say(f"{self.passed} passed, {len(self.failures)} failed")
        return not self.failures and self.passed > 0

    def say(self, text):
        print(text, file=self.out, flush=True)

    def _show(self, index, case):
        lines = case.trace or ()
        self.say(case.command_line(images=self.images))
        if lines:
            self.say(f"  trace of {len(lines)} lines" + ("" if self.keep else ":"))
            for line in () if self.keep else lines[:40]:
                self.say("    " + line)
        self._write(index, case, "minimal")

    def _save(self, index, verdict: Verdict):
        self._write(index, self.case(index), "drawn")
        if self.keep:
            text = "\n\n".join(f"{f.kind}\n{f.text}" for f in verdict.findings)
            (self._folder(index) / "findings.txt").write_text(text + "\n", encoding="utf-8")

    def _write(self, index, case, name):
        if not self.keep:
            return
        folder = self._folder(index)
        case.write_trace(folder / f"{name}.csv")
        (folder / f"{name}.txt").write_text(case.command_line(f"{name}.csv", self.images) + "\n", encoding="utf-8")

    def _folder(self, index):
        folder = self.keep / f"{self.seed}-{index}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
