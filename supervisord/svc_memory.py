"""What a lack of memory ends, and how the services start again after it; loaded by svc_wakeup.

The kernel adds thousandths of the memory limit to the size of a process and kills the largest. Without a privilege a
process may only be made larger: programs of the account before services, which start again, and those before
supervisord, whose end is that of the container. The keeper makes the commands larger itself. When it killed a service,
a part of the reserve is freed for the successor; it is taken again when memory is free. In a small container programs
are lent another part.
"""

import time

from supervisor.process import Subprocess
from supervisor.states import SupervisorStates
from supervisor.supervisord import Supervisor

from svc_end import DAEMON, GATEWAY, KEEPER
from svc_reserve import MIB, Memory, Reserve

OWN_SCORE = "/proc/self/oom_score_adj"
MAX_SCORE = 1000
ADDED = {KEEPER: 0, DAEMON: 100, GATEWAY: 100, "watchdog": 100}
ADDED_TO_OTHERS = 200
LOOK_SECONDS = 0.5
# In which a service takes what was freed for it.
START_SECONDS = 5


class Keeping:
    """Frees and takes the reserve of the container, and says so."""

    def __init__(self):
        self._reserve = Reserve(Memory())
        self._next_look = 0

    def look(self, options):
        now = time.monotonic()
        if now < self._next_look or options.mood != SupervisorStates.RUNNING:
            return
        self._next_look = now + LOOK_SECONDS
        if self._reserve.take():
            options.logger.info(f"{self._reserve.size // MIB} MiB of memory are kept for the services")
        lent = self._reserve.lend()
        if lent:
            options.logger.info(f"{lent // MIB} MiB of memory that were kept for the services are lent to programs")

    def release(self, options):
        freed = self._reserve.free()
        if freed:
            options.logger.warn(f"{freed // MIB} MiB of memory that were kept for the services are free for their start")
        self._next_look = time.monotonic() + START_SECONDS


keeping = Keeping()


def release(options):
    """To be called when a service was killed for want of memory, before it is started again."""
    keeping.release(options)


def add_to_own_score(added):
    try:
        with open(OWN_SCORE, "r+", encoding="ascii") as file:
            score = min(int(file.read()) + added, MAX_SCORE)
            file.seek(0)
            file.write(str(score))
    except OSError:
        # Not every kernel has it, and a start does not depend on it.
        pass


def install():
    start, tick = Subprocess._spawn_as_child, Supervisor.tick

    def score_and_start(process, filename, argv):
        add_to_own_score(ADDED.get(process.config.name, ADDED_TO_OTHERS))
        return start(process, filename, argv)

    def tick_and_look(supervisord, now=None):
        tick(supervisord, now)
        keeping.look(supervisord.options)

    Subprocess._spawn_as_child = score_and_start
    Supervisor.tick = tick_and_look
