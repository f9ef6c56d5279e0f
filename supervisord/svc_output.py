"""Has supervisord, which reads the output of all programs, write it to the container's log as lines of that program;
loaded by svc_wakeup.

A program of the account cannot be trusted with the log: another process of the account can write to its output too.
What the parts of the display print says nothing that an operator acts on, unless one of them fails.
"""

import os
import time

from supervisor import dispatchers
from supervisor.dispatchers import POutputDispatcher
from supervisor.process import Subprocess

from svc_lines import Lines, ServiceLines

# The account can write to the output of none of them.
SERVICES = ("keeper", "daemon", "gateway", "watchdog")
# Their text is at debug.
PARTS_OF_DISPLAY = ("xvnc", "window-manager", "session-bus", "settings", "panel", "desktop")
LOG_OF_CONTAINER = ("/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/self/fd/", "/proc/1/fd/")


class ProgramOutput(POutputDispatcher):
    def __init__(self, process, event_type, fd):
        super().__init__(process, event_type, fd)
        config = process.config
        logfile = getattr(config, f"{self.channel}_logfile") or ""
        self._lines = self._lines_of(config.name) if logfile.startswith(LOG_OF_CONTAINER) else None

    def _lines_of(self, name):
        if name in SERVICES:
            return ServiceLines(name, self._log, "info" if self.channel == "stdout" else "warn")
        return Lines(name, self._log, time.monotonic, "debug" if name in PARTS_OF_DISPLAY else "info")

    def readable(self):
        # Asked of every program in each turn of the loop, at least once a second.
        has_room = self._lines is None or self._lines.has_room()
        return has_room and super().readable()

    def handle_read_event(self):
        if self._lines is None:
            super().handle_read_event()
            return
        data = self.process.config.options.readfd(self.fd)
        if data:
            self._lines.take(data)
        else:
            self.close()

    def close(self):
        super().close()
        self.end()

    def end(self):
        if self._lines:
            self._lines.end()

    def explain(self):
        if self._lines:
            self._lines.explain()


def outputs_of(process):
    return [dispatcher for dispatcher in process.dispatchers.values() if isinstance(dispatcher, ProgramOutput)]


def install():
    drain, finish = Subprocess.drain, Subprocess.finish

    def drain_and_end(process):
        """supervisord drains the pipes of a process that has ended, and then forgets them."""
        drain(process)
        for output in outputs_of(process):
            output.end()

    def finish_and_explain(process, pid, status):
        outputs, is_stopped = outputs_of(process), process.killing
        finish(process, pid, status)
        is_expected = os.WIFEXITED(status) and os.WEXITSTATUS(status) in process.config.exitcodes
        if not is_stopped and not is_expected:
            for output in outputs:
                output.explain()

    Subprocess.drain = drain_and_end
    Subprocess.finish = finish_and_explain
    dispatchers.POutputDispatcher = ProgramOutput
