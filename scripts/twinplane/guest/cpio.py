"""An archive for the kernel's initial file system: cpio in its format "newc"."""

import stat


class Archive:
    def __init__(self, file):
        self.file = file
        self.inode = 0

    def _entry(self, name, mode, data=b""):
        self.inode += 1
        encoded = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + encoded
        for part in (head, data):
            self.file.write(part + b"\0" * (-len(part) % 4))

    def folder(self, name):
        self._entry(name, stat.S_IFDIR | 0o755)

    def link(self, name, target):
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def data(self, name, data, mode=0o644):
        self._entry(name, stat.S_IFREG | mode, data)

    def end(self):
        self._entry("TRAILER!!!", 0)
