"""What must be on a guest's console, and in the report of its drive, when all went well."""

import re

BLOCK = re.compile(r"^@begin (\w+)\n(.*?)^@end \1 (\d+)$", re.MULTILINE | re.DOTALL)


def blocks(console):
    """Name of each test of the guest -> (exit status, what it printed)."""
    plain = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|c)", "", console.replace("\r", ""))
    return {m[1]: (int(m[3]), m[2]) for m in BLOCK.finditer(plain)}


def number(text, pattern):
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1].replace(",", ""), 0) if found else None


class Findings(list):
    def require(self, holds, what):
        if not holds:
            self.append(what)


def check_probe(text, report, found):
    found.require((number(text, r"^@interrupts (\d+)") or 0) >= 2, "the driver has no vectors of the drive")
    report["capacity"] = (number(text, r"^(\d+)$") or 0) * 512
    found.require(report["capacity"] > 900 << 20, f"the guest sees {report['capacity']} bytes")


def check_identify(text, report, found):
    found.require("Twinplane virtual SSD" in text, "`nvme list` does not show the drive")
    found.require(number(text, r"^vid\s*: (0x\w+)") == 0x5450, "`nvme id-ctrl` shows another vendor")
    found.require(number(text, r"^ver\s*: (0x\w+)") == 0x10400, "`nvme id-ctrl` shows another version than 1.4")
    found.require(number(text, r"^nn\s*: (\d+)") == 1, "`nvme id-ctrl` shows more than a namespace")
    sectors = number(text, r"^nsze\s*: (0x\w+)")
    found.require(sectors and sectors * 4096 == report.get("capacity"), "`nvme id-ns` shows another size than the kernel")


def check_health(text, report, found):
    for name in ("percentage_used", "media_errors", "critical_warning"):
        found.require(number(text, rf"^{name}\s*: (\d+)") == 0, f"`nvme smart-log` shows no {name} of 0")
    found.require((number(text, r"^power_cycles\s*: ([\d,]+)") or 0) >= 1, "`nvme smart-log` shows no power cycle")
    reads = number(text, r"^host_read_commands\s*: ([\d,]+)")
    found.require(reads is not None and reads <= report["reads"], f"`nvme smart-log` shows {reads} reads")


def check_io(text, _report, found):
    found.require(number(text, r"^@verified (\d+)") == 64 << 20, "64 MiB were not verified")


def check_files(text, _report, found):
    found.require((number(text, r"^@checksums (\d+)") or 0) >= 50, "too few files have been compared")
    found.require((number(text, r"(\d+) bytes\)? trimmed") or 0) > 100 << 20, "fstrim has trimmed little")


def check_fio(text, _report, found):
    jobs = re.findall(r"^@fio (\w+) error (\d+) read (\d+) KiB write (\d+) KiB", text, re.MULTILINE)
    found.require([j[0] for j in jobs] == ["small", "large"], "fio has not run both of its jobs")
    for name, error, read, wrote in jobs:
        found.require(error == "0" and int(read) >= int(wrote) > 0, f"fio's job {name} has not verified what it wrote")


def check_report(tests, summary, found):
    workload = summary["workload"]
    if "io" in tests:
        found.require(workload["bytes_written"] >= 64 << 20, "the report has fewer bytes than were written")
        found.require(workload["bytes_read"] >= 64 << 20, "the report has fewer bytes than were read")
    if "files" in tests:
        found.require(workload["trims"] > 0, "the report has no trims") # and no flushes: there is no volatile cache
    found.require(workload["failed"] == 0, f"{workload['failed']} requests have failed")
    if "reset" not in tests:
        found.require(workload["unanswered"] == 0, f"{workload['unanswered']} requests were never answered")


def findings(tests, console, summary):
    """What is wrong; empty when nothing is."""
    found = Findings()
    report = {"reads": summary["workload"]["reads"]}
    seen = blocks(console)
    for test in tests:
        if test not in seen:
            found.append(f"the guest has not come to the end of {test}")
            continue
        status, text = seen[test]
        found.require(status == 0, f"{test} failed in the guest:\n{text[-2000:]}")
        check = globals().get(f"check_{test}")
        if status == 0 and check:
            check(text, report, found)
    found.require("@off" in console, "the guest was not switched off in order")
    check_report(tests, summary, found)
    return found
