"""Rows of the experiment ipu: which belong together, and how schemes compare."""

import numpy

from twinplane.experiments.ipu_cases import BASE, MSR, profile

POINT = ["part", "trace", "ratio", "reading", "reads", "corrects", "pe", "load", "planes", "dies", "seed"]
COMPARED = ("io_us", "write_us", "read_us", "error_rate", "slc_programs", "native_programs", "slc_erases", "native_erases",
            "mapping_bytes", "wear", "utilisation", "searched")
SAME = {"less": "subset", "any access": "subset", "packed eviction": "subset"}  # readings that say nothing to the Baseline


def varied(frame, traces=None, part="profile", **changes):
    """Rows of the profiles that differ from BASE in `changes` alone."""
    chosen = frame["part"].to_numpy() == part
    for name, value in (BASE | changes).items():
        chosen &= frame[name].to_numpy() == value
    if traces is not None:
        chosen &= frame["trace"].isin(traces).to_numpy()
    return frame[chosen]


def relative(frame):
    """The frame with every number of COMPARED over that of the Baseline and of MGA: same trace, settings and seed."""
    keyed = frame.assign(reading=frame["reading"].replace(SAME))
    for other in ("Baseline", "MGA"):
        base = frame[frame["scheme"] == other].set_index(POINT)[list(COMPARED)].astype(float)
        against = keyed[POINT].join(base, on=POINT)
        for name in COMPARED:
            frame = frame.assign(**{f"{name}/{other}": frame[name].astype(float) / against[name].where(against[name] != 0)})
    return frame


def mean(rows, scheme, column, traces=None):
    """Of the traces, each the mean of its seeds; NaN where no trace has a value."""
    rows = rows[rows["scheme"] == scheme]
    if traces is not None:
        rows = rows[rows["trace"].isin(traces)]
    return float(rows.groupby("trace")[column].mean().mean())


def spread(rows, scheme, column, traces=None):
    """(mean, least, most): what each seed that has all traces gives, mean of the traces."""
    whole = mean(rows, scheme, column, traces)
    rows = rows[(rows["scheme"] == scheme) & (rows["trace"].isin(traces) if traces is not None else True)]
    of_seeds = rows.pivot_table(index="seed", columns="trace", values=column, dropna=False).dropna(axis=1, how="all").dropna()
    found = of_seeds.mean(axis=1)
    return (whole, float(found.min()), float(found.max())) if len(found) else (whole, whole, whole)


def changes(rows, scheme, column, against="Baseline"):
    """The same in per cent above `against`."""
    return tuple(100 * (value - 1) for value in spread(rows, scheme, f"{column}/{against}"))


def pooled(rows, scheme, column):
    """Of all writes of the traces together: each counts as often as it writes, not all alike."""
    found = rows[rows["scheme"] == scheme].groupby("trace")[column].mean().dropna()
    weights = [profile(trace)["requests"] * profile(trace)["writes"] for trace in found.index]
    return float(numpy.average(found, weights=weights)) if len(found) else float("nan")


def change(rows, scheme, column, against="Baseline", traces=None):
    """Per cent that `scheme` is above `against`, mean of the traces."""
    return 100 * (mean(rows, scheme, f"{column}/{against}", traces) - 1)


def by_trace(rows, column, scale=1.0):
    """Means of the seeds: a row for each trace, a column for each scheme."""
    return scale * rows.pivot_table(index="trace", columns="scheme", values=column, sort=False)


def in_order(rows, column, first_is_largest, traces=MSR, strict=True):
    """Traces whose schemes lie in this order, of those that have the number for all of them."""
    found = by_trace(rows[rows["trace"].isin(traces)], column)
    names = list(first_is_largest)
    if not set(names) <= set(found.columns):
        return {}
    held = {}
    for trace, row in found[names].dropna().iterrows():
        pairs = list(zip(row, row[1:]))
        held[trace] = all(a > b for a, b in pairs) if strict else pairs[0][0] > pairs[0][1] and all(a >= b for a, b in pairs)
    return held


# --- numbers as text ---


def listed(values, digits=1):
    """Of numbers, or of (mean, least, most)."""
    return ", ".join(f"{name} {told(value, digits)}" for name, value in values.items())


def told(value, digits):
    if not isinstance(value, tuple):
        return f"{value:+.{digits}f}"
    mean_of, least, most = (f"{v:+.{digits}f}" for v in value)
    return mean_of if least == most else f"{mean_of} ({least} to {most})"
