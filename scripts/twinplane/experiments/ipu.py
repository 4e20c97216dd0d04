"""IPU: updates inside their own page of an SLC-mode cache, by partial programming."""

from twinplane.experiments.experiment import Experiment
from twinplane.experiments.ipu_cases import grid
from twinplane.experiments.ipu_claims import claims, table
from twinplane.experiments.ipu_figures import figures

QUESTION = """\
Some blocks of an MLC drive are in SLC mode and take all writes first. A write of 4 KiB into a page of 16 KiB leaves three
quarters of it unused (Baseline). Partial programming can use them: for anything (MGA), which disturbs valid data in the page and
needs a map of subpages, or only for new versions of the same data (IPU), which disturbs no other data of the page. What does that do
to latency, read errors, erases and memory?

The drive is that of the paper's Table 2 with fewer chips and smaller blocks; each plane has as many blocks and as large a share
in SLC mode as there. The traces are profiles with the statistics of the paper's Tables 1 and 3; excerpts of real traces are
replayed if they are at hand. What a trace writes over and over decides how long it stays in the cache, so the size of the cache over the
pages written is swept: at the paper's own size most of what ts_0, wdev_0 and usr_0 write fits into it and hardly anything is evicted.
Figures 5 to 12 are drawn with the cache as in the paper and with an eighth of what is written, 13 and 14 with the former.

The paper leaves open what happens to the part of a page that an update does not write (subset: it stays valid where it is; union:
it is read and written again with the update), whether an update that needs all that is left of a page fits (at most, or less),
what counts as an access in the victim's score, and where pages go that are written whole. Each is varied alone. Reads take the
addresses that are written, each as often as any other, unless said otherwise: reads weighted by popularity hardly meet a page
that was disturbed. What is evicted joins what native blocks have of its page: they are mapped by page.

Latencies are those of one request at a time on two dies where nothing else is said, and the address says on which die a page lies:
if idle dies are taken first, what is updated in its page is the only write that has to wait for its own. Everything has three
seeds, also what may explain a difference; where a number has several in brackets, they are the least and the most of the seeds.
"""


def share(part, whole):
    return part / whole if whole else None


def metrics(result):
    """What the figures show, from one run."""
    s = result.summary
    cache, flash, time = s["ftl"]["slc_cache"], s["nand"], s["host"]
    count = time["read"]["count"] + time["write"]["count"]
    mean = {kind: time[kind]["latency_ns"]["mean"] or 0.0 for kind in ("read", "write")}
    levels = cache["updates"]
    updates = sum(levels[name] for name in ("work", "monitor", "hot", "native"))
    row = {"read_us": mean["read"] / 1e3 if time["read"]["count"] else None,
           "write_us": mean["write"] / 1e3 if time["write"]["count"] else None,
           "io_us": sum(mean[kind] * time[kind]["count"] for kind in mean) / count / 1e3,
           "requests": count, "writes": time["write"]["count"],
           "slc_programs": flash["programs"]["slc"], "partial_programs": flash["programs"]["partial"],
           "native_programs": cache["native_programs"], "native_host_pages": cache["native_host_pages"],
           "slc_erases": cache["erases"]["cache"], "native_erases": cache["erases"]["native"],
           "utilisation": cache["utilisation"] if cache["collections"] else None, "collections": cache["collections"],
           "error_rate": s["reliability"]["read_error_rate"],
           "evicted_pages": cache["evicted_pages"], "evicted_subpages": cache["evicted_subpages"],
           "cache_hits": share(cache["read_hits"]["cache"], sum(cache["read_hits"].values())),
           "in_page_disturbed": cache["disturbed"]["in_page"], "neighbour_disturbed": cache["disturbed"]["neighbour"],
           "mapping_bytes": cache["mapping_bytes"], "label_bytes": cache["label_bytes"], "isr_bytes": cache["isr_bytes"],
           "searched": share(cache["victim_search"]["blocks"], cache["collections"]),
           "in_page": share(cache["in_page"], updates), "updates": updates}
    row |= {f"{level}_share": share(levels[level], sum(levels[n] for n in ("work", "monitor", "hot")))
            for level in ("work", "monitor", "hot")}
    return row | {"wear": row["slc_erases"] / 10 + row["native_erases"], "folded": s["workload"]["folded"],
                  "uncorrectable": s["reliability"]["uncorrectable"], "violations": flash["violations"]["total"],
                  "mismatches": time["verify"]["mismatches"]}


EXPERIMENT = Experiment("ipu", "Updates inside the page of an SLC-mode cache: IPU", QUESTION, grid, table, figures, claims,
                        metrics, paper="IPU, partial programming in SLC-mode cache")
