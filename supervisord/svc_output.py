"""Has supervisord, which reads the output of all programs, write it to the container's log as lines of that program;
loaded by svc_wakeup.

A program of the account cannot be trusted with the log: another process of the account can write to its output too.
"""

import time

from supervisor import dispatchers
from supervisor.dispatchers import POutputDispatcher
from supervisor.process import Subprocess

from svc_lines import Lines

# Their output is a log of its own format, and the account can write to none of them.
SERVICES = ("keeper", "daemon", "gateway", "watchdog")
LOG_OF_CONTAINER = ("/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/self/fd/", "/proc/1/fd/")


class ProgramOutput(POutputDispatcher):
    def __init__(self, process, event_type, fd):
        super().__init__(process, event_type, fd)
        config = process.config
        logfile = getattr(config, f"{self.channel}_logfile") or ""
        is_shared = config.name not in SERVICES and logfile.startswith(LOG_OF_CONTAINER)
        self._lines = Lines(config.name, self._log, time.monotonic) if is_shared else None

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


def install():
    drain = Subprocess.drain

    def drain_and_end(process):
        """supervisord drains the pipes of a process that has ended, and then forgets them."""
        drain(process)
        for dispatcher in process.dispatchers.values():
            if isinstance(dispatcher, ProgramOutput):
                dispatcher.end()

    Subprocess.drain = drain_and_end
    dispatchers.POutputDispatcher = ProgramOutput
