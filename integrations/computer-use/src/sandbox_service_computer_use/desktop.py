"""The desktop and the commands of the service over HTTP."""

from __future__ import annotations

import os
import uuid
from typing import Any

import httpx

Action = dict[str, Any]
WAIT_SECONDS = 60
BATCH_ACTIONS = 50


class ServiceError(Exception):
    """A refusal of the service, or an action that failed."""


class Desktop:
    """A sandbox service; without arguments as SANDBOX_URL and SANDBOX_API_KEY say."""

    def __init__(self, url: str | None = None, api_key: str | None = None) -> None:
        base = url or os.environ.get("SANDBOX_URL", "http://localhost:8080")
        key = api_key or os.environ.get("SANDBOX_API_KEY") or None
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        self._http = httpx.AsyncClient(base_url=base.rstrip("/"), headers=headers, timeout=90)

    async def __aenter__(self) -> Desktop:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def size(self) -> tuple[int, int]:
        resolution = (await self._data("GET", "/v2/computer/info"))["screen_resolution"]
        return resolution["width"], resolution["height"]

    async def cursor(self) -> tuple[int, int]:
        at = await self._data("GET", "/v2/computer/cursor")
        return at["x"], at["y"]

    async def act(self, *actions: Action) -> None:
        """Actions without those of other callers between them. Raises ServiceError if one fails."""
        done = await self._data("POST", "/v2/computer/actions/batch", json={"actions": list(actions)})
        if done["status"] != "success":
            raise ServiceError(f"action {done['failed_index'] + 1} of {len(actions)} failed: {done['error']}")

    async def picture(self, region: tuple[int, int, int, int] | None = None) -> bytes:
        """A PNG; `region`: x, y, width and height."""
        query = {"cursor": "true"} if region is None else {"region": ",".join(map(str, region))}
        answer = await self._http.get("/v2/computer/screenshot", params=query)
        if answer.status_code != 200:
            _data_of(answer)
        content: bytes = answer.content
        return content

    async def run(
        self, command: str, args: list[str] | None = None, *, seconds: float, stdin: str = ""
    ) -> dict[str, Any]:
        """Runs a script of bash with arguments to its end; `seconds` ends everything that it has started."""
        words = {"command": "bash", "args": ["-c", command, "bash", *(args or [])], "shell": "none"}
        terms = {"timeout": WAIT_SECONDS, "hard_timeout": seconds, "stdin": stdin, "max_output_length": 100_000}
        body = {**words, **terms, "idempotency_key": uuid.uuid4().hex}
        ran = await self._data("POST", "/v2/commands", json=body)
        while ran["status"] in ("pending", "running"):
            # The same key waits for the same command.
            ran = await self._data("POST", "/v2/commands", json=body)
        return ran

    async def _data(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        return _data_of(await self._http.request(method, path, **more))


def _data_of(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        raise ServiceError(f"HTTP {answer.status_code} without JSON: is it a sandbox service?") from None
    if answer.status_code != 200:
        raise ServiceError("; ".join(part for part in (body.get("message"), body.get("hint")) if part))
    data: dict[str, Any] = body["data"]
    return data
