"""What the runs of papers have in common: what they assume, and the drives that they compare.

A paper's run names every key that its result could depend on. What no paper states is in configs/assumed.toml, what
one paper states in its own file, what a policy decides here: presets are defaults too, and those of `conventional`
may get better.
"""

from twinplane.experiments.fidelity_part import CONFIGS

ASSUMED = str(CONFIGS / "assumed.toml")

# The papers' baselines: pages in the data sheet's order, one plane of an idle die at a time.
CONVENTIONAL = {"ftl.policy": "conventional", "ftl.classifier": "none", "ftl.plane_allocation": "F",
                "ftl.block_allocation": "conventional", "ftl.relocation": "same", "ftl.pair": "off",
                "nand.program_order": "strict", "nand.wordline_buffer": 4096, "nand.bac": True}
# Page types; the classifier says which. Lower pages are read again before a program (PA-SSD, section 4.3).
PA_SSD = CONVENTIONAL | {"ftl.policy": "pa-ssd", "ftl.block_allocation": "pa", "ftl.relocation": "ubs",
                         "nand.program_order": "relaxed", "nand.wordline_buffer": 0}
PA_TWIN = PA_SSD | {"ftl.policy": "pa-twin", "ftl.block_allocation": "pa-twin", "ftl.pair": "any", "nand.bac": False}
PAPA = PA_SSD | {"ftl.policy": "papa", "ftl.classifier": "papa", "ftl.relocation": "slow", "nand.wordline_buffer": 4096}
# Hot blocks with fast pages only, cold ones with all: the border stays, or moves by predicted cost.
COMBO = CONVENTIONAL | {"ftl.policy": "combo", "ftl.regions": "combo", "ftl.classifier": "hot_size", "ftl.plane_allocation": "F2",
                        "ftl.pair": "any", "nand.program_order": "ascending"}
BROMS = COMBO | {"ftl.policy": "broms", "ftl.regions": "broms"}

# An SLC-mode cache before native blocks; what its experiment varies stands at its first value.
SLC_CACHE = CONVENTIONAL | {"ftl.policy": "slc_cache", "ftl.regions": "slc_cache", "nand.partial_programs": 4,
                            "slc_cache.share": "5%", "slc_cache.gc_threshold": "5%", "slc_cache.fit": "at_most",
                            "slc_cache.update": "subset", "slc_cache.access": "write", "slc_cache.full_pages": "cache",
                            "slc_cache.endurance": 10}
MGA = SLC_CACHE | {"ftl.policy": "mga", "ftl.regions": "mga"}
IPU = SLC_CACHE | {"ftl.policy": "ipu", "ftl.regions": "ipu"}

# --- the check ---

NAMED = ("geometry", "nand", "bus", "controller", "cpu", "pcie", "dram", "host", "ftl", "broms", "slc_cache", "precondition",
         "data")
SYNTHETIC = (*NAMED, "workload")  # sections of which a run without a trace or profile names all keys
FREE = {
    "pcie.serial_number": "whose drive it is; results do not depend on it",
    "cpu.run_ahead": "how far simulation runs ahead; results do not depend on it",
    "bus.hold_tDBSY": "reserved: any other value is refused",
    "workload.iodepth": "another name of host.iodepth",
    "workload.time_based": "reserved: any other value is refused",
    "workload.runtime": "reserved: any other value is refused",
}


def inherited(case, registry):
    """Keys of `registry`, all that the program knows, that a paper's `case` should name and leaves to a default."""
    named = case.named_keys()
    sections = NAMED if case.trace or case.profile else SYNTHETIC
    free = set(FREE)
    if named.get("host.mode") == "open":
        free.add("host.iodepth")  # would be an error
    return sorted(key for key in registry if key.split(".")[0] in sections and key not in free and key not in named)
