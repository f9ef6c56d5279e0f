"""An event listener of supervisord that kills a service whose main loop does not turn; supervisord starts it again.

Each service writes beats to a FIFO. The ticks of this process are counted, not the clock: while the container is paused,
nothing is counted, nor is the time in which a service waits for a processor. supervisord sends the signal, since only it
knows which process is the service.
"""

import os
import select
import socket
import sys
import time

# Those that the image runs have a pipe.
SERVICES = ("daemon", "gateway", "computer-use")
DIRECTORY = "/run/svc"
SUPERVISOR = f"{DIRECTORY}/supervisor.sock"
# The protocol of program/src/heartbeat/beats.ts.
BEATS_PER_STALL = 10
BEAT = ord("b")
# Seconds that a service may take until its first beat, and supervisord for an answer.
START_SECONDS = 60
ANSWER_SECONDS = 5


class Service:
    """Counts ticks since the last beat of one service."""

    def __init__(self, name, stall_seconds):
        self.name = name
        self._stall_seconds = stall_seconds
        self._start_limit = max(BEATS_PER_STALL, round(START_SECONDS * BEATS_PER_STALL / stall_seconds))
        self._is_up = True
        # None while it is not watched: this process may have started after the service.
        self._limit = None
        self._missed = 0
        # 0 until supervisord reports a start.
        self._pid = 0
        self._waited_before = 0

    def changed_to(self, state, pid):
        self._is_up = state in ("STARTING", "RUNNING")
        self._pid = pid
        if state == "RUNNING":
            return
        self._limit = self._start_limit if self._is_up else None
        self._missed = 0

    def hear(self, beats):
        self._missed = 0
        if self._is_up:
            self._limit = BEATS_PER_STALL if beats[-1] == BEAT else None

    def tick(self):
        if self._missed == 0:
            self._waited_before = waited_seconds(self._pid)
        self._missed += 1
        if self._limit is None or self._missed < self._limit:
            return
        waited = waited_seconds(self._pid) - self._waited_before
        if self._missed - waited * BEATS_PER_STALL / self._stall_seconds < self._limit:
            return
        say(f"{self.name} has not responded for {self._stall_seconds:g} s, killing it")
        self._missed = 0
        self._limit = self._start_limit
        try:
            kill(self.name)
        except OSError as error:
            say(f"supervisord does not kill the {self.name}: {error}")


def waited_seconds(pid):
    """Seconds that the process was ready to run and had no processor (proc_pid_schedstat(5)); 0 if unknown."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0


def kill(name):
    """Calls signalProcess of supervisord. Written out, because its client takes as much memory as this process."""
    params = "".join(f"<param><value><string>{value}</string></value></param>" for value in (name, "KILL"))
    body = f"<methodCall><methodName>supervisor.signalProcess</methodName><params>{params}</params></methodCall>"
    head = f"POST /RPC2 HTTP/1.0\r\nContent-Type: text/xml\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(SUPERVISOR)
        connection.sendall((head + body).encode())
        answer = connection.recv(65536)
    if not answer.startswith(b"HTTP/1.0 200") and not answer.startswith(b"HTTP/1.1 200"):
        raise OSError(answer[:100].decode(errors="replace"))


class Events:
    """The side of a listener in supervisord's event protocol, on standard input and output."""

    def __init__(self):
        self._received = b""

    def ready(self):
        os.write(1, b"READY\n")

    def read(self):
        """Yields state, name and id (0: none) of each process that changed. Ends this process with supervisord."""
        chunk = os.read(0, 65536)
        if not chunk:
            sys.exit(0)
        self._received += chunk
        while b"\n" in self._received:
            head, rest = self._received.split(b"\n", 1)
            fields = fields_of(head)
            length = int(fields["len"])
            if len(rest) < length:
                return
            self._received = rest[length:]
            process = fields_of(rest[:length])
            state = fields["eventname"].removeprefix("PROCESS_STATE_")
            yield state, process["processname"], int(process.get("pid", 0))
            os.write(1, b"RESULT 2\nOK")
            self.ready()


def fields_of(line):
    return dict(field.split(":", 1) for field in line.decode().split())


def pipe_of(name):
    return f"{DIRECTORY}/{name}.heartbeat"


def say(message):
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


def main():
    stall_seconds = float(os.environ.get("SVC_STALL_SECONDS") or 10)
    tick_seconds = stall_seconds / BEATS_PER_STALL
    services = {name: Service(name, stall_seconds) for name in SERVICES if os.path.exists(pipe_of(name))}
    poll = select.poll()
    poll.register(0, select.POLLIN)
    pipes = {}
    for name, service in services.items():
        # Also for writing, so that the end of a service does not end the pipe.
        pipe = os.open(pipe_of(name), os.O_RDWR | os.O_NONBLOCK)
        pipes[pipe] = service
        poll.register(pipe, select.POLLIN)
    events = Events()
    events.ready()
    next_tick = time.monotonic() + tick_seconds
    while True:
        for descriptor, _ in poll.poll(max(0, next_tick - time.monotonic()) * 1000):
            if descriptor in pipes:
                pipes[descriptor].hear(os.read(descriptor, 65536))
                continue
            for state, name, pid in events.read():
                if name in services:
                    services[name].changed_to(state, pid)
        if time.monotonic() >= next_tick:
            for service in services.values():
                service.tick()
            next_tick = time.monotonic() + tick_seconds


main()
