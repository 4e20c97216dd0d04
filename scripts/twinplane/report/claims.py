"""How claims are written: on the page, in claims.csv, in docs/results.md."""

import math
from collections import Counter

import pandas

from twinplane.experiments.experiment import DIRECTION, MET, NOT_MET, NOT_REPRODUCED, REPRODUCED, WEAKER
from twinplane.report.style import number_text

DIGITS = 6


def with_unit(text, unit):
    return f"{text} {unit}" if unit else text


def expected_text(claim):
    """5 %; 0 to 5 %; at most 2 %; the source's words."""
    if isinstance(claim.expected, str):
        return claim.expected
    low, high = (None if end is None else number_text(end, DIGITS) for end in (claim.range.low, claim.range.high))
    if low is None or high is None:
        text = f"at most {high}" if low is None else f"at least {low}"
    else:
        text = low if low == high else f"{low} to {high}"
    return with_unit(text, claim.unit)


def tolerance_text(claim):
    if isinstance(claim.expected, str):
        return "-"
    if claim.tolerance:
        return f"{number_text(100 * claim.tolerance, 3)} %"
    return "exact" if claim.range.low == claim.range.high else "none"


def found_text(claim):
    if isinstance(claim.expected, str):
        return ("yes" if claim.found else "no") + (f": {claim.numbers}" if claim.numbers else "")
    return with_unit(number_text(claim.found, DIGITS), claim.unit)


def claims_csv(claims):
    """One row each; `low` and `high` are the ends of what was expected, and empty where there is none."""
    def end(claim, name):
        return math.nan if claim.range is None or getattr(claim.range, name) is None else getattr(claim.range, name)

    return pandas.DataFrame([{
        "number": c.what, "source": c.source, "own": "own" if c.own else "", "expected": expected_text(c),
        "low": end(c, "low"), "high": end(c, "high"), "tolerance": c.tolerance, "allowed": tolerance_text(c),
        "found": float(c.found), "ours": found_text(c), "unit": c.unit, "ratio": c.ratio, "effect": c.effect, "verdict": c.verdict,
        "why": c.reason} for c in claims
    ]).to_csv(index=False, float_format="%.9g")


def verdict_text(verdicts):
    """"5 reproduced, 1 not reproduced; 3 of 4 own expectations met"."""
    counted = Counter(verdicts)
    others = [f"{counted[v]} {v}" for v in (REPRODUCED, DIRECTION, WEAKER, NOT_REPRODUCED) if counted[v]]
    own = counted[MET] + counted[NOT_MET]
    parts = ([", ".join(others)] if others else []) + ([f"{counted[MET]} of {own} own expectations met"] if own else [])
    return "; ".join(parts) or "no claims"
