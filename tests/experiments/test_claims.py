"""Are claims judged by what their source says, shown with what they are judged by, and counted by who made them?"""

import csv
import dataclasses
import io
import itertools
import math
import re

import pandas
import pytest

from conftest import ROOT
from twinplane import experiments
from twinplane.experiments.experiment import (DIRECTION, MET, NOT_MET, NOT_REPRODUCED, REPRODUCED, WEAKER, Claim, Range, at_least,
                                              at_most, nothing_wrong)
from twinplane.report.claims import claims_csv, expected_text, found_text, tolerance_text, verdict_text
from twinplane.report.results import RESULTS
from twinplane.report.style import COLOURS

PUBLISHED = [name for name in experiments.MODULES if (RESULTS / name / "claims.csv").is_file()]
PAPERS = {name: experiments.load(name).paper for name in experiments.MODULES if experiments.load(name).paper}
PLACE = re.compile(r"section|figure|table|abstract|slide", re.I)


def judged(expected, found, **more):
    return Claim("x", "y", expected, found, **more).verdict


@pytest.mark.parametrize("found, verdict", [
    (1.0, REPRODUCED), (1.05, REPRODUCED), (0.95, REPRODUCED), (1.0501, NOT_REPRODUCED), (0.9499, NOT_REPRODUCED)])
def test_a_number_is_judged_by_its_tolerance(found, verdict):
    assert judged(1.0, found, tolerance=0.05) == verdict


@pytest.mark.parametrize("found, verdict", [
    (0.4, REPRODUCED), (0.7, DIRECTION), (0.1, DIRECTION), (0.71, WEAKER), (0.999, WEAKER), (1.0, NOT_REPRODUCED), (1.2, NOT_REPRODUCED)])
def test_what_misses_a_number_is_judged_by_its_share_of_the_effect(found, verdict):
    assert judged(0.4, found, tolerance=0.05, neutral=1) == verdict


@pytest.mark.parametrize("expected, neutral, found, verdict", [
    (Range(-20, -10), 0, -5, DIRECTION), (Range(-20, -10), 0, -4.9, WEAKER), (Range(10, 20), 0, 4, WEAKER), (at_most(1), 3, 1.9, DIRECTION),
    (at_least(4), 2, 2.5, WEAKER), (at_least(4), 2, 1.9, NOT_REPRODUCED), (2, 2, 3, NOT_REPRODUCED)])
def test_the_effect_of_a_range_is_its_end_that_is_nearest_to_none(expected, neutral, found, verdict):
    assert judged(expected, found, neutral=neutral) == verdict


def test_a_number_without_tolerance_is_exact():
    assert judged(1.0, 1.0) == REPRODUCED and judged(1.0, 1.0001) == NOT_REPRODUCED


@pytest.mark.parametrize("found, holds", [(0, True), (2.5, True), (5, True), (-0.001, False), (5.001, False)])
def test_a_range_holds_from_end_to_end(found, holds):
    assert (judged(Range(0, 5), found) == REPRODUCED) is holds


@pytest.mark.parametrize("found, holds", [(-11, True), (-11.1, False), (-0.9, True), (-0.89, False), (-5, True)])
def test_a_tolerance_moves_the_ends_of_a_range_outwards(found, holds):
    assert (judged(Range(-10, -1), found, tolerance=0.1) == REPRODUCED) is holds


@pytest.mark.parametrize("bound, inside, edge, outside", [
    (at_least(98), 99.9, 98, 97.9), (at_most(1 / 3), 0.1, 1 / 3, 0.34)])
def test_a_bound_has_one_end(bound, inside, edge, outside):
    assert [judged(bound, n) for n in (inside, edge, outside)] == [REPRODUCED, REPRODUCED, NOT_REPRODUCED]


def test_words_hold_or_do_not():
    assert judged("in this order", True) == REPRODUCED
    assert judged("in this order", False) == NOT_REPRODUCED


@pytest.mark.parametrize("expected", (1.0, Range(0, 5), at_least(0)))
def test_what_is_not_a_number_holds_nowhere(expected):
    assert judged(expected, math.nan, tolerance=0.5) == NOT_REPRODUCED


def test_a_zero_expected_has_no_ratio_and_no_tolerance():
    claim = Claim("errors", "must not happen", 0, 1, tolerance=0.5, required=True)
    assert claim.broken and math.isnan(claim.ratio)
    assert not dataclasses.replace(claim, found=0).broken


