#!/usr/bin/env python3
"""Does scripts/soak know every key, draw the same again, see what is wrong with a run, and make failures small?"""

import copy
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from twinplane.soak import case as cases  # noqa: E402
from twinplane.soak import checks  # noqa: E402
from twinplane.soak.domains import DOMAINS, Composed, Domain, Fixed  # noqa: E402
from twinplane.soak.minimise import Minimiser  # noqa: E402
from twinplane.soak.probe import probe  # noqa: E402
from twinplane.soak.registry import Registry  # noqa: E402
from twinplane.soak.runner import Outcome  # noqa: E402

SECTION = re.compile(r"^## \[([a-z_]+)\]$")
ROW = re.compile(r"^\| `([A-Za-z0-9_.]+)` \| `([^|]*)` \| ([^|]*) \| ([^|]*) \|$")


def documented():
    """{key: (default, what it accepts, meaning)} of docs/configuration.md, which a test holds against the registry."""
    rows, section = {}, None
    for line in (ROOT / "docs/configuration.md").read_text(encoding="utf-8").splitlines():
        if heading := SECTION.match(line):
            section = heading.group(1)
        elif line.startswith("## "):
            section = None
        elif section and (row := ROW.match(line)):
            rows[f"{section}.{row.group(1)}"] = row.groups()[1:]
    return rows


class PaperRegistry(Registry):
    """The registry as the documentation prints it, without a program."""

    def __init__(self):
        rows = documented()
        self.defaults = {key: default.strip('"[]').replace('", "', ",") for key, (default, _, _) in rows.items()}
        self.words = {key: [w.strip() for w in accepts.removeprefix("one of ").split("(")[0].split(",")
                            if w.strip(" .")] for key, (_, accepts, _) in rows.items() if accepts.startswith("one of ")}
        self.bus_modes = {"nv-ddr3": 20}

    def preset(self, key, choice):
        return {}


def summary(**changes):
    """Of a run in which nothing is wrong; changes by dotted key with _ for dots."""
    good = {
        "workload": {"requests": 10, "failed": 0},
        "time": {"wall_s": 1.0, "kernel_events": 7},
        "host": {"verify": {"checked": 10, "mismatches": 0},
                 "read": {"count": 7, "latency_ns": {"mean": 30.0}, "breakdown_ns": {"array": 20.0, "bus": 10.0}},
                 "write": {"count": 0, "latency_ns": {"mean": None}, "breakdown_ns": {"array": None, "bus": None}},
                 "trim": {"count": 3, "latency_ns": {"mean": 1.0}, "breakdown_ns": {"array": 0.0, "bus": 1.0}},
                 "flush": {"count": 0, "latency_ns": {"mean": None}, "breakdown_ns": {"array": None, "bus": None}}},
        "nand": {"failed": {"programs": 0, "erases": 0, "reads": 0},
                 "violations": {"total": 0, "order": 0, "monitor": None}},
        "ftl": {"read_only": False},
        "reliability": {"uncorrectable": 0},
        "accounts": [{"what": "pages", "one_side": 3, "other_side": 3, "equal": True}],
        "config": {"host": {"drive_writes": 0.0, "rounds": 1, "max_requests": 0},
                   "workload": {"fsync": 0, "number_ios": 10}},
    }
    for path, value in changes.items():
        place = good
        *folders, name = path.split("__")
        for folder in folders:
            place = place[folder]
        place[name] = value
    return good


