"""One line of the container's log: JSON, or text if the log is a terminal.

Text of programs must not pass for a line of a service or move the cursor of a terminal, so that a line has printable
characters only.
"""

import json
import os
import time
from functools import lru_cache

ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
LEVELS = ("trace", "debug", "info", "warn", "error", "fatal")
IS_TERMINAL = os.isatty(1)
# Of a level that is none, such as `silent`, nothing is written.
LEAST = os.environ.get("LOG_LEVEL") or "info"
SHOWN_LEVELS = {"warn": "WARN ", "error": "ERROR ", "fatal": "FATAL "}
# What the line of a request says, in this order.
SHOWN_FIELDS = ("method", "path", "status")
NAME_WIDTH = 14
# Further lines of a text are indented, so that none passes for one of another program.
NEXT_LINE = "\n" + " " * (len("00:00:00  ") + NAME_WIDTH)
OWN_FIELDS = ("level", "time", "name", "msg")


def is_written(level):
    return LEAST in LEVELS and LEVELS.index(level) >= LEVELS.index(LEAST)


def escaped(text):
    """Text with each character that does not print as JSON and many languages write it."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else escape(ord(character)) for character in text)


def escape(code):
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


@lru_cache(maxsize=1)
def second_text(second):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


def line_of(level, name, message, fields=None, is_terminal=IS_TERMINAL):
    """The bytes of a line. Raises ValueError if a field is not a value of JSON."""
    now = time.time()
    second = second_text(int(now))
    if is_terminal:
        return readable(second[11:], level, name, [message, *shown(fields or {})])
    stamp = f"{second}.{int(now % 1 * 1000):03d}Z"
    others = {key: value for key, value in (fields or {}).items() if key not in OWN_FIELDS}
    entry = {"level": level, "time": stamp, "name": name, **others, "msg": message}
    return f"{escaped(ENCODE(entry))}\n".encode()


def shown(fields):
    """What a person reads of a line: the request, and the error with its stack."""
    parts = [fields[key] for key in SHOWN_FIELDS if fields.get(key) is not None]
    if "ms" in fields:
        parts.append(f"{fields['ms']} ms")
    error = fields.get("err")
    if isinstance(error, dict):
        parts.append(error.get("stack") or error.get("message") or "")
    return parts


def readable(clock, level, name, parts):
    begin = f"{clock} {name:<{NAME_WIDTH}} "
    text = SHOWN_LEVELS.get(level, "") + " ".join(str(part) for part in parts if part != "")
    return f"{begin}{NEXT_LINE.join(map(escaped, text.splitlines()))}\n".encode()


def entry_of(text):
    """The level, the message and the other fields of a line that is JSON in this format; None of any other."""
    if not text.startswith("{"):
        return None
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    level, message = entry.pop("level", None), entry.pop("msg", "")
    if level not in LEVELS or not isinstance(message, str):
        return None
    return level, message, entry
