"""The experiment broms, the model alone: figures 4 and 5 and what is said of them."""

import numpy

from twinplane.cost_case import CostCase
from twinplane.experiments.broms_cases import labels_of
from twinplane.experiments.broms_model_figures import MISPLACED, best, curve_of, figures, percent
from twinplane.experiments.experiment import Claim, at_most

PART = {"pages-per-block": 256, "read": "75us", "program-fast": "450us", "program-mean": "1300us", "erase": "3.8ms", "bits": 2}
STATE = {"hot-writes": 0.3, "misplaced": 0.01, "hot-capacity": 0.3, "hot-utilisation": 0.8, "cold-utilisation": 0.8}
FAST, MEAN = range(300, 751, 50), (1150, 1300, 1500, 1650)  # programs in µs, of what MLC parts have


def case(part, settings, rows):
    """A table; `rows` are the divisions that it has: {"at": [...]} or {"best": True}."""
    chosen = PART | STATE | settings
    if "hot-blocks" in chosen:
        del chosen["hot-capacity"]
    labels = labels_of(part, hot_writes=chosen["hot-writes"], misplaced=chosen["misplaced"],
                       by="blocks" if "hot-blocks" in chosen else "capacity", whole_pages=chosen.get("whole-pages", False),
                       fast_us=float(chosen["program-fast"][:-2]), mean_us=float(chosen["program-mean"][:-2]))
    return CostCase(settings=chosen | rows, labels=labels)


def grid(quick):
    between = numpy.arange(0.66, 0.99, 0.02 if quick else 0.0025).round(4)
    at = {"at": [0.652, 0.655, *between, 0.99]}
    cases = [case("figure 4", {"whole-pages": whole}, at) for whole in (False, True)]
    cases += [case("figure 5", {"hot-writes": theta, "misplaced": part}, at)
              for theta in (0.3, 0.5) for part in MISPLACED]
    cases += [case("example", {"hot-writes": theta, "misplaced": part}, {"best": True})
              for theta in (0.3, 0.5) for part in MISPLACED]
    cases += [case("flash", {"hot-writes": theta, "program-fast": f"{fast}us", "program-mean": f"{mean}us"}, {"best": True})
              for theta in (0.3, 0.5) for mean in (MEAN[:2] if quick else MEAN) for fast in (FAST[::3] if quick else FAST)]
    return cases + [case("blocks", {"hot-writes": theta, "hot-blocks": 0.3}, {"best": True}) for theta in (0.3, 0.5)]


COLUMNS = {"part": "part", "hot_writes": "hot writes", "misplaced": "misplaced", "by": "partition by",
           "whole_pages": "whole pages", "fast_us": "fast program (µs)", "mean_us": "mean program (µs)",
           "hot_utilisation": "hot utilisation", "cold_utilisation": "cold utilisation", "hot_capacity": "hot capacity",
           "hot_blocks": "hot blocks", "hot_victim": "hot victim", "cold_victim": "cold victim",
           "hot_page_write_us": "hot page write (µs)", "cold_page_write_us": "cold page write (µs)",
           "migration_us": "migration (µs)", "overall_us": "overall (µs)"}

# --- paper and here ---

CHECKING, COST_MODEL = "BROMS, section 4.3", "BROMS, section 4.2"
SPLIT = ("the text does not say what fast and slow pages take: with a fast program of 600 µs and a mean of 1150 µs the "
         "two optima are .854 and .818")


def two_digits(what, source, expected, found, **more):
    return Claim(what, source, expected, found, tolerance=0.005 / expected, **more)


def effects(frame):
    """What all hot data being misplaced would add, as a share of the cost without, at hot utilisations .68 and .96; (13) is
    linear in it."""
    rows = curve_of(frame, "figure 5", hot_writes=0.3, misplaced=0.0).set_index("hot_utilisation")
    return {u: 0.3 * rows.loc[u, "migration_us"] / rows.loc[u, "overall_us"] for u in (0.68, 0.96)}


def claims(frame, quick):
    return [*example_claims(frame), *misplaced_claims(frame), *own_claims(frame)]


