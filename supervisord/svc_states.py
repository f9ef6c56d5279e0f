"""Writes the states of the programs that the image promises to a file, which the daemon reads for its health check;
loaded by svc_wakeup.

A line is `NAME STATE PID [ADDRESS]`: the address is what the program has to answer at, as the boot wrote it beside its
name.
"""

import os

from supervisor.process import Subprocess
from supervisor.states import getProcessStateDescription

PROMISED = "/run/svc/promised-programs"
STATES = "/run/svc/program-states"


class States:
    def __init__(self, promised):
        self._addresses = dict(promised)
        self._lines = {name: f"{name} UNKNOWN 0" for name in self._addresses}
        self._write()

    def note(self, name, state, pid):
        if name not in self._addresses:
            return
        self._lines[name] = f"{name} {state} {pid}{self._addresses[name]}"
        self._write()

    def _write(self):
        with open(f"{STATES}.new", "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in self._lines.values())
        os.replace(f"{STATES}.new", STATES)


def promised_programs():
    with open(PROMISED, encoding="utf-8") as file:
        for line in file:
            name, *address = line.split()
            yield name, "".join(f" {part}" for part in address)


def install():
    states = States(promised_programs())
    change_state = Subprocess.change_state

    def change_and_note(process, state, expected=True):
        changed = change_state(process, state, expected)
        try:
            states.note(process.config.name, getProcessStateDescription(process.state), process.pid)
        except OSError as error:
            # The account can fill the disk, which must not end the container. The next change writes all states again.
            process.config.options.logger.warn(f"the states of the programs are not written: {error}")
        return changed

    Subprocess.change_state = change_and_note
