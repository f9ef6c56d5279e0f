"""Commands of the service over HTTP. The package of deepagents has this file too, by a link."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import uuid
from collections.abc import Mapping
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
        self.message = message


@dataclass(frozen=True)
class Ran:
    """The end of a command."""

    status: str
    exit_code: int | None
    """As a shell has it: 128 and the number of a signal."""
    message: str
    pieces: list[tuple[str, bytes]]
    """The name of a stream and bytes of it, in the order of their arrival."""
    is_cut: bool
    """Whether a stream has exceeded its limit."""

    def output(self, *streams: str) -> bytes:
        return b"".join(piece for stream, piece in self.pieces if stream in streams)


class Commands:
    """Starts commands, feeds them and reads their output, also over cut connections."""

    def __init__(self, url: str, api_key: str | None) -> None:
        headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        timeout, limits = httpx.Timeout(SILENCE_SECONDS, pool=None), httpx.Limits(max_connections=None)
        self._http = httpx.AsyncClient(base_url=url.rstrip("/"), headers=headers, timeout=timeout, limits=limits)

    async def close(self) -> None:
        await self._http.aclose()

    async def run(
        self,
        command: Mapping[str, Any],
        *,
        limit: int,
        ends_at_limit: bool = False,
        stdin: bytes = b"",
        timeout: float | None = None,
    ) -> Ran:
        """Runs a command to its end. A cancelled call ends the command.

        `command`: fields of `POST /v2/commands`. `limit`: bytes of each stream; more is left out, or ends the command.

        Raises:
            ServiceError: the service refused the command.
        """
        # With the key a repeated request starts no second command.
        body = {**command, "mode": "async", "hard_timeout": timeout, "idempotency_key": uuid.uuid4().hex}
        command_id = await self._start(body)
        feeding = asyncio.ensure_future(self._feed(command_id, stdin))
        try:
            return await self._follow(command_id, limit, ends_at_limit)
        except BaseException:
            await asyncio.shield(self._kill(command_id))
            raise
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def _feed(self, command_id: str, stdin: bytes) -> None:
        """Writes all of stdin and closes it; the command may end before. An offset lets a call be repeated."""
        at, cuts = 0, 0
        while True:
            piece = stdin[at : at + PIECE_BYTES]
            text = base64.b64encode(piece).decode()
            body = {"input": text, "encoding": "base64", "offset": at, "eof": at + len(piece) == len(stdin)}
            try:
                taken = _value_of(await self._http.post(f"/v2/commands/{command_id}/stdin", json=body))
                at, cuts = taken["stdin_bytes"], 0
                if taken["eof"]:
                    return
            except ServiceError:
                return
            except (httpx.TransportError, _Passing) as error:
                # 429: the command reads slowly.
                cuts += 0 if isinstance(error, _Passing) and error.status == 429 else 1
                if cuts > CUTS_IN_A_ROW:
                    await self._kill(command_id)
                    raise
                await asyncio.sleep(0.1 * (cuts + 1))

    async def _follow(self, command_id: str, limit: int, ends_at_limit: bool) -> Ran:
        pieces: list[tuple[str, bytes]] = []
        at, kept = {"stdout": 0, "stderr": 0}, {"stdout": 0, "stderr": 0}
        is_cut, cuts = False, 0
        while True:
            offsets = {"offset": at["stdout"], "stderr_offset": at["stderr"]}
            query: dict[str, str | int] = {"stream": "true", "encoding": "base64", **offsets}
            try:
                async with self._http.stream("GET", f"/v2/commands/{command_id}", params=query) as answer:
                    if answer.status_code != 200:
                        await answer.aread()
                        _value_of(answer, is_last=cuts == CUTS_IN_A_ROW)
                    async for line in answer.aiter_lines():
                        event = json.loads(line)
                        cuts, kind = 0, event["type"]
                        if kind == "exit":
                            return Ran(event["status"], _code_of(event), event.get("message") or "", pieces, is_cut)
                        if kind not in at:
                            continue
                        data = base64.b64decode(event["data_base64"])
                        at[kind] = event["offset"] + len(data)
                        pieces.append((kind, data[: limit - kept[kind]]))
                        kept[kind] += len(pieces[-1][1])
                        if at[kind] > limit and not is_cut:
                            is_cut = True
                            if ends_at_limit:
                                await self._kill(command_id)
            except (httpx.TransportError, _Passing):
                if cuts == CUTS_IN_A_ROW:
                    raise
            # The stream was cut: read on from the offsets.
            cuts += 1
            await asyncio.sleep(0.1 * cuts)

    async def _kill(self, command_id: str) -> None:
        await self._http.post(f"/v2/commands/{command_id}/kill", json={"signal": "SIGKILL"})

    async def _start(self, body: dict[str, Any]) -> str:
        for cuts in range(CUTS_IN_A_ROW + 1):
            try:
                answer = await self._http.post("/v2/commands", json=body)
                return str(_value_of(answer, is_last=cuts == CUTS_IN_A_ROW)["command_id"])
            except (httpx.TransportError, _Passing):
                if cuts == CUTS_IN_A_ROW:
                    raise
                await asyncio.sleep(0.1 * (cuts + 1))
        raise AssertionError


def _code_of(event: dict[str, Any]) -> int | None:
    name = event.get("signal")
    return event["exit_code"] if name is None else 128 + signal.Signals[name]


class _Passing(Exception):
    """A refusal after which a client tries again."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


def _value_of(answer: httpx.Response, *, is_last: bool = False) -> dict[str, Any]:
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
