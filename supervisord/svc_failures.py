"""When programs start again, and when the container ends because a service cannot run; loaded by svc_wakeup.

A service whose first start fails ten times in a row was given an option, a file or a right that is wrong: its container
ends, so that the engine sees the failure. One that was ready before can run: what ends it may be the account's doing,
which must not end the container. It starts again for ever, like any other program.
"""

import os
import signal
import time

from supervisor.process import Subprocess
from supervisor.states import ProcessStates, SupervisorStates

import svc_memory
from svc_end import DAEMON, GATEWAY, KEEPER, end_container

SERVICES = (KEEPER, DAEMON, GATEWAY)
WRONG_OPTION = 2
MAX_FAILURES = 10
# A service that was up this long has been ready. supervisord's `startsecs` is shorter: a start that fails can take longer.
READY_SECONDS = 5
# A program that was up this long has not failed to start.
STEADY_SECONDS = 60
# `startretries` of a program that is never given up, and the longest pause before its next start. That of a service is
# shorter: while memory is short it lives for seconds, in which the agent can delete what takes the memory.
WITHOUT_END = 2147483647
MAX_PAUSE_SECONDS = 60
MAX_PAUSE_OF_SERVICE_SECONDS = 10
# Both have a line `oom_kill N` of the container's memory (cgroup v2 and v1).
MEMORY_EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
# A shell reports the signal of its child that way.
KILLED_CHILD = 128 + signal.SIGKILL


def oom_kills():
    """How many processes of the container the kernel has killed for want of memory; 0 if it does not say."""
    for path in MEMORY_EVENTS:
        try:
            with open(path, encoding="ascii") as file:
                return sum(int(line.split()[1]) for line in file if line.startswith("oom_kill "))
        except OSError:
            continue
    return 0


class Life:
    """What is known about the starts of one program."""

    def __init__(self):
        self.failures = 0
        self.failed_starts = 0
        self.was_ready = False
        # By the clock that does not jump.
        self.last_start = 0
        self.next_start = 0
        self.oom_kills = 0
        self.was_killed_by_oom = False
        self.has_wrong_option = False

    def begin(self):
        self.last_start = time.monotonic()
        self.oom_kills = oom_kills()
        self.was_killed_by_oom = False

    def note_end(self, status):
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        is_killed = code == KILLED_CHILD or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)
        self.was_killed_by_oom = is_killed and oom_kills() > self.oom_kills
        self.has_wrong_option = code == WRONG_OPTION
        self.was_ready = self.was_ready or time.monotonic() - self.last_start >= READY_SECONDS

    def count(self, longest_pause):
        """Counts an end; returns the seconds until the next start."""
        is_early = time.monotonic() - self.last_start < STEADY_SECONDS
        self.failures = self.failures + 1 if is_early else 1
        if not self.was_killed_by_oom:
            self.failed_starts += 1
        return min(self.failures - 1, longest_pause)


def life_of(process):
    if not hasattr(process, "svc_life"):
        process.svc_life = Life()
    return process.svc_life


def look_at_ends():
    finish = Subprocess.finish

    def note_and_finish(process, pid, status):
        life = life_of(process)
        life.note_end(status)
        name, options = process.config.name, process.config.options
        if life.was_killed_by_oom:
            options.logger.warn(f"{name} was killed because the container has no memory left")
            if name in SERVICES:
                svc_memory.release(options)
        finish(process, pid, status)
        # A shell without a process left for its child exits with this code too: the account may have taken them all.
        is_wrong = life.has_wrong_option and not life.was_ready
        if is_wrong and name in (DAEMON, GATEWAY) and options.mood == SupervisorStates.RUNNING:
            end_container(options, WRONG_OPTION)

    Subprocess.finish = note_and_finish


def count_ends():
    change_state = Subprocess.change_state

    def count_and_change(process, state, expected=True):
        changed = change_state(process, state, expected)
        name, options, life = process.config.name, process.config.options, life_of(process)
        if state == ProcessStates.STARTING:
            life.begin()
        if state not in (ProcessStates.BACKOFF, ProcessStates.EXITED) or options.mood != SupervisorStates.RUNNING:
            return changed
        if process.config.startretries != WITHOUT_END:
            return changed
        pause = life.count(MAX_PAUSE_OF_SERVICE_SECONDS if name in SERVICES else MAX_PAUSE_SECONDS)
        if name in SERVICES and not life.was_ready and life.failed_starts == MAX_FAILURES:
            options.logger.critical(f"{name} has failed {MAX_FAILURES} times in a row: the container ends")
            end_container(options, 1)
        life.next_start = time.monotonic() + pause
        # supervisord's own pause in this state; it takes a longer one than `backoff` for a change of the clock.
        process.backoff = pause
        process.delay = time.time() + pause
        return changed

    def wait_and_transition(process):
        paused = process.state in (ProcessStates.BACKOFF, ProcessStates.EXITED)
        if not paused or time.monotonic() >= life_of(process).next_start:
            transition(process)

    transition = Subprocess.transition
    Subprocess.change_state = count_and_change
    Subprocess.transition = wait_and_transition


def install():
    look_at_ends()
    count_ends()