def example_claims(frame):
    curve = curve_of(frame, "figure 4", whole_pages=False)
    cost = curve["overall_us"].to_numpy()
    turn = int(cost.argmin())
    falls_then_rises = bool((numpy.diff(cost[:turn + 1]) < 0).all() and (numpy.diff(cost[turn:]) > 0).all())
    lowest, half = best(frame, 0.3, 0.01), best(frame, 0.5, 0.01)
    return [
        two_digits("least hot utilisation", f"{COST_MODEL}, equation 12", 0.65, curve["lowest_hot_utilisation"].iloc[0]),
        Claim("cost over the hot utilisation", f"{COST_MODEL}, figure 4", "a bathtub", falls_then_rises and 0 < turn,
              numbers=f"{cost[0]:,.0f} µs, {cost[turn]:,.0f} µs, {cost[-1]:,.0f} µs from left to right"),
        two_digits("hot utilisation of the least cost, 30 % hot writes", f"{COST_MODEL}, figure 4", 0.87,
                   lowest["hot_utilisation"]),
        two_digits("hot utilisation of the least cost, 50 % hot writes", f"{CHECKING}, figure 5", 0.82,
                   half["hot_utilisation"], neutral=0.87, why=SPLIT)]


def misplaced_claims(frame):
    per = effects(frame)
    most = max(MISPLACED)  # about what the model needs for the paper's 18.1 % at .68
    moved = {theta: best(frame, theta, most)["hot_utilisation"] for theta in (0.3, 0.5)}
    shift = {theta: "a page that is moved costs a cold write, which is cheaper with a larger cold partition: the optimum moves "
             f"by {moved[theta] - best(frame, theta, 0.0)['hot_utilisation']:.3f}" for theta in (0.3, 0.5)}
    left, right = 18.1 * per[0.96] / per[0.68], 4.9 * per[0.68] / per[0.96]
    why = (f"the shares that are drawn are not in the text; here the two effects are to each other as "
           f"{per[0.68] / per[0.96]:.2f}, in the paper as 3.69, with any share")
    return [
        two_digits(f"hot utilisation of the least cost, 30 % hot writes, {percent(most)} misplaced",
                   f"{CHECKING}, figure 5", 0.87, moved[0.3], why=shift[0.3]),
        two_digits(f"hot utilisation of the least cost, 50 % hot writes, {percent(most)} misplaced",
                   f"{CHECKING}, figure 5", 0.82, moved[0.5], neutral=0.87, why=f"{shift[0.5]}; {SPLIT}"),
        Claim("what misplaced data cost", f"{CHECKING}, figure 5", "more where the hot utilisation is small",
              bool(per[0.68] > per[0.96]),
              numbers=f"{percent(per[0.68])} at .68, {percent(per[0.96])} at .96 if all were misplaced"),
        Claim("more cost at hot utilisation .96, where it is 18.1 % at .68", f"{CHECKING}, figure 5", 4.9, left, "%", 0.05,
              neutral=18.1, why=why),
        Claim("more cost at hot utilisation .68, where it is 4.9 % at .96", f"{CHECKING}, figure 5", 18.1, right, "%", 0.05,
              neutral=4.9, why=why)]


def own_claims(frame):
    most, made = max(MISPLACED), []
    for theta in (0.3, 0.5):
        ignorant, informed = best(frame, theta, 0.0), best(frame, theta, most)
        cost = ignorant["overall_us"] + most * theta * ignorant["migration_us"]
        made.append(Claim(f"{percent(theta)} hot writes, {percent(most)} misplaced: what it costs not to know",
                          "the paper ignores misplaced data where it looks for the best division", at_most(1),
                          100 * (cost / informed["overall_us"] - 1), "%", own=True))
    optima = frame[frame["part"] == "flash"].pivot_table(index=["fast_us", "mean_us"], columns="hot_writes",
                                                         values="hot_utilisation")
    off = numpy.maximum((optima[0.3] - 0.87).abs(), (optima[0.5] - 0.82).abs())
    fast, mean = off.idxmin()
    made.append(Claim(f"both optima at once, with the flash that fits best ({fast:.0f} and {mean:.0f} µs): the larger error",
                      "the flash of the legend should be one that exists", at_most(0.01), off.min(), own=True))
    blocks = frame[(frame["part"] == "blocks") & (frame["hot_writes"] == 0.3)]["hot_utilisation"].iloc[0]
    made.append(Claim("hot utilisation of the least cost if 30 % were a share of the blocks", "a share of the blocks is not what "
                      "the paper means: 0.87 would be missed", at_most(0.855), blocks, own=True))
    return made

