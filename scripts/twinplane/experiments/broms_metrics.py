"""What the experiment broms takes from its runs and from tables of the cost model, and how runs are compared."""

import json

import numpy

SPANS = 48  # of a run, in its figures over time
SERIES = {"response_ms": "write_latency_mean_us", "hot_utilisation": "hot_utilisation", "cold_utilisation": "cold_utilisation",
          "hot_capacity": "hot_capacity", "hot_blocks": "hot_blocks"}


def metrics(result):
    """A row of a run, or a row for each division of a table."""
    if "ftl" not in result.summary:
        lowest = result.summary["lowest_hot_utilisation"]
        return [row | {"lowest_hot_utilisation": lowest} for row in result.costs().to_dict("records")]
    regions = result.summary["ftl"]["regions"]
    written = {name: regions[name]["host_pages"] for name in ("hot", "cold")}
    return {"cost_us": regions["cost_us_per_page_write"], "response_ms": result.write.mean_ns / 1e6, "iops": result.iops,
            "hot_blocks": regions["hot_blocks"], "hot_capacity": regions["hot_capacity"],
            "written_hot": written["hot"] / max(1, sum(written.values())),
            **{f"{name}_filled": regions[name]["utilisation"] for name in written},
            "collections": sum(sum(regions[name]["collections"].values()) for name in written),
            "across": sum(regions[name]["collections"]["across"] for name in written),
            "moves_of_border": sum(regions[name]["blocks_taken"] for name in written), "waf": result.waf,
            "violations": result.summary["nand"]["violations"]["total"],
            "mismatches": result.summary["host"]["verify"]["mismatches"], "series": json.dumps(series(result.timeline()))}


def series(timeline):
    """Means of equally long spans; no mean response where nothing was written."""
    names = list(SERIES.values())
    parts = numpy.array_split(numpy.arange(len(timeline)), min(SPANS, len(timeline)))
    rows = {"seconds": [round(float(timeline["end_us"].iloc[p[-1]]) / 1e6, 3) for p in parts]}
    for name, column in zip(SERIES, names):
        scale = 1e3 if name == "response_ms" else 1.0
        means = [timeline[column].iloc[p].mean() / scale for p in parts]
        rows[name] = [None if numpy.isnan(m) else round(float(m), 4) for m in means]
    return rows


def of_part(frame, part):
    return frame[frame["part"] == part]


def against(frame, part, column):
    """Runs of BROMS, and of what else there is, over ComboFTL's of the same start, load, variant and seed."""
    rows = of_part(frame, part)
    keys = ["start", "load", "seed", "hot_writes"] + (["variant"] if part in ("reasons", "waiting", "grid") else [])
    base = rows[rows["policy"] == "ComboFTL"].set_index(keys)[column]
    others = rows[rows["policy"] != "ComboFTL"]
    return others.assign(relative=others[column].to_numpy() / others.join(base.rename("base"), on=keys)["base"].to_numpy())


def change(rows, **labels):
    """In per cent, mean of the seeds."""
    for name, value in labels.items():
        rows = rows[rows[name] == value]
    return 100 * (rows["relative"].mean() - 1)


def over_model(frame, part, prediction):
    """Runs with a fixed border beside what equation 13 predicts for them: `predicted_us` and `ratio`."""
    model = of_part(frame, prediction)
    keys = ["variant", "hot_writes", "point"] if part == "ratio" else ["hot_writes", "point"]
    said = model.assign(point=model["hot_utilisation"].round(6)).set_index(keys)["overall_us"]
    rows = of_part(frame, part).join(said.rename("predicted_us"), on=keys)
    return rows.assign(ratio=rows["cost_us"] / rows["predicted_us"])


def lowest_of(points, costs, reach=0.09):
    """Where the cost is lowest, between the points: a cubic through what a unit of cost buys near the lowest one. On the model's
    own curves that is off by .002 at most."""
    points, bought = numpy.asarray(points, float), 1 / numpy.asarray(costs, float)
    near = numpy.abs(points - points[bought.argmax()]) <= reach
    law = numpy.polyfit(points[near], bought[near], min(3, near.sum() - 1))
    fine = numpy.linspace(points[near].min(), points[near].max(), 2001)
    return float(fine[numpy.polyval(law, fine).argmax()])
