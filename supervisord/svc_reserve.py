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
        # That of version 1 counts the groups below only in the lines with this prefix.
        self._files = "inactive_file " if is_v2 else "total_inactive_file "

    def limit(self):
        """Bytes; None if there is no limit, or it is not reported."""
        try:
            limit = int(text_of(self._limit))
        except (OSError, ValueError):
            return None
        return limit if limit < NO_LIMIT else None

    def left(self):
        """Bytes up to the limit, with the pages of files on disk that the kernel drops first; 0 if not reported."""
        try:
            files = sum(int(line.split()[1]) for line in text_of(self._stat).splitlines() if line.startswith(self._files))
            return (self.limit() or 0) - int(text_of(self._used)) + files
        except (OSError, ValueError):
            return 0


def text_of(path):
    with open(path, encoding="ascii") as file:
        return file.read()


class Reserve:
    """Pages of a file without a name. No process maps them, so that supervisord is not chosen to be killed for them."""

    def __init__(self, memory):
        limit = memory.limit()
        self.size = min(SERVICES_BYTES, limit // LARGEST_PART) if limit else 0
        self.held = 0
        self._memory = memory
        self._file = os.memfd_create("svc-reserve") if self.size else None

    def take(self):
        """Takes a step if memory is free; returns whether the reserve has become complete."""
        wanted = min(STEP_BYTES, self.size - self.held)
        if wanted <= 0 or self._memory.left() < self.size - self.held + self.size // FREE_PART:
            return False
        try:
            os.posix_fallocate(self._file, self.held, wanted)
        except OSError:
            return False
        self.held += wanted
        return self.held == self.size

    def free(self):
        """Frees a part; returns its bytes. The next part is for the case that memory fills again before that."""
        freed = min(self.held, self.size // RELEASES)
        if freed:
            self.held -= freed
            os.ftruncate(self._file, self.held)
        return freed
