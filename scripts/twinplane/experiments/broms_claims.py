"""Paper and here: what the drives of the experiment broms show."""

from twinplane.experiments.broms_cases import CAPACITY, HOT_WRITES, IDLE
from twinplane.experiments.broms_metrics import against, change, lowest_of, of_part, over_model
from twinplane.experiments.experiment import Claim, Range, at_least, at_most, nothing_wrong

RESULTS, VERIFICATION = "BROMS, section 7.2", "BROMS, section 5.3, figure 6"
PAPER = {"hm": (-82.5, 8.9), "prn": (-86.3, 6.0), "proj": (None, 5.8), "fin": (-10.7, None)}  # response, hot capacity, per cent
COSTS = {"hm": Range(-86, -80), "prn": Range(-55, -45), "fin": Range(-14, -8)}
HOT = {"hm": Range(4, 10), "prn": Range(4, 8), "fin": Range(32, 37)}


def drive_claims(frame, quick):
    drives = frame[frame["cost_us"].notna()]
    made = [*figure_6(frame), *starts(frame), *open_loop(frame), *profiles(frame), *grid(frame)]
    if not quick:
        made += [*ratios(frame), *waiting(frame), *excerpts(frame), *static(frame)]
    return [*made, *capacities(frame), nothing_wrong(drives)]


def figure_6(frame):
    rows = over_model(frame, "figure 6", "figure 6, model")
    least = of_part(frame, "figure 6, least").set_index("hot_writes")["hot_utilisation"]
    claims = []
    for start, runs in rows.groupby("start"):
        means = runs.groupby("point")[["cost_us", "ratio"]].mean()
        found, wanted = lowest_of(means.index, means["cost_us"]), least[HOT_WRITES[start]]
        middle = means["ratio"].iloc[(means.index.to_series() - found).abs().argmin()]
        ends = means["ratio"].iloc[[0, -1]]
        claims += [
            Claim(f"{start}: hot utilisation of the least cost, measured beside predicted", f"{VERIFICATION}: the same",
                  "the same", bool(abs(found - wanted) <= 0.015), numbers=f"{found:.3f} and {wanted:.3f}"),
            Claim(f"{start}: measured cost", f"{VERIFICATION}: consistently larger than the model's", "larger everywhere",
                  bool((means["ratio"] >= 1).all()), numbers=f"{means['ratio'].min():.3f} times and more"),
            Claim(f"{start}: gap to the model", f"{VERIFICATION}: larger away from the least cost", "larger at both ends",
                  bool((ends > middle).all()), numbers=f"{ends.iloc[0]:.3f}, {middle:.3f}, {ends.iloc[-1]:.3f} from left to right"),
            Claim(f"{start}: measured cost over predicted, at its lowest", "the paper draws no gap there", Range(1.0, 1.06),
                  middle, own=True),
            Claim(f"{start}: how far the measured optimum is from the predicted one", "the paper sees none", at_most(0.015),
                  abs(found - wanted), own=True)]
        if start == "ST1":
            claims.append(Claim("ST1: hot utilisation of the least cost, measured", "BROMS, figures 4 and 6: 0.87", 0.87, found,
                                tolerance=0.0175))
    return claims


def ratios(frame):
    rows = over_model(frame, "ratio", "ratio, model")
    means = rows[(rows["start"] == "ST1") & (rows["point"].between(0.8, 0.85))].groupby("variant")["ratio"].mean()
    usable, lists = means["kept blocks do not count"], means["as in figure 6"]
    return [Claim("ST1: cost over prediction where the erased blocks that collection keeps do not count as capacity",
                  "what is kept holds no data: then the model's law of long blocks is too high", at_most(1.0), usable, own=True),
            Claim("ST1: the same where they do", "a partition's capacity is the length of its list (section 6)", Range(1.0, 1.06),
                  lists, own=True),
            Claim("ST1: the same with 64 blocks", "what is kept weighs more in a small plane", at_least(1.2), means["64 blocks"],
                  own=True),
            Claim("ST1: the same with 512 blocks of 256 pages", "a larger plane comes closer to the model from above",
                  Range(1.0, 1.06), means["512 blocks of 256 pages"], own=True)]


def starts(frame):
    rows = against(frame, "starts", "cost_us")
    rows = rows[rows["policy"] == "BROMS"]
    claims = []
    for name, runs in rows.groupby("start", sort=False):
        hot, saved = 100 * runs["hot_blocks"].mean(), change(runs)
        _, end = PAPER[name]
        if end is not None:
            claims.append(Claim(f"{name}: hot blocks in the end", f"{RESULTS}, figure 10: {name}_0, {end} %", end, hot, "%", 0.25,
                                neutral=30, why=STARTED))
        if name == "fin":
            claims.append(Claim("fin: hot blocks in the end", f"{RESULTS}, figure 10: Fin1 and Fin2 grow above 30 %",
                                at_least(30), hot, "%"))
        if name in HOT:
            claims += [Claim(f"{name}: hot blocks in the end", "from the paper's utilisations", HOT[name], hot, "%", own=True),
                       Claim(f"{name}: cost of a page write, ComboFTL = 0", "from the paper's utilisations, by equation 13",
                             COSTS[name], saved, "%", own=True)]
    return claims


STARTED = "it ends where equation 13 is lowest for this start; shares of hot writes and the footprint are not in the text"


