"""A table of the firmware's cost model as a case of a sweep."""

import hashlib
import json
import shlex
from dataclasses import dataclass

from twinplane.case import FORMAT, Case, setting_text


@dataclass(frozen=True)
class CostCase(Case):
    """What `twinplane cost-model` is told: settings are its options without dashes, {"hot-writes": 0.3, "best": True}.

    No simulation, so no configuration, no workload and no seed. Result.costs() is its table.
    """

    seed: None = None

    def files(self):
        return []

    def all_settings(self):
        return {name: setting_text(value) for name, value in self.settings.items()}

    def arguments(self):
        words = ["cost-model"]
        for name, value in self.settings.items():
            if value is True:
                words.append(f"--{name}")
            elif value is not False:
                words += [f"--{name}", setting_text(value)]
        return words

    def command(self):
        return shlex.join(["twinplane", *self.arguments(), "--out", "DIR"])

    def job(self, program):
        described = {"format": FORMAT, "arguments": self.arguments(),
                     "program": {"version": program.version, "sha256": program.sha256}}
        key = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        return {"key": key, "program": str(program.path), "sha256": program.sha256, "arguments": self.arguments(),
                "inputs": {}, "described": described}
