"""What must hold after every run. A finding has a kind, which tells defects apart, and a text for people."""

import re
from dataclasses import dataclass

from twinplane.soak.registry import flatten

ACCIDENT = re.compile(r"(runtime error|AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|[Aa]ssert|panic"
                      r"|terminate called|Error: \(E\d+\))[^\n]*")
WALL_CLOCK = ("time.wall_s", "time.requests_per_wall_s", "time.peak_rss_bytes")
OF_THE_KERNEL = ("time.kernel_events", "time.kernel_events_per_page_op", "config.cpu.run_ahead")


FAILED_WITHOUT_CAUSE = "failed requests without cause"


@dataclass(frozen=True)
class Finding:
    kind: str
    text: str


def without_numbers(text):
    return re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?( ?[pnum]?s\b| ?[KMG]?i?B\b)?", "N", text)


NOT_READY = "the drive does not become ready within CAP.TO"  # docs/power_loss.md
REFUSED_ANYWAY = ("firmware refuses to boot", f"{NOT_READY} (127.5 s")
READ_ONLY = "the drive has become read-only"  # in the life before
SAID_ANYWAY = ("warning: ", "note: ", "preconditioned: ")


def last_words(outcome):
    """What the program has said of its end, without what it says of runs that end well."""
    lines = [line for line in outcome.stderr.splitlines() if not line.startswith(SAID_ANYWAY)]
    return "\n".join(lines)[-800:] or "no summary"


def error_lines(outcome):
    lines = (line.removeprefix("error: ") for line in outcome.stderr.splitlines() if line.startswith("error: "))
    return [line.removeprefix("--set: ") for line in lines]


def refusal(outcome, keys):
    """Why the program refused the configuration, or "" when it did not."""
    if outcome.status != 1 or outcome.summary is not None:
        return ""
    errors = error_lines(outcome)
    known = {"geometry", "workload", "--power-cut", *keys, *(key.removeprefix("workload.") for key in keys)}
    for line in errors:
        names = line.split(": ", 1)[0].split(", ")
        worn_out = line == NOT_READY and READ_ONLY in outcome.stderr
        if not worn_out and not line.startswith(REFUSED_ANYWAY) and not known.issuperset(names):
            return ""
    return errors[0] if errors else ""


def judge(case, outcome):
    """Findings of one execution, the gravest first."""
    accident = ACCIDENT.search(outcome.stderr)
    if outcome.out_of_time:
        return [Finding("hang: the program does not end", "killed after its time")]
    if outcome.status < 0:
        accident = accident or re.search(r"Fatal:[^\n]*", outcome.stderr)
        what = accident.group(0) if accident else ""
        return [Finding(f"signal {-outcome.status} {without_numbers(what)}".strip(), outcome.stderr[-800:])]
    if accident:
        return [Finding(without_numbers(accident.group(0)), outcome.stderr[-800:])]
    if outcome.summary is None:
        text = "\n".join(error_lines(outcome)) or last_words(outcome)
        return [Finding("error: " + without_numbers(text.splitlines()[0]), text)]
    findings = [*_data(outcome.summary), *_commands(outcome.summary), *_accounts(outcome.summary),
                *_energy(outcome.summary), *_plane_time(outcome.summary), *_failures(outcome.summary), *_power_cycles(outcome.summary), *_requests(case, outcome.summary), *_breakdown(outcome.summary)]
    return findings + _status(outcome, findings)


def judge_guest(outcome):
    """Findings of a drive behind a socket and its guest."""
    accident = ACCIDENT.search(outcome.stderr)
    if outcome.out_of_time:
        return [Finding("guest: hang", outcome.stderr[-400:] + outcome.guest_said[-400:])]
    if outcome.status < 0 or accident or outcome.summary is None:
        what = accident.group(0) if accident else (error_lines(outcome) or [""])[0]
        return [Finding(f"guest: status {outcome.status} {without_numbers(what)}".strip(), outcome.stderr[-800:])]
    findings = [*_commands(outcome.summary), *_accounts(outcome.summary)]
    if outcome.guest_status != 0 and not _worn_out(outcome):
        broken = re.findall(r"^BROKEN (\S+)", outcome.guest_said, re.MULTILINE)
        last = (outcome.guest_said.strip().splitlines() or [""])[-1]
        kind = "rule broken: " + broken[0] if broken else without_numbers(last)
        findings.append(Finding(f"guest: {kind}", outcome.guest_said[-1500:]))
    return findings