WHY_OPEN = {
    "hm": "the load is not in the text, and waiting falls by more than the cost does",
    "prn": "the load is not in the text",
    "fin": "the cost falls, but the smaller cold partition's victims are fuller: a plane does one collection at a time, hot writes "
           "wait behind longer ones, and more so with longer blocks (the runs of \"waiting\")"}


def open_loop(frame):
    rows = against(frame, "open", "response_ms")
    claims = []
    for name, runs in rows.groupby("start", sort=False):
        by_load = {load: change(runs, load=load) for load in sorted(runs["load"].unique())}
        told = ", ".join(f"{value:.1f} % at {load}" for load, value in by_load.items())
        worst, best = max(by_load.values()), min(by_load.values())
        paper, _ = PAPER[name]
        if paper is not None:
            nearest = min(by_load.values(), key=lambda value: abs(value - paper))
            claims.append(Claim(f"{name}: mean response in open loop, ComboFTL = 0", f"{RESULTS}, figure 8: {paper} %", paper,
                                nearest, "%", 0.1, neutral=0, why=f"{WHY_OPEN[name]}; {told}"))
        if name == "prn":
            claims += [Claim(f"prn: the same, {word} of the loads", "half the cost, and no waiting for it", Range(-90, -80), value,
                             "%", own=True, why=told) for word, value in (("worst", worst), ("best", best))]
        if name == "proj":
            claims.append(Claim("proj: the same, worst of the loads", "shrinks as the paper says", at_most(-55), worst, "%", own=True))
    return claims


def waiting(frame):
    """What decides how much of prn's waiting is saved: how long collections are, and how many erased blocks there are meanwhile."""
    rows = against(frame, "waiting", "response_ms")
    saved = {variant: change(rows, start="prn", variant=variant) for variant in rows["variant"].unique()}
    fin = change(rows, start="fin", variant="64 pages"), change(rows, start="fin", variant="256 pages")
    return [Claim("prn: mean response at load 0.8 with 256 pages per block, as the paper's, ComboFTL = 0",
                  "longer collections are waited for longer", Range(-90, -80), saved["256 pages"], "%", own=True),
            Claim("prn: the same with five erased blocks kept instead of three", "writes find room while a block is collected",
                  at_least(-50), saved["5 blocks kept"], "%", own=True),
            Claim("fin: response at load 0.8 rises by less with blocks of 64 pages than of 256",
                  "hot writes wait for collections of the cold partition", "less", bool(fin[0] < fin[1]), own=True,
                  numbers=f"{fin[0]:.0f} % and {fin[1]:.0f} %")]


def profiles(frame):
    rows = against(frame, "profile", "response_ms")
    paper = {"hm_0": -82.5, "prn_0": -86.3, "fin1": -10.7, "fin2": -12.0}
    why = ("the profile's small and large requests go to the same addresses, so what is hot changes; requests one after the "
           "other wait for no other one's collection")
    claims = []
    for name, runs in rows.groupby("start", sort=False):
        found = change(runs)
        if name in paper:
            claims.append(Claim(f"profile {name}: mean response, ComboFTL = 0", f"{RESULTS}, figure 8: {paper[name]} %", paper[name],
                                found, "%", 0.1, neutral=0, why=why))
        if name in IDLE:
            claims.append(Claim(f"profile {name}: mean response, ComboFTL = 0", f"{RESULTS}: no garbage collection, no difference",
                                Range(-1, 1), found, "%",
                                why="the scaled profile fills the hot partition, and a few of its blocks are collected"))
        if name == "mds_0":
            claims.append(Claim("profile mds_0: mean response, ComboFTL = 0", f"{RESULTS}: victims are almost empty, so similar",
                                Range(-5, 5), found, "%", why=why))
    return claims


def excerpts(frame):
    if not (frame["part"] == "excerpt").any():
        return []
    rows = against(frame, "excerpt", "cost_us")
    return [Claim(f"excerpt of {name}: cost of a page write, ComboFTL = 0", "replayed over and over, BROMS should not lose",
                  at_most(2), change(runs), "%", own=True) for name, runs in rows.groupby("start", sort=False)]


def grid(frame):
    rows = against(frame, "grid", "cost_us")
    means = rows.groupby(["variant", "start", "hot_writes"], sort=False)["relative"].mean()
    worst = means.groupby("variant", sort=False).max()
    return [Claim(f"{kind} writes, {(means.index.get_level_values(0) == kind).sum()} drives: cost with BROMS, ComboFTL = 0, worst",
                  "BROMS need not change anything", at_most(2), 100 * (value - 1), "%", own=True)
            for kind, value in worst.items()]


def static(frame):
    rows = against(frame, "static", "cost_us")
    return [Claim(f"{name}, half of the cold data never written: cost with measured victims, ComboFTL = 0",
                  "equation 6 takes the cold partition for dearer than it is; fitted to victims it should not lose", at_most(2),
                  change(rows, start=name, variant="measured"), "%", own=True) for name in rows["start"].unique()]


def capacities(frame):
    rows = of_part(frame, "starts")
    rows = rows[rows["policy"] == "ComboFTL"].groupby("start")["iops"].mean()
    return [Claim(f"{name}: what ComboFTL can do, in requests per second", "loads are shares of what the runs were told",
                  CAPACITY[name], found, tolerance=0.03, own=True) for name, found in rows.items()]
