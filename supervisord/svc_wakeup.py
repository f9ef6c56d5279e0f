"""Loaded into supervisord as an RPC interface without methods, the place where it takes in code of others.

Its loop looks at its programs when a descriptor becomes readable, and otherwise once a second: the first program would
start a second late, and so would every stop and every restart. A pipe that its start and every signal write to mends
that. And a service that ends with exit code 2 was given a wrong option: the container ends, instead of trying again.
"""

import os
import signal

from supervisor.medusa.asyncore_25 import socket_map
from supervisor.process import Subprocess
from supervisor.states import SupervisorStates

SERVICES = ("daemon", "gateway")
WRONG_OPTION = 2
EXIT_CODE_FILE = "/run/svc/exit-code"


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


def end_on_wrong_option():
    finish = Subprocess.finish

    def finish_and_look(process, pid, status):
        finish(process, pid, status)
        options = process.config.options
        wrong = os.WIFEXITED(status) and os.WEXITSTATUS(status) == WRONG_OPTION
        if wrong and process.config.name in SERVICES and options.mood == SupervisorStates.RUNNING:
            with open(EXIT_CODE_FILE, "w", encoding="ascii") as file:
                file.write(f"{WRONG_OPTION}\n")
            options.mood = SupervisorStates.SHUTDOWN

    Subprocess.finish = finish_and_look


end_on_wrong_option()


def make(_supervisord, **_config):
    Wakeup()
    return object()
