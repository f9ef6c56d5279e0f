"""Starts the browser when something is written to a FIFO; loaded by svc_wakeup.

That is all that its writers can ask: the socket of supervisord, which can do more, stays root's.
"""

import os
import stat

from supervisor.medusa.asyncore_25 import socket_map
from supervisor.states import ProcessStates, SupervisorStates

FIFO = "/run/svc/start-browser"
PROGRAM = "chromium"
# In other states it runs, or starts or stops by itself: the writer repeats its request until the browser answers.
STARTABLE = (ProcessStates.STOPPED, ProcessStates.EXITED, ProcessStates.FATAL)


class StartRequests:
    """What supervisord asks of the entries of its socket map."""

    def __init__(self, supervisord, fifo):
        self._supervisord = supervisord
        self._fifo = fifo
        socket_map[fifo] = self

    def readable(self):
        return True

    def writable(self):
        return False

    def handle_read_event(self):
        os.read(self._fifo, 4096)
        group = self._supervisord.process_groups.get(PROGRAM)
        if group is None or self._supervisord.options.mood != SupervisorStates.RUNNING:
            return
        for process in group.processes.values():
            if process.get_state() in STARTABLE:
                process.spawn()

    def handle_error(self):
        self._supervisord.options.logger.error("a request to start the browser failed")


def install(supervisord):
    try:
        # For writing too, so that the end of a writer does not end the FIFO.
        fifo = os.open(FIFO, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    if stat.S_ISFIFO(os.fstat(fifo).st_mode):
        StartRequests(supervisord, fifo)
    else:
        os.close(fifo)
