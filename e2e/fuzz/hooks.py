"""Hooks of Schemathesis: short waits, changes of files in one directory, and the number of requests."""

import atexit
import base64
import binascii
import os
import threading

import schemathesis

# The longest wait that a request may ask for, in seconds.
LONGEST = 1
# No schema allows more: such a value is there to be refused and stays as it is.
BOUND = 10 * 365 * 86_400
WAITS = (
    "duration",
    "hard_timeout",
    "max_wait_seconds",
    "no_change_timeout",
    "seconds",
    "timeout",
    "wait",
    "wait_timeout",
)

# The container has to survive what changes files: the daemon is root there.
CHANGES = {
    "copyFile",
    "deleteFile",
    "editFile",
    "importTree",
    "makeDirectory",
    "moveFile",
    "replaceInFile",
    "uploadFile",
    "writeFile",
}
PATHS = ("path", "file", "source", "destination")
DIRECTORY = "/tmp/fuzz"

lock = threading.Lock()
requests = 0


def shortened(fields):
    for name in WAITS:
        value = fields.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and LONGEST < value <= BOUND:
            fields[name] = LONGEST
    return fields


def confined(fields):
    for name in PATHS:
        value = fields.get(name)
        if isinstance(value, str) and value.startswith("/"):
            fields[name] = DIRECTORY + value.replace("..", "--")
    for name in ("path_b64", "source_b64", "destination_b64"):
        value = fields.get(name)
        try:
            path = base64.b64decode(value, altchars=b"-_" if "-" in value or "_" in value else None)
        except (TypeError, ValueError, binascii.Error):
            continue
        if path.startswith(b"/"):
            fields[name] = base64.b64encode(DIRECTORY.encode() + path.replace(b"..", b"--")).decode()
    return fields


@schemathesis.serializer("application/x-tar")
def archive(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def before_call(context, case, kwargs):
    # The files of the whole system change while they are sent, which cuts the connection.
    if case.operation.label == "GET /v2/fs/tree" and isinstance(case.query, dict) and "path" in case.query:
        case.query = {**case.query, "path": str(case.query["path"]).replace("/", "/etc/opt/", 1)}
    changes = case.operation.definition.raw.get("operationId") in CHANGES
    if isinstance(case.body, dict):
        case.body = shortened(dict(case.body))
        case.body = confined(case.body) if changes else case.body
    if isinstance(case.query, dict):
        case.query = shortened(dict(case.query))
        case.query = confined(case.query) if changes else case.query


@schemathesis.hook
def after_call(context, case, response):
    global requests
    with lock:
        requests += 1


@atexit.register
def write_count():
    with open(os.environ["FUZZ_COUNT"], "w", encoding="utf-8") as file:
        file.write(str(requests))
