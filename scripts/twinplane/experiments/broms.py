"""BROMS (MEMSYS 2016): how many MLC blocks should play SLC."""

from twinplane.experiments import broms_cases, broms_drive_figures, broms_model
from twinplane.experiments.broms_claims import drive_claims
from twinplane.experiments.broms_metrics import metrics
from twinplane.experiments.experiment import Experiment

QUESTION = """\
Some blocks of an MLC drive are used with their fast pages only, for what is written often. How many should that be? ComboFTL says so
once and for all; BROMS moves the border one block at a time, to where a model of the cost of a page write says that it is lowest.

The model. Figures 4 and 5 of the paper are the model alone: cost over the size of the hot partition, and what data cost that were
taken for hot and are not. They ask the unit of the firmware that BROMS asks, through the program (twinplane cost-model). The example
is the paper's: 30 % of the pages written are hot, 1 % of them misplaced, both partitions 80 % full, 3/7 of the cold partition's capacity
in the hot one. The costs of its flash stand in a legend that its text does not have: reading 75 µs, a mean program of 1300 µs and an
erase of 3.8 ms are those of its evaluation, a fast program of 450 µs is assumed. A share that the text prints with two digits counts as
reproduced within half of the last one.

The drives. One plane of 256 blocks of 64 pages (the paper's has 2,048 of 256); fewer blocks distort costs. Hot requests are of 4 KiB, half
a page, cold ones of a whole page, each to data of its own. A partition's capacity is the length of its list, as in the paper's section 6;
the three erased blocks that each one keeps for its collection are part of it. Figure 6 fixes the border and asks where the measured cost
is lowest, and how far above the model. "Starts" are ComboFTL's steady states as the paper states them, with its fixed 30 % of the blocks:
utilisations of hm_0 and prn_0 are in its text, their shares of hot pages (54 and 27 %) are those of our profiles, fin is Fin1 with nearly all
requests small, and of proj_0 only the end is known. In closed loop eight requests are outstanding; in open loop they arrive at random at 0.7 to
0.9 of what ComboFTL can do. "Grid" is a range of plain drives on which BROMS should not lose. Profiles have the statistics of the paper's
traces, but small and large requests go to the same addresses; excerpts are real and short, and are replayed over and over.
"""
COLUMNS = {"part": "part", "start": "start", "policy": "policy", "variant": "variant", "point": "fixed hot utilisation", "load": "load",
           "seed": "seed", "hot_blocks": "hot blocks", "hot_filled": "hot data / usable", "cold_filled": "cold data / usable",
           "cost_us": "cost (µs)", "response_ms": "response (ms)", "iops": "requests/s", "collections": "collections",
           "across": "moved across", "moves_of_border": "moves of the border", "waf": "write amplification"}


def grid(quick):
    return broms_model.grid(quick) + broms_cases.drives(quick)


def table(frame):
    """The model's rows, then the runs; what one has and the other has not is left empty."""
    model = {name: words for name, words in broms_model.COLUMNS.items() if name not in COLUMNS}
    return frame[[*COLUMNS, *model]].rename(columns=COLUMNS | model)


def figures(frame):
    return broms_model.figures(frame) + broms_drive_figures.figures(frame)


def claims(frame, quick):
    return broms_model.claims(frame, quick) + drive_claims(frame, quick)


EXPERIMENT = Experiment("broms", "How many MLC blocks should play SLC: BROMS and ComboFTL", QUESTION, grid, table, figures, claims,
                        metrics, paper="BROMS, MEMSYS 2016")
