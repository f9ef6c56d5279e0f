"""Makes the output of a program lines of the log that begin with the program's name.

Programs of the account share the log with the services: their text must not pass for a line of a service, move the
cursor of a terminal or fill the disk.
"""

MAX_LINE_BYTES = 8192
BYTES_PER_SECOND = 1_000_000
# What is read and left out beyond that; then the program waits for the next second.
READ_BYTES_PER_SECOND = 4_000_000
ESCAPES = {"\t": "\\t", "\r": "\\r"}


def escape(character):
    if character.isprintable():
        return character
    code = ord(character)
    # Bytes that are not UTF-8, by the error handler `surrogateescape` (PEP 383).
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character in ESCAPES:
        return ESCAPES[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def printable(data):
    text = data.decode("utf-8", "surrogateescape")
    return text if text.isprintable() else "".join(map(escape, text))


class Lines:
    """One channel of one program. `write` takes complete lines as bytes, `clock` returns seconds."""

    def __init__(self, name, write, clock):
        self._prefix = f"{name}: "
        self._write = write
        self._clock = clock
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
        if written:
            self._write(b"".join(written))

    def end(self):
        """Writes what is left when the program has ended."""
        self._begin_second(is_end=True)

    def _begin_second(self, is_end=False):
        self._second = self._clock()
        self._read = self._written = 0
        left_out, self._left_out = self._left_out, 0
        if left_out:
            self._write(f"{self._prefix}{left_out} lines left out, more than 1 MB in a second\n".encode())
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
        complete = f"{self._prefix}{printable(self._partial)}{cut}\n".encode()
        self._partial, self._cut = b"", 0
        self._written += len(complete)
        return complete

    def _leave_out(self, data):
        """Counts ends of lines. What follows the last one is the beginning of the next line."""
        count = data.count(b"\n")
        if count == 0:
            self._cut += len(data)
            return
        self._left_out += count
        self._partial, self._cut = b"", 0
        self._keep(data[data.rindex(b"\n") + 1 :])
