"""Commands of the service over HTTP."""

from __future__ import annotations

import base64
import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

# A connection without a byte for this time is cut: the service sends a line every 15 s.
SILENCE_SECONDS = 60
CUTS_IN_A_ROW = 10
# Bytes of stdin in one call.
PIECE_BYTES = 1024**2
# Of a gateway whose daemon starts again, and of a service at its limits.
_PASSING = (429, 502, 503, 504)


class ServiceError(Exception):
    """A refusal of the service."""

    def __init__(self, status: int, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}; {hint}")
        self.status = status


@dataclass(frozen=True)
class Ran:
    """The end of a command."""

    status: str
    exit_code: int | None
    message: str
    stdout: bytes
    output: bytes
    """Both streams in the order of their arrival."""
    is_cut: bool
    """Whether the output has exceeded the limit."""


class Commands:
    """Starts commands, feeds them and reads their output, also over cut connections."""

    def __init__(self, url: str, api_key: str | None) -> None:
        headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        timeout = httpx.Timeout(SILENCE_SECONDS, pool=None)
        limits = httpx.Limits(max_connections=None)
        self._http = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=timeout, limits=limits)

    def close(self) -> None:
        self._http.close()

    def run(
        self, command: dict[str, Any], *, limit: int, stdin: bytes = b"", timeout: float | None = None, **terms: Any
    ) -> Ran:
        """Runs a command to its end. `limit`: bytes of its output. Raises ServiceError if it is refused."""
        # With the key a repeated request starts no second command.
        body = {**command, **terms, "mode": "async", "hard_timeout": timeout, "idempotency_key": uuid.uuid4().hex}
        command_id = self._start(body)
        with ThreadPoolExecutor(1) as feeder:
            feeder.submit(self._feed, command_id, stdin)
            try:
                return self._follow(command_id, limit)
            except BaseException:
                self._kill(command_id)
                raise

    def _start(self, body: dict[str, Any]) -> str:
        for cuts in range(CUTS_IN_A_ROW + 1):
            try:
                answer = self._http.post("/v2/commands", json=body)
                return str(_data_of(answer, is_last=cuts == CUTS_IN_A_ROW)["command_id"])
            except (httpx.TransportError, _Passing):
                if cuts == CUTS_IN_A_ROW:
                    raise
                time.sleep(0.1 * (cuts + 1))
        raise AssertionError

    def _feed(self, command_id: str, stdin: bytes) -> None:
        """Writes all of stdin and closes it; the command may end before. An offset lets a call be repeated."""
        at, cuts = 0, 0
        while True:
            piece = stdin[at : at + PIECE_BYTES]
            text = base64.b64encode(piece).decode()
            body = {"input": text, "encoding": "base64", "offset": at, "eof": at + len(piece) == len(stdin)}
            try:
                taken = _data_of(self._http.post(f"/v2/commands/{command_id}/stdin", json=body))
                at, cuts = taken["stdin_bytes"], 0
                if taken["eof"]:
                    return
            except ServiceError:
                return
            except (httpx.TransportError, _Passing) as error:
                # 429: the command reads slowly.
                cuts += 0 if isinstance(error, _Passing) and error.status == 429 else 1
                if cuts > CUTS_IN_A_ROW:
                    self._kill(command_id)
                    raise
                time.sleep(0.1 * (cuts + 1))

    def _follow(self, command_id: str, limit: int) -> Ran:
        stdout, output = bytearray(), bytearray()
        at = {"stdout": 0, "stderr": 0}
        is_cut, cuts = False, 0
        while True:
            offsets = {"offset": at["stdout"], "stderr_offset": at["stderr"]}
            query: dict[str, str | int] = {"stream": "true", "encoding": "base64", **offsets}
            try:
                with self._http.stream("GET", f"/v2/commands/{command_id}", params=query) as answer:
                    if answer.status_code != 200:
                        answer.read()
                        _data_of(answer, is_last=cuts == CUTS_IN_A_ROW)
                    for line in answer.iter_lines():
                        event = json.loads(line)
                        cuts, kind = 0, event["type"]
                        if kind == "exit":
                            message = event.get("message") or ""
                            streams = bytes(stdout), bytes(output)
                            return Ran(event["status"], event["exit_code"], message, *streams, is_cut)
                        if kind not in at:
                            continue
                        data = base64.b64decode(event["data_base64"])
                        at[kind] = event["offset"] + len(data)
                        kept = data[: limit - len(output)]
                        is_cut = is_cut or len(kept) < len(data)
                        output += kept
                        if kind == "stdout":
                            stdout += kept
            except (httpx.TransportError, _Passing):
                if cuts == CUTS_IN_A_ROW:
                    raise
            # The stream was cut: read on from the offsets.
            cuts += 1
            time.sleep(0.1 * cuts)

    def _kill(self, command_id: str) -> None:
        self._http.post(f"/v2/commands/{command_id}/kill", json={"signal": "SIGKILL"})


class _Passing(Exception):
    """A refusal after which a client tries again."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


def _data_of(answer: httpx.Response, *, is_last: bool = False) -> dict[str, Any]:
    if answer.status_code in _PASSING and not is_last:
        raise _Passing(answer.status_code)
    try:
        body = answer.json()
    except ValueError:
        why = f"HTTP {answer.status_code} without JSON: is it the address of a sandbox service?"
        raise ServiceError(answer.status_code, why) from None
    if answer.status_code != 200:
        raise ServiceError(answer.status_code, body.get("message", ""), body.get("hint"))
    data: dict[str, Any] = body["data"]
    return data
