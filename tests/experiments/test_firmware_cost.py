"""Are an image's instructions given to the right steps, and are the costs that follow those that went in?"""

import pytest

from twinplane.experiments.firmware_cost import LOADS, case
from twinplane.experiments.firmware_steps import STEPS, cycles_by_step, derive, fit, most_of, short_name

MAIN = "turn;reset;main;twinplane::fw::Firmware::step()"


def test_the_innermost_known_function_decides():
    cycles, functions = cycles_by_step([
        f"{MAIN} 100",
        f"{MAIN};twinplane::fw::NvmeController::on_host_command();memcpy 30",
        f"{MAIN};twinplane::fw::NvmeController::on_host_command();twinplane::fw::RequestSplitter::admit(twinplane::fw::Request&);memset 20",
        f"{MAIN};twinplane::fw::FtlCore::pump();twinplane::fw::Dispatcher::run();twinplane::fw::(anonymous namespace)::Greedy::select(unsigned long) const 7",
        "write;reset;main;twinplane::fw::Firmware::step();twinplane::fw::Dispatcher::issue(twinplane::fw::Dispatcher::Group&) 9"])
    assert cycles == {"interrupt": 100, "command_decode": 30, "map_lookup": 20, "gc_select": 7, "flash_submit": 9}
    assert most_of(functions["map_lookup"]) == "memset 100 %"


def test_names_are_without_namespace_and_arguments():
    assert short_name("twinplane::fw::target::TargetHal::mmio_read(unsigned long)") == "TargetHal::mmio_read"


def row(costs, taken):
    return {f"cycles_{s}": costs[s] * taken[s] for s in STEPS} | {f"taken_{s}": taken[s] for s in STEPS}


def test_costs_that_went_in_come_out():
    costs = dict(zip(STEPS, (250, 700, 480, 130, 640, 300, 15, 470)))
    loads = [dict(zip(STEPS, taken)) for taken in ((2, 1, 1, 0, 1, 1, 1, 0), (3, 1, 1, 1, 1, 1, 1, 0), (2, 1, 1, 1, 2, 2, 1, 0))]
    victims = row(costs, dict(zip(STEPS, (1, 1, 1, 1, 1, 1, 1, 4))))
    assert derive([row(costs, taken) for taken in loads], victims) == pytest.approx(costs)


def test_no_cost_is_negative():
    assert fit([(1, 0, 1.0), (1, 1, 0.9)]) == pytest.approx((0.95, 0))
    assert fit([(0, 1, 1.0), (1, 1, 0.9)]) == pytest.approx((0, 0.95))


def test_the_papers_drives_keep_costs_of_their_own_for_every_step():
    kept = case("demo", "costs of the papers' drives", True).settings
    assert {f"cpu.cost.{step}" for step in STEPS} <= set(kept)
    assert not any(key.startswith("cpu.cost") for key in case("demo", "default costs", True).settings)


def test_a_case_names_its_image_as_a_file():
    made = case("IPU", "image", True)
    assert made.firmware and "--firmware build/firmware/arm/twinplane-cortex-r5.elf" in made.command()
    assert made.settings["workload.number_ios"] == LOADS["IPU"]["workload.number_ios"] // 3
    assert not case("IPU", "default costs", True).firmware
