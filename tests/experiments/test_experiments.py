"""Are experiments found, judged and shown as they say?"""

import dataclasses
import os
import re
import subprocess

import pytest

from conftest import ROOT
from twinplane import Program, errors, experiments
from twinplane.experiments.__main__ import guarded, main, parse
from twinplane.experiments.experiment import Claim
from twinplane.experiments.outcome import Outcome
from twinplane.report import render_page
from twinplane.report.results import RESULTS, results_text
from twinplane.report.style import new_figure, number_text, svg_of
from twinplane.sweeping import sweep


def test_an_unknown_experiment_is_told_before_anything_runs(monkeypatch, capsys):
    monkeypatch.setattr("twinplane.experiments.__main__.sweep", None)
    monkeypatch.setattr("sys.argv", ["experiments", "fidelity", "fidelty"])
    assert guarded() == 1
    assert "unknown experiment fidelty (did you mean fidelity?); experiments are: fidelity" in capsys.readouterr().err


def test_the_list_is_told_without_a_build(tmp_path):
    for tool in ("cmake", "ninja", "c++"):
        (tmp_path / tool).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / tool).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "TWINPLANE_PROGRAM"}
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    done = subprocess.run([ROOT / "scripts/experiments", "list"], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(experiments.MODULES)


def test_a_missed_number_that_is_required_fails_the_command(monkeypatch, store, tmp_path, capsys):
    missed = Claim("answer", "guide", 42, 54, "", 0.01, required=True)
    experiment = dataclasses.replace(victims(), claims=lambda frame, quick: [missed])
    monkeypatch.setattr("twinplane.experiments.__main__.load", lambda name: experiment)
    assert main(["victims", "--quick", "--store", str(store.folder), "--out", str(tmp_path)]) == 1
    assert "missed: answer: expected 42, found 54" in capsys.readouterr().err


def test_quick_results_cannot_be_published(capsys):
    with pytest.raises(SystemExit):
        parse(["all", "--quick", "--publish"])
    assert "--publish is for full runs" in capsys.readouterr().err


@pytest.mark.parametrize("name", experiments.MODULES)
def test_every_experiment_has_its_shape(name):
    experiment = experiments.load(name)
    assert experiment.name == name and experiment.title and experiment.question.strip()
    for quick in (True, False):
        cases = experiment.grid(quick)
        labels = [tuple(case.labels.items()) for case in cases]
        assert len(set(labels)) == len(labels), "two cases with the same labels"
        assert len({tuple(case.labels) for case in cases}) == 1, "cases with different columns"


@pytest.mark.parametrize("value, text", [
    (4.82134, "4.8213"), (0, "0"), (40651.4, "40,651"), (304420.668, "304,421"), (1.0, "1"), (float("nan"), "-"),
    (0.0123456, "0.012346"), ("greedy", "greedy"), (0.9999, "0.9999")])
def test_numbers_are_readable(value, text):
    assert number_text(value) == text


def test_numbers_can_be_exact():
    assert number_text(304420.668, 9) == "304,420.668"


def test_the_same_figure_gives_the_same_bytes():
    def draw():
        figure, axes = new_figure()
        axes.plot([1, 2], [3, 4], label="line")
        axes.legend()
        return svg_of(figure, "name")

    assert draw() == draw()


def victims():
    """The complete experiment of docs/experiments.md."""
    text = (ROOT / "docs/experiments.md").read_text()
    source = re.search(r'```python\n("""Does a better victim.*?)```', text, re.S).group(1)
    module = {}
    exec(compile(source, "docs/experiments.md", "exec"), module)  # the documentation is the input under test
    return module["EXPERIMENT"]


def test_the_experiment_of_the_documentation_gives_a_page_that_needs_no_network(store, tmp_path):
    experiment, program = victims(), Program.find()
    done = sweep(experiment.grid(True), experiment.metrics, store=store.folder, progress=False)
    outcome = Outcome(experiment, True, program, done)
    page = render_page(outcome, tmp_path / "page").read_text()
    assert re.findall(r'(?:src|href)="(?!data:|results.parquet|table.csv|claims.csv|commands.txt|waves/)', page) == []
    assert "url(" not in page and "@import" not in page and "<script" not in page
    for wanted in ("scripts/experiments victims --quick", program.version, program.sha256[:16], "WAF of greedy",
                   outcome.git, "platform/configs/demo.toml", "data:image/svg+xml"):
        assert wanted in page
    assert done.cases[0].command() in (tmp_path / "page/commands.txt").read_text()


def test_the_experiment_of_the_documentation_plots_what_has_settled(store):
    """The same in the first half of what is measured as in the second, and no warning."""
    def metrics(result):
        rounds = result.summary["rounds"]
        return {"waf": result.waf, "ramp": sum(r["waf"] for r in rounds[:2]) / 2,
                "first": sum(r["waf"] for r in rounds[2:6]) / 4, "second": sum(r["waf"] for r in rounds[6:]) / 4,
                "drift": result.summary["host"]["latency_drift"], "count": result.write.count,
                "warnings": len(result.summary["warnings"])}

    cases = victims().grid(True)
    for case in cases:
        case.settings["host.report_round"] = 10_000
    frame = sweep(cases, metrics, store=store.folder, progress=False).frame
    assert (frame["count"] == 80_000).all()
    assert not frame["warnings"].any()
    assert frame["drift"].between(0.8, 1.2).all()
    assert (frame["second"] / frame["first"]).between(0.9, 1.1).all()
    assert (frame["waf"] / frame[["first", "second"]].mean(axis=1)).between(0.98, 1.02).all()


def test_waves_of_a_run_are_beside_its_page(store, tmp_path, tiny):
    experiment = victims()
    cases = [tiny(1, **{"waves.vcd": True, "ftl.victim": victim}) for victim in ("greedy", "random")]
    for case, victim in zip(cases, ("greedy", "random")):
        case.labels.update(victim=victim, fill="90%", seed=1)
    done = sweep(cases, experiment.metrics, store=store.folder, workers=1, progress=False)
    page = render_page(Outcome(experiment, False, Program.find(), done), tmp_path / "page").read_text()
    links = re.findall(r'href="(waves/[^"]+)"', page)
    assert len(links) == 4 and all((tmp_path / "page" / link).stat().st_size > 0 for link in links)


def test_the_committed_results_are_what_their_files_render():
    assert (ROOT / "docs/results.md").read_text() == results_text()


def test_published_files_that_cannot_be_read_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr("twinplane.report.results.RESULTS", tmp_path)
    (tmp_path / "fidelity").mkdir()
    (tmp_path / "fidelity/about.json").write_text("{")
    (tmp_path / "fidelity/claims.csv").write_text("number\n")
    with pytest.raises(errors.TwinplaneError, match="fidelity.*publish the experiment again"):
        results_text()


def test_the_list_names_every_experiment(capsys):
    assert main(["list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(experiments.MODULES)
    assert RESULTS.parent == ROOT / "docs"