def test_our_own_expectation_is_judged_but_never_reproduced():
    assert judged(1, 1, own=True) == MET
    assert judged(1, 2, own=True, neutral=0) == NOT_MET
    assert Claim("x", "y", 1, 2, own=True, required=True).broken
    trouble = nothing_wrong(pandas.DataFrame({"mismatches": [0, 1], "violations": [0, 0]}))
    assert trouble.own and trouble.broken


def test_claims_are_counted_by_who_made_them():
    verdicts = [REPRODUCED, MET, NOT_MET, DIRECTION, REPRODUCED, MET]
    assert verdict_text(verdicts) == "2 reproduced, 1 same direction; 2 of 3 own expectations met"
    assert verdict_text([MET]) == "1 of 1 own expectations met"
    assert verdict_text([]) == "no claims"


@pytest.mark.parametrize("claim, expected, tolerance, found", [
    (Claim("x", "y", 68, 83.479, "%", 0.25), "68 %", "25 %", "83.479 %"),
    (Claim("x", "y", 0, 0), "0", "exact", "0"),
    (Claim("x", "y", Range(0, 5), 0.33459, "%"), "0 to 5 %", "none", "0.33459 %"),
    (Claim("x", "y", Range(-10, -1), 41.8, "%"), "-10 to -1 %", "none", "41.8 %"),
    (Claim("x", "y", at_most(1 / 3), 0.32, tolerance=0.015), "at most 0.333333", "1.5 %", "0.32"),
    (Claim("x", "y", at_least(98), 88.2, "%"), "at least 98 %", "none", "88.2 %"),
    (Claim("x", "y", "in this order", False, numbers="2 < 1"), "in this order", "-", "no: 2 < 1")])
def test_a_claim_shows_what_it_is_judged_by(claim, expected, tolerance, found):
    assert (expected_text(claim), tolerance_text(claim), found_text(claim)) == (expected, tolerance, found)


def test_the_table_of_claims_can_be_judged_again():
    claims = [Claim("a", "s", Range(0, 5), 2.0, "%"), Claim("b", "s", at_most(1), 2.0, why="because"),
              Claim("c", "s", 3, 3.1, tolerance=0.05, own=True), Claim("d", "s", "yes", True)]
    rows = list(csv.DictReader(io.StringIO(claims_csv(claims))))
    assert [(r["low"], r["high"], r["own"], r["verdict"], r["why"]) for r in rows] == [
        ("0", "5", "", REPRODUCED, ""), ("", "1", "", NOT_REPRODUCED, "because"), ("3", "3", "own", MET, ""),
        ("", "", "", REPRODUCED, "")]


@pytest.mark.parametrize("source", ("", "  "))
def test_a_claim_without_a_source_is_refused(source):
    with pytest.raises(ValueError, match="without a source: x"):
        Claim("x", source, 1, 1)


@pytest.mark.parametrize("expected, found", [("in this order", 1), (1, True), (Range(0, 1), True)])
def test_words_are_not_judged_by_numbers(expected, found):
    with pytest.raises(ValueError, match="hold or not"):
        Claim("x", "y", expected, found)


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_claim_has_a_source_and_what_it_is_judged_by(name):
    """A paper's number says where in the paper it stands; what we expect ourselves does not pass for one."""
    with open(RESULTS / name / "claims.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert row["source"] and row["expected"] and row["allowed"] and row["ours"], row["number"]
        assert (row["verdict"] in (MET, NOT_MET)) == (row["own"] == "own"), row["number"]
        if name in PAPERS and not row["own"]:
            paper = PAPERS[name].split(",")[0]
            assert row["source"].startswith(paper) and PLACE.search(row["source"]), (row["number"], row["source"])


def test_results_show_own_expectations_apart():
    text = (ROOT / "docs/results.md").read_text()
    reported, own = text.split("## Our own expectations")
    assert "wrong data and refused flash commands" in own and "wrong data" not in reported
    assert f"| {MET}" not in reported and f"| {REPRODUCED}" not in own


def lightness_and_colour(text):
    """CIE L*a*b* of a colour #rrggbb."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (int(text[i:i + 2], 16) / 255 for i in (1, 3, 5))]
    rows = ((0.4124, 0.3576, 0.1805, 0.95047), (0.2126, 0.7152, 0.0722, 1.0), (0.0193, 0.1192, 0.9505, 1.08883))
    x, y, z = (sum(w * c for w, c in zip(row, linear)) / row[3] for row in rows)
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_colours_of_figures_can_be_told_apart():
    for one, other in itertools.combinations(COLOURS, 2):
        assert math.dist(lightness_and_colour(one), lightness_and_colour(other)) > 20, (one, other)
