"""Memory that is kept for the start of the services in a container with a memory limit; svc_memory frees and takes it.

Files in memory, such as those in /dev/shm, belong to no process that the kernel could kill: when they fill the container
to the last page, it kills the daemon at each start, and no call can delete them.
"""

import os

MIB = 1 << 20
# What daemon and gateway need for a start: 54 and 29 MB of their own, the code of Node, and room for a call.
SERVICES_BYTES = 128 * MIB
# Of a small container no more than this part of the limit.
LARGEST_PART = 4
# What stays free for programs when the reserve is taken, as a part of the reserve.
FREE_PART = 2
# A service that is killed leaves its memory to the successor: it needs no more than this part of the reserve.
RELEASES = 2
STEP_BYTES = 64 * MIB
# Programs are lent that part of the reserve when they leave less than this for the code of all programs, of which the
# kernel would otherwise read the same pages from the disk again and again, for minutes.
LENT_PART = 2
ROOM_BYTES = 160 * MIB
# Only while files in memory take no more than this part of the limit: the reserve is there for those.
FILES_PART = 8
# Control groups of version 1 show a huge number if there is no limit, those of version 2 a word.
NO_LIMIT = 1 << 60
GROUP = "/sys/fs/cgroup"


class Memory:
    """The memory of the container, as its control group reports it."""

    def __init__(self, group=GROUP):
        is_v2 = os.path.exists(f"{group}/memory.max")
        old = f"{group}/memory/memory"
        self._limit, self._used, self._stat = (
            (f"{group}/memory.max", f"{group}/memory.current", f"{group}/memory.stat")
            if is_v2
            else (f"{old}.limit_in_bytes", f"{old}.usage_in_bytes", f"{old}.stat")
        )
        # Those of version 1 count the groups below only in the lines with this prefix.
        self._prefix = "" if is_v2 else "total_"

    def limit(self):
        """Bytes; None if there is no limit, or it is not reported."""
        try:
            limit = int(text_of(self._limit))
        except (OSError, ValueError):
            return None
        return limit if limit < NO_LIMIT else None

    def left(self):
        """Bytes up to the limit, with the pages of files on disk that the kernel drops first; 0 if not reported."""
        return self._unused("inactive_file") or 0

    def room(self):
        """The same with all pages of files on disk, such as the code of programs; None if not reported."""
        return self._unused("inactive_file", "active_file")

    def files_in_memory(self):
        """Bytes, with those of the reserve; None if not reported."""
        try:
            return self._figure("shmem")
        except (OSError, ValueError, KeyError):
            return None

    def _unused(self, *kinds):
        try:
            return (self.limit() or 0) - int(text_of(self._used)) + sum(map(self._figure, kinds))
        except (OSError, ValueError, KeyError):
            return None

    def _figure(self, name):
        return int(dict(line.split() for line in text_of(self._stat).splitlines())[self._prefix + name])


def text_of(path):
    with open(path, encoding="ascii") as file:
        return file.read()


class Reserve:
    """Pages of a file without a name. No process maps them, so that supervisord is not chosen to be killed for them."""

    def __init__(self, memory):
        limit = memory.limit()
        self.size = min(SERVICES_BYTES, limit // LARGEST_PART) if limit else 0
        self.held = 0
        self.is_lent = False
        self._memory = memory
        self._file = os.memfd_create("svc-reserve") if self.size else None

    def take(self):
        """Takes a step if memory is free; returns whether the reserve has become complete."""
        self._take_back()
        wanted = min(STEP_BYTES, self._whole() - self.held)
        if wanted <= 0 or self._memory.left() < self._whole() - self.held + self.size // FREE_PART:
            return False
        try:
            os.posix_fallocate(self._file, self.held, wanted)
        except OSError:
            return False
        self.held += wanted
        return self.held == self.size

    def lend(self):
        """Frees a part if programs need it; returns its bytes."""
        if not self.size or self.held < self.size:
            return 0
        room, files = self._memory.room(), self._memory.files_in_memory()
        if room is None or files is None or room >= ROOM_BYTES:
            return 0
        if files - self.held > self._memory.limit() // FILES_PART:
            return 0
        self.is_lent = True
        return self._shrink(self.size // LENT_PART)

    def free(self):
        """Frees a part; returns its bytes. The next part is for the case that memory fills again before that."""
        return self._shrink(self.size // RELEASES)

    def _whole(self):
        return self.size - self.size // LENT_PART if self.is_lent else self.size

    def _take_back(self):
        """Ends the loan when programs leave enough without it, and half a loan more, so that it does not swing."""
        lent = self.size // LENT_PART
        if self.is_lent and (self._memory.room() or 0) >= ROOM_BYTES + lent + lent // 2:
            self.is_lent = False

    def _shrink(self, wanted):
        freed = min(self.held, wanted)
        if freed:
            self.held -= freed
            os.ftruncate(self._file, self.held)
        return freed