class Keys(unittest.TestCase):
    def test_every_key_has_a_domain(self):
        missing = documented().keys() - DOMAINS.keys()
        self.assertFalse(missing, "give these a domain in scripts/twinplane/soak/domains.py")

    def test_every_domain_is_of_a_key(self):
        self.assertFalse(DOMAINS.keys() - documented().keys())

    def test_reserved_keys_stay_as_they_are(self):
        for key, (_, _, meaning) in documented().items():
            if "*reserved*" in meaning:
                self.assertIsInstance(DOMAINS[key], Fixed, key)

    def test_composed_keys_are_named_where_they_are_said_to_be_drawn(self):
        for key, domain in DOMAINS.items():
            if isinstance(domain, Composed):
                text = (ROOT / "scripts/twinplane/soak" / domain.module).read_text(encoding="utf-8")
                self.assertTrue(f'"{key}"' in text, f"{domain.module} does not set {key}")

    def test_numbers_stay_within_what_the_key_accepts(self):
        for key, (_, accepts, _) in documented().items():
            limits = re.match(r"whole number, (\d+) to (\d+)", accepts)
            if limits and isinstance(DOMAINS[key], Domain):
                drawn = [int(DOMAINS[key].draw(cases.drive.stream(1, i, key), ())) for i in range(300)]
                self.assertGreaterEqual(min(drawn), int(limits.group(1)), key)
                self.assertLessEqual(max(drawn), int(limits.group(2)), key)

    def test_every_word_of_a_key_is_drawn_sooner_or_later(self):
        registry = PaperRegistry()
        for key, domain in DOMAINS.items():
            if isinstance(domain, Domain) and key in registry.words and domain.chance and key != "data.mode":
                drawn = {domain.draw(cases.drive.stream(1, i, key), registry.words[key]) for i in range(1000)}
                missing = set(registry.words[key]) - drawn - {registry.defaults[key]}
                self.assertFalse(missing, key)


class Drawing(unittest.TestCase):
    def setUp(self):
        self.registry = PaperRegistry()

    def test_run_i_of_a_seed_is_always_the_same(self):
        for index in range(40):
            self.assertEqual(cases.draw(3, index, self.registry), cases.draw(3, index, PaperRegistry()))

    def test_seeds_and_runs_differ(self):
        drawn = {cases.draw(seed, index, self.registry).command_line() for seed in (1, 2) for index in range(40)}
        self.assertEqual(len(drawn), 80)

    def test_only_keys_of_the_program_are_set(self):
        del self.registry.defaults["nand.suspend"]  # an older program
        for index in range(100):
            drawn = cases.draw(1, index, self.registry).settings
            self.assertNotIn("nand.suspend", drawn)
            self.assertLessEqual(drawn.keys(), self.registry.defaults.keys())

    def test_guests_of_both_kinds_come_to_drives_that_do_not_fail(self):
        registry = PaperRegistry()
        drawn = [cases.draw(3, i, registry) for i in range(1200)]
        guests = [case for case in drawn if case.guest]
        self.assertEqual({case.guest for case in guests}, {"load", "rules"})
        self.assertTrue(0.05 < len(guests) / len(drawn) < 0.3)
        for case in guests:
            self.assertEqual(case.settings["data.mode"], "full")
            self.assertFalse([key for key in case.settings if key.startswith("nand.fail.") and key != "nand.fail.parameter_page" and case.settings[key] not in ("0", "0%")])
            self.assertNotIn("--trace", case.arguments("trace.csv"))
            self.assertIn("serve", case.command_line())
        self.assertTrue(any("ftl.checkpoint_interval" in case.settings for case in guests if case.guest == "rules"))

    def test_power_cuts_meet_cells_that_fail_and_pages_that_nothing_protects(self):
        registry = PaperRegistry()
        met = {"programs": 0, "worn": 0, "overwritten": 0, "unprotected": 0, "cache": 0, "trims": 0}
        for index in range(3200):
            case = cases.draw(11, index, registry)
            values = registry.resolve(case.settings)
            if not case.power_cut:
                continue
            fails = values["nand.fail.program"] not in ("0", "0%")
            bare = values["power.hold_up"] == "0" and values["ftl.lower_pages"] == "none" and values["nand.cell"] != "slc" and values["ftl.slc_mode"] == "false"
            met["programs"] += values["nand.fail.program"] == "10%"
            met["worn"] += int(values["nand.endurance"]) <= 100
            met["overwritten"] += float(values["host.drive_writes"]) != 0
            met["unprotected"] += bare and (fails or values["nand.fail.erase"] not in ("0", "0%"))
            met["cache"] += values["ftl.regions"] in ("mga", "ipu") and fails
            met["trims"] += any(",trim," in line for line in case.trace or ())
            known = float(values["host.drive_writes"]) == 0 and (case.trace is not None or values["workload.fsync"] == "0")
            self.assertTrue(known or values["host.max_requests"] != "0", "the moments of random cuts are drawn from the number of requests")
        self.assertFalse([what for what, count in met.items() if count == 0])

    def test_tables_of_drives_with_much_to_do_are_checked_less_often(self):
        for seed, index in ((501001, 275), (413401, 1502)):  # a large drive; one that always collects: 3 took minutes
            self.assertGreaterEqual(int(cases.draw(seed, index, self.registry).settings["run.check_turns"]), 50)

    def test_traces_carry_every_operation_within_the_drive(self):
        operations = set()
        for index in range(60):
            case = cases.draw(5, index, self.registry)
            for line in case.trace or ():
                arrival, operation, offset, size, _ = line.split(",")
                operations.add(operation)
                self.assertEqual((int(offset) % 512, int(size) % 512), (0, 0), line)
                self.assertGreaterEqual(int(arrival), 0)
        self.assertEqual(operations, {"read", "write", "write_fua", "trim", "flush"})