def _worn_out(outcome):
    """The drive has come to its end, as small ones do whose copies of lower pages wear a few blocks: then writes of the load
    fail, and nothing else may."""
    wrong = re.search(r"^sectors compared +\d+, wrong (\d+)$", outcome.guest_said, re.MULTILINE)
    return wrong is not None and int(wrong[1]) == 0 and outcome.summary["ftl"]["read_only"] and worn(outcome.summary)


def _data(summary):
    wrong = summary["host"]["verify"]["mismatches"]
    if wrong:
        yield Finding("wrong data", f"{wrong} sectors read back wrong")


def _commands(summary):
    violations = dict(summary["nand"]["violations"])
    monitor = violations.pop("monitor", None) or {}
    rules = [rule for rule, count in violations.items() if count and rule != "total"]
    if rules:
        yield Finding("refused commands: " + ", ".join(rules), str(violations))
    rules = [rule for rule, count in monitor.items() if count and rule != "total"]
    if rules:
        yield Finding("monitor: " + ", ".join(rules), str(monitor))


def _accounts(summary):
    for account in summary["accounts"]:
        if account["one_side"] != account["other_side"] or not account["equal"]:
            yield Finding(f"accounts differ: {account['what']}", str(account))


def _energy(summary):
    """No cause gives energy back, and the mean power is not above the peak of what is drawn by the instant."""
    energy = summary.get("energy")
    if energy is None:
        return
    causes = energy["causes_nj"]
    if min(causes.values()) < -1e-6:
        yield Finding("energy: a cause is negative", str(causes))
    if not summary["host"]["measured_ns"]:
        return
    instant = sum(causes[name] for name in ("array_read", "array_program", "array_erase", "bus_in", "bus_out"))
    if instant / summary["time"]["simulated_ns"] * 1000 > energy["peak_mw"] * 1.001 + 0.01:
        yield Finding("energy: the mean power of arrays and buses is above the peak", str(energy))
    keys = summary["config"]["energy"]
    if keys["peak_limit"]:
        drivers = keys["VCCQ"] * max(keys["ICCQ4R"], keys["ICCQ4W"]) * summary["config"]["geometry"]["channels"]
        most = keys["VCC"] * keys["peak_limit"] + drivers + keys["controller"] + keys["dram_standby"]
        if energy["peak_mw"] > most * 1.0001 + 0.01:
            yield Finding("energy: more is drawn than energy.peak_limit", f"{energy}, at most {most} mW")


def _plane_time(summary):
    """Every cause is a time, and the dies have as much as the drive. That nothing is missing is an account."""
    times = summary.get("plane_time")
    if times is None:
        return
    causes = times["causes_ns"]
    total = times["total_ns"]
    if max(causes.values()) > total * (1 + 1e-9) or min(causes.values()) < 0:
        yield Finding("plane time: a cause has more than there is", str(times["causes_ns"]))
    for name, time in causes.items():
        if abs(time - sum(die["causes_ns"][name] for die in times["dies"])) > 1e-9 * total + 1e-3:
            yield Finding(f"plane time: the dies' {name} is not the drive's", str(time))


def worn(summary):
    """Programs or erases have failed, in the last life or in one before: blocks are lost, and in the end the drive may refuse writes."""
    failed = summary["nand"]["failed"]
    return failed["programs"] + failed["erases"] != 0 or any(life["blocks_failed"] for life in summary.get("power_cycles", []))


def _taken(summary):
    """A cut has taken pages that nothing protects, or sectors were lost in a life before."""
    return any(life["cells_failed"] or (life["recovery"] and life["recovery"]["pages_taken"]) for life in summary.get("power_cycles", []))


