"""Kernel and initial file system of the guest, made once and kept.

The file system holds busybox, nvme-cli, fio, mke2fs, the libraries that these name, the modules of NVMe and ext4, and
`init`, which does what the kernel's command line says.
"""

import hashlib
import pathlib
import re
import shutil
import tempfile

from . import cpio, packages

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["usr/sbin/nvme", "usr/bin/fio", "sbin/mke2fs", "sbin/e2fsck"]
# In the order in which they are loaded.
MODULES = ["crct10dif_common", "crct10dif_generic", "crc-t10dif", "crc64", "crc64_rocksoft_generic", "crc64-rocksoft", "t10-pi",
           "nvme-core", "nvme", "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4"]
LIBRARY_FOLDERS = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib64", "usr/lib/x86_64-linux-gnu/ceph"]


def needed(path):
    text = packages.words_of(["readelf", "-d", str(path)])
    return re.findall(r"\(NEEDED\).*\[(.+)\]", text)


def library(root, name):
    for folder in LIBRARY_FOLDERS:
        path = root / folder / name
        if path.exists():
            return path
    raise packages.Unavailable(f"the packages have no {name}")


def libraries(root, programs):
    """Name -> file of every library that the programs name, and those that these name."""
    found = {"ld-linux-x86-64.so.2": (root / "lib64/ld-linux-x86-64.so.2")}
    waiting = [name for p in programs for name in needed(p)]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = library(root, name)
        waiting += needed(found[name])
    return found


def modules(root, kernel):
    by_name = {p.stem: p for p in (root / f"lib/modules/{kernel}/kernel").rglob("*.ko")}
    missing = [m for m in MODULES if m not in by_name]
    if missing:
        raise packages.Unavailable(f"kernel {kernel} has no modules {' '.join(missing)}")
    return [by_name[m] for m in MODULES]


def write_archive(path, root, kernel):
    with open(path, "wb") as file:
        archive = cpio.Archive(file)
        for folder in ("bin", "tools", "lib", "lib64", "modules", "proc", "sys", "dev", "mnt", "tmp", "etc"):
            archive.folder(folder)
        archive.data("init", (HERE / "init").read_bytes(), 0o755)
        archive.data("tests", (HERE / "tests").read_bytes())
        archive.data("bin/busybox", (root / "bin/busybox").read_bytes(), 0o755)
        archive.link("bin/sh", "busybox")
        programs = [root / p for p in PROGRAMS]
        for program in programs:
            archive.data(f"tools/{program.name}", program.read_bytes(), 0o755)
        for name, source in sorted(libraries(root, programs).items()):
            archive.data(f"{'lib64' if name.startswith('ld-linux') else 'lib'}/{name}", source.read_bytes(), 0o755)
        for number, module in enumerate(modules(root, kernel)):
            archive.data(f"modules/{number:02}-{module.name}", module.read_bytes())
        archive.end()


def fingerprint(cache, kernel):
    """Of everything the file system is made from."""
    digest = hashlib.sha256(kernel.encode())
    for part in sorted(p.name for p in (cache / "archives").glob("*.deb")):
        digest.update(part.encode())
    for source in sorted(HERE.glob("*")):
        if source.is_file():
            digest.update(source.read_bytes())
    return digest.hexdigest()


def build(cache):
    """Paths of kernel and file system in `cache`. Raises Unavailable."""
    cache = pathlib.Path(cache).resolve()
    kernel = packages.fetch(cache)
    mark, wanted = cache / "made-from", fingerprint(cache, kernel)
    linux, initrd = cache / "vmlinuz", cache / "initrd.cpio"
    if mark.exists() and mark.read_text() == wanted and linux.exists() and initrd.exists():
        return linux, initrd
    mark.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        root = packages.unpack(cache, folder)
        shutil.copyfile(root / f"boot/vmlinuz-{kernel}", linux)
        write_archive(initrd, root, kernel)
    mark.write_text(wanted)
    return linux, initrd