class Judgement(unittest.TestCase):
    def kinds(self, status=0, stderr="", **changes):
        outcome = Outcome(status, stderr=stderr, summary=summary(**changes))
        return [f.kind for f in checks.judge(cases.Case({}), outcome)]

    def test_a_clean_run_has_no_findings(self):
        self.assertEqual(self.kinds(), [])

    def test_wrong_data_must_also_show_in_the_exit_status(self):
        self.assertEqual(self.kinds(1, host__verify={"checked": 9, "mismatches": 1}), ["wrong data"])
        self.assertEqual(self.kinds(0, host__verify={"checked": 9, "mismatches": 1}),
                         ["wrong data", "exit status 0 although: wrong data"])

    def test_a_failure_without_cause_is_one(self):
        self.assertEqual(self.kinds(1), ["exit status 1 without cause"])

    def test_refused_commands_are_named_by_rule(self):
        self.assertEqual(self.kinds(1, nand__violations={"total": 1, "order": 1, "monitor": None}),
                         ["refused commands: order"])
        self.assertEqual(self.kinds(1, nand__violations={"total": 0, "order": 0, "monitor": {"total": 1, "busy": 1}}),
                         ["monitor: busy"])

    def test_read_only_needs_failed_programs_or_erases(self):
        self.assertEqual(self.kinds(1, ftl__read_only=True, workload__failed=4), ["read-only without cause"])
        self.assertEqual(self.kinds(0, ftl__read_only=True, workload__failed=4,
                                    nand__failed={"programs": 0, "erases": 9, "reads": 0}), [])

    def test_failed_requests_need_a_cause(self):
        self.assertEqual(self.kinds(1, workload__failed=4), ["failed requests without cause"])
        self.assertEqual(self.kinds(0, workload__failed=4, nand__failed={"programs": 0, "erases": 0, "reads": 1}), [])

    def test_accounts_must_agree(self):
        account = {"what": "pages", "one_side": 3, "other_side": 4, "equal": True}
        self.assertEqual(self.kinds(1, accounts=[account]), ["accounts differ: pages"])

    def test_the_parts_of_a_latency_add_up(self):
        what = "parts of the latency of trim do not add up"
        self.assertEqual(self.kinds(1, host__trim__latency_ns__mean=2.0), [what])
        self.assertEqual(self.kinds(1, host__trim__breakdown_ns={"array": -1.0, "bus": 2.0}), [what])

    def test_missing_requests_are_noticed(self):
        self.assertEqual(self.kinds(1, workload__requests=9), ["requests are missing"])

    def test_requests_of_all_lives_are_counted(self):
        lives = [{"requests": 4, "unanswered": 2, "recovery": None, "cells_failed": False, "blocks_failed": False},
                 {"requests": 4, "unanswered": 0, "recovery": None, "cells_failed": False, "blocks_failed": False}]
        self.assertEqual(self.kinds(0, workload__requests=4, power_cycles=lives), [])
        self.assertEqual(self.kinds(1, workload__requests=3, power_cycles=lives), ["requests are missing"])

    def test_what_a_power_cut_has_taken_is_noticed(self):
        for name in ("sectors_lost", "sectors_unreadable"):
            recovery = {"sectors_lost": 0, "sectors_unreadable": 0, "pages_taken": 0, name: 3}
            lives = [{"requests": 0, "unanswered": 0, "recovery": None, "cells_failed": False, "blocks_failed": False},
                     {"requests": 10, "unanswered": 0, "recovery": recovery, "cells_failed": False, "blocks_failed": False}]
            self.assertEqual(self.kinds(1, power_cycles=lives), ["power cut: what was promised is lost"])
            excused = int(name == "sectors_lost"), ["power cut: what was promised is lost"] if name == "sectors_lost" else []
            recovery["pages_taken"] = 1  # what cannot be read may be lost then, but nothing else be found
            self.assertEqual(self.kinds(excused[0], power_cycles=lives), excused[1])
            recovery["pages_taken"] = 0
            lives[0]["cells_failed"] = True
            self.assertEqual(self.kinds(excused[0], power_cycles=lives), excused[1])

    def test_a_guest_that_finds_something_is_a_finding(self):
        def kinds(**outcome):
            return [f.kind for f in checks.judge_guest(Outcome(summary=summary(), **outcome))]
        self.assertEqual(kinds(guest_status=0, guest_said="81 rules, 0 broken"), [])
        self.assertEqual(kinds(guest_status=1, guest_said="kept   one (section 1)\nBROKEN two (section 2)\n81 rules, 1 broken\n"),
                         ["guest: rule broken: two"])
        self.assertEqual(kinds(guest_status=1, guest_said="3 sectors read back wrong\n"), ["guest: N sectors read back wrong"])
        self.assertEqual(checks.judge_guest(Outcome(status=-11, guest_status=1))[0].kind, "guest: status -11")
        self.assertEqual(checks.judge_guest(Outcome(out_of_time=True))[0].kind, "guest: hang")

    def test_a_guest_is_told_errors_by_a_drive_whose_blocks_are_worn(self):
        said = "requests          9 (0 reads, 9 writes, 0 others)\nfailed            3\nsectors compared  4, wrong {}\n"
        def kinds(wrong, read_only=True, erases=1):
            worn = summary(ftl__read_only=read_only, nand__failed={"programs": 0, "erases": erases, "reads": 0})
            return [f.kind for f in checks.judge_guest(Outcome(summary=worn, guest_status=1, guest_said=said.format(wrong)))]
        self.assertEqual(kinds(0), [])
        for found in (kinds(1), kinds(0, read_only=False), kinds(0, erases=0)):
            self.assertEqual(found, ["guest: sectors compared  N, wrong N"])

    def test_a_session_that_does_not_repeat_is_a_finding(self):
        class Served:
            def __init__(self, again):
                self.again = again

            def serve(self, _case):
                return Outcome(summary=summary(), guest_status=0, guest_said="81 rules, 0 broken", files={"timeline.csv": b"1"}, repeated=self.again)
        guest = cases.Case({}, guest="load")
        for again, kinds in ((None, []), (Outcome(summary=summary(), files={"timeline.csv": b"1"}), []),
                             (Outcome(summary=summary(), files={"timeline.csv": b"2"}), ["session without its guest: results differ"]),
                             (Outcome(status=1, stderr="the drive does not do what it did"), ["session without its guest: ends differently"])):
            self.assertEqual([f.kind for f in probe(Served(again), guest, {}).findings], kinds)

    def test_accidents_hangs_and_signals_have_no_summary(self):
        def kind(**outcome):
            return checks.judge(cases.Case({}), Outcome(**outcome))[0].kind
        self.assertEqual(kind(status=-11), "signal 11")
        self.assertEqual(kind(status=-24, out_of_time=True), "hang: the program does not end")
        self.assertEqual(kind(status=1, stderr="x.cpp:12:3: runtime error: index 9 out of bounds"),
                         "runtime error: index N out of bounds")
        stopped = "error: the drive stopped answering at 12 ps with 3 requests outstanding"
        self.assertEqual(kind(status=1, stderr=stopped),
                         "error: the drive stopped answering at N with N requests outstanding")

    def test_only_a_message_that_names_a_key_is_a_refusal(self):
        keys = {"ftl.victim_d", "workload.bs"}
        def reason(text):
            return checks.refusal(Outcome(1, stderr=text), keys)
        self.assertTrue(reason("warning: x\nerror: ftl.victim_d: expected 1 to 64\n"))
        self.assertTrue(reason("error: firmware refuses to boot (ftl): ftl.victim_d: must be 1 to 64\n"))
        self.assertFalse(reason("error: the drive stopped answering\n"))
        self.assertFalse(reason("error: precondition: page 3 cannot be written: no plane can take another page\n"))
        self.assertFalse(reason("error: ftl.victim_d: expected 1 to 64\nerror: the drive stopped answering\n"))
        self.assertTrue(reason("error: --power-cut: the supply fails at 7 ps, while the firmware boots\n"))
        late = "error: the drive does not become ready within CAP.TO\n"
        self.assertFalse(reason(late))
        self.assertTrue(reason(f"twinplane: 3 requests ended with an error status; {checks.READ_ONLY}\n{late}"))

    def test_a_run_whose_earlier_life_ends_it_is_named_by_its_last_words(self):
        said = "warning: ftl.gc_threshold: 3 free blocks\npreconditioned: 3 pages\ntwinplane: 1 sectors read back wrong:\n  sector 4: holds write 1\n"
        found = checks.judge(cases.Case({}), Outcome(1, stderr=said))
        self.assertEqual([f.kind for f in found], ["error: twinplane: N sectors read back wrong:"])
        self.assertIn("sector 4", found[0].text)