def unread(summary):
    """Pages could not be read: what they held may be lost, in this life and in later ones."""
    return summary["nand"]["failed"]["reads"] + summary["reliability"]["uncorrectable"] != 0


def _failures(summary):
    failed, read_only = summary["workload"]["failed"], summary["ftl"]["read_only"]
    if read_only and not worn(summary):
        yield Finding("read-only without cause", f"{failed} requests failed, no program or erase did")
    elif failed and not worn(summary) and not unread(summary) and not _taken(summary):
        yield Finding(FAILED_WITHOUT_CAUSE, f"{failed} requests failed, no program, erase or read did")


def _requests(case, summary):
    """Every request that was asked for has come to an end."""
    config = flatten(summary["config"])
    if float(config["host.drive_writes"]) != 0:
        return
    if case.trace is not None:
        wanted = len(case.trace) * case.copies
    elif config["workload.fsync"] == "0":
        wanted = int(config["workload.number_ios"])
    else:
        return
    wanted *= int(config["host.rounds"])
    if config["host.max_requests"] != "0":
        wanted = min(wanted, int(config["host.max_requests"]))
    finished = summary["workload"]["requests"]
    for life in summary.get("power_cycles", [])[:-1]:
        finished += life["requests"] + life["unanswered"]
    if finished != wanted:
        yield Finding("requests are missing", f"{finished} of {wanted} finished or were cut off")


def _power_cycles(summary):
    """What was promised is there, and recovery reads a page of each plane at a time at least."""
    failed = any(summary["nand"]["failed"].values())
    for life in summary.get("power_cycles", []):
        failed = failed or life["cells_failed"]
        recovery = life["recovery"]
        failed = failed or bool(recovery and recovery["pages_taken"])
        if recovery and (recovery["sectors_lost"] or (recovery["sectors_unreadable"] and not failed)):
            yield Finding("power cut: what was promised is lost", str(life))


def _breakdown(summary):
    """The parts of a mean latency add up to it."""
    for name in ("read", "write", "trim", "flush"):
        side = summary["host"][name]
        if not side["count"]:
            continue
        mean, parts = side["latency_ns"]["mean"], side["breakdown_ns"]
        if abs(sum(parts.values()) - mean) > 1e-7 * mean + 0.01 or min(parts.values()) < 0:
            yield Finding(f"parts of the latency of {name} do not add up", f"mean {mean}, parts {parts}")


def _status(outcome, findings):
    """The exit status tells a run with findings from one without; failures that faults explain are none."""
    if findings and outcome.status == 0:
        return [Finding("exit status 0 although: " + findings[0].kind, findings[0].text)]
    if not findings and outcome.status != 0:
        return [Finding(f"exit status {outcome.status} without cause", outcome.stderr[-800:])]
    return []


def comparable(summary, ignored):
    return {key: value for key, value in _leaves(summary).items() if key not in ignored}


def _leaves(value, path=""):
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    else:
        return {path: value}
    leaves = {}
    for name, part in parts:
        leaves.update(_leaves(part, f"{path}.{name}" if path else str(name)))
    return leaves


def compare(first, second, what, ahead_differs=False):
    """Findings where two executions that must agree do not."""
    if (first.summary is None) != (second.summary is None) or first.status != second.status:
        text = f"status {first.status} and {second.status}\n{second.stderr[-800:]}"
        return [Finding(f"{what}: ends differently", text)]
    ignored = WALL_CLOCK + (OF_THE_KERNEL if ahead_differs else ())
    one, other = comparable(first.summary or {}, ignored), comparable(second.summary or {}, ignored)
    differing = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    differing += sorted(name for name in first.files.keys() | second.files.keys()
                        if first.files.get(name) != second.files.get(name))
    if not differing:
        return []
    shown = [f"{key}: {one.get(key)} and {other.get(key)}" for key in differing[:12]]
    return [Finding(f"{what}: results differ", "\n".join(shown))]
