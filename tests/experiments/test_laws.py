"""Are the laws themselves right? Published figures, limits with a formula of their own, data sheet sums by hand."""

import math

import pytest

from twinplane import laws


@pytest.mark.parametrize("pages, rho, choices, published", [
    (64, 0.7, 10, 1.8796), (64, 0.9, 10, 5.0002), (256, 0.9, 2, 6.9884), (256, 0.7, 2, 2.4282),
    (64, 0.8, 0, 2.5993), (64, 0.9, 0, 4.8213), (384, 0.9, 0, 5.1144),
])
def test_write_amplification_agrees_with_the_mean_field_table(pages, rho, choices, published):
    assert laws.write_amplification(rho, pages, choices) == pytest.approx(published, rel=1e-3)


def test_random_victims_of_large_blocks_cost_one_over_the_free_share():
    assert laws.write_amplification(0.8, 2048, 1) == pytest.approx(5, rel=2e-3)


def test_greedy_of_large_blocks_is_the_fifo_law():
    """(u - 1) / ln u = rho, A = 1 / (1 - u)."""
    amplification = laws.write_amplification(0.8, 16384, 0)
    u = 1 - 1 / amplification
    assert (u - 1) / math.log(u) == pytest.approx(0.8, rel=1e-3)


def test_equal_services_make_pollaczek_and_khinchine_m_d_1():
    assert laws.pollaczek_khinchine(0.8 / 50, [50.0]) == pytest.approx(laws.m_d_1(0.8, 50.0))


def test_bus_times_are_the_sums_of_their_cycles():
    flat = laws.flat(3)
    assert flat.read_command(1, 0) == 7 * 3
    assert flat.data_out(4096, select=False) == 4096 * 3
    assert flat.program_command(1, 4096, 0) == (7 + 4096) * 3
    assert flat.program_status(1) == 2 * 3
    sdr = laws.BUSES["sdr 5"]
    assert sdr.read_command(2, 500) == 15 + 14 * 20 + 100 + 500 + 100
    assert laws.BUSES["nv-ddr3 12"].data(1) == pytest.approx(0.834)


def test_a_law_is_found_in_few_steps(monkeypatch):
    """The quick fidelity runs ask for some hundred of them."""
    steps, step = [], laws._valid_pages
    monkeypatch.setattr(laws, "_valid_pages", lambda *point: steps.append(point) or step(*point))
    laws.write_amplification(0.87, 64, 10)
    assert 0 < len(steps) < 20