class Comparison(unittest.TestCase):
    def kinds(self, one, other, **how):
        return [f.kind for f in checks.compare(one, other, "repetition", **how)]

    def test_wall_clock_may_differ_and_nothing_else(self):
        first = Outcome(summary=summary(), files={"timeline.csv": b"a"})
        self.assertEqual(self.kinds(first, Outcome(summary=summary(time__wall_s=2.0), files=first.files)), [])
        for other in (Outcome(summary=summary(time__kernel_events=8), files=first.files),
                      Outcome(summary=summary(), files={"timeline.csv": b"b"}), Outcome(summary=summary())):
            self.assertEqual(self.kinds(first, other), ["repetition: results differ"])

    def test_events_of_the_kernel_may_differ_without_run_ahead(self):
        first, other = Outcome(summary=summary()), Outcome(summary=summary(time__kernel_events=8))
        self.assertEqual(self.kinds(first, other, ahead_differs=True), [])

    def test_another_end_is_a_difference(self):
        self.assertEqual(self.kinds(Outcome(summary=summary()), Outcome(1, stderr="x")),
                         ["repetition: ends differently"])


class FakeRunner:
    """A program that reads wrong when `guilty` settings and lines come together."""

    def __init__(self, settings, lines, ahead_matters=False, forgets=False, rots=False):
        self.settings, self.lines, self.ahead_matters, self.forgets, self.runs = settings, lines, ahead_matters, forgets, 0
        self.rots, self.worn = rots, False  # what was kept at the end of a run reads wrong

    def run(self, case, poison=False, save=None, load=None, save_end=None):
        self.runs += 1
        if save_end is not None:
            save_end.touch()
            self.worn = True
        failed = self.settings.items() <= case.settings.items() and set(self.lines) <= set(case.trace or ())
        result = summary(workload__requests=len(case.trace or ()) or 10)
        if self.ahead_matters and case.settings.get("cpu.run_ahead") == "0us":
            result["host"]["verify"]["checked"] = 11
        if load is not None and self.forgets:
            result["host"]["verify"]["checked"] = 12
        failed = failed or (self.rots and self.worn and load is not None)
        if failed:
            result["host"]["verify"]["mismatches"] = 1
        return Outcome(int(failed), summary=copy.deepcopy(result))


