"""Write amplification against the mean-field law of d-choices garbage collection."""

from twinplane import laws
from twinplane.case import Case
from twinplane.experiments.fidelity_part import WEARING, Part, spread

RESERVE = 2.5  # blocks of a plane outside the law: the open one, and one or two free ones
CHOICES = {"greedy": 0, "2 choices": 2, "10 choices": 10, "greedy, 4 dies": 0}
FOUR_DIES = {"geometry.channels": 2, "geometry.chips_per_channel": 2, "ftl.plane_allocation": "F"}


class WriteAmplification(Part):
    name, title = "waf", "Write amplification"
    source = "d-choices and greedy law, Van Houdt 2013, Desnoyers 2014"
    quantity, unit, axis_title = "write amplification", "pages per host page", "valid data / capacity"
    tolerance = (0.01, 0.02)
    pages_per_block = 64
    blocks = (4096, 1024)
    drive_writes = {0: 4, 2: 12, 10: 6}  # overwrites until the steady state, by number of choices
    measured = (2, 1)                    # drive writes

    def points(self, quick):
        rhos = (0.6, 0.8) if quick else (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
        one_die = [(series, rho) for series in CHOICES if "dies" not in series for rho in rhos]
        return one_die if quick else one_die + [("greedy, 4 dies", rho) for rho in (0.7, 0.8, 0.9)]

    def law(self, series, x):
        return laws.write_amplification(x, self.pages_per_block, CHOICES[series])

    def case(self, series, x, quick):
        choices, dies = CHOICES[series], 4 if "dies" in series else 1
        blocks = self.blocks[quick] // dies  # of each plane
        exported = x * (blocks - RESERVE) / blocks
        settings = {"geometry.blocks_per_plane": blocks, "geometry.pages_per_block": self.pages_per_block,
                    "ftl.over_provisioning": f"{100 * (1 - exported):.6f}%",
                    "precondition.overwrite": f"{100 * self.drive_writes[choices]}%",
                    "workload.number_ios": int(self.measured[quick] * exported * dies * blocks * self.pages_per_block)}
        victim = {"ftl.victim": "rga", "ftl.victim_d": choices} if choices else {"ftl.victim": "greedy"}
        return Case(WEARING, settings | victim | (FOUR_DIES if dies > 1 else {}))

    def found(self, row):
        return row["programs_per_write"]

    def curve(self, xs):
        return spread(xs, 40)


class BlockSize(WriteAmplification):
    """The same at one utilisation over the size of the blocks, which decides how far greedy is from FIFO."""

    name, title = "waf_block", "Write amplification over block size"
    axis_title = "pages per block"
    rho = 0.8

    def points(self, quick):
        return [(series, b) for series in ("greedy", "2 choices") for b in ((16, 32) if quick else (16, 32, 128, 256))]

    def law(self, series, x):
        return laws.write_amplification(self.rho, int(x), CHOICES[series])

    def case(self, series, x, quick):
        sized = WriteAmplification()
        sized.pages_per_block = int(x)
        return sized.case(series, self.rho, quick)

    def curve(self, xs):
        return sorted({round(x) for x in spread(xs, 16)})


PARTS = (WriteAmplification(), BlockSize())
