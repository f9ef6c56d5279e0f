"""Loaded into supervisord as an RPC interface without methods, which is how it loads other code.

Its loop looks at its programs when a descriptor becomes readable, and otherwise once a second: the first program would
start a second late, and so would every stop and every restart. A pipe that its start and every signal write to mends
that. svc_end and svc_failures decide when and how the container ends and what starts again, svc_memory what a
lack of memory ends, svc_output writes what the programs print, svc_start starts the browser on request, svc_states
reports to the daemon which programs run.
"""

import os
import signal

import svc_end
import svc_failures
import svc_memory
import svc_output
import svc_start
import svc_states
from supervisor.medusa.asyncore_25 import socket_map


class Wakeup:
    """What supervisord asks of the entries of its socket map."""

    def __init__(self):
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        socket_map[self._reader] = self
        self.ring()

    def ring(self):
        os.write(self._writer, b"\0")

    def readable(self):
        return True

    def writable(self):
        return False

    def handle_read_event(self):
        # The loop sees the effect of a signal at the end of this turn and acts on it in the next.
        if any(os.read(self._reader, 4096)):
            self.ring()

    def handle_error(self):
        pass


svc_end.install()
svc_failures.install()
svc_memory.install()
svc_output.install()
svc_states.install()


def make(supervisord, **_config):
    Wakeup()
    svc_start.install(supervisord)
    return object()