class Small(unittest.TestCase):
    def test_a_failure_becomes_the_options_and_requests_that_it_needs(self):
        lines = tuple(f"{i},write,{i * 512},512,0" for i in range(300))
        guilty = {"ftl.victim": "rga", "geometry.channels": "3"}
        noise = {f"cpu.cost.{i}": "1" for i in range(30)}
        runner = FakeRunner(guilty, {lines[17], lines[250]})
        small = Minimiser(runner, {}).minimise(cases.Case({**noise, **guilty}, lines), "wrong data")
        self.assertEqual(small.settings, guilty)
        self.assertEqual(small.trace, (lines[17], lines[250]))
        self.assertLess(runner.runs, 300)

    def test_results_that_depend_on_run_ahead_are_found(self):
        verdict = probe(FakeRunner({"no": "case"}, (), ahead_matters=True), cases.Case({}), {})
        self.assertEqual(verdict.kind, "cpu.run_ahead = 0: results differ")

    def test_a_drive_that_forgets_what_was_kept_is_found(self):
        runner = FakeRunner({"no": "case"}, (), forgets=True)
        filled = cases.Case({"precondition.mode": "fill"})
        self.assertEqual(probe(runner, filled, {}).kind, "drive loaded: results differ")
        self.assertEqual(probe(runner, cases.Case({}), {}).kind, "", "there is nothing to keep")

    def test_a_worn_drive_that_has_lost_something_is_found_in_one_of_three(self):
        found = 0
        for channels in range(30):
            case = cases.Case({"precondition.mode": "fill", "geometry.channels": str(channels)})
            kind = probe(FakeRunner({"no": "case"}, (), rots=True), case, {}).kind
            self.assertIn(kind, ("", "worn drive: wrong data"))
            found += kind != ""
        self.assertTrue(4 <= found <= 18, found)

    def test_a_run_that_has_no_time_for_checks_goes_on_without(self):
        class Slow(FakeRunner):
            def run(self, case, **others):
                late = "run.check_turns" in case.settings or self.hangs
                return Outcome(-24, out_of_time=True) if late else super().run(case, **others)

        runner, case = Slow({"no": "case"}, ()), cases.Case({"run.check_turns": "3"})
        for runner.hangs, kind in (False, ""), (True, "hang: the program does not end"):
            self.assertEqual(probe(runner, case, {}).kind, kind)

    def test_a_lost_promise_is_made_small_with_few_cuts(self):
        class Cut(FakeRunner):
            def run(self, case, **others):
                outcome = super().run(case, **others)
                if case.power_cut in ("random:4", "random:12"):
                    outcome.status, outcome.summary["host"]["verify"]["mismatches"] = 1, 2
                return outcome

        case = cases.Case({"ftl.victim": "rga"}, None, "", "random:12")
        self.assertEqual(Minimiser(Cut({"no": "case"}, ()), {}).minimise(case, "wrong data").power_cut, "random:4")


if __name__ == "__main__":
    unittest.main()
