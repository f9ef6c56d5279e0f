"""Makes the output of a hook, on standard input, lines of the log. Ends with the last process that writes."""

import os
import select
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))

from svc_lines import Lines  # noqa: E402

SECOND_MS = 1000
NAME = "sandbox"


def main(label):
    prefix = f"hook {label}: "
    lines = Lines(NAME, lambda data: os.write(1, data), time.monotonic, prefix=prefix)
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while True:
        if not lines.has_room():
            time.sleep(0.1)
            continue
        if not poll.poll(SECOND_MS):
            continue
        data = os.read(0, 65536)
        if not data:
            break
        lines.take(data)
    lines.end()


main(sys.argv[1])
