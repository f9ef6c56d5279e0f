"""Hooks of Schemathesis: short waits, changes of files in one directory, and the number of requests."""

import atexit
import base64
import binascii
import os
import threading

import schemathesis

# The longest wait that a request may ask for, in seconds.
LONGEST = 1
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
# A wait whose length the request leaves out is as long as its default. Searches for what is not there wait as long.
PATIENT = {
    "clickElement": "timeout",
    "dragElement": "timeout",
    "execInTerminal": "timeout",
    "fillField": "timeout",
    "giveFiles": "timeout",
    "hoverElement": "timeout",
    "readCommand": "wait_timeout",
    "readExecution": "wait_timeout",
    "selectOptions": "timeout",
    "waitForChange": "timeout",
    "waitForDownload": "timeout",
    "waitForPage": "timeout",
}

# These read all files below a directory; those of the whole system take half a minute.
SEARCHES = {"createCheckpoint", "exportTree", "findFiles", "globFiles", "grepFiles", "searchFiles"}
PATHS = ("path", "file", "source", "destination")
DIRECTORY = "/tmp/fuzz"

STREAMS = ("application/x-ndjson", "text/event-stream")
# Of z.stringbool.
FLAG_WORDS = {"1", "0", "yes", "no", "on", "off", "y", "n", "enabled", "disabled", "true", "false"}

lock = threading.Lock()
requests = 0


def shortened(value, name=""):
    """The value with short waits, also in the actions of a batch."""
    if isinstance(value, dict):
        return {key: shortened(field, key) for key, field in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value]
    is_wait = name in WAITS and isinstance(value, (int, float)) and not isinstance(value, bool)
    return LONGEST if is_wait and value > LONGEST else value


def hurried(fields, operation):
    name = PATIENT.get(operation)
    return {**fields, name: LONGEST} if name is not None and fields.get(name) is None else fields


def narrowed(fields):
    """Reads below one small directory instead of the root."""
    path = fields.get("path")
    return {**fields, "path": f"/etc/opt/{path.lstrip('~')}"} if isinstance(path, str) and path != "" else fields


def confined(fields):
    for name in PATHS:
        value = fields.get(name)
        if isinstance(value, str) and value != "":
            fields[name] = f"{DIRECTORY}/{value.lstrip('~')}".replace("..", "--")
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


def is_wrong(case):
    """Whether the request violates its schema, which may be by the length of a wait; it is refused at once."""
    return case.meta is not None and case.meta.generation.mode.is_negative


def changed(fields, operation, may_wait):
    fields = hurried(shortened(fields), operation) if may_wait else dict(fields)
    fields = confined(fields) if operation in CHANGES else fields
    # The files of the whole system also change while they are sent, which cuts the connection.
    return narrowed(fields) if operation in SEARCHES else fields


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Without schemas of streams: they are those of one event, and Schemathesis compares a whole answer with them."""
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            for response in operation.get("responses", {}).values():
                for kind in STREAMS:
                    response.get("content", {}).get(kind, {}).pop("schema", None)


def has_flag_word(case):
    """Whether a boolean of the query is one of the words that the service reads beside true and false."""
    parameters = case.operation.definition.raw.get("parameters", [])
    flags = {p["name"] for p in parameters if p.get("in") == "query" and p["schema"].get("type") == "boolean"}
    query = case.query if isinstance(case.query, dict) else {}
    return any(str(query.get(name)).lower() in FLAG_WORDS for name in flags if not isinstance(query.get(name), bool))


def is_foreign(name):
    return name.lower().startswith(("x-", "_", "utm_"))


@schemathesis.hook
def filter_case(context, case):
    """
    Without bodies of blanks, other words of booleans and fields that are for others than the service: Schemathesis
    counts them as wrong, and the service reads them as an empty body and as booleans, and leaves the fields alone.
    """
    if not is_wrong(case):
        return True
    if any(isinstance(part, dict) and any(is_foreign(name) for name in part) for part in (case.body, case.query)):
        return False
    return not (isinstance(case.body, bytes) and case.body.strip() == b"") and not has_flag_word(case)


# Names of one value: the second is left out, since two that differ are 422, which no schema can say.
NAMES = (("session", "session_id"), ("id", "session_id"))
WAITED_FOR = ("selector", "url", "text", "function")


def of_one_value(case, operation):
    """A valid request with each value in one place."""
    body, query = (part if isinstance(part, dict) else {} for part in (case.body, case.query))
    for part in (body, query):
        for first, second in NAMES:
            if first in part and second in part:
                del part[second]
    if "eof" in query:
        body.pop("eof", None)
    if operation == "uploadForm" and ("path" in query or "path_b64" in query):
        body.pop("path", None)
        body.pop("path_b64", None)
    if operation == "waitForPage" and any(body.get(name) is not None for name in WAITED_FOR):
        body.pop("value", None)
    if "if_match" in body and case.headers is not None:
        case.headers.pop("If-Match", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    has_body = isinstance(case.body, dict)
    if not is_wrong(case):
        of_one_value(case, operation)
    if has_body:
        case.body = changed(case.body, operation, not is_wrong(case))
    if isinstance(case.query, dict):
        case.query = changed(case.query, operation, not is_wrong(case) and not has_body)


@schemathesis.hook
def after_call(context, case, response):
    global requests
    with lock:
        requests += 1


@atexit.register
def write_count():
    with open(os.environ["FUZZ_COUNT"], "w", encoding="utf-8") as file:
        file.write(str(requests))
