"""A case from its drawing to its verdict: the run, its repetition, the run without run-ahead, and with a drive that was kept."""

import pathlib
import tempfile
import zlib
from dataclasses import dataclass, field

from twinplane.soak import checks
from twinplane.soak.drive import bytes_of

WORN = 3  # one in so many drives is used again as its run has left it
POISONED_MEMORY = 12 << 20  # bytes of the host's buffers that are worth being written to


@dataclass
class Verdict:
    findings: list = field(default_factory=list)
    refused: str = ""

    @property
    def kind(self):
        return self.findings[0].kind if self.findings else ""

    @property
    def failed(self):
        return bool(self.findings)


def _small_host(case):
    """Poison touches every buffer that the host reserves: cheap for most drives only."""
    queues, entries = int(case.settings.get("host.queues", 1)), int(case.settings.get("host.queue_size", 1024))
    return queues * entries * bytes_of(case.settings.get("host.max_transfer", "128KiB")) <= POISONED_MEMORY


def _keeps_drive(case):
    """There is something to keep, and the blocks are ours: others' packages need not be able to. An image that is loaded with a kept drive
    executes a few instructions more before its first request than one that has filled it."""
    return not case.blocks and not case.firmware and case.settings.get("precondition.mode", "none") != "none"


def _served(runner, case, keys):
    outcome = runner.serve(case)
    if outcome is None:
        return Verdict(refused="no client in this build")
    refused = checks.refusal(outcome, keys)
    if refused:
        return Verdict(refused=refused)
    findings = checks.judge_guest(outcome)
    if outcome.repeated is not None:
        findings += checks.compare(outcome, outcome.repeated, "session without its guest")
    return Verdict(findings)


def probe(runner, case, keys):
    if case.guest:
        return _served(runner, case, keys)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        return _probe(runner, case, keys, pathlib.Path(folder) / "drive.state" if _keeps_drive(case) else None)


def _without_checks(case):
    return case.with_settings({key: value for key, value in case.settings.items() if key != "run.check_turns"})


def _probe(runner, case, keys, state):
    first = runner.run(case, save=state)
    if first.out_of_time and "run.check_turns" in case.settings:  # tables of many pages, and a drive that takes many turns
        case = _without_checks(case)
        first = runner.run(case, save=state)
    refused = checks.refusal(first, keys)
    if refused:
        return Verdict(refused=refused)
    findings = checks.judge(case, first)
    if findings:
        return Verdict(findings)
    again = runner.run(case, poison=_small_host(case))
    findings = checks.compare(first, again, "repetition")
    at_once = runner.run(case.with_settings({**case.settings, "cpu.run_ahead": "0us"}))
    findings += checks.compare(first, at_once, "cpu.run_ahead = 0", ahead_differs=True)
    if state is not None:
        findings += checks.compare(first, runner.run(case, load=state), "drive loaded")
        findings += _worn(runner, case, state) if not checks.worn(first.summary) and zlib.crc32(repr(case).encode()) % WORN == 0 else []
    return Verdict(findings)


def _worn(runner, case, state):
    """The drive is kept at the end of a run, perhaps in the middle of collection, and used by another one, unless it has
    become read-only."""
    state.unlink(missing_ok=True)
    findings = []
    first = runner.run(case, save_end=state).summary
    if first and state.exists():
        again = state.with_name("again.state")
        loaded = runner.run(case, load=state)
        findings = [f for f in checks.judge(case, loaded) if f.kind != checks.FAILED_WITHOUT_CAUSE or not checks.unread(first)]
        findings += checks.compare(loaded, runner.run(case, load=state, save=again), "kept once more")
        if loaded.summary and (not again.exists() or state.read_bytes() != again.read_bytes()):
            findings.append(checks.Finding("kept once more", "what is loaded is not what was saved"))
    return [checks.Finding("worn drive: " + f.kind, f.text) for f in findings]
