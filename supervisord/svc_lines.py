"""Makes the output of a program lines of the log that have the program's name.

Programs of the account share the log with the services: their text must not pass for a line of a service, move the
cursor of a terminal or fill the disk.
"""

from collections import deque

from svc_record import IS_TERMINAL, entry_of, is_written, line_of

MAX_LINE_BYTES = 8192
BYTES_PER_SECOND = 1_000_000
# What is read and left out beyond that; then the program waits for the next second.
READ_BYTES_PER_SECOND = 4_000_000
# Lines below the level of the log that are written if the program fails.
LAST_LINES = 20
# A line of a service may have a stack of any length; what is longer is not a line.
MAX_SERVICE_BYTES = 1_000_000


def text_of(data):
    return data.decode("utf-8", "backslashreplace").rstrip("\r")


class Lines:
    """One channel of one program. `write` takes complete lines as bytes, `clock` returns seconds, `level` is that of
    text, and `prefix` is before each message."""

    def __init__(self, name, write, clock, level="info", prefix=""):
        self._name = name
        self._write = write
        self._clock = clock
        self._level = level
        self._prefix = prefix
        self._last = deque(maxlen=LAST_LINES)
        self._second = clock()
        self._partial = b""
        self._is_waiting = False
        self._cut = 0
        self._read = 0
        self._written = 0
        self._left_out = 0

    def has_room(self):
        """Whether more may be read now. To be called at least once a second: it also writes what has waited."""
        if self._clock() - self._second >= 1:
            self._begin_second()
        return self._read < READ_BYTES_PER_SECOND

    def take(self, data):
        self._read += len(data)
        self._is_waiting = False
        if self._written >= BYTES_PER_SECOND:
            self._leave_out(data)
            return
        *lines, rest = data.split(b"\n")
        written = []
        for index, line in enumerate(lines):
            written.append(self._complete(line))
            if self._written >= BYTES_PER_SECOND:
                self._left_out += len(lines) - index - 1
                break
        self._keep(rest)
        self._write(b"".join(written))

    def end(self):
        """Writes what is left when the program has ended."""
        self._begin_second(is_end=True)

    def explain(self):
        """Writes the last lines below the level of the log, for a program that has failed."""
        lines = [line_of("warn", self._name, text) for text in self._last]
        self._last.clear()
        self._write(b"".join(lines))

    def _begin_second(self, is_end=False):
        self._second = self._clock()
        self._read = self._written = 0
        left_out, self._left_out = self._left_out, 0
        if left_out:
            self._write(line_of("warn", self._name, f"{self._prefix}{left_out} lines left out, more than 1 MB in a second"))
        # A prompt without an end of line is written too, but not half of a line whose rest is on its way.
        if (self._partial or self._cut) and (self._is_waiting or is_end):
            self._write(self._complete(b""))
        self._is_waiting = True

    def _keep(self, rest):
        kept = rest[: MAX_LINE_BYTES - len(self._partial)]
        self._partial += kept
        self._cut += len(rest) - len(kept)

    def _complete(self, line):
        self._keep(line)
        cut = f" [{self._cut} bytes left out]" if self._cut else ""
        complete = self._line(text_of(self._partial) + cut)
        self._written += len(complete)
        self._partial, self._cut = b"", 0
        return complete

    def _line(self, text):
        level, message, fields = entry_of(text) or (self._level, text, None)
        if message == "" and not fields:
            return b""
        message = self._prefix + message
        if not is_written(level):
            self._last.append(message)
            return b""
        try:
            return line_of(level, self._name, message, fields)
        except (ValueError, RecursionError):
            return line_of(self._level, self._name, self._prefix + text)

    def _leave_out(self, data):
        """Counts ends of lines. What follows the last one is the beginning of the next line."""
        count = data.count(b"\n")
        if count == 0:
            self._cut += len(data)
            return
        self._left_out += count
        self._partial, self._cut = b"", 0
        self._keep(data[data.rindex(b"\n") + 1 :])


class ServiceLines:
    """The same of a service, to whose output no other account can write: its lines of JSON stay as they are."""

    def __init__(self, name, write, level):
        self._name = name
        self._write = write
        self._level = level
        self._partial = b""

    def has_room(self):
        return True

    def take(self, data):
        *lines, self._partial = (self._partial + data).split(b"\n")
        if len(self._partial) > MAX_SERVICE_BYTES:
            lines.append(self._partial)
            self._partial = b""
        self._write(b"".join(map(self._line, lines)))

    def end(self):
        rest, self._partial = self._partial, b""
        if rest:
            self._write(self._line(rest))

    def explain(self):
        """Has written every line."""

    def _line(self, data):
        if data.startswith(b'{"level":"') and not IS_TERMINAL:
            return data + b"\n"
        text = text_of(data)
        level, message, fields = entry_of(text) or (self._level, text.removeprefix(f"{self._name}: "), None)
        has_content = (message or fields) and is_written(level)
        return line_of(level, self._name, message, fields) if has_content else b""
