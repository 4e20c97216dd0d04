"""Can the bugs of the weekly tests still be planted, though the source has changed?"""

import pathlib

import planted_bugs
import pytest
import recovery_bugs

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUGS = {**planted_bugs.BUGS, **recovery_bugs.BUGS}


@pytest.mark.parametrize("bug", BUGS)
def test_the_source_says_once_what_a_bug_replaces(bug):
    file, right, wrong, _ = BUGS[bug]
    assert (ROOT / file).read_text(encoding="utf-8").count(right) == 1
    assert right != wrong
