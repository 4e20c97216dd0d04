"""Debian packages of the guest: fetched with apt into a cache of their own, unpacked, and not installed."""

import os
import pathlib
import re
import subprocess

TOOLS = ["busybox-static", "nvme-cli", "fio", "e2fsprogs"]


class Unavailable(Exception):
    """What the guest is made of cannot be had on this machine; says why."""


def words_of(command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def kernel_package():
    """The package that linux-image-amd64 stands for today."""
    depends = words_of(["apt-cache", "depends", "linux-image-amd64"])
    found = re.search(r"Depends: (linux-image-\S+)", depends)
    if not found:
        raise Unavailable("apt knows no kernel behind linux-image-amd64: is `apt-get update` needed?")
    return found.group(1)


def apt(folder, *words):
    """apt-get as on a machine where nothing is installed."""
    status = folder / "status"
    status.write_text("")
    (folder / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    return ["apt-get", "-q", "-y", "-o", f"Dir::State::status={status}", "-o", f"Dir::Cache::archives={folder}/archives",
            "-o", "Debug::NoLocking=1", "-o", "Acquire::Retries=3", "-o", "APT::Get::List-Cleanup=0", *words]


def fetch(folder):
    """Everything the tools need, and the kernel alone; returns the kernel's version."""
    if os.uname().machine != "x86_64":
        raise Unavailable(f"the guest is an x86-64 machine from this machine's packages, and this is {os.uname().machine}")
    folder.mkdir(parents=True, exist_ok=True)
    kernel = kernel_package()
    words_of(apt(folder, "--no-install-recommends", "--download-only", "install", *TOOLS))
    archives = folder / "archives"
    if not list(archives.glob(f"{kernel}_*.deb")):
        words_of(apt(folder, "download", kernel), cwd=archives)
    return kernel.removeprefix("linux-image-")


def unpack(folder, root):
    for deb in sorted((folder / "archives").glob("*.deb")):
        words_of(["dpkg-deb", "-x", str(deb), str(root)])
    return pathlib.Path(root)
